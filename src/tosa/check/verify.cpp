// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/check/verify.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tosa/check/node_problem.hpp"
#include "tosa/check/operand_forms.hpp"
#include "tosa/check/shapes.hpp"

namespace slipway::tosa {
namespace {

constexpr std::int64_t kMaxExtent = 0x7fffffff;  // of one dimension, level 8K: sizes below 2^31 bytes
constexpr std::int64_t kMaxKernel = 8192, kMaxStride = 8192, kMaxResizeScale = 256;
constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{1} << 31;  // tensors are smaller
constexpr std::size_t kMaxTensors = 64;                            // in a list

class Verifier {
 public:
  Verifier(Graph& graph, Diagnostics& diagnostics) : graph_(graph), diagnostics_(diagnostics) {}

  void run() {
    const std::size_t before = diagnostics_.errors();
    made_.resize(graph_.values.size());
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      made_[i] = graph_.values[i].kind != ValueKind::Result;
      extents(graph_.values[i]);
    }
    for (Node& node : graph_.nodes) {
      if (node.op == Op::RESCALE) rounding_mode(node);
      if (node.op != Op::CUSTOM) check(node);
      for (const ValueId value : node.outputs) made_[index(value)] = true;
    }
    for (const ValueId value : graph_.outputs) {
      if (index(value) >= made_.size() || !made_[index(value)])
        diagnostics_.error(DiagnosticKind::FileFormat, {}, "an output of the graph is made by no node");
    }
    if (diagnostics_.errors() == before) sizes();
    if (graph_.outputs.empty()) diagnostics_.error(DiagnosticKind::FileFormat, {}, "the graph has no output");
  }

 private:
  Diagnostic& error(DiagnosticKind kind, const Node& node, const std::string& text) {
    return diagnostics_.add(node_problem(Severity::Error, kind, node, text));
  }

  void warning(const Node& node, const std::string& text) {
    diagnostics_.add(node_problem(Severity::Warning, DiagnosticKind::OutOfRange, node, text));
  }

  void extents(const Value& value) {
    const bool inferred = value.kind == ValueKind::Result && graph_.nodes[value.source].op != Op::CUSTOM;
    if (is_unranked(value.type.shape) && !inferred) {
      diagnostics_.error(DiagnosticKind::Unsupported, {},
                         formatted("{}{} has no rank; only results of operators of TOSA are inferred",
                                   value.kind == ValueKind::Input ? "an input" : "a tensor",
                                   value.name.empty() ? "" : formatted(" `{}`", value.name)));
      return;
    }
    if (std::ranges::all_of(value.type.shape, [](std::int64_t extent) { return extent > 0; })) {
      const Size count = tensor::element_count(value.type.shape);
      if (!count || *count > static_cast<std::uint64_t>(INT64_MAX)) {
        const Node* producer = value.kind == ValueKind::Result ? &graph_.nodes[value.source] : nullptr;
        diagnostics_.error(
            DiagnosticKind::OutOfRange, producer ? producer->location : SourceLocation{},
            formatted("a tensor has the type {}; it has at most 2^63 - 1 elements", text_of(value.type)));
      }
    }
    for (const std::int64_t extent : value.type.shape) {
      if (extent == 0 || extent > kMaxExtent) {
        const Node* producer = value.kind == ValueKind::Result ? &graph_.nodes[value.source] : nullptr;
        diagnostics_.error(
            DiagnosticKind::OutOfRange, producer ? producer->location : SourceLocation{},
            formatted("a tensor has the type {}; a dimension is at least 1 and below 2^31", text_of(value.type)));
        return;
      }
    }
  }

  void check(const Node& node) {
    const std::size_t before = diagnostics_.errors();
    const OperatorInfo& info = info_of(node.op);
    if (!operands(node, info)) return;
    attributes(node, info);
    types(node, info);
    ranks(node, info);
    if (diagnostics_.errors() != before) return;
    zero_points(node, info);
    int4_constants(node);
    const auto shapes = result_shapes(graph_, node, diagnostics_);
    if (shapes) results(node, *shapes);
    level(node, info);
  }

