// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debug names: OpName and OpMemberName. With the option `strip` the functions do nothing.
#pragma once

#include <string_view>

#include "rpl/emit/module/emission.hpp"

namespace slipway::rpl::emit {

inline void add_name(Emission& emission, Id id, NameId text) {
  if (emission.options.strip) return;
  emission.out.section(Section::Names).op_list(spv::Op::OpName, emission.program->program->names.words(text), id);
}
void add_name(Emission& emission, Id id, std::string_view text);
// `owner.member`
void add_member_variable_name(Emission& emission, Id id, NameId owner, NameId member);
void add_member_name(Emission& emission, Id structure, std::uint32_t index, NameId text);

}  // namespace slipway::rpl::emit
