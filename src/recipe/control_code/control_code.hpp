// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control-code and configuration ELF files of NPUs (docs/spec/recipe.md#control-code-elf-files): what XRT calls
// `xrt::elf`.
//
// A control-code ELF holds the commands for an NPU's controller for one kernel of an xclbin; a configuration
// ("full") ELF also holds the design, and replaces the xclbin. Only headers, symbols and the table of addresses to
// patch are read, not the code.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe::control_code {

using xclbin::Uuid;

struct ControlSection {
  std::uint32_t index = 0;
  std::string name;
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t link = 0;
  std::uint32_t info = 0;

  bool compressed() const { return (flags & 0x800) != 0; }
};

// A variant of a kernel with its own code: `kernel:instance` in recipes.
struct Instance {
  std::string name;
  std::uint32_t group_section = 0;
  std::vector<std::uint32_t> members;  // sections
};

struct ControlKernel {
  std::string name;
  std::vector<std::string> arguments;  // types, "char*"
  std::vector<Instance> instances;
};

// A location in the code that an address is written to before it runs.
struct ControlPatch {
  std::string symbol;         // the argument's index in decimal, or a name
  std::uint32_t section = 0;  // index of the patched section
  std::uint32_t offset = 0;   // in that section
  std::uint32_t scheme = 0;
  std::uint32_t addend = 0;
  std::uint32_t symbol_size = 0;

  // The index of the kernel argument; nothing if the symbol is a name.
  std::optional<std::uint32_t> argument() const;
};

struct ControlCode {
  std::uint64_t size = 0;  // of the file
  std::uint8_t os_abi = 0;
  std::uint8_t abi_version = 0;  // major << 4 | minor
  bool full = false;             // a configuration ELF
  bool grouped = false;          // sections belong to kernel instances
  std::optional<Uuid> uid;
  std::optional<std::uint32_t> partition_columns;
  std::vector<ControlSection> sections;  // without the empty section 0
  std::vector<ControlKernel> kernels;    // of grouped files
  std::vector<ControlPatch> patches;

  const ControlKernel* find_kernel(std::string_view name) const;
};

// `aie2p` and so on; empty for an unknown operating system ABI.
std::string_view platform_name(std::uint8_t os_abi);
// `shim_dma_48` and so on; empty for an unknown number.
std::string_view scheme_name(std::uint32_t scheme);
// The opcode of the command with which XRT starts the code of this file.
std::uint32_t command_opcode(const ControlCode& file);

// The meaning of a recipe's `instance` in a configuration ELF: "kernel:instance", or the name of a kernel with one
// instance.
struct InstanceName {
  const ControlKernel* kernel = nullptr;
  const Instance* instance = nullptr;
};
// Errors: kernel-instance, with XRT's messages and the nearest name.
Result<InstanceName> find_instance(const ControlCode& file, std::string_view name, const SourceLocation& location = {});

// Whether the bytes start with the header of a 32-bit ELF for one of the platforms.
bool is_control_code(Bytes bytes);

// Nothing if the header is invalid. Errors: file-format, file-truncated, index-out-of-range, each with its range
// of bytes in `file`.
std::optional<ControlCode> read_control_code(Bytes bytes, std::string_view file, Diagnostics& diagnostics);

}  // namespace slipway::recipe::control_code
