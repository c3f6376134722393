// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa_cases/random_case.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/format.hpp"
#include "reference/bounds.hpp"
#include "tensor/element.hpp"
#include "tosa_cases/matrix/parts.hpp"
#include "tosa_cases/predictable.hpp"

namespace slipway::tosa_cases {
namespace {

using List = std::vector<std::int64_t>;

class Drawer {
 public:
  Drawer(Op op, std::uint64_t seed, const RandomLimits& limits)
      : info_(tosa::info_of(op)),
        limits_(limits),
        make_(seed, Random(seed ^ 0x5eed).chance(50) ? Pattern::Edge : Pattern::Random),
        row_(info_.rows[static_cast<std::size_t>(make_.random.between(0, std::ssize(info_.rows) - 1))]) {
    const std::int64_t drawn = make_.random.between(1, 100);
    awkward_ = drawn > 95;
    most_ = limits.max_elements ? limits.max_elements : drawn <= 80 ? 256 : drawn <= 95 ? 4096 : 2000;
  }

  CaseParts draw() {
    shapes();
    CaseParts parts;
    for (const tosa::OperandInfo& operand : info_.operands) {
      if (operand.is_tensor()) continue;
      attribute(operand);
    }
    tensors();
    parts.tensors = std::move(tensors_);
    parts.constants = random().chance(50);
    parts.attributes = std::move(attributes_);
    for (const tosa::OperandInfo& result : info_.results) parts.results.push_back(type_of(result.type));
    return parts;
  }

 private:
  Random& random() { return make_.random; }
  DataType type_of(std::string_view name) const {
    if (const auto variable = info_.variable(name)) return row_.types[*variable];
    return *tosa::data_type_from_name(name);
  }
  std::int64_t attribute_or(std::int64_t neutral, std::int64_t low, std::int64_t high) {
    const std::int64_t drawn = random().between(low, high);
    return limits_.neutral_attributes ? neutral : drawn;
  }

  // --- shapes ---

  // Of a rank, with no more elements than the limit.
  Shape shape(std::size_t rank) {
    Shape made(rank, 1);
    std::int64_t left = most_;
    if (awkward_ && rank > 0) {  // one long dimension of a prime size
      made[static_cast<std::size_t>(random().between(0, std::ssize(made) - 1))] =
          random().pick<std::int64_t>({127, 251, 257, 509, 997, 1021});
      for (std::int64_t& extent : made) extent = std::min(extent, most_);
      return made;
    }
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = 0; i < rank; ++i)
      std::swap(order[i],
                order[static_cast<std::size_t>(random().between(static_cast<std::int64_t>(i), std::ssize(order) - 1))]);
    for (const std::size_t d : order) {
      made[d] = random().between(1, std::min<std::int64_t>(left, 12));
      left = std::max<std::int64_t>(left / made[d], 1);
    }
    return made;
  }
  std::size_t rank(std::int64_t least, std::int64_t most) {
    return static_cast<std::size_t>(random().between(least, most));
  }
  // Some products are long enough for kernels that work in tiles.
  std::int64_t large(std::int64_t most) const { return most_ > 256 ? 4 * most : most; }
  std::int64_t size(std::int64_t most) { return random().between(1, std::max<std::int64_t>(std::min(most, most_), 1)); }

