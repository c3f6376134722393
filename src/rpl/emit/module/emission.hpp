// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the classes of an emission share: the program, the options, and the module under construction.
//
// The program and the options are constant while a module is emitted; `out` only grows. Two calls that may both create
// ids are never arguments of one call: the C++ compiler would choose their order, and the words must be the same
// everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>

#include "rpl/emit/emit_spirv.hpp"
#include "rpl/resolved.hpp"
#include "spirv/builder.hpp"

namespace slipway::rpl::emit {

using spirv::Id;
using spirv::Section;
using spirv::WordBuffer;

struct Emission {
  const Resolved* program = nullptr;
  SpirvOptions options;
  spirv::Builder out;

  const Type& type_info(TypeId type) const { return program->types[type]; }
  std::span<const Member> members(List range) const { return {program->members.data() + range.first, range.count}; }
  std::span<const Step> steps(const LValue& lvalue) const {
    return {program->steps.data() + lvalue.steps.first, lvalue.steps.count};
  }
  std::span<const std::uint32_t> list(std::uint32_t first, std::uint32_t count) const {
    return {program->lists.data() + first, count};
  }
  // The first word of a constant: the value of an index.
  std::uint32_t word_of(Ref constant) const {
    return program->constant_words[program->constants[constant_index(constant)].first];
  }
  // Whether SPIR-V 1.4 and its instructions are available.
  bool has_spirv14() const { return options.target != Target::Vulkan11; }

  WordBuffer& globals() { return out.section(Section::Globals); }
  WordBuffer& annotations() { return out.section(Section::Annotations); }
};

}  // namespace slipway::rpl::emit
