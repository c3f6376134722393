// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/module/source_lines.hpp"

#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {

void SourceLines::begin_module() {
  files_.clear();
  if (!emission_.options.debug_lines) return;
  WordBuffer& strings = emission_.out.section(Section::DebugStrings);
  for (const ProgramSource& source : emission_.program->program->sources) {
    files_.push_back(emission_.out.new_id());
    strings.op_text(spv::Op::OpString, source.text->name(), {}, files_.back());
  }
  for (const Id file : files_) strings.op(spv::Op::OpSource, spv::SourceLanguage::Unknown, 0u, file);
}

void SourceLines::add_line(Range at, WordBuffer& code) const {
  const Program& program = *emission_.program->program;
  const std::uint32_t index = program.source_at(at.begin);
  const ProgramSource& source = program.sources[index];
  const Position position = source.text->position(at.begin - source.base);
  code.op(spv::Op::OpLine, files_[index], position.line, position.column);
}

}  // namespace slipway::rpl::emit
