// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of the numbers in an xclbin (docs/spec/recipe.md#xclbin-files); empty for an unknown number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::recipe::xclbin {

std::string_view section_kind_name(std::uint32_t kind);    // AIE_PARTITION
std::string_view mode_name(std::uint32_t mode);            // FLAT
std::string_view ip_type_name(std::uint32_t type);         // PS_KERNEL
std::string_view memory_type_name(std::uint32_t type);     // DDR4
std::string_view qualifier_name(std::uint32_t qualifier);  // global
std::string_view cdo_type_name(std::uint32_t type);        // primary

// The properties of an IP as text: "DPU, kernel id 0x901".
std::string describe_properties(std::uint32_t ip_type, std::uint32_t properties);

// The name, or the number if the name is empty.
std::string named(std::string_view name, std::uint64_t number);

}  // namespace slipway::recipe::xclbin
