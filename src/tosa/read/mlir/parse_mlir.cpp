// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Longer than most files: only this file includes MLIR, which takes long to compile.
#include "tosa/read/mlir/parse_mlir.hpp"

#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/Tosa/IR/TosaOps.h>
#include <mlir/IR/AsmState.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/Parser/Parser.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <new>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/format.hpp"
#include "tensor/element.hpp"
#include "tosa/check/operand_forms.hpp"
#include "tosa/read/inline_limits.hpp"
#include "tosa/read/known_elements.hpp"
#include "tosa/read/mlir/draft_operations.hpp"
#include "tosa/read/mlir/long_literals.hpp"
#include "tosa/read/mlir/mlir_reply.hpp"
#include "tosa/read/open_parameters.hpp"
#include "tosa/read/shape_operators.hpp"

namespace slipway::tosa {
namespace {

constexpr std::size_t kPage = 4096;  // MLIR requires an alignment of bytecode, at most this

std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

std::string text_of_type(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  type.print(out);
  return text;
}

// torch-mlir writes variables before the function, which TOSA does not use. The dialect is not in the libraries that
// are linked; of it, only their declaration is parsed.
class MlProgram : public mlir::Dialect {
 public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MlProgram)

  // MLIR calls this. NOLINTNEXTLINE(readability-identifier-naming)
  static constexpr llvm::StringLiteral getDialectNamespace() { return "ml_program"; }
  explicit MlProgram(mlir::MLIRContext* context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<MlProgram>()) {
    allowUnknownOperations();
  }

  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override {
    if (name != "ml_program.global") return std::nullopt;
    return ParseOpHook(parse_global);
  }

 private:
  // VISIBILITY [mutable] @NAME[(VALUE)] : TYPE [ATTRIBUTES]
  static mlir::ParseResult parse_global(mlir::OpAsmParser& parser, mlir::OperationState& state) {
    llvm::StringRef word;
    mlir::StringAttr name;
    mlir::Attribute value;
    mlir::Type type;
    if (parser.parseOptionalKeyword(&word, {"public", "private", "nested"})) return mlir::failure();
    static_cast<void>(parser.parseOptionalKeyword("mutable"));
    if (parser.parseSymbolName(name)) return mlir::failure();
    if (mlir::succeeded(parser.parseOptionalLParen()) &&
        (mlir::succeeded(parser.parseOptionalRParen()) || parser.parseAttribute(value) || parser.parseRParen()))
      return mlir::failure();
    return mlir::failure(parser.parseColonType(type) || parser.parseOptionalAttrDict(state.attributes));
  }
};

std::unique_ptr<mlir::MLIRContext> new_context() {
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<mlir::func::FuncDialect, mlir::tosa::TosaDialect, MlProgram>();
  draft::add_missing<"tosa.matmul_t", "tosa.row_gather", "tosa.avg_pool2d_adaptive", "tosa.max_pool2d_adaptive",
                     "tosa.conv2d_block_scaled">(*context);
  context->printOpOnDiagnostic(false);  // it may contain megabytes of weights
  return context;
}

// Of the zygote, which has read nothing: each of its workers has a copy. None in a process that is its own caller.
mlir::MLIRContext* prepared_context = nullptr;

struct Parsed {
  // A worker ends without destroying its context.
  std::unique_ptr<mlir::MLIRContext> own = prepared_context ? nullptr : new_context();
  mlir::MLIRContext& context = own ? *own : *prepared_context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

class Parser {
 public:
  explicit Parser(const MlirRequest& request) : request_(request) {
    shortened_.literals.reserve(request.literals.size());
    for (const std::uint64_t digits : request.literals) shortened_.literals.push_back({0, digits});
  }

  MlirReply run() {
    if (parse()) {
      const std::vector<mlir::func::FuncOp> functions = choose();
      for (mlir::func::FuncOp function : functions) this->function(function);
      reply_.functions = static_cast<std::uint32_t>(functions.size());
      if (reply_.problems.empty()) names(functions);
    }
    return std::move(reply_);
  }

 private:
  // --- locations ---

  MlirLine line_of(mlir::Location location) const {
    MlirLine found;
    location->walk([&](mlir::Location each) {
      if (auto line = mlir::dyn_cast<mlir::FileLineColLoc>(each)) {
        found = {view(line.getFilename().getValue()) == request_.name, line.getLine(), line.getColumn(),
                 std::string(view(line.getFilename().getValue()))};
        return mlir::WalkResult::interrupt();
      }
      return mlir::WalkResult::advance();
    });
    return found;
  }

  MlirProblem& error(DiagnosticKind kind, mlir::Location location, const std::string& text) {
    return reply_.problems.emplace_back(kind, text, line_of(location));
  }
  MlirProblem& error(DiagnosticKind kind, mlir::Operation& at, const std::string& text) {
    return error(kind, at.getLoc(), formatted("`{}`: {}", view(at.getName().getStringRef()), text));
  }
  void warning(DiagnosticKind kind, mlir::Operation& at, const std::string& text) {
    reply_.warnings.emplace_back(kind, formatted("`{}`: {}", view(at.getName().getStringRef()), text),
                                 line_of(at.getLoc()));
  }
  void error_in_file(DiagnosticKind kind, std::string text) { reply_.problems.emplace_back(kind, std::move(text)); }

  // --- the file ---

  static constexpr const char* kOlderDialect =
      "TOSA before 1.0 (MLIR 19 and older) has other operands and attributes here; such a file has to be exported "
      "again with a newer version of its converter";

