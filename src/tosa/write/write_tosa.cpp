// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/write/write_tosa.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <unordered_set>

#include <flatbuffers/idl.h>
#include <flatbuffers/minireflect.h>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/check/operand_forms.hpp"
#include "tosa/read/tosa_data.hpp"
#include "tosa_generated.h"
#include "tosa_schema.hpp"

namespace slipway::tosa {
namespace {

using flatbuffers::Offset;
using Text = Offset<flatbuffers::String>;

constexpr std::uint64_t kMaxBytes = (std::uint64_t{1} << 31) - (1 << 20);

fb::DType acc_dtype(std::int64_t acc_type) { return dtype_of(data_type_of(static_cast<AccType>(acc_type))); }

class TosaWriter {
 public:
  explicit TosaWriter(const Model& model)
      : model_(model),
        graph_(model.graph),
        builder_(static_cast<std::size_t>(std::min(data_bytes() + 4096, kMaxBytes))) {}

  Result<std::vector<std::byte>> run() {
    if (data_bytes() > kMaxBytes) {
      return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(model_.file),
                  "the constants do not fit into FlatBuffers, which end at 2 GiB");
    }
    names();
    for (const ValueId input : graph_.inputs) tensor(input);
    for (const Constant& constant : graph_.constants) this->constant(constant);
    for (const Node& node : graph_.nodes) {
      for (const ValueId output : node.outputs) tensor(output);
      operation(node);
    }
    if (problems_.has_errors()) return fail(problems_.release());
    finish();
    const auto bytes = std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  }

 private:
  std::uint64_t data_bytes() const {
    std::uint64_t bytes = 0;
    for (const Constant& constant : graph_.constants) {
      const TensorType& type = graph_[constant.value].type;
      bytes += round_up(tensor::byte_count(type.shape, storage_of(type.data)).value_or(kMaxBytes + 1), 8) + 64;
    }
    return bytes;
  }

  // --- names ---

  // A value without a name gets the name of the interface.
  void names() {
    std::vector<std::string> own;
    for (const Value& value : graph_.values) own.push_back(value.name);
    const auto interface = [&](std::span<const ValueId> values, std::span<const std::string> names) {
      for (std::size_t i = 0; i < values.size() && names.size() == values.size(); ++i) {
        if (std::string& name = own[index(values[i])]; name.empty()) name = names[i];
      }
    };
    interface(graph_.inputs, model_.input_names);
    interface(graph_.outputs, model_.output_names);
    taken_.insert(own.begin(), own.end());
    names_.resize(own.size());
    std::unordered_set<std::string_view> used;
    for (std::size_t i = 0; i < names_.size(); ++i)
      names_[i] = !own[i].empty() && used.insert(own[i]).second ? own[i] : unique("value");
  }
  std::string unique(std::string_view base) {
    std::string name;
    do name = formatted("{}_{}", base, next_++);
    while (!taken_.insert(name).second);
    return name;
  }

  // --- tensors and shapes ---

  Offset<flatbuffers::Vector<std::uint8_t>> bytes(std::span<const std::byte> data) {
    std::uint8_t* to = nullptr;
    builder_.ForceVectorAlignment(round_up(data.size(), 8), 1, 8);
    const auto made = builder_.CreateUninitializedVector<std::uint8_t>(round_up(data.size(), 8), &to);
    std::memcpy(to, data.data(), data.size());
    std::memset(to + data.size(), 0, round_up(data.size(), 8) - data.size());
    return made;
  }

  void add_tensor(std::string_view name, const TensorType& type, Offset<flatbuffers::Vector<std::uint8_t>> data = 0) {
    const Text text = builder_.CreateString(name);
    const std::vector<std::int32_t> shape(type.shape.begin(), type.shape.end());
    const auto extents = builder_.CreateVector(shape);
    tensors_.push_back(fb::CreateTosaTensor(builder_, text, extents, dtype_of(type.data), data));
  }
  void tensor(ValueId value) { add_tensor(names_[index(value)], graph_[value].type); }

  // The elements in the encoding of the file: i4 and e2m1 in nibbles, i48 in six bytes.
  static std::vector<std::byte> encoded(DataType type, Bytes data) {
    std::vector<std::byte> out;
    if (type != DataType::I48) {
      out.resize((data.size() + 1) / 2);
      for (std::size_t i = 0; i < data.size(); ++i) out[i / 2] |= (data[i] & std::byte{15}) << (i % 2 * 4);
    } else {
      out.resize(data.size() / 8 * 6);
      for (std::size_t i = 0; i < data.size() / 8; ++i) std::memcpy(&out[i * 6], &data[i * 8], 6);
    }
    return out;
  }

  void constant_tensor(std::string_view name, const TensorType& type, Bytes data) {
    const bool packed = type.data == DataType::I4 || type.data == DataType::F4E2M1 || type.data == DataType::I48;
    const auto vector = packed ? bytes(encoded(type.data, data)) : bytes(data);
    add_tensor(name, type, vector);
    leading(fb::Op::CONST, name);
  }