  // Long, because each operator has its own shapes.
  void shapes() {
    switch (info_.op) {
      case Op::CONV2D:
      case Op::DEPTHWISE_CONV2D:
      case Op::TRANSPOSE_CONV2D:
        return convolution(2);
      case Op::CONV3D:
        return convolution(3);
      case Op::MATMUL: {
        const std::int64_t n = size(3), h = size(large(20)), c = size(large(40)), w = size(large(20));
        shapes_ = {Shape{n, h, c}, Shape{n, c, w}};
        return;
      }
      case Op::MATMUL_T: {
        const std::int64_t n = size(3), h = size(large(20)), c = size(large(40)), w = size(large(20));
        shapes_ = {Shape{n, h, c}, Shape{random().chance(50) ? 1 : n, w, c}};
        return;
      }
      case Op::CAST_TO_BLOCK_SCALED:
        shapes_ = {Shape{size(3), size(3), tosa::kBlockSize * size(3)}};
        return;
      case Op::CAST_FROM_BLOCK_SCALED: {
        const std::int64_t rows = size(4), blocks = size(3);
        shapes_ = {Shape{rows, tosa::kBlockSize * blocks}, Shape{rows, blocks}};
        return;
      }
      case Op::MATMUL_T_BLOCK_SCALED:
      case Op::CONV2D_BLOCK_SCALED: {
        const std::int64_t n = size(2), h = size(4), w = size(5), blocks = size(2), channels = size(4);
        const bool conv = info_.op == Op::CONV2D_BLOCK_SCALED;
        const Shape a = conv ? Shape{n, h, w, blocks} : Shape{n, h, blocks};
        const Shape b =
            conv ? Shape{channels, size(h), size(w), blocks} : Shape{random().chance(50) ? 1 : n, w, blocks};
        for (const Shape& scale : {a, b}) {
          Shape data = scale;
          data.back() *= tosa::kBlockSize;
          shapes_.insert(shapes_.end(), {data, scale});
        }
        shapes_.push_back({channels});
        return;
      }
      case Op::FFT2D:
      case Op::RFFT2D: {
        const auto side = [&] { return std::int64_t{1} << random().between(0, most_ >= 256 ? 4 : 2); };
        const Shape image = {size(3), side(), side()};
        shapes_.assign(info_.op == Op::FFT2D ? 2 : 1, image);
        return;
      }
      case Op::GATHER:
      case Op::ROW_GATHER:
      case Op::SCATTER: {
        const std::int64_t n = size(4), rows = size(12), channels = size(6);
        const std::int64_t width = info_.op == Op::SCATTER ? random().between(1, rows) : size(12);
        shapes_ = {Shape{n, rows, channels}, Shape{n, width}, Shape{n, width, channels}};
        return;
      }
      case Op::AVG_POOL2D:
      case Op::MAX_POOL2D:
      case Op::RESIZE:
        shapes_ = {Shape{size(3), size(16), size(16), size(5)}};
        return;
      case Op::MIN_SAD:
      case Op::MIN_SAD_COST:
      case Op::RAW_SAD: {
        const Shape image = {size(2), 1, random().between(4, 12), random().between(4, 12)};
        shapes_ = {image, image};
        return;
      }
      case Op::CONCAT: {
        const Shape first = shape(rank(1, 5));
        axis_ = random().between(0, std::ssize(first) - 1);
        shapes_.assign(static_cast<std::size_t>(random().between(1, 4)), first);
        for (Shape& each : shapes_) each[static_cast<std::size_t>(axis_)] = size(6);
        return;
      }
      default:
        break;
    }
    const bool broadcasts = info_.operands.size() > 1 && info_.results[0].min_rank == 0 &&
                            std::ranges::count_if(info_.operands, &tosa::OperandInfo::is_tensor) > 1 &&
                            info_.op != Op::TABLE && info_.op != Op::RESCALE;
    const std::int64_t least = std::ranges::find_if(info_.operands, &tosa::OperandInfo::is_tensor)->min_rank;
    const Shape whole = shape(rank(std::max<std::int64_t>(least, 0), 6));
    const auto count = static_cast<std::size_t>(std::ranges::count_if(info_.operands, &tosa::OperandInfo::is_tensor));
    shapes_.assign(count, whole);
    if (!broadcasts) return;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      if (random().chance(30)) shapes_[static_cast<std::size_t>(random().between(0, std::ssize(shapes_) - 1))][d] = 1;
    }
  }

  void convolution(std::size_t dimensions) {
    const bool depthwise = info_.op == Op::DEPTHWISE_CONV2D;
    const std::int64_t in_channels = size(large(9)), out_channels = size(large(9));
    Shape in = {size(2)}, weight;
    if (!depthwise) weight.push_back(out_channels);
    for (std::size_t d = 0; d < dimensions; ++d) {
      in.push_back(size(dimensions == 2 ? 10 : 6));
      weight.push_back(size(dimensions == 2 ? 4 : 3));
    }
    in.push_back(in_channels);
    weight.push_back(in_channels);
    if (depthwise) weight.push_back(size(3));
    const std::int64_t channels = depthwise ? in_channels * weight[3] : out_channels;
    shapes_ = {in, weight, Shape{random().chance(20) ? 1 : channels}};
  }

