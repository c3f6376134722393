// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

using json::Anything, json::List, json::Nested, json::Record, json::Text, json::Value, json::Word, json::Words;

constexpr Word<BufferType> kBufferTypes[] = {
    {"input", BufferType::Input},       {"output", BufferType::Output}, {"inout", BufferType::InOut},
    {"internal", BufferType::Internal}, {"weight", BufferType::Weight}, {"spill", BufferType::Spill},
    {"unknown", BufferType::Unknown},   {"debug", BufferType::Debug},
};

constexpr Word<Where> kWheres[] = {{"npu", Where::Npu}, {"cpu", Where::Cpu}};

// Every other name is taken as npu, as the shipped runner does.
struct WhereCodec {
  bool read(json::Decoder& decoder, Value value, Where& to) const {
    if (!value.is(json::Type::String)) return decoder.wrong_type(value, "a string");
    const auto found = std::ranges::find(kWheres, value.string(), &Word<Where>::word);
    to = found == std::end(kWheres) ? Where::Npu : found->value;
    if (found != std::end(kWheres)) return true;
    Diagnostic problem = json::problem(value, DiagnosticKind::UnknownValue,
                                       formatted("`where` is npu or cpu; {} is taken as npu", value.text()));
    decoder.add(std::move(problem.as_rule()));
    return true;
  }
  void schema(json::Schema& schema) const { json::word_schema(schema, kWheres); }
};

constexpr Word<bool> kUnmapped[] = {{"error", false}, {"ignore", true}};

constexpr std::string_view kAccesses[] = {"read", "write", "read_write"};

constexpr Word<ConstantType> kConstantTypes[] = {
    {"int", ConstantType::Int},       {"int32", ConstantType::Int32},   {"uint32", ConstantType::Uint32},
    {"int64", ConstantType::Int64},   {"uint64", ConstantType::Uint64}, {"float", ConstantType::Float},
    {"double", ConstantType::Double}, {"string", ConstantType::String},
};

// One of `words`, stored as text.
struct OneOf {
  std::span<const std::string_view> words;
  bool read(json::Decoder& decoder, Value value, std::string& to) const {
    std::size_t index = 0;
    if (!json::read_word(decoder, value, words, "", index)) return false;
    to = words[index];
    return true;
  }
  void schema(json::Schema& schema) const { json::word_schema(schema, words); }
};

// An object whose members are decoded later, when their meaning is known.
struct FreeObject {
  std::string_view schema_text = R"({"type": "object"})";
  bool read(json::Decoder& decoder, Value value, Value& to) const {
    if (!value.is(json::Type::Object)) return decoder.wrong_type(value, "an object");
    decoder.check_duplicates(value, formatted("`{}`", value.key()));
    to = value;
    return true;
  }
  void schema(json::Schema& schema) const { schema.out().raw(schema_text); }
};

constexpr std::string_view kQosSchema =
    R"({"type": "object", "additionalProperties": {"type": ["integer", "string"], "minimum": 0, "maximum": 4294967295}})";

struct QosObject {
  bool read(json::Decoder& decoder, Value value, Value& to) const {
    if (!FreeObject().read(decoder, value, to)) return false;
    bool ok = true;
    for (const Value member : value) {
      std::uint32_t number = 0;
      if (member.is(json::Type::Number))
        ok &= Whole().read(decoder, member, number);
      else if (!member.is(json::Type::String))
        ok = decoder.wrong_type(member, "an integer or a string");
    }
    return ok;
  }
  void schema(json::Schema& schema) const { schema.out().raw(kQosSchema); }
};

// `value` of a constant: a scalar, or for kernels an array of scalars. The target of the constant decides what is
// valid.
struct ConstantValueCodec {
  bool read(json::Decoder& decoder, Value value, Value& to) const {
    if (value.is(json::Type::Null) || value.is(json::Type::Object))
      return decoder.wrong_type(value, "a number, a string or an array");
    to = value;
    return true;
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({"type": ["number", "string", "boolean", "array"]})"); }
};

bool has_one_of(json::Decoder& decoder, Value object, std::string_view subject, std::string_view a,
                std::string_view b) {
  if (object[a] || object[b]) return true;
  Diagnostic diagnostic =
      json::problem(object, DiagnosticKind::MissingKey, formatted("missing key `{}` or `{}` in {}", a, b, subject));
  diagnostic.location = object.opening();
  decoder.add(std::move(diagnostic));
  return false;
}

}  // namespace

std::string_view name_of(BufferType type) {
  return std::ranges::find(kBufferTypes, type, &Word<BufferType>::value)->word;
}