  void constant(const Constant& constant) {
    const TensorType& type = graph_[constant.value].type;
    if (constant.data.empty()) {
      problems_.error(DiagnosticKind::MissingKey, SourceLocation::in_file(model_.file),
                      formatted("constant `{}` has no data", names_[index(constant.value)]));
      return;
    }
    if (!constant.splat) return constant_tensor(names_[index(constant.value)], type, constant.data);
    const std::uint64_t count = tensor::element_count(type.shape).value_or(0);
    std::vector<std::byte> all;
    all.reserve(count * constant.data.size());
    for (std::uint64_t i = 0; i < count; ++i) all.insert(all.end(), constant.data.begin(), constant.data.end());
    constant_tensor(names_[index(constant.value)], type, all);
  }

  std::string one_element(DataType type, const std::array<std::byte, 8>& element) {
    const Bytes data = Bytes(element).first(tensor::size_of(storage_of(type)));
    std::string& name = elements_[{type, load<std::uint64_t>(element.data())}];
    if (!name.empty()) return name;
    name = unique("const");
    constant_tensor(name, {type, {1}}, data);
    return name;
  }

  std::string shape(std::span<const std::int64_t> values) {
    std::string& name = shape_names_[std::vector(values.begin(), values.end())];
    if (!name.empty()) return name;
    name = unique("shape");
    const Text text = builder_.CreateString(name);
    const auto data = bytes(std::as_bytes(values));
    shapes_.push_back(fb::CreateTosaShape(builder_, text, static_cast<std::uint32_t>(values.size()), data));
    leading(fb::Op::CONST_SHAPE, name);
    return name;
  }

  // --- operators ---

  Offset<flatbuffers::Vector<Text>> strings(std::span<const std::string> texts) {
    std::vector<Text> made;
    for (const std::string& text : texts) made.push_back(builder_.CreateString(text));
    return builder_.CreateVector(made);
  }

  Offset<void> empty_table() {
    const auto start = builder_.StartTable();
    return Offset<void>(builder_.EndTable(start));
  }

  Offset<fb::TosaOperator> table(fb::Op op, Offset<void> attribute, std::span<const std::string> inputs,
                                 std::span<const std::string> outputs, std::string_view location) {
    const auto in = strings(inputs), out = strings(outputs);
    Offset<fb::OpLocation> at;
    if (!location.empty()) at = fb::CreateOpLocation(builder_, builder_.CreateString(location));
    return fb::CreateTosaOperator(builder_, op, static_cast<fb::Attribute>(op), attribute, in, out, at);
  }

  void leading(fb::Op op, std::string_view name) {
    const std::string output(name);
    constants_.push_back(table(op, empty_table(), {}, std::span(&output, 1), {}));
  }

  void operation(const Node& node) {
    std::vector<std::string> inputs, outputs;
    for (const ValueId output : node.outputs) outputs.push_back(names_[index(output)]);
    const std::string location = outputs.empty() || node.name == outputs[0] ? std::string() : node.name;
    if (node.op == Op::CUSTOM) {
      for (const ValueId input : node.inputs) inputs.push_back(names_[index(input)]);
      const Text name = builder_.CreateString(node.custom->name), domain = builder_.CreateString(node.custom->domain);
      const auto* text = reinterpret_cast<const std::uint8_t*>(node.custom->attributes.data());
      const auto attributes = builder_.CreateVector(text, node.custom->attributes.size());
      const auto custom = fb::CreateCustomAttribute(builder_, name, domain, attributes).Union();
      operators_.push_back(table(fb::Op::CUSTOM, custom, inputs, outputs, location));
      return;
    }
    const OperatorInfo& info = info_of(node.op);
    if (info.set != InstructionSet::Tosa && info.set != InstructionSet::BlockScaled) {
      problems_.error(DiagnosticKind::Unsupported, node.location,
                      formatted("{} is not an operator of TOSA", info.name));
      return;
    }
    const std::uint32_t number = info.number + 1;
    const flatbuffers::TypeTable& all = *fb::AttributeTypeTable();
    const flatbuffers::TypeTable& fields = *all.type_refs[all.type_codes[number].sequence_ref]();
    std::size_t next = 0;
    const bool shapes_last = node.op == Op::CONV2D_BLOCK_SCALED;
    for (const OperandInfo* operand : file_operands(info, shapes_last)) {
      if (!is_file_input(*operand, shapes_last)) continue;
      if (operand->kind == OperandKind::List) {
        inputs.push_back(shape(node.attributes.list(operand->name)));
      } else if (!operand->is_tensor()) {
        const DataType type = element_type(graph_, node, info, *operand);
        inputs.push_back(one_element(type, element_bytes(node.attributes, operand->name, type)));
      } else {
        do inputs.push_back(names_[index(node.inputs[next++])]);
        while (operand->variadic && next < node.inputs.size());
      }
    }
    operators_.push_back(table(static_cast<fb::Op>(number), attribute(node, info, fields), inputs, outputs, location));
  }

