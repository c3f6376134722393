// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/graph_view/build_diagram.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/format.hpp"
#include "tosa/cost.hpp"
#include "tosa/text.hpp"

namespace slipway::model {
namespace {

constexpr std::uint32_t kNoNode = 0xffffffff;
constexpr std::size_t kMaxLetters = 44;  // of a line; the whole text is in the details

std::string cut(std::string text) {
  if (text.size() <= kMaxLetters) return text;
  std::size_t end = kMaxLetters - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

// Attributes that affect shapes, where they do not have their usual values.
std::string attributes_line(const tosa::Node& node) {
  std::string text;
  for (const tosa::Attributes::Entry& entry : node.attributes.entries()) {
    const auto all_are = [&](std::int64_t usual) {
      return std::ranges::all_of(entry.integers, [&](std::int64_t value) { return value == usual; });
    };
    const bool window = entry.name == "stride" || entry.name == "dilation" || entry.name == "pad" ||
                        entry.name == "out_pad" || entry.name == "kernel" || entry.name == "axis" ||
                        entry.name == "perms" || entry.name == "start" || entry.name == "scale";
    if (!window || (entry.name.ends_with("pad") && all_are(0)) ||
        ((entry.name == "stride" || entry.name == "dilation") && all_are(1)))
      continue;
    text += (text.empty() ? "" : "  ") + std::string(entry.name) + " ";
    for (std::size_t i = 0; i < entry.integers.size(); ++i) text += (i ? "," : "") + std::to_string(entry.integers[i]);
  }
  return text;
}

// The value of an attribute in the text of its node.
std::string attribute_value(std::string_view text, std::string_view name) {
  const std::string key = formatted(" {}=", name);
  const std::size_t at = text.find(key);
  if (at == text.npos) return {};
  text.remove_prefix(at + key.size());
  const std::size_t end = text.starts_with('[') ? text.find(']') + 1 : std::min(text.find(' '), text.size());
  return std::string(text.substr(0, end));
}

// The origin of a value: a result of a node.
struct Source {
  std::uint32_t node = kNoNode, result = 0;
};

class Painter {
 public:
  Diagram take() { return std::move(diagram_); }

  std::uint32_t add_node(DiagramNode node) {
    diagram_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(diagram_.nodes.size() - 1);
  }

  void add_edge(Source from, std::uint32_t to) {
    if (from.node != kNoNode) diagram_.edges.push_back({from.node, to, from.result});
  }

  std::uint32_t add_cluster(DiagramCluster cluster) {
    diagram_.clusters.push_back(std::move(cluster));
    return static_cast<std::uint32_t>(diagram_.clusters.size() - 1);
  }

  Diagram& diagram() { return diagram_; }

  // `total` is the time of the whole run.
  static std::optional<DiagramTime> time_of(double milliseconds, double total) {
    return DiagramTime{milliseconds, total > 0 ? milliseconds / total : 0};
  }

 private:
  Diagram diagram_;
};

// One graph into a diagram.
class GraphPainter {
 public:
  GraphPainter(Painter& painter, const tosa::Graph& graph, const DiagramSegment& known, std::uint32_t cluster,
               double total)
      : painter_(painter),
        graph_(graph),
        known_(known),
        cluster_(cluster),
        total_(total),
        sources_(graph.values.size()),
        dispatch_of_(graph.nodes.size(), kNone) {}

  void set_source(tosa::ValueId value, Source source) { sources_[index(value)] = source; }

  void run() {
    group();
    // The sources of a node are drawn before it: nodes are in order.
    for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) node(i);
  }

  // A constant is drawn only where it is an output.
  Source source_of(tosa::ValueId value) {
    Source& source = sources_[index(value)];
    if (source.node == kNoNode && graph_.constant(value)) {
      const std::string type = tosa::text_of(graph_[value].type);
      source = {painter_.add_node({.kind = DiagramKind::Constant,
                                   .title = "constant",
                                   .lines = {},
                                   .details = graph_[value].name,
                                   .cluster = cluster_,
                                   .results = {type},
                                   .time = std::nullopt}),
                0};
    }
    return source;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // An operator belongs to the first kernel that computes it; views may be computed by several.
  void group() {
    if (!known_.program) return;
    const std::vector<lower::ProgramDispatch>& dispatches = known_.program->dispatches;
    members_.resize(dispatches.size());
    clusters_.assign(dispatches.size(), kNone);
    for (std::uint32_t d = 0; d < dispatches.size(); ++d) {
      if (!computes(graph_, *known_.program, dispatches[d])) continue;
      for (const std::uint32_t node : dispatches[d].nodes) {
        if (dispatch_of_[node] != kNone) continue;
        dispatch_of_[node] = d;
        ++members_[d];
      }
    }
    if (known_.times.size() != dispatches.size()) return;
    // A dispatch that prepares operands counts for the operator that reads them.
    times_.resize(dispatches.size());
    for (std::uint32_t d = 0; d < dispatches.size(); ++d) {
      std::uint32_t owner = d;
      if (!computes(graph_, *known_.program, dispatches[d]) && !dispatches[d].nodes.empty() &&
          dispatches[d].nodes.back() < graph_.nodes.size() && dispatch_of_[dispatches[d].nodes.back()] != kNone)
        owner = dispatch_of_[dispatches[d].nodes.back()];
      times_[owner] += known_.times[d];
    }
  }

  std::optional<DiagramTime> time_of(std::uint32_t dispatch) const {
    if (dispatch >= times_.size()) return std::nullopt;
    return Painter::time_of(times_[dispatch], total_);
  }

  // Of an operator whose kernel has other operators too.
  std::uint32_t kernel_cluster(std::uint32_t dispatch) {
    if (clusters_[dispatch] != kNone) return clusters_[dispatch];
    const lower::ProgramDispatch& of = known_.program->dispatches[dispatch];
    return clusters_[dispatch] = painter_.add_cluster(
               {.title = cut(kernel_name(dispatch)),
                .details = formatted("kernel {}: {}\n{} x {} x {} workgroups", dispatch, kernel_name(dispatch),
                                     of.groups[0], of.groups[1], of.groups[2]),
                .parent = cluster_,
                .time = time_of(dispatch)});
  }

  void node(std::uint32_t node_index) {
    const tosa::Node& node = graph_.nodes[node_index];
    DiagramNode drawn{.kind = DiagramKind::Operator,
                      .title = std::string(tosa::name_of(node.op)),
                      .lines = {},
                      .details = details(node_index),
                      .attributes = attributes(node_index),
                      .cluster = cluster_,
                      .results = {},
                      .time = std::nullopt};
    if (node.op == tosa::Op::CUSTOM && node.custom) drawn.title = node.custom->name;
    if (!node.name.empty()) drawn.lines.push_back(cut(node.name));
    if (const std::string line = attributes_line(node); !line.empty()) drawn.lines.push_back(cut(line));
    constants(node, drawn);
    for (const tosa::ValueId output : node.outputs) drawn.results.push_back(tosa::text_of(graph_[output].type));
    if (const std::uint32_t dispatch = dispatch_of_[node_index]; dispatch != kNone) {
      if (members_[dispatch] > 1)
        drawn.cluster = kernel_cluster(dispatch);
      else
        drawn.time = time_of(dispatch);
    }
    const std::uint32_t made = painter_.add_node(std::move(drawn));
    for (std::uint32_t k = 0; k < node.outputs.size(); ++k) set_source(node.outputs[k], {made, k});
    for (const tosa::ValueId input : node.inputs) {
      if (!graph_.constant(input)) painter_.add_edge(sources_[index(input)], made);
    }
  }

  std::vector<std::pair<std::string, std::string>> attributes(std::uint32_t node_index) const {
    const tosa::Node& node = graph_.nodes[node_index];
    std::vector<std::pair<std::string, std::string>> all;
    if (!node.name.empty()) all.emplace_back("name", node.name);
    const std::string text = tosa::print(graph_, node);
    for (const tosa::Attributes::Entry& entry : node.attributes.entries())
      all.emplace_back(std::string(entry.name), attribute_value(text, entry.name));
    if (node.custom) all.insert(all.end(), {{"domain", node.custom->domain}, {"operator", node.custom->name}});
    for (const tosa::ValueId input : node.inputs)
      all.emplace_back(graph_.constant(input) ? "constant" : "input", tosa::text_of(graph_[input].type));
    for (const tosa::ValueId output : node.outputs) all.emplace_back("result", tosa::text_of(graph_[output].type));
    const tosa::Cost cost = tosa::cost_of(graph_, node);
    if (cost.multiply_adds > 0) all.emplace_back("multiply-adds", formatted("{}", cost.multiply_adds));
    if (cost.operations > 0) all.emplace_back("operations", formatted("{}", cost.operations));
    if (const std::uint32_t dispatch = dispatch_of_[node_index]; dispatch != kNone)
      all.emplace_back("kernel", kernel_name(dispatch));
    return all;
  }

  // As the table of times has it.
  const std::string& kernel_name(std::uint32_t dispatch) const {
    return known_.program->kernels[known_.program->dispatches[dispatch].kernel].name;
  }

  // The types of weights are shown at the operators that use them, except those of one element.
  void constants(const tosa::Node& node, DiagramNode& drawn) const {
    if (node.op == tosa::Op::CUSTOM) return;
    std::size_t operand = 0;
    const std::vector<tosa::OperandInfo>& operands = tosa::info_of(node.op).operands;
    for (const tosa::ValueId input : node.inputs) {
      while (operand < operands.size() && !operands[operand].is_tensor()) ++operand;
      if (operand >= operands.size()) return;
      const tosa::OperandInfo& info = operands[operand];
      if (!info.variadic) ++operand;
      const tosa::TensorType& type = graph_[input].type;
      if (graph_.constant(input) && tensor::element_count(type.shape).value_or(0) > 1)
        drawn.lines.push_back(cut(formatted("{} {}", info.name, tosa::text_of(type))));
    }
  }

  std::string details(std::uint32_t node_index) const {
    const tosa::Node& node = graph_.nodes[node_index];
    std::string text = tosa::print(graph_, node);
    if (!node.name.empty()) text += "\nname " + node.name;
    for (const tosa::ValueId input : node.inputs)
      text += formatted("\n{} {}", graph_.constant(input) ? "constant" : "input", tosa::text_of(graph_[input].type));
    for (const tosa::ValueId output : node.outputs) text += "\nresult " + tosa::text_of(graph_[output].type);
    const tosa::Cost cost = tosa::cost_of(graph_, node);
    if (cost.multiply_adds > 0)
      text += formatted("\n{} multiply-adds", cost.multiply_adds);
    else if (cost.operations > 0)
      text += formatted("\n{} operations", cost.operations);
    if (const std::uint32_t dispatch = dispatch_of_[node_index]; dispatch != kNone)
      text += formatted("\nkernel {}: {}", dispatch, kernel_name(dispatch));
    return text;
  }

  Painter& painter_;
  const tosa::Graph& graph_;
  const DiagramSegment& known_;
  std::uint32_t cluster_;
  double total_;
  std::vector<Source> sources_;             // by value
  std::vector<std::uint32_t> dispatch_of_;  // by node
  std::vector<std::uint32_t> members_;      // by dispatch: how many operators are drawn in it
  std::vector<std::uint32_t> clusters_;     // by dispatch
  std::vector<double> times_;               // by dispatch; empty: not known
};

double sum_of(std::span<const double> times) { return std::accumulate(times.begin(), times.end(), 0.0); }

std::string cost_line(std::span<const DiagramSegment> segments) {
  tosa::Cost cost;
  tosa::Parameters parameters;
  std::size_t operators = 0, kernels = 0;
  for (const DiagramSegment& segment : segments) {
    if (segment.program) kernels += segment.program->dispatches.size();
    if (!segment.graph) continue;
    operators += segment.graph->nodes.size();
    cost += tosa::cost_of(*segment.graph);
    const tosa::Parameters of = tosa::parameters_of(*segment.graph);
    parameters.elements += of.elements;
    parameters.bytes += of.bytes;
  }
  std::string text = formatted("{} operators", operators);
  if (kernels > 0) text += formatted(" in {} kernels", kernels);
  return text + formatted(", {:.1f} million multiply-adds, {} parameters ({:.2f} MB)",
                          static_cast<double>(cost.multiply_adds) / 1e6, parameters.elements,
                          static_cast<double>(parameters.bytes) / 1e6);
}

class ModelPainter {
 public:
  ModelPainter(const vgf::File& file, std::span<const DiagramSegment> segments) : file_(file), segments_(segments) {
    for (const DiagramSegment& segment : segments) total_ += sum_of(segment.times);
  }

  Diagram run() {
    painter_.diagram().title = file_.name;
    painter_.diagram().summary = {cost_line(segments_)};
    if (total_ > 0) painter_.diagram().summary.push_back(formatted("{:.3f} ms in kernels", total_));
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) input(i);
    for (std::size_t i = 0; i < file_.segments.size(); ++i) segment(i);
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) output(i);
    return painter_.take();
  }

