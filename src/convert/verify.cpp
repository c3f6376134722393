// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/verify.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "reference/run.hpp"
#include "spirv/module.hpp"
#include "tosa/check/bind_constants.hpp"
#include "tosa/check/verify.hpp"
#include "tosa/read/read_spirv.hpp"
#include "vgf/check.hpp"

namespace slipway::convert {
namespace {

using reference::Tensor;
using tosa::DataType;
using tosa::index;
using tosa::ValueId;

constexpr std::int64_t kUnknownExtent = 4;
constexpr double kRelative = 1.0 / 256, kAbsolute = 1.0 / 1024;  // of narrowed models
constexpr std::string_view kRuns[] = {"zeros", "a ramp", "random values"};

// Element `i` of an input of a run. Floats are small multiples of a power of two.
double element(int run, std::size_t i, DataType type, std::mt19937& random) {
  if (run == 0) return 0;
  if (tosa::is_float(type))
    return run == 1 ? static_cast<double>(i % 33) / 16 - 1 : static_cast<double>(random() % 4097) / 1024 - 2;
  const std::int64_t low = reference::min_integer(type), high = reference::max_integer(type);
  const std::int64_t span = std::min<std::int64_t>(high - low + 1, 1 << 16);
  const std::int64_t from = span == high - low + 1 ? low : -(span / 2);
  const auto step = run == 1 ? static_cast<std::int64_t>(i) : static_cast<std::int64_t>(random());
  return static_cast<double>(type == DataType::Bool ? step % 2 : from + step % span);
}

Tensor input(const tosa::TensorType& type, int run, std::mt19937& random) {
  Tensor made = Tensor::zeros(type);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double value = element(run, i, type.data, random);
    if (made.is_float())
      made.reals[i] = reference::round_to(type.data, value);
    else
      made.integers[i] = static_cast<std::int64_t>(value);
  }
  return made;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// The first element that differs by more than is allowed.
struct Difference {
  std::size_t element;
  std::string left, right;
};
std::optional<Difference> difference(const Tensor& a, const Tensor& b, bool narrowed, double& worst) {
  if (a.size() != b.size()) return Difference{0, text_of(a.type), text_of(b.type)};
  for (std::size_t i = 0; i < a.integers.size(); ++i) {
    if (a.integers[i] != b.integers[i] && !narrowed)
      return Difference{i, formatted("{}", a.integers[i]), formatted("{}", b.integers[i])};
  }
  for (std::size_t i = 0; i < a.reals.size(); ++i) {
    const double x = a.reals[i], y = b.reals[i];
    if (same(x, y)) continue;
    const double error = std::abs(x - y);
    if (narrowed && std::isfinite(error)) worst = std::max(worst, error);
    if (narrowed && error <= kAbsolute + kRelative * std::abs(x)) continue;
    return Difference{i, formatted("{}", x), formatted("{}", y)};
  }
  return std::nullopt;
}

// The graph with all shapes known.
std::expected<tosa::Graph, std::string> static_graph(const tosa::Graph& graph, const VerifyOptions& options) {
  std::vector<tensor::Shape> shapes;
  for (const ValueId value : graph.inputs) {
    tensor::Shape shape = graph[value].type.shape;
    if (const auto given = options.shapes.find(graph[value].name); given != options.shapes.end()) shape = given->second;
    for (std::int64_t& extent : shape) {
      if (extent < 0) extent = kUnknownExtent;
    }
    shapes.push_back(std::move(shape));
  }
  Diagnostics problems;
  auto made = tosa::with_input_shapes(graph, shapes, problems);
  if (made) return std::move(*made);
  return std::unexpected(formatted("with {} for unknown dimensions, {}", kUnknownExtent,
                                   problems.empty() ? "shapes stay unknown" : problems.all()[0].message));
}

std::string name_of_output(const tosa::Graph& graph, std::size_t index) {
  const std::string& name = graph[graph.outputs[index]].name;
  return name.empty() ? formatted("output_{}", index) : name;
}

tensor::ComparedOutputs all_left_out(const tosa::Graph& graph, const std::string& why) {
  tensor::ComparedOutputs outputs{.total = graph.outputs.size()};
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) outputs.left_out.push_back({name_of_output(graph, i), why});
  return outputs;
}

// By output: whether a shader computes something of it.
std::vector<bool> outputs_of_shaders(const tosa::Graph& graph) {
  std::vector<bool> values(graph.values.size());
  for (const tosa::Node& node : graph.nodes) {
    const bool shader = node.op == tosa::Op::CUSTOM ||
                        std::ranges::any_of(node.inputs, [&](ValueId value) { return values[index(value)]; });
    for (const ValueId value : node.outputs) values[index(value)] = shader;
  }
  std::vector<bool> outputs;
  for (const ValueId value : graph.outputs) outputs.push_back(values[index(value)]);
  return outputs;
}

// The inputs of a run: for the model as it was read, and with the types after the passes.
struct Inputs {
  std::vector<Tensor> original, prepared;
};
Inputs inputs_of(const tosa::Graph& original, const tosa::Graph& prepared, int run) {
  std::mt19937 random(1);
  Inputs inputs;
  for (std::size_t i = 0; i < original.inputs.size(); ++i) {
    inputs.original.push_back(input(original[original.inputs[i]].type, run, random));
    Tensor narrow = inputs.original.back();
    narrow.type = prepared[prepared.inputs[i]].type;
    for (double& value : narrow.reals) value = reference::round_to(narrow.type.data, value);
    inputs.prepared.push_back(std::move(narrow));
  }
  return inputs;
}

class FileVerifier {
 public:
  FileVerifier(const tosa::Model& original, const tosa::Model& prepared, const Converted& converted,
               const vgf::File& file, const VerifyOptions& options, Diagnostics& diagnostics)
      : original_(original),
        prepared_(prepared),
        segments_(converted.segments),
        file_(file),
        options_(options),
        diagnostics_(diagnostics) {}

