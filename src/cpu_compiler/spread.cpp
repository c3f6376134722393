// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_compiler/spread.hpp"

#include <algorithm>
#include <set>

namespace slipway::cpu_compiler {
namespace {

class Analysis {
 public:
  Analysis(const KernelModule& kernel, Among among) : kernel_(kernel), among_(among) {
    spreads_.values.assign(kernel.module->id_bound(), Spread::Uniform);
    for (const auto& [id, variable] : kernel.variables) {
      if (variable.storage == spv::StorageClass::Function) spreads_.variables[id];
    }
  }

  // Variables are assumed to be uniform until a store contradicts; each round may add contradictions.
  Result<Spreads> run() {
    do {
      changed_ = false;
      parents_.assign(1, 0);
      spreads_.regions.clear();
      uses_.clear();
      visit(kernel_.body, 0);
      if (divergent_loop_) return refused(*kernel_.module, "a loop that lanes leave at different times");
      judge();
    } while (changed_);
    return std::move(spreads_);
  }

 private:
  struct Use {
    Region region = 0;
    bool is_store = false;
  };

  Spread of(Id id) const { return spreads_.values[id]; }
  Spread join(const Instruction& in, std::size_t first) const {
    for (std::size_t i = first; i < in.operands.size(); ++i) {
      if (of(in.operand(i)) != Spread::Uniform) return Spread::Varying;
    }
    return Spread::Uniform;
  }

  void visit(const Block& block, Region region) {
    for (const Statement& statement : block) {
      if (const auto* in = std::get_if<const Instruction*>(&statement.what)) {
        visit(**in, region);
      } else if (const auto* branch = std::get_if<If>(&statement.what)) {
        Region inner = region;
        if (of(branch->condition) != Spread::Uniform) {
          inner = static_cast<Region>(parents_.size());
          parents_.push_back(region);
          spreads_.regions[branch] = inner;
        }
        visit(branch->body, inner);
      } else {
        const Loop& loop = std::get<Loop>(statement.what);
        visit(loop.test, region);
        divergent_loop_ |= of(loop.condition) != Spread::Uniform && settled_;
        visit(loop.body, region);
        visit(loop.step, region);
      }
    }
  }

  void visit(const Instruction& in, Region region) {
    if (in.op == spv::Op::OpStore) {
      if (const auto variable = spreads_.variables.find(in.operand(0)); variable != spreads_.variables.end()) {
        uses_[variable->first].push_back({region, true});
        if (of(in.operand(1)) != Spread::Uniform) mark(variable->second);
      }
      return;
    }
    if (in.result == 0) return;
    spreads_.values[in.result] = spread_of(in, region);
  }

  void mark(VariableSpread& variable) {
    if (variable.varying) return;
    variable.varying = true;
    changed_ = true;
  }

  Spread spread_of(const Instruction& in, Region region) {
    const auto linear_if = [&](bool linear) { return linear ? Spread::Linear : Spread::Varying; };
    switch (in.op) {
      case spv::Op::OpLoad:
        return loaded(in, region);
      case spv::Op::OpAccessChain: {
        // A struct and one index.
        const Spread index = of(in.operand(in.operands.size() - 1));
        return of(in.operand(2)) == Spread::Uniform ? index : Spread::Varying;
      }
      case spv::Op::OpIAdd: {
        const Spread a = of(in.operand(2)), b = of(in.operand(3));
        if (a == Spread::Uniform && b == Spread::Uniform) return Spread::Uniform;
        return linear_if((a == Spread::Linear && b == Spread::Uniform) ||
                         (a == Spread::Uniform && b == Spread::Linear));
      }
      case spv::Op::OpISub: {
        const Spread a = of(in.operand(2)), b = of(in.operand(3));
        if (a == Spread::Uniform && b == Spread::Uniform) return Spread::Uniform;
        return linear_if(a == Spread::Linear && b == Spread::Uniform);
      }
      case spv::Op::OpBitcast:
      case spv::Op::OpSConvert: {
        const Spread from = of(in.operand(2));
        const Type& to = kernel_.type(in.type);
        return from == Spread::Linear && (to.kind != Type::Kind::Int || to.width < 32) ? Spread::Varying : from;
      }
      case spv::Op::OpGroupNonUniformBroadcast:
        return among_ == Among::Subgroup ? Spread::Uniform : Spread::Varying;
      case spv::Op::OpCooperativeMatrixLoadKHR:
      case spv::Op::OpCooperativeMatrixMulAddKHR:
        return Spread::Uniform;
      case spv::Op::OpSUDot:
      case spv::Op::OpSDot:
      case spv::Op::OpAtomicIAdd:
      case spv::Op::OpAtomicAnd:
      case spv::Op::OpAtomicOr:
        return Spread::Varying;
      case spv::Op::OpExtInst:
        return join(in, 4);
      case spv::Op::OpCompositeExtract:
        return of(in.operand(2));
      default:
        return join(in, 2);
    }
  }

  Spread loaded(const Instruction& in, Region region) {
    const Id pointer = in.operand(2);
    if (const auto variable = spreads_.variables.find(pointer); variable != spreads_.variables.end()) {
      uses_[pointer].push_back({region, false});
      return variable->second.varying ? Spread::Varying : Spread::Uniform;
    }
    if (const auto variable = kernel_.variables.find(pointer); variable != kernel_.variables.end()) {
      const bool lane = variable->second.built_in == spv::BuiltIn::LocalInvocationIndex ||
                        variable->second.built_in == spv::BuiltIn::SubgroupLocalInvocationId;
      if (variable->second.built_in == spv::BuiltIn::SubgroupId && among_ == Among::Workgroup) return Spread::Varying;
      return lane ? Spread::Linear : Spread::Uniform;
    }
    return of(pointer) == Spread::Uniform ? Spread::Uniform : Spread::Varying;
  }

  // --- variables ---

  std::vector<Region> path(Region region) const {
    std::vector<Region> up = {region};
    while (region != 0) up.push_back(region = parents_[region]);
    std::ranges::reverse(up);
    return up;
  }

  void judge() {
    for (auto& [id, variable] : spreads_.variables) {
      const std::vector<Use>& uses = uses_[id];
      if (uses.empty()) continue;
      std::vector<Region> common = path(uses[0].region);
      for (const Use& use : uses) {
        const std::vector<Region> other = path(use.region);
        const auto [end, unused] = std::ranges::mismatch(common, other);
        common.erase(end, common.end());
      }
      variable.owner = common.back();
      if (std::ranges::any_of(uses, [&](const Use& use) { return use.is_store && use.region != variable.owner; }))
        mark(variable);
    }
    // Only in a round without changes are all conditions final.
    if (!changed_ && !settled_) {
      settled_ = true;
      changed_ = true;
    }
  }

  const KernelModule& kernel_;
  Among among_;
  Spreads spreads_;
  std::vector<Region> parents_;
  std::map<Id, std::vector<Use>> uses_;
  bool changed_ = false, settled_ = false, divergent_loop_ = false;
};

}  // namespace

Result<Spreads> analyse_spreads(const KernelModule& kernel, Among among) { return Analysis(kernel, among).run(); }

}  // namespace slipway::cpu_compiler
