// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/read_tosa.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/check/operand_forms.hpp"
#include "tosa/read/flat_lists.hpp"
#include "tosa/read/inline_limits.hpp"
#include "tosa/read/known_elements.hpp"
#include "tosa/read/open_parameters.hpp"
#include "tosa/read/producers_first.hpp"
#include "tosa/read/shape_operators.hpp"
#include "tosa/read/tosa_data.hpp"
#include "tosa_generated.h"

namespace slipway::tosa {
namespace {

constexpr std::size_t kIdentifierAt = 4;
constexpr std::size_t kMaxTables = std::size_t{1} << 32;  // a table takes 4 bytes of a buffer of at most 2 GiB
constexpr int kMaxNesting = 64;                           // of tables
constexpr std::string_view kUnrepresentable = "TOSA 1.1 is not representable in TOSA.001000.1";

// What a name refers to in a block.
struct Symbol {
  const fb::TosaTensor* tensor = nullptr;
  const fb::TosaShape* shape = nullptr;
  const fb::TosaOperator* producer = nullptr;
  bool is_input = false;
  std::optional<ValueId> value;
  std::optional<ShapeValues> values;  // of a shape
};

class Reader {
 public:
  Reader(Bytes bytes, std::string name, Diagnostics& diagnostics)
      : bytes_(bytes), name_(std::move(name)), diagnostics_(diagnostics), before_(diagnostics.errors()) {}

  std::optional<Model> run() {
    const fb::TosaBasicBlock* block = main_block();
    if (!block) return std::nullopt;
    model_.file = name_;
    model_.graph.name = "main";
    for (const fb::TosaOperator* each : items_of(block->operators())) {
      numbers_.emplace(each, model_.operator_offsets.size());
      model_.operator_offsets.push_back(offset_of(each));
    }
    const auto outputs = this->block(*block, nullptr, 0);
    if (ok()) {
      model_.graph.outputs = *outputs;
      for (const flatbuffers::String* output : *block->outputs()) model_.output_names.emplace_back(string_of(output));
    }
    return ok() ? std::optional(std::move(model_)) : std::nullopt;
  }

 private:
  using Scope = std::unordered_map<std::string_view, Symbol>;

  bool ok() const { return diagnostics_.errors() == before_; }

  // --- places and messages ---

  std::uint64_t offset_of(const void* table) const {
    return static_cast<std::uint64_t>(static_cast<const std::byte*>(table) - bytes_.data());
  }
  SourceLocation location(const void* table) const {
    return SourceLocation::in_bytes(name_, {offset_of(table), offset_of(table) + sizeof(flatbuffers::soffset_t)});
  }
  SourceLocation whole() const { return SourceLocation::in_file(name_); }

  static std::string_view operator_name(const fb::TosaOperator& of) {
    const std::string_view location = of.location() ? string_of(of.location()->text()) : std::string_view();
    if (!location.empty() || count_of(of.outputs()) == 0) return location;
    return string_of(of.outputs()->Get(0));
  }
  Diagnostic& error(DiagnosticKind kind, const fb::TosaOperator& at, const std::string& text) {
    return diagnostics_.error(kind, location(&at), named(at, text));
  }
  std::string named(const fb::TosaOperator& at, const std::string& text) const {
    const auto number = numbers_.find(&at);
    return formatted("operator {}{} `{}`: {}",
                     number == numbers_.end() ? std::string() : formatted("{} ", number->second), title(at),
                     operator_name(at), text);
  }
  static std::string title(const fb::TosaOperator& of) {
    const char* name = fb::EnumNameOp(of.op());
    return *name ? name : formatted("number {}", static_cast<std::uint32_t>(of.op()));
  }

  // --- the file ---

