// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/resources/upload.hpp"

#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "executors/vulkan/resources/texel_copies.hpp"
#include "gpu/commands/mips.hpp"
#include "gpu/commands/transfer.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {
namespace {

class Uploader {
 public:
  Uploader(const Plan& plan, const gpu::Device& device, const Resources& resources, gpu::Transfer transfer)
      : plan_(plan), device_(device), resources_(resources), transfer_(std::move(transfer)) {}

  // Layouts come first: giving an image its layout may destroy what shares its memory.
  Result<> prepare_images() {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      if (!is_image(i)) continue;
      if (Result<> prepared = transfer_.prepare(resources_.image(i)); !prepared) return at(i, std::move(prepared));
    }
    return {};
  }

  // Members of a memory group in order, as they overlap; contents are only written when all of them are zero.
  Result<> zero_shared() {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      if (!plan_.resources[i].sharing) continue;
      Result<> zeroed =
          transfer_.finish().and_then([&] { return zero(i); }).and_then([&] { return transfer_.finish(); });
      if (!zeroed) return at(i, std::move(zeroed));
    }
    return {};
  }

  Result<> zero_shadows() {
    for (const auto& [image, shadow] : resources_.shadows()) {
      if (Result<> zeroed = transfer_.zero(shadow); !zeroed) return at(image, std::move(zeroed));
    }
    return transfer_.finish();
  }

  Result<> fill(ResourceIndex index) {
    const Resource& resource = plan_.resources[index];
    if (const auto* buffer = std::get_if<Buffer>(&resource.kind); buffer && buffer->external) return {};
    Result<> filled;
    if (!resource.sharing && resource.initial.empty() && !is_multisampled(index)) filled = zero(index);
    for (std::uint32_t level = 0; level < resource.initial.size() && filled; ++level) {
      filled = is_image(index) ? upload_level(index, level) : upload_buffer(index);
    }
    return at(index, std::move(filled));
  }

  Result<> make_mips() {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      const std::size_t given = plan_.resources[i].initial.size();
      if (!is_image(i) || given == 0 || given >= resources_.image(i).info().mips) continue;
      Result<gpu::MipWork> work =
          gpu::record_mips(device_, transfer_.commands(), resources_.image(i), static_cast<std::uint32_t>(given));
      if (!work) return fail(located(std::move(work.error()), plan_.resources[i].origin));
      mips_.push_back(std::move(*work));
    }
    return {};
  }

  // What commands, and results without any, begin with.
  Result<> copy_texels() {
    if (resources_.shadows().empty()) return {};
    TexelCopies copies(plan_, resources_);
    copies.after_upload();
    copies.finish(transfer_.commands(), ImageLayouts(plan_));
    return {};
  }

  Result<> finish() { return transfer_.finish(); }

 private:
  bool is_image(ResourceIndex index) const { return std::holds_alternative<Image>(plan_.resources[index].kind); }

  bool is_multisampled(ResourceIndex index) const {
    return is_image(index) && resources_.image(index).info().samples > 1;
  }

  Result<> at(ResourceIndex index, Result<> result) const {
    if (result) return result;
    return fail(located(std::move(result.error()), plan_.resources[index].origin));
  }

  Result<> zero(ResourceIndex index) {
    return is_image(index) ? transfer_.zero(resources_.image(index)) : transfer_.zero(resources_.buffer(index));
  }

  // Row by row, as something else may lie between them.
  Result<> upload_rows(ResourceIndex index, const TexelRows& rows) {
    const Contents& contents = plan_.resources[index].initial[0];
    if (contents.size > rows.count * rows.bytes) return mismatch(contents.size, rows.count * rows.bytes);
    const gpu::Buffer& buffer = resources_.buffer(index);
    const std::uint64_t stride = resources_.row_stride(rows);
    return with_bytes(contents, rows.count * rows.bytes, [&](Bytes bytes) {
      Result<> done;
      for (std::uint64_t i = 0; i < rows.count && done; ++i) {
        const Bytes row = bytes.subspan(i * rows.bytes, rows.bytes);
        if (const MutableBytes mapped = buffer.mapped(); !mapped.empty()) {
          std::ranges::copy(row, mapped.subspan(i * stride).begin());
        } else {
          done = transfer_.upload(buffer, i * stride, row);
        }
      }
      return done;
    });
  }

  // Straight into the buffer where the host sees it. Contents that are shorter than the buffer are followed by zeros.
  Result<> upload_buffer(ResourceIndex index) {
    if (const auto& rows = std::get<Buffer>(plan_.resources[index].kind).rows) return upload_rows(index, *rows);
    const Contents& contents = plan_.resources[index].initial[0];
    const gpu::Buffer& buffer = resources_.buffer(index);
    if (contents.size > buffer.size()) return mismatch(contents.size, buffer.size());
    if (const MutableBytes mapped = buffer.mapped(); !mapped.empty()) {
      std::ranges::fill(mapped.subspan(contents.size), std::byte{});
      return contents.write(mapped.first(contents.size));
    }
    return with_bytes(contents, buffer.size(), [&](Bytes bytes) { return transfer_.upload(buffer, 0, bytes); });
  }

  Result<> upload_level(ResourceIndex index, std::uint32_t level) {
    const Contents& contents = plan_.resources[index].initial[level];
    const gpu::Image& image = resources_.image(index);
    if (contents.size != image.packed_size(level)) return mismatch(contents.size, image.packed_size(level));
    return with_bytes(contents, contents.size, [&](Bytes bytes) { return transfer_.upload(image, level, bytes); });
  }

  static Result<> mismatch(std::uint64_t given, std::uint64_t size) {
    return fail(DiagnosticKind::FileMismatch, {},
                formatted("the contents have {} bytes, but the resource has {}", given, size));
  }

  template <class Use>
  static Result<> with_bytes(const Contents& contents, std::uint64_t size, Use use) {
    const auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
    const MutableBytes all(bytes.get(), size);
    std::ranges::fill(all.subspan(contents.size), std::byte{});
    return contents.write(all.first(contents.size)).and_then([&] { return use(all); });
  }

  const Plan& plan_;
  const gpu::Device& device_;
  const Resources& resources_;
  std::vector<gpu::MipWork> mips_;  // outlives the commands of the transfer
  gpu::Transfer transfer_;
};

}  // namespace

Result<> upload_contents(const Plan& plan, const gpu::Device& device, const Resources& resources,
                         PerfCounters& counters) {
  Result<gpu::Transfer> transfer = gpu::create_transfer(device);
  if (!transfer) return fail(std::move(transfer.error()));
  Uploader uploader(plan, device, resources, std::move(*transfer));
  Result<> done = uploader.prepare_images().and_then([&] { return uploader.zero_shadows(); }).and_then([&] {
    return uploader.zero_shared();
  });
  for (ResourceIndex i = 0; i < plan.resources.size() && done; ++i) {
    if (plan.resources[i].load_counter.empty()) {
      done = uploader.fill(i);
    } else {
      const ScopedTimer timer(counters, CounterCategory::ScenarioSetup, plan.resources[i].load_counter);
      done = uploader.fill(i);
    }
  }
  return done.and_then([&] { return uploader.make_mips(); })
      .and_then([&] { return uploader.copy_texels(); })
      .and_then([&] { return uploader.finish(); });
}

}  // namespace slipway::launch
