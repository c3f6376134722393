// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu/commands/mips.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/format.hpp"
#include "gpu/device/device.hpp"
#include "gpu/memory/sampler.hpp"
#include "gpu/mip_shaders.inc"

namespace slipway::gpu {
namespace {

std::span<const std::uint32_t> shader_for(const vk::ImageInfo& info) {
  const std::string format = vk::name_of(info.format);
  const bool volume = info.depth > 1;
  if (format.contains("_UINT")) return volume ? std::span(kMipShader_3D_uint) : std::span(kMipShader_2D_uint);
  if (format.contains("_SINT")) return volume ? std::span(kMipShader_3D_int) : std::span(kMipShader_2D_int);
  return volume ? std::span(kMipShader_3D_float) : std::span(kMipShader_2D_float);
}

std::uint64_t tiled_features(const Device& device, const Image& image) {
  const vk::FormatFeatures features = device.snapshot().format_features(image.info().format);
  return image.tiling() == vk::Tiling::Linear ? features.linear : features.optimal;
}

}  // namespace

struct MipRecorder {
  const Device& device;
  CommandList& commands;
  const Image& image;
  MipWork& work;

  Result<> prepare() {
    constexpr std::uint64_t needed = vk::format_feature::kSampledImage | vk::format_feature::kStorageImage |
                                     vk::format_feature::kStorageWriteWithoutFormat;
    if ((tiled_features(device, image) & needed) != needed || !image.info().uses.storage ||
        !image.info().uses.sampled) {
      return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                  formatted("mips of `{}` images need a queue with graphics (image `{}`)",
                            vk::name_of(image.info().format), image.info().name));
    }
    const bool linear = tiled_features(device, image) & vk::format_feature::kSampledLinear;
    const vk::Filter filter = linear ? vk::Filter::LINEAR : vk::Filter::NEAREST;
    Result<Owned<VkSampler_T>> sampler =
        create_sampler(device, {.min_filter = filter, .mag_filter = filter, .name = "mips"});
    if (!sampler) return fail(std::move(sampler.error()));
    work.sampler_ = std::move(*sampler);
    Result<PipelineLayout> layout =
        create_pipeline_layout(device, {.sets = {{{.binding = 0, .type = vk::DescriptorType::COMBINED_IMAGE_SAMPLER},
                                                  {.binding = 1, .type = vk::DescriptorType::STORAGE_IMAGE}}},
                                        .push_constants_size = 12,
                                        .name = "mips"});
    if (!layout) return fail(std::move(layout.error()));
    work.layout_ = std::make_unique<PipelineLayout>(std::move(*layout));
    Result<Pipeline> pipeline = create_compute_pipeline(
        device,
        {.shader = {.words = shader_for(image.info())}, .layout = work.layout_.get(), .options = {.name = "mips"}});
    if (!pipeline) return fail(std::move(pipeline.error()));
    work.pipeline_ = std::move(*pipeline);
    return {};
  }

  Result<> make_sets(std::uint32_t first_level) {
    std::vector<DescriptorSetInfo> infos;
    for (std::uint32_t level = first_level; level < image.info().mips; ++level) {
      DescriptorSetInfo info{.layout = work.layout_.get()};
      for (std::uint32_t binding : {0u, 1u}) {  // the level above, this level
        Result<Owned<VkImageView_T>> view = create_image_view(device, image, level - 1 + binding, 1);
        if (!view) return fail(std::move(view.error()));
        info.writes.push_back({.binding = binding, .view = view->get(), .sampler = work.sampler_.get()});
        work.views_.push_back(std::move(*view));
      }
      infos.push_back(std::move(info));
    }
    Result<DescriptorSets> sets = create_descriptor_sets(device, infos);
    if (!sets) return fail(std::move(sets.error()));
    work.sets_ = std::move(*sets);
    return {};
  }

  void dispatch(std::uint32_t level, std::size_t set) {
    const std::array<std::uint32_t, 3> size = image.extent(level);
    VkDescriptorSet_T* const handle = work.sets_[set];
    commands.bind(*work.pipeline_);
    commands.bind_sets(*work.pipeline_, 0, {&handle, 1});
    commands.push_constants(*work.pipeline_, std::as_bytes(std::span(size)));
    commands.dispatch((size[0] + 7) / 8, (size[1] + 7) / 8, size[2]);
  }
};

Result<MipWork> record_mips(const Device& device, CommandList& commands, const Image& image,
                            std::uint32_t first_level) {
  MipWork work;
  MipRecorder recorder{device, commands, image, work};
  const bool blit = !vk::mips_need_storage(device.plan());
  if (first_level >= image.info().mips) return work;
  if (!blit && (image.info().layers > 1 || image.info().line)) {
    return fail(DiagnosticKind::DeviceLacks, SourceLocation::nowhere(),
                formatted("mips of 1D images and of images with layers need a queue with graphics (image `{}`)",
                          image.info().name));
  }
  if (!blit) {
    if (Result<> prepared = recorder.prepare(); !prepared) return fail(std::move(prepared.error()));
    if (Result<> made = recorder.make_sets(first_level); !made) return fail(std::move(made.error()));
  }
  commands.full_barrier();
  for (std::uint32_t level = first_level; level < image.info().mips; ++level) {
    if (blit) {
      commands.blit_level(image, level);
    } else {
      recorder.dispatch(level, level - first_level);
    }
    commands.full_barrier();
  }
  return work;
}

}  // namespace slipway::gpu
