#include "cli/command_line.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/suggest.hpp"
#include "cli/version.hpp"

namespace slipway::cli {

CommandLine::CommandLine(const std::string& name, const std::string& what, const std::string& example)
    : app(what, name), name_(name) {
  app.footer("Example: " + example);
  app.set_help_flag("-h,--help", "print this help and end");
  app.set_version_flag("-v,--version", version_text());
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

std::optional<int> CommandLine::parse(const Arguments& arguments) {
  try {
    app.parse(Arguments(arguments.rbegin(), arguments.rend()));  // CLI11 takes them from the back
    return std::nullopt;
  } catch (const CLI::Success& success) {  // help or version was asked for
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::string message = formatted("{}: {}\n", name_, error.what());
    std::vector<std::string> options;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& long_name : option->get_lnames()) options.push_back("--" + long_name);
    }
    for (const std::string& argument : arguments) {
      const std::string word = argument.substr(0, argument.find('='));
      if (!word.starts_with("--") || std::ranges::contains(options, word)) continue;
      if (const auto near = closest(word, options)) message += formatted("did you mean `{}`?\n", *near);
    }
    print_error(message + formatted("see `{} --help`\n", name_));
    return 2;
  }
}

void CommandLine::add_report_options(ReportStyle& style) {
  app.add_flag("--json", style.json, "diagnostics and results as JSON");
  app.add_flag("--strict", style.strict, "treat every warning as an error");
  app.add_option("--max-errors", style.max_errors, "print at most this many problems (100)");
}

}  // namespace slipway::cli
