// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "xrt_module/software_npu/transaction.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace slipway::recipe::software_npu {
namespace {

// Operations of transactions, and the sizes of their headers in bytes.
enum Operation : std::uint8_t {
  kWrite = 0,
  kBlockWrite = 1,
  kMaskWrite = 3,
  kMaskPoll = 4,
  kNoOperation = 5,
  kPreempt = 6,
  kMaskPollBusy = 7,
  kSync = 128,
  kAddressPatch = 129,
  kReadRegisters = 130,
  kRecordTimer = 131,
  kMergeSync = 132,
};
constexpr std::size_t kHeaderSize = 16, kWord = 4;

// A register address is column << 25 | row << 20 | offset in the tile; the shims are in row 0.
constexpr std::uint32_t kColumnShift = 25, kRowShift = 20, kRowMask = 0x1f, kOffsetMask = (1u << kRowShift) - 1;
// Of a shim's DMA.
constexpr std::uint32_t kDescriptors = 0x1d000, kDescriptorSize = 0x20, kDescriptorCount = 16;
constexpr std::uint32_t kQueues = 0x1d204, kQueueStride = 8, kQueueCount = 4;  // S2MM 0, 1, MM2S 0, 1
// DDR as the array sees it.
constexpr std::uint64_t kDdrOffset = 0x80000000;

struct Stream {
  std::deque<std::byte> bytes;
  std::deque<std::uint32_t> waiting;  // writes of queues that wait for data
  std::uint64_t tokens = 0;
};

class Machine {
 public:
  explicit Machine(const FindMemory& find) : find_(find) {}

  TransactionResult run(std::span<const std::byte> code) {
    const std::uint32_t count = word(code, 8);
    std::size_t at = kHeaderSize;
    for (std::uint32_t i = 0; i < count && result_.fault.empty() && !result_.waits; ++i) {
      const std::size_t size = size_of(code, at);
      if (size < kWord || size > code.size() - std::min(at, code.size())) {
        fault(formatted("operation {} at byte {} is not one of a transaction, or is truncated", i, at));
        break;
      }
      execute(code.subspan(at, size));
      at += size;
    }
    return std::move(result_);
  }

 private:
  static std::uint32_t word(std::span<const std::byte> code, std::size_t at) {
    std::uint32_t value = 0;
    if (at + kWord <= code.size()) std::memcpy(&value, code.data() + at, kWord);
    return value;
  }

  // 0: not an operation.
  static std::size_t size_of(std::span<const std::byte> code, std::size_t at) {
    if (at + kWord > code.size()) return 0;
    switch (std::to_integer<std::uint8_t>(code[at])) {
      case kWrite:
        return 12;
      case kMaskWrite:
      case kMaskPoll:
      case kMaskPollBusy:
        return 16;
      case kNoOperation:
      case kPreempt:
        return 4;
      case kBlockWrite: {
        const std::uint32_t size = word(code, at + 8);
        return size < 12 ? 0 : size;
      }
      case kSync:
      case kAddressPatch:
      case kReadRegisters:
      case kRecordTimer:
      case kMergeSync: {
        const std::uint32_t size = word(code, at + 4);
        return size < 8 ? 0 : size;
      }
      default:
        return 0;
    }
  }

  void fault(std::string text) {
    if (result_.fault.empty()) result_.fault = std::move(text);
  }

  void execute(std::span<const std::byte> operation) {
    switch (std::to_integer<std::uint8_t>(operation[0])) {
      case kWrite:
        return write(word(operation, 4), word(operation, 8));
      case kMaskWrite: {
        const std::uint32_t address = word(operation, 4), value = word(operation, 8), mask = word(operation, 12);
        return write(address, (registers_[address] & ~mask) | (value & mask));
      }
      case kBlockWrite:
        for (std::size_t at = 12; at + kWord <= operation.size(); at += kWord)
          write(word(operation, 4) + static_cast<std::uint32_t>(at - 12), word(operation, at));
        return;
      case kAddressPatch:
        return patch(word(operation, 8), word(operation, 12), word(operation, 16));
      case kSync:
        return sync(word(operation, 8), word(operation, 12));
      default:
        return;  // nothing that the host sees
    }
  }

  static std::uint32_t column_of(std::uint32_t address) { return address >> kColumnShift; }

  void write(std::uint32_t address, std::uint32_t value) {
    registers_[address] = value;
    if ((address >> kRowShift & kRowMask) != 0) return;
    const std::uint32_t offset = address & kOffsetMask;
    if (offset < kQueues || offset >= kQueues + kQueueCount * kQueueStride || (offset - kQueues) % kQueueStride != 0)
      return;
    const std::uint32_t queue = (offset - kQueues) / kQueueStride, channel = queue % 2;
    result_.starts_dma = true;
    Stream& stream = streams_[{column_of(address), channel}];
    if (queue >= 2) {
      read_buffer(column_of(address), value, stream);
      if ((value >> 31) != 0) ++read_tokens_[{column_of(address), channel}];
    } else {
      stream.waiting.push_back(value);
    }
    move(column_of(address), stream);
  }

  // The code names the argument whose address is in a buffer descriptor. XRT has added it there; an argument that was
  // not set leaves what the code had.
  void patch(std::uint32_t address, std::uint32_t argument, std::uint32_t added) {
    if (address_at(address) <= added)
      fault(formatted("argument {} is not set: nothing wrote its address to register {:#x}", argument, address));
  }

  // 48 bits: a register, and the low half of the next one.
  std::uint64_t address_at(std::uint32_t address) {
    return registers_[address] | static_cast<std::uint64_t>(registers_[address + 4] & 0xffff) << 32;
  }