std::string_view name_of(ConstantType type) {
  return std::ranges::find(kConstantTypes, type, &Word<ConstantType>::value)->word;
}

bool ConstantTypeCodec::read(json::Decoder& decoder, Value value, ConstantType& to) const {
  if (!value.is(json::Type::String)) return decoder.wrong_type(value, "a string");
  const auto found = std::ranges::find(kConstantTypes, value.string(), &Word<ConstantType>::word);
  if (found != std::end(kConstantTypes)) {
    to = found->value;
    return true;
  }
  Diagnostic problem = json::problem(value, DiagnosticKind::UnknownValue,
                                     formatted("Unknown constant argument type '{}'", value.string()));
  if (const auto near = closest(value.string(), kConstantTypes | std::views::transform(&Word<ConstantType>::word)))
    problem.suggest(json::inside_quotes(value.location()), *near);
  else
    problem.hint("it is one of int, int32, uint32, int64, uint64, float, double, string");
  decoder.add(std::move(problem));
  return false;
}

void ConstantTypeCodec::schema(json::Schema& schema) const { json::word_schema(schema, kConstantTypes); }

const Record<Context>& header_record() {
  static const auto record =
      Record<Context>("header", "the configuration that kernels without `hwctx` run in", &Context::at)
          .optional("xclbin", &Context::xclbin, json::kNotEmpty, "an xclbin with the design of the NPU")
          .optional("program", &Context::program, json::kNotEmpty, "a configuration ELF with the design")
          .optional("programs", &Context::programs, List{json::kNotEmpty, 1},
                    "several configuration ELF files, after `program`")
          .optional("module", &Context::module, json::kNotEmpty, "the default module of embedded kernels");
  return record;
}

const Record<Context>& context_record() {
  static const auto record =
      Record<Context>("hardware context", "a configuration that kernels run in", &Context::at)
          .required("name", &Context::name, json::kNotEmpty, "its name in kernels and debug buffers")
          .optional("xclbin", &Context::xclbin, json::kNotEmpty, "an xclbin with the design of the NPU")
          .optional("program", &Context::program, json::kNotEmpty, "a configuration ELF with the design")
          .optional("programs", &Context::programs, List{json::kNotEmpty, 1},
                    "several configuration ELF files, after `program`")
          .optional("module", &Context::module, json::kNotEmpty,
                    "the default module of this context's embedded kernels")
          .optional("cfg", &Context::cfg, QosObject{}, "configuration of the context; `qos` wins")
          .optional("qos", &Context::qos, QosObject{}, "configuration of the context");
  return record;
}

const Record<Buffer>& buffer_record() {
  static const auto record =
      Record<Buffer>("buffer", "memory that runs read and write", &Buffer::at)
          .required("name", &Buffer::name, json::kNotEmpty, "its name in runs")
          .required("type", &Buffer::type, Words<BufferType>(kBufferTypes),
                    "its purpose; internal and debug buffers need a `size`")
          .optional("size", &Buffer::size, Whole{},
                    "bytes; with it the runner creates the buffer, without it one must be bound")
          .optional("hwctx", &Buffer::context, Text{}, "of a debug buffer: the context that holds it");
  return record;
}

const Record<ParameterRule>& parameter_record() {
  constexpr Whole kSmall{.max = 0xffffffff};
  static const auto record =
      Record<ParameterRule>("parameter", "what an argument index means to a kernel", &ParameterRule::at)
          .optional("argidx", &ParameterRule::argidx, kSmall, "the index that runs use; none for a fixed value")
          .optional("set", &ParameterRule::set, kSmall, "descriptor set")
          .optional("binding", &ParameterRule::binding, kSmall, "binding in that set")
          .optional("element", &ParameterRule::element, kSmall, "of an array of descriptors (0)")
          .optional("push", &ParameterRule::push, kSmall, "a push-constant member by its byte offset")
          .optional("spec", &ParameterRule::spec, kSmall, "a specialization constant by its id")
          .optional("name", &ParameterRule::name, json::kNotEmpty, "a descriptor or push-constant member by its name")
          .optional("index", &ParameterRule::index, kSmall, "OpenCL: the kernel's own argument index")
          .optional("local", &ParameterRule::local, Whole{.min = 1}, "OpenCL: bytes of local memory")
          .optional("ignore", &ParameterRule::ignore, json::Boolean{}, "accept the argument and drop it")
          .optional("value", &ParameterRule::value, Anything{}, "the fixed value of `push` or `spec`")
          .optional("access", &ParameterRule::access, OneOf{kAccesses}, "what the kernel does with a descriptor");
  return record;
}

