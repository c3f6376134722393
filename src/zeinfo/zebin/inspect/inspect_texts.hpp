// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the text and the JSON of `slipway inspect` for a zebin have in common.
#pragma once

#include <optional>
#include <string>

#include "zeinfo/model.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

// The surface of an argument without space in the payload.
std::optional<std::int32_t> binding_of(const zeinfo::Kernel& kernel, std::int32_t index);
bool is_explicit(const zeinfo::PayloadArgument& argument);
std::string type_text(std::uint32_t type);  // of a section
std::string section_name(const Elf& elf, std::uint32_t index);
std::string relocation_type_text(std::uint32_t type);
std::string symbol_name(const Elf& elf, std::uint32_t index);

}  // namespace slipway::zebin
