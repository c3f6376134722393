// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/compare.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <ranges>
#include <unordered_map>

#include "base/format.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/kernel/occupancy.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

constexpr std::string_view kFields[] = {
    "simd",     "grf",        "threads",      "occupancy", "spill",        "scratch", "private",    "slm",
    "barriers", "code",       "instructions", "sends",     "cross_thread", "inline",  "per_thread", "args",
    "flags",    "attributes", "added",        "removed",   "target",       "version"};

bool is_better_larger(std::string_view field) { return field == "threads" || field == "occupancy"; }

std::uint64_t positive(std::int32_t value) { return static_cast<std::uint64_t>(std::max(value, 0)); }

}  // namespace

std::span<const std::string_view> diff_fields() { return kFields; }

KernelSummary summarize(const Kernel& kernel, Version version, const Target& target) {
  const ExecutionEnv& env = kernel.execution_env;
  KernelSummary summary;
  summary.name = kernel.name;
  summary.simd = env.simd_size;
  summary.grf = env.grf_count;
  summary.threads_per_eu = threads_per_eu(env, target);
  if (const CodeSection* code = target.find_code(kernel.name)) {
    summary.code_bytes = code->size;
    summary.instructions = code->instructions;
    summary.sends = code->sends;
    summary.isa = code->isa;
  }
  std::uint64_t slots[2] = {};
  for (const PerThreadMemoryBuffer& buffer : kernel.per_thread_memory_buffers) {
    if (buffer.type == MemBufferType::global) {
      summary.private_bytes += positive(buffer.size) * (buffer.is_simt_thread ? positive(env.simd_size) : 1);
    } else if (buffer.type == MemBufferType::scratch) {
      // The runtime rounds up to a power of two.
      summary.scratch_bytes += buffer.size > 0 ? std::bit_ceil(static_cast<std::uint32_t>(buffer.size)) : 0;
      if (buffer.slot == 0 || buffer.slot == 1) slots[buffer.slot] += positive(buffer.size);
    }
  }
  summary.spill_bytes = positive(env.spill_size);
  if (env.has(ExecutionEnvKey::private_size)) summary.private_bytes = positive(env.private_size);
  // Before 1.39 no key states the use: scratch slot 0 is spill, slot 1 private memory.
  if (version.level() < 39) {
    summary.spill_bytes = slots[0];
    summary.private_bytes += slots[1];
  }
  if (env.simd_size > 0) {
    summary.spill_registers_per_lane = static_cast<double>(summary.spill_bytes) / (4.0 * env.simd_size);
  }
  summary.slm_bytes = positive(env.slm_size);
  summary.barriers = env.barrier_count;
  summary.cross_thread_bytes = cross_thread_size(kernel);
  summary.inline_bytes = std::min(positive(env.inline_data_payload_size), summary.cross_thread_bytes);
  summary.per_thread_bytes = per_thread_size(kernel);
  return summary;
}

