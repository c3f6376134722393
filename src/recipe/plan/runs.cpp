// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans runs with the signatures of their kernels, and divides runs into lists (docs/spec/recipe.md#runs,
// docs/spec/recipe.md#execution).
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "recipe/plan/parts.hpp"
#include "recipe/plan/patched.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

class RunPlanner {
 public:
  RunPlanner(const Recipe& recipe, const RecipeNames& names, const Run& run, Plan& plan, Diagnostics& diagnostics)
      : recipe_(recipe), names_(names), run_(run), plan_(plan), diagnostics_(diagnostics) {
    result_.id = run.id;
    result_.resource = run.resource;
    result_.origin = origin_of(run.at);
    repeated_ = repeated_indices(recipe, names, run);
  }

  void plan_cpu(std::size_t index) {
    result_.backend = BackendKind::Cpu;
    result_.index = index;
    for (const Argument& argument : run_.arguments) {
      if (takes(argument)) add_argument(argument, nullptr);
    }
    for (const Constant& constant : run_.constants) {
      if (constant.value.is(json::Type::Null) || !constant.value || !takes(constant)) continue;
      if (const auto scalar = read_constant(constant, true, diagnostics_))
        result_.constants.push_back({constant.argidx, cpu_value(*scalar)});
    }
    if (run_.grid) {
      diagnostics_.add(
          problem_at(run_.at, "grid", DiagnosticKind::KernelGrid, "a CPU function has no `grid`", Severity::Warning));
    }
    plan_.runs.push_back(std::move(result_));
  }

  void plan_kernel(std::size_t index, const Kernel& kernel) {
    const KernelPlan& planned = plan_.kernels[index];
    result_.backend = planned.backend;
    result_.index = index;
    for (const Argument& argument : run_.arguments) {
      if (takes(argument)) add_kernel_argument(argument, planned);
    }
    for (const Constant& constant : run_.constants) {
      if (takes(constant)) add_kernel_constant(constant, planned);
    }
    check_set(planned);
    check_grid(kernel, planned);
    plan_.runs.push_back(std::move(result_));
  }

 private:
  // Whether an argument or a constant is the one that counts for its argidx.
  template <class T>
  bool takes(const T& one) const {
    const auto repeated = repeated_.find(one.argidx);
    return repeated == repeated_.end() || repeated->second.taken == &one;
  }

  const Parameter* parameter(Value at, std::uint32_t argidx, const KernelPlan& kernel) {
    const Parameter* found = kernel.signature.find(argidx);
    if (!found && !kernel.signature.ignore_unmapped) {
      diagnostics_.add(
          problem_at(at, "argidx", DiagnosticKind::ArgumentIndex,
                     formatted("kernel `{}` has no parameter {}; it has {}", kernel.name, argidx, list_of(kernel))));
    }
    return found;
  }

  static std::string list_of(const KernelPlan& kernel) {
    if (kernel.signature.parameters.empty()) return "none";
    std::string list;
    for (const Parameter& parameter : kernel.signature.parameters) {
      list += formatted("{}{}", list.empty() ? "" : ", ", parameter.argidx);
      if (!parameter.name.empty()) list += formatted(" (`{}`)", parameter.name);
    }
    return list;
  }

  void add_argument(const Argument& argument, const Parameter* parameter) {
    const auto buffer = names_.buffers.find(argument.buffer);
    if (!buffer) return;
    plan_.buffers[*buffer].used = true;
    const std::uint64_t size = plan_.buffers[*buffer].size;
    const bool whole = size != 0 && ignores_offset(argument.offset, argument.size, size);
    result_.arguments.push_back({.argidx = argument.argidx,
                                 .buffer = *buffer,
                                 .offset = whole ? 0 : argument.offset,
                                 .size = argument.size,
                                 .reads = !parameter || parameter->reads,
                                 .writes = !parameter || parameter->writes,
                                 .access_known = parameter && parameter->access_known,
                                 .origin = origin_of(argument.at)});
  }

