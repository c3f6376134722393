// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The history of the Intel compute runtime, as far as it affects which files load
// (docs/spec/zeinfo.md#runtime-releases).

#include <algorithm>

#include "zeinfo/check/runtime.hpp"

namespace slipway::zeinfo {
namespace {

constexpr RuntimeStep kSteps[] = {
    {{2032}, -1}, {{2045}, 0},  {{2126}, 4},  {{2130}, 5},  {{2231}, 9},  {{2235}, 15},
    {{2249}, 26}, {{2326}, 32}, {{2405}, 39}, {{2445}, 39},  // unknown keys are refused from here on
    {{2527}, 54}, {{2535}, 59}, {{2544}, 61}, {{2614}, 67}, {{2618}, 68}, {{2627}, 73}};

using Kind = ContainerFeature::Kind;
constexpr ContainerFeature kContainer[] = {{Kind::ElfType, 0xff12, "", {2032}},
                                           {Kind::ElfType, 1, "", {2129}},
                                           {Kind::SectionType, 0xff000009, ".spv", {2032}},
                                           {Kind::SectionType, 0xff000011, ".ze_info", {2032}},
                                           {Kind::SectionType, 0xff000012, ".gtpin_info", {2037}},
                                           {Kind::SectionType, 4, ".rela", {2105}},
                                           {Kind::SectionType, 9, ".rel", {2105}},
                                           {Kind::SectionName, 0, ".data.global_const", {2105}},
                                           {Kind::SectionType, 7, ".note", {2129}},
                                           {Kind::NoteType, 1, "", {2129}},
                                           {Kind::NoteType, 2, "", {2129}},
                                           {Kind::NoteType, 3, "", {2129}},
                                           {Kind::SectionName, 0, ".debug_info", {2032}},
                                           {Kind::SectionName, 0, ".debug_", {2130}},
                                           {Kind::SectionName, 0, ".data.const.string", {2146}},
                                           {Kind::SectionType, 0xff000013, ".visaasm", {2150}},
                                           {Kind::SectionType, 0xff000014, ".misc", {2219}},
                                           {Kind::NoteType, 4, "", {2234}},
                                           {Kind::SectionType, 8, ".bss", {2309}},
                                           {Kind::SectionName, 0, ".bss.const", {2309}},
                                           {Kind::SectionName, 0, ".bss.global", {2309}},
                                           {Kind::NoteType, 5, "", {2326}},
                                           {Kind::NoteType, 6, "", {2326}},
                                           {Kind::NoteType, 7, "", {2405}},
                                           {Kind::SectionName, 0, ".text", {2531}},
                                           {Kind::NoteType, 8, "", {2531}},
                                           {Kind::SectionName, 0, ".misc.specConstantsIds", {2618}},
                                           {Kind::SectionName, 0, ".misc.specConstantsValues", {2618}},
                                           {Kind::SectionType, 0xff000015, ".pisa", {2627}}};

}  // namespace

std::span<const RuntimeStep> runtime_steps() { return kSteps; }
std::span<const ContainerFeature> container_features() { return kContainer; }

Release known_release(Release release) { return std::clamp(release, kFirstRelease, kLastRelease); }

int decoder_of(Release release) {
  const auto after = std::ranges::upper_bound(kSteps, known_release(release), {}, &RuntimeStep::from);
  return std::prev(after)->decoder_minor;
}

std::string_view name_of(Verdict verdict) {
  constexpr std::string_view kNames[] = {"accepts", "accepts with warnings", "refuses", "crashes"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace slipway::zeinfo
