// A convolution of points and the depthwise convolution of its result as one kernel, on processors.
//
// A workgroup has a vector of channels and a strip of columns, and goes down the image: it computes the next rows of
// the inner image from its points, keeps the rows that the window still needs in registers and on the stack, and stores
// a row of results. The inner image, the largest that such networks have, is never in memory.
#include <algorithm>

#include "lower/families/operands.hpp"
#include "lower/families/products.hpp"
#include "lower/families/windows.hpp"

namespace slipway::lower {
namespace {

using tosa::Node;

constexpr std::int64_t kMaxColumns = 16;  // of a strip of the inner image

std::int64_t results_of_strip(const Taps& across) { return (kMaxColumns - across.count) / across.stride + 1; }

class Generator : private WindowWork {
 public:
  Generator(ProgramBuilder& program, const Node& window, const Node& node, const Contraction& points)
      : WindowWork(program, window, node, results_of_strip(taps_of(program.graph(), window)[1])), points_(points) {}

  void run() {
    const auto copy = bordered_a(program_, points_, ElementType::F32);
    const std::uint32_t panels = panels_of_b(program_, points_, lanes_, ElementType::F32);
    const std::optional<std::uint32_t> weights = weights_as_floats();
    std::vector<std::uint32_t> packed = {copy.value_or(panels), panels};
    if (weights) packed.push_back(*weights);
    const GroupKey key = key_of_group(program_.graph(), program_.stored(), node_.outputs[0], "blocks");
    if (program_.repeat(key, packed)) return;
    KernelMaker maker = program_.kernel({.local_size = lanes_, .addresses = true, .lanes = lanes_});
    maker_ = &maker;
    operands_.a = copy ? maker.read_packed(*copy, ElementType::F32) : maker.read(source_of(program_, points_.a));
    operands_.b = maker.read_packed(panels, ElementType::F32);
    operands_.lanes = lanes_;
    read_weights(weights);
    const std::int64_t groups = type(window_.outputs[0]).shape[0] * tiles_ * panels_;
    batch_ = place(groups);
    operands_.b_begin = panel_ * (points_.depth() * lanes_);
    left_ = first_ * taps_[1].stride - taps_[1].before;
    go_down();
    program_.dispatch(maker, static_cast<std::uint64_t>(groups), key, packed);
  }

 private:
  using Row = std::vector<Variable>;  // by position

  // The rows of the first window that stand above its last `stride` ones are computed first, as far as they are inside.
  void go_down() {
    const Taps& down = taps_[0];
    const std::int64_t kept = std::max<std::int64_t>(down.count - down.stride, 0);
    const std::int64_t lead = (std::max<std::int64_t>(kept - down.before, 0) + down.stride - 1) / down.stride;
    std::vector<Row> rows;  // of the window
    for (std::int64_t y = 0; y < down.count; ++y) {
      Row& row = rows.emplace_back();
      for (std::int64_t x = 0; x < reach(); ++x) row.push_back(k().variable(k().real(0)));
    }
    k().loop(k().integer(down.results + lead), [&](Value step) {
      const Value y = step - lead;
      for (std::int64_t i = kept; i < down.count; ++i)
        compute(rows[static_cast<std::size_t>(i)], y * down.stride + (i - down.before));
      k().when(y >= 0, [&] { results(rows, y); });
      for (std::int64_t i = 0; i < kept; ++i)
        move(rows[static_cast<std::size_t>(i + down.stride)], rows[static_cast<std::size_t>(i)]);
    });
  }

  void move(const Row& from, const Row& to) {
    for (std::size_t x = 0; x < from.size(); ++x) k().set(to[x], k().get(from[x]));
  }

  // Whether a position is inside the image for no workgroup.
  bool is_outside(std::int64_t position) const {
    const std::int64_t least = position - taps_[1].before;
    return tiles_ == 1 && (least < 0 || least >= taps_[1].extent);
  }
  bool may_be_outside(std::int64_t position) const {
    const std::int64_t least = position - taps_[1].before;
    return least < 0 || (taps_[1].results - tile_) * taps_[1].stride + least >= taps_[1].extent;
  }