namespace {

void number(std::vector<Change>& to, std::string_view field, std::optional<std::uint64_t> a,
            std::optional<std::uint64_t> b) {
  if (a == b) return;
  Change change{.field = field};
  if (a) {
    change.from = std::to_string(*a);
    change.before = static_cast<double>(*a);
  }
  if (b) {
    change.to = std::to_string(*b);
    change.after = static_cast<double>(*b);
  }
  to.push_back(std::move(change));
}

std::optional<std::uint64_t> unsigned_of(std::optional<std::int32_t> value) {
  return value ? std::optional(positive(*value)) : std::nullopt;
}

// All properties of the arguments that a caller depends on, as text: equal texts mean equal layouts.
std::string arguments_text(const Kernel& kernel) {
  std::string out;
  const auto add = [&](Object object) {
    for (const FieldInfo& field : object.mapping().fields) {
      if (object.is_default(field)) continue;
      switch (field.type) {
        case Type::Int32:
          append_formatted(out, " {}={}", field.key, object.integer(field));
          break;
        case Type::Bool:
          append_formatted(out, " {}", field.key);
          break;
        case Type::Enum:
          append_formatted(out, " {}", (*field.values)[object.enumerator(field)].name);
          break;
        default:
          break;
      }
    }
    out += ';';
  };
  for (const auto& one : kernel.payload_arguments) add(Object::of(one));
  out += '|';
  for (const auto& one : kernel.per_thread_payload_arguments) add(Object::of(one));
  out += '|';
  for (const auto& one : kernel.binding_table_indices) add(Object::of(one));
  out += '|';
  for (const auto& one : kernel.inline_samplers) add(Object::of(one));
  return out;
}

// The count and size of arguments, and those that the other kernel does not have in the same way.
std::string arguments_summary(const Kernel& kernel, const Kernel& other) {
  std::string out = formatted("{} arguments in {} B", kernel.payload_arguments.size(), cross_thread_size(kernel));
  const auto same = [](const PayloadArgument& a, const PayloadArgument& b) {
    return a.arg_type == b.arg_type && a.arg_index == b.arg_index && a.offset == b.offset && a.size == b.size &&
           a.addrmode == b.addrmode && a.addrspace == b.addrspace && a.access_type == b.access_type;
  };
  constexpr int kMaxShown = 4;
  int shown = 0;
  for (const PayloadArgument& one : kernel.payload_arguments) {
    if (std::ranges::any_of(other.payload_arguments.span(),
                            [&](const PayloadArgument& each) { return same(each, one); }))
      continue;
    if (++shown > kMaxShown) return out + " ...";
    out += formatted("{} {}", shown == 1 ? ":" : ",", name_of_value(one.arg_type));
    if (one.arg_index >= 0) out += formatted(" {}", one.arg_index);
    out += formatted(" at {}", one.offset);
  }
  return out;
}

// The words of `text` that `other` does not have.
std::string only_in(std::string_view text, std::string_view other) {
  const auto words_of = [](std::string_view list) { return list | std::views::split(' '); };
  std::string out;
  for (const auto word : words_of(text)) {
    const std::string_view one(word);
    const bool both =
        std::ranges::any_of(words_of(other), [&](const auto each) { return std::string_view(each) == one; });
    if (one.empty() || both) continue;
    if (!out.empty()) out += ' ';
    out += one;
  }
  return out;
}

// The keys whose value differs from their default, with the value, except numbers that are compared as separate fields.
std::string flags_text(const Kernel& kernel) {
  const Object env = Object::of(kernel.execution_env);
  std::string out;
  for (const FieldInfo& field : env.mapping().fields) {
    constexpr std::string_view kElsewhere[] = {
        "grf_count",  "simd_size",     "slm_size",        "private_size",
        "spill_size", "barrier_count", "eu_thread_count", "inline_data_payload_size"};
    if (env.is_default(field) || std::ranges::contains(kElsewhere, field.key)) continue;
    if (!out.empty()) out += ' ';
    out += field.key;
    if (field.type == Type::Int32) out += formatted("={}", env.integer(field));
    if (field.type == Type::Enum) out += formatted("={}", (*field.values)[env.enumerator(field)].name);
    if (field.type == Type::Int3) {
      const Int3& three = env.int3(field);
      out += formatted("={},{},{}", three[0], three[1], three[2]);
    }
  }
  return out;
}

std::string attributes_text(const Kernel& kernel) {
  const Object attributes = Object::of(kernel.user_attributes);
  std::string out;
  for (const FieldInfo& field : attributes.mapping().fields) {
    if (attributes.is_default(field)) continue;
    if (!out.empty()) out += ' ';
    out += field.key;
    if (field.type == Type::Int32) out += formatted("={}", attributes.integer(field));
    if (field.type == Type::String) out += formatted("={}", attributes.string(field));
    if (field.type == Type::Int3) {
      const Int3& three = attributes.int3(field);
      out += formatted("={},{},{}", three[0], three[1], three[2]);
    }
  }
  return out;
}

void words(std::vector<Change>& to, std::string_view field, std::string a, std::string b) {
  if (a != b) to.push_back({.field = field, .from = std::move(a), .to = std::move(b), .before = {}, .after = {}});
}

// The concurrent work groups of a subslice.
std::optional<std::uint64_t> groups_of(const Kernel& kernel, const Target& target, const CompareOptions& options) {
  if (!options.local_size && !required_work_group(kernel)) return std::nullopt;
  const auto result = occupancy(kernel, target, {.local_size = options.local_size.value_or(WorkGroup{})});
  return result ? std::optional(result->groups) : std::nullopt;
}

}  // namespace

std::vector<Metric> metrics_of(const Kernel& kernel, Side side, const CompareOptions& options) {
  const KernelSummary summary =
      summarize(kernel, effective_version(*side.document, side.target->container_version), *side.target);
  return {{"simd", unsigned_of(summary.simd)},
          {"grf", unsigned_of(summary.grf)},
          {"threads", unsigned_of(summary.threads_per_eu)},
          {"occupancy", groups_of(kernel, *side.target, options)},
          {"spill", summary.spill_bytes},
          {"scratch", summary.scratch_bytes},
          {"private", summary.private_bytes},
          {"slm", summary.slm_bytes},
          {"barriers", unsigned_of(summary.barriers)},
          {"code", summary.code_bytes},
          {"instructions", summary.instructions},
          {"sends", summary.sends},
          {"cross_thread", summary.cross_thread_bytes},
          {"inline", summary.inline_bytes},
          {"per_thread", summary.per_thread_bytes}};
}

