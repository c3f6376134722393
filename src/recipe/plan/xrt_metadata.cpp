// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signature of a kernel from the files of an NPU design, for checks that need no NPU (docs/spec/recipe.md#runs,
// docs/spec/recipe.md#xclbin-files, docs/spec/recipe.md#control-code-elf-files).
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/control_code/control_code.hpp"
#include "recipe/plan/parts.hpp"
#include "recipe/xclbin/xclbin.hpp"

namespace slipway::recipe {
namespace {

bool from_xclbin(const Kernel& kernel, const Artifact& file, KernelPlan& plan, Diagnostics& diagnostics) {
  const auto xclbin = xclbin::read_xclbin(file.bytes, file.name, diagnostics);
  if (!xclbin) return false;
  const xclbin::XclbinKernel* found = xclbin->find_kernel(kernel.instance);
  if (!found) {
    Diagnostic problem = problem_at(kernel.at, kernel.at["instance"] ? "instance" : "name",
                                    DiagnosticKind::KernelInstance, formatted("No such kernel '{}'", kernel.instance));
    const auto names = xclbin->kernels | std::views::transform(&xclbin::XclbinKernel::name);
    const std::string kernel_name = kernel.instance.substr(0, kernel.instance.find(':'));
    if (kernel_name != kernel.instance && xclbin->find_kernel(kernel_name))
      problem.hint(
          formatted("`instance` is the name of the kernel, `{}`, without that of a compute unit", kernel_name));
    else if (const auto near = closest(kernel.instance, names))
      problem.suggest(json::inside_quotes(problem.location), *near);
    problem.note(formatted("`{}` has {}", file.name, xclbin->kernel_list()));
    diagnostics.add(std::move(problem));
    return false;
  }
  for (const xclbin::XclbinArgument& argument : found->arguments) {
    // A constant for a buffer argument writes its value as the address (docs/spec/recipe.md#constants), so both are
    // valid.
    plan.signature.parameters.push_back({.argidx = argument.index,
                                         .name = argument.name,
                                         .size = argument.is_buffer() ? 0 : argument.size,
                                         .target = ArgumentTarget{argument.index, argument.is_buffer()}});
  }
  return true;
}

bool from_programs(const Kernel& kernel, const ContextPlan& context, KernelPlan& plan, Diagnostics& diagnostics) {
  Diagnostics problems;
  for (const Artifact& file : context.programs) {
    const auto program = control_code::read_control_code(file.bytes, file.name, diagnostics);
    if (!program) return false;
    if (!program->full) {
      diagnostics.add({.kind = DiagnosticKind::FileFormat,
                       .message = formatted("ELF is missing xrt configuration info: {}", file.name),
                       .location = context.origin.location,
                       .path = context.origin.pointer});
      return false;
    }
    const json::Value named_at = kernel.at["instance"] ? kernel.at["instance"] : kernel.at["name"];
    const auto found = control_code::find_instance(*program, kernel.instance, named_at.location());
    if (!found) {
      problems.add(found.error());
      continue;
    }
    for (std::uint32_t i = 0; i < found->kernel->arguments.size(); ++i) {
      plan.signature.parameters.push_back({.argidx = i, .name = formatted("{}", i), .target = ArgumentTarget{i, true}});
    }
    return true;
  }
  for (Diagnostic problem : problems.all()) {
    const json::Value named_at = kernel.at["instance"] ? kernel.at["instance"] : kernel.at["name"];
    diagnostics.add(std::move(problem.at(named_at.pointer())));
    break;  // the same for each program
  }
  return false;
}

}  // namespace

// Marks the opcode of an xclbin's kernel, and the arguments whose addresses are written into the code.
void mark_needed(KernelPlan& plan, const std::vector<control_code::ControlPatch>& patches) {
  plan.signature.patched = std::ranges::any_of(
      patches, [](const control_code::ControlPatch& patch) { return patch.argument().has_value(); });
  for (Parameter& parameter : plan.signature.parameters) {
    const auto is_patched = [&](const control_code::ControlPatch& patch) {
      return patch.argument() ? *patch.argument() == parameter.argidx : patch.symbol == parameter.name;
    };
    parameter.needed |= parameter.name == "opcode" || std::ranges::any_of(patches, is_patched);
  }
}

bool plan_xrt_kernel(const Kernel& kernel, const ContextPlan& context, const Artifacts& artifacts, KernelPlan& plan,
                     Diagnostics& diagnostics) {
  plan.signature.optional = true;
  plan.signature.ignore_unmapped = kernel.ignore_unmapped;
  bool ok = true;
  std::vector<control_code::ControlPatch> patches;
  if (!kernel.ctrlcode.empty()) {
    const json::Value at = kernel.at["ctrlcode"];
    Result<Artifact> code = artifacts.open(kernel.ctrlcode);
    if (code) {
      const auto read = control_code::read_control_code(code->bytes, code->name, diagnostics);
      ok &= read.has_value();
      if (read) patches = read->patches;
      plan.ctrlcode = std::move(*code);
    } else {
      ok = false;
      for (Diagnostic problem : code.error()) {
        problem.location = at.location();
        diagnostics.add(std::move(problem.at(at.pointer())));
      }
    }
  }
  ok &= context.xclbin ? from_xclbin(kernel, *context.xclbin, plan, diagnostics)
                       : from_programs(kernel, context, plan, diagnostics);
  mark_needed(plan, patches);
  return ok;
}

}  // namespace slipway::recipe
