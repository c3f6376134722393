// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a TOSA graph of a net for given shapes and parameters: one walk over its nodes, in which each value is known on
// the host or computed by the graph (docs/spec/import.md#stages).
#include "importer/specialise.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "importer/bind.hpp"
#include "importer/emit/bound_shader.hpp"
#include "importer/emit/host.hpp"
#include "importer/emit/node_context.hpp"
#include "importer/layout/cancel_unsigned.hpp"
#include "importer/layout/graph_copy.hpp"
#include "importer/layout/sink_transposes.hpp"
#include "importer/onnx/qdq/emit_quantised.hpp"
#include "importer/onnx/qdq/quantised_groups.hpp"
#include "importer/report.hpp"
#include "importer/supported.hpp"

namespace slipway::importer {
namespace {

// What a node reads of its graph, subgraphs included.
std::vector<NetValueId> operands_of(const NetNode& node) {
  std::vector<NetValueId> operands;
  for (const NetValueId id : node.inputs) {
    if (id != kAbsent) operands.push_back(id);
  }
  for (const auto& [name, value] : node.attributes) {
    const auto* graph = std::get_if<std::shared_ptr<const NetGraph>>(&value);
    if (!graph) continue;
    for (const auto& [here, there] : (*graph)->captured) operands.push_back(there);
  }
  return operands;
}

// The inputs of the graph that decide a value.
std::set<NetValueId> deciding_inputs(const NetGraph& graph, const std::set<NetValueId>& wanted) {
  std::map<NetValueId, const NetNode*> producers;
  for (const NetNode& node : graph.nodes) {
    for (const NetValueId id : node.outputs) producers.emplace(id, &node);
  }
  std::set<NetValueId> seen = wanted, inputs;
  std::vector<NetValueId> pending(wanted.begin(), wanted.end());
  while (!pending.empty()) {
    const NetValueId id = pending.back();
    pending.pop_back();
    const auto producer = producers.find(id);
    if (producer == producers.end()) {
      if (std::ranges::contains(graph.inputs, id)) inputs.insert(id);
      continue;
    }
    for (const NetValueId operand : operands_of(*producer->second)) {
      if (seen.insert(operand).second) pending.push_back(operand);
    }
  }
  return inputs;
}

// Inputs that decide shapes are small.
constexpr std::int64_t kMaxBound = 1024;

// Inputs that got elements, and those that need them and have none.
struct BoundInputs {
  std::set<NetValueId> bound;
  std::vector<std::string> missing;
};

// Binds the inputs that decide values. Empty: an array does not fit, which is reported.
std::optional<BoundInputs> bind_inputs(const Net& net, Interface& interface, const ImportOptions& options,
                                       const std::set<NetValueId>& wanted, Diagnostics& diagnostics) {
  BoundInputs made;
  const std::set<NetValueId> deciding = deciding_inputs(*interface.graph, wanted);
  for (InterfaceInput& input : interface.inputs) {
    if (!deciding.contains(input.value) || input.elements) continue;
    if (is_real(input.type) && input.shape.size() > 1) continue;
    if (tensor::element_count(input.shape).value_or(kMaxBound + 1) > kMaxBound) continue;
    std::optional<Array> elements = options.elements_of ? options.elements_of(input.name) : std::nullopt;
    if (!elements) {
      made.missing.push_back(input.name);
      continue;
    }
    if (elements->type != input.type) elements = Builder().cast(known_term(*elements), input.type).known;
    if (elements->count() != static_cast<std::size_t>(*tensor::element_count(input.shape))) {
      diagnostics.error(DiagnosticKind::ShapeMismatch, SourceLocation::in_file(net.file),
                        formatted("input `{}` has the shape {} and is given {} values", input.name,
                                  tensor::shape_text(input.shape), elements->count()));
      return std::nullopt;
    }
    elements->shape = input.shape;
    input.elements = std::move(elements);
    made.bound.insert(input.value);
  }
  return made;
}

// An input that decides nothing stays an input of the graph, which the elements would not reach.
void check_bound(const Net& net, const Interface& interface, const ImportOptions& options, Diagnostics& diagnostics) {
  for (const InterfaceInput& input : interface.inputs) {
    if (input.elements || !options.bound.contains(input.name)) continue;
    diagnostics.error(DiagnosticKind::Unsupported, SourceLocation::in_file(net.file),
                      formatted("no shape or parameter depends on input `{}`, so that it cannot be bound to values; "
                                "it is given to a run",
                                input.name));
  }
}

// A graph of the net as far as it has been computed, and the one that it is inside of.
struct Frame {
  const NetGraph& graph;
  std::vector<std::optional<Term>> values;  // empty: not computed, or its node has failed
  std::string path;
  int depth = 0;
};

// A subgraph could not be computed; its nodes are in the report already.
struct SubgraphFailed {};

class Emission {
 public:
  Emission(const Net& net, Interface& interface, const ImportOptions& options)
      : shaders(options), net_(net), interface_(interface), options_(options) {}

