// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/write/write_mlir.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "base/format.hpp"
#include "tosa/check/operand_forms.hpp"

namespace slipway::tosa {
namespace {

constexpr std::uint64_t kMaxListed = 64;  // elements that are written as numbers; more are hexadecimal digits

std::string_view element_text(DataType type) {
  switch (type) {
    case DataType::Bool:
      return "i1";
    case DataType::F8E4M3:
      return "f8E4M3FN";
    case DataType::F8E5M2:
      return "f8E5M2";
    case DataType::F4E2M1:
      return "f4E2M1FN";
    case DataType::F6E2M3:
      return "f6E2M3FN";
    case DataType::F6E3M2:
      return "f6E3M2FN";
    case DataType::F8E8M0:
      return "f8E8M0FNU";
    case DataType::MXI8:
      return "!tosa.mxint8";
    default:
      return name_of(type);
  }
}

std::string type_text(const TensorType& type) {
  std::string text = "tensor<";
  for (const std::int64_t extent : type.shape) text += extent < 0 ? std::string("?x") : formatted("{}x", extent);
  return text + std::string(element_text(type.data)) + ">";
}

// A text between quotation marks.
std::string quoted_text(std::string_view text) {
  std::string out = "\"";
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\' || c < 0x20 || c >= 0x7f)
      out += formatted("\\{:02X}", c);
    else
      out += static_cast<char>(c);
  }
  return out + "\"";
}

void append_hex(std::string& out, Bytes bytes) {
  static constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<unsigned>(byte) >> 4];
    out += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
}

// Numbers of a float type have a decimal point; infinities and NaN are written as bits.
std::string number_text(DataType type, const std::byte* element) {
  const tensor::Number number = tensor::number_of(storage_of(type), element);
  if (type == DataType::Bool) return *element != std::byte{0} ? "true" : "false";
  if (!is_float(type)) return std::visit([](auto x) { return formatted("{}", x); }, number);
  const double value = tensor::double_of(number);
  if (!std::isfinite(value)) {
    std::string bits = "0x";
    for (std::size_t i = tensor::size_of(storage_of(type)); i-- > 0;) append_hex(bits, Bytes(element + i, 1));
    return bits;
  }
  std::string text = formatted("{}", value);
  if (const std::size_t end = text.find_first_of(".e"); end == text.npos || text[end] == 'e')
    text.insert(std::min(end, text.size()), ".0");
  return text;
}

class MlirWriter {
 public:
  MlirWriter(const Model& model, MlirPrintOptions options) : model_(model), graph_(model.graph), options_(options) {}