  const fb::TosaBasicBlock* main_block() {
    if (!is_tosa(bytes_)) {
      diagnostics_.error(DiagnosticKind::FileFormat, whole(),
                         "the file does not have the identifier `TOSA` of TOSA FlatBuffers");
      return nullptr;
    }
    // The data of large models is after the part that FlatBuffers can address.
    const std::size_t size = std::min<std::size_t>(bytes_.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    flatbuffers::Verifier::Options options;
    options.max_depth = kMaxNesting;
    options.max_tables = static_cast<flatbuffers::uoffset_t>(std::min<std::size_t>(kMaxTables - 1, size / 4 + 1));
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes_.data()), size, options);
    if (!fb::VerifyTosaGraphBuffer(verifier)) {
      diagnostics_.error(DiagnosticKind::FileFormat, whole(), "the tables of the file are invalid or truncated");
      return nullptr;
    }
    graph_ = fb::GetTosaGraph(bytes_.data());
    if (!version()) return nullptr;
    const fb::TosaRegion* region = nullptr;
    for (const fb::TosaRegion* each : items_of(graph_->regions())) {
      if (!region || (string_of(each->name()) == "main" && string_of(region->name()) != "main")) region = each;
    }
    if (!region || count_of(region->blocks()) == 0) {
      diagnostics_.error(DiagnosticKind::FileFormat, whole(), "the file has no region with a block");
      return nullptr;
    }
    const fb::TosaBasicBlock* block = region->blocks()->Get(0);
    if (count_of(block->outputs()) == 0) {
      diagnostics_.error(DiagnosticKind::FileFormat, location(block), "model has no outputs");
      return nullptr;
    }
    return block;
  }

  bool version() {
    const fb::Version& version = *graph_->version();
    const auto wrong = [&](const std::string& text) {
      diagnostics_.error(DiagnosticKind::Unsupported, location(&version), text);
      return false;
    };
    if (version._major() < 0 || version._minor() < 0) return wrong("the file does not say its version of TOSA");
    if (version._major() == 0) return wrong("TOSA 0.x numbers its data types differently; export with TOSA 1.0");
    if (version._major() == 1 && version._minor() <= 1) return true;
    return wrong(formatted("the file has TOSA {}.{}; supported are 1.0 and 1.1", version._major(), version._minor()));
  }

  const fb::TosaBasicBlock* find_block(std::string_view name) const {
    for (const fb::TosaRegion* region : *graph_->regions()) {
      for (std::size_t i = 0; i < count_of(region->blocks()); ++i) {
        const fb::TosaBasicBlock* block = region->blocks()->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (string_of(block->name()) == name || (i == 0 && string_of(region->name()) == name)) return block;
      }
    }
    return nullptr;
  }

  // --- a block ---

  // `arguments`: of the branch or loop iteration that the block is; null for the model, whose inputs become inputs of
  // the graph.
  std::optional<std::vector<ValueId>> block(const fb::TosaBasicBlock& block, const std::vector<ValueId>* arguments,
                                            int depth) {
    inlined_ += arguments ? 1 + count_of(block.operators()) + count_of(block.tensors()) + count_of(block.shapes()) +
                                arguments->size()
                          : 0;
    if (inlined_ > kMaxInlined) {
      diagnostics_.error(DiagnosticKind::OutOfRange, location(&block),
                         formatted("branches and loops expand to more than {} operators and tensors", kMaxInlined));
      return std::nullopt;
    }
    Scope scope;
    scope.reserve(count_of(block.tensors()) + count_of(block.shapes()));
    declare(block, scope);
    inputs(block, arguments, scope);
    const std::vector<const fb::TosaOperator*> order = sorted(block, scope);
    if (!ok()) return std::nullopt;
    constants(block, order, scope);
    for (const fb::TosaOperator* each : order) operation(*each, scope, depth);
    std::vector<ValueId> outputs;
    for (const std::string_view name : names_in(block.outputs())) {
      const auto symbol = scope.find(name);
      if (symbol != scope.end() && symbol->second.value) {
        outputs.push_back(*symbol->second.value);
      } else if (symbol == scope.end() || symbol->second.producer == nullptr) {
        diagnostics_.error(DiagnosticKind::UnknownReference, location(&block),
                           formatted("the output `{}` has no producer", name));
      } else if (ok()) {
        diagnostics_.error(DiagnosticKind::Unsupported, location(&block),
                           formatted("the output `{}` is not a tensor", name));
      }
    }
    return ok() ? std::optional(outputs) : std::nullopt;
  }

  void declare(const fb::TosaBasicBlock& block, Scope& scope) {
    for (const fb::TosaTensor* tensor : items_of(block.tensors())) {
      Symbol& symbol = scope[string_of(tensor->name())];
      if (symbol.tensor)
        diagnostics_.error(DiagnosticKind::DuplicateName, location(tensor),
                           formatted("two tensors are called `{}`", string_of(tensor->name())));
      symbol.tensor = tensor;
    }
    for (const fb::TosaShape* shape : items_of(block.shapes())) {
      Symbol& symbol = scope[string_of(shape->name())];
      if (symbol.shape || symbol.tensor)
        diagnostics_.error(DiagnosticKind::DuplicateName, location(shape),
                           formatted("`{}` is declared twice", string_of(shape->name())));
      symbol.shape = shape;
    }
  }

