#include "lower/packing.hpp"

#include <algorithm>

#include "tensor/element.hpp"

namespace slipway::lower {
namespace {

// Elements as the numbers that they are; the frequent types without a detour.
template <class Read, class Write>
void pack_with(const Packing& p, bool splat, Read read, Write write) {
  std::int64_t at = 0;
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t panel = 0; panel < p.panels(); ++panel) {
      const std::int64_t first = panel * p.width, count = std::min(p.width, p.columns - first);
      for (std::int64_t row = 0; row < p.rows; ++row, at += p.width) {
        const std::int64_t from = batch * p.batch_stride + row * p.row_stride + first * p.column_stride;
        for (std::int64_t i = 0; i < count; ++i) write(at + i, read(splat ? 0 : from + i * p.column_stride));
      }
    }
  }
}

// Of integers, as 32 bits.
void pack_sums(const Packing& p, Bytes from, bool splat, MutableBytes to) {
  const std::uint32_t size = tensor::size_of(p.from);
  for (std::int64_t batch = 0; batch < p.batches; ++batch) {
    for (std::int64_t column = 0; column < p.columns; ++column) {
      std::int64_t sum = 0;
      for (std::int64_t row = 0; row < p.rows; ++row) {
        const std::int64_t at = batch * p.batch_stride + row * p.row_stride + column * p.column_stride;
        const std::byte* element = from.data() + static_cast<std::size_t>(splat ? 0 : at) * size;
        sum += static_cast<std::int64_t>(tensor::double_of(p.from, element)) - p.zero;
      }
      const auto place = static_cast<std::size_t>(batch * p.panels() * p.width + column);
      store(&to[place * sizeof(std::int32_t)], static_cast<std::int32_t>(sum));
    }
  }
}

}  // namespace

void pack(const Packing& packing, Bytes from, bool splat, MutableBytes to) {
  using tensor::ElementType;
  std::ranges::fill(to, std::byte{});
  if (packing.sums) return pack_sums(packing, from, splat, to);
  const std::uint32_t from_size = tensor::size_of(packing.from), to_size = tensor::size_of(packing.to);
  const auto element = [&](std::int64_t i) { return from.data() + static_cast<std::size_t>(i) * from_size; };
  const auto place = [&](std::int64_t i) { return to.data() + static_cast<std::size_t>(i) * to_size; };
  const auto write_f32 = [&](std::int64_t i, float value) { store(place(i), value); };
  if (packing.from == packing.to && packing.zero == 0) {
    if (from_size == 4)
      return pack_with(
          packing, splat, [&](std::int64_t i) { return load<std::uint32_t>(element(i)); },
          [&](std::int64_t i, std::uint32_t bits) { store(place(i), bits); });
    if (from_size == 2)
      return pack_with(
          packing, splat, [&](std::int64_t i) { return load<std::uint16_t>(element(i)); },
          [&](std::int64_t i, std::uint16_t bits) { store(place(i), bits); });
    if (from_size == 1)
      return pack_with(
          packing, splat, [&](std::int64_t i) { return *element(i); },
          [&](std::int64_t i, std::byte bits) { *place(i) = bits; });
  }
  if (packing.from == ElementType::I8 && packing.to == ElementType::F32)
    return pack_with(
        packing, splat,
        [&](std::int64_t i) { return static_cast<float>(load<std::int8_t>(element(i)) - packing.zero); }, write_f32);
  pack_with(
      packing, splat,
      [&](std::int64_t i) { return tensor::double_of(packing.from, element(i)) - static_cast<double>(packing.zero); },
      [&](std::int64_t i, double value) { tensor::store_rounded(packing.to, value, place(i)); });
}

}  // namespace slipway::lower
