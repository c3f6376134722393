// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/confine.hpp"

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <string_view>

#include "base/format.hpp"
#include "base/system/cache.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "cli/terminal.hpp"
#include "platform/library.hpp"
#include "platform/process.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kOutputOptions[] = {"-o",
                                               "--output",
                                               "--output-dir",
                                               "--report",
                                               "--sarif",
                                               "--trace",
                                               "--csv",
                                               "--profiling-dump-path",
                                               "--perf-counters-dump-path",
                                               "--session-memory-dump-dir",
                                               "--emulation-layer-profiling-dump-dir",
                                               "--neural-debug-database-dump-dir",
                                               "--neural-statistics-dump-dir",
                                               "--dump-on-failure",
                                               "--cache-path",
                                               "--save",
                                               "--pack",
                                               "--socket",
                                               "--failures",
                                               "--graph",
                                               "--html",
                                               "--layout",
                                               "--unpack",
                                               "--header",
                                               "--explain-partitions",
                                               "--results",
                                               "--resume",
                                               "--junit",
                                               "--expect"};

// Lists of files and directories that change which drivers and layers are loaded.
constexpr const char* kVariables[] = {
    "LD_LIBRARY_PATH",        "VK_DRIVER_FILES",        "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
    "VK_ADD_LAYER_PATH",      "VK_IMPLICIT_LAYER_PATH", "OCL_ICD_VENDORS",  "XILINX_XRT",          "SLIPWAY_CACHE_PATH",
    "SLIPWAY_DEVICE_PROFILE", "SLIPWAY_TUNING",         "SLIPWAY_IGA"};

// Of the directory of caches: for temporary files, which may not be in that of all users.
constexpr const char* kTemporary = "temporary";

bool confined = false;

// The directory of a file, or the directory itself.
Path directory_around(const Path& path) { return directory_exists(path) ? path : directory_of(path); }

Path existing_part(Path path) {
  while (!file_exists(path) && path.has_parent_path() && path.parent_path() != path) path = path.parent_path();
  return file_exists(path) ? path : Path(".");
}