  void inputs(const fb::TosaBasicBlock& block, const std::vector<ValueId>* arguments, Scope& scope) {
    for (std::size_t i = 0; i < count_of(block.inputs()); ++i) {
      const std::string_view name = name_at(block.inputs(), i);
      const auto found = scope.find(name);
      if (found == scope.end() || !found->second.tensor) {
        diagnostics_.error(DiagnosticKind::UnknownReference, location(&block),
                           formatted("the input `{}` is not a tensor", name));
        continue;
      }
      Symbol& symbol = found->second;
      if (symbol.is_input)
        diagnostics_.error(DiagnosticKind::DuplicateName, location(symbol.tensor),
                           formatted("`{}` is an input twice", name));
      symbol.is_input = true;
      if (arguments) {
        if (i < arguments->size()) symbol.value = (*arguments)[i];
        continue;
      }
      const auto type = this->type(*symbol.tensor);
      symbol.value = model_.graph.add_input(type.value_or(TensorType{}), std::string(name));
      model_.input_names.emplace_back(name);
    }
  }

  // `inferred`: a result, whose shape the verifier can infer.
  std::optional<TensorType> type(const fb::TosaTensor& tensor, bool inferred = false) {
    const auto data = data_type_of(tensor.type());
    const std::string name(string_of(tensor.name()));
    if (!data) {
      diagnostics_.error(DiagnosticKind::TypeMismatch, location(&tensor),
                         formatted("tensor `{}` has the type {}", name, name_of(tensor.type())));
      return std::nullopt;
    }
    if (tensor.is_unranked() && inferred) return TensorType{*data, {kUnranked}};
    if (tensor.is_unranked()) {
      diagnostics_.error(DiagnosticKind::Unsupported, location(&tensor), formatted("tensor `{}` has no rank", name));
      return std::nullopt;
    }
    TensorType type{*data, shape_of(tensor)};
    for (std::int64_t& extent : type.shape) {
      if (extent != 0) continue;
      extent = kDynamic;
      diagnostics_.warning(DiagnosticKind::ShapeMismatch, location(&tensor),
                           formatted("tensor `{}` has a dimension of 0, which is taken as unknown", name));
    }
    return type;
  }

  // Sorts operators so that producers come first; the order is kept where it is valid already.
  std::vector<const fb::TosaOperator*> sorted(const fb::TosaBasicBlock& block, Scope& scope) {
    std::vector<const fb::TosaOperator*> operators;
    std::unordered_map<const fb::TosaOperator*, std::uint32_t> position;
    for (const fb::TosaOperator* each : items_of(block.operators())) {
      if (!position.emplace(each, static_cast<std::uint32_t>(operators.size())).second)
        error(DiagnosticKind::DuplicateName, *each, "it appears twice in the block");
      operators.push_back(each);
      for (const std::string_view name : names_in(each->outputs())) {
        Symbol& symbol = scope[name];
        if (symbol.producer || symbol.is_input) {
          error(DiagnosticKind::DuplicateName, *each,
                formatted("its result `{}` is {}", name,
                          symbol.is_input ? "an input" : formatted("one of {} too", title(*symbol.producer))));
        }
        symbol.producer = each;
      }
    }
    if (!ok()) return {};
    std::vector<std::vector<std::uint32_t>> users(operators.size());
    for (std::uint32_t i = 0; i < operators.size(); ++i) {
      for (const std::string_view name : names_in(operators[i]->inputs())) {
        const auto symbol = scope.find(name);
        if (symbol == scope.end())
          error(DiagnosticKind::UnknownReference, *operators[i], formatted("its input `{}` is not defined", name));
        else if (symbol->second.producer)
          users[position[symbol->second.producer]].push_back(i);
      }
    }
    if (!ok()) return {};
    const auto order = producers_first(users);
    if (!order) {
      error(DiagnosticKind::FileFormat, *operators[order.error()], "it needs its own result, through other operators");
      return {};
    }
    std::vector<const fb::TosaOperator*> made;
    for (const std::uint32_t i : *order) made.push_back(operators[i]);
    return made;
  }

  // --- constants ---

