// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#undef near  // a macro of a header of Windows
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <ranges>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/confine.hpp"
#include "cli/sarif_file.hpp"
#include "cli/version.hpp"
#include "platform/process.hpp"
#include "sandbox/sandbox.hpp"

namespace slipway::cli {
namespace {

// The options of a command line and of its groups.
std::vector<const CLI::Option*> all_options(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* group : app.get_subcommands([](const CLI::App*) { return true; }))
    options.append_range(all_options(*group));
  return options;
}

// The values in the text of a type: `TEXT:{auto,never}`.
std::vector<std::string> choices_in(std::string_view type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == type.npos || close == type.npos) return choices;
  for (const auto part : std::views::split(type.substr(open + 1, close - open - 1), ','))
    choices.emplace_back(std::string_view(part));
  return choices;
}

// The texts of the tools that drop-in names replace, on which scripts match; empty for other errors.
std::string drop_in_text(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::vector<std::string> rest = app.remaining(); !rest.empty())
    return formatted("Unknown argument: {}\n", rest.front());
  if (error.get_name() != "RequiredError") return "";
  for (const CLI::Option* option : all_options(app)) {
    if (!option->get_required() || option->count() != 0) continue;
    const std::string name =
        option->get_snames().empty() ? "--" + option->get_lnames().front() : "-" + option->get_snames().front();
    return name + ": required.\n";
  }
  return "";
}

// Without the types of values: `--shape: a value is missing`.
std::string message_of(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::size_t colon = text.find(": ");
  if (error.get_name() != "ArgumentMismatch" || colon == text.npos || !text.ends_with(" missing")) return text;
  return text.substr(0, colon) + ": a value is missing";
}

// For this process and, through the environment, for those that it starts to run cases.
void choose_sandbox(const std::string& name) {
  const std::optional<SandboxMode> mode = sandbox::mode_of(name);
  if (!mode) return;  // refused by the choices
  sandbox::set_mode(*mode);
  platform::set_environment("SLIPWAY_SANDBOX", name);
}

// CLI11 expects the arguments in reverse order.
std::vector<std::string> reversed(const std::vector<std::string>& words) { return {words.rbegin(), words.rend()}; }

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}

Option Option::choices(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}

