// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway man`: manual pages (roff), from the command lines of the verbs.
#include <algorithm>
#include <cctype>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text/suggest.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"

namespace slipway::cli {
namespace {

// Text in roff: no character of it is a request or an escape.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else if (c == '\n')
      escaped += ' ';
    else
      escaped += c;
    line_begins = false;
  }
  return escaped;
}

std::string upper(std::string_view text) {
  std::string raised(text);
  std::ranges::transform(raised, raised.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return raised;
}

// No date: a page depends on the program alone, so that two builds of one version are equal.
std::string heading(std::string_view title) {
  return formatted(".TH {} 1 \"\" \"{}\" \"Slipway\"\n", upper(title), roff(version_text()));
}

std::string see_also(const std::vector<VerbDescription>& verbs, std::string_view without) {
  std::string text = ".SH SEE ALSO\n";
  std::vector<std::string> pages;
  if (!without.empty()) pages.emplace_back("slipway");
  for (const VerbDescription& verb : verbs) {
    if (verb.name != without) pages.push_back(formatted("slipway-{}", verb.name));
  }
  for (std::size_t i = 0; i < pages.size(); ++i)
    text += formatted(".BR {} (1){}\n", roff(pages[i]), i + 1 == pages.size() ? "" : ",");
  return text;
}

std::string exit_status_text() {
  return ".SH EXIT STATUS\n0 success; 1 a check failed; 2 usage error; 3 bad input; 4 the device lacks something; 5 "
         "the "
         "device, a library or the file system failed.\n";
}

std::string environment_text() {
  return ".SH ENVIRONMENT\n"
         ".TP\n.B SLIPWAY_DEVICE\nThe device of a run without \\fB\\-\\-device\\fR.\n"
         ".TP\n.B SLIPWAY_DEVICE_PROFILE\nA smaller device, which Vulkan devices count as.\n"
         ".TP\n.B SLIPWAY_TUNING\nA table of \\fBslipway tune\\fR.\n"
         ".TP\n.B XDG_CACHE_HOME\nThe directory of the cache (\\fI~/.cache\\fR).\n"
         ".TP\n.B SLIPWAY_CACHE_PATH\nFurther caches that are only read, with colons.\n"
         ".TP\n.BR NO_COLOR \", \" CLICOLOR_FORCE \", \" TERM \", \" COLUMNS\nColours, progress and the width of "
         "lines.\n";
}

std::string option_text(const OptionDescription& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += formatted("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  if (option.names.empty())
    names = formatted("\\fI{}\\fR", roff(option.value));
  else if (option.needs_equals)
    names += formatted("[=\\fI{}\\fR]", roff(option.value));
  else if (!option.value.empty())
    names += formatted(" \\fI{}\\fR", roff(option.value));
  std::string text = formatted(".TP\n{}\n{}\n", names, roff(option.meaning));
  if (!option.choices.empty()) {
    std::string choices;
    for (const std::string& choice : option.choices)
      choices += formatted("{}\\fB{}\\fR", choices.empty() ? "" : ", ", roff(choice));
    text += formatted(".br\nOne of {}.\n", choices);
  }
  return text;
}

std::string formats_text(const LineDescription& line) {
  std::string text;
  for (const std::string& format : line.formats) text += (text.empty() ? "" : ", ") + format;
  return text;
}

// The text of each line of the verb, as paragraphs.
std::string paragraphs(const VerbDescription& verb, std::string (*text_of)(const LineDescription&)) {
  std::string text;
  for (const LineDescription& line : verb.lines) {
    if (!text.empty()) text += ".PP\n";
    text += text_of(line);
  }
  return text;
}

std::string page_of(const VerbDescription& verb, const std::vector<VerbDescription>& verbs) {
  std::string text = heading(formatted("slipway-{}", verb.name));
  text += formatted(".SH NAME\nslipway\\-{} \\- {}\n.SH SYNOPSIS\n.B slipway {}\n[\\fIOPTIONS\\fR] ", verb.name,
                    roff(verb.summary), verb.name);
  std::string arguments;
  for (const OptionDescription& option : verb.lines.front().options) {
    if (option.names.empty()) arguments += formatted("\\fI{}\\fR ", roff(option.value));
  }
  if (verb.lines.size() > 1) arguments = "\\fIFILE\\fR...";  // of any of its formats
  text += arguments + "\n.SH DESCRIPTION\n";
  text += paragraphs(verb, [](const LineDescription& line) { return roff(line.what) + "\n"; });
  for (const LineDescription& line : verb.lines) {
    text += verb.lines.size() == 1 ? ".SH OPTIONS\n"
                                   : formatted(".SH \"OPTIONS FOR {}\"\n", roff(upper(formats_text(line))));
    for (const OptionDescription& option : line.options) text += option_text(option);
  }
  text += exit_status_text() + environment_text() + ".SH EXAMPLES\n";
  text += paragraphs(verb, [](const LineDescription& line) { return formatted(".nf\n{}\n.fi\n", roff(line.example)); });
  return text + see_also(verbs, verb.name);
}

std::string main_page(const std::vector<VerbDescription>& verbs) {
  std::string text = heading("slipway") +
                     ".SH NAME\nslipway \\- builds and launches GPU and NPU workloads described as data\n"
                     ".SH SYNOPSIS\n.B slipway\n\\fIVERB\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
                     "Slipway runs scenarios, run recipes and models, compiles render pipelines, converts models and "
                     "inspects GPU kernels. The format of a file is detected from its contents.\n.SH VERBS\n";
  for (const VerbDescription& verb : verbs)
    text += formatted(".TP\n.B {}\n{} (\\fBslipway\\-{}\\fR(1))\n", verb.name, roff(verb.summary), verb.name);
  return text + exit_status_text() + environment_text() + see_also(verbs, "");
}

}  // namespace

int man_verb(const Arguments& arguments) {
  std::string name, directory;
  ReportStyle style;
  CommandLine line("slipway man", "Prints the manual page of the program or of a verb, or writes all of them.",
                   "slipway man run | man -l -");
  line.add_option("verb", name, "the verb; without it the page of the program");
  line.add_option("-o,--output", directory, "write all pages into this directory: slipway.1, slipway-run.1...");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  const std::vector<VerbDescription> verbs = describe_verbs();
  Diagnostics diagnostics;
  if (!directory.empty()) {
    const auto write_page = [&](const std::string& file, const std::string& text) {
      if (Result<> written = write_file(Path(directory) / file, text); !written)
        diagnostics.add(std::move(written.error()));
    };
    write_page("slipway.1", main_page(verbs));
    for (const VerbDescription& verb : verbs) write_page(formatted("slipway-{}.1", verb.name), page_of(verb, verbs));
    return report(diagnostics, style);
  }
  if (name.empty()) {
    print(main_page(verbs));
    return 0;
  }
  const auto verb = std::ranges::find(verbs, name, &VerbDescription::name);
  if (verb == verbs.end()) {
    std::vector<std::string_view> names;
    for (const VerbDescription& known : verbs) names.push_back(known.name);
    Diagnostic& problem = diagnostics.error(DiagnosticKind::Usage, {}, formatted("unknown verb `{}`", name));
    if (const auto near = closest(name, names)) problem.hint(formatted("did you mean `{}`?", *near));
    return report(diagnostics, style);
  }
  print(page_of(*verb, verbs));
  return 0;
}

}  // namespace slipway::cli