  // A row of the inner image, as it is added up; outside of the image it is zero.
  void compute(const Row& row, Value y) {
    for (const Variable& value : row) k().set(value, k().real(0));
    k().when((y >= 0) & (y < taps_[0].extent), [&] {
      const Value line = (batch_ * taps_[0].extent + y) * taps_[1].extent;
      std::vector<Variable> sums;
      std::vector<std::int64_t> positions;
      operands_.rows.clear();
      for (std::int64_t x = 0; x < reach(); ++x) {
        if (is_outside(x) || users(x).empty()) continue;
        const Value column = left_ + x;
        const Value safe = k().clamp(column, k().integer(0), k().integer(taps_[1].extent - 1));
        if (may_be_outside(x))
          operands_.rows.push_back({(line + safe) * points_.run, 0});
        else
          operands_.rows.push_back({(line + left_) * points_.run, x * points_.run});
        sums.push_back(row[static_cast<std::size_t>(x)]);
        positions.push_back(x);
      }
      add_products(k(), operands_, k().integer(0), k().integer(0), points_.run, sums);
      const Value channel = first_channel_ + k().local_index();
      for (std::size_t i = 0; i < sums.size(); ++i) {
        const Value column = left_ + positions[i];
        maker_->add_node(*points_.node);
        maker_->fix(points_.node->outputs[0], finished_sum(*maker_, points_, k().get(sums[i]), channel));
        const Value term = as_term(maker_->at(window_.inputs[0], {batch_, y, column, channel}));
        const Value inside =
            may_be_outside(positions[i]) ? (column >= 0) & (column < taps_[1].extent) : k().boolean(true);
        k().set(sums[i], k().select(inside, term, k().real(0)));
      }
    });
  }

  void results(const std::vector<Row>& rows, Value y) {
    std::vector<Value> sums(static_cast<std::size_t>(tile_), k().real(0));
    for (std::size_t tap = 0; tap < rows.size(); ++tap) {
      const std::vector<Value> with = factors(k().integer(static_cast<std::int64_t>(tap)));
      for (std::int64_t x = 0; x < reach(); ++x) {
        if (is_outside(x) || users(x).empty()) continue;
        const Value value = k().get(rows[tap][static_cast<std::size_t>(x)]);
        for (const auto& [result, column] : users(x)) add(sums[static_cast<std::size_t>(result)], value, with, column);
      }
    }
    store(batch_, y, sums);
  }

  const Contraction& points_;
  Operands operands_;
  Value batch_, left_;
};

std::optional<Contraction> points_of(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId image) {
  const Node* producer = graph.producer(image);
  if (!producer || producer->outputs.size() != 1) return std::nullopt;
  const auto anchor = find_anchor(graph, stored, *producer);
  if (!anchor || anchor->node->op != tosa::Op::CONV2D || !anchor->reads_by_row_and_channel) return std::nullopt;
  return contraction_of(graph, *anchor->node);
}

}  // namespace

bool may_compute_image(const tosa::Graph& graph, const std::vector<bool>& stored, tosa::ValueId image,
                       const Node& reader, const DeviceFacts& device) {
  if (reader.op != tosa::Op::DEPTHWISE_CONV2D || reader.inputs[0] != image || reader.inputs[1] == image ||
      !is_vector_window(graph, stored, reader, device))
    return false;
  const auto [down, across] = taps_of(graph, reader);
  // Windows leave no rows out, and strips are mostly results.
  if (down.count * across.count > kMaxTaps || down.dilation != 1 || across.dilation != 1 || across.count > 5 ||
      down.stride > down.count || across.stride > 2)
    return false;
  // A strip has enough sums to keep the processor busy, and the panel that all its rows read stays near.
  constexpr std::int64_t kMinColumns = 7, kMaxProducts = 160;
  if (std::min(across.extent, (results_of_strip(across) - 1) * across.stride + across.count) < kMinColumns)
    return false;
  const auto points = points_of(graph, stored, image);
  return points && points->depth() <= kMaxProducts && points->flat_rows && points->channels % device.lanes == 0 &&
         sums_exactly(graph, *points);
}

void lower_block(ProgramBuilder& program, const Node& window, const Node& node) {
  const auto points = points_of(program.graph(), program.stored(), window.inputs[0]);
  Generator(program, window, node, *points).run();
}

}  // namespace slipway::lower