  void run() {
    Frame frame{.graph = *interface_.graph, .values = constants(*interface_.graph), .path = {}};
    for (const InterfaceInput& input : interface_.inputs) frame.values[input.value] = term_of(input);
    add_states(frame);
    walk(frame);
    finish(frame);
  }

  Report report;
  BoundShaders shaders;
  bool bound_late = false;      // inputs got elements that nodes before had not seen
  std::set<NetValueId> wanted;  // values of the main graph that have to be known before the run
  tosa::Model model;

 private:
  static std::vector<std::optional<Term>> constants(const NetGraph& graph) {
    std::vector<std::optional<Term>> values(graph.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!graph.values[i].constant) continue;
      values[i] = known_term(*graph.values[i].constant);
      values[i]->quantization = graph.values[i].quantization;
    }
    return values;
  }

  Term term_of(const InterfaceInput& input) {
    if (!input.in_graph) return known_term(*input.elements);
    // Graphs have no tensors without elements: one element is in the place of each, and nothing reads it.
    const bool is_empty = tensor::element_count(input.shape) == 0;
    const bool is_deep = input.shape.size() > kMaxGraphRank;
    const tensor::Shape shape = input.shape.empty() || is_empty ? tensor::Shape{1}
                                : is_deep                       ? tensor::Shape{product_of(input.shape)}
                                                                : input.shape;
    const tosa::ValueId value = builder_.graph().add_input({info_of(input.type).graph, shape}, input.name);
    model.input_names.push_back(input.name);
    model.declared_inputs.push_back({info_of(input.type).storage, input.shape});
    if (input.elements) return known_term(*input.elements);
    if (is_empty) return builder_.number(input.type, 0, input.shape);
    Term term = builder_.reshape(builder_.term(value, input.type), input.shape);
    term.quantization = interface_.graph->values[input.value].quantization;
    return term;
  }

  // A variable is an input of the graph and an output with its new value.
  void add_states(Frame& frame) {
    for (std::size_t i = 0; i < frame.graph.values.size(); ++i) {
      const NetValue& value = frame.graph.values[i];
      if (!value.is_variable || frame.values[i] || !value.shape) continue;
      InterfaceInput state{.name = value.name + "@state",
                           .value = static_cast<NetValueId>(i),
                           .type = value.type,
                           .shape = {},
                           .elements = {}};
      for (const Dimension& dimension : *value.shape)
        state.shape.push_back(dimension.extent < 0 ? dimension.usual : dimension.extent);
      frame.values[i] = term_of(state);
      states_.push_back(state);
    }
  }

