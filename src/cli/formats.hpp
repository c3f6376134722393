// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats of input files, and what each verb does with each.
//
// Several verbs take files of many formats, and each format has its own function and options for such a verb:
//
//   slipway check --strict scene.json      -> check_scenario({"--strict", "scene.json"})
//
// The options of a format decide which arguments are input files. The contents decide the format; of text
// without a magic number the suffix, too. So the function of each format parses the arguments as a probe, until one
// accepts them all and the files have its format. Without such a format, the closest one reports the errors.
//
// A new format is a function that detects it and an entry of the table in formats.cpp.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "cli/run/job.hpp"

namespace slipway::cli {

using VerbFunction = int (*)(const Arguments& arguments);

struct Format {
  std::string_view name;
  std::string_view summary;
  bool (*detect)(const Content& content);
  // If `run` does not apply: what to do instead, where `FILE` is the file.
  std::string_view instead_of_run = {};
  // Of files that only this format has, separated by spaces: a file with one of them is damaged if its contents are of
  // no format. Empty for names that others use, too.
  std::string_view suffixes = {};
  // The keys that make a JSON object one of this format: a file with all of them, some misspelled, is damaged.
  std::array<std::string_view, 2> keys = {};
  // Null if the verb does not apply to this format.
  VerbFunction run = nullptr;
  VerbFunction check = nullptr;
  VerbFunction inspect = nullptr;
  VerbFunction diff = nullptr;
  VerbFunction convert = nullptr;
  // For runs of many files; null if files of this format run one at a time.
  std::unique_ptr<JobSource> (*jobs)() = nullptr;
};

// In the order of detection. If no file is given, the options are those of the first format that has the verb.
std::span<const Format> formats();

// Returns the first format that is detected, or null.
const Format* format_of(const Content& content);

// The format that the suffix or the nearly right keys of a file promise, although its contents are of no format; or
// null.
const Format* promised_format(const Content& content);

struct FileBelow {
  std::string path;
  const Format* format;  // null for a damaged file, which only promises a format
};

// The files in a directory and below it, by path, whose format is one that `takes` accepts, and damaged ones of these
// formats. Other files are left out; a file that is called JSON and is not JSON gets a warning.
std::vector<FileBelow> files_of_formats(const std::string& directory,
                                        const std::function<bool(const Format& format)>& takes,
                                        Diagnostics& diagnostics);

// The format of a file of a run of many files, which has `jobs`; the failure explains why the file cannot be one.
Result<const Format*> runnable_format(const std::string& file);

struct DispatchedVerb {
  std::string_view name;
  std::string_view summary;
  VerbFunction Format::* function;
};

// The command lines of a verb, one for each function, with the formats that it is for.
std::vector<LineDescription> describe(const DispatchedVerb& verb);

// The error of a verb for programs of another format: the file is one of a known format, and `takes` are what the verb
// takes. Names what the file is, and what to type.
std::optional<Diagnostic> other_format(const std::string& file, std::string_view verb, std::string_view takes);

// The error of a command line of `slipway run` with a recipe and a profile that is not the value of --profile.
std::optional<Diagnostic> misplaced_profile(const std::vector<std::string>& words);

// Returns the exit status.
int dispatch(const DispatchedVerb& verb, const Arguments& arguments);

}  // namespace slipway::cli
