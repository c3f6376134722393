// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/graph_engine.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/format.hpp"
#include "lower/lower.hpp"
#include "model/native.hpp"
#include "model/plan/bind_interface.hpp"
#include "model/plan/intermediates.hpp"
#include "reference/run.hpp"

namespace slipway::model {
namespace {

// Arguments are the inputs, then the outputs.
Result<> interpret(const tosa::Graph& graph, std::span<const MutableBytes> arguments) {
  std::vector<reference::Tensor> inputs;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    inputs.push_back(reference::Tensor::from_bytes(graph[graph.inputs[i]].type, arguments[i]));
  const Result<std::vector<reference::Tensor>> outputs = reference::run(graph, std::move(inputs));
  if (!outputs) return fail(outputs.error());
  for (std::size_t i = 0; i < outputs->size(); ++i)
    std::ranges::copy((*outputs)[i].to_bytes(), arguments[graph.inputs.size() + i].begin());
  return {};
}

// Only devices know CUSTOM operators, and a failure now is better than one during the run.
Result<> check_operators(const tosa::Graph& graph) {
  Failure failure;
  for (const tosa::Node& node : graph.nodes) {
    if (node.op != tosa::Op::CUSTOM) continue;
    failure.push_back({.kind = DiagnosticKind::Unsupported,
                       .message = formatted("the reference engine has no operator `{}`; substitute its module, or run "
                                            "it on a device that has it",
                                            node.custom ? node.custom->name : "CUSTOM"),
                       .location = node.location});
  }
  if (!failure.empty()) return fail(std::move(failure));
  return {};
}

// Gives the values between kernels buffers in the plan, whose contents are passed to the caller after the run. Returns
// the buffers, and replaces the graph by one with these further outputs.
std::vector<launch::ResourceIndex> keep_intermediates(launch::Plan& plan, std::shared_ptr<const tosa::Graph>& graph,
                                                      lower::KernelProgram& program,
                                                      const std::shared_ptr<Intermediates>& into,
                                                      const std::string& name, const launch::Origin& origin) {
  auto own = std::make_shared<tosa::Graph>(*graph);
  std::vector<StoredValue>& stored = into->graphs[graph.get()];
  stored = stored_values(*graph, program);
  expose_intermediates(stored, *own, program);
  std::vector<launch::ResourceIndex> buffers;
  for (std::size_t i = graph->outputs.size(); i < own->outputs.size(); ++i) {
    const tosa::TensorType& type = (*own)[own->outputs[i]].type;
    const std::uint64_t size = tensor::byte_count(type.shape, tosa::storage_of(type.data)).value();
    buffers.push_back(static_cast<launch::ResourceIndex>(plan.resources.size()));
    plan.resources.push_back({.name = formatted("{} value {}", name, tosa::index(own->outputs[i])),
                              .kind = launch::Buffer{.size = std::max<std::uint64_t>(size, 1)},
                              .initial = {},
                              .outputs = {},
                              .sharing = std::nullopt,
                              .origin = origin,
                              .load_counter = {}});
    const auto at = std::ranges::find(stored, own->outputs[i], &StoredValue::value) - stored.begin();
    plan.captures.push_back({buffers.back(), [into, &stored, at](Bytes bytes) {
                               stored[static_cast<std::size_t>(at)].bytes.assign(bytes.begin(), bytes.end());
                             }});
  }
  graph = std::move(own);
  return buffers;
}

}  // namespace

Result<PlannedGraph> PlannedGraph::make(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph,
                                        std::shared_ptr<const spirv::Words> words, const GraphOptions& options,
                                        const std::string& name, const launch::Origin& origin, DataOwner owner) {
  if (options.engine == Engine::Reference) {
    return check_operators(*graph).transform(
        [&] { return PlannedGraph(Interpreted{std::move(graph), std::move(owner)}); });
  }
  lower::LowerOptions lowering = options.lower;
  std::string emulated_because;
  if (options.engine == Engine::Cpu) {
    lowering.device = cpu::facts_of(options.target ? *options.target : cpu::host_target());
    lowering.device.tuning = options.lower.device.tuning;
    lowering.max_groups = cpu::kMaxGroups;
  } else if (options.native && words && !options.intermediates) {
    auto native = native_graph(*options.native, *graph, std::move(words), name, origin, owner.owner);
    if (native) {
      plan.shaders.push_back(std::move(native->shader));
      return PlannedGraph(Native{.shader = static_cast<launch::ShaderIndex>(plan.shaders.size() - 1),
                                 .inputs = std::move(native->inputs),
                                 .outputs = std::move(native->outputs),
                                 .input_bindings = graph->input_bindings,
                                 .output_bindings = graph->output_bindings});
    }
    emulated_because = std::move(native.error());
  }
  SLIPWAY_TRY(lower::KernelProgram program, lower::lower_graph(*graph, lowering));
  std::vector<launch::ResourceIndex> intermediates;
  if (options.intermediates)
    intermediates = keep_intermediates(plan, graph, program, options.intermediates, name, origin);
  Result<PlannedGraph> made =
      options.engine == Engine::Cpu
          ? compile(std::move(graph), std::move(program), options, std::move(owner))
          : PlannedGraph(GraphInPlan(plan, std::move(graph), std::move(program), name, origin, std::move(owner)));
  if (made) {
    made->emulated_because_ = std::move(emulated_because);
    made->intermediates_ = std::move(intermediates);
  }
  return made;
}

Result<PlannedGraph> PlannedGraph::compile(std::shared_ptr<const tosa::Graph> own, lower::KernelProgram program,
                                           const GraphOptions& options, DataOwner owner) {
  if (options.target) {
    SLIPWAY_TRY_VOID(cpu::compile_into_cache(
        program,
        {.target = *options.target, .cache = options.cache, .threads = options.threads, .progress = options.progress}));
    return PlannedGraph(Interpreted{std::move(own), std::move(owner)});  // the plan can still be drawn and checked
  }
  const Bytes mapped = owner.mapped;
  return cpu::compile(std::move(own), std::move(program),
                      {.target = cpu::host_target(),
                       .cache = options.cache,
                       .threads = options.threads,
                       .owner = std::make_shared<DataOwner>(std::move(owner)),
                       .mapped = mapped,
                       .progress = options.progress})
      .transform([&](cpu::Program compiled) {
        return PlannedGraph(Compiled{std::move(compiled), options.threads, options.pin_threads});
      });
}

namespace {

// Runs a program, with the times of its dispatches if they are wanted.
Result<> run_compiled(const cpu::Program& program, cpu::RunOptions options, std::span<const MutableBytes> arguments,
                      launch::CallControl& control) {
  std::vector<cpu::DispatchTime> times;
  options.deadline = control.deadline;
  options.times = control.timed ? &times : nullptr;
  const Result<> done = program.run(arguments, options);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const lower::ProgramDispatch& dispatch = program.program().dispatches[i];
    control.parts.push_back({program.program().kernels[dispatch.kernel].name, times[i].begin, times[i].end});
  }
  return done;
}

}  // namespace