  void walk(Frame& frame) {
    const QuantisedGroups groups = quantised_groups(frame.graph);
    std::vector<bool> replaced = groups.replaced;
    if (is_main(frame)) groups_ = &groups;
    for (std::size_t i = 0; i < frame.graph.nodes.size(); ++i) {
      ++report.nodes;
      const auto group = groups.by_main.find(i);
      if (group != groups.by_main.end()) {
        if (compute(frame, frame.graph.nodes[i], group->second)) continue;
        // As floats, as if there were no group.
        for (const std::size_t follower : group->second.followers) replaced[follower] = false;
        for (const auto& source : group->second.sources) {
          if (!source || !replaced[source->node]) continue;
          replaced[source->node] = false;
          compute(frame, frame.graph.nodes[source->node]);
        }
      }
      if (group != groups.by_main.end() || !replaced[i]) compute(frame, frame.graph.nodes[i]);
    }
  }

  bool is_main(const Frame& frame) const { return &frame.graph == interface_.graph; }

  // Binds the inputs that decide a value, and computes again what the nodes before `end` have computed from them; what
  // they made before is not used. False: this is not possible, or there was nothing to bind.
  bool bind_in_place(Frame& frame, NetValueId value, std::size_t end) {
    // What failed may not fail again; nodes with a state cannot be computed twice.
    if (net_.format != NetFormat::Onnx || !report.empty()) return false;
    Diagnostics problems;
    const auto inputs = bind_inputs(net_, interface_, options_, {value}, problems);
    if (!inputs || inputs->bound.empty()) return false;
    bound_late = true;
    for (const InterfaceInput& input : interface_.inputs) {
      if (inputs->bound.contains(input.value)) frame.values[input.value] = known_term(*input.elements);
    }
    has_unused_ = true;
    std::set<NetValueId> changed = inputs->bound;
    for (std::size_t i = 0; i < end; ++i) {
      const NetNode& node = frame.graph.nodes[i];
      if (std::ranges::none_of(operands_of(node), [&](NetValueId id) { return changed.contains(id); })) continue;
      if (groups_->replaced[i] || groups_->by_main.contains(i)) return false;
      for (const NetValueId output : node.outputs) {
        if (output == kAbsent) continue;
        frame.values[output].reset();
        changed.insert(output);
      }
      compute(frame, node);
    }
    return report.empty();
  }

  QuantisedGroups quantised_groups(const NetGraph& graph) const {
    std::set<NetValueId> kept;
    if (&graph == interface_.graph) {
      for (const InterfaceOutput& output : interface_.outputs) kept.insert(output.value);
    }
    if (net_.format == NetFormat::Onnx && options_.fuses_quantised) return find_quantised_groups(graph, kept);
    return {.by_main = {}, .replaced = std::vector<bool>(graph.nodes.size(), false)};
  }

  // Whether the group of a main node could be computed with integers.
  bool compute(Frame& frame, const NetNode& main, const QuantisedGroup& group) {
    std::vector<Term> terms;
    for (std::size_t k = 0; k < main.inputs.size(); ++k) {
      const NetValueId id = group.sources[k] ? frame.graph.nodes[group.sources[k]->node].inputs[0] : main.inputs[k];
      if (id != kAbsent && !frame.values[id]) return false;
      terms.push_back(id == kAbsent ? Term{} : *frame.values[id]);
    }
    std::vector<const Term*> inputs;
    for (std::size_t k = 0; k < terms.size(); ++k) inputs.push_back(main.inputs[k] == kAbsent ? nullptr : &terms[k]);
    while (!inputs.empty() && !inputs.back()) inputs.pop_back();
    begin(main);
    std::vector<std::optional<Term>> outputs(main.outputs.size());
    const NodeContext::RunGraph run = runner(frame);
    NodeContext context(builder_, main, frame.graph, net_, options_, inputs, outputs, variables_, run);
    try {
      emit_quantised(context, group);
    } catch (const Refused&) {
      return false;
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const NetValueId id = group.results[k] ? group.results[k]->value : main.outputs[k];
      if (id != kAbsent && outputs[k]) keep(frame, id, *std::move(outputs[k]));
    }
    return true;
  }

  void begin(const NetNode& node) {
    builder_.origin = node.name.empty() ? formatted("{} #{}", node.kind, node.index) : node.name;
    builder_.location = node.location;
  }