  // Constants in the order of their ids (docs/spec/converter.md#graph-constants): those at the start of the block in
  // file order, later ones before them, the last first; then those that no operator produces. Only constants that are
  // used as tensors become constants of the graph.
  void constants(const fb::TosaBasicBlock& block, const std::vector<const fb::TosaOperator*>& order, Scope& scope) {
    const std::unordered_set<std::string_view> used = used_as_tensors(block, order);
    std::vector<std::string_view> leading, later;
    bool at_start = true;
    for (const fb::TosaOperator* each : order) {
      const bool constant = each->op() == fb::Op::CONST;
      at_start &= constant || each->op() == fb::Op::CONST_SHAPE;
      if (constant && count_of(each->outputs()) == 1)
        (at_start ? leading : later).push_back(string_of(each->outputs()->Get(0)));
    }
    std::ranges::reverse(later);
    const auto add = [&](std::string_view name) {
      Symbol& symbol = scope[name];
      if (symbol.tensor && !symbol.value && used.contains(name)) symbol.value = constant(symbol);
    };
    std::ranges::for_each(later, add);
    std::ranges::for_each(leading, add);
    for (const fb::TosaTensor* tensor : items_of(block.tensors())) {
      const Symbol& symbol = scope[string_of(tensor->name())];
      if (!symbol.producer && !symbol.is_input && has_data(*tensor)) add(string_of(tensor->name()));
    }
  }

  std::unordered_set<std::string_view> used_as_tensors(const fb::TosaBasicBlock& block,
                                                       const std::vector<const fb::TosaOperator*>& order) const {
    std::unordered_set<std::string_view> used;
    for (const fb::TosaOperator* each : order) {
      const OperatorInfo* info = info_for(*each);
      const bool adaptive = is_adaptive(*each);
      std::size_t k = 0;
      const auto take = [&] { return name_at(each->inputs(), k++); };
      if (info) {
        for (const OperandInfo* operand : file_operands(*info, adaptive)) {
          if (!is_file_input(*operand, adaptive)) continue;
          if (k == count_of(each->inputs())) break;
          const std::string_view name = take();
          if (operand->is_tensor()) used.insert(name);
        }
      }
      // The condition of a branch is evaluated while reading.
      if (each->op() == fb::Op::COND_IF && k < count_of(each->inputs())) take();
      while (k < count_of(each->inputs())) used.insert(take());
    }
    used.insert_range(names_in(block.outputs()));
    return used;
  }

  std::optional<ValueId> constant(const Symbol& symbol) {
    const fb::TosaTensor& tensor = *symbol.tensor;
    // Blocks may be expanded many times.
    if (const auto known = constants_.find(&tensor); known != constants_.end()) return known->second;
    const auto type = data_type_of(tensor.type())
                          ? std::optional(TensorType{*data_type_of(tensor.type()), shape_of(tensor)})
                          : this->type(tensor);
    if (!type) return std::nullopt;
    auto data = data_of(tensor, bytes_);
    if (!data) {
      constant_error(symbol, data.error());
      return std::nullopt;
    }
    const ValueId value = model_.graph.add_constant(*type, data->bytes, false, std::string(string_of(tensor.name())));
    if (data->decoded) model_.graph.storage.push_back(data->decoded);
    constants_.emplace(&tensor, value);
    return value;
  }

  void constant_error(const Symbol& symbol, const std::string& text) {
    const std::string message = formatted("constant `{}`: {}", string_of(symbol.tensor->name()), text);
    if (symbol.producer)
      error(DiagnosticKind::FileFormat, *symbol.producer, message);
    else
      diagnostics_.error(DiagnosticKind::FileFormat, location(symbol.tensor), message);
  }

  // --- operators ---

  static bool is_adaptive(const fb::TosaOperator& of) {
    return of.op() == fb::Op::AVG_POOL2D_ADAPTIVE || of.op() == fb::Op::MAX_POOL2D_ADAPTIVE ||
           of.op() == fb::Op::CONV2D_BLOCK_SCALED;
  }

  static const OperatorInfo* info_for(const fb::TosaOperator& of) {
    if (is_adaptive(of)) return &info_of(*op_from_name(title(of)));
    const auto number = static_cast<std::uint32_t>(of.op());
    if (number == 0) return nullptr;
    const OperatorInfo* const info = find_operator(InstructionSet::Tosa, number - 1);
    return info ? info : find_operator(InstructionSet::BlockScaled, number - 1);
  }