  void add_kernel_argument(const Argument& argument, const KernelPlan& kernel) {
    const Parameter* found = parameter(argument.at, argument.argidx, kernel);
    if (!found) return;
    set_.insert(argument.argidx);
    if (std::holds_alternative<IgnoredTarget>(found->target)) return;
    if (!found->takes_buffer()) {
      diagnostics_.add(problem_at(
          argument.at, "argidx", DiagnosticKind::ArgumentIndex,
          formatted("parameter {} of kernel `{}` takes a constant, not a buffer", argument.argidx, kernel.name)));
      return;
    }
    add_argument(argument, found);
  }

  void add_kernel_constant(const Constant& constant, const KernelPlan& kernel) {
    if (!constant.value) return;
    const Parameter* found = parameter(constant.at, constant.argidx, kernel);
    if (!found) return;
    set_.insert(constant.argidx);
    if (std::holds_alternative<IgnoredTarget>(found->target)) {
      read_constant(constant, false, diagnostics_);
      return;
    }
    if (const auto* argument = std::get_if<ArgumentTarget>(&found->target)) {
      if (kernel.backend == BackendKind::Xrt) return add_register(constant, *found, kernel);
      return argument->buffer ? add_zero_buffer(constant, kernel) : add_value(constant, *argument, found->size);
    }
    if (std::holds_alternative<DescriptorTarget>(found->target)) return add_zero_buffer(constant, kernel);
    if (!found->takes_constant()) {
      diagnostics_.add(
          problem_at(constant.at, "argidx", DiagnosticKind::ArgumentIndex,
                     formatted("parameter {} of kernel `{}` takes no constant", constant.argidx, kernel.name)));
      return;
    }
    std::optional<std::vector<std::byte>> bytes;
    if (const auto* push = std::get_if<PushTarget>(&found->target))
      bytes = kernel_bytes(constant, push->type, push->offsets.size(), push->array, diagnostics_);
    else
      bytes = kernel_bytes(constant, std::get<SpecializationTarget>(found->target).type, 1, false, diagnostics_);
    if (bytes) result_.scalars.push_back({constant.argidx, std::move(*bytes)});
  }

  // A value argument of an OpenCL kernel. Integers in OpenCL's SPIR-V have no signedness; a negative constant is stored
  // as signed.
  void add_value(const Constant& constant, const ArgumentTarget& argument, std::uint64_t size) {
    using tensor::ElementType;
    if (!argument.type) {
      diagnostics_.add(problem_at(constant.at, "argidx", DiagnosticKind::ArgumentIndex,
                                  "an argument of this type cannot be set with a constant"));
      return;
    }
    ElementType type = *argument.type;
    const auto number = whole_number(constant.value);
    if (number && number->negative) {
      if (type == ElementType::U8) type = ElementType::I8;
      if (type == ElementType::U16) type = ElementType::I16;
      if (type == ElementType::U32) type = ElementType::I32;
      if (type == ElementType::U64) type = ElementType::I64;
    }
    auto bytes = kernel_bytes(constant, type, argument.count, argument.count > 1, diagnostics_);
    if (!bytes) return;
    bytes->resize(size);  // vectors of three elements have the size of four
    result_.scalars.push_back({constant.argidx, std::move(*bytes)});
  }

  // The constant 0 for a buffer parameter binds a small buffer of zeros.
  void add_zero_buffer(const Constant& constant, const KernelPlan& kernel) {
    const auto number = whole_number(constant.value);
    if (number && number->magnitude == 0) {
      result_.zero_buffers.push_back(constant.argidx);
      return;
    }
    diagnostics_.add(json::problem(
        constant.value, DiagnosticKind::ConstantValue,
        formatted("parameter {} of kernel `{}` takes a buffer; the only constant that can replace it is 0",
                  constant.argidx, kernel.name)));
  }

  // The shipped runner takes the low 32 bits of an `int`.
  std::optional<ConstantScalar> low_bits(const Constant& constant) {
    const auto number = whole_number(constant.value);
    if (constant.type != ConstantType::Int || !number || number->fits(INT32_MIN, UINT32_MAX)) return std::nullopt;
    const WholeNumber low{.negative = false, .magnitude = number->bits() & UINT32_MAX};
    Diagnostic problem = json::problem(
        constant.value, DiagnosticKind::ConstantValue,
        formatted("{} does not fit in type int; its low 32 bits are {}", constant.value.text(), low.magnitude));
    diagnostics_.add(std::move(problem.as_rule()));
    return ConstantScalar{ConstantType::Int, low};
  }