  // Whether a message is what an operator of the dialect before TOSA 1.0 causes, which had fewer operands, or `value`
  // instead of `values`.
  static bool is_of_older_dialect(std::string_view message) {
    return message.starts_with("'tosa.") &&
           (message.contains("requires attribute 'values'") || message.contains("operands, but found") ||
            message.contains("requires attribute 'perms'") || message.contains("requires attribute 'rounding_mode'") ||
            message.contains("requires attribute 'acc_type'"));
  }

  bool parse() {
    mlir::MLIRContext& context = parsed_.context;
    const mlir::ScopedDiagnosticHandler handler(&context, [this](mlir::Diagnostic& problem) {
      if (problem.getSeverity() != mlir::DiagnosticSeverity::Error) return mlir::success();
      MlirProblem& made = error(DiagnosticKind::TextSyntax, problem.getLocation(), problem.str());
      for (mlir::Diagnostic& note : problem.getNotes())
        made.notes.emplace_back(note.str(), line_of(note.getLocation()));
      if (is_of_older_dialect(made.text)) made.notes.emplace_back(kOlderDialect, MlirLine());
      return mlir::success();
    });
    auto sources = std::make_shared<llvm::SourceMgr>();
    const std::string_view text = slipway::text_of(request_.contents);
    const llvm::StringRef data(text.data(), text.size());
    // MLIR parses text in place only if it ends with a NUL.
    sources->AddNewSourceBuffer(text.starts_with("ML\xEFR")
                                    ? llvm::MemoryBuffer::getMemBuffer(data, request_.name, false)
                                    : llvm::MemoryBuffer::getMemBufferCopy(data, request_.name),
                                llvm::SMLoc());
    parsed_.module = mlir::parseSourceFile<mlir::ModuleOp>(sources, mlir::ParserConfig(&context));
    if (!parsed_.module && reply_.problems.empty())
      error_in_file(DiagnosticKind::TextSyntax, "the file is not valid MLIR");
    return static_cast<bool>(parsed_.module) && reply_.problems.empty();
  }

  // The functions that are read: the entry that was asked for, otherwise all but private ones that others call.
  // Variables are skipped: their use is an error.
  std::vector<mlir::func::FuncOp> choose() {
    std::vector<mlir::func::FuncOp> functions;
    std::set<std::string_view> called;
    parsed_.module->walk([&](mlir::func::CallOp call) { called.insert(view(call.getCallee())); });
    for (mlir::Operation& each : parsed_.module->getBody()->getOperations()) {
      auto function = mlir::dyn_cast<mlir::func::FuncOp>(each);
      const bool is_called = function && called.contains(view(function.getName()));
      if (!function) {
        if (view(each.getName().getStringRef()) != "ml_program.global")
          error(DiagnosticKind::Unsupported, each, "only functions can be in a module");
      } else if (function.isDeclaration()) {
        if (is_called) error(DiagnosticKind::Unsupported, each, "the function has no body");
      } else if (!request_.entry.empty() || !is_called || !function.isPrivate()) {
        functions.push_back(function);
      }
    }
    if (!reply_.problems.empty()) return {};
    if (!request_.entry.empty()) {
      const auto chosen = std::ranges::find_if(
          functions, [&](mlir::func::FuncOp each) { return view(each.getName()) == request_.entry; });
      if (chosen != functions.end()) return {*chosen};
      error_in_file(DiagnosticKind::UnknownReference, formatted("the module has no function `{}`", request_.entry));
      return {};
    }
    if (functions.empty()) error_in_file(DiagnosticKind::FileFormat, "the module has no function");
    return functions;
  }

  // --- the function ---

  void function(mlir::func::FuncOp function) {
    if (function.getBody().getBlocks().size() != 1) {
      error(DiagnosticKind::Unsupported, *function, "the function has several blocks");
      return;
    }
    mlir::Block& block = function.getBody().front();
    for (mlir::BlockArgument argument : block.getArguments()) {
      const auto type = this->type(argument.getType(), argument.getLoc());
      values_[argument] = reply_.graph.add_input(type.value_or(TensorType{}));
    }
    constants(block);
    for (mlir::Operation& each : block.getOperations()) operation(each);
  }

  // `tf.entry_function = {inputs = "a,b", outputs = "c"}`. Empty without it, and where the count is another one.
  static std::vector<std::string> names(mlir::func::FuncOp function, llvm::StringRef key, std::size_t count) {
    std::vector<std::string> names;
    const auto entry = function->getAttrOfType<mlir::DictionaryAttr>("tf.entry_function");
    const auto text = entry ? entry.getAs<mlir::StringAttr>(key) : mlir::StringAttr();
    std::string_view rest = text ? view(text.getValue()) : std::string_view();
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      names.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    if (names.size() != count) names.clear();
    return names;
  }

  // Appends the names of a function. Where only other functions have names, those of this one are `PREFIX_0` and so on,
  // counted in the model.
  static void append(std::vector<std::string>& to, std::vector<std::string> names, std::size_t count,
                     std::string_view prefix) {
    for (std::size_t i = 0; i < count; ++i)
      to.push_back(names.empty() ? formatted("{}_{}", prefix, to.size()) : std::move(names[i]));
  }

