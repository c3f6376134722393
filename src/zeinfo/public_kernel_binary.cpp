// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The class of the public interface: include/slipway/kernel_binary.hpp.
#include "base/format.hpp"
#include "slipway/kernel_binary.hpp"

#include <algorithm>

#include "base/public_problems.hpp"
#include "base/public_state.hpp"
#include "base/system/files.hpp"
#include "zeinfo/check/check.hpp"
#include "zeinfo/kernel/compare.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/kernel/occupancy.hpp"
#include "zeinfo/kernel/pack.hpp"
#include "zeinfo/zebin/input.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"
#include "zeinfo/zebin/isa.hpp"

namespace slipway {

struct KernelBinary::State {
  std::vector<std::byte> bytes;
  std::string name;
  zebin::InputOptions options;
  zebin::Input input;
};

namespace {

std::unexpected<std::vector<Problem>> problems(std::span<const Diagnostic> failure) {
  return std::unexpected(public_problems(failure));
}

std::unexpected<std::vector<Problem>> no_kernel(std::string_view name) {
  return problems(
      Failure{{.kind = DiagnosticKind::UnknownReference, .message = formatted("there is no kernel `{}`", name)}});
}

const zeinfo::Kernel* find_kernel(const zeinfo::Document& document, std::string_view name) {
  const auto found = std::ranges::find(document.kernels.span(), name, &zeinfo::Kernel::name);
  return found == document.kernels.span().end() ? nullptr : &*found;
}

zeinfo::ImageValue image_of(const ImageArgument& image) {
  return {.heap_offset = image.heap_offset,
          .width = image.width,
          .height = image.height,
          .depth = image.depth,
          .array_size = image.array_size,
          .num_mip_levels = image.mip_levels,
          .num_samples = image.samples,
          .channel_data_type = image.channel_type,
          .channel_order = image.channel_order,
          .flat_base = image.flat_base,
          .flat_width = image.flat_width,
          .flat_height = image.flat_height,
          .flat_pitch = image.flat_pitch};
}

zeinfo::ArgValue value_of(const KernelArgument& argument) {
  if (const auto* value = std::get_if<ValueArgument>(&argument)) return zeinfo::ByValue{value->bytes};
  if (const auto* local = std::get_if<LocalArgument>(&argument)) return zeinfo::LocalMemory{local->size};
  if (const auto* pointer = std::get_if<PointerArgument>(&argument))
    return zeinfo::BufferValue{.address = pointer->address,
                               .surface_base = std::nullopt,
                               .size = pointer->size,
                               .heap_offset = pointer->heap_offset};
  if (const auto* image = std::get_if<ImageArgument>(&argument)) return image_of(*image);
  if (const auto* sampler = std::get_if<SamplerArgument>(&argument)) {
    return zeinfo::SamplerValue{
        .heap_offset = sampler->heap_offset,
        .addrmode = static_cast<zeinfo::SamplerAddrMode>(static_cast<int>(zeinfo::SamplerAddrMode::none) +
                                                         static_cast<int>(sampler->addressing)),
        .filtermode = sampler->linear ? zeinfo::SamplerFilterMode::linear : zeinfo::SamplerFilterMode::nearest,
        .normalized = sampler->normalized};
  }
  return {};
}

zeinfo::ImplicitValues implicit_of(const ImplicitArguments& from) {
  return {.private_base = from.private_memory,
          .printf_buffer = from.printf_buffer,
          .implicit_arg_buffer = from.implicit_buffer,
          .sync_buffer = from.sync_buffer,
          .rt_global_buffer = from.ray_tracing_globals,
          .assert_buffer = from.assert_buffer,
          .indirect_data_pointer = from.indirect_data,
          .scratch_pointer = from.scratch,
          .const_base = from.constants,
          .global_base = from.globals,
          .region_group_barrier_buffer = from.region_barriers,
          .inline_sampler_base = from.inline_samplers,
          .region_group_size = from.region_size,
          .region_group_dimension = from.region_dimension,
          .region_group_wg_count = from.region_groups};
}

}  // namespace

KernelBinary::KernelBinary(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelBinary::KernelBinary(KernelBinary&&) noexcept = default;
KernelBinary& KernelBinary::operator=(KernelBinary&&) noexcept = default;
KernelBinary::~KernelBinary() = default;

Outcome<KernelBinary> KernelBinary::load(const std::filesystem::path& file, const KernelBinaryOptions& options) {
  const Result<MappedFile> mapped = map_file(file);
  if (!mapped) return problems(mapped.error());
  return parse(mapped->bytes(), file.string(), options);
}

Outcome<KernelBinary> KernelBinary::parse(ByteView bytes, std::string name, const KernelBinaryOptions& options) {
  auto state = std::make_unique<State>();
  state->bytes.assign(bytes.begin(), bytes.end());
  state->name = std::move(name);
  state->options = {.member = options.member, .product = options.product};
  Diagnostics diagnostics;
  std::vector<zebin::Input> inputs = zebin::read_inputs(state->name, state->bytes, state->options, diagnostics);
  if (inputs.size() > 1) {
    diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(state->name),
                      "the archive has several members for this; `member` or `product` chooses one");
  }
  if (options.instructions && !inputs.empty()) {
    if (const auto library = diagnostics.take(zebin::IsaLibrary::open()))
      add_instructions(inputs.front(), *library, diagnostics);
  }
  if (diagnostics.has_errors() || inputs.empty()) return problems(diagnostics.all());
  state->input = std::move(inputs.front());
  return KernelBinary(std::move(state));
}

std::string KernelBinary::version() const {
  return alive(state_).input.document.has(zeinfo::RootKey::version)
             ? std::string(zeinfo::text_of(alive(state_).input.version()))
             : std::string();
}

std::vector<KernelFigures> KernelBinary::kernels() const {
  std::vector<KernelFigures> figures;
  for (const zeinfo::Kernel& kernel : alive(state_).input.document.kernels) {
    if (kernel.name == zeinfo::kPseudoKernel) continue;
    const zeinfo::KernelSummary summary =
        zeinfo::summarize(kernel, alive(state_).input.version(), alive(state_).input.target);
    figures.push_back({.name = std::string(summary.name),
                       .simd = summary.simd,
                       .registers = summary.grf,
                       .threads_per_eu = summary.threads_per_eu,
                       .code_bytes = summary.code_bytes,
                       .spill_bytes = summary.spill_bytes,
                       .private_bytes = summary.private_bytes,
                       .scratch_bytes = summary.scratch_bytes,
                       .local_memory_bytes = summary.slm_bytes,
                       .barriers = summary.barriers,
                       .argument_bytes = summary.cross_thread_bytes,
                       .instructions = summary.instructions,
                       .sends = summary.sends});
  }
  return figures;
}

Outcome<std::vector<Problem>> KernelBinary::check(std::string_view level) const {
  const auto choice = zeinfo::parse_level(level);
  if (!choice) {
    return problems(
        Failure{{.kind = DiagnosticKind::UnknownValue,
                 .message = formatted(
                     "no level `{}`; there are spec, consistency, runtime, runtime=YY.WW and runtime=all", level)}});
  }
  // Reads the text again, because diagnostics go to the list that was passed to the reader.
  Diagnostics diagnostics;
  std::vector<zebin::Input> inputs =
      zebin::read_inputs(alive(state_).name, alive(state_).bytes, alive(state_).options, diagnostics);
  const zeinfo::Device* device =
      alive(state_).options.product.empty() ? nullptr : zeinfo::find_device(alive(state_).options.product);
  for (zebin::Input& input : inputs) zebin::check_input(input, *choice, device);
  diagnostics.sort();
  return public_problems(diagnostics.all());
}

std::vector<KernelChange> KernelBinary::diff(const KernelBinary& other) const {
  const zebin::Input &a = alive(state_).input, &b = alive(other.state_).input;
  const zeinfo::Comparison comparison = zeinfo::compare({&a.document, &a.target}, {&b.document, &b.target});
  std::vector<KernelChange> changes;
  const auto add = [&](const std::string& kernel, std::span<const zeinfo::Change> of_kernel) {
    for (const zeinfo::Change& change : of_kernel)
      changes.push_back({kernel, std::string(change.field), change.from, change.to, change.before, change.after});
  };
  add({}, comparison.whole);
  for (const zeinfo::KernelChanges& kernel : comparison.kernels) add(kernel.name, kernel.changes);
  return changes;
}

Outcome<std::vector<PayloadPart>> KernelBinary::layout(std::string_view name) const {
  const zeinfo::Kernel* kernel = find_kernel(alive(state_).input.document, name);
  if (!kernel) return no_kernel(name);
  std::vector<PayloadPart> parts;
  for (const zeinfo::PayloadRange& range :
       zeinfo::layout_of(alive(state_).input.document, *kernel, alive(state_).input.target).cross_thread)
    parts.push_back({range.offset, range.size, range.arg_index, range.what});
  return parts;
}

Outcome<std::string> KernelBinary::layout_svg(std::string_view name) const {
  const zeinfo::Kernel* kernel = find_kernel(alive(state_).input.document, name);
  if (!kernel) return no_kernel(name);
  return zebin::layout_svg(zeinfo::layout_of(alive(state_).input.document, *kernel, alive(state_).input.target));
}

Outcome<KernelOccupancy> KernelBinary::occupancy(std::string_view name, const OccupancyQuestion& question) const {
  const zeinfo::Kernel* kernel = find_kernel(alive(state_).input.document, name);
  if (!kernel) return no_kernel(name);
  auto found = zeinfo::occupancy(*kernel, alive(state_).input.target, question);
  if (!found)
    return problems(
        Failure{{.kind = DiagnosticKind::WorkGroupSize, .message = formatted("kernel `{}`: {}", name, found.error())}});
  return *std::move(found);
}

Outcome<PackedArguments> KernelBinary::pack(std::string_view name, const KernelLaunch& launch) const {
  const zeinfo::Kernel* kernel = find_kernel(alive(state_).input.document, name);
  if (!kernel) return no_kernel(name);
  zeinfo::LaunchValues values{.groups = launch.groups,
                              .local_size = launch.local_size,
                              .enqueued_local_size = launch.local_size,
                              .global_offset = launch.global_offset,
                              .global_size = launch.global_size,
                              .dimensions = 1,
                              .args = {},
                              .implicit = implicit_of(launch.implicit)};
  for (std::uint32_t d = 0; d < 3; ++d) {
    if (launch.groups[d] * launch.local_size[d] > 1) values.dimensions = d + 1;
  }
  for (const KernelArgument& argument : launch.arguments) values.args.push_back(value_of(argument));
  const auto data = zeinfo::pack_cross_thread(*kernel, alive(state_).input.target, values);
  if (!data) return problems(data.error());
  PackedArguments packed{data->bytes, data->inline_bytes, data->slm_total, {}};
  const std::vector<PayloadPart> parts = *layout(name);
  for (const zeinfo::Patch& patch : data->open) {
    const auto part = std::ranges::find(parts, patch.offset, &PayloadPart::offset);
    packed.open.push_back(
        {patch.offset, patch.size, patch.arg_index, part == parts.end() ? std::string() : part->what});
  }
  return packed;
}

Outcome<std::vector<std::byte>> KernelBinary::pack_local_ids(std::string_view name,
                                                             std::array<std::uint32_t, 3> local_size) const {
  const zeinfo::Kernel* kernel = find_kernel(alive(state_).input.document, name);
  if (!kernel) return no_kernel(name);
  auto ids = zeinfo::pack_local_ids(*kernel, alive(state_).input.target, local_size);
  if (!ids) return problems(ids.error());
  return std::move(*ids);
}

}  // namespace slipway
