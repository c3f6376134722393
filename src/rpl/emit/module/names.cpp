// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/module/names.hpp"

#include <array>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "rpl/lex.hpp"

namespace slipway::rpl::emit {

void add_name(Emission& emission, Id id, std::string_view text) {
  if (!emission.options.strip) emission.out.section(Section::Names).op_text(spv::Op::OpName, text, {}, id);
}

void add_member_variable_name(Emission& emission, Id id, NameId owner, NameId member) {
  if (emission.options.strip) return;
  const Program& program = *emission.program->program;
  const std::string_view first = program.text(owner), second = program.text(member);
  std::array<char, 2 * kLongestIdentifier + 1> joined;
  std::memcpy(joined.data(), first.data(), first.size());
  joined[first.size()] = '.';
  std::memcpy(joined.data() + first.size() + 1, second.data(), second.size());
  add_name(emission, id, std::string_view(joined.data(), first.size() + 1 + second.size()));
}

void add_member_name(Emission& emission, Id structure, std::uint32_t index, NameId text) {
  if (emission.options.strip) return;
  emission.out.section(Section::Names)
      .op_list(spv::Op::OpMemberName, emission.program->program->names.words(text), structure, index);
}

}  // namespace slipway::rpl::emit
