// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command lines: the options of a verb and what they set.
//
//   CommandLine line("slipway devices", "Lists the Vulkan devices.", "slipway devices --json");
//   line.add_flag("--all", all, "everything about all devices");
//   line.add_option("--backend", backend, "opencl or xrt").choices({"opencl", "xrt"}).excludes("--all");
//   if (const std::optional<int> status = line.parse(arguments)) return *status;
//
// CLI11, which implements this interface, is included by command_line.cpp alone, because its header costs more to
// compile than most files of this directory. Variables must live until `parse` returns. An option that is given several
// times takes the last value unless it is repeatable.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace slipway::cli {

// The result of parsing without acting, from which the program detects the format of the input files.
struct Probe {
  std::vector<std::string> files;  // positional arguments
  std::size_t unknown = 0;         // count of arguments that this command line does not accept
  bool valid = false;              // the command line accepts all arguments and their values
  bool json = false;               // --json is given
  std::string sarif;               // the value of --sarif
};

// What a command line accepts, for completions and man pages.
struct OptionDescription {
  std::vector<std::string> names;  // `-o`, `--output`; without one the option is a positional argument
  std::string meaning;
  std::string value;                 // of the value in the help, such as `WHEN`; empty for a flag
  std::vector<std::string> choices;  // if the value is one of them
  bool needs_equals = false;         // the value is optional: `--header=PATH`
};
struct LineDescription {
  std::string name, what, example;
  std::vector<OptionDescription> options;
  std::vector<std::string> formats;  // of the files, if the verb has other options for other formats
};

// The arguments after the verb.
struct Arguments {
  std::vector<std::string> words;
  Probe* probe = nullptr;                  // if not null, `CommandLine::parse` only fills it and ends the verb
  LineDescription* description = nullptr;  // likewise
  std::string format = {};                 // whose options these are, if a verb has several sets of options
};

// The types that an option can set; command_line.cpp instantiates the members for each.
template <class T>
concept OptionValue =
    std::same_as<T, std::string> || std::same_as<T, std::filesystem::path> ||
    std::same_as<T, std::vector<std::string>> || std::same_as<T, int> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> || std::same_as<T, std::optional<std::uint32_t>> ||
    std::same_as<T, std::optional<std::uint64_t>> || std::same_as<T, std::optional<double>>;

// An option or a positional argument. A handle: it lives as long as its command line.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required();
  Option choices(std::vector<std::string> values);
  Option range(int low, int high);                      // both included
  Option range(std::uint64_t low, std::uint64_t high);  // both included
  Option positive();
  Option not_negative();
  Option not_empty();               // a name
  Option values(int count);         // at each use
  Option values(int min, int max);  // at each use; max -1: any count. With min 0 the value may be missing.
  Option take_all();                // the values of all uses are kept, not only those of the last
  Option repeatable();              // one value at each use, and all of them are kept
  Option excludes(const std::string& name);
  Option needs(Option other);

 private:
  CLI::Option* option_;
};

// Where options are declared: a command line, or a part of one.
class OptionGroup {
 public:
  explicit OptionGroup(CLI::App* app) : app_(app) {}

  template <OptionValue T>
  Option add_option(const std::string& name, T& value, const std::string& meaning);
  Option add_option(const std::string& name, std::function<void(const std::string&)> set, const std::string& meaning);
  Option add_flag(const std::string& name, bool& value, const std::string& meaning);
  Option add_flag(const std::string& name, std::function<void()> set, const std::string& meaning);
  // A flag with an optional value, which needs `=`: `--header`, `--header=PATH`. Without a value it is `bare`. `form`
  // names the value in the help.
  Option add_flag(const std::string& name, std::optional<std::string>& value, const std::string& form,
                  const std::string& meaning, const std::string& bare = "");
  void require_one_at_most();
  bool has_option(const std::string& name) const;

 protected:
  CLI::App* app_;
};

class CommandLine : public OptionGroup {
 public:
  CommandLine(const std::string& name, const std::string& what, const std::string& example);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  // Returns an exit status if the verb has to end: 0 after help, version or a probe, 2 after a usage error, which is
  // reported with the nearest option that exists.
  std::optional<int> parse(const Arguments& arguments);

  // --json, --strict, --max-errors, --sarif. The style lives until the arguments are parsed.
  void add_report_options(ReportStyle& style);

  // A part with its own heading in the help.
  OptionGroup add_group(const std::string& name, const std::string& meaning);

  // What --version prints, instead of the program's own.
  void set_version(const std::string& text);

 private:
  // Whether it has the options of the tool that the name replaces.
  bool is_drop_in() const { return !name_.starts_with("slipway"); }
  void fill(Probe& probe, const std::vector<std::string>& words);
  void describe(LineDescription& description) const;
  void set_level() const;

  std::string name_, what_, example_;
  bool quiet_ = false, verbose_ = false, confine_ = false;
  const ReportStyle* style_ = nullptr;
  std::unique_ptr<CLI::App> owned_;
};

}  // namespace slipway::cli