// One step, which accesses tensors of images in their own layout. All dispatches share one session, so there is a
// barrier after each.
void PlannedGraph::run_natively(launch::Plan& plan, const Native& native, const GraphResources& resources,
                                const std::string& name, const launch::Origin& origin) {
  launch::Dispatch dispatch{.shader = native.shader, .groups = {1, 1, 1}, .bindings = {}, .push_constants = {}};
  const auto bind = [&](std::span<const launch::ResourceIndex> buffers, std::span<const vk::TensorInfo> tensors,
                        std::span<const tosa::Binding> bindings, bool written) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      dispatch.bindings.push_back({.set = bindings[i].set,
                                   .binding = bindings[i].binding,
                                   .type = vk::DescriptorType::TENSOR_ARM,
                                   .resource = buffers[i],
                                   .level = std::nullopt,
                                   .tensor = add_tensor(plan, buffers[i], tensors[i]),
                                   .reads = !written,
                                   .writes = written,
                                   .origin = origin});
    }
  };
  bind(resources.inputs, native.inputs, native.input_bindings, false);
  bind(resources.outputs, native.outputs, native.output_bindings, true);
  plan.graphs.push_back({.name = name,
                         .first_step = plan.steps.size(),
                         .step_count = 1,
                         .operators = {"native"},
                         .session_size = 0,
                         .session_memory = std::nullopt,
                         .native = true});
  plan.steps.push_back({.name = name, .action = std::move(dispatch), .barrier_after = true, .origin = origin});
}

