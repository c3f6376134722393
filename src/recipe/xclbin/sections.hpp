// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the contents of sections. `SectionReader` locates the diagnostics.
#pragma once

#include "base/checked.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe::xclbin {

// One section. A part that is not inside the section is reported, and read as empty bytes.
class SectionReader {
 public:
  SectionReader(Bytes bytes, std::string_view file, const XclbinSection& section, Diagnostics& diagnostics)
      : bytes_(bytes), file_(file), section_(section), diagnostics_(diagnostics) {}

  Bytes bytes() const { return bytes_; }
  std::string_view file() const { return file_; }
  std::uint64_t base() const { return section_.offset; }
  Diagnostics& diagnostics() { return diagnostics_; }
  std::string name() const;  // for messages

  // `count` entries of `entry` bytes at `offset`. `what` is for messages.
  Bytes range(std::uint64_t offset, std::uint64_t count, std::uint64_t entry, std::string_view what);
  template <class T>
  T at(std::uint64_t offset, std::string_view what) {
    const Bytes found = range(offset, 1, sizeof(T), what);
    return found.empty() ? T{} : load<T>(found.data());
  }
  template <class T>
  std::vector<T> list(std::uint64_t offset, std::uint64_t count, std::string_view what) {
    const Bytes found = range(offset, count, sizeof(T), what);
    std::vector<T> values(found.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), found.data(), values.size() * sizeof(T));
    return values;
  }
  // A text that ends with a zero byte.
  std::string text(std::uint64_t offset, std::string_view what);

 private:
  Bytes bytes_;
  std::string_view file_;
  const XclbinSection& section_;
  Diagnostics& diagnostics_;
};

// The text of a field of fixed size: up to its first zero byte, if there is one.
std::string field_text(Bytes field);

std::vector<XclbinKernel> read_embedded_metadata(SectionReader section);
std::vector<Ip> read_ip_layout(SectionReader section);
std::vector<Memory> read_mem_topology(SectionReader section);
std::vector<Connection> read_connectivity(SectionReader section);
AiePartition read_aie_partition(SectionReader section);

}  // namespace slipway::recipe::xclbin
