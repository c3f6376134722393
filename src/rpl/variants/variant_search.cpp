// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/variants/variant_search.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/interrupt.hpp"
#include "base/print_diagnostic.hpp"

namespace slipway::rpl {
namespace {

// From this many nodes on a further thread is worth its start: a node takes about ten microseconds, as starting does.
constexpr std::size_t kNodesWorthThreads = 64;

std::uint64_t combined(std::initializer_list<std::uint64_t> values) {
  Consulted mixer;
  for (const std::uint64_t value : values) mixer.mix(value);
  return mixer.hash;
}

// The identity of a problem.
using Signature = std::tuple<DiagnosticKind, std::string, std::uint64_t, std::string>;
Signature signature_of(const Diagnostic& diagnostic) {
  return {diagnostic.kind, diagnostic.location.file, diagnostic.location.span.begin, diagnostic.message};
}

class Searcher {
 public:
  Searcher(const Program& program, const VariantOptions& settings) : program_(program), settings_(settings) {}

  Search run() {
    if (count_assignments(settings_) > static_cast<double>(settings_.max_variants) && are_too_many()) {
      search_.too_many = true;
      return std::move(search_);
    }
    if (settings_.listed) {
      nodes_ = *settings_.listed;
      branching_ = false;
    } else {
      nodes_.push_back(settings_.fixed);
    }
    std::vector<std::jthread> others;
    work([&] {  // called while nodes are waiting
      if (others.size() + 1 < settings_.jobs && nodes_.size() >= kNodesWorthThreads) {
        others.emplace_back([this] { work([] {}); });
      }
    });
    others.clear();
    if (search_.too_many) count_factors();
    sort();
    return std::move(search_);
  }

 private:
  template <class F>
  void work(F&& when_busy) {
    Resolver resolver;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !nodes_.empty() || working_ == 0 || search_.too_many; });
      if (search_.too_many || nodes_.empty() || is_interrupted()) break;
      when_busy();
      Assignment node = std::move(nodes_.back());
      nodes_.pop_back();
      ++working_;
      lock.unlock();
      visit(resolver, std::move(node), lock);
      --working_;
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  // Resolves a node and queues its siblings. Returns with the lock held.
  void visit(Resolver& resolver, Assignment node, std::unique_lock<std::mutex>& lock) {
    Diagnostics diagnostics;
    const Resolved* resolved =
        resolver.resolve(program_, node, settings_.compile.entry_points, settings_.compile.resolve, diagnostics);
    std::vector<Assignment> siblings;
    if (branching_) {
      // This variant has the default values, so only the other values of each option that it read need a visit.
      for (const OptionId option : resolver.read_order()) {
        if (node.has(option)) continue;
        const Value initial = program_.options[option].initial;
        if (option < settings_.domains.size() && !settings_.domains[option].empty()) {
          for (const Value& value : settings_.domains[option]) {
            if (value == initial) continue;
            siblings.push_back(node);
            siblings.back().set(option, value);
          }
          // A domain of --values may lack the default; then this visit does not represent any assignment.
          if (!std::ranges::contains(settings_.domains[option], initial)) {
            lock.lock();
            std::ranges::move(siblings, std::back_inserter(nodes_));
            return;
          }
          node.set(option, initial);
        }
      }
    }
    Leaf leaf{.assignment = std::move(node),
              .failed = resolved == nullptr,
              .keys = {},
              .interface_options = {},
              .problems = {}};
    if (resolved) {
      leaf.keys.interface = resolved->consulted.interface.hash;
      leaf.keys.settings = resolved->consulted.settings.hash;
      for (std::size_t i = 0; i < kStageCount; ++i) leaf.keys.stages[i] = resolved->consulted.stages[i].hash;
      leaf.interface_options = resolved->consulted.interface.options;
    }
    lock.lock();
    std::ranges::move(siblings, std::back_inserter(nodes_));
    for (Diagnostic& diagnostic : diagnostics.release()) {
      const auto [known, fresh] = known_.emplace(signature_of(diagnostic), search_.problems.size());
      if (fresh) search_.problems.push_back(std::move(diagnostic));
      leaf.problems.push_back(known->second);
    }
    search_.leaves.push_back(std::move(leaf));
    if (search_.leaves.size() + nodes_.size() > settings_.max_variants) search_.too_many = true;
  }

  // Whether there are far more leaves than `max_variants`, which a search would find out only after as many visits.
  // A walk from the root to a leaf that takes each branch with the same probability has a product of branch counts
  // whose mean over all walks is the number of leaves (Knuth, Estimating the efficiency of backtrack programs, 1975).
  // So a walk has a product of more than four times that number with a probability of less than 1/4, and all walks of
  // kWalks have it with one of 4^-kWalks.
  bool are_too_many() {
    constexpr int kWalks = 16;
    const double limit = 4 * static_cast<double>(settings_.max_variants);
    Resolver resolver;
    std::uint64_t random = 1;
    std::vector<std::size_t> factors(program_.options.size());
    double sum = 0;
    for (int walk = 0; walk < kWalks; ++walk) {
      const double product = walk_to_leaf(resolver, random, factors);
      if (product <= limit || is_interrupted()) return false;
      sum += product;
    }
    search_.factors = std::move(factors);
    search_.estimate = std::min(sum / kWalks, kManyVariants);
    return true;
  }

