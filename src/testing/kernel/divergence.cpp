// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "cpu_compiler/spread.hpp"
#include "testing/kernel/code.hpp"
#include "testing/kernel/interpreter.hpp"

namespace slipway::testing {
namespace {

using cpu_compiler::Among;

class Divergence {
 public:
  explicit Divergence(const KernelCode& code) : code_(code) {}

  std::vector<std::string> find(Among among) {
    among_ = among;
    const auto spreads = cpu_compiler::analyse_spreads(code_.tree, among);
    spreads_ = spreads ? &*spreads : nullptr;
    visit(code_.tree.body, !spreads);
    return std::move(found_);
  }

 private:
  // Those that must execute an instruction together, if there are such.
  bool is_common(const spirv::Instruction& in) const {
    switch (in.op) {
      case spv::Op::OpControlBarrier: {
        const auto scope = static_cast<spv::Scope>(code_.tree.constants.at(in.operand(0)));
        return (scope == spv::Scope::Workgroup) == (among_ == Among::Workgroup);
      }
      case spv::Op::OpGroupNonUniformBroadcast:
      case spv::Op::OpGroupNonUniformShuffleXor:
      case spv::Op::OpCooperativeMatrixLoadKHR:
      case spv::Op::OpCooperativeMatrixStoreKHR:
      case spv::Op::OpCooperativeMatrixMulAddKHR:
        return among_ == Among::Subgroup;
      default:
        return false;
    }
  }

  void visit(const cpu_compiler::Block& block, bool differs) {
    for (const cpu_compiler::Statement& statement : block) {
      if (const auto* in = std::get_if<const spirv::Instruction*>(&statement.what)) {
        if (differs && is_common(**in))
          found_.push_back(formatted("{}: {} at word {}: not all invocations of a {} may execute it",
                                     code_.module.name(), spv::OpToString((*in)->op), (*in)->offset,
                                     among_ == Among::Workgroup ? "workgroup" : "subgroup"));
      } else if (const auto* branch = std::get_if<cpu_compiler::If>(&statement.what)) {
        visit(branch->body, differs || spreads_->regions.contains(branch));
      } else {
        const auto& loop = std::get<cpu_compiler::Loop>(statement.what);
        for (const cpu_compiler::Block* part : {&loop.test, &loop.body, &loop.step}) visit(*part, differs);
      }
    }
  }

  const KernelCode& code_;
  Among among_ = Among::Workgroup;
  const cpu_compiler::Spreads* spreads_ = nullptr;  // null: loops end at different times
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> divergences(const lower::ProgramKernel& kernel) {
  const KernelCode code(kernel);
  Divergence divergence(code);
  std::vector<std::string> found = divergence.find(Among::Workgroup);
  found.append_range(divergence.find(Among::Subgroup));
  return found;
}

}  // namespace slipway::testing