Option Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option Option::range(std::uint64_t low, std::uint64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

namespace {

// A finite number; NaN for other texts.
double number_of(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(number) ? number : NAN;
}

}  // namespace

Option Option::positive() {
  const auto check = [](const std::string& text) {
    return number_of(text) > 0 ? std::string() : formatted("{} is not a number more than 0", text);
  };
  option_->check(CLI::Validator(check, "POSITIVE"));
  return *this;
}

Option Option::not_negative() {
  const auto check = [](const std::string& text) {
    return number_of(text) >= 0 ? std::string() : formatted("{} is not a number of at least 0", text);
  };
  option_->check(CLI::Validator(check, "NOT_NEGATIVE"));
  return *this;
}

Option Option::not_empty() {
  option_->check([](const std::string& text) { return std::string(text.empty() ? "the name is empty" : ""); });
  return *this;
}

Option Option::values(int count) {
  option_->expected(count);
  return *this;
}

Option Option::values(int min, int max) {
  option_->expected(min, max);
  return *this;
}

Option Option::take_all() {
  option_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return *this;
}

Option Option::repeatable() {
  option_->allow_extra_args(false);
  return take_all();
}

Option Option::excludes(const std::string& name) {
  option_->excludes(name);
  return *this;
}

Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

template <OptionValue T>
Option OptionGroup::add_option(const std::string& name, T& value, const std::string& meaning) {
  return Option(app_->add_option(name, value, meaning));
}

// One line for each type that OptionValue accepts.
template Option OptionGroup::add_option(const std::string&, std::string&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::filesystem::path&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option OptionGroup::add_option(const std::string&, int&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::int64_t&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::optional<std::uint32_t>&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option OptionGroup::add_option(const std::string&, std::optional<double>&, const std::string&);

Option OptionGroup::add_option(const std::string& name, std::function<void(const std::string&)> set,
                               const std::string& meaning) {
  return Option(app_->add_option_function<std::string>(name, set, meaning));
}

Option OptionGroup::add_flag(const std::string& name, bool& value, const std::string& meaning) {
  return Option(app_->add_flag(name, value, meaning));
}

Option OptionGroup::add_flag(const std::string& name, std::function<void()> set, const std::string& meaning) {
  return Option(app_->add_flag_callback(name, std::move(set), meaning));
}

Option OptionGroup::add_flag(const std::string& name, std::optional<std::string>& value, const std::string& form,
                             const std::string& meaning, const std::string& bare) {
  CLI::Option* const option = app_->add_flag(name, meaning);
  option->transform([bare](const std::string& text) { return text == "true" ? bare : text; });
  option->each([&value](const std::string& text) { value = text; });
  option->option_text("[=" + form + "]");
  return Option(option);
}

void OptionGroup::require_one_at_most() { app_->require_option(0, 1); }

bool OptionGroup::has_option(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }

CommandLine::CommandLine(const std::string& name, const std::string& what, const std::string& example)
    : OptionGroup(nullptr),
      name_(name),
      what_(what),
      example_(example),
      owned_(std::make_unique<CLI::App>(what, name)) {
  app_ = owned_.get();
  app_->footer("Example: " + example);
  app_->allow_windows_style_options(false);  // `/tmp/a.json` is a file
  app_->set_help_flag("-h,--help", "print this help and end");
  app_->set_version_flag(is_drop_in() ? "-v,--version" : "--version", version_text());
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app_->get_formatter()->column_width(30);
  app_->get_formatter()->right_column_width(text_width() - 30);
  app_->get_formatter()->description_paragraph_width(text_width());
  app_->get_formatter()->footer_paragraph_width(text_width());
  if (!is_drop_in()) {
    add_flag("-q,--quiet", quiet_, "print errors and what was asked for; no warnings, progress or lines of success");
    add_flag("-v,--verbose", verbose_, "print what is being done").excludes("--quiet");
    add_flag("--confine", confine_,
             "for files of strangers: paths in them may not leave their directories; the kernel forbids other files, "
             "the network and other programs");
  }
  add_option(
      "--sandbox", choose_sandbox,
      "the processes of MLIR, glslang and SPIRV-Tools: with `required` all protections, with `best-effort` those "
      "that can be had, with `off` none, for trusted files (else SLIPWAY_SANDBOX; those that the kernel has)")
      .choices({"required", "best-effort", "off"});
}

CommandLine::~CommandLine() = default;

namespace {

// Errors: output-conflict, when two options name one output. `--expect` is an output of one verb only.
Result<> check_output_options(const std::vector<std::string>& words) {
  std::map<FileKey, std::string> options;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::size_t equals = words[i].find('=');
    std::string name = words[i].substr(0, equals);
    if (name == "--expect" || !std::ranges::contains(output_options(), name) ||
        (equals == std::string::npos && i + 1 == words.size()))
      continue;
    std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (name == "--save") value = value.substr(value.find('=') + 1);  // npos + 1 is 0
    if (name == "-o") name = "--output";
    const std::optional<FileKey> file = value.empty() ? std::nullopt : replaced_file(value);
    if (!file) continue;
    const auto [at, is_new] = options.try_emplace(*file, name);
    if (is_new || at->second == name) continue;
    return fail(
        DiagnosticKind::OutputConflict, SourceLocation::in_file(value),
        formatted("two outputs of this run are written to {}: that of `{}` and that of `{}`", value, at->second, name));
  }
  return {};
}

}  // namespace

std::optional<int> CommandLine::parse(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  if (arguments.probe) {
    fill(*arguments.probe, words);
    return 0;
  }
  if (arguments.description) {
    describe(*arguments.description);
    return 0;
  }
  try {
    app_->parse(reversed(words));
    if (confine_ && !is_confined()) {  // the program applies it before it reads anything (confine.hpp)
      print_error(formatted("{}: --confine takes no value\n", name_));
      return 2;
    }
    set_level();
    if (const Result<> checked = check_output_options(words); !is_drop_in() && !checked) {
      print_error(format_diagnostics(checked.error(), {.sources = false}));
      return exit_status(checked.error());
    }
    if (style_) set_sarif_path(style_->sarif_path);
    if (!arguments.format.empty()) print_verbose(formatted("slipway: the format is {}\n", arguments.format));
    return std::nullopt;
  } catch (const CLI::Success& success) {  // --help or --version
    return app_->exit(success);
  } catch (const CLI::ParseError& error) {
    if (const std::string text = is_drop_in() ? drop_in_text(*app_, error) : ""; !text.empty()) {
      print_error(text);
      return 2;
    }
    std::string message = formatted("{}: {}\n", name_, is_drop_in() ? error.what() : message_of(error));
    // The page that lists these options: `slipway run --help` lists formats.
    const std::string& format = arguments.format;
    const std::string page = format.empty() || name_.ends_with(" " + format) ? name_ : name_ + " " + format;
    std::vector<std::string> options;
    for (const CLI::Option* option : all_options(*app_)) {
      for (const std::string& long_name : option->get_lnames()) options.push_back("--" + long_name);
    }
    for (const std::string& argument : words) {
      const std::string word = argument.substr(0, argument.find('='));
      if (!word.starts_with("--") || std::ranges::contains(options, word)) continue;
      if (const auto near = closest(word, options)) message += formatted("did you mean `{}`?\n", *near);
    }
    print_error(message + formatted("see `{} --help`\n", page));
    return 2;
  }
}

// Continues after arguments that are not accepted, so that files are found next to a mistyped option.
void CommandLine::fill(Probe& probe, const std::vector<std::string>& words) {
  app_->allow_extras();
  try {
    app_->parse(reversed(words));
    probe.valid = true;
  } catch (const CLI::Success&) {
    probe.valid = true;
  } catch (const CLI::ParseError&) {
  }
  probe.unknown = app_->remaining_size();
  probe.valid &= probe.unknown == 0;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->get_positional()) probe.files.append_range(option->results());
    if (option->check_name("--json")) probe.json = option->count() != 0;
    if (option->check_name("--sarif") && option->count() != 0) probe.sarif = option->results().front();
  }
}