// Kernels do not read the memory that they write: an output in the memory of an input gets a buffer of its own.
void PlannedGraph::dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                            const launch::Origin& origin) {
  std::vector<launch::ResourceIndex> outputs(resources.outputs.begin(), resources.outputs.end());
  std::vector<launch::Step> copies;
  const std::unordered_set<launch::ResourceIndex> inputs(resources.inputs.begin(), resources.inputs.end());
  for (launch::ResourceIndex& output : outputs) {
    const auto& buffer = std::get<launch::Buffer>(plan.resources[output].kind);
    if (!inputs.contains(output) || buffer.rows) continue;
    launch::Copy copy{.to = output, .size = buffer.size};
    output = copy.from = add_buffer_like(plan, name, output);
    copies.push_back({.name = name, .action = copy, .barrier_after = true, .origin = origin});
  }
  dispatch_apart(plan, {resources.inputs, outputs}, name, origin);
  launch::GraphDispatch& whole = plan.graphs.back();
  whole.step_count += copies.size();
  whole.operators.insert(whole.operators.end(), copies.size(), "COPY");
  std::ranges::move(copies, std::back_inserter(plan.steps));
}

void PlannedGraph::dispatch_apart(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                                  const launch::Origin& origin) {
  if (const auto* native = std::get_if<Native>(&engine_)) return run_natively(plan, *native, resources, name, origin);
  const std::size_t first = plan.steps.size();
  std::vector<launch::ResourceIndex> inputs, outputs;
  for (const launch::ResourceIndex input : resources.inputs) inputs.push_back(rows_.packed(plan, input));
  for (const launch::ResourceIndex output : resources.outputs) outputs.push_back(rows_.packed(plan, output));
  for (const launch::ResourceIndex input : resources.inputs) rows_.gather(plan, input, origin);
  const std::size_t gathered = plan.steps.size() - first;
  outputs.insert(outputs.end(), intermediates_.begin(), intermediates_.end());
  compute(plan, {inputs, outputs}, name, origin);
  const std::size_t computed = plan.steps.size();
  for (const launch::ResourceIndex output : resources.outputs) rows_.scatter(plan, output, origin);
  // The copies are part of the graph.
  launch::GraphDispatch& whole = plan.graphs.back();
  whole.emulated_because = emulated_because_;
  whole.first_step = first;
  whole.step_count = plan.steps.size() - first;
  whole.operators.insert(whole.operators.begin(), gathered, "COPY");
  whole.operators.insert(whole.operators.end(), plan.steps.size() - computed, "COPY");
}

void PlannedGraph::compute(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                           const launch::Origin& origin) const {
  if (const auto* kernels = std::get_if<GraphInPlan>(&engine_)) return kernels->dispatch(plan, resources, name, origin);
  launch::Call call{.arguments = {}, .function = {}};
  const auto* compiled = std::get_if<Compiled>(&engine_);
  if (compiled) {
    call.function = [compiled = *compiled](std::span<const MutableBytes> arguments, launch::CallControl& control) {
      return run_compiled(compiled.program, {.threads = compiled.threads, .pin_threads = compiled.pin_threads},
                          arguments, control);
    };
  } else {
    call.function = [interpreted = std::get<Interpreted>(engine_)](std::span<const MutableBytes> arguments,
                                                                   launch::CallControl&) {
      return interpret(*interpreted.graph, arguments);
    };
  }
  for (const launch::ResourceIndex input : resources.inputs)
    call.arguments.push_back({.buffer = input, .reads = true, .writes = false, .origin = origin});
  for (const launch::ResourceIndex output : resources.outputs)
    call.arguments.push_back({.buffer = output, .reads = false, .writes = true, .origin = origin});
  plan.graphs.push_back({.name = name,
                         .first_step = plan.steps.size(),
                         .step_count = 1,
                         .operators = {compiled ? "cpu" : "reference"},
                         .session_size = compiled ? compiled->program.arena_size() : 0,
                         .session_memory = std::nullopt});
  plan.steps.push_back({.name = name, .action = std::move(call), .barrier_after = true, .origin = origin});
}

}  // namespace slipway::model