  // --- attributes ---

  void list(std::string_view name, std::size_t count, std::int64_t neutral, std::int64_t low, std::int64_t high) {
    List values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(attribute_or(neutral, low, high));
    attributes_.set(name, std::move(values));
  }

  void attribute(const tosa::OperandInfo& operand) {
    const DataType type = operand.type.empty() ? DataType::I32 : type_of(operand.type);
    switch (operand.kind) {
      case tosa::OperandKind::Flag:
        if (operand.optional && !(tosa::is_integer(row_.types[0]) && random().chance(50))) return;
        return attributes_.set(operand.name, attribute_or(0, 0, 1));
      case tosa::OperandKind::BlockSize:
        return attributes_.set(operand.name, tosa::kBlockSize);
      case tosa::OperandKind::NanMode:
        return attributes_.set(operand.name, attribute_or(1, 1, 2));
      case tosa::OperandKind::AccType: {
        for (const tosa::EnumerantName& each : tosa::enumerants(operand.kind)) {
          if (tosa::data_type_of(static_cast<tosa::AccType>(each.value)) == type_of("acc"))
            attributes_.set(operand.name, std::int64_t{each.value});
        }
        return;
      }
      case tosa::OperandKind::ResizeMode: {
        const bool same = row_.types[0] == row_.types[1],
                   nearest = same && (!tosa::is_float(row_.types[0]) || random().chance(50));
        return attributes_.set(operand.name, std::int64_t{nearest ? 1 : 2});
      }
      case tosa::OperandKind::RoundingMode:
        return attributes_.set(operand.name, random().chance(50) ? std::int64_t{1} : std::int64_t{3});
      case tosa::OperandKind::SearchPattern:
        return attributes_.set(operand.name, attribute_or(0, 0, 1));
      case tosa::OperandKind::ZeroPoint:
        return attributes_.set(operand.name, type == DataType::I8 ? attribute_or(0, -128, 127) : 0);
      case tosa::OperandKind::One:
        if (operand.name == "row_count") return attributes_.set(operand.name, random().between(1, shapes_[0][1]));
        if (operand.name == "shift")
          return attributes_.set(operand.name, row_.types[0] == DataType::I32 ? attribute_or(0, 0, 62) : 0);
        return scalar(operand.name, type);
      case tosa::OperandKind::Value:
        return scalar(operand.name, type);
      case tosa::OperandKind::Int:
        axis_ = info_.op == Op::CONCAT ? axis_ : random().between(0, std::ssize(shapes_[0]) - 1);
        return attributes_.set(operand.name, axis_);
      case tosa::OperandKind::List:
        return list_attribute(operand.name);
      default:
        return;
    }
  }

  void scalar(std::string_view name, DataType type) {
    const Tensor value = make_.random_tensor(type, {1});
    if (value.is_float())
      attributes_.set_real(name, value.reals[0]);
    else
      attributes_.set(name, value.integers[0]);
    // The limits of CLAMP must be in order.
    if (name != "max_val") return;
    const double low = attributes_.real("min_val"), high = attributes_.real("max_val");
    if (high >= low) return;
    for (const auto& [limit, to] : {std::pair{"min_val", high}, {"max_val", low}}) {
      if (value.is_float())
        attributes_.set_real(limit, to);
      else
        attributes_.set(limit, static_cast<std::int64_t>(to));
    }
  }