  void add_register(const Constant& constant, const Parameter& parameter, const KernelPlan& kernel) {
    auto scalar = low_bits(constant);
    if (!scalar) scalar = read_constant(constant, false, diagnostics_);
    if (!scalar) return;
    std::vector<std::byte> bytes = register_bytes(*scalar);
    if (parameter.takes_buffer()) {
      if (std::ranges::any_of(bytes, [](std::byte b) { return b != std::byte{}; })) {
        diagnostics_.add(
            json::problem(constant.value, DiagnosticKind::ConstantValue,
                          formatted("argument {} of kernel `{}` is a buffer; the value is written as its address",
                                    constant.argidx, kernel.name),
                          Severity::Warning));
      }
      bytes.resize(8);
    }
    result_.scalars.push_back({constant.argidx, std::move(bytes)});
  }

  void check_set(const KernelPlan& kernel) {
    if (run_.incomplete) return;
    const bool optional = kernel.signature.optional;
    std::string missing;
    for (const Parameter& parameter : kernel.signature.parameters) {
      if ((optional && !parameter.needed) || set_.contains(parameter.argidx) ||
          std::holds_alternative<IgnoredTarget>(parameter.target) ||
          std::holds_alternative<LocalMemoryTarget>(parameter.target))
        continue;
      missing += formatted("{}{}", missing.empty() ? "" : ", ", parameter.argidx);
      if (!parameter.name.empty()) missing += formatted(" (`{}`)", parameter.name);
    }
    if (missing.empty()) return;
    diagnostics_.add(problem_at(run_.at, run_.resource_at.key(), DiagnosticKind::UnsetArgument,
                                formatted("run `{}` does not set parameter {} of kernel `{}`{}", run_.id, missing,
                                          kernel.name, optional ? ", which the NPU uses; it is 0" : ""),
                                optional ? Severity::Warning : Severity::Error));
  }

  void check_grid(const Kernel& kernel, const KernelPlan& planned) {
    if (planned.backend == BackendKind::Xrt) return;
    if (const auto& grid = run_.grid ? run_.grid : kernel.grid ? kernel.grid : planned.grid) {
      result_.groups = *grid;
    } else if (!run_.incomplete && !kernel.incomplete) {
      diagnostics_.add(
          problem_at(run_.at, run_.resource_at.key(), DiagnosticKind::KernelGrid,
                     formatted("kernel `{}` needs a `grid`, its numbers of work groups, in the kernel or in the run",
                               kernel.name)));
    }
  }

  const Recipe& recipe_;
  const RecipeNames& names_;
  const Run& run_;
  Plan& plan_;
  Diagnostics& diagnostics_;
  RunPlan result_;
  std::set<std::uint32_t> set_;
  std::map<std::uint32_t, RepeatedIndex> repeated_;
};

}  // namespace

std::map<std::uint32_t, RepeatedIndex> repeated_indices(const Recipe& recipe, const RecipeNames& names,
                                                        const Run& run) {
  // Buffers of the runner are set after constants, and buffers that a profile binds after these, by their names.
  using Order = std::pair<int, std::string_view>;
  std::map<std::uint32_t, std::pair<Order, RepeatedIndex>> last;
  std::map<std::uint32_t, RepeatedIndex> repeated;
  const auto set = [&](const auto& one, Order order) {
    const auto [known, fresh] = last.try_emplace(one.argidx, order, RepeatedIndex{&one, one.at});
    if (fresh) return;
    if (order >= known->second.first) known->second = {order, {&one, one.at}};
    repeated[one.argidx] = known->second.second;
  };
  for (const Constant& constant : run.constants) set(constant, {0, ""});
  for (const Argument& argument : run.arguments) {
    const auto buffer = names.buffers.find(argument.buffer);
    set(argument, buffer && recipe.buffers[*buffer].external() ? Order(2, argument.buffer) : Order(1, ""));
  }
  return repeated;
}

