// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/resources/read_back.hpp"

#include "gpu/commands/transfer.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {

Result<Readback> read_back(const Plan& plan, const gpu::Device& device, const Resources& resources,
                           const std::set<ResourceIndex>& wanted) {
  Result<gpu::Transfer> transfer = gpu::create_transfer(device);
  if (!transfer) return fail(std::move(transfer.error()));
  Readback readback;
  for (const ResourceIndex index : wanted) {
    Result<> done;
    const auto* kind = std::get_if<Buffer>(&plan.resources[index].kind);
    if (!kind) {
      const gpu::Image& image = resources.image(index);
      done = transfer->download(image, 0, readback.copy_of(index, image.packed_size(0)));
    } else if (kind->rows) {
      const std::uint64_t stride = resources.row_stride(*kind->rows);
      const MutableBytes packed = readback.copy_of(index, kind->rows->count * kind->rows->bytes);
      for (std::uint64_t i = 0; i < kind->rows->count && done; ++i) {
        const MutableBytes row = packed.subspan(i * kind->rows->bytes, kind->rows->bytes);
        done = transfer->download(resources.buffer(index), i * stride, row);
      }
    } else if (const gpu::Buffer& buffer = resources.buffer(index);
               buffer.memory().cached() && !buffer.mapped().empty()) {
      readback.show(index, buffer.mapped());
    } else {
      done = transfer->download(buffer, 0, readback.copy_of(index, buffer.size()));
    }
    if (!done) return fail(located(std::move(done.error()), plan.resources[index].origin));
  }
  return transfer->finish().transform([&] { return std::move(readback); });
}

}  // namespace slipway::launch
