// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/emit/unsigned.hpp"

namespace slipway::importer {
namespace {

constexpr std::int64_t kHalfOf8 = 128, kHalfOf16 = 32768;

Term moved_on_host(const Term& x, FileType type, std::int64_t by) {
  std::vector<std::int64_t> values = x.known->integers();
  for (std::int64_t& value : values) value += by;
  return known_term(array_of(type, x.shape, std::span<const std::int64_t>(values)));
}

// The same integers with another meaning of the top bit: a RESCALE by 1.
Term rescaled(Builder& b, const Term& x, FileType type, bool to_signed) {
  const bool is_8 = bits_of(type) == 8;
  const std::int64_t half = is_8 ? kHalfOf8 : kHalfOf16;
  const auto constant = [&](tosa::DataType of, std::vector<std::byte> data) {
    return b.graph().add_constant({of, {1}}, std::move(data));
  };
  // 2^30 / 2^30.
  const tosa::ValueId multiplier =
      constant(tosa::DataType::I32, {std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0x40}});
  const tosa::ValueId shift = constant(tosa::DataType::I8, {std::byte{30}});
  return b.apply(tosa::Op::RESCALE, x, type,
                 {{"scale32", {1}},
                  {"rounding_mode", {static_cast<std::int64_t>(tosa::RoundingMode::SingleRound)}},
                  {"per_channel", {0}},
                  {"input_unsigned", {to_signed ? 1 : 0}},
                  {"output_unsigned", {to_signed ? 0 : 1}},
                  {"input_zp", {to_signed ? half : 0}},
                  {"output_zp", {to_signed ? 0 : half}}},
                 {multiplier, shift});
}

}  // namespace

std::int64_t signed_offset(FileType type) {
  return type == FileType::U8 ? kHalfOf8 : type == FileType::U16 ? kHalfOf16 : 0;
}

Term as_signed(Builder& b, const Term& x) {
  if (signed_offset(x.type) == 0) return x;
  const FileType type = x.type == FileType::U8 ? FileType::I8 : FileType::I16;
  return x.known ? moved_on_host(x, type, -signed_offset(x.type)) : rescaled(b, x, type, true);
}

Term from_signed(Builder& b, const Term& x, FileType type) {
  if (x.type == type) return x;
  return x.known ? moved_on_host(x, type, signed_offset(type)) : rescaled(b, x, type, false);
}

}  // namespace slipway::importer
