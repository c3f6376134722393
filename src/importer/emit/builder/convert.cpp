// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between element types (docs/spec/import.md#types).
#include <cmath>

#include "base/format.hpp"
#include "importer/emit/builder/elementwise.hpp"
#include "importer/emit/small_types.hpp"

namespace slipway::importer {
namespace {

using tosa::DataType;
using tosa::Op;

Array cast_on_host(const Array& array, FileType type) {
  if (type == FileType::Bool || is_real(array.type)) {
    std::vector<double> reals = array.reals();
    if (type == FileType::Bool) {
      for (double& real : reals) real = real != 0 ? 1 : 0;
    }
    // ONNX and TensorFlow Lite saturate 8-bit floats.
    const double limit = type == FileType::F8E4M3 ? 448 : type == FileType::F8E5M2 ? 57344 : INFINITY;
    for (double& real : reals) {
      if (std::isinf(limit) || std::isnan(real)) continue;
      real = std::min(std::max(real, -limit), limit);
    }
    return array_of(type, array.shape, std::span<const double>(reals));
  }
  return array_of(type, array.shape, array.integers());
}

bool is_float8(FileType type) { return type == FileType::F8E4M3 || type == FileType::F8E5M2; }

}  // namespace

Term widened(Elementwise& b, const Term& x) {
  if (x.type == FileType::I32) return x;
  if (x.known && x.count() <= kMaxFolded) return known_term(cast_on_host(*x.known, FileType::I32));
  switch (x.type) {
    case FileType::I64:
    case FileType::U64:
    case FileType::U32:
      return b.renamed(x, FileType::I32);
    case FileType::Bool:
    case FileType::I8:
    case FileType::I16:
    case FileType::I4:
    case FileType::I2:
    case FileType::U4:
    case FileType::U2:
      return b.apply(Op::CAST, x, FileType::I32);
    case FileType::U8:
    case FileType::U16: {
      const Term wide = b.apply(Op::CAST, x, FileType::I32);
      return b.binary(Binary::BitAnd, wide, x.type == FileType::U8 ? 255 : 65535);
    }
    default:
      throw Refused(formatted("{} is not computed as an integer", name_of(x.type)));
  }
}

Term narrowed(Elementwise& b, const Term& x, FileType type) {
  if (x.known) return known_term(cast_on_host(*x.known, type));
  switch (type) {
    case FileType::I32:
    case FileType::I64:
    case FileType::U64:
    case FileType::U32:
      return b.renamed(x, type);
    case FileType::I8:
    case FileType::U8:
    case FileType::I16:
    case FileType::U16:
      return b.apply(Op::CAST, x, type);
    case FileType::U4:
    case FileType::U2:
      return b.apply(Op::CAST, b.binary(Binary::BitAnd, x, type == FileType::U4 ? 15 : 3), type);
    case FileType::I4:
    case FileType::I2: {
      const double bits = 32.0 - bits_of(type);
      const Term wrapped = b.binary(Binary::ShiftRight, b.binary(Binary::ShiftLeft, x, bits), bits);
      return b.apply(Op::CAST, wrapped, type);
    }
    case FileType::Bool:
      return b.unary(Unary::Not, b.binary(Binary::Equal, x, 0));
    default:
      throw Refused(formatted("an integer cannot become {}", name_of(type)));
  }
}

Term as_computable(Elementwise& b, const Term& x) { return is_float8(x.type) ? b.cast(x, FileType::F16) : x; }

Term converted(Elementwise& b, const Term& x, FileType type) {
  if (x.type == type) return x;
  if (is_coded(x.type) || is_coded(type)) return convert(b, x, type);
  if (x.known && x.count() <= kMaxFolded && is_computable(x.type) && is_computable(type))
    return known_term(cast_on_host(*x.known, type));
  if (!is_computable(x.type) || !is_computable(type))
    throw Refused(formatted("{} cannot be converted to {} in a graph", name_of(x.type), name_of(type)));
  const DataType from = info_of(x.type).graph, to = info_of(type).graph;
  if (is_real(x.type) && is_real(type)) {
    if (from == to) return b.renamed(x, type);
    if (is_float8(type)) {
      const double limit = type == FileType::F8E4M3 ? 448 : 57344;
      const Term half = b.cast(x, FileType::F32);
      return b.apply(Op::CAST, b.clamp(half, -limit, limit), type);
    }
    const bool direct = from == DataType::F32 || to == DataType::F32;
    return b.apply(Op::CAST, direct ? x : b.cast(x, FileType::F32), type);
  }
  if (is_real(type)) {  // an integer or a bool becomes a float
    const Term wide = b.widen(x);
    return is_float8(type) ? b.cast(b.apply(Op::CAST, wide, FileType::F32), type) : b.apply(Op::CAST, wide, type);
  }
  if (is_real(x.type)) {
    if (type == FileType::Bool) return b.unary(Unary::Not, b.binary(Binary::Equal, b.computable(x), 0));
    const Term whole = b.unary(Unary::Trunc, b.cast(x, FileType::F32));
    return b.narrow(b.apply(Op::CAST, whole, FileType::I32), type);
  }
  return b.narrow(b.widen(x), type);
}

}  // namespace slipway::importer