  // Functions may have the same names; the model may not, and then has none.
  void names(const std::vector<mlir::func::FuncOp>& functions) {
    const auto collect = [&](llvm::StringRef key, std::string_view prefix, auto count, std::vector<std::string>& to) {
      bool any = false;
      for (mlir::func::FuncOp each : functions) {
        std::vector<std::string> own = names(each, key, count(each));
        any |= !own.empty();
        append(to, std::move(own), count(each), prefix);
      }
      const bool repeated = functions.size() > 1 && std::set<std::string>(to.begin(), to.end()).size() != to.size();
      if (!any || repeated) to.clear();
    };
    collect("inputs", "input", [](mlir::func::FuncOp each) { return each.getNumArguments(); }, reply_.input_names);
    collect("outputs", "output", [](mlir::func::FuncOp each) { return each.getNumResults(); }, reply_.output_names);
    for (std::size_t i = 0; i < reply_.input_names.size(); ++i)
      reply_.graph[reply_.graph.inputs[i]].name = reply_.input_names[i];
  }

  std::optional<DataType> element_type(mlir::Type type) const {
    if (mlir::isa<mlir::IndexType>(type)) return DataType::I32;
    if (const auto integer = mlir::dyn_cast<mlir::IntegerType>(type)) {
      switch (integer.getWidth()) {
        case 1:
          return DataType::Bool;
        case 4:
          return DataType::I4;
        case 8:
          return DataType::I8;
        case 16:
          return DataType::I16;
        case 32:
        case 64:
          return DataType::I32;
        case 48:
          return DataType::I48;
        default:
          return std::nullopt;
      }
    }
    if (type.isF16()) return DataType::F16;
    if (type.isBF16()) return DataType::BF16;
    if (type.isF32() || type.isF64()) return DataType::F32;
    if (mlir::isa<mlir::Float8E4M3FNType>(type)) return DataType::F8E4M3;
    if (mlir::isa<mlir::Float8E5M2Type>(type)) return DataType::F8E5M2;
    if (mlir::isa<mlir::Float4E2M1FNType>(type)) return DataType::F4E2M1;
    if (mlir::isa<mlir::Float6E2M3FNType>(type)) return DataType::F6E2M3;
    if (mlir::isa<mlir::Float6E3M2FNType>(type)) return DataType::F6E3M2;
    if (mlir::isa<mlir::Float8E8M0FNUType>(type)) return DataType::F8E8M0;
    if (mlir::isa<mlir::tosa::mxint8Type>(type)) return DataType::MXI8;
    return std::nullopt;
  }

  // `inferred`: of a result, whose shape the verifier can infer.
  std::optional<TensorType> type(mlir::Type of, mlir::Location location, bool inferred = false) {
    const auto unranked = mlir::dyn_cast<mlir::UnrankedTensorType>(of);
    if (unranked && inferred) {
      if (const auto element = element_type(unranked.getElementType())) return TensorType{*element, {kUnranked}};
    }
    const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(of);
    if (!tensor) {
      error(mlir::isa<mlir::UnrankedTensorType>(of) ? DiagnosticKind::Unsupported : DiagnosticKind::TypeMismatch,
            location, formatted("the type {} is not a tensor with a rank", text_of_type(of)));
      return std::nullopt;
    }
    const auto element = element_type(tensor.getElementType());
    if (!element) {
      error(DiagnosticKind::TypeMismatch, location,
            formatted("tensors cannot have elements as in {}", text_of_type(of)));
      return std::nullopt;
    }
    TensorType made{*element, {}};
    for (const std::int64_t extent : tensor.getShape())
      made.shape.push_back(mlir::ShapedType::isDynamic(extent) ? kDynamic : extent);
    return made;
  }

  // --- constants ---

  static const OperatorInfo* info_for(mlir::Operation& of) {
    const std::string name = upper_name(of);
    const auto op = op_from_name(name);
    return op && *op != Op::CUSTOM ? &info_of(*op) : nullptr;
  }
  static bool is_adaptive(mlir::Operation& of) {
    return upper_name(of).ends_with(kAdaptive) || upper_name(of) == "CONV2D_BLOCK_SCALED";
  }
  // `tosa.add_shape` is ADD_SHAPE; empty for other dialects.
  static std::string upper_name(mlir::Operation& of) {
    std::string_view name = view(of.getName().getStringRef());
    if (!name.starts_with("tosa.")) return {};
    std::string upper(name.substr(5));
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return upper;
  }

  // Tensors of `tosa.const`, and of `arith.constant`, which other dialects use.
  static bool is_constant(mlir::Operation& of) {
    return mlir::isa<mlir::tosa::ConstOp>(of) || (view(of.getName().getStringRef()) == "arith.constant" &&
                                                  mlir::isa<mlir::RankedTensorType>(of.getResult(0).getType()));
  }

  // In the order of their ids (docs/spec/converter.md#graph-constants): those at the start in text order, later ones
  // before them, the last first.
  void constants(mlir::Block& block) {
    std::unordered_set<void*> used;
    for (mlir::Operation& each : block.getOperations()) {
      const OperatorInfo* info = info_for(each);
      const bool adaptive = is_adaptive(each);
      unsigned k = 0;
      if (info) {
        for (const OperandInfo* operand : file_operands(*info, adaptive)) {
          if (!is_file_input(*operand, adaptive) || k == each.getNumOperands()) continue;
          if (operand->is_tensor()) used.insert(each.getOperand(k).getAsOpaquePointer());
          ++k;
        }
      }
      for (; k < each.getNumOperands(); ++k) used.insert(each.getOperand(k).getAsOpaquePointer());
    }
    std::vector<mlir::Operation*> leading, later;
    bool at_start = true;
    for (mlir::Operation& each : block.getOperations()) {
      const bool constant = is_constant(each);
      at_start &= constant || mlir::isa<mlir::tosa::ConstShapeOp>(each);
      if (constant && used.contains(each.getResult(0).getAsOpaquePointer()))
        (at_start ? leading : later).push_back(&each);
    }
    std::ranges::reverse(later);
    for (const auto* list : {&later, &leading}) {
      for (mlir::Operation* each : *list) add_constant(*each);
    }
  }