  double walk_to_leaf(Resolver& resolver, std::uint64_t& random, std::vector<std::size_t>& factors) {
    Assignment node = settings_.fixed;
    double product = 1;
    while (product < kManyVariants) {
      Diagnostics diagnostics;
      resolver.resolve(program_, node, settings_.compile.entry_points, settings_.compile.resolve, diagnostics);
      const auto next = std::ranges::find_if(resolver.read_order(), [&](OptionId option) { return !node.has(option); });
      if (next == resolver.read_order().end()) return product;
      const OptionId option = *next;
      if (option >= settings_.domains.size() || settings_.domains[option].empty()) {
        node.set(option, program_.options[option].initial);
        continue;
      }
      const std::vector<Value>& domain = settings_.domains[option];
      random = random * 6364136223846793005u + 1442695040888963407u;
      node.set(option, domain[(random >> 33) % domain.size()]);
      factors[option] = domain.size();
      product *= static_cast<double>(domain.size());
    }
    return product;
  }

  void count_factors() {
    std::vector<std::vector<Value>> seen(program_.options.size());
    const auto look = [&](const Assignment& assignment) {
      for (OptionId option = 0; option < assignment.values.size(); ++option) {
        const Value& value = assignment.values[option];
        if (settings_.fixed.has(option) || !assignment.has(option)) continue;
        if (!std::ranges::contains(seen[option], value)) seen[option].push_back(value);
      }
    };
    for (const Leaf& leaf : search_.leaves) look(leaf.assignment);
    for (const Assignment& node : nodes_) look(node);
    for (const auto& values : seen) search_.factors.push_back(values.size());
  }

  // Threads find leaves and problems in any order; the result must not depend on it.
  void sort() {
    std::vector<std::size_t> order(search_.problems.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return signature_of(search_.problems[i]); });
    std::vector<std::size_t> rank(order.size());
    std::vector<Diagnostic> problems;
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
      problems.push_back(std::move(search_.problems[order[i]]));
    }
    search_.problems = std::move(problems);
    for (Leaf& leaf : search_.leaves) {
      for (std::size_t& problem : leaf.problems) problem = rank[problem];
      std::ranges::sort(leaf.problems);
    }
    if (settings_.listed) return sort_as_listed();
    std::ranges::sort(search_.leaves, [](const Leaf& a, const Leaf& b) {
      return std::ranges::lexicographical_compare(a.assignment.values, b.assignment.values, {}, key_of, key_of);
    });
  }
  static std::pair<ValueType, std::uint32_t> key_of(const Value& value) { return {value.type, value.bits}; }

  void sort_as_listed() {
    std::ranges::sort(search_.leaves, {}, [&](const Leaf& leaf) {
      return std::ranges::find(*settings_.listed, leaf.assignment) - settings_.listed->begin();
    });
  }

  const Program& program_;
  const VariantOptions& settings_;
  bool branching_ = true;

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<Assignment> nodes_;  // to visit
  unsigned working_ = 0;
  std::map<Signature, std::size_t> known_;
  Search search_;
};

double domain_size(const VariantOptions& settings, OptionId option) {
  return static_cast<double>(std::max<std::size_t>(1, settings.domains[option].size()));
}

}  // namespace

std::uint64_t OutputKeys::code() const { return combined({interface, stages[0], stages[1], stages[2]}); }
std::uint64_t OutputKeys::metadata() const { return combined({code(), settings}); }

Search search_variants(const Program& program, const VariantOptions& settings) {
  return Searcher(program, settings).run();
}

double count_assignments(const VariantOptions& settings) { return count_assignments(settings, settings.fixed); }

double count_assignments(const VariantOptions& settings, const Assignment& partial) {
  if (settings.listed) {
    return static_cast<double>(
        std::ranges::count_if(*settings.listed, [&](const Assignment& listed) { return agree(listed, partial); }));
  }
  double count = 1;
  for (OptionId option = 0; option < settings.domains.size(); ++option) {
    if (!partial.has(option)) count *= domain_size(settings, option);
  }
  return count;
}

bool agree(const Assignment& a, const Assignment& b) {
  for (OptionId option = 0; option < std::min(a.values.size(), b.values.size()); ++option) {
    if (a.has(option) && b.has(option) && a.values[option] != b.values[option]) return false;
  }
  return true;
}

}  // namespace slipway::rpl
