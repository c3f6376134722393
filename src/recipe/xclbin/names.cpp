// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/xclbin/names.hpp"

#include <array>
#include <span>

#include "base/format.hpp"

namespace slipway::recipe::xclbin {
namespace {

constexpr std::array<std::string_view, 37> kSectionKinds = {"BITSTREAM",
                                                            "CLEARING_BITSTREAM",
                                                            "EMBEDDED_METADATA",
                                                            "FIRMWARE",
                                                            "DEBUG_DATA",
                                                            "SCHED_FIRMWARE",
                                                            "MEM_TOPOLOGY",
                                                            "CONNECTIVITY",
                                                            "IP_LAYOUT",
                                                            "DEBUG_IP_LAYOUT",
                                                            "DESIGN_CHECKPOINT",
                                                            "CLOCK_FREQ_TOPOLOGY",
                                                            "MCS",
                                                            "BMC",
                                                            "BUILD_METADATA",
                                                            "KEYVALUE_METADATA",
                                                            "USER_METADATA",
                                                            "DNA_CERTIFICATE",
                                                            "PDI",
                                                            "BITSTREAM_PARTIAL_PDI",
                                                            "PARTITION_METADATA",
                                                            "EMULATION_DATA",
                                                            "SYSTEM_METADATA",
                                                            "SOFT_KERNEL",
                                                            "FLASH",
                                                            "AIE_METADATA",
                                                            "GROUP_TOPOLOGY",
                                                            "GROUP_CONNECTIVITY",
                                                            "SMARTNIC",
                                                            "AIE_RESOURCES",
                                                            "OVERLAY",
                                                            "VENDER_METADATA",
                                                            "AIE_PARTITION",
                                                            "IP_METADATA",
                                                            "AIE_RESOURCES_BIN",
                                                            "AIE_TRACE_METADATA",
                                                            "DTBO"};
constexpr std::array<std::string_view, 7> kModes = {"FLAT",   "PR",     "TANDEM_STAGE2", "TANDEM_STAGE2_WITH_PR",
                                                    "HW_EMU", "SW_EMU", "HW_EMU_PR"};
constexpr std::array<std::string_view, 8> kIpTypes = {"MB",       "KERNEL",  "DNASC",       "DDR4_CONTROLLER",
                                                      "MEM_DDR4", "MEM_HBM", "MEM_HBM_ECC", "PS_KERNEL"};
constexpr std::array<std::string_view, 12> kMemoryTypes = {
    "DDR3", "DDR4",     "DRAM", "STREAMING", "PREALLOCATED_GLOB", "ARE", "HBM", "BRAM", "URAM", "STREAMING_CONNECTION",
    "HOST", "PS_KERNEL"};
constexpr std::array<std::string_view, 5> kQualifiers = {"scalar", "global", "constant", "local", "stream"};
constexpr std::array<std::string_view, 4> kCdoTypes = {"unknown", "primary", "lite", "prepost"};
constexpr std::array<std::string_view, 6> kControls = {"HS", "CHAIN", "NONE", "ME", "accel adapter", "fast adapter"};

constexpr std::uint32_t kKernel = 1, kPsKernel = 7;

std::string_view name_in(std::span<const std::string_view> table, std::uint32_t number) {
  return number < table.size() ? table[number] : std::string_view();
}

}  // namespace

std::string_view section_kind_name(std::uint32_t kind) { return name_in(kSectionKinds, kind); }
std::string_view mode_name(std::uint32_t mode) { return name_in(kModes, mode); }
std::string_view ip_type_name(std::uint32_t type) { return name_in(kIpTypes, type); }
std::string_view memory_type_name(std::uint32_t type) { return name_in(kMemoryTypes, type); }
std::string_view qualifier_name(std::uint32_t qualifier) { return name_in(kQualifiers, qualifier); }
std::string_view cdo_type_name(std::uint32_t type) { return name_in(kCdoTypes, type); }

std::string describe_properties(std::uint32_t ip_type, std::uint32_t properties) {
  if (ip_type == kPsKernel) {
    const std::uint32_t subtype = properties & 3, functional = properties >> 4 & 3;
    return formatted("subtype {}, function {}, kernel id {:#x}",
                     subtype == 1   ? "DPU"
                     : subtype == 0 ? "PS"
                                    : std::to_string(subtype),
                     functional == 0   ? "DPU"
                     : functional == 1 ? "pre/post"
                                       : std::to_string(functional),
                     properties >> 16 & 0xFFF);
  }
  if (ip_type == kKernel) {
    const std::uint32_t control = properties >> 8 & 0xFF;
    return formatted("control {}{}", named(name_in(kControls, control), control),
                     properties & 1 ? formatted(", interrupt {}", properties >> 1 & 0x7F) : "");
  }
  return formatted("{:#x}", properties);
}

std::string named(std::string_view name, std::uint64_t number) {
  return name.empty() ? std::to_string(number) : std::string(name);
}

}  // namespace slipway::recipe::xclbin
