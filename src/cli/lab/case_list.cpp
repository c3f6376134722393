// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/lab/case_list.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/utf8.hpp"
#include "cli/formats.hpp"

namespace slipway::cli {
namespace {

constexpr int kMaxListDepth = 16;  // lists that name lists

class CaseLister {
 public:
  explicit CaseLister(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(const std::string& argument, int depth) {
    if (argument.starts_with('@'))
      add_list(argument.substr(1), depth);
    else if (directory_exists(argument))
      add_directory(argument);
    else
      add_file({.file = argument});
  }

  std::vector<LabCase> take() { return std::move(cases_); }

 private:
  void add_file(LabCase one) {
    protect_input(one.file);
    // A file may be called `a.json #2`, as the second `a.json` is; and results are UTF-8.
    do {
      one.copy = ++copies_[one.file];
    } while (!keys_.insert(valid_utf8(key_of(one))).second);
    cases_.push_back(std::move(one));
  }

  void add_directory(const std::string& directory) {
    const std::size_t before = cases_.size();
    const auto takes = [](const Format& format) { return format.jobs != nullptr; };
    for (FileBelow& one : files_of_formats(directory, takes, diagnostics_))
      add_file({.file = std::move(one.path), .format = one.format ? std::string(one.format->name) : ""});
    if (cases_.size() == before)
      diagnostics_.error(DiagnosticKind::FileNotFound, SourceLocation::in_file(directory),
                         "no file in this directory or below it can be run");
  }

  void add_list(const std::string& path, int depth) {
    if (depth == kMaxListDepth) {
      diagnostics_.error(DiagnosticKind::NestingTooDeep, SourceLocation::in_file(path),
                         formatted("lists name each other more than {} deep", kMaxListDepth));
      return;
    }
    const auto source = diagnostics_.take(read_source(path));
    if (!source) return;
    protect_input(path);
    for (std::string_view rest = (*source)->text(); !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      constexpr std::string_view kSpace = " \t\r";
      line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
      line.remove_suffix(line.size() - (line.find_last_not_of(kSpace) + 1));
      if (!line.empty() && !line.starts_with('#')) add(std::string(line), depth + 1);
    }
  }

  Diagnostics& diagnostics_;
  std::vector<LabCase> cases_;
  std::map<std::string, std::uint32_t> copies_;
  std::set<std::string> keys_;
};

// The shard of each case: the longest cases first, each to the shard with the smallest sum.
std::vector<std::uint32_t> balanced(const std::vector<double>& seconds, std::uint32_t count) {
  std::vector<std::size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return seconds[i]; });
  std::vector<double> sums(count);
  std::vector<std::uint32_t> shards(seconds.size());
  for (const std::size_t i : order) {
    const auto smallest = std::ranges::min_element(sums);
    *smallest += seconds[i];
    shards[i] = static_cast<std::uint32_t>(smallest - sums.begin());
  }
  return shards;
}

}  // namespace

std::vector<LabCase> list_cases(const std::vector<std::string>& arguments, Diagnostics& diagnostics) {
  CaseLister lister(diagnostics);
  for (const std::string& argument : arguments) lister.add(argument, 0);
  return lister.take();
}

void detect_format(LabCase& lab_case) {
  if (!lab_case.format.empty()) return;
  const Result<const Format*> format = runnable_format(lab_case.file);
  if (format)
    lab_case.format = (*format)->name;
  else
    lab_case.why_not_run = format.error().front();
}

std::optional<Shard> shard_from_text(std::string_view text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto [slash, index_error] = std::from_chars(text.data(), end, shard.index);
  if (index_error != std::errc() || slash == end || *slash != '/') return std::nullopt;
  const auto [last, count_error] = std::from_chars(slash + 1, end, shard.count);
  if (count_error != std::errc() || last != end || shard.index < 1 || shard.index > shard.count) return std::nullopt;
  return shard;
}

std::vector<LabCase> cases_of_shard(std::vector<LabCase> cases, const Shard& shard, std::span<const CaseResult> times) {
  std::vector<std::uint32_t> shards(cases.size());
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i] = static_cast<std::uint32_t>(i % shard.count);
  if (!times.empty()) {
    std::map<std::string, double, std::less<>> known;
    std::vector<double> sorted;
    for (const CaseResult& result : times) {
      known[result.key()] = result.seconds;
      sorted.push_back(result.seconds);
    }
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    std::vector<double> seconds;
    for (const LabCase& one : cases) {
      const auto at = known.find(key_of(one));
      seconds.push_back(at == known.end() ? sorted[sorted.size() / 2] : at->second);
    }
    shards = balanced(seconds, shard.count);
  }
  std::vector<LabCase> chosen;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (shards[i] + 1 == shard.index) chosen.push_back(std::move(cases[i]));
  }
  return chosen;
}

std::string key_of(const LabCase& lab_case) { return CaseResult{.file = lab_case.file, .copy = lab_case.copy}.key(); }

}  // namespace slipway::cli