  // The operator must have its number of tensors, all of them defined before.
  bool operands(const Node& node, const OperatorInfo& info) {
    const auto tensors = std::ranges::count_if(info.operands, &OperandInfo::is_tensor);
    const bool variadic = std::ranges::any_of(info.operands, &OperandInfo::variadic);
    const auto given = std::ssize(node.inputs);
    if (variadic ? given < tensors : given != tensors) {
      error(DiagnosticKind::FileFormat, node,
            formatted("{} tensors are given; it takes {}{}", given, tensors, variadic ? " or more" : ""));
      return false;
    }
    if (node.outputs.size() != info.results.size()) {
      error(DiagnosticKind::FileFormat, node,
            formatted("{} results instead of {}", node.outputs.size(), info.results.size()));
      return false;
    }
    for (const ValueId input : node.inputs) {
      if (index(input) < made_.size() && made_[index(input)]) continue;
      error(DiagnosticKind::FileFormat, node, "an input is made by no earlier node");
      return false;
    }
    return true;
  }

  void attributes(const Node& node, const OperatorInfo& info) {
    for (const OperandInfo& operand : info.operands) {
      if (operand.is_tensor()) continue;
      const Attributes::Entry* entry = node.attributes.find(operand.name);
      if (!entry) {
        if (operand.optional) continue;
        error(DiagnosticKind::MissingKey, node, formatted("`{}` is missing", operand.name));
        continue;
      }
      if (operand.kind == OperandKind::List && operand.count && entry->integers.size() != operand.count) {
        error(DiagnosticKind::OutOfRange, node,
              formatted("`{}` has {} values instead of {}", operand.name, entry->integers.size(), operand.count));
      }
      for (const std::int64_t value : entry->integers) {
        if (value >= -kMaxExtent - 1 && value <= kMaxExtent) continue;
        error(DiagnosticKind::OutOfRange, node,
              formatted("`{}` is {}, which 32 bits do not hold", operand.name, value));
      }
      enumerant(node, operand, entry->integers.empty() ? -1 : entry->integers[0]);
    }
  }

  // Other implementations test for double rounding alone, so that each other value rounds once.
  void rounding_mode(Node& node) {
    constexpr std::string_view name = "rounding_mode";
    const Attributes::Entry* entry = node.attributes.find(name);
    if (!entry || entry->integers.size() != 1) return;
    const std::int64_t value = entry->integers[0];
    if (std::ranges::contains(enumerants(OperandKind::RoundingMode), value,
                              [](const EnumerantName& each) { return std::int64_t{each.value}; }))
      return;
    rule(DiagnosticKind::UnknownValue, node,
         formatted("`{}` is {}, which is not a rounding mode; SINGLE_ROUND is taken", name, value));
    node.attributes.set(name, static_cast<std::int64_t>(RoundingMode::SingleRound));
  }

  void enumerant(const Node& node, const OperandInfo& operand, std::int64_t value) {
    const auto known = enumerants(operand.kind);
    if (known.empty() ||
        std::ranges::contains(known, value, [](const EnumerantName& e) { return std::int64_t{e.value}; }))
      return;
    std::string names;
    for (const EnumerantName& each : known)
      names += formatted("{}{} {}", names.empty() ? "" : ", ", each.name, each.value);
    error(DiagnosticKind::UnknownValue, node, formatted("`{}` is {}; it is one of {}", operand.name, value, names));
  }

  // --- types ---

  // The type that each operand with a tensor type has, by name.
  struct Given {
    std::string_view name, type;
    DataType data;
  };

  void types(const Node& node, const OperatorInfo& info) {
    std::vector<Given> given;
    std::size_t next = 0;
    for (const OperandInfo& operand : info.operands) {
      if (!operand.is_tensor()) continue;
      const std::size_t count = operand.variadic ? node.inputs.size() - next : 1;
      for (std::size_t i = 0; i < count; ++i)
        given.push_back({operand.name, operand.type, graph_[node.inputs[next++]].type.data});
    }
    for (std::size_t i = 0; i < info.results.size(); ++i)
      given.push_back({info.results[i].name, info.results[i].type, graph_[node.outputs[i]].type.data});
    const auto is_form = [&] {
      return std::ranges::any_of(info.rows, [&](const TypeRow& row) { return fits(given, info, row); });
    };
    const bool sums = info.variable("acc").has_value(), known = !sums || is_form();
    if (sums) given.push_back({"acc_type", "acc", data_type_of(node.attributes.enumerant<AccType>("acc_type"))});
    if (is_form()) return;
    // The tensors alone decide the result: sums are at least as precise as the form asks for.
    if (sums && known)
      return rule(DiagnosticKind::TypeMismatch, node,
                  formatted("acc_type {} is not a form for {}", name_of(given.back().data), name_of(given[0].data)));

    std::string have;
    for (const Given& each : given)
      have += formatted("{}{} {}", have.empty() ? "" : ", ", each.name, name_of(each.data));
    Diagnostic& diagnostic = error(DiagnosticKind::TypeMismatch, node, formatted("there is no form for {}", have));
    std::string variables;
    for (const std::string_view variable : info.variables)
      variables += formatted("{}{}", variables.empty() ? "" : " ", variable);
    std::string rows;
    for (const TypeRow& row : info.rows) {
      std::string text;
      for (const DataType type : row.types) text += formatted("{}{}", text.empty() ? "" : " ", name_of(type));
      rows += formatted("{}{}", rows.empty() ? "" : ", ", text);
    }
    diagnostic.note(formatted("its forms ({}) are: {}", variables, rows));
  }

