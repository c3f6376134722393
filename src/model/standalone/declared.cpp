// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/declared.hpp"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/format.hpp"

namespace slipway::model {
namespace {

using tensor::ElementType;

// Whether a number survives: integers exactly, floats unless they become infinite.
template <class To, class From>
bool fits(From value) {
  if constexpr (std::is_floating_point_v<From>)
    return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
  else
    return std::in_range<To>(value);
}

template <class From, class To>
Result<> convert_elements(Bytes from, MutableBytes to, std::string_view what, std::string_view type) {
  for (std::size_t i = 0; i < to.size() / sizeof(To); ++i) {
    const From value = load<From>(from.data() + i * sizeof(From));
    if (!fits<To>(value)) {
      return fail(
          DiagnosticKind::OutOfRange, {},
          formatted("element {} of {} is {}; {} is computed in 32 bits, which do not hold it", i, what, value, type));
    }
    store(to.data() + i * sizeof(To), static_cast<To>(value));
  }
  return {};
}

template <class From, class To>
void widen(Bytes from, MutableBytes to) {
  for (std::size_t i = 0; i < from.size() / sizeof(From); ++i)
    store(to.data() + i * sizeof(To), static_cast<To>(load<From>(from.data() + i * sizeof(From))));
}

}  // namespace

bool has_same_bytes(ElementType declared, ElementType stored) {
  return tensor::size_of(declared) == tensor::size_of(stored);
}

Result<> narrow_elements(ElementType declared, Bytes from, ElementType stored, MutableBytes to, std::string_view what) {
  if (stored == ElementType::I32 && declared == ElementType::I64)
    return convert_elements<std::int64_t, std::int32_t>(from, to, what, "int64");
  if (stored == ElementType::I32 && declared == ElementType::U64)
    return convert_elements<std::uint64_t, std::int32_t>(from, to, what, "uint64");
  if (stored == ElementType::I32 && declared == ElementType::U32)
    return convert_elements<std::uint32_t, std::int32_t>(from, to, what, "uint32");
  if (stored == ElementType::F32 && declared == ElementType::F64)
    return convert_elements<double, float>(from, to, what, "float64");
  std::memcpy(to.data(), from.data(), to.size());
  return {};
}

void widen_elements(ElementType stored, Bytes from, ElementType declared, MutableBytes to) {
  if (stored == ElementType::I32 && declared == ElementType::I64) return widen<std::int32_t, std::int64_t>(from, to);
  if (stored == ElementType::I32 && declared == ElementType::U64) return widen<std::uint32_t, std::uint64_t>(from, to);
  if (stored == ElementType::F32 && declared == ElementType::F64) return widen<float, double>(from, to);
  std::memcpy(to.data(), from.data(), to.size());
}

}  // namespace slipway::model