  void operation(const fb::TosaOperator& of, Scope& scope, int depth) {
    if (const OperatorInfo* info = info_for(of)) return tosa_operation(of, *info, scope);
    switch (of.op()) {
      case fb::Op::CONST:
        if (count_of(of.outputs()) != 1 || !scope[string_of(of.outputs()->Get(0))].tensor)
          error(DiagnosticKind::FileFormat, of, "it has no tensor as its result");
        else if (!has_data(*scope[string_of(of.outputs()->Get(0))].tensor))
          error(DiagnosticKind::FileFormat, of, "its result has no data");
        return;
      case fb::Op::CONST_SHAPE:
        return constant_shape(of, scope);
      case fb::Op::IDENTITY:
        return identity(of, scope);
      case fb::Op::CUSTOM:
        return custom(of, scope);
      case fb::Op::COND_IF:
        return branch(of, scope, depth);
      case fb::Op::DIM:
        return dimension(of, scope);
      case fb::Op::WHILE_LOOP:
        return loop(of, scope, depth);
      case fb::Op::VARIABLE:
      case fb::Op::VARIABLE_READ:
      case fb::Op::VARIABLE_WRITE:
        error(DiagnosticKind::Unsupported, of, "variables are not representable in TOSA.001000.1");
        return;
      case fb::Op::UNKNOWN:
        error(DiagnosticKind::UnknownValue, of, "the operator has the number 0 (UNKNOWN)");
        return;
      default:
        break;
    }
    if (is_shape_operator(title(of))) return shape_operation(of, scope);
    error(DiagnosticKind::Unsupported, of, std::string(kUnrepresentable));
  }

  std::optional<ValueId> value_of(const fb::TosaOperator& of, std::size_t input, Scope& scope) {
    const std::string_view name = name_at(of.inputs(), input);
    Symbol& symbol = scope[name];
    if (symbol.value) return symbol.value;
    // After an earlier error, the operand may be missing; that is not reported again.
    if (ok()) {
      error(
          symbol.shape ? DiagnosticKind::TypeMismatch : DiagnosticKind::UnknownReference, of,
          formatted("its input `{}` is {}", name, symbol.shape ? "a shape instead of a tensor" : "without a producer"));
    }
    return std::nullopt;
  }

  std::optional<ShapeValues> shape_values(const fb::TosaOperator& of, std::size_t input, Scope& scope) {
    const std::string_view name = name_at(of.inputs(), input);
    Symbol& symbol = scope[name];
    if (symbol.values) return symbol.values;
    // Shapes that no operator produces are constants as well.
    if (symbol.shape && !symbol.producer) {
      auto values = values_of(*symbol.shape);
      if (values) return symbol.values = std::move(*values);
      error(DiagnosticKind::FileFormat, of, formatted("its shape `{}`: {}", name, values.error()));
    } else if (ok()) {
      error(symbol.shape ? DiagnosticKind::Unsupported : DiagnosticKind::TypeMismatch, of,
            symbol.shape ? formatted("its shape `{}` is known only when the model runs", name)
                         : formatted("its input `{}` is a tensor instead of a shape", name));
    }
    return std::nullopt;
  }

  // A constant tensor of one element, as an attribute; otherwise as an open parameter.
  bool one_element(const fb::TosaOperator& of, std::size_t input, const OperandInfo& operand, Scope& scope,
                   Attributes& to, std::vector<OpenParameter>& open) {
    const std::string_view name = name_at(of.inputs(), input);
    const Symbol& symbol = scope[name];
    const bool made = symbol.producer && symbol.producer->op() != fb::Op::CONST;
    if (!symbol.tensor || made || symbol.is_input || !has_data(*symbol.tensor)) {
      const auto value = value_of(of, input, scope);
      if (!value) return false;
      const auto known = known_.find(model_.graph, *value);
      if (!known) open.push_back({operand.name, *value});
      to.set(operand.name, known.value_or(0));
      return true;
    }
    const auto data = data_of(*symbol.tensor, bytes_);
    const auto type = data_type_of(symbol.tensor->type());
    if (!data || !type || data->bytes.size() != tensor::size_of(storage_of(*type))) {
      error(DiagnosticKind::ShapeMismatch, of,
            data ? formatted("`{}` is `{}`, which has not one element", operand.name, name)
                 : formatted("`{}` is `{}`: {}", operand.name, name, data.error()));
      return false;
    }
    const tensor::Number number = tensor::number_of(storage_of(*type), data->bytes.data());
    if (is_float(*type))
      to.set_real(operand.name, tensor::double_of(number));
    else
      to.set(operand.name, std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number));
    return true;
  }