  VerifyReport run() {
    const auto original = static_graph(original_.graph, options_), prepared = static_graph(prepared_.graph, options_);
    if (!original || !prepared) {
      report_.compared = all_left_out(original_.graph, original ? prepared.error() : original.error());
      return std::move(report_);
    }
    if (!read_segments()) return std::move(report_);
    for (int run = 0; run < std::ssize(kRuns); ++run) {
      if (!compare(*original, *prepared, run)) return std::move(report_);
      ++report_.runs;
    }
    report_.compared = {.compared = original->outputs.size(), .total = original->outputs.size()};
    return std::move(report_);
  }

 private:
  void error(std::string text) {
    diagnostics_.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(file_.name), "verification: " + text);
  }

  // The graphs of the file, with their constants.
  bool read_segments() {
    for (const vgf::Segment& segment : file_.segments) {
      graphs_.emplace_back();
      if (segment.kind != vgf::ModuleKind::Graph) continue;
      const vgf::Module& module = file_.modules[segment.module];
      const auto words = diagnostics_.take(spirv::read_module(module.words, std::string(module.name)));
      auto graph = words ? tosa::read_graph(*words, module.entry_point, diagnostics_) : std::nullopt;
      if (!graph) return false;
      tosa::bind_constants(
          *graph,
          [&](std::uint32_t id) {
            return id < file_.constants.size() ? std::optional(file_.constants[id].data) : std::nullopt;
          },
          diagnostics_);
      graphs_.back() = std::move(*graph);
    }
    return !diagnostics_.has_errors();
  }

  bool compare(const tosa::Graph& original, const tosa::Graph& prepared, int run) {
    const TimeLimit limit(options_.time_out);
    Inputs inputs = inputs_of(original, prepared, run);
    const auto before = diagnostics_.take(evaluate(original, std::move(inputs.original)));
    const auto after = diagnostics_.take(evaluate(prepared, std::move(inputs.prepared)));
    if (!before || !after) return false;
    for (std::size_t i = 0; i < original.outputs.size(); ++i) {
      const auto differs = difference((*before)[index(original.outputs[i])], (*after)[index(prepared.outputs[i])],
                                      options_.narrowed, report_.worst_error);
      if (!differs) continue;
      error(formatted("on {}, output {} differs after the passes: element {} is {}, and the model returns {}",
                      kRuns[run], i, differs->element, differs->right, differs->left));
      return false;
    }
    return compare_file(prepared, *after, run);
  }

  // Runs the segments in order; each gets the values that the file's logical ids connect it to.
  bool compare_file(const tosa::Graph& prepared, const std::vector<Tensor>& expected, int run) {
    std::map<std::uint32_t, Tensor> values;  // by logical id
    for (const ValueId value : prepared.inputs) values[segments_.id(value)] = expected[index(value)];
    for (std::size_t s = 0; s < file_.segments.size(); ++s) {
      const Segment& segment = segments_.segments[s];
      if (segment.kind == PartitionKind::Compute) {
        // The substitute's results equal those of the prepared graph if its inputs do.
        const tosa::Node& node = prepared.nodes[segment.nodes[0]];
        std::vector<const Tensor*> inputs;
        for (const ValueId value : node.inputs) inputs.push_back(&values[segments_.id(value)]);
        const std::vector<Tensor> results = substitute(prepared, node, inputs);
        for (std::size_t i = 0; i < results.size(); ++i) values[segments_.id(node.outputs[i])] = results[i];
      } else if (!run_graph(prepared, s, expected, values, run)) {
        return false;
      }
      for (const ValueId value : segment.results) {
        if (!agrees(prepared, value, values[segments_.output_id(value)], expected, s, run)) return false;
      }
    }
    return compare_outputs(prepared, expected, values, run);
  }

