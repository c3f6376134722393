// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pointwise (1x1) convolution and the depthwise convolution of its result as one kernel, on CPUs.
//
// A workgroup has one or two vectors of channels and a strip of columns, and goes down the image: it computes the next
// rows of the inner image, keeps the rows that the window still needs, and stores a row of results. The inner image,
// the largest that such networks have, is never in memory.
#include <algorithm>

#include "lower/strategies/contraction/contraction_result.hpp"
#include "lower/strategies/contraction/operands.hpp"
#include "lower/strategies/contraction/products.hpp"
#include "lower/strategies/windows/window_work.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;

class PointwiseDepthwise : private WindowWork {
 public:
  PointwiseDepthwise(ProgramBuilder& program, const Node& window, const Node& node, const Contraction& pointwise)
      : WindowWork(program, window, node, results_of_strip(taps_of(program.graph(), window)[1]),
                   panels_of_strip(program, window)),
        pointwise_(pointwise),
        factors_(factors_of(program.graph(), program.stored(), pointwise, program.device())) {
    if (pointwise.contiguous_k % products_of_step(factors_) != 0) factors_ = Factors::Floats;
  }

  void run() {
    const ElementType type_of_a = type_of(factors_);
    const bool are_floats = factors_ == Factors::Floats, are_bytes = factors_ == Factors::Bytes;
    const auto copy = bordered_a(program_, pointwise_, type_of_a);
    const std::int64_t together = program_.device().lane_factors ? across_ : 1, width = together * lanes_;
    const std::uint32_t panels = are_floats ? panels_of_b(program_, pointwise_, width, ElementType::F32)
                                            : words_of_b(program_, pointwise_, width, type_of_a);
    const std::optional<std::uint32_t> weights = weights_as_floats();
    std::vector<std::uint32_t> packed = {copy.value_or(panels), panels};
    if (are_bytes) packed.push_back(sums_of_panels(program_, pointwise_, width));
    if (weights) packed.push_back(*weights);
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "blocks");
    if (program_.repeat(key, packed)) return;
    KernelBuilder builder = program_.kernel({.local_size = lanes_, .addresses = true, .lanes = lanes_});
    builder_ = &builder;
    operands_.factors = factors_;
    operands_.signed_bytes = program_.device().signed_dot_products;
    operands_.a = copy ? builder.read_packed(*copy, type_of_a) : builder.read(source_of(program_, pointwise_.a));
    operands_.b = builder.read_packed(panels, are_floats ? ElementType::F32 : ElementType::I32);
    if (are_bytes) channel_sums_ = builder.read_packed(packed[2], ElementType::I32);
    operands_.b_step = width;
    operands_.lane_factors = program_.device().lane_factors;
    read_weights(weights);
    const std::int64_t groups = type(window_.outputs[0]).shape[0] * tiles_ * columns_;
    batch_ = place(groups);
    operands_.panels = across_;
    operands_.b_begin = panel_ * (pointwise_.steps(factors_) * lanes_);
    operands_.panel_size = together > 1 ? lanes_ : pointwise_.steps(factors_) * lanes_;
    for (std::int64_t panel = 0; panel < across_; ++panel) {
      if (!are_bytes) {
        first_sums_.push_back(are_floats ? k().real(0) : k().integer(0));
        continue;
      }
      const Pointer sums = k().pointer(channel_sums_, panel_ * lanes_);
      first_sums_.push_back(k().load_lanes(sums, panel * lanes_) *
                            -(program_.device().byte_offset() + pointwise_.a_zero));
    }
    left_ = first_ * taps_[1].stride - taps_[1].before;
    go_down();
    program_.dispatch(builder, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  // A row of the inner image, by position, then by panel: in memory of the workgroup, or in variables, which drivers'
  // compilers keep in registers and on the stack.
  struct Row {
    Value begin;
    std::vector<Variable> variables;
  };

  // Two, so that an element of A is loaded once for both, where enough workgroups remain.
  static std::int64_t panels_of_strip(const ProgramBuilder& program, const Node& window) {
    constexpr std::int64_t kMinGroups = 32;
    const Taps across = taps_of(program.graph(), window)[1];
    const tensor::Shape& out = program.graph()[window.outputs[0]].type.shape;
    const std::int64_t strip = results_of_strip(across), strips = (across.results + strip - 1) / strip;
    const std::int64_t pairs = out[3] / (2 * program.device().lanes);
    // Where the panels of a pair are neighbours, all of them are in pairs.
    if (program.device().lane_factors && out[3] % (2 * program.device().lanes) != 0) return 1;
    return program.device().native_vectors && out[0] * strips * pairs >= kMinGroups ? 2 : 1;
  }

  bool is_native() const { return program_.device().native_vectors; }
  Value get(const Row& row, std::int64_t x, std::int64_t panel) {
    const std::int64_t at = x * across_ + panel;
    return is_native() ? k().load(memory_, row.begin + at * lanes_ + k().local_index())
                       : k().get(row.variables[static_cast<std::size_t>(at)]);
  }
  void set(const Row& row, std::int64_t x, std::int64_t panel, Value value) {
    const std::int64_t at = x * across_ + panel;
    if (is_native())
      k().store(memory_, row.begin + at * lanes_ + k().local_index(), value);
    else
      k().set(row.variables[static_cast<std::size_t>(at)], value);
  }
  void clear(const Row& row) {
    for (std::int64_t x = 0; x < reach(); ++x) {
      for (std::int64_t panel = 0; panel < across_; ++panel) set(row, x, panel, k().real(0));
    }
  }

  // The rows of the first window above its last `stride` rows are computed first, as far as they are inside the image.
  // In memory a row stays where it is until another one replaces it.
  void go_down() {
    const Taps& down = taps_[0];
    const std::int64_t kept = std::max<std::int64_t>(down.count - down.stride, 0);
    const std::int64_t lead = (std::max<std::int64_t>(kept - down.before, 0) + down.stride - 1) / down.stride;
    const std::int64_t size = reach() * across_ * lanes_;
    if (is_native()) memory_ = k().shared(Scalar::Float, static_cast<std::uint32_t>(down.count * size));
    std::vector<Row> rows(static_cast<std::size_t>(down.count));  // of the window
    for (std::int64_t y = 0; y < down.count; ++y) {
      Row& row = rows[static_cast<std::size_t>(y)];
      row.begin = k().integer(y * size);
      for (std::int64_t i = 0; !is_native() && i < reach() * across_; ++i)
        row.variables.push_back(k().variable(k().real(0)));
      if (is_native() && y < kept) clear(row);
    }
    k().loop(k().integer(down.results + lead), [&](Value step) {
      const Value y = step - lead;
      for (std::int64_t i = 0; is_native() && i < down.count; ++i) {
        const Value in_order = step * down.stride + i;
        rows[static_cast<std::size_t>(i)].begin = k().unsigned_remainder(in_order, k().integer(down.count)) * size;
      }
      for (std::int64_t i = kept; i < down.count; ++i)
        compute(rows[static_cast<std::size_t>(i)], y * down.stride + (i - down.before));
      k().when(y >= 0, [&] { results(rows, y); });
      for (std::int64_t i = 0; !is_native() && i < kept; ++i)
        move(rows[static_cast<std::size_t>(i + down.stride)], rows[static_cast<std::size_t>(i)]);
    });
  }

  void move(const Row& from, const Row& to) {
    for (std::size_t x = 0; x < from.variables.size(); ++x) k().set(to.variables[x], k().get(from.variables[x]));
  }

  // Whether a position is outside the image for every workgroup.
  bool is_outside(std::int64_t position) const {
    const std::int64_t min = position - taps_[1].before;
    return tiles_ == 1 && (min < 0 || min >= taps_[1].extent);
  }
  bool may_be_outside(std::int64_t position) const {
    const std::int64_t min = position - taps_[1].before;
    return min < 0 || (taps_[1].results - tile_) * taps_[1].stride + min >= taps_[1].extent;
  }

  // A row of the inner image in the form in which it is summed; zero outside the image.
  void compute(const Row& row, Value y) {
    std::vector<std::int64_t> positions;
    for (std::int64_t x = 0; x < reach(); ++x) {
      if (!is_outside(x) && !users(x).empty()) positions.push_back(x);
    }
    const Value is_inside = (y >= 0) & (y < taps_[0].extent);
    k().when(!is_inside, [&] { clear(row); });
    k().when(is_inside, [&] {
      const auto all = static_cast<std::int64_t>(positions.size()), parts = parts_of(all);
      for (std::int64_t i = 0; i < parts; ++i) {
        const std::int64_t begin = all * i / parts, end = all * (i + 1) / parts;
        compute(row, y,
                std::span(positions).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
      }
    });
  }

  // As few as keep their sums in registers.
  std::int64_t parts_of(std::int64_t positions) const {
    if (!program_.device().native_vectors) return 1;
    std::int64_t parts = 1;
    while (!fits_registers((positions + parts - 1) / parts, across_, factors_, program_.device())) ++parts;
    return parts;
  }

  void compute(const Row& row, Value y, std::span<const std::int64_t> positions) {
    const Value row_begin = (batch_ * taps_[0].extent + y) * taps_[1].extent;
    std::vector<Variable> sums;
    operands_.rows.clear();
    for (const std::int64_t x : positions) {
      const Value safe = k().clamp(left_ + x, k().integer(0), k().integer(taps_[1].extent - 1));
      if (may_be_outside(x))
        operands_.rows.push_back({(row_begin + safe) * pointwise_.contiguous_k, 0});
      else
        operands_.rows.push_back({(row_begin + left_) * pointwise_.contiguous_k, x * pointwise_.contiguous_k});
      for (std::int64_t panel = 0; panel < across_; ++panel) {
        const auto at = static_cast<std::size_t>(panel);
        sums.push_back(k().variable(first_sums_[at]));
      }
    }
    add_products(k(), operands_, k().integer(0), k().integer(0), pointwise_.steps(factors_), sums);
    auto sum = sums.begin();
    for (const std::int64_t x : positions) {
      const Value column = left_ + x;
      const Value inside = may_be_outside(x) ? (column >= 0) & (column < taps_[1].extent) : k().boolean(true);
      for (std::int64_t panel = 0; panel < across_; ++panel, ++sum) {
        const Value channel = first_channel_ + panel * lanes_ + k().local_index();
        builder_->add_node(*pointwise_.node);
        builder_->fix(pointwise_.node->outputs[0], finished_sum(*builder_, pointwise_, k().get(*sum), channel));
        const Value term = as_term(builder_->at(window_.inputs[0], {batch_, y, column, channel}));
        set(row, x, panel, k().select(inside, term, k().real(0)));
      }
    }
  }

  // As many results at a time as stay in registers, with the factors of a row of taps and an element.
  void results(const std::vector<Row>& rows, Value y) {
    const std::int64_t others = taps_[1].count + 2;
    const std::int64_t max =
        is_native() ? std::max<std::int64_t>(program_.device().vector_registers - others, 1) : tile_;
    const std::int64_t parts = (tile_ + max - 1) / max;
    for (std::int64_t panel = 0; panel < across_; ++panel) {
      for (std::int64_t i = 0; i < parts; ++i) results(rows, y, panel, tile_ * i / parts, tile_ * (i + 1) / parts);
    }
  }

  void results(const std::vector<Row>& rows, Value y, std::int64_t panel, std::int64_t begin, std::int64_t end) {
    std::vector<Value> sums(static_cast<std::size_t>(end - begin), k().real(0));
    for (std::size_t tap = 0; tap < rows.size(); ++tap) {
      const std::vector<Value> with = factors(k().integer(static_cast<std::int64_t>(tap)), panel);
      for (std::int64_t x = 0; x < reach(); ++x) {
        auto used_by = users(x);
        std::erase_if(used_by, [&](const auto& user) { return user.first < begin || user.first >= end; });
        if (is_outside(x) || used_by.empty()) continue;
        const Value value = get(rows[tap], x, panel);
        for (const auto& [result, column] : used_by)
          add(sums[static_cast<std::size_t>(result - begin)], value, with, column);
      }
    }
    store(batch_, y, sums, panel, begin);
  }

  const Contraction& pointwise_;
  Factors factors_;
  ProductOperands operands_;
  BufferRef channel_sums_;
  SharedRef memory_;               // of rows
  std::vector<Value> first_sums_;  // by panel
  Value batch_, left_;
};

}  // namespace

void lower_pointwise_depthwise(ProgramBuilder& program, const Node& window, const Node& node) {
  const auto pointwise = match_pointwise(program.graph(), program.stored(), window.inputs[0]);
  PointwiseDepthwise(program, window, node, *pointwise).run();
}

}  // namespace slipway::lower
