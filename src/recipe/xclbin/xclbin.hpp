// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// xclbin (AXLF) files: the container of NPU designs (docs/spec/recipe.md#xclbin-files).
//
//   Diagnostics diagnostics;
//   std::optional<Xclbin> file = read_xclbin(bytes, "design.xclbin", diagnostics);
//
// Reads the container, the kernels' metadata and the layouts, but no other section contents. Reports every malformed
// section and continues with the others. All values are as in the file; names.hpp has the names of enumerants.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"

namespace slipway::recipe::xclbin {

using Uuid = std::array<std::uint8_t, 16>;
std::string uuid_text(const Uuid& uuid);  // in byte order, 8-4-4-4-12

struct XclbinSection {
  std::uint32_t kind = 0;
  std::string name;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t size = 0;
};

struct XclbinArgument {
  std::uint32_t index = 0;  // `argidx` of recipes
  std::string name;
  std::uint32_t qualifier = 0;  // 0 scalar, 1 global, 2 constant, 3 local, 4 stream
  std::uint64_t size = 0;       // bytes
  std::uint64_t offset = 0;     // bytes in the register map
  std::string type;

  bool is_buffer() const { return qualifier == 1 || qualifier == 2; }
};

struct XclbinKernel {
  std::string name;  // `instance` of recipes
  std::string type;  // dpu, ps, pl
  std::vector<std::string> instances;
  std::vector<XclbinArgument> arguments;
};

struct Ip {
  std::uint32_t type = 0;
  std::uint32_t properties = 0;
  std::uint64_t base = 0;
  std::string name;  // kernel:instance
};

struct Memory {
  std::uint8_t type = 0;
  bool used = false;
  std::uint64_t size_kib = 0;
  std::uint64_t base = 0;
  std::string tag;
};

struct Connection {
  std::int32_t argument = 0;
  std::int32_t ip = 0;      // index into ip_layout
  std::int32_t memory = 0;  // index into memory
};

struct CdoGroup {
  std::string name;
  std::uint8_t type = 0;
  std::uint64_t pdi_id = 0;
  std::vector<std::uint64_t> kernel_ids;
  std::vector<std::uint32_t> pre_groups;
};

struct Pdi {
  Uuid uuid{};
  std::uint32_t image_size = 0;
  std::vector<CdoGroup> cdo_groups;
};

struct AiePartition {
  std::uint8_t schema_version = 0;
  std::string name;
  std::uint32_t operations_per_cycle = 0;
  std::uint64_t inference_fingerprint = 0;
  std::uint64_t pre_post_fingerprint = 0;
  std::uint16_t column_width = 0;
  std::vector<std::uint16_t> start_columns;
  std::string kernel_commit_id;
  std::vector<Pdi> pdis;
};

struct Xclbin {
  std::uint64_t size = 0;    // of the file
  std::uint64_t length = 0;  // in the header
  std::int32_t signature_length = -1;
  std::uint64_t unique_id = 0;
  std::uint64_t timestamp = 0;  // seconds since 1970
  std::uint8_t version_major = 0, version_minor = 0;
  std::uint16_t version_patch = 0;
  std::uint16_t mode = 0;
  std::uint16_t action_mask = 0;
  std::string platform;
  Uuid uuid{}, interface_uuid{};
  std::vector<XclbinSection> sections;
  std::vector<XclbinKernel> kernels;
  std::vector<Ip> ip_layout;
  std::vector<Memory> memory;
  std::vector<Connection> connectivity;
  std::optional<AiePartition> partition;

  const XclbinKernel* find_kernel(std::string_view name) const;
  // For messages: "`a`, `b`", or "no kernels".
  std::string kernel_list() const;
};

// Whether the bytes start with the signature of xclbin files.
bool is_xclbin(Bytes bytes);

// Nothing if the header is invalid. Errors: file-format, file-truncated, out-of-range counts, each with its range
// of bytes in `file`.
std::optional<Xclbin> read_xclbin(Bytes bytes, std::string_view file, Diagnostics& diagnostics);

}  // namespace slipway::recipe::xclbin