  static bool fits(const std::vector<Given>& given, const OperatorInfo& info, const TypeRow& row) {
    return std::ranges::all_of(given, [&](const Given& each) {
      if (const auto variable = info.variable(each.type)) return row.types[*variable] == each.data;
      if (const auto type = data_type_from_name(each.type)) return *type == each.data;
      // The multiplier of RESCALE is i32, or i16, as tools write it, when scale32 is false.
      return each.data == DataType::I32 || each.data == DataType::I16;
    });
  }

  void ranks(const Node& node, const OperatorInfo& info) {
    std::size_t next = 0;
    const auto rank = [&](const OperandInfo& operand, ValueId value) {
      const std::size_t given = graph_[value].type.shape.size();
      if (given >= operand.min_rank && given <= operand.max_rank) return;
      error(
          DiagnosticKind::ShapeMismatch, node,
          formatted("`{}` has the shape {}; its rank is {}", operand.name, tensor::shape_text(graph_[value].type.shape),
                    operand.min_rank == operand.max_rank ? formatted("{}", operand.min_rank)
                                                         : formatted("{} to {}", operand.min_rank, operand.max_rank)));
    };
    for (const OperandInfo& operand : info.operands) {
      if (!operand.is_tensor()) continue;
      const std::size_t count = operand.variadic ? node.inputs.size() - next : 1;
      for (std::size_t i = 0; i < count; ++i) {
        const ValueId value = node.inputs[next++];
        rank(operand, value);
        if (operand.constant && !graph_.constant(value))
          error(DiagnosticKind::TypeMismatch, node, formatted("`{}` is not constant", operand.name));
      }
    }
    for (std::size_t i = 0; i < info.results.size(); ++i) {
      if (!is_unranked(graph_[node.outputs[i]].type.shape)) rank(info.results[i], node.outputs[i]);
    }
  }

  // 0 unless the tensor is i8, or an i16 that RESCALE treats as unsigned (docs/spec/tosa.md#rescale).
  void zero_points(const Node& node, const OperatorInfo& info) {
    for (const OperandInfo& operand : info.operands) {
      if (operand.kind != OperandKind::ZeroPoint) continue;
      const std::int64_t zero_point = node.attributes.integer(operand.name);
      const DataType type = element_type(graph_, node, info, operand);
      const bool is_input = operand.name.starts_with("input");
      const bool is_unsigned = node.attributes.flag(is_input ? "input_unsigned" : "output_unsigned");
      if (node.op == Op::RESCALE && is_unsigned && type == DataType::I32)
        error(DiagnosticKind::TypeMismatch, node, "an unsigned tensor is i8 or i16, not i32");
      if (zero_point == 0) continue;
      if (type == DataType::I8) {
        // As a value of the tensor: signed, or unsigned in RESCALE with an unsigned flag.
        const bool may_be_unsigned = node.op == Op::RESCALE && is_unsigned;
        if (zero_point >= -128 && zero_point <= (may_be_unsigned ? 255 : 127)) continue;
        error(DiagnosticKind::OutOfRange, node,
              formatted("`{}` is {}, which is not a value of {}", operand.name, zero_point, name_of(type)));
        continue;
      }
      if (node.op == Op::RESCALE && is_unsigned && type == DataType::I16) {
        if ((zero_point & 0xffff) == 32768) continue;
        error(DiagnosticKind::OutOfRange, node,
              formatted("`{}` is {}; for an unsigned i16 it is 0 or 32768", operand.name, zero_point));
        continue;
      }
      error(DiagnosticKind::OutOfRange, node,
            formatted("`{}` is {}; only i8 has zero points, and the tensor is {}", operand.name, zero_point,
                      name_of(type)));
    }
    if (node.op == Op::RESCALE) {
      unsigned_flags(node);
      shifts(node);
    }
  }

