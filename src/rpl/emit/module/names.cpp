// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/module/names.hpp"

#include <cstring>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

void add_name(Emission& emission, Id id, std::string_view text) {
  if (!emission.options.strip) emission.out.section(Section::Names).op_text(spv::Op::OpName, text, {}, id);
}

void add_member_variable_name(Emission& emission, Id id, NameId owner, NameId member) {
  if (emission.options.strip) return;
  const Program& program = *emission.program->program;
  const std::string_view first = program.text(owner), second = program.text(member);
  const std::size_t size = first.size() + 1 + second.size();
  const std::size_t words = size / sizeof(std::uint32_t) + 1;
  std::uint32_t* const at = emission.out.section(Section::Names).grow(2 + words);
  at[0] = static_cast<std::uint32_t>(2 + words) << spv::WordCountShift | static_cast<std::uint32_t>(spv::Op::OpName);
  at[1] = id;
  at[1 + words] = 0;  // the terminator and the padding
  char* const text = reinterpret_cast<char*>(at + 2);
  std::memcpy(text, first.data(), first.size());
  text[first.size()] = '.';
  std::memcpy(text + first.size() + 1, second.data(), second.size());
}

void add_member_name(Emission& emission, Id structure, std::uint32_t index, NameId text) {
  if (emission.options.strip) return;
  emission.out.section(Section::Names)
      .op_list(spv::Op::OpMemberName, emission.program->program->names.words(text), structure, index);
}

}  // namespace slipway::rpl::emit