  struct Data {
    TensorType type;
    std::vector<std::byte> decoded;
    Bytes bytes;  // in the context or the file; empty: `decoded`
    bool splat = false;
    std::optional<MlirLiteral> literal;  // the data is this literal of the file, which is not part of the request
  };

  void add_constant(mlir::Operation& of) {
    auto data = data_of(of);
    if (!data) return;
    if (data->literal) {
      data->literal->constant = static_cast<std::uint32_t>(reply_.graph.constants.size());
      data->literal->line = line_of(of.getLoc());
      reply_.literals.push_back(std::move(*data->literal));
    }
    values_[of.getResult(0)] = data->bytes.empty()
                                   ? reply_.graph.add_constant(data->type, std::move(data->decoded), data->splat)
                                   : reply_.graph.add_constant(data->type, data->bytes, data->splat);
  }

  std::optional<Data> data_of(mlir::Operation& of) {
    const auto elements = of.getAttrOfType<mlir::ElementsAttr>(mlir::isa<mlir::tosa::ConstOp>(of) ? "values" : "value");
    const auto type = this->type(of.getResult(0).getType(), of.getLoc());
    if (!elements || !type) {
      if (type) error(DiagnosticKind::FileFormat, of, "the constant has no values");
      return std::nullopt;
    }
    if (!type->is_static()) {
      error(DiagnosticKind::Unsupported, of, "the constant has a dynamic shape");
      return std::nullopt;
    }
    Data data{*type, {}, {}, false, {}};
    const auto count = static_cast<std::size_t>(elements.getNumElements());
    if (const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
      mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob();
      if (const LongLiteral* literal = literal_of(view(resource.getRawHandle().getKey()), blob)) {
        const MlirElements from = elements_of(elements.getElementType());
        if (!check_size(of, from, count, literal->end / 2)) return std::nullopt;
        data.literal =
            MlirLiteral{.literal = static_cast<std::uint32_t>(literal - shortened_.literals.data()), .elements = from};
        return data;
      }
      if (!blob) {
        error(DiagnosticKind::FileFormat, of,
              formatted("the resource `{}` has no data", view(resource.getRawHandle().getKey())));
        return std::nullopt;
      }
      const auto raw = blob->getData();
      if (!decode(of, elements.getElementType(), count, std::as_bytes(std::span(raw.data(), raw.size())), data))
        return std::nullopt;
      return data;
    }
    const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(elements);
    if (!dense) {
      error(DiagnosticKind::Unsupported, of, "the values are neither dense nor a resource");
      return std::nullopt;
    }
    data.splat = dense.isSplat();
    const std::size_t stored = data.splat ? 1 : count;
    if (elements.getElementType().isInteger(1)) {
      for (const bool value : dense.getValues<bool>()) {
        if (data.decoded.size() < stored) data.decoded.push_back(static_cast<std::byte>(value));
      }
      return data;
    }
    const auto raw = dense.getRawData();
    if (!decode(of, elements.getElementType(), stored, std::as_bytes(std::span(raw.data(), raw.size())), data))
      return std::nullopt;
    return data;
  }

  const LongLiteral* literal_of(std::string_view key, mlir::AsmResourceBlob* blob) const {
    if (!blob) return shortened_.by_key(key);
    const auto data = blob->getData();
    return shortened_.by_data(std::as_bytes(std::span(data.data(), data.size())));
  }

  static MlirElements elements_of(mlir::Type element) {
    if (!element.isIntOrIndexOrFloat()) return {.width = 8};  // mxint8
    return {.width = mlir::isa<mlir::IndexType>(element) ? 64 : element.getIntOrFloatBitWidth(),
            .is_f64 = element.isF64()};
  }

  bool check_size(mlir::Operation& of, const MlirElements& from, std::size_t count, std::size_t size) {
    if (from.holds(count, size)) return true;
    error(DiagnosticKind::FileMismatch, of,
          formatted("the data has {} bytes; {} elements need {}", size, count, count * from.bytes()));
    return false;
  }

  // From the bytes that MLIR stores: whole bytes for each element, also for i4; a resource of i1 has bits.
  bool decode(mlir::Operation& of, mlir::Type element, std::size_t count, Bytes raw, Data& data) {
    const MlirElements from = elements_of(element);
    if (!check_size(of, from, count, raw.size())) return false;
    if (from.same_as(data.type.data)) {
      data.bytes = raw;
      return true;
    }
    auto converted = from.convert(raw, count, data.type.data);
    if (!converted) {
      error(DiagnosticKind::OutOfRange, of, converted.error());
      return false;
    }
    data.decoded = std::move(*converted);
    if (const std::string lost = from.lost(raw, count); !lost.empty()) warning(DiagnosticKind::OutOfRange, of, lost);
    return true;
  }

  // --- operators ---