  // A shift beyond the width of the product has no defined result. Other converters accept shifts of 0 and 1, and the
  // result is then exact, or rounded like that of other shifts.
  void shifts(const Node& node) {
    constexpr int kMinShift = 2, kMaxShift = 62;
    for (const Constant& constant : graph_.constants) {
      if (constant.value != node.inputs[2] || graph_[constant.value].type.data != DataType::I8) continue;
      for (const std::byte byte : constant.data) {
        const auto shift = static_cast<std::int8_t>(byte);
        if (shift <= kMaxShift && shift >= kMinShift) continue;
        const std::string text = formatted("a shift is {}; shifts are {} to {}", shift, kMinShift, kMaxShift);
        if (shift >= 0 && shift < kMinShift)
          rule(DiagnosticKind::OutOfRange, node, text);
        else
          error(DiagnosticKind::OutOfRange, node, text);
        return;
      }
    }
  }

  // Other converters accept what the specification forbids, and the result is defined.
  void rule(DiagnosticKind kind, const Node& node, const std::string& text) {
    Diagnostic& problem = error(kind, node, text);
    problem.as_rule();
  }

  // docs/spec/tosa.md#data-types
  void int4_constants(const Node& node) {
    constexpr std::byte kExcluded{0xf8};  // -8, sign-extended
    for (const ValueId input : node.inputs) {
      const Constant* constant = graph_[input].type.data == DataType::I4 ? graph_.constant(input) : nullptr;
      if (constant && std::ranges::contains(constant->data, kExcluded))
        rule(DiagnosticKind::OutOfRange, node, "a constant of type i4 has an element that is -8; i4 is -7 to 7");
    }
  }

  void unsigned_flags(const Node& node) {
    if (node.attributes.flag("input_unsigned") && node.attributes.flag("output_unsigned"))
      rule(DiagnosticKind::OutOfRange, node, "input and output are both unsigned");
    const DataType in = graph_[node.inputs[0]].type.data, out = graph_[node.outputs[0]].type.data;
    const auto wide = [](DataType type) { return type == DataType::I32 || type == DataType::I48; };
    if (node.attributes.flag("input_unsigned") && (wide(in) || wide(out)))
      error(DiagnosticKind::TypeMismatch, node,
            formatted("input_unsigned is not for {} to {}", name_of(in), name_of(out)));
    if (node.attributes.flag("output_unsigned") && (wide(in) || wide(out)))
      error(DiagnosticKind::TypeMismatch, node,
            formatted("output_unsigned is not for {} to {}", name_of(in), name_of(out)));
  }

  // --- results ---

  void results(const Node& node, const std::vector<tensor::Shape>& shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      tensor::Shape& declared = graph_[node.outputs[i]].type.shape;
      if (is_unranked(declared)) declared = shapes[i];
      // SPIR-V has no tensors of rank 0: tensors of one element are used instead.
      if (shapes[i].empty() && declared == tensor::Shape{1}) continue;
      if (!may_be_equal(declared, shapes[i])) {
        error(DiagnosticKind::ShapeMismatch, node,
              formatted("the result has the shape {}, and the inputs and attributes imply {}",
                        tensor::shape_text(declared), tensor::shape_text(shapes[i])));
        continue;
      }
      for (std::size_t d = 0; d < declared.size(); ++d) {
        if (declared[d] < 0) declared[d] = shapes[i][d];
      }
      extents(graph_[node.outputs[i]]);
    }
  }

