// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/order_hazards.hpp"

#include "base/format.hpp"
#include "launch/check/hazard_warning.hpp"

namespace slipway::launch {

void OrderHazards::see(const Step& step, std::span<const Access> accesses) {
  for (const Access& access : accesses) check(step, access);
  for (const Access& access : accesses) remember(step, access);
}

void OrderHazards::see_full_barrier() {
  for (const std::size_t domain : used_) {
    open_[domain].reads.clear();
    open_[domain].writes.clear();
  }
  used_.clear();
  barriers_.clear();
}

void OrderHazards::check(const Step& step, const Access& access) {
  const Step* reported = nullptr;  // one warning for two commands and a resource is enough
  const Domain& domain = open_[ranges_[access.resource].domain];
  // In their order.
  auto write = domain.writes.begin();
  auto read = access.writes ? domain.reads.begin() : domain.reads.end();
  while (write != domain.writes.end() || read != domain.reads.end()) {
    const bool is_write =
        read == domain.reads.end() || (write != domain.writes.end() && write->position < read->position);
    const Open& open = is_write ? *write++ : *read++;
    if (open.step != reported && check(open, step, access)) reported = open.step;
  }
}

bool OrderHazards::check(const Open& open, const Step& step, const Access& access) {
  Conflict conflict{open.access, access};
  if (!find_conflict(plan_, ranges_, conflict)) return false;
  const Coverage coverage = find_coverage(plan_, ranges_, conflict, std::span(barriers_).subspan(open.barriers_before));
  if (coverage.covered) return false;
  report(open, step, access, coverage);
  return true;
}

void OrderHazards::report(const Open& open, const Step& step, const Access& access, const Coverage& coverage) {
  const bool first_writes = open.access.writes != 0;
  const bool second_reads = first_writes && access.reads != 0;
  const std::string_view then = second_reads ? "reads" : "writes";
  const std::string_view before = first_writes ? "wrote" : "read";
  const std::string& now_named = plan_.resources[access.resource].name;
  const std::string& before_named = plan_.resources[open.access.resource].name;
  const std::string_view with =
      coverage.nearest ? "and no barrier between them covers both" : "with no barrier between them";
  Diagnostic& warning = warn_of_hazard(
      diagnostics_, *access.origin,
      access.resource == open.access.resource
          ? formatted("`{}` {} `{}` after `{}` {} it, {}", step.name, then, now_named, open.step->name, before, with)
          : formatted("`{}` {} `{}` after `{}` {} `{}` in the same memory, {}", step.name, then, now_named,
                      open.step->name, before, before_named, with));
  warning.note(formatted("`{}` {} `{}` here", open.step->name, first_writes ? "writes" : "reads", before_named),
               open.access.origin->location());
  if (coverage.nearest) {
    warning.note(formatted("barrier `{}` does not: {}", coverage.nearest->name, coverage.gap),
                 coverage.nearest->origin.location());
  }
}

// A write replaces the earlier accesses that it covers: a later command that conflicts with these conflicts with the
// write too, and must be ordered after it.
void OrderHazards::remember(const Step& step, const Access& access) {
  const std::size_t index = ranges_[access.resource].domain;
  Domain& domain = open_[index];
  if (access.writes) {
    const auto is_covered = [&](const Open& open) { return open.step != &step && covers(access, open.access); };
    std::erase_if(domain.reads, is_covered);
    std::erase_if(domain.writes, is_covered);
  }
  if (domain.reads.empty() && domain.writes.empty()) used_.push_back(index);
  (access.writes ? domain.writes : domain.reads).push_back({access, &step, barriers_.size(), accesses_++});
}

bool OrderHazards::covers(const Access& later, const Access& earlier) const {
  if (later.resource == earlier.resource && std::holds_alternative<Image>(plan_.resources[later.resource].kind))
    return later.levels.contains(earlier.levels);
  const MemoryRange a = range_of(later, ranges_), b = range_of(earlier, ranges_);
  return a.begin <= b.begin && b.end <= a.end;
}

}  // namespace slipway::launch