 private:
  // Resources of one alias group are one storage.
  std::uint32_t storage_of(std::uint32_t resource) const {
    const auto group = file_.resources[resource].alias_group;
    if (!group) return resource;
    const auto first = std::ranges::find(file_.resources, group, &vgf::Resource::alias_group);
    return static_cast<std::uint32_t>(first - file_.resources.begin());
  }

  std::string type_text(std::uint32_t resource) const {
    const vgf::Resource& of = file_.resources[resource];
    std::string name = vk::name_of(of.format);
    if (name.starts_with("VK_FORMAT_")) name.erase(0, std::string_view("VK_FORMAT_").size());
    return name + tensor::shape_text(of.shape);
  }

  void input(std::size_t i) {
    const vgf::Slot& slot = file_.inputs[i];
    const std::string_view name = vgf::input_name(file_, i);
    writers_[storage_of(slot.resource)] = {
        painter_.add_node({.kind = DiagramKind::Input,
                           .title = name.empty() ? formatted("input {}", i) : cut(std::string(name)),
                           .lines = {},
                           .details = formatted("input {} {}", i, name),
                           .cluster = kNoCluster,
                           .results = {type_text(slot.resource)},
                           .time = std::nullopt}),
        0};
  }

  void output(std::size_t i) {
    const vgf::Slot& slot = file_.outputs[i];
    const std::string_view name = vgf::output_name(file_, i);
    const std::uint32_t made =
        painter_.add_node({.kind = DiagramKind::Output,
                           .title = name.empty() ? formatted("output {}", i) : cut(std::string(name)),
                           .lines = {type_text(slot.resource)},
                           .details = formatted("output {} {}", i, name),
                           .cluster = kNoCluster,
                           .results = {},
                           .time = std::nullopt});
    if (const auto writer = writers_.find(storage_of(slot.resource)); writer != writers_.end())
      painter_.add_edge(writer->second, made);
  }