  // Level 8K (docs/spec/tosa.md#profiles-and-levels).
  void level(const Node& node, const OperatorInfo& info) {
    const auto at_most = [&](const std::string& what, std::int64_t value, std::int64_t most) {
      if (value <= most) return true;
      warning(node, formatted("{} is {}; level 8K has at most {}", what, value, most));
      return false;
    };
    const auto warn = [&](std::string_view name, std::int64_t most) {
      for (const std::int64_t value : node.attributes.list(name)) {
        if (!at_most(formatted("`{}`", name), value, most)) return;
      }
    };
    const auto shape = [&](std::size_t input) { return std::span(graph_[node.inputs[input]].type.shape); };
    // The dimensions of the kernel in a weight, in units of the input.
    const auto kernel = [&](std::size_t first) {
      const std::span<const std::int64_t> dilation = node.attributes.list("dilation");
      const std::size_t count = node.op == Op::CONV3D ? 3 : 2;
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t step = i < dilation.size() ? dilation[i] : 1;
        if (!at_most("the kernel with its dilation", shape(1)[first + i] * step, kMaxKernel)) return;
      }
    };
    if (node.op == Op::CONV2D || node.op == Op::CONV3D || node.op == Op::TRANSPOSE_CONV2D) kernel(1);
    if (node.op == Op::DEPTHWISE_CONV2D) kernel(0);
    if (node.op == Op::FFT2D || node.op == Op::RFFT2D) {
      if (at_most("the height", shape(0)[1], kMaxKernel)) at_most("the width", shape(0)[2], kMaxKernel);
    }
    if (node.op == Op::RESIZE) {
      const std::span<const std::int64_t> scale = node.attributes.list("scale");
      for (std::size_t i = 0; i + 1 < scale.size(); i += 2) {
        if (scale[i] <= kMaxResizeScale * scale[i + 1]) continue;
        warning(node,
                formatted("the scale is {}/{}; level 8K has at most {}", scale[i], scale[i + 1], kMaxResizeScale));
        break;
      }
    }
    for (const OperandInfo& operand : info.operands) {
      if (operand.kind != OperandKind::List) continue;
      if (operand.name == "stride") warn(operand.name, kMaxStride);
      if (operand.name == "kernel" || operand.name == "pad" || operand.name == "out_pad")
        warn(operand.name, kMaxKernel);
    }
    if (node.inputs.size() > kMaxTensors)
      warning(node, formatted("{} tensors; level 8K has at most {}", node.inputs.size(), kMaxTensors));
  }

  // Level 8K, for each tensor once: at the operator that makes it, or the first that takes it.
  void sizes() {
    std::vector<const Node*> of(graph_.values.size());
    for (const Node& node : graph_.nodes) {
      for (const auto* list : {&node.outputs, &node.inputs}) {
        for (const ValueId value : *list) {
          if (index(value) < of.size() && !of[index(value)]) of[index(value)] = &node;
        }
      }
    }
    for (std::size_t i = 0; i < of.size(); ++i) {
      const TensorType& type = graph_.values[i].type;
      const auto count = type.is_static() ? tensor::element_count(type.shape) : std::nullopt;
      const std::size_t element = tensor::size_of(storage_of(type.data));
      if (!count || !of[i] || *count < (kMaxTensorBytes + element - 1) / element) continue;
      diagnostics_.warning(DiagnosticKind::OutOfRange, of[i]->location,
                           formatted("{}: a tensor has the type {}; level 8K has less than 2^31 bytes",
                                     name_of(of[i]->op), text_of(type)));
    }
  }

  Graph& graph_;
  Diagnostics& diagnostics_;
  std::vector<bool> made_;
};

}  // namespace

void verify(Graph& graph, Diagnostics& diagnostics) { Verifier(graph, diagnostics).run(); }

std::optional<Graph> with_input_shapes(const Graph& graph, std::span<const tensor::Shape> shapes,
                                       Diagnostics& diagnostics) {
  Graph resolved = graph;
  const std::size_t before = diagnostics.errors();
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    tensor::Shape& shape = resolved[graph.inputs[i]].type.shape;
    if (!may_be_equal(shape, shapes[i])) {
      diagnostics.error(DiagnosticKind::ShapeMismatch, {},
                        formatted("input {} of graph `{}` has the shape {}, and the graph takes {}", i, graph.name,
                                  tensor::shape_text(shapes[i]), tensor::shape_text(shape)));
    }
    shape = shapes[i];
  }
  if (diagnostics.errors() == before) verify(resolved, diagnostics);
  for (const Value& value : resolved.values) {
    if (diagnostics.errors() != before) return std::nullopt;
    if (!value.type.is_static()) {
      diagnostics.error(DiagnosticKind::ShapeMismatch, {},
                        formatted("the shape {} of a tensor does not follow from the inputs of graph `{}`",
                                  text_of(value.type), graph.name));
    }
  }
  if (diagnostics.errors() != before) return std::nullopt;
  return resolved;
}

}  // namespace slipway::tosa
