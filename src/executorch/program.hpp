// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ExecuTorch program (`.pte`) as a value: which parts of a PyTorch model it delegates, and to what
// (docs/spec/import.md#executorch-programs).
//
//   if (const std::optional<Program> program = read_program(bytes, "net.pte", diagnostics))
//     for (const Method& method : program->methods)
//       for (const Delegate& delegate : method.delegates) ... delegate.id, delegate.payload ...
//
// Text and payloads are views of the file's bytes, which must outlive the value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "tensor/shape.hpp"

namespace slipway::executorch {

struct MethodValue {
  std::string type;                    // `float32`, of a tensor that of its elements; `int list`
  std::optional<tensor::Shape> shape;  // of a tensor
};

struct CompileSpec {
  std::string_view key;
  Bytes value;
};

enum class PayloadFormat : std::uint8_t { Vgf, Tosa, Other };
inline constexpr std::string_view kPayloadFormats[] = {"vgf", "tosa", "other"};  // in the order of PayloadFormat
std::string_view name_of(PayloadFormat format);                                  // `vgf`

struct Delegate {
  std::string_view id;  // of the back end
  std::vector<CompileSpec> compile_specs;
  Bytes payload;
  std::uint64_t offset = 0;  // of the payload in the file
  bool is_inline = false;    // in the tables, not in a segment
  std::uint64_t calls = 0;   // in the instructions of the method
};

struct ProgramOperator {
  std::string name;  // `aten::add.out`
  std::uint64_t calls = 0;
};

struct Method {
  std::string_view name;
  std::vector<MethodValue> inputs, outputs;
  std::vector<Delegate> delegates;
  std::vector<ProgramOperator> operators;  // that are not delegated
  std::uint64_t moves = 0, branches = 0;   // instructions
  // The delegate that computes the outputs from the inputs, alone.
  std::optional<std::size_t> only_delegate;
};

struct ProgramSegment {
  std::uint64_t offset = 0, size = 0;  // in the file
};

struct Program {
  std::string name;  // as messages show it
  std::uint32_t version = 0;
  std::uint64_t program_size = 0;  // of the tables
  std::vector<Method> methods;
  std::vector<ProgramSegment> segments;
};

// Whether the bytes have the identifier of an ExecuTorch program, of any version of the format.
bool is_program(Bytes bytes);

// Nothing in the file is trusted. Collects all errors: file-format, file-truncated, unknown-reference, unsupported.
std::optional<Program> read_program(Bytes bytes, const std::string& name, Diagnostics& diagnostics);

PayloadFormat format_of(const Delegate& delegate);

// A model in a program.
struct ProgramModel {
  Bytes bytes;
  std::string name;  // in messages: `net.pte[forward:0]`
};

std::vector<ProgramModel> models_of(const Program& program);

// The model that is the program, or that `which` names: a method (`forward`), or one of its delegates
// (`forward:0`), which leaves out what else the method computes. Errors: those of reading; unknown-reference; usage if
// there are several; unsupported without a model, and if it is not all that the method computes.
std::optional<ProgramModel> find_model(Bytes bytes, const std::string& name, const std::string& which,
                                       Diagnostics& diagnostics);

}  // namespace slipway::executorch
