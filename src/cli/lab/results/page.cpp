// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page is a frame, a style and a script (page_parts.cpp), and the results as JSON, which the script shows. Texts of
// results are only ever set as text, never as markup.
#include "cli/lab/results/page.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/format.hpp"
#include "cli/lab/bench.hpp"
#include "cli/lab/results/changes.hpp"
#include "cli/lab/results/page_parts.hpp"
#include "cli/lab/results/summary.hpp"
#include "generated_version.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"

namespace slipway::cli {
namespace {

constexpr std::size_t kMaxPageText = 8 * 1024;  // of what a case printed
constexpr std::size_t kMaxPageTimes = 60;       // host stages and commands of a case, the longest
constexpr std::size_t kMaxPageViews = 3 << 20;  // characters of pictures of differences, of all cases

// Each name once; cases refer to names by index.
class Names {
 public:
  std::size_t index(const std::string& name) {
    const auto [at, is_new] = known_.try_emplace(name, all_.size());
    if (is_new) all_.push_back(name);
    return at->second;
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::map<std::string, std::size_t, std::less<>> known_;
  std::vector<std::string> all_;
};

// A duration of a case: microseconds, and how many commands it is the sum of.
struct NamedTime {
  std::size_t name = 0;
  double microseconds = 0;
  std::size_t count = 0;
};

// The sums of times with equal names, the longest first.
std::vector<NamedTime> times_in(json::Value list, Names& names) {
  std::map<std::size_t, NamedTime> sums;
  for (const json::Value one : list) {
    const std::size_t name = names.index(text_in(one["name"]));
    NamedTime& sum = sums.try_emplace(name, NamedTime{name}).first->second;
    sum.microseconds += number_in(one["value"]);
    ++sum.count;
  }
  std::vector<NamedTime> sorted;
  for (const auto& [name, sum] : sums) sorted.push_back(sum);
  std::ranges::stable_sort(sorted, std::greater(), &NamedTime::microseconds);
  if (sorted.size() > kMaxPageTimes) sorted.resize(kMaxPageTimes);
  return sorted;
}

void write_times(json::Writer& out, std::span<const NamedTime> times) {
  out.array([&] {
    for (const NamedTime& time : times)
      out.array([&] { out.value(time.name).value(std::round(time.microseconds * 10) / 10).value(time.count); });
  });
}

std::string location_text(json::Value diagnostic) {
  std::string text = text_in(diagnostic["file"]);
  if (const json::Value start = diagnostic["span"]["start"])
    text += formatted(":{}:{}", number_in(start["line"]), number_in(start["column"]));
  return text;
}

class PageData {
 public:
  PageData(const LabResults& results, const LabResults* baseline) : results_(results), baseline_(baseline) {}

  std::string text() {
    json::Writer out(json::kCompact);
    out.object([&] {
      out.member("version", kVersion);
      out.key("runs").array([&] {
        for (const RunInfo& run : results_.runs) write_run(out, run);
      });
      out.key("cases").array([&] {
        for (const CaseResult& result : results_.cases) write_case(out, result);
      });
      if (baseline_) write_changes(out);
      out.key("devices").array([&] {
        for (const std::string& name : devices_.all()) out.value(name);
      });
      out.key("names").array([&] {
        for (const std::string& name : names_.all()) out.value(name);
      });
    });
    return out.text();
  }

 private:
  static void write_run(json::Writer& out, const RunInfo& run) {
    out.object([&] {
      std::string command;
      for (const std::string& word : run.command) command += (command.empty() ? "" : " ") + word;
      out.member("id", run.id).member("slipway", run.version).member("started", run.started);
      out.member("host", run.host).member("directory", run.directory).member("command", command);
      if (run.shard) out.member("shard", *run.shard);
    });
  }

  void write_case(json::Writer& out, const CaseResult& result) {
    const auto run = std::ranges::find(results_.runs, result.run, &RunInfo::id);
    out.object([&] {
      out.member("file", result.key()).member("format", result.format).member("verdict", name_of(result.verdict));
      out.member("ok", result.is_ok).member("seconds", result.seconds).member("at", result.at);
      out.member("worker", result.worker).member("run", run - results_.runs.begin());
      out.member("device",
                 devices_.index(result.device.name.empty() ? "" : result.device.name + "\n" + result.device.driver));
      if (result.attempts > 1) out.member("attempts", result.attempts);
      if (result.expected) out.member("expected", *result.expected);
      if (result.reason) out.member("reason", *result.reason);
      if (!result.text.empty()) out.member("text", std::string_view(result.text).substr(0, kMaxPageText));
      write_samples(out, result.key());
      if (result.state) out.member("state", device_state_text(*result.state));
      write_details(out, result);
    });
  }