  void list_attribute(std::string_view name) {
    const Shape& in = shapes_[0];
    const auto rank = in.size();
    if (name == "kernel") {
      attributes_.set(name, {random().between(1, std::min<std::int64_t>(in[1] + 2, 5)),
                             random().between(1, std::min<std::int64_t>(in[2] + 2, 5))});
    } else if (name == "pad" && attributes_.has("kernel")) {
      List pad;
      for (std::size_t i = 0; i < 4; ++i) pad.push_back(attribute_or(0, 0, attributes_.list("kernel")[i / 2] - 1));
      attributes_.set(name, pad);
    } else if (name == "pad") {
      list(name, 2 * (rank - 2), 0, 0, 3);
    } else if (name == "out_pad") {
      List pad;
      for (std::size_t i = 0; i < 4; ++i) pad.push_back(attribute_or(0, 1 - shapes_[1][1 + i / 2], 3));
      attributes_.set(name, pad);
    } else if (name == "stride" || name == "dilation") {
      list(name, rank - 2, 1, 1, 3);
    } else if (name == "padding" && info_.op == Op::PAD) {
      list(name, 2 * rank, 0, 0, 3);
    } else if (name == "shape") {
      List dims = {1};
      for (const std::int64_t extent : in) {
        if (random().chance(50))
          dims.push_back(extent);
        else
          dims.back() *= extent;
      }
      attributes_.set(name, std::vector(dims.begin(), dims.begin() + std::min<std::ptrdiff_t>(std::ssize(dims), 6)));
    } else if (name == "start") {
      List start, size;
      for (const std::int64_t extent : in) {
        start.push_back(attribute_or(0, 0, extent - 1));
        size.push_back(random().between(1, extent - start.back()));
      }
      attributes_.set("start", start);
      attributes_.set("size", size);
    } else if (name == "multiples") {
      list(name, rank, 1, 1, 3);
    } else if (name == "perms") {
      List perms(rank);
      std::iota(perms.begin(), perms.end(), 0);
      for (std::size_t i = rank; !limits_.neutral_attributes && i > 1; --i)
        std::swap(perms[i - 1], perms[static_cast<std::size_t>(random().between(0, static_cast<std::int64_t>(i) - 1))]);
      attributes_.set(name, perms);
    } else if (name == "scale") {
      resize();
    } else if (name == "kernel_sizes") {
      motion();
    }
  }

  void resize() {
    List scale, offset, border;
    for (const std::size_t d : {1u, 2u}) {
      const std::int64_t n = attribute_or(1, 1, 24), d_of = attribute_or(1, 1, 24);
      scale.insert(scale.end(), {n, d_of});
      offset.push_back(attribute_or(0, -n, 2 * n));
      // The first border, from a random one on, for which the sizes divide.
      std::int64_t b = random().between(-2 * n, n - 1);
      while (b < n - 1 && ((shapes_[0][d] - 1) * n - offset.back() + b) % d_of != 0) ++b;
      border.push_back(b);
    }
    attributes_.set("scale", scale);
    attributes_.set("offset", offset);
    attributes_.set("border", border);
  }

  // A search around each position of the image.
  void motion() {
    const std::int64_t radius = random().between(0, 2);
    for (const std::string_view name : {"kernel_sizes", "input_strides", "window_strides"}) list(name, 2, 1, 1, 3);
    attributes_.set("search_window_sizes", {2 * radius + 1, 2 * radius + 1});
    attributes_.set("window_offsets", {radius, radius});
    list("padding", 2, 0, 0, 2);
  }

  // --- data ---

  void tensors() {
    std::size_t next = 0;
    for (const tosa::OperandInfo& operand : info_.operands) {
      if (!operand.is_tensor()) continue;
      for (const std::size_t last = operand.variadic ? shapes_.size() : next + 1; next < last; ++next)
        tensors_.push_back(limits_.zero_data ? Tensor::zeros({data_type(operand), tensor_shape(next)})
                                             : tensor(operand, next));
    }
  }

  DataType data_type(const tosa::OperandInfo& operand) {
    if (info_.op == Op::RESCALE && operand.name == "multiplier")
      return attributes_.flag("scale32") ? DataType::I32 : DataType::I16;
    return type_of(operand.type);
  }
  Shape tensor_shape(std::size_t number) {
    if (number == 0) return shapes_[0];
    if (info_.op == Op::TABLE) return {row_.types[0] == DataType::I8 ? 256 : 513};
    if (info_.op == Op::RESCALE)
      return {attributes_.flag("per_channel") && !shapes_[0].empty() ? shapes_[0].back() : 1};
    return shapes_[number];
  }

