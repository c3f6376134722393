// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/plan.hpp"
#include "base/format.hpp"

#include <algorithm>

#include "recipe/plan/model_kernel.hpp"

namespace slipway::recipe {
namespace {

std::string target_text(const Target& target) {
  struct Printer {
    std::string operator()(const DescriptorTarget& t) const {
      return formatted("set {}, binding {}", t.set, t.binding);
    }
    std::string operator()(const PushTarget& t) const {
      return formatted("push constant at {}, {}{}", t.offsets.empty() ? 0 : t.offsets.front(), tensor::name_of(t.type),
                       t.array ? formatted("[{}]", t.offsets.size()) : "");
    }
    std::string operator()(const SpecializationTarget& t) const {
      return formatted("specialization constant {}, {}", t.id, tensor::name_of(t.type));
    }
    std::string operator()(const ArgumentTarget& t) const {
      return formatted("argument {}, {}", t.index, t.buffer ? "buffer" : "scalar");
    }
    std::string operator()(const LocalMemoryTarget& t) const { return formatted("{} bytes of local memory", t.bytes); }
    std::string operator()(const IgnoredTarget&) const { return "ignored"; }
  };
  return std::visit(Printer(), target);
}

std::string hex(Bytes bytes) {
  std::string text = "0x";
  for (std::size_t i = bytes.size(); i-- > 0;) text += formatted("{:02x}", std::to_integer<unsigned>(bytes[i]));
  return text;
}

std::string cpu_text(const std::any& value) {
  if (const auto* v = std::any_cast<int>(&value)) return formatted("int {}", *v);
  if (const auto* v = std::any_cast<std::uint32_t>(&value)) return formatted("uint32 {}", *v);
  if (const auto* v = std::any_cast<std::int64_t>(&value)) return formatted("int64 {}", *v);
  if (const auto* v = std::any_cast<std::uint64_t>(&value)) return formatted("uint64 {}", *v);
  if (const auto* v = std::any_cast<float>(&value)) return formatted("float {}", *v);
  if (const auto* v = std::any_cast<double>(&value)) return formatted("double {}", *v);
  if (const auto* v = std::any_cast<std::string>(&value)) return formatted("string \"{}\"", *v);
  return "nothing";
}

std::string argument_text(const Plan& plan, const ArgumentPlan& argument) {
  std::string text = formatted("buffer {}", plan.buffers[argument.buffer].name);
  if (argument.size != 0 || argument.offset != 0) {
    text += argument.size == 0 ? formatted(" [{}..]", argument.offset)
                               : formatted(" [{}..{}]", argument.offset, argument.offset + argument.size);
  }
  return text;
}

void print_run(const Plan& plan, const RunPlan& run, std::string& text) {
  text += formatted("    {} ({}", run.id, run.resource);
  const bool embedded = run.backend == BackendKind::Vulkan || run.backend == BackendKind::OpenCl;
  if (embedded && !plan.kernels[run.index].model)
    text += formatted(", {}x{}x{} groups", run.groups[0], run.groups[1], run.groups[2]);
  text += ")\n";
  std::map<std::uint32_t, std::string> lines;
  for (const ArgumentPlan& argument : run.arguments) lines[argument.argidx] = argument_text(plan, argument);
  for (const ScalarArgument& scalar : run.scalars) lines[scalar.argidx] = formatted("constant {}", hex(scalar.bytes));
  for (const CpuConstant& constant : run.constants)
    lines[constant.argidx] = formatted("constant {}", cpu_text(constant.value));
  for (const std::uint32_t argidx : run.zero_buffers) lines[argidx] = "a buffer of zeros";
  for (const auto& [argidx, line] : lines) text += formatted("      {:3}: {}\n", argidx, line);
}

}  // namespace

Origin origin_of(json::Value value) { return value ? Origin{value.location(), value.pointer()} : Origin{}; }

std::optional<std::size_t> Plan::find_buffer(std::string_view name) const {
  const auto found = buffers_by_name.find(name);
  return found == buffers_by_name.end() ? std::nullopt : std::optional(found->second);
}

void Plan::index_buffers() {
  for (std::size_t i = 0; i < buffers.size(); ++i) buffers_by_name.try_emplace(buffers[i].name, i);
}

bool Plan::uses(BackendKind backend) const { return std::ranges::contains(lists, backend, &ListPlan::backend); }

std::string print_plan(const Plan& plan) {
  std::string text = formatted("recipe {}\n", plan.name);
  for (const ContextPlan& context : plan.contexts) {
    text += formatted("hardware context {}", context.name);
    if (context.xclbin) text += formatted(" xclbin {}", context.xclbin->name);
    for (const Artifact& program : context.programs) text += formatted(" program {}", program.name);
    text += "\n";
  }
  for (const BufferPlan& buffer : plan.buffers) {
    text += formatted("buffer {}: {}, {}\n", buffer.name, name_of(buffer.type),
                      buffer.size ? formatted("{} bytes", buffer.size) : "bound by the caller");
  }
  for (const KernelPlan& kernel : plan.kernels) {
    text += formatted("kernel {}: {}", kernel.name, name_of(kernel.backend));
    if (kernel.module) text += formatted(", {} of {}", kernel.entry, kernel.module->name);
    if (kernel.model) text += formatted(", the whole model {}", kernel.model->artifact.name);
    if (kernel.model && kernel.backend != BackendKind::Engine && has_calls(kernel.model->plan))
      text += formatted(", its graphs on {}",
                        kernel.model->graphs.engine == model::Engine::Cpu ? "the CPU engine" : "the interpreter");
    if (kernel.backend == BackendKind::Xrt) text += formatted(", instance {}", kernel.instance);
    text += "\n";
    for (const Parameter& parameter : kernel.signature.parameters) {
      text += formatted("  {:3}: {}{}\n", parameter.argidx, parameter.name.empty() ? "" : parameter.name + ", ",
                        target_text(parameter.target));
    }
  }
  for (const CpuPlan& cpu : plan.cpus) text += formatted("cpu {}: library {}\n", cpu.name, cpu.library);
  text += "run lists\n";
  for (std::size_t i = 0; i < plan.lists.size(); ++i) {
    const ListPlan& list = plan.lists[i];
    text += formatted("  {}: {}, {} run{}\n", i, name_of(list.backend), list.end - list.begin,
                      list.end - list.begin == 1 ? "" : "s");
    for (std::size_t run = list.begin; run < list.end; ++run) print_run(plan, plan.runs[run], text);
  }
  return text;
}

}  // namespace slipway::recipe