  void tosa_operation(const fb::TosaOperator& of, const OperatorInfo& info, Scope& scope) {
    const bool adaptive = is_adaptive(of);
    std::size_t wanted = 0;
    bool variadic = false;
    for (const OperandInfo& operand : info.operands) {
      wanted += is_file_input(operand, adaptive);
      variadic |= operand.variadic;
    }
    const std::size_t given = count_of(of.inputs());
    if (variadic ? given < wanted : given != wanted) {
      error(DiagnosticKind::FileFormat, of,
            formatted("it has {} inputs instead of {}{}", given, wanted, variadic ? " or more" : ""));
      return;
    }
    std::vector<ValueId> inputs;
    Attributes attributes;
    std::size_t next = 0;
    bool sound = true;
    std::vector<OpenParameter> open;
    for (const OperandInfo* operand : file_operands(info, adaptive)) {
      if (!is_file_input(*operand, adaptive)) continue;
      if (operand->kind == OperandKind::List) {
        const auto values = shape_values(of, next++, scope);
        if (values) attributes.set(operand->name, *values);
        sound &= values.has_value();
      } else if (!operand->is_tensor()) {
        sound &= one_element(of, next++, *operand, scope, attributes, open);
      } else {
        do {
          const auto value = value_of(of, next++, scope);
          if (value) inputs.push_back(*value);
          sound &= value.has_value();
        } while (operand->variadic && next < given);
      }
    }
    // Bounds have the type of the bounded value.
    const DataType type = inputs.empty() ? DataType::I32 : model_.graph[inputs[0]].type.data;
    for (const OperandInfo& operand : info.operands) {
      if (is_file_input(operand, adaptive)) continue;
      Attributes one;
      const auto read = read_attribute(of, operand, type, operand.optional ? one : attributes);
      if (operand.optional && one.flag(operand.name)) attributes.set(operand.name, std::int64_t{1});
      if (operand.optional || (read && *read)) continue;
      error(DiagnosticKind::MissingKey, of, read ? formatted("`{}` is missing", operand.name) : read.error());
      sound = false;
    }
    if (!sound) return;
    const OpenOperator whole{.op = info.op, .inputs = inputs, .attributes = attributes, .result = {}, .open = open};
    if (is_open(model_.graph, whole)) return close(of, whole, scope);
    add(of, info.op, std::move(inputs), std::move(attributes), nullptr, scope);
  }

  // An operator with operands that are not constant, as TOSA requires: a warning of conversions and runs.
  void close(const fb::TosaOperator& of, OpenOperator whole, Scope& scope) {
    const std::string_view name = count_of(of.outputs()) == 1 ? string_of(of.outputs()->Get(0)) : std::string_view();
    const Symbol& symbol = scope[name];
    const auto type = symbol.tensor ? this->type(*symbol.tensor) : std::nullopt;
    if (!type) {
      error(DiagnosticKind::UnknownReference, of, formatted("its result `{}` is not a tensor", name));
      return;
    }
    whole.result = *type;
    const std::size_t first = model_.graph.nodes.size();
    const auto closed = close_operator(model_.graph, whole);
    if (!closed) {
      error(DiagnosticKind::TypeMismatch, of, closed.error());
      return;
    }
    for (std::size_t i = first; i < model_.graph.nodes.size(); ++i) model_.graph.nodes[i].location = location(&of);
    for (const std::string& warning : closed->warnings)
      diagnostics_.rule(DiagnosticKind::TypeMismatch, location(&of), named(of, warning));
    give_results(of, {closed->result}, scope);
  }

  void add(const fb::TosaOperator& of, Op op, std::vector<ValueId> inputs, Attributes attributes,
           std::shared_ptr<const CustomOperator> custom, Scope& scope) {
    std::vector<TensorType> types;
    for (const std::string_view name : names_in(of.outputs())) {
      const Symbol& symbol = scope[name];
      const auto type = symbol.tensor ? this->type(*symbol.tensor, op != Op::CUSTOM) : std::nullopt;
      if (!symbol.tensor)
        error(DiagnosticKind::UnknownReference, of, formatted("its result `{}` is not a tensor", name));
      if (!type) return;
      types.push_back(*type);
    }
    const std::vector<ValueId> results =
        model_.graph.add_node(op, std::move(inputs), std::move(attributes), std::move(types));
    Node& node = model_.graph.nodes.back();
    node.location = location(&of);
    node.name = operator_name(of);
    node.custom = std::move(custom);
    known_.see(model_.graph, node);
    for (const auto [name, result] : std::views::zip(names_in(of.outputs()), results)) model_.graph[result].name = name;
    give_results(of, results, scope);
  }

  void identity(const fb::TosaOperator& of, Scope& scope) {
    if (count_of(of.inputs()) != 1 || count_of(of.outputs()) != 1) {
      error(DiagnosticKind::FileFormat, of, "it has one input and one result");
      return;
    }
    scope[string_of(of.outputs()->Get(0))].value = value_of(of, 0, scope);
  }