  Tensor tensor(const tosa::OperandInfo& operand, std::size_t number) {
    const DataType type = data_type(operand);
    const Shape shape = tensor_shape(number);
    const auto limited = [&](double low, double high) {
      return make_.random_tensor(type, shape, ValueRange{low, high});
    };
    if (info_.op == Op::TABLE && number == 1) return type == DataType::I8 ? limited(-128, 127) : limited(-16000, 16000);
    if (info_.op == Op::RESCALE && number == 1) return limited(0, static_cast<double>(reference::max_integer(type)));
    if (info_.op == Op::RESCALE && number == 2) return limited(tosa::bits_of(row_.types[0]) + 2, 55);
    if (info_.op == Op::GATHER && number == 1) return limited(0, static_cast<double>(shapes_[0][1] - 1));
    if (info_.op == Op::ROW_GATHER && number == 1)
      return limited(0, static_cast<double>(shapes_[0][1] - attributes_.integer("row_count")));
    if (type == DataType::F8E8M0) return limited(0.25, 4);
    if (info_.op == Op::SCATTER && number == 1) return distinct(shape);
    if (info_.op == Op::POW) return number == 0 ? limited(0x1p-6, 16) : limited(-2, 2);
    const bool shifts = info_.op == Op::ARITHMETIC_RIGHT_SHIFT || info_.op == Op::LOGICAL_LEFT_SHIFT ||
                        info_.op == Op::LOGICAL_RIGHT_SHIFT;
    if (shifts && number == 1) return limited(0, tosa::bits_of(type) - 1);
    if (tosa::is_float(type)) {
      const bool sums = info_.operand("acc_type") || info_.op == Op::MATMUL || info_.op == Op::MATMUL_T ||
                        info_.op == Op::FFT2D || info_.op == Op::RFFT2D;
      const bool narrows = info_.op == Op::CAST && !tosa::is_float(row_.types[1]);
      return sums || narrows ? limited(-100, 100) : make_.tensor(type, shape);
    }
    if (type == DataType::I32 && info_.op != Op::BITWISE_AND && info_.op != Op::EQUAL && info_.op != Op::CAST) {
      const double size = info_.op == Op::MUL ? 0x1p15 : 0x1p24;
      return limited(-size, size);
    }
    return type == DataType::I48 ? limited(-0x1p40, 0x1p40) : make_.tensor(type, shape);
  }

  // Distinct indices.
  Tensor distinct(const Shape& shape) {
    Tensor indices = Tensor::zeros({DataType::I32, shape});
    for (std::int64_t batch = 0; batch < shape[0]; ++batch) {
      List order(static_cast<std::size_t>(shapes_[0][1]));
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = 0; i < static_cast<std::size_t>(shape[1]); ++i) {
        std::swap(
            order[i],
            order[static_cast<std::size_t>(random().between(static_cast<std::int64_t>(i), std::ssize(order) - 1))]);
        indices.integers[static_cast<std::size_t>(batch * shape[1]) + i] = order[i];
      }
    }
    return indices;
  }

  const tosa::OperatorInfo& info_;
  RandomLimits limits_;
  TensorBuilder make_;
  const tosa::TypeRow& row_;
  bool awkward_ = false;
  std::int64_t most_ = 256, axis_ = 0;
  std::vector<Shape> shapes_;
  std::vector<Tensor> tensors_;
  Attributes attributes_;
};

std::string json_number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return tensor::shortest_text(value);
}

std::string json_tensor(const Tensor& tensor) {
  static constexpr std::pair<DataType, std::string_view> kNames[] = {
      {DataType::F16, "fp16"}, {DataType::F32, "fp32"}, {DataType::F8E4M3, "fp8e4m3"}, {DataType::F8E5M2, "fp8e5m2"}};
  std::string_view name = tosa::name_of(tensor.type.data);
  for (const auto& [type, text] : kNames) {
    if (type == tensor.type.data) name = text;
  }
  std::string text =
      formatted("\"type\": \"{}\", \"shape\": {}, \"data\": [", name, tensor::shape_text(tensor.type.shape));
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    text += i ? ", " : "";
    text += tensor.is_float() ? json_number(tensor.reals[i]) : formatted("{}", tensor.integers[i]);
  }
  return text + "]";
}

