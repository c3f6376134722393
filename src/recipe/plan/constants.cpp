// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants (docs/spec/recipe.md#constants): values are range-checked, never wrapped or truncated.
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "recipe/plan/parts.hpp"
#include "recipe/read/records.hpp"

namespace slipway::recipe {
namespace {

using json::Type;
using json::Value;
using tensor::ElementType;

struct Limits {
  ConstantType type;
  std::int64_t min;
  std::uint64_t cpu_max, kernel_max;  // kernels take 32 bits, signed or unsigned
};

constexpr Limits kLimits[] = {
    {ConstantType::Int, INT32_MIN, INT32_MAX, UINT32_MAX}, {ConstantType::Int32, INT32_MIN, INT32_MAX, UINT32_MAX},
    {ConstantType::Uint32, 0, UINT32_MAX, UINT32_MAX},     {ConstantType::Int64, INT64_MIN, INT64_MAX, INT64_MAX},
    {ConstantType::Uint64, 0, UINT64_MAX, UINT64_MAX},
};

const Limits* limits_of(ConstantType type) {
  const auto found = std::ranges::find(kLimits, type, &Limits::type);
  return found == std::end(kLimits) ? nullptr : found;
}

std::nullopt_t refuse(Value at, std::string message, Diagnostics& diagnostics, const std::string& hint = "") {
  Diagnostic problem = json::problem(at, DiagnosticKind::ConstantValue, std::move(message));
  if (!hint.empty()) problem.hint(hint);
  diagnostics.add(std::move(problem));
  return std::nullopt;
}

std::optional<double> special_float(Value value) {
  if (!value.is(Type::String)) return std::nullopt;
  if (value.string() == "inf") return HUGE_VAL;
  if (value.string() == "-inf") return -HUGE_VAL;
  if (value.string() == "nan") return std::nan("");
  return std::nullopt;
}

// The type of a constant without `type`, from its value; nothing if the value is not a scalar.
std::optional<ConstantType> implied_type(Value value, bool cpu) {
  switch (value.type()) {
    case Type::Bool:
      return ConstantType::Int;
    case Type::String:
      if (cpu) return ConstantType::String;
      [[fallthrough]];
    case Type::Number:
      if (const auto number = whole_number(value)) {
        if (number->fits(INT32_MIN, INT32_MAX)) return ConstantType::Int;
        return number->fits(INT64_MIN, INT64_MAX) ? ConstantType::Int64 : ConstantType::Uint64;
      }
      return cpu ? ConstantType::Double : ConstantType::Float;
    default:
      return std::nullopt;
  }
}

// Digits only, also more than 64 bits hold.
bool is_whole(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<ConstantScalar> read_integer(Value value, const Limits& limits, bool cpu, Diagnostics& diagnostics) {
  const std::string_view type = name_of(limits.type);
  if (value.is(Type::Bool)) {
    diagnostics.add(json::problem(
        value, DiagnosticKind::DeprecatedForm,
        formatted("{} is taken as {} of type {}", value.text(), value.boolean() ? 1 : 0, type), Severity::Warning));
    return ConstantScalar{limits.type, WholeNumber{false, value.boolean() ? 1u : 0u}};
  }
  const auto number = whole_number(value);
  if (!number && is_whole(value.text()))
    return refuse(value, formatted("{} does not fit in 64 bits", value.text()), diagnostics);
  if (!number)
    return refuse(value, formatted("{} is not a whole number, which type {} takes", value.text(), type), diagnostics);
  const std::uint64_t max = cpu ? limits.cpu_max : limits.kernel_max;
  if (!number->fits(limits.min, max)) {
    return refuse(value, formatted("{} does not fit in type {} ({} to {})", value.text(), type, limits.min, max),
                  diagnostics);
  }
  return ConstantScalar{limits.type, *number};
}

std::optional<ConstantScalar> read_float(Value value, ConstantType type, Diagnostics& diagnostics) {
  std::optional<double> number = special_float(value);
  if (!number) number = decimal_number(value);
  if (!number)
    return refuse(value, formatted("{} is not a number, which type {} takes", value.text(), name_of(type)),
                  diagnostics);
  if (type == ConstantType::Float && std::isfinite(*number) && !std::isfinite(static_cast<float>(*number)))
    return refuse(value, formatted("{} does not fit in type float", value.text()), diagnostics);
  return ConstantScalar{type, *number};
}

// Stores one scalar as an element of a type.
bool store(Value value, ElementType type, std::byte* to, Diagnostics& diagnostics) {
  tensor::Stored stored;
  if (value.is(Type::Bool)) {
    stored = tensor::store_number(type, std::int64_t{value.boolean()}, to);
  } else if (special_float(value) && tensor::is_float(type)) {
    stored = tensor::store_word(type, value.string(), to);
  } else if (const auto whole = whole_number(value)) {
    // A 32-bit pattern may be written as signed or unsigned, for both types of the kernel
    // (docs/spec/recipe.md#constants, `int`).
    const bool signed_32 = type == ElementType::I32 && !whole->negative && whole->fits(0, UINT32_MAX);
    const tensor::Number number =
        signed_32 ? tensor::Number(std::int64_t{static_cast<std::int32_t>(whole->magnitude)}) : whole->number();
    stored = tensor::store_number(type, number, to);
  } else if (const auto number = decimal_number(value)) {
    stored = tensor::store_number(type, *number, to);
  } else {
    refuse(value, formatted("{} is not a number, which the kernel takes here", value.text()), diagnostics);
    return false;
  }
  if (!stored) refuse(value, stored.error(), diagnostics);
  return stored.has_value();
}

}  // namespace

std::optional<ConstantScalar> read_constant(const Constant& constant, bool cpu, Diagnostics& diagnostics) {
  const Value value = constant.value;
  const std::optional<ConstantType> type = constant.type ? constant.type : implied_type(value, cpu);
  if (!constant.type && value.is(Type::Number) && !whole_number(value) && is_whole(value.text())) {
    return refuse(value, formatted("{} does not fit in 64 bits", value.text()), diagnostics,
                  "give it the type double if it is a floating-point number");
  }
  if (!type) return refuse(value, "an array is for push constants of embedded kernels only", diagnostics);
  if (*type == ConstantType::String) {
    if (!cpu) {
      return refuse(constant.at["type"] ? constant.at["type"] : value,
                    "a string constant is for CPU functions only; kernels take numbers", diagnostics);
    }
    if (value.is(Type::String)) return ConstantScalar{*type, value.string()};
    return refuse(value, formatted("type string takes a string, not {}", json::name_of(value.type())), diagnostics);
  }
  const Limits* limits = limits_of(*type);
  return limits ? read_integer(value, *limits, cpu, diagnostics) : read_float(value, *type, diagnostics);
}

std::any cpu_value(const ConstantScalar& scalar) {
  const auto bits = [&] { return std::get<WholeNumber>(scalar.value).bits(); };
  switch (scalar.type) {
    case ConstantType::Int:
    case ConstantType::Int32:
      return static_cast<int>(bits());
    case ConstantType::Uint32:
      return static_cast<std::uint32_t>(bits());
    case ConstantType::Int64:
      return static_cast<std::int64_t>(bits());
    case ConstantType::Uint64:
      return bits();
    case ConstantType::Float:
      return static_cast<float>(std::get<double>(scalar.value));
    case ConstantType::Double:
      return std::get<double>(scalar.value);
    case ConstantType::String:
      return std::get<std::string>(scalar.value);
  }
  return {};
}

std::optional<std::vector<std::byte>> scalar_bytes(Value value, ElementType type, Diagnostics& diagnostics) {
  std::vector<std::byte> bytes(type == ElementType::Bool ? 4 : tensor::size_of(type));
  if (!store(value, type, bytes.data(), diagnostics)) return std::nullopt;
  return bytes;
}

std::optional<std::vector<std::byte>> kernel_bytes(const Constant& constant, ElementType type, std::size_t count,
                                                   bool array, Diagnostics& diagnostics) {
  const Value value = constant.value;
  if (!array) {
    // The type in the recipe is checked too, although the type in the kernel decides.
    if (constant.type && !read_constant(constant, false, diagnostics)) return std::nullopt;
    if (value.is(Type::Array)) return refuse(value, "the kernel takes one number here, not an array", diagnostics);
    if (!constant.type && value.is(Type::Bool) && type != ElementType::Bool && !tensor::is_float(type)) {
      diagnostics.add(json::problem(value, DiagnosticKind::DeprecatedForm,
                                    formatted("{} is taken as {}", value.text(), value.boolean() ? 1 : 0),
                                    Severity::Warning));
    }
    return scalar_bytes(value, type, diagnostics);
  }
  if (!value.is(Type::Array) || value.size() != count) {
    return refuse(value,
                  formatted("the kernel takes an array of {} numbers here, not {}", count,
                            value.is(Type::Array) ? formatted("one of {}", value.size())
                                                  : std::string(json::name_of(value.type()))),
                  diagnostics);
  }
  std::vector<std::byte> bytes;
  for (const Value scalar : value) {
    const auto one = scalar_bytes(scalar, type, diagnostics);
    if (!one) return std::nullopt;
    bytes.append_range(*one);
  }
  return bytes;
}

std::vector<std::byte> register_bytes(const ConstantScalar& scalar) {
  std::uint64_t bits = 0;
  std::size_t size = 8;
  switch (scalar.type) {
    case ConstantType::Float:
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::get<double>(scalar.value)));
      size = 4;
      break;
    case ConstantType::Double:
      bits = std::bit_cast<std::uint64_t>(std::get<double>(scalar.value));
      break;
    case ConstantType::String:
      return {};
    case ConstantType::Int:
    case ConstantType::Int32:
    case ConstantType::Uint32:
      size = 4;
      [[fallthrough]];
    default:
      bits = std::get<WholeNumber>(scalar.value).bits();
  }
  const Bytes all = std::as_bytes(std::span(&bits, 1)).first(size);
  return {all.begin(), all.end()};
}

}  // namespace slipway::recipe
