// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/code_builder.hpp"

#include <algorithm>

namespace slipway::rpl {

Body& CodeBuilder::begin_body(std::uint32_t function) {
  function_ = function;
  Body& made = tables_.bodies.emplace_back();
  made.code.first = static_cast<std::uint32_t>(out_.code.size());
  made.lvalues.first = static_cast<std::uint32_t>(out_.lvalues.size());
  made.locals.first = static_cast<std::uint32_t>(out_.locals.size());
  made.edges.first = static_cast<std::uint32_t>(tables_.edges.size());
  made.uses.first = static_cast<std::uint32_t>(tables_.uses.size());
  made.sampler_uses.first = static_cast<std::uint32_t>(tables_.sampler_uses.size());
  return made;
}

void CodeBuilder::end_body() {
  Body& made = body();
  made.code = list_from(made.code.first, out_.code);
  made.lvalues = list_from(made.lvalues.first, out_.lvalues);
  made.locals = list_from(made.locals.first, out_.locals);
  made.edges = list_from(made.edges.first, tables_.edges);
  made.uses = list_from(made.uses.first, tables_.uses);
  made.sampler_uses = list_from(made.sampler_uses.first, tables_.sampler_uses);
}

Ref CodeBuilder::new_scalar(TypeId type, std::uint32_t bits) {
  out_.constants.emplace_back(type, static_cast<std::uint32_t>(out_.constant_words.size()), 1u);
  out_.constant_words.push_back(bits);
  return (static_cast<Ref>(out_.constants.size()) - 1) | kConstantBit;
}

Ref CodeBuilder::add_constant(TypeId type, std::span<const std::uint32_t> words) {
  const auto count = static_cast<std::uint32_t>(words.size());
  std::uint32_t hash = type;
  for (const std::uint32_t word : words) hash = (hash ^ word) * 0x9E3779B1u;
  Ref& known = known_constants_[hash >> 24];
  if (known != 0) {
    const Constant& constant = out_.constants[constant_index(known)];
    if (constant.type == type && std::ranges::equal(out_.words(constant), words)) return known;
  }
  const std::size_t first = out_.constant_words.size();
  // The words may be those of another constant, and resizing may move them.
  const std::uint32_t* const from = words.data();
  const bool inside = from >= out_.constant_words.data() && from < out_.constant_words.data() + first;
  const std::size_t offset = inside ? static_cast<std::size_t>(from - out_.constant_words.data()) : 0;
  out_.constant_words.resize(first + count);
  const std::uint32_t* const source = inside ? out_.constant_words.data() + offset : from;
  std::copy_n(source, count, out_.constant_words.data() + first);
  out_.constants.emplace_back(type, static_cast<std::uint32_t>(first), count);
  return known = (static_cast<Ref>(out_.constants.size()) - 1) | kConstantBit;
}

List CodeBuilder::keep_operands(std::span<const std::uint32_t> operands) {
  const List list{static_cast<std::uint32_t>(out_.lists.size()), static_cast<std::uint32_t>(operands.size())};
  for (const std::uint32_t operand : operands) out_.lists.push_back(operand);  // few: cheaper than inserting a range
  return list;
}

void CodeBuilder::note_stage_use(StageUse kind, StageMask stages, Range at) {
  if (is_dead()) return;
  Body& state = body();
  const auto index = static_cast<std::size_t>(kind);
  if (state.stage_uses[index].end == 0 || (state.stage_use_stages[index] & stages) != state.stage_use_stages[index]) {
    state.stage_uses[index] = at;
    state.stage_use_stages[index] &= stages;
  }
  state.allowed &= stages;
}

void CodeBuilder::use_sampler(SamplerUse::Kind kind, std::uint32_t sampler, Range at, ItemId callee,
                              std::uint32_t argument) {
  if (is_dead()) return;
  const LValue& ref = out_.lvalues[sampler];
  const std::uint32_t index = ref.root == LValueRoot::Sampler ? out_.samplers[ref.index].item : ref.index;
  tables_.sampler_uses.push_back({kind, ref.root, index, callee, argument, at});
}

std::size_t CodeBuilder::add_call(std::uint32_t callee, ItemId item, Range at) {
  tables_.edges.push_back({function_, callee, item, kNoRef, is_dead(), at});
  return tables_.edges.size() - 1;
}

}  // namespace slipway::rpl