  void segment(std::size_t i) {
    const DiagramSegment& known = segments_[i];
    if (known.graph)
      graph(i, known);
    else
      shader(i, known);
  }

  const vgf::Resource* resource_at(const vgf::Segment& segment, const tosa::Binding& binding,
                                   std::uint32_t& index) const {
    for (const vgf::DescriptorSet& set : segment.sets) {
      if (set.index != binding.set) continue;
      for (const vgf::Slot& slot : set.slots) {
        if (slot.binding != binding.binding) continue;
        index = slot.resource;
        return &file_.resources[slot.resource];
      }
    }
    return nullptr;
  }

  // A model of one segment needs no frame.
  void graph(std::size_t i, const DiagramSegment& known) {
    const vgf::Segment& segment = file_.segments[i];
    std::uint32_t cluster = kNoCluster;
    if (file_.segments.size() > 1) {
      cluster = painter_.add_cluster(
          {.title = formatted("segment {} {}", i, cut(std::string(segment.name))),
           .details = formatted("module {}", file_.modules[segment.module].name),
           .parent = kNoCluster,
           .time = known.times.empty() ? std::nullopt : Painter::time_of(sum_of(known.times), total_)});
    }
    GraphPainter graph(painter_, *known.graph, known, cluster, total_);
    for (std::size_t k = 0; k < known.graph->inputs.size() && k < known.graph->input_bindings.size(); ++k) {
      std::uint32_t resource = 0;
      if (!resource_at(segment, known.graph->input_bindings[k], resource)) continue;
      if (const auto writer = writers_.find(storage_of(resource)); writer != writers_.end())
        graph.set_source(known.graph->inputs[k], writer->second);
    }
    graph.run();
    for (std::size_t k = 0; k < known.graph->outputs.size() && k < known.graph->output_bindings.size(); ++k) {
      std::uint32_t resource = 0;
      if (resource_at(segment, known.graph->output_bindings[k], resource))
        writers_[storage_of(resource)] = graph.source_of(known.graph->outputs[k]);
    }
  }