  void custom(const fb::TosaOperator& of, Scope& scope) {
    const fb::CustomAttribute* attribute = of.attribute_as_CustomAttribute();
    if (!attribute) {
      error(DiagnosticKind::MissingKey, of, "the attributes are missing");
      return;
    }
    std::vector<ValueId> inputs;
    for (std::size_t i = 0; i < count_of(of.inputs()); ++i) {
      const auto value = value_of(of, i, scope);
      if (!value) return;
      inputs.push_back(*value);
    }
    std::string_view text;
    if (const auto* bytes = attribute->implementation_attrs())
      text = {reinterpret_cast<const char*>(bytes->data()), bytes->size()};
    // Some producers terminate the text with a zero, or pad it.
    while (text.ends_with('\0')) text.remove_suffix(1);
    add(of, Op::CUSTOM, std::move(inputs), {},
        std::make_shared<CustomOperator>(std::string(string_of(attribute->domain_name())),
                                         std::string(string_of(attribute->operator_name())), std::string(text)),
        scope);
  }

  // --- branches and loops ---

  // The value of a condition, if it is known.
  std::optional<bool> condition(const fb::TosaOperator& of, Scope& scope) const {
    if (count_of(of.inputs()) == 0) return std::nullopt;
    const Symbol& symbol = scope[string_of(of.inputs()->Get(0))];
    if (symbol.value) return known_.find(model_.graph, *symbol.value);
    const bool constant = symbol.tensor && has_data(*symbol.tensor) && !symbol.is_input &&
                          (!symbol.producer || symbol.producer->op() == fb::Op::CONST) &&
                          symbol.tensor->type() == fb::DType::BOOL;
    const auto data = constant ? data_of(*symbol.tensor, bytes_) : std::expected<TosaData, std::string>();
    if (!constant || !data || data->bytes.empty()) return std::nullopt;
    return data->bytes[0] != std::byte{0};
  }

