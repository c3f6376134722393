// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "executorch/program.hpp"
#include "program_generated.h"
#include "tosa/read/flat_lists.hpp"

namespace slipway::executorch {
namespace {

constexpr std::size_t kIdentifierAt = 4, kHeaderAt = 8;
constexpr std::string_view kIdentifier = "ET12", kHeaderMagic = "eh00";
constexpr std::uint32_t kMinHeaderBytes = 24;
constexpr std::size_t kMaxNesting = 64;
constexpr std::size_t kMaxTables = std::size_t{1} << 20;
constexpr std::size_t kMaxErrors = 1000;
constexpr std::size_t kSmallFile = std::size_t{1} << 16;

constexpr std::array<std::string_view, 30> kScalarTypes = {"uint8",           "int8",
                                                           "int16",           "int32",
                                                           "int64",           "float16",
                                                           "float32",         "float64",
                                                           "complex32",       "complex64",
                                                           "complex128",      "bool",
                                                           "qint8",           "quint8",
                                                           "qint32",          "bfloat16",
                                                           "quint4x2",        "quint2x4",
                                                           "bits1x8",         "bits2x4",
                                                           "bits4x2",         "bits8",
                                                           "bits16",          "float8_e5m2",
                                                           "float8_e4m3fn",   "float8_e5m2fnuz",
                                                           "float8_e4m3fnuz", "uint16",
                                                           "uint32",          "uint64"};

using tosa::count_of;
using tosa::string_of;

// Calls `visit` with each table of a list that may be absent, and its index.
template <class T, class Visit>
void for_each(const flatbuffers::Vector<flatbuffers::Offset<T>>* list, Visit visit) {
  for (flatbuffers::uoffset_t i = 0; i < count_of(list); ++i) visit(*list->Get(i), i);
}

std::string value_type(fb::Value kind) {
  switch (kind) {
    case fb::Value::Int:
      return "int";
    case fb::Value::Bool:
      return "bool";
    case fb::Value::Double:
      return "double";
    case fb::Value::String:
      return "string";
    case fb::Value::IntList:
      return "int list";
    case fb::Value::DoubleList:
      return "double list";
    case fb::Value::BoolList:
      return "bool list";
    case fb::Value::TensorList:
    case fb::Value::OptionalTensorList:
      return "tensor list";
    default:
      return "nothing";
  }
}

class ProgramReader {
 public:
  ProgramReader(Bytes bytes, const std::string& name, Diagnostics& diagnostics)
      : bytes_(bytes), diagnostics_(diagnostics) {
    program_.name = name;
  }

  std::optional<Program> run() {
    if (!read_header()) return std::nullopt;
    flatbuffers::Verifier::Options limits;
    limits.max_depth = kMaxNesting;
    limits.max_tables =
        static_cast<flatbuffers::uoffset_t>(std::min<std::uint64_t>(kMaxTables - 1, program_.program_size / 4 + 1));
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes_.data()), program_.program_size, limits);
    if (!fb::VerifyProgramBuffer(verifier)) {
      error(DiagnosticKind::FileFormat, {0, program_.program_size},
            "the tables of the program are invalid or truncated");
      return std::nullopt;
    }
    tables_ = fb::GetProgram(bytes_.data());
    program_.version = tables_->version();
    read_segments();
    for_each(tables_->execution_plan(), [&](const fb::ExecutionPlan& plan, auto) {
      if (errors_ < kMaxErrors) read_method(plan);
    });
    if (errors_ == 0 && program_.methods.empty())
      error(DiagnosticKind::FileFormat, {0, program_.program_size}, "the program has no methods");
    return errors_ == 0 ? std::optional(std::move(program_)) : std::nullopt;
  }

 private:
  void error(DiagnosticKind kind, Span at, std::string message) {
    ++errors_;
    diagnostics_.error(kind, SourceLocation::in_bytes(program_.name, at), std::move(message));
  }
  void error(DiagnosticKind kind, const void* table, std::string message) {
    const auto at = static_cast<std::uint64_t>(static_cast<const std::byte*>(table) - bytes_.data());
    error(kind, {at, at + sizeof(flatbuffers::soffset_t)}, std::move(message));
  }

  // Lists of a file may be used many times, which makes of a small file much work. False, and an error at the first
  // time, if all lists that were read have more elements than a file of this size may have.
  bool take(std::size_t elements, const void* table) {
    if (elements <= left_) {
      left_ -= elements;
      return true;
    }
    if (left_ != 0) error(DiagnosticKind::OutOfRange, table, "the lists of the program are used too many times");
    left_ = 0;
    return false;
  }

