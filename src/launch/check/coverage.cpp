// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/check/coverage.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/format.hpp"

namespace slipway::launch {
namespace {

struct Zone {
  std::uint64_t begin = 0, end = 0;
};

bool same_image(const Plan& plan, const Conflict& conflict) {
  return conflict.first.resource == conflict.second.resource &&
         std::holds_alternative<Image>(plan.resources[conflict.first.resource].kind);
}

// What a barrier covers, in the terms of the conflict's zone; nothing when it is for another resource.
std::optional<Zone> scope_of(const Plan& plan, std::span<const MemoryRange> ranges, const Conflict& conflict,
                             const Barrier& barrier) {
  if (barrier.kind == Barrier::Kind::Memory) return Zone{conflict.zone_begin, conflict.zone_end};
  if (barrier.resource != conflict.first.resource && barrier.resource != conflict.second.resource) return std::nullopt;
  const MemoryRange& memory = ranges[barrier.resource];
  if (barrier.kind == Barrier::Kind::Buffer) {
    const std::uint64_t begin = std::min(barrier.offset, memory.end - memory.begin);
    const std::uint64_t size = std::min(barrier.size, memory.end - memory.begin - begin);
    return Zone{memory.begin + begin, memory.begin + begin + size};
  }
  const Levels levels = levels_of(plan, barrier);
  if (same_image(plan, conflict)) return Zone{levels.first, levels.first + levels.count};
  // An image that shares memory has one level.
  return levels.count == 0 ? std::nullopt : std::optional(Zone{memory.begin, memory.end});
}

bool stages_cover(vk::StageFlags barrier, vk::StageFlags access) {
  barrier = executed_stages(barrier, true);
  if (barrier & vk::stage::kAllCommands) return true;
  if (barrier & vk::stage::kAllGraphics) {
    barrier |= vk::stage::kVertexInput | vk::stage::kVertexShader | vk::stage::kEarlyFragmentTests |
               vk::stage::kFragmentShader | vk::stage::kLateFragmentTests | vk::stage::kColorAttachmentOutput;
  }
  return (access & ~barrier) == 0;
}

bool accesses_cover(vk::AccessFlags barrier, vk::AccessFlags reads, vk::AccessFlags writes) {
  barrier = executed_accesses(barrier, true);
  const bool reads_covered = (barrier & vk::access::kMemoryRead) || (reads & ~barrier) == 0;
  const bool writes_covered = (barrier & vk::access::kMemoryWrite) || (writes & ~barrier) == 0;
  return reads_covered && writes_covered;
}

std::string words_for_stages(vk::StageFlags stages) {
  std::vector<std::string_view> words;
  if (stages & vk::stage::kComputeShader) words.emplace_back("the compute shader");
  if (stages & vk::stage::kDataGraph) words.emplace_back("the graph");
  if (stages & vk::stage::kTransfer) words.emplace_back("the copy");
  if (stages & vk::stage::kVertexInput) words.emplace_back("vertex input");
  if (stages & vk::stage::kVertexShader) words.emplace_back("the vertex shader");
  if (stages & vk::stage::kFragmentShader) words.emplace_back("the fragment shader");
  if (stages & vk::stage::kEarlyFragmentTests) words.emplace_back("depth and stencil tests");
  if (stages & vk::stage::kColorAttachmentOutput) words.emplace_back("colour attachments");
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " and ") + std::string(word);
  return text;
}

// What a barrier lacks to order the accesses, apart from its range; empty when nothing.
std::string gap_of(const Conflict& conflict, const Barrier& barrier) {
  const auto& [first, second, begin, end] = conflict;
  if (!stages_cover(barrier.src_stage, first.stages)) {
    return "its source stages leave out " + words_for_stages(first.stages);
  }
  if (!stages_cover(barrier.dst_stage, second.stages)) {
    return "its destination stages leave out " + words_for_stages(second.stages);
  }
  // Writing after reading needs no memory to be made visible: the order of the stages is enough.
  if (!first.writes) return {};
  if (!accesses_cover(barrier.src_access, 0, first.writes)) return "its source access leaves out the writes";
  if (!accesses_cover(barrier.dst_access, second.reads, 0)) return "its destination access leaves out the reads";
  if (!accesses_cover(barrier.dst_access, 0, second.writes)) return "its destination access leaves out the writes";
  return {};
}

// Whether the zones together cover the whole from `begin` to `end`.
bool cover(std::vector<Zone> zones, std::uint64_t begin, std::uint64_t end) {
  std::ranges::sort(zones, {}, &Zone::begin);
  for (const Zone& zone : zones) {
    if (zone.begin > begin) return false;
    begin = std::max(begin, zone.end);
    if (begin >= end) return true;
  }
  return false;
}

}  // namespace

bool find_conflict(const Plan& plan, std::span<const MemoryRange> ranges, Conflict& conflict) {
  const auto& [first, second, zone_begin, zone_end] = conflict;
  if (!first.writes && !second.writes) return false;
  if (same_image(plan, conflict)) {
    conflict.zone_begin = std::max(first.levels.first, second.levels.first);
    conflict.zone_end = std::min(first.levels.first + first.levels.count, second.levels.first + second.levels.count);
  } else {
    const MemoryRange a = range_of(first, ranges), b = range_of(second, ranges);
    if (a.domain != b.domain) return false;
    conflict.zone_begin = std::max(a.begin, b.begin);
    conflict.zone_end = std::min(a.end, b.end);
  }
  return conflict.zone_begin < conflict.zone_end;
}

Coverage find_coverage(const Plan& plan, std::span<const MemoryRange> ranges, const Conflict& conflict,
                       std::span<const Barrier* const> between) {
  Coverage coverage;
  std::vector<Zone> zones;
  for (const Barrier* barrier : between) {
    const std::optional<Zone> scope = scope_of(plan, ranges, conflict, *barrier);
    if (!scope) continue;
    coverage.nearest = barrier;
    coverage.gap = gap_of(conflict, *barrier);
    if (!coverage.gap.empty()) continue;
    zones.push_back(*scope);
    coverage.gap = formatted("it covers only {} {} to {}", same_image(plan, conflict) ? "mip levels" : "bytes",
                             scope->begin, scope->end);
  }
  coverage.covered = cover(std::move(zones), conflict.zone_begin, conflict.zone_end);
  return coverage;
}

}  // namespace slipway::launch