  NodeContext::RunGraph runner(Frame& frame) {
    return [this, &frame](const NetGraph& graph, std::span<const Term> operands, std::string_view path) {
      return run_subgraph(frame, graph, operands, path);
    };
  }

  void compute(Frame& frame, const NetNode& node) {
    std::vector<const Term*> inputs;
    for (const NetValueId id : node.inputs) {
      if (id != kAbsent && !frame.values[id]) {
        // What makes other values has failed.
        if (frame.graph.values[id].is_variable)
          report.add(node, frame.path, "a variable of a subgraph is not supported");
        return;
      }
      inputs.push_back(id == kAbsent ? nullptr : &*frame.values[id]);
    }
    while (!inputs.empty() && !inputs.back()) inputs.pop_back();
    const EmitNode emit = net_.format == NetFormat::Onnx ? find_onnx_operator(node.domain, node.kind)
                                                         : find_tflite_operator(node.domain, node.kind);
    const bool has_shader = shaders.has(net_, node);
    if (!emit && !has_shader) {
      report.add(node, frame.path,
                 formatted("the operator is not supported: {}{}", obstacle_of(net_.format, node.domain, node.kind),
                           node.domain.empty() ? ""
                                               : formatted("; `--shader {}=FILE` binds it to a compute shader",
                                                           shader_kind(net_, node))));
      return;
    }
    begin(node);
    std::vector<std::optional<Term>> outputs(node.outputs.size());
    const NodeContext::RunGraph run = runner(frame);
    NodeContext context(builder_, node, frame.graph, net_, options_, inputs, outputs, variables_, run);
    try {
      has_shader ? shaders.emit(context) : emit(context);
    } catch (const NotKnown& reason) {
      if (is_main(frame)) {
        const auto at = static_cast<std::size_t>(&node - frame.graph.nodes.data());
        if (bind_in_place(frame, reason.value, at)) return compute(frame, node);
        wanted.insert(reason.value);
      }
      report.add(node, frame.path, reason.what());
    } catch (const Refused& reason) {
      report.add(node, frame.path, reason.what());
    } catch (const SubgraphFailed&) {
      return;
    }
    for (const auto& [i, term] : context.updates()) keep(frame, node.inputs[i], term);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (node.outputs[i] != kAbsent && outputs[i]) keep(frame, node.outputs[i], *std::move(outputs[i]));
    }
  }

  void keep(Frame& frame, NetValueId id, Term term) {
    const NetValue& value = frame.graph.values[id];
    if (net_.format == NetFormat::Tflite || !term.quantization) term.quantization = value.quantization;
    if (term.value != tosa::kNoValue && frame.path.empty()) {
      std::string& name = builder_.graph()[term.value].name;
      if (name.empty()) name = value.name;
    }
    frame.values[id] = std::move(term);
  }

  std::vector<Term> run_subgraph(const Frame& outer, const NetGraph& graph, std::span<const Term> operands,
                                 std::string_view path) {
    if (outer.depth == kMaxDepth) throw Refused("subgraphs are nested too deeply");
    unrolled_ += graph.nodes.size() + 1;
    if (unrolled_ > kMaxUnrolledNodes)
      throw Refused(
          formatted("its loops and branches have more than {} operators when they are unrolled", kMaxUnrolledNodes));
    Frame frame{.graph = graph,
                .values = constants(graph),
                .path = outer.path.empty() ? std::string(path) : formatted("{}/{}", outer.path, path),
                .depth = outer.depth + 1};
    for (const auto& [here, there] : graph.captured) {
      if (!outer.values[there]) throw SubgraphFailed();
      frame.values[here] = outer.values[there];
    }
    if (operands.size() != graph.inputs.size())
      throw Refused(formatted("a subgraph has {} inputs and is given {}", graph.inputs.size(), operands.size()));
    for (std::size_t i = 0; i < operands.size(); ++i) frame.values[graph.inputs[i]] = operands[i];
    const std::string origin = builder_.origin;
    const SourceLocation location = builder_.location;
    walk(frame);
    builder_.origin = origin;
    builder_.location = location;
    std::vector<Term> results;
    for (const NetValueId id : graph.outputs) {
      if (!frame.values[id]) throw SubgraphFailed();
      results.push_back(*frame.values[id]);
    }
    return results;
  }