  // The header after the identifier says where the tables end and the segments begin. Without one, the tables are the
  // whole file.
  bool read_header() {
    const std::string_view identifier =
        is_program(bytes_) ? text_of(bytes_.subspan(kIdentifierAt, kIdentifier.size())) : std::string_view();
    if (identifier != kIdentifier) {
      error(identifier.empty() ? DiagnosticKind::FileFormat : DiagnosticKind::Unsupported, {kIdentifierAt, kHeaderAt},
            identifier.empty() ? "the file has no identifier of an ExecuTorch program"
                               : formatted("the ExecuTorch program has the identifier `{}`; supported is `{}`",
                                           identifier, kIdentifier));
      return false;
    }
    program_.program_size = std::min<std::uint64_t>(bytes_.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
    if (!text_of(bytes_.subspan(kHeaderAt)).starts_with(kHeaderMagic)) return true;
    ByteReader in(bytes_, kHeaderAt + kHeaderMagic.size());
    const auto length = in.read<std::uint32_t>();
    const auto size = in.read<std::uint64_t>(), base = in.read<std::uint64_t>();
    const Span at{kHeaderAt, kHeaderAt + kMinHeaderBytes};
    if (in.failed() || length < kMinHeaderBytes) {
      error(DiagnosticKind::FileFormat, at,
            formatted("the header has {} bytes; it needs at least {}", length, kMinHeaderBytes));
      return false;
    }
    if (size > bytes_.size() || base > bytes_.size()) {
      error(DiagnosticKind::FileTruncated, at,
            formatted("the tables have {} bytes and the segments begin at {:#x}, and the file has {} bytes", size, base,
                      bytes_.size()));
      return false;
    }
    if (base != 0 && base < size) {
      error(DiagnosticKind::FileFormat, at,
            formatted("the segments begin at {:#x}, in the tables, which have {} bytes", base, size));
      return false;
    }
    if (size >= FLATBUFFERS_MAX_BUFFER_SIZE) {
      error(DiagnosticKind::FileFormat, at,
            formatted("the tables have {} bytes, more than FlatBuffers can have", size));
      return false;
    }
    program_.program_size = size;
    segment_base_ = base;
    return true;
  }

  void read_segments() {
    for_each(tables_->segments(), [&](const fb::DataSegment& segment, auto i) {
      if (errors_ >= kMaxErrors) return;
      const Size begin = checked_add(segment_base_, segment.offset());
      const Size end = begin ? checked_add(*begin, segment.size()) : std::nullopt;
      if (segment_base_ == 0)
        error(DiagnosticKind::FileFormat, &segment,
              formatted("the program has segment {}, but no header that says where segments begin", i));
      else if (!end || *end > bytes_.size())
        error(DiagnosticKind::FileTruncated, &segment,
              formatted("segment {} has {} bytes at offset {} from {:#x}, and the file has {} bytes", i, segment.size(),
                        segment.offset(), segment_base_, bytes_.size()));
      program_.segments.push_back({begin.value_or(0), segment.size()});
    });
  }

  void read_method(const fb::ExecutionPlan& plan) {
    Method& method = program_.methods.emplace_back();
    method.name = string_of(plan.name());
    read_values(plan, plan.inputs(), "input", method.inputs);
    read_values(plan, plan.outputs(), "output", method.outputs);
    for_each(plan.operators(), [&](const fb::Operator& from, auto) {
      const std::string_view overload = string_of(from.overload());
      method.operators.push_back(
          {.name = formatted("{}{}{}", string_of(from.name()), overload.empty() ? "" : ".", overload)});
    });
    for_each(plan.delegates(), [&](const fb::Delegate& from, auto i) { read_delegate(from, i, method); });
    read_instructions(plan, method);
  }

  void read_values(const fb::ExecutionPlan& plan, const flatbuffers::Vector<std::int32_t>* list, std::string_view role,
                   std::vector<MethodValue>& values) {
    if (!take(count_of(list), &plan)) return;
    for (flatbuffers::uoffset_t i = 0; i < count_of(list) && errors_ < kMaxErrors; ++i) {
      const std::int32_t index = list->Get(i);
      if (index < 0 || static_cast<std::size_t>(index) >= count_of(plan.values())) {
        error(DiagnosticKind::UnknownReference, &plan,
              formatted("{} {} of method `{}` is value {}; the method has {} values", role, i, string_of(plan.name()),
                        index, count_of(plan.values())));
        continue;
      }
      const fb::EValue& value = *plan.values()->Get(static_cast<flatbuffers::uoffset_t>(index));
      const fb::Tensor* const tensor = value.value_as_Tensor();
      if (!tensor) {
        values.push_back({value_type(value.value_type()), std::nullopt});
        continue;
      }
      const std::size_t type = static_cast<std::uint8_t>(tensor->scalar_type());
      if (count_of(tensor->sizes()) > static_cast<std::size_t>(kMaxRank)) {
        error(DiagnosticKind::Unsupported, tensor,
              formatted("{} {} of method `{}` has rank {}; {} is the limit", role, i, string_of(plan.name()),
                        tensor->sizes()->size(), kMaxRank));
        continue;
      }
      if (!take(count_of(tensor->sizes()), tensor)) return;
      tensor::Shape shape;
      for (flatbuffers::uoffset_t d = 0; d < count_of(tensor->sizes()); ++d) shape.push_back(tensor->sizes()->Get(d));
      values.push_back({std::string(type < kScalarTypes.size() ? kScalarTypes[type] : "unknown"), std::move(shape)});
    }
  }

  void read_delegate(const fb::Delegate& from, flatbuffers::uoffset_t index, Method& method) {
    Delegate& delegate = method.delegates.emplace_back();
    delegate.id = string_of(from.id());
    for_each(from.compile_specs(), [&](const fb::CompileSpec& spec, auto) {
      delegate.compile_specs.push_back(
          {string_of(spec.key()),
           spec.value() ? std::as_bytes(std::span(spec.value()->data(), spec.value()->size())) : Bytes()});
    });
    const auto missing = [&](std::string_view what, std::size_t count) {
      error(DiagnosticKind::UnknownReference, &from,
            formatted("delegate {} (`{}`) of method `{}` has its payload in {} {}; the program has {}", index,
                      delegate.id, method.name, what, from.processed()->index(), count));
    };
    if (!from.processed()) return;
    const std::uint32_t at = from.processed()->index();
    if (from.processed()->location() == fb::DataLocation::SEGMENT) {
      if (at >= program_.segments.size()) return missing("segment", program_.segments.size());
      const ProgramSegment& segment = program_.segments[at];
      if (segment.offset > bytes_.size() || segment.size > bytes_.size() - segment.offset) return;  // was reported
      delegate.offset = segment.offset;
      delegate.payload = bytes_.subspan(segment.offset, segment.size);
      return;
    }
    const auto* const inline_data = tables_->backend_delegate_data();
    if (at >= count_of(inline_data)) return missing("inline data", count_of(inline_data));
    delegate.is_inline = true;
    if (const auto* data = inline_data->Get(at)->data()) {
      delegate.payload = std::as_bytes(std::span(data->data(), data->size()));
      delegate.offset = static_cast<std::uint64_t>(delegate.payload.data() - bytes_.data());
    }
  }

  void read_instructions(const fb::ExecutionPlan& plan, Method& method) {
    const flatbuffers::Vector<std::int32_t>* args = nullptr;  // of the last call of a delegate
    std::optional<std::size_t> called;
    std::uint64_t calls = 0;
    const auto count_call = [&](std::int32_t index, auto& list, std::string_view what, const void* table) {
      ++calls;
      if (index >= 0 && static_cast<std::size_t>(index) < list.size()) {
        ++list[static_cast<std::size_t>(index)].calls;
        return true;
      }
      error(DiagnosticKind::UnknownReference, table,
            formatted("an instruction of method `{}` calls {} {}; the method has {}", method.name, what, index,
                      list.size()));
      return false;
    };
    for_each(plan.chains(), [&](const fb::Chain& chain, auto) {
      for_each(chain.instructions(), [&](const fb::Instruction& instruction, auto) {
        if (errors_ >= kMaxErrors) return;
        if (const auto* kernel = instruction.arguments_as_KernelCall()) {
          count_call(kernel->operator_index(), method.operators, "operator", kernel);
        } else if (const auto* delegate = instruction.arguments_as_DelegateCall()) {
          if (!count_call(delegate->delegate_index(), method.delegates, "delegate", delegate)) return;
          called = static_cast<std::size_t>(delegate->delegate_index());
          args = delegate->args();
        } else if (instruction.arguments_as_MoveCall()) {
          ++calls, ++method.moves;
        } else if (!instruction.arguments_as_FreeCall()) {
          ++calls, ++method.branches;
        }
      });
    });
    const std::size_t elements = count_of(args) + count_of(plan.inputs()) + count_of(plan.outputs());
    if (calls == 1 && called && take(elements, &plan) && takes_interface(plan, args)) method.only_delegate = called;
  }

  // Whether the arguments are inputs and outputs of the method, with all of its outputs.
  static bool takes_interface(const fb::ExecutionPlan& plan, const flatbuffers::Vector<std::int32_t>* args) {
    const auto set_of = [](const flatbuffers::Vector<std::int32_t>* list) {
      return list ? std::set<std::int32_t>(list->begin(), list->end()) : std::set<std::int32_t>();
    };
    const std::set<std::int32_t> given = set_of(args), outputs = set_of(plan.outputs());
    std::set<std::int32_t> interface = set_of(plan.inputs());
    interface.insert(outputs.begin(), outputs.end());
    return std::ranges::includes(interface, given) && std::ranges::includes(given, outputs);
  }

  static constexpr int kMaxRank = 32;

  Bytes bytes_;
  Diagnostics& diagnostics_;
  Program program_;
  const fb::Program* tables_ = nullptr;
  std::uint64_t segment_base_ = 0;
  std::size_t errors_ = 0;
  std::size_t left_ = bytes_.size() + kSmallFile;
};

}  // namespace

bool is_program(Bytes bytes) {
  if (bytes.size() < kHeaderAt) return false;
  const std::string_view identifier = text_of(bytes.subspan(kIdentifierAt, kIdentifier.size()));
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return identifier.starts_with("ET") && is_digit(identifier[2]) && is_digit(identifier[3]);
}

std::optional<Program> read_program(Bytes bytes, const std::string& name, Diagnostics& diagnostics) {
  return ProgramReader(bytes, name, diagnostics).run();
}

}  // namespace slipway::executorch