  Result<std::string> run() {
    names_.resize(graph_.values.size());
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) names_[index(graph_.inputs[i])] = formatted("%arg{}", i);
    for (const Constant& constant : graph_.constants) this->constant(constant);
    for (const Node& node : graph_.nodes) operation(node);
    if (problems_.has_errors()) return fail(problems_.release());
    std::string text = header() + constants_ + operators_;
    text += "  return";
    list(text, graph_.outputs, [&](ValueId value) { return names_[index(value)]; });
    if (!graph_.outputs.empty()) text += " :";
    list(text, graph_.outputs, [&](ValueId value) { return type_text(graph_[value].type); });
    return text + "\n}\n";
  }

 private:
  template <class F>
  static void list(std::string& to, std::span<const ValueId> values, F&& text) {
    for (std::size_t i = 0; i < values.size(); ++i) to += (i ? ", " : " ") + text(values[i]);
  }

  std::string header() const {
    std::string text = "func.func @main(";
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i)
      text += formatted("{}%arg{}: {}", i ? ", " : "", i, type_text(graph_[graph_.inputs[i]].type));
    text += ") -> (";
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
      text += (i ? ", " : "") + type_text(graph_[graph_.outputs[i]].type);
    text += ")";
    const auto inputs = joined(model_.input_names, graph_.inputs.size()),
               outputs = joined(model_.output_names, graph_.outputs.size());
    if (inputs || outputs) {
      text += formatted(" attributes {{tf.entry_function = {{inputs = {}, outputs = {}}}}}",
                        quoted_text(inputs.value_or("")), quoted_text(outputs.value_or("")));
    }
    return text + " {\n";
  }

  // Names with a comma would be ambiguous in a comma-separated list.
  static std::optional<std::string> joined(const std::vector<std::string>& names, std::size_t count) {
    if (names.size() != count || names.empty()) return std::nullopt;
    std::string all;
    for (const std::string& name : names) {
      if (name.empty() || name.contains(',')) return std::nullopt;
      all += (all.empty() ? "" : ",") + name;
    }
    return all;
  }

  std::string next_name() { return formatted("%{}", next_++); }

  // --- constants ---

  void constant(const Constant& constant) {
    const TensorType& type = graph_[constant.value].type;
    if (constant.data.empty()) {
      problems_.error(DiagnosticKind::MissingKey, SourceLocation::in_file(model_.file),
                      formatted("constant `{}` has no data", graph_[constant.value].name));
      return;
    }
    names_[index(constant.value)] = add_constant(type, constant.data, constant.splat, graph_[constant.value].name);
  }

  std::string add_constant(const TensorType& type, Bytes data, bool splat, std::string_view location) {
    std::string name = next_name();
    constants_ += formatted("  {} = \"tosa.const\"() <{{values = ", name);
    values(type, data, splat);
    append_formatted(constants_, " : {0}}}> : () -> {0}{1}\n", type_text(type), place_text(location));
    return name;
  }

  void values(const TensorType& type, Bytes data, bool splat) {
    const std::size_t size = tensor::size_of(storage_of(type.data));
    const std::uint64_t count = data.size() / size;
    if (!splat && count > options_.max_elements) {
      constants_ += "dense_resource<__elided__>";
    } else if (splat) {
      constants_ += formatted("dense<{}>", number_text(type.data, data.data()));
    } else if (count <= kMaxListed || type.data == DataType::Bool) {
      constants_ += "dense<";
      elements(type, data, 0);
      constants_ += ">";
    } else {
      constants_ += "dense<\"0x";
      constants_.reserve(constants_.size() + data.size() * 2 + 256);
      if (type.data == DataType::I48) {
        for (std::uint64_t i = 0; i < count; ++i) append_hex(constants_, data.subspan(i * 8, 6));
      } else {
        append_hex(constants_, data);
      }
      constants_ += "\">";
    }
  }

  // Lists within lists, a level for each dimension.
  void elements(const TensorType& type, Bytes data, std::size_t level) {
    if (level == type.shape.size()) {
      constants_ += number_text(type.data, data.data());
      return;
    }
    constants_ += '[';
    const auto extent = static_cast<std::size_t>(type.shape[level]);
    for (std::size_t i = 0; i < extent; ++i) {
      if (i) constants_ += ", ";
      elements(type, data.subspan(i * (data.size() / extent), data.size() / extent), level + 1);
    }
    constants_ += ']';
  }

  std::string one_element(DataType type, const std::array<std::byte, 8>& element) {
    std::string& name = elements_[{type, load<std::uint64_t>(element.data())}];
    if (name.empty())
      name = add_constant({type, {1}}, Bytes(element).first(tensor::size_of(storage_of(type))), true, {});
    return name;
  }

  std::string shape(std::span<const std::int64_t> values) {
    std::string& name = shapes_[std::vector(values.begin(), values.end())];
    if (!name.empty()) return name;
    name = next_name();
    constants_ += formatted("  {} = tosa.const_shape {{values = dense<{}> : tensor<{}xindex>}} : () -> {}\n", name,
                            numbers("[", values, "]"), values.size(), shape_type(values.size()));
    return name;
  }

  static std::string shape_type(std::size_t rank) { return formatted("!tosa.shape<{}>", rank); }
  static std::string numbers(std::string_view open, std::span<const std::int64_t> values, std::string_view close) {
    std::string text(open);
    for (std::size_t i = 0; i < values.size(); ++i) text += formatted("{}{}", i ? ", " : "", values[i]);
    return text + std::string(close);
  }

  // --- operators ---

  static std::string place_text(std::string_view name) {
    return name.empty() ? std::string() : formatted(" loc({})", quoted_text(name));
  }

  void operation(const Node& node) {
    std::vector<std::string> inputs, types, attributes;
    if (node.op == Op::CUSTOM) {
      for (const ValueId input : node.inputs) add_operand(input, inputs, types);
      attributes = {"operator_name = " + quoted_text(node.custom->name),
                    "domain_name = " + quoted_text(node.custom->domain),
                    "implementation_attrs = " + quoted_text(node.custom->attributes)};
      return write(node, "custom", inputs, types, attributes);
    }
    const OperatorInfo& info = info_of(node.op);
    if (info.set != InstructionSet::Tosa && info.set != InstructionSet::BlockScaled) {
      problems_.error(DiagnosticKind::Unsupported, node.location,
                      formatted("{} is not an operator of TOSA", info.name));
      return;
    }
    std::size_t next = 0;
    const bool shapes_last = node.op == Op::CONV2D_BLOCK_SCALED;
    for (const OperandInfo* each : file_operands(info, shapes_last)) {
      const OperandInfo& operand = *each;
      if (operand.optional && !node.attributes.flag(operand.name)) continue;
      if (!is_file_input(operand, shapes_last)) {
        attributes.push_back(formatted("{} = {}", operand.name, attribute(node, info, operand)));
      } else if (operand.kind == OperandKind::List) {
        const auto list = node.attributes.list(operand.name);
        inputs.push_back(shape(list));
        types.push_back(shape_type(list.size()));
      } else if (operand.is_tensor()) {
        do add_operand(node.inputs[next++], inputs, types);
        while (operand.variadic && next < node.inputs.size());
      } else {
        const DataType type = element_type(graph_, node, info, operand);
        inputs.push_back(one_element(type, element_bytes(node.attributes, operand.name, type)));
        types.push_back(type_text({type, {1}}));
      }
    }
    std::string name(info.name);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    write(node, name, inputs, types, attributes);
  }

  void add_operand(ValueId value, std::vector<std::string>& inputs, std::vector<std::string>& types) const {
    inputs.push_back(names_[index(value)]);
    types.push_back(type_text(graph_[value].type));
  }

  std::string attribute(const Node& node, const OperatorInfo& info, const OperandInfo& operand) const {
    const std::int64_t integer = node.attributes.integer(operand.name);
    switch (operand.kind) {
      case OperandKind::Int:
        return formatted("{} : i32", integer);
      case OperandKind::Flag:
        return integer ? "true" : "false";
      case OperandKind::AccType:
        return std::string(element_text(data_type_of(static_cast<AccType>(integer))));
      case OperandKind::List:
        // The only list of 32 bits in the dialect.
        return numbers(operand.name == "perms" ? "array<i32: " : "array<i64: ", node.attributes.list(operand.name),
                       ">");
      case OperandKind::Value: {
        const DataType type = element_type(graph_, node, info, operand);
        return formatted("{} : {}", number_text(type, element_bytes(node.attributes, operand.name, type).data()),
                         element_text(type));
      }
      default:
        for (const EnumerantName& each : enumerants(operand.kind)) {
          if (each.value == integer) return std::string(each.name);
        }
        return formatted("{}", integer);
    }
  }

  void write(const Node& node, std::string_view name, const std::vector<std::string>& inputs,
             const std::vector<std::string>& types, const std::vector<std::string>& attributes) {
    std::string results, result_types;  // MLIR has no name for an operator without results
    const std::string first = node.outputs.empty() ? std::string() : next_name();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      names_[index(node.outputs[i])] = node.outputs.size() > 1 ? formatted("{}#{}", first, i) : first;
      result_types += (i ? ", " : "") + type_text(graph_[node.outputs[i]].type);
    }
    results = node.outputs.size() > 1 ? formatted("{}:{}", first, node.outputs.size()) : first;
    if (node.outputs.size() != 1) result_types = "(" + result_types + ")";
    append_formatted(operators_, "  {}{}tosa.{} {}{}{}{} : ({}) -> {}{}\n", results, results.empty() ? "" : " = ", name,
                     joined(inputs), attributes.empty() ? "" : " {", joined(attributes), attributes.empty() ? "" : "}",
                     joined(types), result_types, place_text(node.name));
  }

  static std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    return all;
  }

  const Model& model_;
  const Graph& graph_;
  const MlirPrintOptions options_;
  Diagnostics problems_;
  std::vector<std::string> names_;  // by value
  std::map<std::pair<DataType, std::uint64_t>, std::string> elements_;
  std::map<std::vector<std::int64_t>, std::string> shapes_;
  std::string constants_, operators_;
  int next_ = 0;
};

}  // namespace

Result<std::string> write_mlir(const Model& model, MlirPrintOptions options) {
  return MlirWriter(model, options).run();
}

}  // namespace slipway::tosa
