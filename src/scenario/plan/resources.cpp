// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers, tensors and images of a plan, with their initial contents and output files.
#include <bit>
#include <set>

#include "base/format.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/contents/input_file.hpp"
#include "scenario/contents/outputs.hpp"
#include "scenario/paths.hpp"
#include "scenario/plan/planning.hpp"

namespace slipway::scenario {
namespace {

launch::Sampler sampler_of(const Sampler& sampler) {
  launch::Sampler made{.min_filter = sampler.min_filter,
                       .mag_filter = sampler.mag_filter,
                       .mip_filter = sampler.mip_filter,
                       .address_mode = sampler.address_mode,
                       .border_color = sampler.border_color.value_or(vk::BorderColor::FLOAT_TRANSPARENT_BLACK),
                       .compare = sampler.compare_operation};
  if (sampler.custom_border_color) {
    for (std::size_t i = 0; i < made.custom_color.size(); ++i) {
      const double value = (*sampler.custom_border_color)[i];
      made.custom_color[i] = made.border_color == vk::BorderColor::INT_CUSTOM_EXT
                                 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(value))
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    }
  }
  return made;
}

// Images that draws use as depth attachment.
std::set<std::string, std::less<>> depth_attachments(const Scenario& scenario) {
  std::set<std::string, std::less<>> uids;
  scenario.commands.each<Draw>([&](const Command& command) {
    const auto* draw = get_boxed_if<Draw>(command);
    if (draw->depth_attachment) uids.insert(draw->depth_attachment->image.uid);
  });
  return uids;
}

class ResourcePlanner {
 public:
  explicit ResourcePlanner(Planning& planning)
      : planning_(planning),
        diagnostics_(planning.diagnostics),
        depth_attachments_(depth_attachments(planning.scenario)) {}

  void make(const Buffer& buffer) {
    launch::Resource made = begin(buffer, "Load Buffer");
    made.kind = launch::Buffer{.size = buffer.size};
    if (buffer.contents.given() && !fill(made, buffer_contents(input(buffer), buffer.size, diagnostics_))) return;
    if (!buffer.results.dst.empty()) made.outputs = {buffer_output(output(buffer), buffer.size)};
    add(std::move(made));
  }

  // A tensor is a buffer of its elements, which shaders that are rewritten for storage buffers access.
  void make(const Tensor& tensor) {
    launch::Resource made = begin(tensor, "Load Tensor");
    const auto type = diagnostics_.take(tensor::tensor_element_type(*tensor.format.value, tensor.at.location()));
    if (!type) return;
    const tensor::Shape& shape = tensor.dims;
    const Size size = tensor::byte_count(shape, *type);
    if (!size) return too_large(tensor.at["dims"], tensor.uid);
    made.kind = launch::Buffer{.size = *size, .tensor = true};
    made.element_size = static_cast<std::uint32_t>(tensor::size_of(*type));
    const bool filled =
        !tensor.contents.given() ||
        fill(made, array_contents(input(tensor), *tensor.format.value, shape, ShapeRule::SameBytes, diagnostics_));
    if (!tensor.results.dst.empty()) made.outputs = {tensor_output(output(tensor), *type, shape)};
    if (!filled) return;
    planning_.tensors.emplace(planning_.plan.resources.size(), PlannedTensor{&tensor, *type});
    add(std::move(made));
  }