const Record<Kernel>& kernel_record() {
  constexpr Whole kGroups{.min = 1, .max = 0xffffffff};
  static const auto record =
      Record<Kernel>("kernel", "a kernel of an NPU design, or of a module", &Kernel::at)
          .required("name", &Kernel::name, json::kNotEmpty, "its name in runs")
          .optional("instance", &Kernel::instance, json::kNotEmpty, "its name in the xclbin or program (the name)")
          .optional("ctrlcode", &Kernel::ctrlcode, json::kNotEmpty, "a control-code ELF")
          .optional("hwctx", &Kernel::context, Text{}, "the hardware context, if there are several")
          .optional("numargs", &Kernel::numargs, Whole{}, "the number of arguments; checked, not required")
          .optional("module", &Kernel::module, json::kNotEmpty,
                    "SPIR-V, GLSL, RPL, VGF, OpenCL C or zebin file with the kernel")
          .optional("entry", &Kernel::entry, json::kNotEmpty,
                    "the entry point in the module (the instance, else the only one)")
          .optional("grid", &Kernel::grid, List{kGroups, 3, 3}, "work groups in x, y and z")
          .optional("local", &Kernel::local, List{kGroups, 3, 3}, "OpenCL: the work-group size")
          .optional("parameters", &Kernel::parameters, List{Nested(parameter_record())},
                    "what argument indices mean (the order in the module)")
          .optional("unmapped", &Kernel::ignore_unmapped, Words<bool>(kUnmapped),
                    "argument indices that `parameters` does not list are an error or ignored (error)")
          .optional(
              "specialization", &Kernel::specialization,
              FreeObject{R"({"type": "object", "additionalProperties": {"type": ["number", "boolean", "string"]}})"},
              "specialization constants by id or name")
          .optional("options", &Kernel::options, FreeObject{}, "options of RPL pipelines; OpenCL: `build`");
  return record;
}

const Record<CpuFunction>& cpu_record() {
  static const auto record =
      Record<CpuFunction>("cpu", "a function in a CPU library", &CpuFunction::at)
          .required("name", &CpuFunction::name, json::kNotEmpty, "its name in runs and in the library")
          .optional("library_path", &CpuFunction::library, json::kNotEmpty, "the library, relative to the library root")
          .optional("library_name", &CpuFunction::library, json::kNotEmpty, "alternative name of library_path")
          .rule([](json::Decoder& decoder, Value value, CpuFunction& cpu) {
            return has_one_of(decoder, value, formatted("cpu `{}`", cpu.name), "library_path", "library_name");
          });
  return record;
}

const Record<Argument>& argument_record() {
  static const auto record =
      Record<Argument>("argument", "a buffer, or a part of one, that a run uses", &Argument::at)
          .required("name", &Argument::buffer, json::kNotEmpty, "the buffer")
          .required("argidx", &Argument::argidx, Whole{.max = UINT32_MAX}, "the parameter that takes it")
          .optional("size", &Argument::size, Whole{}, "bytes (to the end)")
          .optional("offset", &Argument::offset, Whole{}, "bytes from the start of the buffer (0)");
  return record;
}

const Record<Constant>& constant_record() {
  static const auto record =
      Record<Constant>("constant", "a number or string for a parameter of a run", &Constant::at)
          .required("value", &Constant::value, ConstantValueCodec{}, "the value")
          .optional("type", &Constant::type, ConstantTypeCodec{}, "its type (as the value implies)")
          .required("argidx", &Constant::argidx, Whole{.max = UINT32_MAX}, "the parameter that takes it");
  return record;
}

const Record<Run>& run_record() {
  constexpr Whole kGroups{.min = 1, .max = 0xffffffff};
  static const auto record =
      Record<Run>("run", "one call of a kernel or CPU function", &Run::at)
          .optional("name", &Run::id, json::kNotEmpty, "the resource; with `kernel`, the name of the run in reports")
          .optional("kernel", &Run::resource, json::kNotEmpty, "the kernel or CPU function")
          .optional("where", &Run::where, WhereCodec{}, "cpu, or npu for every kernel (npu)")
          .optional("arguments", &Run::arguments, List{Nested(argument_record())}, "buffers")
          .optional("constants", &Run::constants, List{Nested(constant_record())}, "numbers and strings")
          .optional("grid", &Run::grid, List{kGroups, 3, 3}, "work groups (those of the kernel)")
          .rule([](json::Decoder& decoder, Value value, Run&) {
            return has_one_of(decoder, value, "run", "kernel", "name");
          });
  return record;
}

}  // namespace slipway::recipe