  // The operator's own table, field by field.
  Offset<void> attribute(const Node& node, const OperatorInfo& info, const flatbuffers::TypeTable& fields) {
    const Attributes& attributes = node.attributes;
    std::vector<flatbuffers::uoffset_t> vectors(fields.num_elems);
    for (std::size_t i = 0; i < fields.num_elems; ++i) {
      const flatbuffers::TypeCode code = fields.type_codes[i];
      if (code.base_type == flatbuffers::ET_UCHAR) {
        const DataType type = graph_[node.inputs[0]].type.data;
        const auto bytes_of_element = element_bytes(attributes, fields.names[i], type);
        vectors[i] = bytes(Bytes(bytes_of_element).first(tensor::size_of(storage_of(type)))).o;
      } else if (code.is_repeating) {
        const auto list = attributes.list(fields.names[i]);
        vectors[i] = builder_.CreateVector(std::vector<std::int32_t>(list.begin(), list.end())).o;
      }
    }
    const auto start = builder_.StartTable();
    for (std::size_t i = 0; i < fields.num_elems; ++i) {
      const auto field = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i));
      const flatbuffers::TypeCode code = fields.type_codes[i];
      const std::int64_t value = attributes.integer(fields.names[i]);
      if (code.is_repeating) {
        builder_.AddOffset(field, Offset<void>(vectors[i]));
      } else if (code.base_type == flatbuffers::ET_BOOL) {
        builder_.AddElement<std::uint8_t>(field, value != 0, 0);
      } else if (code.base_type == flatbuffers::ET_UINT) {
        const OperandInfo* operand = info.operand(fields.names[i]);
        const bool acc = operand && operand->kind == OperandKind::AccType;
        builder_.AddElement<std::uint32_t>(
            field, acc ? static_cast<std::uint32_t>(acc_dtype(value)) : static_cast<std::uint32_t>(value), 0);
      } else {
        builder_.AddElement<std::int32_t>(field, static_cast<std::int32_t>(value), 0);
      }
    }
    return Offset<void>(builder_.EndTable(start));
  }

  void finish() {
    std::vector<std::string> inputs, outputs;
    for (const ValueId input : graph_.inputs) inputs.push_back(names_[index(input)]);
    for (const ValueId output : graph_.outputs) outputs.push_back(names_[index(output)]);
    constants_.insert(constants_.end(), operators_.begin(), operators_.end());
    const auto operators = builder_.CreateVector(constants_);
    const auto tensors = builder_.CreateVector(tensors_);
    const auto in = strings(inputs), out = strings(outputs);
    const auto shapes = builder_.CreateVector(shapes_);
    const Text main = builder_.CreateString("main");
    const auto block = fb::CreateTosaBasicBlock(builder_, main, operators, tensors, in, out, shapes);
    const auto region = fb::CreateTosaRegion(builder_, main, builder_.CreateVector(&block, 1));
    const bool blocks =
        std::ranges::any_of(graph_.values, [](const Value& value) { return is_block_scaled(value.type.data); });
    const auto version = fb::CreateVersion(builder_, 1, blocks ? 1 : 0, 0, blocks);
    fb::FinishTosaGraphBuffer(builder_, fb::CreateTosaGraph(builder_, version, builder_.CreateVector(&region, 1)));
  }

  const Model& model_;
  const Graph& graph_;
  flatbuffers::FlatBufferBuilder builder_;
  Diagnostics problems_;
  std::unordered_set<std::string> taken_;
  std::vector<std::string> names_;  // by value
  int next_ = 0;
  std::map<std::pair<DataType, std::uint64_t>, std::string> elements_;
  std::map<std::vector<std::int64_t>, std::string> shape_names_;
  std::vector<Offset<fb::TosaTensor>> tensors_;
  std::vector<Offset<fb::TosaShape>> shapes_;
  std::vector<Offset<fb::TosaOperator>> constants_, operators_;
};

}  // namespace

Result<std::vector<std::byte>> write_tosa(const Model& model) { return TosaWriter(model).run(); }

Result<std::string> tosa_json(Bytes file) {
  flatbuffers::IDLOptions options;
  options.strict_json = true;
  options.output_default_scalars_in_json = true;
  flatbuffers::Parser parser(options);
  std::string text;
  if (!parser.Parse(kTosaSchema.data()) || flatbuffers::GenText(parser, file.data(), &text) != nullptr)
    return fail(DiagnosticKind::FileFormat, {}, "the model cannot be written as JSON: " + parser.error_);
  return text;
}

}  // namespace slipway::tosa