void CommandLine::describe(LineDescription& description) const {
  description = {.name = name_, .what = what_, .example = example_};
  for (const CLI::Option* option : all_options(*app_)) {
    OptionDescription& one = description.options.emplace_back();
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    one.meaning = option->get_description();
    std::string type = option->get_type_name();
    one.choices = choices_in(type);
    type.resize(std::min(type.find(':'), type.size()));  // without what is allowed: `UINT:INT in [1 - 9]`
    const std::string& text = option->get_option_text();
    one.needs_equals = text.starts_with("[=");
    if (one.needs_equals)
      one.value = text.substr(2, text.size() - 3);
    else if (option->get_items_expected_max() != 0)
      one.value = one.names.empty() ? option->get_name() : one.choices.empty() ? type : "WORD";
  }
}

void CommandLine::set_level() const {
  if (quiet_) set_output_level(OutputLevel::Quiet);
  if (verbose_) set_output_level(OutputLevel::Verbose);
}

void CommandLine::add_report_options(ReportStyle& style) {
  add_flag("--json", style.json, "diagnostics and results as JSON");
  add_flag("--strict", style.strict, "treat every warning as an error");
  add_option("--max-errors", style.max_errors, "print at most this many problems (100)");
  add_option("--sarif", style.sarif_path, "write the diagnostics as SARIF 2.1.0 too; `-` is standard output")
      .not_empty();
  style_ = &style;
}

OptionGroup CommandLine::add_group(const std::string& name, const std::string& meaning) {
  return OptionGroup(app_->add_option_group(name, meaning));
}

void CommandLine::set_version(const std::string& text) { app_->set_version_flag("-v,--version", text); }

}  // namespace slipway::cli