  std::optional<std::span<std::byte>> memory(std::uint64_t address) const {
    if (auto found = find_(address)) return found;
    return address >= kDdrOffset ? find_(address - kDdrOffset) : std::nullopt;
  }

  // --- buffer descriptors ---

  // Calls `visit` with each word of the memory that a write of a queue names, in order. Returns false after a fault.
  template <class Visit>
  bool for_each_word(std::uint32_t column, std::uint32_t task, Visit visit) {
    const std::uint32_t first = task & 0xf, repeats = (task >> 16 & 0xff) + 1;
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      std::uint32_t index = first;
      for (std::uint32_t chained = 0; chained < kDescriptorCount; ++chained) {
        const std::uint32_t at = column << kColumnShift | (kDescriptors + index * kDescriptorSize);
        const std::uint32_t last = registers_[at + 28];
        if ((last >> 25 & 1) == 0) {
          fault(formatted("column {} starts buffer descriptor {}, which is not valid", column, index));
          return false;
        }
        if (!visit_descriptor(column, index, at, repeat, visit)) return false;
        if ((last >> 26 & 1) == 0) break;
        index = last >> 27 & 0xf;
      }
    }
    return true;
  }

  template <class Visit>
  bool visit_descriptor(std::uint32_t column, std::uint32_t index, std::uint32_t at, std::uint32_t repeat,
                        Visit visit) {
    const std::uint64_t address = address_at(at + 4) & ~std::uint64_t{3};
    const std::uint32_t length = registers_[at];
    const auto found = memory(address);
    if (!found) {
      fault(address == 0 ? formatted("buffer descriptor {} of column {} has no address", index, column)
                         : formatted("the address {:#x} of buffer descriptor {} of column {} is not in a buffer",
                                     address, index, column));
      return false;
    }
    // Steps are stored minus 1; a wrap of 0 does not end.
    const auto step = [](std::uint32_t value) { return std::uint64_t{value & 0xfffff} + 1; };
    const auto wrap = [](std::uint32_t value) { return value >> 20 & 0x3ff; };
    const std::uint32_t d0 = registers_[at + 12], d1 = registers_[at + 16], d2 = registers_[at + 20],
                        iteration = registers_[at + 24];
    const std::uint32_t rounds = (iteration >> 20 & 0x3f) + 1;
    const std::uint64_t base = rounds > 1 ? repeat % rounds * step(iteration) : 0;
    std::uint64_t i0 = 0, i1 = 0, i2 = 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint64_t offset = (base + i0 * step(d0) + i1 * step(d1) + i2 * step(d2)) * kWord;
      if (offset > found->size() || found->size() - offset < kWord) {
        fault(
            formatted("buffer descriptor {} of column {} reaches byte {} after its address, where {} bytes are left "
                      "in the buffer",
                      index, column, offset + kWord, found->size()));
        return false;
      }
      visit(found->data() + offset);
      ++i0;
      if (wrap(d0) == 0 || i0 < wrap(d0)) continue;
      i0 = 0;
      ++i1;
      if (wrap(d1) == 0 || i1 < wrap(d1)) continue;
      i1 = 0;
      ++i2;
    }
    return true;
  }

  void read_buffer(std::uint32_t column, std::uint32_t task, Stream& stream) {
    for_each_word(column, task,
                  [&](const std::byte* from) { stream.bytes.insert(stream.bytes.end(), from, from + kWord); });
  }

  // Writes what has arrived to the buffers that wait for it, each when all of it is there.
  void move(std::uint32_t column, Stream& stream) {
    while (!stream.waiting.empty() && result_.fault.empty()) {
      const std::uint32_t task = stream.waiting.front();
      std::vector<std::byte*> words;
      if (!for_each_word(column, task, [&](std::byte* to) { words.push_back(to); })) return;
      if (words.size() * kWord > stream.bytes.size()) return;
      for (std::byte* to : words) {
        std::copy_n(stream.bytes.begin(), kWord, to);
        stream.bytes.erase(stream.bytes.begin(), stream.bytes.begin() + kWord);
      }
      stream.waiting.pop_front();
      if ((task >> 31) != 0) ++stream.tokens;
    }
  }

  // Waits for a token of each channel that the operation names.
  void sync(std::uint32_t what, std::uint32_t which) {
    const bool reads = (what & 0xff) != 0;
    const std::uint32_t first = what >> 16 & 0xff, channel = which >> 24 & 0xff,
                        columns = std::max(which >> 16 & 0xffu, 1u);
    for (std::uint32_t column = first; column < first + columns; ++column) {
      std::uint64_t& tokens = reads ? read_tokens_[{column, channel}] : streams_[{column, channel}].tokens;
      if (tokens == 0) {
        result_.waits = true;
        result_.fault = formatted("a sync waits for a token of {} channel {} of column {}, which does not come",
                                  reads ? "MM2S" : "S2MM", channel, column);
        return;
      }
      --tokens;
    }
  }

  const FindMemory& find_;
  TransactionResult result_;
  std::map<std::uint32_t, std::uint32_t> registers_;
  using Channel = std::pair<std::uint32_t, std::uint32_t>;  // column, channel
  std::map<Channel, Stream> streams_;
  std::map<Channel, std::uint64_t> read_tokens_;
};

}  // namespace

bool is_transaction(std::span<const std::byte> code) {
  // Version 1.0, and a size that is that of the code or less.
  if (code.size() < kHeaderSize || code[0] != std::byte{1} || code[1] != std::byte{0}) return false;
  std::uint32_t size = 0;
  std::memcpy(&size, code.data() + 12, kWord);
  return size >= kHeaderSize && size <= code.size();
}

TransactionResult run_transaction(std::span<const std::byte> code, const FindMemory& find) {
  return Machine(find).run(code);
}

}  // namespace slipway::recipe::software_npu