  void make(const Image& image) {
    launch::Resource made = begin(image, "Load Image");
    const tensor::FormatInfo* info = tensor::find_format(tensor::created_as(*image.format.value));
    if (!info) {
      diagnostics_.add(json::problem(
          image.at["format"], DiagnosticKind::Unsupported,
          formatted("this build does not know the texels of {} and cannot load or store them", image.format.name)));
      return;
    }
    if (!tensor::level_bytes(*info, image.extent[0], image.extent[1], image.slices())) {
      return too_large(image.at["dims"], image.uid);
    }
    launch::Image kind{.format = info->format,
                       .extent = image.extent,
                       .layers = image.layers,
                       .mips = image.mips,
                       .color_attachment = image.color_attachment,
                       .sampler = sampler_of(image.sampler)};
    // Usage flags by declared access (docs/spec/scenario.md#images); bindings may add flags.
    kind.sampled = image.access == Access::ReadOnly || image.access == Access::ReadWrite;
    kind.storage = image.access != Access::ReadOnly && !image.color_attachment;
    kind.tiling = image.tiling;
    if (image.contents.given()) {
      auto contents = image_contents(input(image), image, diagnostics_);
      if (!contents) return;
      kind.format = contents->format;
      made.initial = std::move(contents->levels);
    }
    if (!image.results.dst.empty()) {
      auto stored = image_output(output(image), *tensor::find_format(kind.format), image,
                                 planning_.options.legacy_dds ? tensor::DdsHeader::Legacy : tensor::DdsHeader::Dx10,
                                 diagnostics_);
      if (!stored) return;
      made.outputs = {std::move(*stored)};
    }
    if (depth_attachments_.contains(image.uid)) {
      // Draws need stencil, which files do not contain.
      kind.depth_attachment = true;
      if (kind.format == info->format) kind.format = *image.format.value;
    }
    made.kind = kind;
    add(std::move(made));
  }

  void make(const RawData& raw_data) {
    if (auto contents = raw_data_contents(input(raw_data), diagnostics_)) {
      planning_.raw_data.emplace(raw_data.uid, std::move(*contents));
    }
  }

  void make(const GraphConstant& constant) { open_graph_constant(planning_, constant); }
  void make(const Graph& graph) { open_graph(planning_, graph); }

  // Shaders are planned by their own stage; barriers are resolved by the commands that use them.
  void make(const Shader&) {}
  void make(const MemoryBarrier&) {}
  void make(const BufferBarrier&) {}
  void make(const ImageBarrier&) {}
  void make(const TensorBarrier&) {}

 private:
  template <class T>
  launch::Resource begin(const T& resource, std::string_view counter) const {
    return {.name = resource.uid,
            .origin = origin_of(resource.at),
            .load_counter = formatted("{}: {}", counter, resource.uid)};
  }

  template <class T>
  ContentsInput input(const T& resource) const {
    return {planning_.scenario, resource.contents, resource.at};
  }

  template <class T>
  Path output(const T& resource) const {
    return output_path(planning_.scenario, resource.results.dst, planning_.options.output);
  }

  static bool fill(launch::Resource& made, std::optional<launch::Contents> contents) {
    if (contents) made.initial = {std::move(*contents)};
    return contents.has_value();
  }

  void too_large(json::Value dims, const std::string& uid) {
    diagnostics_.add(json::problem(dims, DiagnosticKind::OutOfRange,
                                   formatted("`{}` would have more bytes than 64 bits can count", uid)));
  }

  void add(launch::Resource made) {
    if (planning_.scenario.confine) {
      for (launch::Output& output : made.outputs)
        output.confined_to = output_root(planning_.scenario, planning_.options.output);
    }
    planning_.resources.emplace(made.name, static_cast<launch::ResourceIndex>(planning_.plan.resources.size()));
    planning_.plan.resources.push_back(std::move(made));
  }

  Planning& planning_;
  Diagnostics& diagnostics_;
  std::set<std::string, std::less<>> depth_attachments_;
};

}  // namespace

void plan_resources(Planning& planning) {
  ResourcePlanner maker(planning);
  for (const Resource& resource : planning.scenario.resources) {
    if (planning.has_errors_in(object_of(resource))) continue;
    if (std::holds_alternative<Shader>(resource)) continue;  // planned later
    // Buffers, tensors and images that nothing uses are made and filled, unless their file is missing.
    const bool opened = std::holds_alternative<RawData>(resource) || std::holds_alternative<GraphConstant>(resource) ||
                        std::holds_alternative<Graph>(resource);
    if (opened ? is_unused(planning, resource) : lacks_unused_file(planning, resource)) continue;
    std::visit([&](const auto& of) { maker.make(of); }, resource);
  }
  plan_sharing(planning);
}

}  // namespace slipway::scenario
