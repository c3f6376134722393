// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/compare/normal_form.hpp"

#include <algorithm>
#include <map>

#include <spirv/unified1/GLSL.std.450.h>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::spirv {
namespace {

enum class Effect : std::uint8_t {
  None,     // the result depends on the operands alone
  Reads,    // and on what memory has
  Ordered,  // everything else
};

bool is_between(spv::Op op, spv::Op first, spv::Op last) { return op >= first && op <= last; }

class Form {
 public:
  explicit Form(const Module& module)
      : module_(module), numbers_(module.id_bound()), states_(module.id_bound()), ordered_(module.id_bound()) {}

  // False for a module that has no form.
  bool make() {
    words_.push_back(module_.version());
    if (!add_globals()) return false;
    find_states();
    bool in_function = false;
    for (const Instruction& in : module_.instructions()) {
      in_function = in_function || in.op == spv::Op::OpFunction;
      if (in_function && effect_of(in) == Effect::Ordered) add(in);
    }
    return true;
  }
  Words take() { return std::move(words_); }

 private:
  bool add_globals() {
    std::vector<Words> all;
    std::size_t entry_points = 0;
    for (const Instruction& in : module_.instructions()) {
      if (in.op == spv::Op::OpFunction) break;
      Words words{static_cast<std::uint32_t>(in.op)};
      switch (in.op) {
        case spv::Op::OpCapability:
        case spv::Op::OpExtension:
        case spv::Op::OpMemoryModel:
          words.append_range(in.operands);
          break;
        case spv::Op::OpEntryPoint:  // (variables that nothing uses change nothing)
          ++entry_points;
          words.push_back(in.operand(0));
          words.append_range(in.operands.subspan(2, string_words(in.string(2))));
          break;
        case spv::Op::OpExecutionMode:
          words.append_range(in.operands.subspan(1));
          break;
        case spv::Op::OpDecorate:
        case spv::Op::OpMemberDecorate:
          words.append_range(in.operands.subspan(1));
          annotations_[in.operand(0)].push_back(std::move(words));
          continue;
        case spv::Op::OpDecorateId:
        case spv::Op::OpGroupDecorate:
        case spv::Op::OpGroupMemberDecorate:
        case spv::Op::OpExecutionModeId:
          return false;
        default:
          continue;
      }
      all.push_back(std::move(words));
    }
    std::ranges::sort(all);
    for (auto& [id, each] : annotations_) std::ranges::sort(each);
    add_lists(all);
    return entry_points == 1;
  }

  // A state of memory lasts from one ordered instruction to the next.
  void find_states() {
    std::uint32_t state = 0;
    bool in_function = false;
    for (const Instruction& in : module_.instructions()) {
      in_function = in_function || in.op == spv::Op::OpFunction;
      if (!in_function) continue;
      const Effect effect = effect_of(in);
      if (effect == Effect::Ordered) {
        ++state;
        if (in.result) ordered_[in.result] = true;
      } else if (effect == Effect::Reads) {
        states_[in.result] = state;
      }
    }
  }

  Effect effect_of(const Instruction& in) const {
    using spv::Op;
    if (in.op == Op::OpLoad || in.op == Op::OpCooperativeMatrixLoadKHR) return Effect::Reads;
    if (in.op == Op::OpExtInst) {
      const Instruction* set = module_.definition(in.operand(2));
      const bool is_pure = set && set->string(1) == "GLSL.std.450" && in.operand(3) != GLSLstd450Modf &&
                           in.operand(3) != GLSLstd450Frexp;
      return is_pure ? Effect::None : Effect::Ordered;
    }
    const bool is_pure =
        in.op == Op::OpUndef || in.op == Op::OpVariable || in.op == Op::OpCooperativeMatrixMulAddKHR ||
        is_between(in.op, Op::OpAccessChain, Op::OpInBoundsPtrAccessChain) ||
        is_between(in.op, Op::OpVectorExtractDynamic, Op::OpTranspose) ||
        is_between(in.op, Op::OpConvertFToU, Op::OpBitcast) || is_between(in.op, Op::OpSNegate, Op::OpSMulExtended) ||
        is_between(in.op, Op::OpAny, Op::OpFUnordGreaterThanEqual) ||
        is_between(in.op, Op::OpShiftRightLogical, Op::OpBitCount) || is_between(in.op, Op::OpSDot, Op::OpSUDotAccSat);
    return is_pure ? Effect::None : Effect::Ordered;
  }

  // An ordered instruction, and then what it needs that nothing before it needed. Ids get their numbers where they are
  // first mentioned, and are defined in the order of their numbers.
  void add(const Instruction& in) {
    add_instruction(in);
    for (; defined_ < mentioned_.size(); ++defined_) {
      const Instruction* definition = module_.definition(mentioned_[defined_]);
      if (definition && !ordered_[definition->result]) add_instruction(*definition);
    }
  }

  void add_instruction(const Instruction& in) {
    words_.push_back(static_cast<std::uint32_t>(in.op));
    words_.push_back(static_cast<std::uint32_t>(in.operands.size()));
    if (in.result) {
      words_.push_back(states_[in.result]);
      const auto known = annotations_.find(in.result);
      add_lists(known == annotations_.end() ? std::vector<Words>() : known->second);
    }
    for (std::uint32_t i = 0; i < in.operands.size(); ++i)
      words_.push_back(module_.is_id(in.offset + 1 + i) ? number_of(in.operands[i]) : in.operands[i]);
  }

  void add_lists(const std::vector<Words>& lists) {
    words_.push_back(static_cast<std::uint32_t>(lists.size()));
    for (const Words& each : lists) {
      words_.push_back(static_cast<std::uint32_t>(each.size()));
      words_.append_range(each);
    }
  }

  std::uint32_t number_of(Id id) {
    if (id >= numbers_.size()) return 0;
    if (numbers_[id] == 0) {
      mentioned_.push_back(id);
      numbers_[id] = static_cast<std::uint32_t>(mentioned_.size());
    }
    return numbers_[id];
  }

  const Module& module_;
  Words words_;
  std::map<Id, std::vector<Words>> annotations_;
  std::vector<std::uint32_t> numbers_;  // by id; 0: not mentioned
  std::vector<std::uint32_t> states_;   // by id, of what reads memory
  std::vector<bool> ordered_;           // by id
  std::vector<Id> mentioned_;
  std::size_t defined_ = 0;
};

}  // namespace

Words normal_form(const Module& module) {
  Form form(module);
  return form.make() ? form.take() : Words(module.words().begin(), module.words().end());
}

}  // namespace slipway::spirv