  void operation(mlir::Operation& of) {
    if (is_constant(of)) return;
    if (mlir::isa<mlir::func::ReturnOp>(of)) return outputs(of);
    if (const OperatorInfo* info = info_for(of)) return tosa_operation(of, *info);
    const std::string name = upper_name(of);
    if (mlir::isa<mlir::tosa::IdentityOp>(of)) {
      if (const auto value = value_of(of, 0)) values_[of.getResult(0)] = *value;
    } else if (auto custom = mlir::dyn_cast<mlir::tosa::CustomOp>(of)) {
      this->custom(custom);
    } else if (mlir::isa<mlir::tosa::ConstShapeOp>(of)) {
      if (const auto values = of.getAttrOfType<mlir::DenseIntElementsAttr>("values")) {
        ShapeValues& to = shapes_[of.getResult(0)] = {};
        for (const llvm::APInt& value : values.getValues<llvm::APInt>()) to.push_back(value.getSExtValue());
      }
    } else if (auto dim = mlir::dyn_cast<mlir::tosa::DimOp>(of)) {
      dimension(of, static_cast<std::int64_t>(dim.getAxis()));
    } else if (is_shape_operator(name)) {
      shape_operation(of, name);
    } else if (auto branch = mlir::dyn_cast<mlir::tosa::IfOp>(of)) {
      this->branch(branch);
    } else if (auto loop = mlir::dyn_cast<mlir::tosa::WhileOp>(of)) {
      this->loop(loop);
    } else if (auto call = mlir::dyn_cast<mlir::func::CallOp>(of)) {
      this->call(call);
    } else if (!name.empty()) {
      error(DiagnosticKind::Unsupported, of, "the operator is not representable in TOSA.001000.1");
    } else {
      other_dialect(of);
    }
  }

  // --- operators of other dialects that are equal to one of TOSA ---

  void other_dialect(mlir::Operation& of) {
    const std::string_view name = view(of.getName().getStringRef());
    if (name == "arith.constant") return;  // of a number, which only operators that are refused take
    if (name == "tensor.expand_shape" || name == "tensor.collapse_shape" || name == "tensor.cast") return reshape(of);
    if (name == "tensor.extract_slice") return extract_slice(of);
    if (name == "tensor.concat") {
      const auto axis = of.getAttrOfType<mlir::IntegerAttr>("dim");
      auto parts = values_from(of, 0);
      Attributes attributes;
      attributes.set("axis", axis ? axis.getInt() : 0);
      if (parts) add(of, Op::CONCAT, std::move(*parts), std::move(attributes), nullptr);
      return;
    }
    error(DiagnosticKind::Unsupported, of,
          "only operators of TOSA can be in a model, and of other dialects arith.constant, func.call, tensor.cast, "
          "tensor.collapse_shape, tensor.concat, tensor.expand_shape and tensor.extract_slice");
  }

  // A cast that only changes what is known of the shape is not an operator.
  void reshape(mlir::Operation& of) {
    const auto value = value_of(of, 0);
    const auto to = this->type(of.getResult(0).getType(), of.getLoc());
    if (!value || !to) return;
    const bool is_cast = view(of.getName().getStringRef()) == "tensor.cast";
    if (is_cast && (!to->is_static() || reply_.graph[*value].type == *to)) {
      values_[of.getResult(0)] = *value;
    } else if (!to->is_static()) {
      error(DiagnosticKind::Unsupported, of, "the shape of its result is known only when the model runs");
    } else {
      Attributes attributes;
      attributes.set("shape", std::vector<std::int64_t>(to->shape.begin(), to->shape.end()));
      add(of, Op::RESHAPE, {*value}, std::move(attributes), nullptr);
    }
  }

  void extract_slice(mlir::Operation& of) {
    const auto list = [&](const char* name) {
      const auto given = of.getAttrOfType<mlir::DenseI64ArrayAttr>(name);
      return given ? std::vector<std::int64_t>(given.asArrayRef().begin(), given.asArrayRef().end())
                   : std::vector<std::int64_t>();
    };
    const auto value = value_of(of, 0);
    const auto to = this->type(of.getResult(0).getType(), of.getLoc());
    if (!value || !to) return;
    const std::vector<std::int64_t> start = list("static_offsets"), size = list("static_sizes"),
                                    strides = list("static_strides");
    const auto is_known = [](std::int64_t extent) { return !mlir::ShapedType::isDynamic(extent); };
    if (of.getNumOperands() != 1 || !std::ranges::all_of(start, is_known) || !std::ranges::all_of(size, is_known) ||
        !std::ranges::all_of(strides, [](std::int64_t stride) { return stride == 1; })) {
      error(DiagnosticKind::Unsupported, of, "its offsets and sizes must be constant, and its strides 1");
      return;
    }
    Attributes attributes;
    attributes.set("start", start);
    attributes.set("size", size);
    const TensorType slice{to->data, tensor::Shape(size.begin(), size.end())};
    ValueId made = reply_.graph.add(Op::SLICE, {*value}, std::move(attributes), slice);
    if (slice != *to) {
      Attributes shape;
      shape.set("shape", std::vector<std::int64_t>(to->shape.begin(), to->shape.end()));
      made = reply_.graph.add(Op::RESHAPE, {made}, std::move(shape), *to);
    }
    reply_.lines.resize(reply_.graph.nodes.size(), line_of(of.getLoc()));
    values_[of.getResult(0)] = made;
  }