std::string json_attributes(const OperatorCase& made) {
  std::string text;
  for (const Attributes::Entry& entry : made.node().attributes.entries()) {
    text += formatted("{}\"{}\": ", text.empty() ? "" : ", ", entry.name);
    const tosa::OperandInfo& operand = *tosa::info_of(made.node().op).operand(entry.name);
    const auto names = tosa::enumerants(operand.kind);
    const auto named = std::ranges::find(names, entry.integers.empty() ? -1 : entry.integers[0],
                                         [](const tosa::EnumerantName& each) { return std::int64_t{each.value}; });
    if (named != names.end())
      text += formatted("\"{}\"", named->name);
    else if (operand.kind == tosa::OperandKind::List)
      text += tensor::shape_text(entry.integers);
    else
      text += entry.integers.empty() ? json_number(entry.real) : formatted("{}", entry.integers[0]);
  }
  return text;
}

}  // namespace

std::optional<OperatorCase> random_case(Op op, std::uint64_t seed, const RandomLimits& limits) {
  Diagnostics problems;
  auto made =
      make_case(formatted("{}/seed {:#x}", tosa::name_of(op), seed), op, Drawer(op, seed, limits).draw(), problems);
  if (!made || !is_predictable(*made)) return std::nullopt;
  std::uint64_t elements = 0;
  for (const tosa::ValueId output : made->graph.outputs)
    elements += tensor::element_count(made->graph[output].type.shape).value_or(0);
  if (elements > 1u << 16) return std::nullopt;
  return made;
}

OperatorCase shrink(Op op, std::uint64_t seed, const std::function<bool(const OperatorCase&)>& fails) {
  for (const std::int64_t most : {1, 2, 4, 8, 16, 32, 64, 128, 0}) {
    for (const bool neutral : {true, false}) {
      for (const bool zero : {true, false}) {
        auto made = random_case(op, seed, {most, neutral, zero});
        if (made && fails(*made)) return std::move(*made);
      }
    }
  }
  throw std::logic_error("the case that failed does not fail any more");
}

std::string json_of(const OperatorCase& made) {
  std::vector<const Tensor*> operands;
  for (const Tensor& operand : made.operands) operands.push_back(&operand);
  const auto results = reference::run_node(made.graph, made.node(), operands);
  std::string inputs, outputs;
  std::size_t next = 0;
  for (const tosa::OperandInfo& operand : tosa::info_of(made.node().op).operands) {
    if (!operand.is_tensor()) continue;
    for (const std::size_t last = operand.variadic ? made.operands.size() : next + 1; next < last; ++next)
      inputs += formatted("{}{{\"name\": \"{}\", {}}}", inputs.empty() ? "" : ", ", operand.name,
                          json_tensor(made.operands[next]));
  }
  const auto allowed = *reference::bounds(made.graph, made.node(), operands, *results);
  for (std::size_t r = 0; r < results->values.size(); ++r) {
    const Tensor& value = results->values[r];
    outputs += formatted("{}{{{}", outputs.empty() ? "" : ", ", json_tensor(value));
    if (value.is_float()) {
      std::string ref, bound;
      for (std::size_t i = 0; i < value.reals.size(); ++i) {
        ref += (i ? ", " : "") + json_number(results->unrounded[r][i]);
        bound += (i ? ", " : "") + json_number(allowed[r][i]);
      }
      outputs += formatted(", \"check\": \"fp_bound\", \"ref64\": [{}], \"bound\": [{}]", ref, bound);
    } else {
      outputs += ", \"check\": \"exact\"";
    }
    outputs += "}";
  }
  return formatted(
      "{{\"id\": \"{}\", \"op\": \"{}\", \"expect\": \"valid\", \"legal_1_0\": true, \"attrs\": {{{}}}, "
      "\"inputs\": [{}], \"outputs\": [{}]}}",
      made.name, tosa::name_of(made.node().op), json_attributes(made), inputs, outputs);
}

}  // namespace slipway::tosa_cases