  // What the file returns: an output need not be the result of a segment.
  bool compare_outputs(const tosa::Graph& prepared, const std::vector<Tensor>& expected,
                       const std::map<std::uint32_t, Tensor>& values, int run) {
    for (std::size_t i = 0; i < prepared.outputs.size(); ++i) {
      const auto value = i < file_.outputs.size() ? values.find(file_.outputs[i].binding) : values.end();
      if (value == values.end()) {
        error(formatted("no segment of the file computes output {}", i));
        return false;
      }
      double ignored = 0;
      const auto differs = difference(expected[index(prepared.outputs[i])], value->second, false, ignored);
      if (!differs) continue;
      error(formatted("on {}, output {} of the file is another value: element {} is {}, and the model returns {}",
                      kRuns[run], i, differs->element, differs->right, differs->left));
      return false;
    }
    return true;
  }

  bool run_graph(const tosa::Graph& prepared, std::size_t s, const std::vector<Tensor>& expected,
                 std::map<std::uint32_t, Tensor>& values, int run) {
    std::vector<tensor::Shape> shapes;
    std::vector<Tensor> inputs;
    for (std::size_t i = 0; i < graphs_[s].inputs.size(); ++i) {
      inputs.push_back(values[graphs_[s].input_bindings[i].binding]);
      if (inputs.back().type.shape.empty()) inputs.back().type.shape = {1};
      shapes.push_back(inputs.back().type.shape);
    }
    const auto graph = tosa::with_input_shapes(graphs_[s], shapes, diagnostics_);
    if (!graph) return false;
    const auto results = diagnostics_.take(evaluate(*graph, std::move(inputs)));
    if (!results) return false;
    // Operators have the same order in the module as in the graph: the first whose result differs is reported.
    const Segment& segment = segments_.segments[s];
    for (std::size_t i = 0; i < graph->nodes.size() && graph->nodes.size() == segment.nodes.size(); ++i) {
      const tosa::Node& node = prepared.nodes[segment.nodes[i]];
      for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        if (!agrees(prepared, node.outputs[k], (*results)[index(graph->nodes[i].outputs[k])], expected, s, run))
          return false;
      }
    }
    for (std::size_t i = 0; i < graph->outputs.size(); ++i)
      values[graph->output_bindings[i].binding] = (*results)[index(graph->outputs[i])];
    return true;
  }

  bool agrees(const tosa::Graph& prepared, ValueId value, const Tensor& from_file, const std::vector<Tensor>& expected,
              std::size_t s, int run) {
    double ignored = 0;
    const auto differs = difference(expected[index(value)], from_file, false, ignored);
    if (!differs) return true;
    const tosa::Node* producer = prepared.producer(value);
    error(formatted("on {}, segment `{}`: {} differs first: element {} of {} is {}, and the model returns {}",
                    kRuns[run], file_.segments[s].name,
                    producer ? formatted("{} `{}`", name_of(producer->op), producer->name) : "a constant",
                    differs->element, text_of(prepared[value].type), differs->right, differs->left));
    return false;
  }

  const tosa::Model& original_;
  const tosa::Model& prepared_;
  const Segments& segments_;
  const vgf::File& file_;
  const VerifyOptions& options_;
  Diagnostics& diagnostics_;
  std::vector<tosa::Graph> graphs_;  // by segment
  VerifyReport report_;
};

}  // namespace

std::vector<Tensor> substitute(const tosa::Graph& graph, const tosa::Node& node,
                               std::span<const Tensor* const> inputs) {
  std::vector<Tensor> results;
  for (const ValueId output : node.outputs) {
    Tensor made = Tensor::zeros(graph[output].type);
    for (std::size_t i = 0; i < made.size(); ++i) {
      // Different for every input and result, and of moderate magnitude.
      double sum = 0.25 * static_cast<double>(results.size() + 1);
      for (std::size_t k = 0; k < inputs.size(); ++k) {
        const Tensor& from = *inputs[k];
        if (from.size() == 0) continue;
        const double value =
            from.is_float() ? from.reals[i % from.size()] : static_cast<double>(from.integers[i % from.size()]);
        sum += std::isfinite(value) ? value / static_cast<double>(k + 2) : 1;
      }
      if (made.is_float())
        made.reals[i] = reference::round_to(made.type.data, sum);
      else
        made.integers[i] = reference::wrap_to(made.type.data, static_cast<std::int64_t>(std::clamp(sum, -1e9, 1e9)));
    }
    results.push_back(std::move(made));
  }
  return results;
}

