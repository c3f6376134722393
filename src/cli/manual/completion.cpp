// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway completion`: completions of bash, zsh and fish, from the command lines of the verbs.
#include <algorithm>
#include <array>
#include <map>

#include "base/format.hpp"
#include "cli/program.hpp"

namespace slipway::cli {
namespace {

// The options of a verb, those of all formats together, by their first name.
std::vector<OptionDescription> options_of(const VerbDescription& verb) {
  std::vector<OptionDescription> options;
  for (const LineDescription& line : verb.lines) {
    for (const OptionDescription& option : line.options) {
      if (option.names.empty()) continue;
      const auto known = std::ranges::find(options, option.names, &OptionDescription::names);
      if (known == options.end()) {
        options.push_back(option);
        continue;
      }
      for (const std::string& choice : option.choices) {
        if (!std::ranges::contains(known->choices, choice)) known->choices.push_back(choice);
      }
    }
  }
  return options;
}

// The values of a positional argument that takes one of several words: the formats of `schema`.
std::vector<std::string> words_of(const VerbDescription& verb) {
  for (const LineDescription& line : verb.lines) {
    for (const OptionDescription& option : line.options) {
      if (option.names.empty() && !option.choices.empty()) return option.choices;
    }
  }
  return {};
}

std::string joined(const std::vector<std::string>& words, std::string_view between = " ") {
  std::string text;
  for (const std::string& word : words) text += formatted("{}{}", text.empty() ? "" : between, word);
  return text;
}

bool takes_value(const OptionDescription& option) { return !option.value.empty() && !option.needs_equals; }

std::string verb_names(const std::vector<VerbDescription>& verbs) {
  std::string text;
  for (const VerbDescription& verb : verbs) text += formatted("{}{}", text.empty() ? "" : " ", verb.name);
  return text;
}

// --- bash ------------------------------------------------------------------------------------------------------------

std::string bash_case(const VerbDescription& verb) {
  std::string names, choices, with_value;
  for (const OptionDescription& option : options_of(verb)) {
    for (const std::string& name : option.names) {
      names += (names.empty() ? "" : " ") + name;
      if (option.needs_equals && name.starts_with("--")) names += " " + name + "=";
    }
    if (!option.choices.empty())
      choices += formatted("        {}) choices=\"{}\" ;;\n", joined(option.names, "|"), joined(option.choices));
    else if (takes_value(option))
      with_value += formatted("{}{}", with_value.empty() ? "" : "|", joined(option.names, "|"));
  }
  if (!with_value.empty()) choices += formatted("        {}) return ;;\n", with_value);
  std::string text = formatted("    {})\n      options=\"{}\"\n", verb.name, names);
  if (const auto words = words_of(verb); !words.empty()) text += formatted("      words=\"{}\"\n", joined(words));
  if (!choices.empty()) text += "      case \"$previous\" in\n" + choices + "      esac\n";
  return text + "      ;;\n";
}

// An empty reply makes bash complete names of files.
std::string bash(const std::vector<VerbDescription>& verbs) {
  std::string text = formatted(
      "# bash completion of slipway; `slipway completion bash` prints it\n"
      "_slipway() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local options=\"\" choices=\"\" words=\"\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$current\" = \"=\" ]; then current=\"\"; fi\n"
      "  if [ \"$previous\" = \"=\" ]; then previous=\"${{COMP_WORDS[COMP_CWORD-2]}}\"; fi\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n",
      verb_names(verbs));
  for (const VerbDescription& verb : verbs) text += bash_case(verb);
  return text +
         "  esac\n"
         "  if [ -n \"$choices\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n"
         "  elif [ \"${current#-}\" != \"$current\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$current\"))\n"
         "  elif [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -o default -F _slipway slipway\n";
}

// --- zsh -------------------------------------------------------------------------------------------------------------

// For an option of _arguments, in single quotes.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'') {
      escaped += "'\\''";
      continue;
    }
    if (std::string_view("[]:\\").contains(c)) escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string zsh_option(const OptionDescription& option) {
  const std::string names =
      option.names.size() == 1 ? option.names.front() : formatted("'{{{}}}'", joined(option.names, ","));
  const std::string meaning = zsh_text(option.meaning);
  std::string value;
  if (!option.value.empty()) {
    const std::string action = option.choices.empty() ? "_files" : formatted("({})", joined(option.choices));
    value = formatted(":{}:{}", option.needs_equals ? "" : " ", action);
    if (option.needs_equals) value = formatted("::{}:{}", zsh_text(option.value), action);
  }
  return formatted("        '*{}{}[{}]{}' \\\n", names, option.needs_equals ? "=-" : "", meaning, value);
}

std::string zsh(const std::vector<VerbDescription>& verbs) {
  std::string text =
      "#compdef slipway\n"
      "# zsh completion of slipway; `slipway completion zsh` prints it\n"
      "_slipway() {\n"
      "  local -a verbs\n"
      "  verbs=(\n";
  for (const VerbDescription& verb : verbs) text += formatted("    '{}:{}'\n", verb.name, zsh_text(verb.summary));
  text +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe verb verbs\n"
      "    return\n"
      "  fi\n"
      "  local verb=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $verb in\n";
  for (const VerbDescription& verb : verbs) {
    text += formatted("    {})\n      _arguments \\\n", verb.name);
    for (const OptionDescription& option : options_of(verb)) text += zsh_option(option);
    const std::vector<std::string> words = words_of(verb);
    text += words.empty() ? "        '*:file:_files'\n" : formatted("        '1: :({})'\n", joined(words));
    text += "      ;;\n";
  }
  return text + "  esac\n}\n_slipway \"$@\"\n";
}

// --- fish ------------------------------------------------------------------------------------------------------------

std::string fish_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\'' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string fish(const std::vector<VerbDescription>& verbs) {
  std::string text = "# fish completion of slipway; `slipway completion fish` prints it\n";
  for (const VerbDescription& verb : verbs) {
    text += formatted("complete -c slipway -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name,
                      fish_text(verb.summary));
  }
  for (const VerbDescription& verb : verbs) {
    const std::string when = formatted("complete -c slipway -n '__fish_seen_subcommand_from {}'", verb.name);
    for (const OptionDescription& option : options_of(verb)) {
      text += when;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.choices.empty())
        text += formatted(" -x -a '{}'", joined(option.choices));
      else if (takes_value(option))
        text += " -r";
      text += formatted(" -d '{}'\n", fish_text(option.meaning));
    }
    if (const auto words = words_of(verb); !words.empty()) text += formatted("{} -f -a '{}'\n", when, joined(words));
  }
  return text;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const std::vector<VerbDescription>& verbs);
};
constexpr std::array kShells = {Shell{"bash", bash}, Shell{"zsh", zsh}, Shell{"fish", fish}};

}  // namespace

int completion_verb(const Arguments& arguments) {
  std::string name;
  CommandLine line("slipway completion",
                   "Prints completions of verbs and options for a shell. An installation has them in the directories "
                   "where shells look; elsewhere the shell reads what this verb prints.",
                   "source <(slipway completion bash)");
  line.add_option("shell", name, "bash, zsh or fish").required().choices({"bash", "zsh", "fish"});
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  print(std::ranges::find(kShells, name, &Shell::name)->script(describe_verbs()));
  return 0;
}

}  // namespace slipway::cli