class Rules {
 public:
  platform::FileRules make(const std::vector<std::string>& words, bool runs) {
    runs_ = runs;
    add_system();
    bool only_files = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (only_files || !word.starts_with('-') || word == "-") {
        add_input(word, 0);
        continue;
      }
      if (word == "--") {
        only_files = true;
        continue;
      }
      const std::size_t equals = word.find('=');
      const std::string name = word.substr(0, equals);
      // `validate` and other verbs only read expectations.
      const bool is_read = !runs && name == "--expect";
      if (is_read || !std::ranges::contains(kOutputOptions, name)) {
        if (equals != word.npos) add_input(word.substr(equals + 1), 0);
        continue;
      }
      if (equals != word.npos)
        add_output(word.substr(equals + 1));
      else if (i + 1 < words.size())
        add_output(words[++i]);
    }
    return std::move(rules_);
  }

 private:
  void add_system() {
    rules_ = platform::rules_of_system();
    for (const char* variable : kVariables) {
      const char* const list = std::getenv(variable);
      for (const auto part : std::views::split(std::string_view(list ? list : ""), ':')) {
        if (!part.empty()) rules_.read.push_back(directory_around(Path(std::string_view(part))));
      }
    }
    if (const char* home = std::getenv("HOME"); home && *home == '/') {
      for (const char* name : {".local/share/vulkan", ".config/vulkan"}) rules_.read.push_back(Path(home) / name);
    }
    const Path own = own_file(), prefix = own.parent_path().parent_path();
    if (!own.empty()) {
      rules_.read.push_back(own.parent_path());
      if (prefix != prefix.root_path()) rules_.read.insert(rules_.read.end(), {prefix / "lib", prefix / "share"});
    }
    // This program, and what the kernel or a bundle starts it with.
    rules_.execute.push_back(own);
    rules_.execute.emplace_back(platform::own_command().front());
    const platform::LoadedObjects objects = platform::loaded_objects();
    rules_.read.append_range(objects.directories);
    rules_.execute.append_range(objects.loaders);
    for (const char* part : {"objects", "pipelines", kTemporary}) {
      const Path cache = Cache::directory_of_user(part);
      if (!cache.empty() && make_private_directories(cache)) rules_.write.push_back(cache);
    }
  }

  // `word`: a file, a directory, NAME=FILE, or @LIST.
  void add_input(const std::string& word, int depth) {
    constexpr int kMaxDepth = 8;
    if (word.starts_with('@') && depth < kMaxDepth) return add_list(word.substr(1), depth);
    const std::size_t equals = word.find('=');
    const Path path = !file_exists(word) && equals != word.npos ? word.substr(equals + 1) : word;
    if (word == "-" || path.empty() || !file_exists(path)) return;
    (runs_ ? rules_.write : rules_.read).push_back(directory_around(path));
  }

  void add_list(const Path& file, int depth) {
    rules_.read.push_back(directory_of(file));
    const Result<std::string> text = read_text(file);
    if (!text) return;  // reported when the list is read
    for (const auto part : std::views::split(*text, '\n')) {
      std::string line(std::string_view(part.begin(), part.end()));
      constexpr std::string_view kSpace = " \t\r";
      line.erase(0, std::min(line.find_first_not_of(kSpace), line.size()));
      line.erase(line.find_last_not_of(kSpace) + 1);
      if (!line.empty() && !line.starts_with('#')) add_input(line, depth + 1);
    }
  }

  // Directories that do not exist are made later, in one that does; so are those in names such as `{case}`.
  void add_output(const std::string& value) {
    if (value == "-") return;
    const std::size_t equals = value.find('=');
    const Path path = equals == value.npos ? value : value.substr(equals + 1);
    std::error_code ignored;
    if (std::filesystem::is_other(path, ignored)) return rules_.devices.push_back(path);  // not all of /dev
    rules_.write.push_back(existing_part(directory_exists(path) ? path : directory_of(path)));
  }

  platform::FileRules rules_;
  bool runs_ = false;
};

// The arguments are not parsed yet. The last option wins.
bool requires_protections(const std::vector<std::string>& words) {
  const char* const variable = std::getenv("SLIPWAY_SANDBOX");
  std::string mode = variable ? variable : "";
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i] == "--sandbox" && i + 1 < words.size()) mode = words[i + 1];
    if (words[i].starts_with("--sandbox=")) mode = words[i].substr(std::string_view("--sandbox=").size());
  }
  return mode == "required";
}

}  // namespace

bool wants_confinement(const std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  return std::find(words.begin(), end, "--confine") != end;
}

platform::FileRules rules_for(const std::vector<std::string>& words, bool runs) { return Rules().make(words, runs); }

bool confine_process(const std::vector<std::string>& words, bool runs) {
  note_confined();
  const platform::FileRules rules = rules_for(words, runs);
  if (const Path place = Cache::directory_of_user(kTemporary); directory_exists(place))
    platform::set_environment("TMPDIR", place.string());
  std::vector<std::string> lacking;
  if (!platform::restrict_files(rules))
    lacking.emplace_back(
        "this kernel has no landlock: with --confine the program itself keeps to the directories of the files");
  if (!platform::forbid_network())
    lacking.emplace_back("this kernel has no filters of system calls: --confine does not forbid the network");
  const bool required = requires_protections(words);
  for (const std::string& what : lacking) print_error(formatted("{}: {}\n", required ? "error" : "warning", what));
  return lacking.empty() || !required;
}

bool is_confined() { return confined; }
void note_confined() { confined = true; }

std::vector<std::string> command_of_verb(std::string_view verb) {
  std::vector<std::string> command = platform::own_command();
  command.emplace_back(verb);
  if (is_confined()) command.emplace_back("--confine");
  return command;
}

std::span<const std::string_view> output_options() { return kOutputOptions; }

}  // namespace slipway::cli