Result<std::vector<Tensor>> evaluate(const tosa::Graph& graph, std::vector<Tensor> inputs,
                                     const ShaderRunner& run_shader) {
  std::vector<Tensor> values(graph.values.size());
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) values[index(graph.inputs[i])] = std::move(inputs[i]);
  for (const tosa::Constant& constant : graph.constants) {
    values[index(constant.value)] = Tensor::from_bytes(graph[constant.value].type, constant.data, constant.splat);
  }
  for (const tosa::Node& node : graph.nodes) {
    std::vector<const Tensor*> operands;
    for (const ValueId value : node.inputs) operands.push_back(&values[index(value)]);
    std::vector<Tensor> results;
    if (node.op == tosa::Op::CUSTOM && run_shader) {
      auto made = run_shader(graph, node, operands);
      if (!made) return fail(std::move(made.error()));
      results = std::move(*made);
    } else if (node.op == tosa::Op::CUSTOM) {
      results = substitute(graph, node, operands);
    } else {
      auto made = reference::run_node(graph, node, operands);
      if (!made) return fail(std::move(made.error()));
      results = std::move(made->values);
    }
    for (std::size_t i = 0; i < results.size(); ++i) values[index(node.outputs[i])] = std::move(results[i]);
  }
  return values;
}

VerifyReport verify(const tosa::Model& original, const tosa::Model& prepared, const Converted& converted,
                    const vgf::File& file, const VerifyOptions& options, Diagnostics& diagnostics) {
  return FileVerifier(original, prepared, converted, file, options, diagnostics).run();
}

namespace {

// The report of a verification whose shaders did not run: their outputs are left out.
VerifyReport not_run(const tosa::Graph& graph, const Failure& why, VerifyReport report, Diagnostics& diagnostics) {
  const auto ends = [](const Diagnostic& problem) {
    return problem.kind == DiagnosticKind::Interrupted || problem.kind == DiagnosticKind::TimedOut;
  };
  if (std::ranges::any_of(why, ends)) {
    diagnostics.add(why);
    return report;
  }
  const std::vector<bool> shaders = outputs_of_shaders(graph);
  report.compared.total = shaders.size();
  for (std::size_t i = 0; i < shaders.size(); ++i) {
    if (shaders[i])
      report.compared.left_out.push_back(
          {name_of_output(graph, i), formatted("shaders were not run: {}", why.empty() ? "" : why[0].message)});
  }
  report.compared.compared = shaders.size() - report.compared.left_out.size();
  return report;
}

}  // namespace

VerifyReport verify_shaders(const tosa::Model& original, const tosa::Model& prepared, const vgf::File& file,
                            const VerifyOptions& options, const ShaderRunner& run_shader, const FileRunner& run_file,
                            Diagnostics& diagnostics) {
  VerifyReport report;
  const auto before = static_graph(original.graph, options), after = static_graph(prepared.graph, options);
  if (!before || !after) {
    report.compared = all_left_out(original.graph, before ? after.error() : before.error());
    return report;
  }
  std::vector<tosa::TensorType> types;
  for (const ValueId output : after->outputs) types.push_back((*after)[output].type);
  for (int run = 0; run < std::ssize(kRuns); ++run) {
    Inputs inputs = inputs_of(*before, *after, run);
    const TimeLimit limit(options.time_out);
    const auto expected = evaluate(*before, std::move(inputs.original), run_shader);
    if (!expected) return not_run(*before, expected.error(), std::move(report), diagnostics);
    const auto outputs = run_file(inputs.prepared, types);
    if (!outputs) return not_run(*before, outputs.error(), std::move(report), diagnostics);
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!(*outputs)[i]) {
        if (run == 0) {
          const bool image = i < file.outputs.size() && vgf::is_image(file.resources[file.outputs[i].resource]);
          report.compared.left_out.push_back(
              {name_of_output(*before, i), image ? "it is an image, which is not read back from the device"
                                                 : "its value is not known after the run"});
        }
        continue;
      }
      const Tensor& wanted = (*expected)[index(before->outputs[i])];
      const auto differs = difference(wanted, *(*outputs)[i], options.narrowed, report.worst_error);
      if (!differs) continue;
      diagnostics.error(DiagnosticKind::ExpectationFailed, SourceLocation::in_file(file.name),
                        formatted("verification: on {}, output {} of a run of the file differs: element {} is {}, and "
                                  "the model returns {}",
                                  kRuns[run], i, differs->element, differs->right, differs->left));
      return report;
    }
    ++report.runs;
  }
  report.compared.total = types.size();
  report.compared.compared = types.size() - report.compared.left_out.size();
  return report;
}

}  // namespace slipway::convert