  void finish(const Frame& frame) {
    for (const InterfaceOutput& output : interface_.outputs) {
      const std::optional<Term>& term = frame.values[output.value];
      if (!term) continue;  // reported
      try {
        if (term->sequence) throw Refused("a sequence or an optional value cannot be an output");
        builder_.origin = output.name;
        const bool is_empty = term->count() == 0;
        const Term flat = is_empty                       ? builder_.number(term->type, 0, {1})
                          : term->rank() > kMaxGraphRank ? builder_.reshape(*term, {term->count()})
                                                         : *term;
        const tosa::ValueId value = builder_.value(flat);
        builder_.graph().outputs.push_back(value);
        model.output_names.push_back(output.name);
        model.declared_outputs.push_back({info_of(term->type).storage, term->shape});
      } catch (const Refused& reason) {
        if (!output.is_optional) report.add_output(output.name, reason.what());
      }
    }
    for (const InterfaceInput& state : states_) add_state_output(state, *frame.values[state.value]);
    model.graph = has_unused_ && report.empty() ? without_unused(builder_.graph()) : std::move(builder_.graph());
    model.graph.name = "main";
    model.file = net_.file;
    model.memory = net_.memory;
  }

  void add_state_output(const InterfaceInput& state, const Term& term) {
    builder_.origin = state.name;
    const tosa::ValueId value = builder_.value(builder_.reshape(term, term.shape));
    builder_.graph().outputs.push_back(value);
    model.output_names.push_back(state.name);
    model.declared_outputs.push_back({info_of(term.type).storage, term.shape});
  }

  static constexpr int kMaxDepth = 64;
  static constexpr std::size_t kMaxUnrolledNodes = std::size_t{1} << 20;  // loops in loops multiply
  std::size_t unrolled_ = 0;

  const Net& net_;
  Interface& interface_;
  const ImportOptions& options_;
  Builder builder_;
  const QuantisedGroups* groups_ = nullptr;  // of the main graph
  bool has_unused_ = false;                  // operators of values that were computed again
  std::vector<InterfaceInput> states_;
  std::map<std::string, Term> variables_;
};

}  // namespace

std::optional<tosa::Model> specialise(const Net& net, const ImportOptions& options, Diagnostics& diagnostics) {
  if (net.format == NetFormat::Onnx && options.arithmetic != Arithmetic::OfFormat &&
      options.arithmetic != Arithmetic::Float) {
    diagnostics.error(DiagnosticKind::Unsupported, SourceLocation::in_file(net.file),
                      "integers of ONNX models are scaled in float arithmetic only");
    return std::nullopt;
  }
  std::optional<Interface> interface = bind_interface(net, options, diagnostics);
  if (!interface) return std::nullopt;
  while (true) {
    Emission emission(net, *interface, options);
    emission.run();
    if (emission.report.empty()) {
      const std::size_t before = diagnostics.errors();
      emission.shaders.finish(net, diagnostics);
      check_bound(net, *interface, options, diagnostics);
      if (diagnostics.errors() != before) return std::nullopt;
      cancel_unsigned(emission.model.graph);
      sink_transposes(emission.model.graph);
      return std::move(emission.model);
    }
    const auto bound = bind_inputs(net, *interface, options, emission.wanted, diagnostics);
    if (!bound) return std::nullopt;
    if (!bound->bound.empty() || emission.bound_late) continue;
    emission.shaders.finish(net, diagnostics);
    emission.report.print(net, bound->missing, diagnostics);
    return std::nullopt;
  }
}

}  // namespace slipway::importer
