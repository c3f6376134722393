// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executorch/describe.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "json/record.hpp"

namespace slipway::executorch {
namespace {

using json::Integer, json::List, json::Nested, json::Record, json::Text;

// A value of a compile spec is text for most back ends. Others show their length.
std::optional<std::string> text_of_spec(const CompileSpec& spec) {
  const std::string_view text = text_of(spec.value);
  if (!std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) return std::nullopt;
  return std::string(text);
}

std::string value_text(const MethodValue& value) {
  return value.shape ? formatted("{} {}", value.type, tensor::shape_text(*value.shape)) : value.type;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe_method(const Method& method) {
  std::string text = formatted("method `{}`: {}\n", method.name,
                               method.only_delegate ? formatted("all of it is delegate {}", *method.only_delegate)
                                                    : counted(method.delegates.size(), "delegate"));
  for (std::size_t i = 0; i < method.inputs.size(); ++i)
    text += formatted("  input {}: {}\n", i, value_text(method.inputs[i]));
  for (std::size_t i = 0; i < method.outputs.size(); ++i)
    text += formatted("  output {}: {}\n", i, value_text(method.outputs[i]));
  for (std::size_t i = 0; i < method.delegates.size(); ++i) {
    const Delegate& delegate = method.delegates[i];
    text +=
        formatted("  delegate {} `{}`: {}, {} bytes at {:#x}{}{}\n", i, delegate.id, counted(delegate.calls, "call"),
                  delegate.payload.size(), delegate.offset, delegate.is_inline ? ", in the tables" : "",
                  format_of(delegate) == PayloadFormat::Other ? "" : formatted(", {}", name_of(format_of(delegate))));
    for (const CompileSpec& spec : delegate.compile_specs)
      text +=
          formatted("    `{}`: {}\n", spec.key, text_of_spec(spec).value_or(formatted("{} bytes", spec.value.size())));
  }
  for (const ProgramOperator& each : method.operators)
    text += formatted("  operator `{}`: {}\n", each.name, counted(each.calls, "call"));
  if (method.moves + method.branches != 0)
    text += formatted("  {}, {}\n", counted(method.moves, "move"),
                      formatted("{} {}", method.branches, method.branches == 1 ? "branch" : "branches"));
  return text;
}

const Record<MethodValue>& value_record() {
  static const auto record =
      Record<MethodValue>("method_value", "an input or output of a method")
          .required("type", &MethodValue::type, Text{}, "of its elements, or of a value that is not a tensor")
          .optional("shape", &MethodValue::shape, List{Integer{}}, "of a tensor");
  return record;
}

const Record<CompileSpec>& spec_record() {
  static const auto record =
      Record<CompileSpec>("compile_spec", "an option of the back end when it compiled")
          .required(
              "key", [](const CompileSpec& from) { return from.key; }, Text{}, "its name")
          .optional("text", text_of_spec, Text{}, "its value; absent: it is not text")
          .required("size", [](const CompileSpec& from) { return from.value.size(); }, Integer{}, "bytes of its value");
  return record;
}

const Record<Delegate>& delegate_record() {
  using D = Delegate;
  static const auto record =
      Record<D>("delegate", "a part of a method that a back end computes")
          .required(
              "id", [](const D& from) { return from.id; }, Text{}, "of the back end")
          .required("calls", &D::calls, Integer{}, "in the instructions of the method")
          .required(
              "format", [](const D& from) { return name_of(format_of(from)); }, json::OneOf{kPayloadFormats},
              "of the payload")
          .required("offset", &D::offset, Integer{}, "of the payload in the file")
          .required(
              "size", [](const D& from) { return from.payload.size(); }, Integer{}, "bytes of the payload")
          .required("inline", &D::is_inline, json::Boolean{}, "in the tables of the file, not in a segment")
          .required("compile_specs", &D::compile_specs, List{Nested(spec_record())}, "in order");
  return record;
}

const Record<ProgramOperator>& operator_record() {
  static const auto record =
      Record<ProgramOperator>("program_operator", "an operator that is not delegated")
          .required("name", &ProgramOperator::name, Text{}, "with its overload")
          .required("calls", &ProgramOperator::calls, Integer{}, "in the instructions of the method");
  return record;
}

const Record<Method>& method_record() {
  using M = Method;
  static const auto record = Record<M>("method", "a function of the program")
                                 .required(
                                     "name", [](const M& from) { return from.name; }, Text{}, "its name")
                                 .required("inputs", &M::inputs, List{Nested(value_record())}, "in order")
                                 .required("outputs", &M::outputs, List{Nested(value_record())}, "in order")
                                 .required("delegates", &M::delegates, List{Nested(delegate_record())}, "in order")
                                 .required("operators", &M::operators, List{Nested(operator_record())}, "in order")
                                 .required("moves", &M::moves, Integer{}, "instructions that move a value")
                                 .required("branches", &M::branches, Integer{}, "instructions that jump")
                                 .optional("only_delegate", &M::only_delegate, Integer{},
                                           "the delegate that computes the outputs from the inputs, alone");
  return record;
}

const Record<ProgramSegment>& segment_record() {
  static const auto record = Record<ProgramSegment>("segment", "data after the tables")
                                 .required("offset", &ProgramSegment::offset, Integer{}, "in the file")
                                 .required("size", &ProgramSegment::size, Integer{}, "bytes");
  return record;
}

const Record<Program>& program_record() {
  static const auto record =
      Record<Program>("executorch_program", "an ExecuTorch program, and what it delegates")
          .required(
              "format", [](const Program&) { return std::string_view("executorch"); }, Text{}, "of the file")
          .required("version", &Program::version, Integer{}, "of the program's schema")
          .required("program_size", &Program::program_size, Integer{}, "bytes of the tables")
          .required("methods", &Program::methods, List{Nested(method_record())}, "in order")
          .required("segments", &Program::segments, List{Nested(segment_record())}, "in order");
  return record;
}

}  // namespace

std::string describe(const Program& program) {
  std::string text = formatted("{}: ExecuTorch program, version {}, {}, {}\n", program.name, program.version,
                               counted(program.methods.size(), "method"), counted(program.segments.size(), "segment"));
  for (const Method& method : program.methods) text += describe_method(method);
  return text;
}

std::string program_json(const Program& program) { return json::object_text(program_record(), program); }
std::string program_schema() {
  return json::schema_text("what `slipway inspect --json` prints for an ExecuTorch program", "",
                           {&program_record().table()});
}

}  // namespace slipway::executorch