  // Seconds; the spread in percent.
  void write_samples(json::Writer& out, const std::string& key) const {
    const auto first = results_.samples.lower_bound({key, ""});
    if (first == results_.samples.end() || first->first.first != key) return;
    out.key("samples").array([&] {
      for (auto at = first; at != results_.samples.end() && at->first.first == key; ++at) {
        const SampleStatistics all = statistics_of(at->second);
        out.array([&] {
          out.value(at->first.second).value(all.summary.count).value(all.median).value(all.summary.p95);
          out.value(all.summary.p99).value(all.summary.min).value(all.summary.max).value(all.spread());
        });
      }
    });
  }

  void write_details(json::Writer& out, const CaseResult& result) {
    const auto document = json::parse(make_source("files", result.files));
    if (!document) return;
    const json::Value files = (*document)->root();
    out.key("errors").array([&] {
      for (const json::Value file : files) {
        for (const json::Value diagnostic : file["diagnostics"]) write_error(out, diagnostic);
      }
    });
    out.key("expectations").array([&] {
      for (const json::Value file : files) {
        for (const json::Value one : file["expectations"]) write_expectation(out, one);
      }
    });
    std::vector<NamedTime> host, gpu;
    for (const json::Value file : files) {
      host.append_range(times_in(file["timings"]["host"], names_));
      gpu.append_range(times_in(file["timings"]["gpu"], names_));
    }
    write_times(out.key("host"), host);
    write_times(out.key("gpu"), gpu);
    if (result.format == "recipe" || result.format == "jobs") write_recipes(out, files);
  }

  // What recipes add to their reports: executions of the profile, runs, comparisons, resources.
  static void write_recipes(json::Writer& out, json::Value files) {
    out.key("recipes").array([&] {
      for (const json::Value file : files) {
        out.object([&] {
          for (const char* key : {"job", "executions", "execution", "runs", "validation", "resources", "backends"}) {
            if (const json::Value part = file[key]) out.key(key).raw(part.text());
          }
        });
      }
    });
  }

  static void write_error(json::Writer& out, json::Value diagnostic) {
    if (text_in(diagnostic["severity"]) == "note") return;
    out.array([&] {
      out.value(text_in(diagnostic["severity"])).value(text_in(diagnostic["kind"]));
      out.value(text_in(diagnostic["message"])).value(location_text(diagnostic));
    });
  }

  void write_expectation(json::Writer& out, json::Value one) {
    out.array([&] {
      const json::Value passed = one["passed"];
      out.value(text_in(one["uid"])).value(passed.is(json::Type::Bool) && passed.boolean());
      for (const char* key : {"count", "mismatches", "max_abs", "max_rel", "max_ulp"})
        out.raw(one[key].is(json::Type::Number) ? one[key].number_text() : "null");
      write_view(out, one["view"]);
    });
  }

  // The pictures of a difference, in cells; nothing once the page has many.
  void write_view(json::Writer& out, json::Value view) {
    if (!view.is(json::Type::Object)) return;
    const std::string pictures[] = {text_in(view["expected"]), text_in(view["actual"]), text_in(view["difference"])};
    std::size_t size = 0;
    for (const std::string& picture : pictures) size += picture.size();
    if (views_ + size > kMaxPageViews) return;
    views_ += size;
    out.object([&] {
      for (const char* key : {"width", "height", "columns", "rows", "channels", "low", "high"})
        out.member(key, number_in(view[key]));
      out.key("pictures").array([&] {
        for (const std::string& picture : pictures) out.value(picture);
      });
      out.key("decades").array([&] {
        for (const json::Value decade : view["decades"])
          out.array([&] { out.value(number_in(decade["exponent"])).value(number_in(decade["count"])); });
      });
      out.key("worst").array([&] {
        for (const json::Value worst : view["worst"]) {
          std::string index;
          for (const json::Value at : worst["index"])
            index += formatted("{}{}", index.empty() ? "" : ", ", number_in(at));
          out.array([&] {
            out.value("[" + index + "]").value(text_in(worst["got"])).value(text_in(worst["expected"]));
            out.raw(worst["difference"].is(json::Type::Number) ? worst["difference"].number_text() : "null");
          });
        }
      });
    });
  }

  void write_changes(json::Writer& out) {
    out.key("baseline").object([&] {
      out.member("started", baseline_->runs.empty() ? "" : baseline_->runs.back().started);
      out.member("cases", baseline_->cases.size());
      out.key("changes").array([&] {
        for (const CaseChange& change : changes_of(results_, *baseline_)) {
          out.array(
              [&] { out.value(name_of(change.change)).value(change.key).value(change.before).value(change.now); });
        }
      });
    });
  }

  const LabResults& results_;
  const LabResults* baseline_;
  Names devices_, names_;
  std::size_t views_ = 0;  // characters of pictures so far
};

}  // namespace

std::string write_results_page(const LabResults& results, const LabResults* baseline) {
  // Texts of results may end inside of a character.
  return write_page({.title = "Slipway results",
                     .style = {},
                     .body = page_body(),
                     .data = PageData(results, baseline).text(),
                     .script = page_script()});
}

}  // namespace slipway::cli