  // The operators of the function are added at each call.
  void call(mlir::func::CallOp of) {
    auto function = parsed_.module->lookupSymbol<mlir::func::FuncOp>(of.getCallee());
    const auto arguments = values_from(*of, 0);
    const auto results = function && arguments ? region(*of, function.getBody(), *arguments) : std::optional<Values>();
    if (results) give_results(*of, *results);
  }

  std::optional<ValueId> value_of(mlir::Operation& of, unsigned operand) {
    if (const auto known = values_.find(of.getOperand(operand)); known != values_.end()) return known->second;
    // Outer constants that only a region uses.
    if (mlir::Operation* producer = of.getOperand(operand).getDefiningOp();
        reply_.problems.empty() && producer && is_constant(*producer)) {
      add_constant(*producer);
      const auto made = values_.find(of.getOperand(operand));
      return made == values_.end() ? std::nullopt : std::optional(made->second);
    }
    // After an earlier error, the operand may be missing; that is not reported again.
    if (reply_.problems.empty())
      error(DiagnosticKind::TypeMismatch, of, formatted("operand {} is not a tensor", operand));
    return std::nullopt;
  }

  void tosa_operation(mlir::Operation& of, const OperatorInfo& info) {
    std::vector<ValueId> inputs;
    Attributes attributes;
    unsigned next = 0;
    bool sound = true;
    const bool adaptive = is_adaptive(of);
    std::vector<OpenParameter> open;
    for (const OperandInfo* each : file_operands(info, adaptive)) {
      const OperandInfo& operand = *each;
      if (!is_file_input(operand, adaptive)) {
        sound &= attribute(of, info, operand, attributes);
        continue;
      }
      if (next >= of.getNumOperands()) {
        error(DiagnosticKind::FileFormat, of, formatted("`{}` is missing", operand.name));
        return;
      }
      if (operand.kind == OperandKind::List) {
        sound &= shape(of, next++, operand, attributes);
      } else if (!operand.is_tensor()) {
        sound &= one_element(of, next++, operand, attributes, open);
      } else {
        do {
          const auto value = value_of(of, next++);
          if (value) inputs.push_back(*value);
          sound &= value.has_value();
        } while (operand.variadic && next < of.getNumOperands());
      }
    }
    if (!sound) return;
    const OpenOperator whole{.op = info.op, .inputs = inputs, .attributes = attributes, .result = {}, .open = open};
    if (is_open(reply_.graph, whole)) return close(of, whole);
    add(of, info.op, std::move(inputs), std::move(attributes), nullptr);
  }

  // An operator with operands that are not constant, as TOSA requires: a warning of conversions and runs.
  void close(mlir::Operation& of, OpenOperator whole) {
    const auto type = this->type(of.getResult(0).getType(), of.getLoc());
    if (!type) return;
    whole.result = *type;
    auto closed = close_operator(reply_.graph, whole);
    if (!closed) {
      error(DiagnosticKind::TypeMismatch, of, closed.error());
      return;
    }
    reply_.lines.resize(reply_.graph.nodes.size(), line_of(of.getLoc()));
    for (const std::string& warning : closed->warnings) this->warning(DiagnosticKind::TypeMismatch, of, warning);
    values_[of.getResult(0)] = closed->result;
  }

  void add(mlir::Operation& of, Op op, std::vector<ValueId> inputs, Attributes attributes,
           std::shared_ptr<const CustomOperator> custom) {
    std::vector<TensorType> types;
    for (mlir::Value result : of.getResults()) {
      const auto type = this->type(result.getType(), of.getLoc(), op != Op::CUSTOM);
      if (!type) return;
      types.push_back(*type);
    }
    const std::vector<ValueId> results =
        reply_.graph.add_node(op, std::move(inputs), std::move(attributes), std::move(types));
    Node& node = reply_.graph.nodes.back();
    reply_.lines.push_back(line_of(of.getLoc()));
    node.custom = std::move(custom);
    known_.see(reply_.graph, node);
    of.getLoc()->walk([&](mlir::Location each) {
      const auto name = mlir::dyn_cast<mlir::NameLoc>(each);
      if (name && node.name.empty()) node.name = view(name.getName().getValue());
      return mlir::WalkResult::advance();
    });
    for (unsigned i = 0; i < results.size(); ++i) values_[of.getResult(i)] = results[i];
  }

  bool attribute(mlir::Operation& of, const OperatorInfo& info, const OperandInfo& operand, Attributes& to) {
    const mlir::Attribute given = of.getAttr(llvm::StringRef(operand.name.data(), operand.name.size()));
    const auto wrong = [&](const char* what) {
      error(DiagnosticKind::TypeMismatch, of, formatted("the attribute `{}` {}", operand.name, what));
      return false;
    };
    if (!given) {
      // Attributes that MLIR omits have their default.
      if (operand.optional) return true;
      if (operand.kind == OperandKind::NanMode) return to.set(operand.name, std::int64_t{1}), true;
      if (operand.kind == OperandKind::Flag) return to.set(operand.name, std::int64_t{0}), true;
      error(DiagnosticKind::MissingKey, of, formatted("the attribute `{}` is missing", operand.name));
      return false;
    }
    if (const auto list = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(given)) {
      to.set(operand.name, std::vector<std::int64_t>(list.asArrayRef().begin(), list.asArrayRef().end()));
    } else if (const auto narrow = mlir::dyn_cast<mlir::DenseI32ArrayAttr>(given)) {
      to.set(operand.name, std::vector<std::int64_t>(narrow.asArrayRef().begin(), narrow.asArrayRef().end()));
    } else if (const auto type = mlir::dyn_cast<mlir::TypeAttr>(given)) {
      const auto accumulator = element_type(type.getValue());
      for (const EnumerantName& each : enumerants(OperandKind::AccType)) {
        if (accumulator == data_type_of(static_cast<AccType>(each.value)))
          to.set(operand.name, std::int64_t{each.value});
      }
      if (!to.has(operand.name)) return wrong("is not an accumulator type");
    } else if (const auto integer = mlir::dyn_cast<mlir::IntegerAttr>(given)) {
      to.set(operand.name, integer.getValue().getBitWidth() == 1 ? std::int64_t{integer.getValue().getBoolValue()}
                                                                 : integer.getValue().getSExtValue());
    } else if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(given)) {
      to.set_real(operand.name, real.getValueAsDouble());
    } else {
      return enumerant(given, operand, to) || wrong("has an unknown value");
    }
    static_cast<void>(info);
    return true;
  }

