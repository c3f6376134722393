// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/device_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <tuple>

#include "base/format.hpp"
#include "vk/feature_names.hpp"

namespace slipway::vk {
namespace {

enum class CapabilityKind { Core, Feature, Extension, Subgroup, Limit };
using enum CapabilityKind;

struct CapabilityInfo {
  std::string_view name;
  CapabilityKind kind;
  std::string_view any_of;  // separated by `|`
};

constexpr std::array kCapabilities = {
#define CAPABILITY(name, kind, any_of) CapabilityInfo{name, kind, any_of},
#include "vk/capabilities.def"
};

// Not switched on for everybody: they cost speed, address space or memory.
constexpr std::array<std::string_view, 6> kRobustness = {"robustBufferAccess",  "robustImageAccess",
                                                         "robustBufferAccess2", "robustImageAccess2",
                                                         "nullDescriptor",      "pipelineRobustness"};
constexpr std::array<std::string_view, 3> kNeverNeeded = {"bufferDeviceAddressCaptureReplay",
                                                          "bufferDeviceAddressMultiDevice", "protectedMemory"};

// What submitting, waiting and timing need: Vulkan 1.3 demands them.
constexpr std::array<std::string_view, 3> kAlwaysWanted = {"synchronization2", "timelineSemaphore", "hostQueryReset"};

struct ExtensionNeeds {
  std::string_view extension;
  std::string_view needs;
};
constexpr std::array kExtensionNeeds = {
    ExtensionNeeds{"VK_EXT_shader_atomic_float2", "VK_EXT_shader_atomic_float"},
    ExtensionNeeds{"VK_NV_cooperative_matrix2", "VK_KHR_cooperative_matrix"},
    ExtensionNeeds{"VK_KHR_shader_quad_control", "VK_KHR_shader_maximal_reconvergence"},
    ExtensionNeeds{"VK_ARM_data_graph", "VK_ARM_tensors"},
    ExtensionNeeds{"VK_ARM_data_graph", "VK_KHR_maintenance5"},
    ExtensionNeeds{"VK_ARM_data_graph", "VK_KHR_deferred_host_operations"},
};

// What shaders with tensors need, and what graphs need in addition (docs/spec/scenario.md#devices-and-emulation).
constexpr std::string_view kTensors = "VK_ARM_tensors", kGraphs = "VK_ARM_data_graph";
constexpr std::array<std::string_view, 3> kTensorFeatures = {"tensors", "shaderTensorAccess", "tensorNonPacked"};
constexpr std::array<std::string_view, 2> kGraphFeatures = {"dataGraph", "dataGraphShaderModule"};
constexpr std::array<std::string_view, 2> kGraphExtensions = {"VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};

// Those that `--disable-extension` of the existing tool knows (docs/spec/scenario.md#command-line).
constexpr std::array<std::string_view, 5> kDisableable = {"VK_EXT_custom_border_color", "VK_EXT_frame_boundary",
                                                          "VK_ARM_data_graph_neural_accelerator_statistics",
                                                          "VK_KHR_maintenance5", "VK_KHR_deferred_host_operations"};

auto alternatives(std::string_view any_of) {
  return any_of | std::views::split('|') |
         std::views::transform([](auto&& part) { return std::string_view(part.begin(), part.end()); });
}

std::string joined(std::string_view any_of) {
  std::string text;
  for (std::string_view part : alternatives(any_of)) text += formatted("{}`{}`", text.empty() ? "" : " or ", part);
  return text;
}

// Capabilities that became core have names with and without the suffix of their extension.
std::string_view without_suffix(std::string_view capability) {
  for (std::string_view suffix : {"KHR", "EXT"}) {
    if (capability.ends_with(suffix)) return capability.substr(0, capability.size() - suffix.size());
  }
  return capability;
}

const CapabilityInfo* find_capability(std::string_view name) {
  auto found = std::ranges::find(kCapabilities, name, &CapabilityInfo::name);
  if (found == kCapabilities.end()) {
    found = std::ranges::find(kCapabilities, without_suffix(name),
                              [](const CapabilityInfo& known) { return without_suffix(known.name); });
  }
  return found == kCapabilities.end() ? nullptr : &*found;
}

bool has_subgroup_operation(const Snapshot& snapshot, std::string_view bit) {
  std::uint32_t wanted = 0;
  std::from_chars(bit.data(), bit.data() + bit.size(), wanted);
  return (snapshot.subgroup.operations & wanted) != 0;
}

std::string disabled_name(const std::string& asked) {
  return asked == "VK_KHR_maintenance_5" ? "VK_KHR_maintenance5" : asked;
}

// Decides one plan. The snapshot is a copy without the disabled extensions and what comes with them.
class Planner {
 public:
  Planner(const Snapshot& snapshot, const Needs& needs) : snapshot_(snapshot), needs_(needs) {}

  Result<DevicePlan> run() {
    take_away_disabled();
    if (snapshot_.api < Version{1, 3, 0}) {
      lacks(formatted("it has Vulkan {}.{}.{}, and 1.3 is needed", snapshot_.api.major, snapshot_.api.minor,
                      snapshot_.api.patch));
    } else {
      collect_wanted();
      choose_extensions();
      choose_features();
      choose_queue();
    }
    if (problems_.has_errors()) return std::unexpected(problems_.release());
    return std::move(plan_);
  }

 private:
  void lacks(std::string what) {
    problems_.error(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                    formatted("device `{}` cannot run this: {}", snapshot_.name, what));
  }

  void take_away_disabled() {
    for (const std::string& asked : needs_.disabled_extensions) {
      const std::string name = disabled_name(asked);
      const bool known = snapshot_.has_extension(name) || std::ranges::contains(kDisableable, name) ||
                         std::ranges::contains(kFeatureStructs, name, &FeatureStructInfo::extension);
      if (!known || name.empty()) {
        problems_.error(DiagnosticKind::Usage, SourceLocation::nowhere(),
                        formatted("Unrecognized extension, cannot disable: {}", asked));
      }
    }
    snapshot_ = without_extensions(std::move(snapshot_), needs_.disabled_extensions);
  }

  // What a need comes down to: extensions and features that must be there.
  void collect_wanted() {
    wanted_extensions_ = needs_.extensions;
    wanted_features_ = needs_.features;
    for (const std::string_view feature : kAlwaysWanted) wanted_features_.emplace(feature);
    if (needs_.graphics) wanted_features_.insert("dynamicRendering");
    if (needs_.tensors || needs_.data_graph) {
      wanted_extensions_.emplace(kTensors);
      for (const std::string_view feature : kTensorFeatures) wanted_features_.emplace(feature);
    }
    if (needs_.data_graph) {
      wanted_extensions_.emplace(kGraphs);
      for (const std::string_view extension : kGraphExtensions) wanted_extensions_.emplace(extension);
      for (const std::string_view feature : kGraphFeatures) wanted_features_.emplace(feature);
    }
    if (needs_.custom_border_colors && !snapshot_.has_feature("customBorderColors")) {
      lacks("Error sampler custom border color extension is unsupported on this device/driver");
    }
    for (const std::string& extension : wanted_extensions_) {
      if (!snapshot_.has_extension(extension)) lacks(formatted("it lacks the extension `{}`", extension));
    }
    for (const std::string& feature : wanted_features_) {
      if (!snapshot_.has_feature(feature)) lacks(formatted("it lacks the feature `{}`", feature));
    }
    for (const std::string& name : needs_.capabilities) {
      const std::string missing = missing_for_capability(snapshot_, name);
      if (!missing.empty()) {
        lacks(missing);
        continue;
      }
      const CapabilityInfo& capability = *find_capability(name);
      for (std::string_view part : alternatives(capability.any_of)) {
        if (capability.kind == Feature && snapshot_.has_feature(part)) wanted_features_.emplace(part);
        if (capability.kind == Extension && snapshot_.has_extension(part)) wanted_extensions_.emplace(part);
      }
    }
  }

  bool is_wanted(const FeatureStructInfo& info) const {
    if (info.policy == FeaturePolicy::Always || wanted_extensions_.contains(std::string(info.extension))) return true;
    if (needs_.robustness &&
        (info.extension == "VK_EXT_robustness2" || info.extension == "VK_EXT_pipeline_robustness")) {
      return true;
    }
    if (needs_.frame_boundary && info.extension == "VK_EXT_frame_boundary") return true;
    return std::ranges::any_of(wanted_features_, [&](const std::string& name) {
      const FeatureInfo* feature = find_feature(name);
      return feature && &struct_of(*feature) == &info;
    });
  }

  void choose_extensions() {
    plan_.extensions.insert_range(wanted_extensions_);
    // A portability driver demands that its extension is switched on.
    if (snapshot_.has_extension("VK_KHR_portability_subset")) plan_.extensions.insert("VK_KHR_portability_subset");
    for (const FeatureStructInfo& info : kFeatureStructs) {
      if (!info.extension.empty() && snapshot_.has_extension(info.extension) && is_wanted(info)) {
        plan_.extensions.emplace(info.extension);
      }
    }
    // Those that others need; where one is missing or disabled, what needs it goes as well.
    for (const ExtensionNeeds& entry : kExtensionNeeds) {
      if (!plan_.has_extension(entry.extension)) continue;
      if (snapshot_.has_extension(entry.needs)) {
        plan_.extensions.emplace(entry.needs);
      } else if (wanted_extensions_.contains(std::string(entry.extension))) {
        if (!wanted_extensions_.contains(std::string(entry.needs))) {
          lacks(formatted("`{}` needs the extension `{}`", entry.extension, entry.needs));
        }
      } else {
        plan_.extensions.erase(std::string(entry.extension));
      }
    }
  }

  void choose_features() {
    for (const FeatureInfo& feature : kFeatures) {
      if (!snapshot_.has_feature(feature.name)) continue;
      const FeatureStructInfo& info = struct_of(feature);
      if (!info.extension.empty() && !plan_.has_extension(info.extension)) continue;
      const bool wanted = wanted_features_.contains(std::string(feature.name));
      if (std::ranges::contains(kRobustness, feature.name) && !needs_.robustness && !wanted) continue;
      if (std::ranges::contains(kNeverNeeded, feature.name) && !wanted) continue;
      plan_.features.emplace(feature.name);
    }
    leave_out_updates_after_bind();
  }

  // Not every device checks accesses through descriptors that may change after they are bound. Nothing here changes
  // them.
  void leave_out_updates_after_bind() {
    const auto supported = snapshot_.limits_by_name.find("robustBufferAccessUpdateAfterBind");
    if (supported == snapshot_.limits_by_name.end() || supported->second != 0) return;
    if (std::ranges::none_of(kRobustness, [&](std::string_view name) { return plan_.has_feature(name); })) return;
    std::erase_if(plan_.features, [&](const std::string& name) {
      return name.starts_with("descriptorBinding") && name.ends_with("UpdateAfterBind") &&
             !wanted_features_.contains(name);
    });
  }

  std::uint32_t queues_of(const QueueFamily& family) const {
    return std::min(family.queues, std::max(needs_.queues, 1u));
  }

  // Chooses the first family that has everything; among these one with graphics if there are mips to blit, then one
  // with as many queues as requested.
  void choose_queue() {
    std::uint32_t flags = queue_flag::kCompute;
    if (needs_.graphics) flags |= queue_flag::kGraphics;
    if (needs_.data_graph) flags |= queue_flag::kDataGraph;
    const std::uint32_t liked = needs_.blit ? queue_flag::kGraphics : 0u;
    std::tuple<bool, std::uint32_t, bool> best;  // less than the score of any family
    bool has_flags = false;
    for (std::size_t i = 0; i < snapshot_.queue_families.size(); ++i) {
      const QueueFamily& family = snapshot_.queue_families[i];
      if (family.queues == 0 || (family.flags & flags) != flags) continue;
      if (!std::ranges::includes(family.graph_instruction_sets, needs_.graph_instruction_sets)) continue;
      has_flags = true;
      if (needs_.timestamps && family.timestamp_bits == 0) continue;
      const std::uint32_t queues = queues_of(family);
      const bool own_engine = queues > 1 && (family.flags & queue_flag::kGraphics) == 0;
      const std::tuple score((family.flags & liked) == liked, queues, own_engine);
      if (score <= best) continue;
      best = score;
      plan_.queue_family = static_cast<std::uint32_t>(i);
      plan_.queue_flags = family.flags;
      plan_.queues = queues;
    }
    if (std::get<1>(best) > 0) return;
    std::string what = "compute";
    if (needs_.graphics) what += " and graphics";
    if (needs_.data_graph) what += " and data graphs";
    lacks(has_flags ? formatted("no queue family with {} has timestamps", what)
                    : formatted("no queue family has {}", what));
  }

  Snapshot snapshot_;
  const Needs& needs_;
  std::set<std::string> wanted_extensions_;
  std::set<std::string> wanted_features_;
  DevicePlan plan_;
  Diagnostics problems_;
};

}  // namespace

namespace {

// The first thing that is missing of these.
std::string missing(const Snapshot& snapshot, std::string_view extension, std::span<const std::string_view> features) {
  if (!snapshot.has_extension(extension)) return std::string(extension);
  for (const std::string_view feature : features) {
    if (!snapshot.has_feature(feature)) return formatted("the feature `{}` of {}", feature, extension);
  }
  return {};
}

}  // namespace

std::string missing_for_tensors(const Snapshot& snapshot) { return missing(snapshot, kTensors, kTensorFeatures); }

std::string missing_for_graphs(const Snapshot& snapshot) {
  if (!snapshot.has_extension(kGraphs)) return std::string(kGraphs);
  if (std::string what = missing_for_tensors(snapshot); !what.empty()) return what;
  if (std::string what = missing(snapshot, kGraphs, kGraphFeatures); !what.empty()) return what;
  for (const std::string_view extension : kGraphExtensions) {
    if (!snapshot.has_extension(extension)) return std::string(extension);
  }
  constexpr std::uint32_t both = queue_flag::kCompute | queue_flag::kDataGraph;
  const bool has_queue = std::ranges::any_of(snapshot.queue_families, [](const QueueFamily& family) {
    return family.queues > 0 && (family.flags & both) == both;
  });
  return has_queue ? std::string() : "a queue family with compute and data graphs";
}

std::string missing_for_capability(const Snapshot& snapshot, std::string_view name) {
  const CapabilityInfo* capability = find_capability(name);
  if (!capability) return formatted("capability `{}` is not one that this program can offer", name);
  const auto any = [&](auto&& holds) { return std::ranges::any_of(alternatives(capability->any_of), holds); };
  switch (capability->kind) {
    case Core:
      return {};
    case Feature:
      if (any([&](std::string_view feature) { return snapshot.has_feature(feature); })) return {};
      return formatted("capability `{}` needs the device feature {}", name, joined(capability->any_of));
    case Extension:
      if (any([&](std::string_view extension) { return snapshot.has_extension(extension); })) return {};
      return formatted("capability `{}` needs the device extension {}", name, joined(capability->any_of));
    case Subgroup:
      if (has_subgroup_operation(snapshot, capability->any_of)) return {};
      return formatted("capability `{}` needs a subgroup operation that is not in `subgroupSupportedOperations`", name);
    case Limit:
      if (any([&](std::string_view limit) {
            const auto found = snapshot.limits_by_name.find(limit);
            return found != snapshot.limits_by_name.end() && found->second != 0;
          })) {
        return {};
      }
      return formatted("capability `{}` needs the device property {}", name, joined(capability->any_of));
  }
  return {};
}

Snapshot without_extensions(Snapshot snapshot, std::span<const std::string> extensions) {
  for (const std::string& asked : extensions) {
    const std::string name = disabled_name(asked);
    if (name.empty()) continue;
    snapshot.extensions.erase(name);
    for (const FeatureInfo& feature : kFeatures) {
      if (struct_of(feature).extension == name) snapshot.features.erase(std::string(feature.name));
    }
  }
  return snapshot;
}

Result<DevicePlan> plan_device(const Snapshot& snapshot, const Needs& needs) { return Planner(snapshot, needs).run(); }

bool mips_need_storage(const DevicePlan& plan) { return (plan.queue_flags & queue_flag::kGraphics) == 0; }

std::string print_device_plan(const DevicePlan& plan) {
  std::string text = formatted("queue family: {}{}\nextensions:\n", plan.queue_family,
                               plan.queues > 1 ? formatted(", {} queues", plan.queues) : "");
  for (const std::string& extension : plan.extensions) text += formatted("  {}\n", extension);
  text += "features:\n";
  for (const std::string& feature : plan.features) text += formatted("  {}\n", feature);
  return text;
}

}  // namespace slipway::vk
