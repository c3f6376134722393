// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transactions: the control code of AIE2 and AIE2P arrays (aie-rt, version 1.0 of transactions). The software NPU
// executes what concerns the host: register writes, buffer descriptors and task queues of shim DMAs, address patches,
// and syncs with tokens. There is no array: what a shim reads on a channel of a column arrives at the same channel of
// that column, so that a design copies buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace slipway::recipe::software_npu {

struct TransactionResult {
  bool starts_dma = false;  // otherwise nothing was copied
  bool waits = false;       // for a token that does not come
  std::string fault;        // empty: none
};

// The memory at an address of the device, up to the end of its buffer; nothing without a buffer there.
using FindMemory = std::function<std::optional<std::span<std::byte>>(std::uint64_t address)>;

bool is_transaction(std::span<const std::byte> code);
// Executes code that `is_transaction`.
TransactionResult run_transaction(std::span<const std::byte> code, const FindMemory& find);

}  // namespace slipway::recipe::software_npu