  static bool enumerant(mlir::Attribute given, const OperandInfo& operand, Attributes& to) {
    std::string_view word;
    if (const auto nan = mlir::dyn_cast<mlir::tosa::NanPropagationModeAttr>(given))
      word = view(mlir::tosa::stringifyNanPropagationMode(nan.getValue()));
    if (const auto rounding = mlir::dyn_cast<mlir::tosa::RoundingModeAttr>(given))
      word = view(mlir::tosa::stringifyRoundingMode(rounding.getValue()));
    if (const auto resize = mlir::dyn_cast<mlir::tosa::ResizeModeAttr>(given))
      word = view(mlir::tosa::stringifyResizeMode(resize.getValue()));
    if (const auto block = mlir::dyn_cast<mlir::tosa::BlockSizeAttr>(given))
      word = view(mlir::tosa::stringifyBlockSize(block.getValue()));
    if (const auto text = mlir::dyn_cast<mlir::StringAttr>(given)) word = view(text.getValue());
    for (const EnumerantName& each : enumerants(operand.kind)) {
      if (each.name == word) return to.set(operand.name, std::int64_t{each.value}), true;
    }
    return false;
  }

  // A constant tensor of one element, as an attribute; otherwise as an open parameter.
  bool one_element(mlir::Operation& of, unsigned operand_index, const OperandInfo& operand, Attributes& to,
                   std::vector<OpenParameter>& open) {
    mlir::Operation* producer = of.getOperand(operand_index).getDefiningOp();
    if (!producer || !is_constant(*producer)) {
      const auto value = value_of(of, operand_index);
      if (!value) return false;
      const auto known = known_.find(reply_.graph, *value);
      if (!known) open.push_back({operand.name, *value});
      to.set(operand.name, known.value_or(0));
      return true;
    }
    const auto data = data_of(*producer);
    if (!data) return false;
    if (tensor::element_count(data->type.shape) != 1 || data->literal) {
      error(DiagnosticKind::ShapeMismatch, of, formatted("`{}` has not one element", operand.name));
      return false;
    }
    const Bytes bytes = data->bytes.empty() ? Bytes(data->decoded) : data->bytes;
    const tensor::Number number = tensor::number_of(storage_of(data->type.data), bytes.data());
    if (is_float(data->type.data))
      to.set_real(operand.name, tensor::double_of(number));
    else
      to.set(operand.name, std::visit([](auto x) { return static_cast<std::int64_t>(x); }, number));
    return true;
  }

  void custom(mlir::tosa::CustomOp of) {
    std::vector<ValueId> inputs;
    for (unsigned i = 0; i < of->getNumOperands(); ++i) {
      const auto value = value_of(*of, i);
      if (!value) return;
      inputs.push_back(*value);
    }
    add(*of, Op::CUSTOM, std::move(inputs), {},
        std::make_shared<CustomOperator>(of.getDomainName().str(), of.getOperatorName().str(),
                                         of.getImplementationAttrs().str()));
  }

  void outputs(mlir::Operation& of) {
    for (unsigned i = 0; i < of.getNumOperands(); ++i) {
      const auto value = value_of(of, i);
      if (value) reply_.graph.outputs.push_back(*value);
    }
  }

  // --- branches and loops ---

  using Values = std::vector<ValueId>;