void check_indices(const Recipe& recipe, const RecipeNames& names, const Run& run, Diagnostics& diagnostics) {
  std::map<std::uint32_t, Value> seen;
  const std::map<std::uint32_t, RepeatedIndex> repeated = repeated_indices(recipe, names, run);
  const auto text_of = [](Value object) -> std::string {
    const Value name = object["name"];
    if (!name) return "a constant";
    return name.is(json::Type::String) ? formatted("buffer `{}`", name.string()) : "a buffer";
  };
  const auto check = [&](Value object, std::uint32_t argidx) {
    if (!object["argidx"]) return;
    const auto [first, fresh] = seen.emplace(argidx, object["argidx"]);
    if (fresh) return;
    diagnostics
        .add(json::problem(object["argidx"], DiagnosticKind::ArgumentIndex,
                           formatted("argidx {} is used twice in run `{}`; it is {}", argidx, run.id,
                                     text_of(repeated.at(argidx).at))))
        .as_rule()
        .note("the first one is here", first->second.location());
  };
  for (const Argument& argument : run.arguments) check(argument.at, argument.argidx);
  for (const Constant& constant : run.constants) check(constant.at, constant.argidx);
}

void plan_runs(const Recipe& recipe, const std::vector<bool>& valid_kernels, Plan& plan, Diagnostics& diagnostics) {
  const RecipeNames names(recipe);
  for (const Run& run : recipe.runs) {
    RunPlanner planner(recipe, names, run, plan, diagnostics);
    if (run.on_cpu()) {
      const auto cpu = names.cpus.find(run.resource).or_else([&] { return names.cpus.find(run.id); });
      if (cpu) planner.plan_cpu(*cpu);
    } else if (const auto kernel = names.kernels.find(run.resource); kernel && valid_kernels[*kernel]) {
      planner.plan_kernel(*kernel, recipe.kernels[*kernel]);
    }
  }
}

void check_data_flow(const Plan& plan, Diagnostics& diagnostics) {
  std::vector<bool> written(plan.buffers.size());
  for (const RunPlan& run : plan.runs) {
    for (const ArgumentPlan& argument : run.arguments) {
      const BufferPlan& buffer = plan.buffers[argument.buffer];
      if (buffer.type == BufferType::Internal && argument.reads && !argument.writes && !written[argument.buffer]) {
        diagnostics.add(
            {.severity = Severity::Warning,
             .kind = DiagnosticKind::UnusedResource,
             .message = formatted("internal buffer `{}` is read before any run writes it; it holds zeros", buffer.name),
             .location = argument.origin.location,
             .path = argument.origin.pointer});
        written[argument.buffer] = true;
      }
    }
    for (const ArgumentPlan& argument : run.arguments) {
      if (argument.writes) written[argument.buffer] = true;
    }
  }
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    if (buffer.type == BufferType::Output && buffer.used && !written[i]) {
      diagnostics.add({.severity = Severity::Warning,
                       .kind = DiagnosticKind::UnusedResource,
                       .message = formatted("no run writes output buffer `{}`", buffer.name),
                       .location = buffer.origin.location,
                       .path = buffer.origin.pointer});
    }
  }
}

std::vector<ListPlan> cut_lists(const Plan& plan) {
  std::vector<ListPlan> lists;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunPlan& run = plan.runs[i];
    // Contexts matter for XRT only: embedded kernels of several contexts go into one list.
    const auto context = run.backend == BackendKind::Xrt ? plan.kernels[run.index].context : std::nullopt;
    if (lists.empty() || lists.back().backend != run.backend || lists.back().context != context)
      lists.push_back({.backend = run.backend, .context = context, .begin = i, .end = i});
    lists.back().end = i + 1;
  }
  return lists;
}

void check_patched_arguments(const Plan& plan, Diagnostics& diagnostics) {
  for (const RunPlan& run : plan.runs) {
    if (run.backend != BackendKind::Xrt) continue;
    const KernelPlan& kernel = plan.kernels[run.index];
    if (!kernel.signature.patched) continue;
    for (const ArgumentPlan& argument : run.arguments) {
      const Parameter* parameter = kernel.signature.find(argument.argidx);
      if (parameter == nullptr || parameter->needed || !parameter->takes_buffer()) continue;
      diagnostics.add(
          {.severity = Severity::Warning,
           .kind = DiagnosticKind::UnusedResource,
           .message = formatted("run `{}` sets argument {} of kernel `{}`, which no patch of the control code "
                                "uses",
                                run.id, argument.argidx, kernel.name),
           .location = argument.origin.location,
           .path = argument.origin.pointer});
    }
  }
}

}  // namespace slipway::recipe