std::vector<Change> compare_kernels(const Kernel& a, Side of_a, const Kernel& b, Side of_b,
                                    const CompareOptions& options) {
  const std::vector<Metric> before = metrics_of(a, of_a, options), after = metrics_of(b, of_b, options);
  std::vector<Change> out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    // What only one side knows is not a difference of the kernels.
    if (before[i].value && after[i].value) number(out, before[i].field, before[i].value, after[i].value);
  }
  if (arguments_text(a) != arguments_text(b)) {
    out.push_back(
        {.field = "args", .from = arguments_summary(a, b), .to = arguments_summary(b, a), .before = {}, .after = {}});
  }
  words(out, "flags", only_in(flags_text(a), flags_text(b)), only_in(flags_text(b), flags_text(a)));
  words(out, "attributes", attributes_text(a), attributes_text(b));
  return out;
}

namespace {

std::string target_name(const Target& target) {
  if (target.device) return std::string(target.device->name());
  return target.family ? formatted("family {}", *target.family) : std::string("unknown");
}

}  // namespace

Comparison compare(Side a, Side b) {
  Comparison result;
  const Version version_a = effective_version(*a.document, a.target->container_version);
  const Version version_b = effective_version(*b.document, b.target->container_version);
  words(result.whole, "target", target_name(*a.target), target_name(*b.target));
  words(result.whole, "version", text_of(version_a), text_of(version_b));
  std::unordered_map<std::string_view, const Kernel*> by_name;
  for (const Kernel& kernel : b.document->kernels) by_name.emplace(kernel.name, &kernel);
  for (const Kernel& kernel : a.document->kernels) {
    if (is_pseudo_kernel(kernel)) continue;
    const auto other = by_name.find(kernel.name);
    std::vector<Change> changes;
    if (other == by_name.end()) {
      changes.push_back({.field = "removed", .from = std::string(kernel.name), .to = "", .before = {}, .after = {}});
    } else {
      changes = compare_kernels(kernel, a, *other->second, b);
      by_name.erase(other);
    }
    if (!changes.empty()) result.kernels.push_back({std::string(kernel.name), std::move(changes)});
  }
  for (const Kernel& kernel : b.document->kernels) {
    const auto left = by_name.find(kernel.name);
    if (left == by_name.end() || left->second != &kernel || is_pseudo_kernel(kernel)) continue;
    result.kernels.push_back(
        {std::string(kernel.name),
         {{.field = "added", .from = "", .to = std::string(kernel.name), .before = {}, .after = {}}}});
  }
  return result;
}

Direction direction_of(const Change& change) {
  constexpr std::string_view kSmallerIsBetter[] = {"spill", "scratch",      "private", "slm",
                                                   "code",  "instructions", "sends"};
  if (!change.before || !change.after || *change.before == *change.after) return Direction::None;
  const bool larger = *change.after > *change.before;
  if (is_better_larger(change.field)) return larger ? Direction::Better : Direction::Worse;
  if (!std::ranges::contains(kSmallerIsBetter, change.field)) return Direction::None;
  return larger ? Direction::Worse : Direction::Better;
}

std::optional<Threshold> parse_threshold(std::string_view text) {
  const std::size_t plus = text.find('+');
  Threshold threshold{.field = std::string(text.substr(0, plus))};
  if (!std::ranges::contains(kFields, threshold.field)) return std::nullopt;
  if (plus == text.npos) return threshold;
  std::string_view more = text.substr(plus + 1);
  threshold.percent = more.ends_with('%');
  if (threshold.percent) more.remove_suffix(1);
  const auto [end, error] =
      std::from_chars(more.data(), more.data() + more.size(), threshold.more, std::chars_format::fixed);
  if (more.empty() || error != std::errc() || end != more.data() + more.size() || threshold.more < 0)
    return std::nullopt;
  return threshold;
}

bool exceeds(const Change& change, const Threshold& threshold) {
  if (change.field != threshold.field) return false;
  if (change.field == "simd" || change.field == "grf" || !change.before || !change.after) return true;
  const double worse = is_better_larger(change.field) ? *change.before - *change.after : *change.after - *change.before;
  // Growth from 0 is infinite in per cent.
  const double allowed = threshold.percent ? *change.before * threshold.more / 100 : threshold.more;
  return worse > allowed;
}

}  // namespace slipway::zeinfo
