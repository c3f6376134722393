// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/tuning/tune.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "base/interrupt.hpp"
#include "launch/run.hpp"
#include "model/tuning/kernel_times.hpp"
#include "model/tuning/measure_rates.hpp"

namespace slipway::model {
namespace {

// A candidate must be better than the estimate by this factor; smaller differences are noise.
constexpr double kGain = 0.97;

// The times of one run of the model: milliseconds by site, and of all kernels. On a GPU they are the shortest of all
// iterations, because its clock rate falls while the host plans, and rises again only after tenths of a second; on the
// CPU the medians, because a thread that waits for its CPU sees some kernels only when others have computed them.
struct Measured {
  std::map<std::string, double, std::less<>> sites;
  double all = 0;
};

class Tuner {
 public:
  Tuner(const TuneOptions& options, Diagnostics& diagnostics)
      : options_(options), standalone_(options.standalone), diagnostics_(diagnostics) {
    standalone_.model.graphs.native = nullptr;
    standalone_.model.graphs.lower.list_sites = true;
    standalone_.output_directory.clear();
    standalone_.values = nullptr;
  }

  std::optional<Tuned> run() {
    const auto info = diagnostics_.take(options_.executor.info());
    if (!info) return std::nullopt;
    device_ = info->key;
    on_host_ = info->runs_graphs_on_host;
    // The first run only measures how long a run takes, and wakes the device.
    if (!measure({}, 1)) return std::nullopt;
    if (sites_.empty()) {
      diagnostics_.error(DiagnosticKind::Unsupported, SourceLocation::in_file(options_.standalone.file->vgf.name),
                         "no kernel of this model has anything to choose on this device: there is nothing to tune");
      return std::nullopt;
    }
    // The estimates that choose the candidates use what is measured here.
    if (!on_host_) {
      lower::DeviceFacts& facts = standalone_.model.graphs.lower.device;
      rates_ = measure_rates(options_.executor, facts, options_.cache);
      if (rates_) facts.rates = *rates_;
      sites_.clear();
      if (!measure({}, 1)) return std::nullopt;
    }
    // GPUs reach their full clock rate only under load.
    for (int i = 0; i < 2; ++i) {
      repeat_ = static_cast<std::uint32_t>(std::clamp(kRound / std::max(last_, 1e-3), 3.0, 2000.0));
      if (!measure({}, repeat_)) return std::nullopt;
    }
    std::size_t rounds = 0;
    for (const auto& [kernel, candidates] : sites_) rounds = std::max(rounds, candidates.size());
    std::size_t round = 0;
    for (; round < rounds && (round == 0 || !is_over()); ++round) {
      report(round, rounds);
      if (try_candidates(round)) continue;
      if (round == 0 || !is_interrupted()) return std::nullopt;
      break;
    }
    report(rounds, rounds);
    // The estimate is measured again, so that changes of the device over time do not count.
    if (!is_interrupted() && !try_candidates(0) && !is_interrupted()) return std::nullopt;
    return result(round);
  }

 private:
  static constexpr double kRound = 300;  // milliseconds of kernels in a round
  static constexpr int kTurns = 3;

  bool is_over() const {
    return is_interrupted() || (options_.limit && std::chrono::steady_clock::now() - start_ >= *options_.limit);
  }

  void report(std::size_t round, std::size_t rounds) const {
    if (options_.progress) options_.progress(round, rounds);
  }

  bool try_candidates(std::size_t round) {
    lower::Tuning tuning;
    for (const auto& [kernel, candidates] : sites_) tuning[kernel] = candidates[round < candidates.size() ? round : 0];
    const auto measured = measure(std::move(tuning), repeat_);
    if (!measured) return false;
    for (const auto& [kernel, time] : measured->sites) {
      const std::size_t candidate = round < sites_[kernel].size() ? round : 0;
      auto& best = times_[kernel];
      best.resize(sites_[kernel].size(), 0);
      if (best[candidate] == 0 || time < best[candidate]) best[candidate] = time;
    }
    return true;
  }

  std::optional<Measured> measure(lower::Tuning tuning, std::uint32_t repeat) {
    standalone_.model.graphs.lower.device.tuning = std::move(tuning);
    const auto alone = plan_standalone(standalone_, diagnostics_);
    if (!alone || is_interrupted()) return std::nullopt;
    const launch::RunOptions how{.repeat = repeat,
                                 .timestamps = true,
                                 .prove_outputs = false,
                                 .cache = options_.cache,
                                 .pipelines = &pipelines_};
    const auto report = diagnostics_.take(launch::run(alone->plan, options_.executor, how, {}));
    if (!report || report->is_interrupted) return std::nullopt;
    Measured measured;
    for (const KernelTime& time : kernel_times(*alone, report->profile)) {
      const double milliseconds = on_host_ ? time.milliseconds : time.shortest;
      measured.all += milliseconds;
      const SegmentSteps& segment = alone->segments[time.segment];
      if (!segment.program || time.step >= segment.program->dispatches.size()) continue;
      const std::vector<std::uint32_t>& nodes = segment.program->dispatches[time.step].nodes;
      for (const lower::TuningSite& site : segment.program->sites) {
        if (!std::ranges::contains(nodes, site.node)) continue;
        measured.sites[site.what] += milliseconds;
        if (!sites_.contains(site.what)) sites_[site.what] = site.candidates;
      }
    }
    last_ = measured.all;
    return measured;
  }

  std::optional<Tuned> result(std::size_t rounds) {
    Tuned tuned{.device = device_, .rounds = rounds, .rates = rates_};
    for (const auto& [kernel, candidates] : sites_) {
      const auto times = std::span(times_[kernel]).first(std::min(rounds, candidates.size()));
      const auto quickest = static_cast<std::size_t>(std::ranges::min_element(times) - times.begin());
      const std::size_t best = times[quickest] < kGain * times[0] ? quickest : 0;
      tuned.tuning[kernel] = best != 0 ? candidates[best] : lower::Parameters();
      tuned.before += times[0];  // until both are measured again
      tuned.after += times[best];
      tuned.sites.push_back({kernel, candidates[0], candidates[best], times[0], times[best], times.size()});
    }
    std::ranges::stable_sort(tuned.sites, std::greater(), &TunedSite::estimated_time);
    if (!compare(tuned) && !is_interrupted()) return std::nullopt;
    return tuned;
  }

  // The clocks of a device change over time; therefore both are measured in turn.
  bool compare(Tuned& tuned) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto before = measure({}, repeat_);
      const auto after = before ? measure(tuned.tuning, repeat_) : std::nullopt;
      if (!after) return false;
      tuned.before = turn == 0 ? before->all : std::min(tuned.before, before->all);
      tuned.after = turn == 0 ? after->all : std::min(tuned.after, after->all);
    }
    return true;
  }

  const TuneOptions& options_;
  StandaloneOptions standalone_;
  Diagnostics& diagnostics_;
  launch::DeviceKey device_;
  bool on_host_ = false;
  launch::SharedPipelines pipelines_;
  std::map<std::string, std::vector<lower::Parameters>, std::less<>> sites_;
  std::map<std::string, std::vector<double>, std::less<>> times_;  // by candidate; 0: not measured
  std::optional<lower::Rates> rates_;
  std::uint32_t repeat_ = 1;
  double last_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<Tuned> tune(const TuneOptions& options, Diagnostics& diagnostics) {
  return Tuner(options, diagnostics).run();
}

}  // namespace slipway::model