  // The inputs of an operator from `first` on.
  std::optional<std::vector<ValueId>> inputs_of(const fb::TosaOperator& of, std::size_t first, Scope& scope) {
    std::vector<ValueId> values;
    for (std::size_t i = first; i < count_of(of.inputs()); ++i) {
      const auto value = value_of(of, i, scope);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  const fb::TosaBasicBlock* body(const fb::TosaOperator& of, std::string_view name, std::size_t inputs,
                                 std::size_t outputs) {
    const fb::TosaBasicBlock* found = find_block(name);
    if (!found) {
      error(DiagnosticKind::UnknownReference, of, formatted("there is no region `{}`", name));
    } else if (inputs != count_of(found->inputs()) || outputs != count_of(found->outputs())) {
      error(DiagnosticKind::FileFormat, of, formatted("region `{}` has another number of inputs or outputs", name));
      return nullptr;
    }
    return found;
  }

  void give_results(const fb::TosaOperator& of, const std::vector<ValueId>& results, Scope& scope) {
    for (const auto [name, result] : std::views::zip(names_in(of.outputs()), results)) scope[name].value = result;
  }

  // A known condition selects the branch; a graph cannot represent any other.
  void branch(const fb::TosaOperator& of, Scope& scope, int depth) {
    const fb::CondIfAttribute* attribute = of.attribute_as_CondIfAttribute();
    const auto taken = condition(of, scope);
    if (!attribute || !taken || depth >= kMaxInlineDepth) {
      error(DiagnosticKind::Unsupported, of,
            "its condition is not constant; branches are not representable in TOSA.001000.1");
      return;
    }
    const auto arguments = inputs_of(of, 1, scope);
    if (!arguments) return;
    const fb::TosaBasicBlock* block = body(of, string_of(*taken ? attribute->then_graph() : attribute->else_graph()),
                                           arguments->size(), count_of(of.outputs()));
    const auto results = block ? this->block(*block, &*arguments, depth + 1) : std::nullopt;
    if (results) give_results(of, *results, scope);
  }

  // A loop whose condition is known in every iteration is unrolled.
  void loop(const fb::TosaOperator& of, Scope& scope, int depth) {
    const fb::WhileLoopAttribute* attribute = of.attribute_as_WhileLoopAttribute();
    auto values = inputs_of(of, 0, scope);
    if (!attribute && ok()) error(DiagnosticKind::MissingKey, of, "the attributes are missing");
    if (!attribute || !values) return;
    const std::size_t carried = values->size();
    const fb::TosaBasicBlock* test = body(of, string_of(attribute->cond_graph()), carried, 1);
    const fb::TosaBasicBlock* turn = body(of, string_of(attribute->body_graph()), carried, carried);
    if (!test || !turn) return;
    if (carried != count_of(of.outputs())) {
      error(DiagnosticKind::FileFormat, of, "it has another number of results than of inputs");
      return;
    }
    if (depth >= kMaxInlineDepth) {
      error(DiagnosticKind::Unsupported, of, formatted("loops are within loops more than {} deep", kMaxInlineDepth));
      return;
    }
    while (true) {
      const auto tested = block(*test, &*values, depth + 1);
      if (!tested) return;
      const auto again = known_.find(model_.graph, (*tested)[0]);
      if (!again) {
        error(DiagnosticKind::Unsupported, of,
              "how often it runs is known only when the model runs; loops are not representable in TOSA.001000.1");
        return;
      }
      if (*again == 0) break;
      values = block(*turn, &*values, depth + 1);
      if (!values) return;
    }
    give_results(of, *values, scope);
  }

  // --- shapes ---

  Symbol* shape_result(const fb::TosaOperator& of, Scope& scope) {
    Symbol* symbol = count_of(of.outputs()) == 1 ? &scope[string_of(of.outputs()->Get(0))] : nullptr;
    if (symbol && symbol->shape) return symbol;
    error(DiagnosticKind::FileFormat, of, "its result is not a shape");
    return nullptr;
  }

  void constant_shape(const fb::TosaOperator& of, Scope& scope) {
    Symbol* symbol = shape_result(of, scope);
    if (!symbol) return;
    auto values = values_of(*symbol->shape);
    if (values)
      symbol->values = std::move(*values);
    else
      error(DiagnosticKind::FileFormat, of, values.error());
  }

  void shape_operation(const fb::TosaOperator& of, Scope& scope) {
    std::vector<ShapeValues> operands;
    for (std::size_t i = 0; i < count_of(of.inputs()); ++i) {
      const auto values = shape_values(of, i, scope);
      if (!values) return;
      operands.push_back(*values);
    }
    auto folded = fold_shape_operator(title(of), operands);
    if (!folded) {
      error(DiagnosticKind::OutOfRange, of, folded.error());
      return;
    }
    if (of.op() == fb::Op::ASSERT_EQUAL_SHAPE) return;
    if (Symbol* symbol = shape_result(of, scope)) symbol->values = std::move(*folded);
  }

  void dimension(const fb::TosaOperator& of, Scope& scope) {
    const fb::DimAttribute* attribute = of.attribute_as_DimAttribute();
    const auto value = count_of(of.inputs()) == 1 ? value_of(of, 0, scope) : std::nullopt;
    Symbol* symbol = shape_result(of, scope);
    if (!attribute || !value || !symbol) {
      if (ok()) error(DiagnosticKind::MissingKey, of, "it takes one tensor and has an axis");
      return;
    }
    const tensor::Shape& shape = model_.graph[*value].type.shape;
    const std::int32_t axis = attribute->axis();
    if (axis < 0 || axis >= std::ssize(shape)) {
      error(DiagnosticKind::OutOfRange, of,
            formatted("the axis is {}, and the tensor has rank {}", axis, shape.size()));
    } else if (shape[static_cast<std::size_t>(axis)] < 0) {
      error(DiagnosticKind::Unsupported, of, "the dimension is known only when the model runs");
    } else {
      symbol->values = ShapeValues{shape[static_cast<std::size_t>(axis)]};
    }
  }

  Bytes bytes_;
  std::string name_;
  Diagnostics& diagnostics_;
  std::size_t before_;
  std::size_t inlined_ = 0;
  KnownElements known_;
  std::unordered_map<const fb::TosaTensor*, ValueId> constants_;
  const fb::TosaGraph* graph_ = nullptr;
  std::unordered_map<const fb::TosaOperator*, std::size_t> numbers_;
  Model model_;
};

}  // namespace

// The number before the identifier is a multiple of 4, which a comment (`/// TOSA`) does not begin with.
bool is_tosa(Bytes bytes) {
  return !slipway::text_of(bytes).starts_with("//") && bytes.size() >= kIdentifierAt + 4 &&
         slipway::text_of(bytes.subspan(kIdentifierAt, 4)) == "TOSA";
}

std::optional<Model> read_tosa(Bytes bytes, std::string name, Diagnostics& diagnostics) {
  return Reader(bytes, std::move(name), diagnostics).run();
}

}  // namespace slipway::tosa