  void shader(std::size_t i, const DiagramSegment& known) {
    const vgf::Segment& segment = file_.segments[i];
    const vgf::Module& module = file_.modules[segment.module];
    DiagramNode node{
        .kind = DiagramKind::Shader,
        .title = formatted("{} {}", segment.kind == vgf::ModuleKind::Graph ? "graph" : "shader",
                           cut(std::string(module.name))),
        .lines = {cut(formatted("segment {} {}", i, segment.name))},
        .details = formatted("module {}, {}", module.name, module.is_placeholder() ? "no code" : name_of(module.code)),
        .cluster = kNoCluster,
        .results = {},
        .time = known.times.empty() ? std::nullopt : Painter::time_of(sum_of(known.times), total_)};
    if (segment.kind == vgf::ModuleKind::Compute && segment.dispatch) {
      const auto& [x, y, z] = *segment.dispatch;
      node.lines.push_back(formatted("{} x {} x {} workgroups", x, y, z));
    }
    for (const vgf::Slot& slot : segment.outputs) node.results.push_back(type_text(slot.resource));
    const std::uint32_t made = painter_.add_node(std::move(node));
    for (const vgf::Slot& slot : segment.inputs) {
      if (const auto writer = writers_.find(storage_of(slot.resource)); writer != writers_.end())
        painter_.add_edge(writer->second, made);
    }
    for (std::uint32_t k = 0; k < segment.outputs.size(); ++k)
      writers_[storage_of(segment.outputs[k].resource)] = {made, k};
  }

