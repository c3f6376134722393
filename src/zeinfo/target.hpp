// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device that a text is for, as known from the notes of the ELF file or from --product.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "zeinfo/model.hpp"

namespace slipway::zeinfo {

// Architecture, release and revision, as the hardware reports them and note 6 holds them.
struct ProductConfig {
  std::uint32_t architecture = 0;
  std::uint32_t release = 0;
  std::uint32_t revision = 0;

  static ProductConfig decode(std::uint32_t value) { return {value >> 22, value >> 14 & 0xff, value & 0x3f}; }
  std::uint32_t encode() const { return architecture << 22 | release << 14 | revision; }
  auto operator<=>(const ProductConfig&) const = default;
};
std::string text_of(const ProductConfig& config);  // "12.55.8"

// One row per device (devices.def). `names` are the offline compiler's names, separated by blanks.
struct Device {
  std::string_view names;
  std::uint32_t family;  // note 1
  std::uint32_t core;    // note 2
  std::string_view core_name;
  ProductConfig config;  // 0.0.0 if unknown
  int threads_per_eu;
  int eus;  // of a subslice or an Xe-core
  std::span<const int> grf_counts;
  int slm_kib;

  std::string_view name() const { return names.substr(0, names.find(' ')); }
};
std::span<const Device> devices();
// By name, `12.55.8` or `0x030dc008`; null for other names. A revision that is not listed names its release's device.
const Device* find_device(std::string_view name);
const Device* find_device(ProductConfig config);
const Device* find_device_of_family(std::uint32_t family);
// "gen9" and the like for families without a row; empty if unknown.
std::string_view name_of_family(std::uint32_t family);
// Whether a binary for one product runs on another (docs/spec/zeinfo.md#elf-container): the same product, or a listed
// pair.
bool runs_on(ProductConfig built_for, ProductConfig device);

// 32 or 64: 64 from core 3080 on.
int grf_bytes_of_core(std::uint32_t core);

// A `.text.*` section.
struct CodeSection {
  std::string_view name;  // without `.text.`
  std::uint64_t size = 0;
  // If they were read (zebin/isa.hpp): the counts of instructions and of messages among them, and their text.
  std::optional<std::uint64_t> instructions = {}, sends = {};
  std::shared_ptr<const std::string> isa = {};
};

// The facts from the notes of a container or from --product. Without them, all rules that need them are skipped with
// one note.
struct Target {
  enum class Source { None, Notes, Product };
  Source source = Source::None;
  const Device* device = nullptr;  // null: only the family, or nothing, is known
  std::optional<std::uint32_t> family;
  std::optional<std::uint32_t> core;
  std::optional<ProductConfig> config;
  std::optional<int> grf_bytes;
  // Note 3: minimum and maximum revision, and whether the minimum is checked (bit 13).
  std::optional<std::uint32_t> metadata;

  // Of the container, if there is one.
  std::optional<Version> container_version;      // note 4
  std::optional<std::vector<CodeSection>> code;  // text-missing, text-unlisted, skip-offset, code sizes
  bool code_sorted = false;                      // whether `code` is sorted by name
  std::optional<int> address_bytes;              // 8; 4 in ELFCLASS32
  bool has_spirv = false;
  bool has_ze_info = true;  // false: a container without kernels
  bool has_container() const { return code.has_value(); }

  static Target of(const Device& device, Source source = Source::Product);
  // By name, `12.55.8` or `0x030dc008`. Errors: unknown-value.
  static Result<Target> of_product(std::string_view product);
  // From the values of notes 1, 2, 3 and 6, as far as present.
  static Target of_notes(std::optional<std::uint32_t> family, std::optional<std::uint32_t> core,
                         std::optional<std::uint32_t> metadata, std::optional<std::uint32_t> config);
  const CodeSection* find_code(std::string_view kernel) const;
};

}  // namespace slipway::zeinfo