  std::optional<Values> values_from(mlir::Operation& of, unsigned first) {
    Values values;
    for (unsigned i = first; i < of.getNumOperands(); ++i) {
      const auto value = value_of(of, i);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    return values;
  }

  // Adds the operations of a region again, and returns the values that it yields.
  std::optional<Values> region(mlir::Operation& of, mlir::Region& region, const Values& arguments) {
    if (!region.hasOneBlock() || (region.getNumArguments() != 0 && region.getNumArguments() != arguments.size())) {
      error(DiagnosticKind::Unsupported, of, "a region has several blocks or another number of arguments");
      return std::nullopt;
    }
    mlir::Block& block = region.front();
    inlined_ += 1 + block.getOperations().size();
    if (inlined_ > kMaxInlined || depth_ >= kMaxInlineDepth) {
      error(DiagnosticKind::OutOfRange, of,
            formatted("branches and loops expand to more than {} operations, or lie deeper than {} in each other",
                      kMaxInlined, kMaxInlineDepth));
      return std::nullopt;
    }
    for (unsigned i = 0; i < region.getNumArguments(); ++i) values_[region.getArgument(i)] = arguments[i];
    std::optional<Values> yielded;
    ++depth_;
    for (mlir::Operation& each : block.getOperations()) {
      if (mlir::isa<mlir::tosa::YieldOp, mlir::func::ReturnOp>(each))
        yielded = values_from(each, 0);
      else
        operation(each);
      if (!reply_.problems.empty()) break;
    }
    --depth_;
    return reply_.problems.empty() ? yielded : std::nullopt;
  }

  void give_results(mlir::Operation& of, const Values& results) {
    if (results.size() != of.getNumResults()) {
      error(DiagnosticKind::FileFormat, of, "its region yields another number of values");
      return;
    }
    for (unsigned i = 0; i < of.getNumResults(); ++i) values_[of.getResult(i)] = results[i];
  }

  // A known condition selects the branch; a graph cannot represent any other.
  void branch(mlir::tosa::IfOp of) {
    const auto condition = value_of(*of, 0);
    const auto taken = condition ? known_.find(reply_.graph, *condition) : std::nullopt;
    if (!taken) {
      if (condition)
        error(DiagnosticKind::Unsupported, *of,
              "its condition is not constant; branches are not representable in TOSA.001000.1");
      return;
    }
    const auto arguments = values_from(*of, 1);
    const auto results =
        arguments ? region(*of, *taken ? of.getThenGraph() : of.getElseGraph(), *arguments) : std::nullopt;
    if (results) give_results(*of, *results);
  }

  // A loop whose condition is known in every iteration is unrolled.
  void loop(mlir::tosa::WhileOp of) {
    auto values = values_from(*of, 0);
    while (values) {
      const auto tested = region(*of, of.getCondGraph(), *values);
      if (!tested) return;
      const auto again = tested->size() == 1 ? known_.find(reply_.graph, (*tested)[0]) : std::nullopt;
      if (!again) {
        error(DiagnosticKind::Unsupported, *of,
              "how often it runs is known only when the model runs; loops are not representable in TOSA.001000.1");
        return;
      }
      if (*again == 0) return give_results(*of, *values);
      values = region(*of, of.getBodyGraph(), *values);
    }
  }

  // --- shapes ---

  std::optional<ShapeValues> shape_values(mlir::Operation& of, unsigned operand) {
    const auto known = shapes_.find(of.getOperand(operand));
    if (known != shapes_.end()) return known->second;
    if (reply_.problems.empty())
      error(DiagnosticKind::Unsupported, of,
            formatted("operand {} is a shape that is known only when the model runs", operand));
    return std::nullopt;
  }

  bool shape(mlir::Operation& of, unsigned operand_index, const OperandInfo& operand, Attributes& to) {
    const auto values = shape_values(of, operand_index);
    if (values) to.set(operand.name, *values);
    return values.has_value();
  }

  void shape_operation(mlir::Operation& of, const std::string& name) {
    std::vector<ShapeValues> operands;
    for (unsigned i = 0; i < of.getNumOperands(); ++i) {
      const auto values = shape_values(of, i);
      if (!values) return;
      operands.push_back(*values);
    }
    auto folded = fold_shape_operator(name, operands);
    if (!folded)
      error(DiagnosticKind::OutOfRange, of, folded.error());
    else if (of.getNumResults() == 1)
      shapes_[of.getResult(0)] = std::move(*folded);
  }

  void dimension(mlir::Operation& of, std::int64_t axis) {
    const auto value = value_of(of, 0);
    if (!value) return;
    const tensor::Shape& shape = reply_.graph[*value].type.shape;
    if (axis < 0 || axis >= std::ssize(shape) || shape[static_cast<std::size_t>(axis)] < 0) {
      error(DiagnosticKind::Unsupported, of, "the dimension is known only when the model runs");
      return;
    }
    shapes_[of.getResult(0)] = {shape[static_cast<std::size_t>(axis)]};
  }

  struct ValueHash {
    std::size_t operator()(mlir::Value value) const { return std::hash<void*>()(value.getAsOpaquePointer()); }
  };

  const MlirRequest& request_;
  MlirReply reply_;
  ShortenedText shortened_;  // only the lengths of its literals
  Parsed parsed_;
  std::unordered_map<mlir::Value, ValueId, ValueHash> values_;
  std::unordered_map<mlir::Value, ShapeValues, ValueHash> shapes_;
  KnownElements known_;
  std::size_t inlined_ = 0;
  int depth_ = 0;
};

// The request of a process without a sandbox need not begin at a page boundary.
struct FreeAligned {
  void operator()(std::byte* bytes) const { std::free(bytes); }
};

std::vector<std::byte> run_mlir(Bytes bytes, const sandbox::Ask&) {
  MlirRequest request = read_mlir_request(bytes);
  std::unique_ptr<std::byte, FreeAligned> copy;
  if (reinterpret_cast<std::uintptr_t>(request.contents.data()) % kPage != 0 && !request.contents.empty()) {
    copy.reset(
        static_cast<std::byte*>(std::aligned_alloc(kPage, (request.contents.size() + kPage - 1) / kPage * kPage)));
    std::memcpy(copy.get(), request.contents.data(), request.contents.size());
    request.contents = {copy.get(), request.contents.size()};
  }
  Parser parser(request);
  return write_mlir_reply(parser.run(), request.contents);
}

void prepare_mlir(std::uint32_t) {
  if (!prepared_context) prepared_context = new_context().release();
}

}  // namespace

const sandbox::Service kMlirService = {"mlir", "MLIR", run_mlir, prepare_mlir};

}  // namespace slipway::tosa
