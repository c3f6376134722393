// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a kernel's payload, as a value to print or draw.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"

namespace slipway::zeinfo {

// A range of bytes that belongs to one argument or to none. Ranges are in address order; bytes of several arguments
// form a range "(overlap)".
struct PayloadRange {
  enum class Kind { Argument, Hole, Overlap };
  Kind kind = Kind::Argument;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  ArgType type = ArgType::unset;
  std::optional<std::uint32_t> argument;  // index in payload_arguments (or the per-thread ones)
  std::int32_t arg_index = -1;
  std::string owner;        // "n", from kernels_misc_info or a table; "" if unknown
  std::string what;         // "stateless address", "value bytes 4..8", "local_size", "(hole)", "(overlap)"
  bool misaligned = false;  // by the rule arg-alignment
  bool operator==(const PayloadRange&) const = default;
};

struct PayloadLayout {
  std::string kernel;
  std::uint32_t cross_thread_size = 0;  // rounded up to 32
  std::uint32_t used = 0;               // end of the last argument
  std::uint32_t inline_size = 0;        // the first bytes, which travel in the command
  std::uint32_t per_thread_size = 0;
  std::uint32_t local_id_bytes = 0;  // of the ids of one dimension in `local_id`, x before y before z; 0: unknown
  std::optional<int> grf_bytes;      // width of a register in bytes; empty: target unknown
  std::vector<PayloadRange> cross_thread;
  std::vector<PayloadRange> per_thread;
  // Arguments without space: stateful pointers and samplers.
  std::vector<PayloadRange> elsewhere;
};

// Arguments with offsets and sizes that are negative or beyond 16 bits are left out (rules arg-negative, arg-range).
PayloadLayout layout_of(const Document& document, const Kernel& kernel, const Target& target);

// As text, one line per range, with register boundaries and the end of inline data marked.
std::string print(const PayloadLayout& layout);

// The alignment that the rule arg-alignment requires for an argument: 1, 4 or 8.
std::uint32_t natural_alignment(const PayloadArgument& argument);
// The name of an argument in the kernel's entry of kernels_misc_info; null if absent.
const ArgInfo* arg_info(const Document& document, const Kernel& kernel, std::int32_t index);

}  // namespace slipway::zeinfo
