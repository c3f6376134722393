// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contents into and out of resources.
//
// A batch collects copies and runs them in one submission. Buffers that the host sees are written and read directly,
// without a staging copy; everything else goes through staging memory of at most kStagingBytes, so that the size of the
// data does not matter: when it is full it is submitted and used again. Staging memory goes with the batch.
//
//   Result<Transfer> batch = create_transfer(device);
//   batch->prepare(image);
//   batch->upload(buffer, 0, bytes);
//   batch->upload(image, 0, texels);
//   batch->finish();
//
// The copies of one batch may run in any order, writes by the host at once: operations on the same memory need a
// finish() between them. Images are in General. What has been submitted before must have ended before the batch begins.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "gpu/commands/commands.hpp"

namespace slipway::gpu {

inline constexpr std::uint64_t kStagingBytes = 64ull << 20;

class Transfer {
 public:
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();

  // From Undefined to General; the contents are lost. Copies recorded later in the batch come after it.
  Result<> prepare(const Image& image);
  Result<> upload(const Buffer& buffer, std::uint64_t offset, Bytes data);
  // A whole level, rows packed tightly: packed_size(level) bytes.
  Result<> upload(const Image& image, std::uint32_t level, Bytes data);
  Result<> zero(const Buffer& buffer);
  Result<> zero(const Image& image);
  // The bytes are there after finish().
  Result<> download(const Buffer& buffer, std::uint64_t offset, MutableBytes data);
  Result<> download(const Image& image, std::uint32_t level, MutableBytes data);

  // Records something of the caller's own into the batch, after a barrier against what came before it (mips, for
  // instance).
  CommandList& commands();
  // Runs everything and waits.
  Result<> finish();

 private:
  friend Result<Transfer> create_transfer(const Device& device, std::uint64_t staging_bytes);
  struct State;
  explicit Transfer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// `staging_bytes` is the most staging memory in each direction; at least one row of any image in the batch.
Result<Transfer> create_transfer(const Device& device, std::uint64_t staging_bytes = kStagingBytes);

}  // namespace slipway::gpu
