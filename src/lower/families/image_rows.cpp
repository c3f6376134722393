#include "lower/families/image_rows.hpp"

#include "lower/families/operands.hpp"

namespace slipway::lower {

std::optional<ImageRows> ImageRows::of(const ProgramBuilder& program, const Contraction& c, std::int64_t unit) {
  if (c.is_matmul) return std::nullopt;
  const tosa::Graph& graph = program.graph();
  ImageRows rows;
  rows.unit_ = unit;
  rows.source_ = c.a;
  const tensor::Shape &image = graph[c.a].type.shape, &weight = graph[c.b].type.shape,
                      &out = graph[c.node->outputs[0]].type.shape;
  std::vector<std::int64_t> start(image.size(), 0);
  if (!program.stored()[index(c.a)]) {
    const tosa::Node& view = *graph.producer(c.a);
    if (view.op != tosa::Op::SLICE) return std::nullopt;
    rows.source_ = view.inputs[0];
    start.assign_range(view.attributes.list("start"));
  }
  const tensor::Shape& whole = graph[rows.source_].type.shape;
  const bool units = image.back() % unit == 0 && whole.back() % unit == 0 && start.back() % unit == 0;
  if (!units || !program.stored()[index(rows.source_)] || program.widened(rows.source_)) return std::nullopt;

  const std::size_t spatial = image.size() - 2;
  rows.strides_.assign(spatial + 1, 0);
  std::int64_t stride = whole.back() / unit;
  rows.start_ = start.back() / unit;
  for (std::size_t d = spatial + 1; d-- > 0;) {
    rows.strides_[d] = stride;
    rows.start_ += start[d] * stride;
    stride *= whole[d];
  }
  const auto pad = c.node->attributes.list("pad"), step = c.node->attributes.list("stride"),
             dilation = c.node->attributes.list("dilation");
  rows.counts_.push_back(out[0]);
  for (std::size_t i = 0; i < spatial; ++i) {
    rows.counts_.push_back(out[1 + i]);
    rows.kernel_.push_back(weight[1 + i]);
    rows.extent_.push_back(image[1 + i]);
    rows.pad_.push_back(pad[2 * i]);
    rows.step_.push_back(step[i]);
    rows.dilation_.push_back(dilation[i]);
    rows.padded_.push_back(pad[2 * i] != 0 || pad[2 * i + 1] != 0);
  }
  rows.kernel_.push_back(image.back() / unit);
  return rows;
}

ImageRows::Row ImageRows::row(Kernel& k, Value number) const {
  Row row{.begin = k.integer(start_), .first = std::vector<Value>(step_.size())};
  for (std::size_t d = counts_.size(); d-- > 0;) {
    const Value next = d == 0 ? k.integer(0) : k.unsigned_divide(number, k.integer(counts_[d]));
    Value at = d == 0 ? number : number - next * counts_[d];
    number = next;
    if (d > 0) at = row.first[d - 1] = at * step_[d - 1] - pad_[d - 1];
    row.begin = row.begin + at * strides_[d];
  }
  return row;
}

ImageRows::Tap ImageRows::tap(Kernel& k, Value product) const {
  Tap tap{.distance = {}, .offset = std::vector<Value>(step_.size())};
  Value rest = k.unsigned_divide(product, k.integer(kernel_.back()));
  tap.distance = product - rest * kernel_.back();
  for (std::size_t d = step_.size(); d-- > 0;) {
    const Value next = d == 0 ? k.integer(0) : k.unsigned_divide(rest, k.integer(kernel_[d]));
    tap.offset[d] = (d == 0 ? rest : rest - next * kernel_[d]) * dilation_[d];
    tap.distance = tap.distance + tap.offset[d] * strides_[d + 1];
    rest = next;
  }
  return tap;
}

Value ImageRows::inside(Kernel& k, const Row& row, const Tap& tap) const {
  Value inside = k.boolean(true);
  for (std::size_t d = 0; d < extent_.size(); ++d) {
    if (padded_[d]) inside = inside & k.unsigned_less(row.first[d] + tap.offset[d], k.integer(extent_[d]));
  }
  return inside;
}

}  // namespace slipway::lower
