// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of TOSA 1.1 for the parser of an MLIR whose dialect lacks them. They take anything; the reader and the
// verifier check them.
#pragma once

#include <mlir/Dialect/Tosa/IR/TosaOps.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OpImplementation.h>

namespace slipway::tosa::draft {

struct Name {
  char text[40] = {};
  template <std::size_t kSize>
  constexpr Name(const char (&name)[kSize]) {  // NOLINT(google-explicit-constructor): a literal as a template argument
    for (std::size_t i = 0; i < kSize; ++i) text[i] = name[i];
  }
};

// The attributes of the generic form, `<{name = value}>`; those of the other form are discardable for MLIR.
struct Properties {
  mlir::DictionaryAttr all;
  bool operator==(const Properties&) const = default;
};

template <Name kName>
class Operation : public mlir::Op<Operation<kName>, mlir::OpTrait::ZeroRegions, mlir::OpTrait::VariadicResults,
                                  mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::VariadicOperands> {
 public:
  using mlir::Op<Operation<kName>, mlir::OpTrait::ZeroRegions, mlir::OpTrait::VariadicResults,
                 mlir::OpTrait::ZeroSuccessors, mlir::OpTrait::VariadicOperands>::Op;
  using Properties = draft::Properties;

  // MLIR calls these.
  // NOLINTBEGIN(readability-identifier-naming)
  static llvm::StringRef getOperationName() { return kName.text; }
  static llvm::ArrayRef<llvm::StringRef> getAttributeNames() { return {}; }

  static mlir::LogicalResult setPropertiesFromAttr(Properties& to, mlir::Attribute from,
                                                   llvm::function_ref<mlir::InFlightDiagnostic()> error) {
    to.all = mlir::dyn_cast<mlir::DictionaryAttr>(from);
    if (to.all) return mlir::success();
    return error() << "the properties are not a dictionary";
  }
  static mlir::Attribute getPropertiesAsAttr(mlir::MLIRContext*, const Properties& of) { return of.all; }
  static llvm::hash_code computePropertiesHash(const Properties& of) { return mlir::hash_value(of.all); }
  static std::optional<mlir::Attribute> getInherentAttr(mlir::MLIRContext*, const Properties& of,
                                                        llvm::StringRef name) {
    const mlir::Attribute found = of.all ? of.all.get(name) : mlir::Attribute();
    return found ? std::optional(found) : std::nullopt;
  }
  static void setInherentAttr(Properties&, llvm::StringRef, mlir::Attribute) {}
  static void populateInherentAttrs(mlir::MLIRContext*, const Properties& of, mlir::NamedAttrList& to) {
    if (of.all) to.append(of.all.begin(), of.all.end());
  }
  static mlir::LogicalResult verifyInherentAttrs(mlir::OperationName, mlir::NamedAttrList&,
                                                 llvm::function_ref<mlir::InFlightDiagnostic()>) {
    return mlir::success();
  }
  // NOLINTEND(readability-identifier-naming)

  // `%a, %b {acc_type = f32, nan_mode = IGNORE} : (tensor<...>, ...) -> tensor<...>`
  static mlir::ParseResult parse(mlir::OpAsmParser& parser, mlir::OperationState& state) {
    llvm::SmallVector<mlir::OpAsmParser::UnresolvedOperand> operands;
    const llvm::SMLoc begin = parser.getCurrentLocation();
    mlir::FunctionType type;
    if (parser.parseOperandList(operands) || attributes(parser, state.attributes) || parser.parseColonType(type) ||
        parser.resolveOperands(operands, type.getInputs(), begin, state.operands))
      return mlir::failure();
    state.addTypes(type.getResults());
    return mlir::success();
  }

 private:
  static mlir::ParseResult attributes(mlir::OpAsmParser& parser, mlir::NamedAttrList& to) {
    if (failed(parser.parseOptionalLBrace())) return mlir::success();
    const auto one = [&]() -> mlir::ParseResult {
      std::string name;
      llvm::StringRef word;
      mlir::Attribute value;
      if (parser.parseKeywordOrString(&name) || parser.parseEqual()) return mlir::failure();
      if (succeeded(parser.parseOptionalKeyword(&word, {"PROPAGATE", "IGNORE", "BLOCK_SIZE_32"})))
        value = parser.getBuilder().getStringAttr(word);
      else if (parser.parseAttribute(value))
        return mlir::failure();
      to.set(name, value);
      return mlir::success();
    };
    if (parser.parseCommaSeparatedList(one)) return mlir::failure();
    return parser.parseRBrace();
  }
};

template <Name... kNames>
void add_missing(mlir::MLIRContext& context) {
  mlir::Dialect& dialect = *context.getLoadedDialect<mlir::tosa::TosaDialect>();
  const auto add = [&]<Name kName>() {
    if (!mlir::RegisteredOperationName::lookup(kName.text, &context))
      mlir::RegisteredOperationName::insert<Operation<kName>>(dialect);
  };
  (add.template operator()<kNames>(), ...);
}

}  // namespace slipway::tosa::draft