  const vgf::File& file_;
  std::span<const DiagramSegment> segments_;
  double total_ = 0;
  Painter painter_;
  std::map<std::uint32_t, Source> writers_;  // by storage: its last writer
};

}  // namespace

bool computes(const tosa::Graph& graph, const lower::KernelProgram& program, const lower::ProgramDispatch& dispatch) {
  if (dispatch.nodes.empty() || dispatch.buffers.empty()) return false;
  const auto is_known = [&](std::uint32_t node) { return node < graph.nodes.size(); };
  if (!std::ranges::all_of(dispatch.nodes, is_known)) return false;
  return std::ranges::contains(graph.nodes[dispatch.nodes.back()].outputs,
                               program.buffers[dispatch.buffers.back()].value);
}

Diagram build_diagram(const vgf::File& file, std::span<const DiagramSegment> segments) {
  return ModelPainter(file, segments).run();
}

Diagram build_diagram(const tosa::Graph& graph, const DiagramSegment& known) {
  Painter painter;
  painter.diagram().title = graph.name;
  painter.diagram().summary = {cost_line({&known, 1})};
  GraphPainter of_graph(painter, graph, known, kNoCluster, sum_of(known.times));
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const tosa::Value& value = graph[graph.inputs[i]];
    of_graph.set_source(graph.inputs[i],
                        {painter.add_node({.kind = DiagramKind::Input,
                                           .title = value.name.empty() ? formatted("input {}", i) : cut(value.name),
                                           .lines = {},
                                           .details = value.name,
                                           .cluster = kNoCluster,
                                           .results = {tosa::text_of(value.type)},
                                           .time = std::nullopt}),
                         0});
  }
  of_graph.run();
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const tosa::Value& value = graph[graph.outputs[i]];
    const Source source = of_graph.source_of(graph.outputs[i]);
    painter.add_edge(source,
                     painter.add_node({.kind = DiagramKind::Output,
                                       .title = value.name.empty() ? formatted("output {}", i) : cut(value.name),
                                       .lines = {tosa::text_of(value.type)},
                                       .details = value.name,
                                       .cluster = kNoCluster,
                                       .results = {},
                                       .time = std::nullopt}));
  }
  return painter.take();
}

}  // namespace slipway::model
