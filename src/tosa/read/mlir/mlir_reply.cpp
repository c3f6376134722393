// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/mlir/mlir_reply.hpp"

#include <cmath>
#include <cstring>

#include "base/format.hpp"
#include "sandbox/sandbox.hpp"
#include "tensor/element.hpp"

namespace slipway::tosa {
namespace {

using sandbox::get_text;
using sandbox::put_text;

constexpr std::size_t kAlignment = 16;  // of data in a reply
constexpr std::uint32_t kMaxReplyRank = 64;

enum class Step : std::uint8_t { Input, Constant, Node };
enum class Where : std::uint8_t { Reply, Contents, Literal };

// The count of elements of a constant; empty for types that a constant cannot have.
std::optional<std::size_t> elements_of(const TensorType& type) {
  std::size_t count = 1;
  for (const std::int64_t extent : type.shape) {
    if (extent < 0 || __builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count)) return std::nullopt;
  }
  std::size_t size = 0;
  if (__builtin_mul_overflow(count, tensor::size_of(storage_of(type.data)), &size)) return std::nullopt;
  return count;
}

class Writer {
 public:
  Writer(const MlirReply& reply, Bytes contents) : reply_(reply), contents_(contents) {}

  std::vector<std::byte> run() {
    problems(reply_.problems);
    if (!reply_.problems.empty()) return to_.release();
    problems(reply_.warnings);
    graph();
    texts(reply_.input_names);
    texts(reply_.output_names);
    to_.write(reply_.functions);
    return to_.release();
  }

 private:
  void count(std::size_t value) { to_.write(static_cast<std::uint32_t>(value)); }
  void problems(const std::vector<MlirProblem>& list) {
    count(list.size());
    for (const MlirProblem& problem : list) {
      put_text(to_, name_of(problem.kind));
      put_text(to_, problem.text);
      line(problem.line);
      count(problem.notes.size());
      for (const auto& [text, where] : problem.notes) {
        put_text(to_, text);
        line(where);
      }
    }
  }
  void texts(const std::vector<std::string>& list) {
    count(list.size());
    for (const std::string& each : list) put_text(to_, each);
  }
  void line(const MlirLine& of) {
    to_.write(of.in_file).write(of.line).write(of.column);
    put_text(to_, of.in_file ? "" : of.file);
  }
  void type(const TensorType& of) {
    put_text(to_, name_of(of.data));
    count(of.shape.size());
    for (const std::int64_t extent : of.shape) to_.write(extent);
  }
  void ids(const std::vector<ValueId>& list) {
    count(list.size());
    for (const ValueId each : list) to_.write(static_cast<std::uint32_t>(each));
  }

  // The steps that build the graph, in the order of values.
  void graph() {
    const Graph& graph = reply_.graph;
    std::size_t next = 0;
    const auto nodes_until = [&](std::size_t end) {
      for (; next < end; ++next) node(graph.nodes[next], reply_.lines[next]);
    };
    for (const Value& value : graph.values) {
      switch (value.kind) {
        case ValueKind::Input:
          to_.write(true).write(Step::Input);
          type(value.type);
          put_text(to_, value.name);
          break;
        case ValueKind::Constant:
          to_.write(true).write(Step::Constant);
          type(value.type);
          constant(value.source);
          break;
        case ValueKind::Result:
          nodes_until(value.source + 1);
          break;
      }
    }
    nodes_until(graph.nodes.size());
    to_.write(false);
    ids(graph.outputs);
  }

  void constant(std::uint32_t index) {
    const Constant& of = reply_.graph.constants[index];
    to_.write(of.splat);
    for (const MlirLiteral& each : reply_.literals) {
      if (each.constant != index) continue;
      to_.write(Where::Literal).write(each.literal).write(each.elements.width).write(each.elements.is_f64);
      return line(each.line);
    }
    const bool inside =
        of.data.data() >= contents_.data() && of.data.data() + of.data.size() <= contents_.data() + contents_.size();
    to_.write(inside ? Where::Contents : Where::Reply).write(std::uint64_t{of.data.size()});
    if (inside) {
      to_.write(static_cast<std::uint64_t>(of.data.data() - contents_.data()));
    } else {
      to_.pad_to((to_.size() + kAlignment - 1) / kAlignment * kAlignment).append(of.data);
    }
  }

  void node(const Node& of, const MlirLine& where) {
    to_.write(true).write(Step::Node);
    put_text(to_, name_of(of.op));
    ids(of.inputs);
    count(of.outputs.size());
    for (const ValueId output : of.outputs) type(reply_.graph[output].type);
    put_text(to_, of.name);
    line(where);
    if (of.op == Op::CUSTOM) {
      for (const std::string* text : {&of.custom->domain, &of.custom->name, &of.custom->attributes})
        put_text(to_, *text);
      return;
    }
    count(of.attributes.entries().size());
    for (const Attributes::Entry& entry : of.attributes.entries()) {
      put_text(to_, entry.name);
      to_.write(entry.real);
      count(entry.integers.size());
      for (const std::int64_t each : entry.integers) to_.write(each);
    }
  }

  const MlirReply& reply_;
  Bytes contents_;
  ByteWriter to_;
};

class ReplyReader {
 public:
  ReplyReader(Bytes bytes, Bytes contents, const std::vector<std::uint64_t>& digits)
      : from_(bytes), contents_(contents), digits_(digits) {}

  std::optional<MlirReply> run() {
    problems(reply_.problems);
    if (reply_.problems.empty()) {
      problems(reply_.warnings);
      graph();
      texts(reply_.input_names, reply_.graph.inputs.size());
      texts(reply_.output_names, reply_.graph.outputs.size());
      reply_.functions = from_.read<std::uint32_t>();
    }
    if (bad_ || from_.failed() || from_.remaining() != 0) return std::nullopt;
    return std::move(reply_);
  }

 private:
  bool ended() const { return bad_ || from_.failed(); }
  void require(bool condition) { bad_ |= !condition; }
  bool flag() { return from_.read<std::uint8_t>() != 0; }
  // A count of things of which each takes `size` bytes at least.
  std::uint32_t count(std::size_t size) {
    const auto value = from_.read<std::uint32_t>();
    require(value <= from_.remaining() / size);
    return ended() ? 0 : value;
  }

  // One for each, or none.
  void texts(std::vector<std::string>& to, std::size_t expected) {
    const std::uint32_t size = count(8);
    require(size == 0 || size == expected);
    for (std::uint32_t i = 0; i < size && !ended(); ++i) to.push_back(get_text(from_));
  }
  MlirLine line() {
    MlirLine made;
    made.in_file = flag();
    made.line = from_.read<std::uint32_t>();
    made.column = from_.read<std::uint32_t>();
    made.file = get_text(from_);
    return made;
  }

  void problems(std::vector<MlirProblem>& to) {
    const std::uint32_t size = count(20);
    for (std::uint32_t i = 0; i < size && !ended(); ++i) {
      MlirProblem& problem = to.emplace_back();
      const std::string kind = get_text(from_);
      bool known = false;
      for (const DiagnosticKindInfo& each : diagnostic_kinds()) {
        if (each.name != kind) continue;
        problem.kind = each.kind;
        known = true;
      }
      require(known);
      problem.text = get_text(from_);
      problem.line = line();
      const std::uint32_t notes = count(20);
      for (std::uint32_t k = 0; k < notes && !ended(); ++k) {
        std::string text = get_text(from_);
        problem.notes.emplace_back(std::move(text), line());
      }
    }
  }

  TensorType type() {
    TensorType made;
    const auto data = data_type_from_name(get_text(from_));
    require(data.has_value());
    made.data = data.value_or(DataType::F32);
    const std::uint32_t rank = count(8);
    require(rank <= kMaxReplyRank);
    for (std::uint32_t i = 0; i < rank && !ended(); ++i) {
      made.shape.push_back(from_.read<std::int64_t>());
      require(made.shape.back() >= 0 || made.shape.back() == kDynamic || made.shape.back() == kUnranked);
    }
    return made;
  }

  std::vector<ValueId> ids() {
    std::vector<ValueId> made(count(4));
    for (ValueId& each : made) {
      each = static_cast<ValueId>(from_.read<std::uint32_t>());
      require(index(each) < reply_.graph.values.size());
    }
    return made;
  }

  void graph() {
    while (flag() && !ended()) {
      switch (from_.read<Step>()) {
        case Step::Input: {
          TensorType of = type();
          reply_.graph.add_input(std::move(of), get_text(from_));
          break;
        }
        case Step::Constant:
          constant();
          break;
        case Step::Node:
          node();
          break;
        default:
          bad_ = true;
      }
    }
    reply_.graph.outputs = ids();
  }

  void constant() {
    const TensorType of = type();
    const bool splat = flag();
    const auto where = from_.read<Where>();
    const auto elements = elements_of(of);
    require(elements.has_value());
    if (ended()) return;
    const std::size_t element = tensor::size_of(storage_of(of.data));
    if (where == Where::Literal) {
      MlirLiteral literal{.constant = static_cast<std::uint32_t>(reply_.graph.constants.size())};
      literal.literal = from_.read<std::uint32_t>();
      literal.elements.width = from_.read<std::uint32_t>();
      literal.elements.is_f64 = flag();
      literal.line = line();
      require(!splat && literal.literal < digits_.size() && literal.elements.width >= 1 &&
              literal.elements.width <= 64 && literal.elements.is_f64 <= (literal.elements.width == 64));
      if (ended()) return;
      require(literal.elements.holds(*elements, digits_[literal.literal] / 2));
      require(literal.elements.same_as(of.data) || !is_float(of.data) || literal.elements.is_f64);
      if (ended()) return;
      reply_.literals.push_back(std::move(literal));
      reply_.graph.add_constant(of, Bytes(), false);
      return;
    }
    const auto size = from_.read<std::uint64_t>();
    require(size == (splat ? element : *elements * element));
    Bytes data;
    if (where == Where::Contents) {
      const auto offset = from_.read<std::uint64_t>();
      require(offset <= contents_.size() && size <= contents_.size() - offset);
      if (!ended()) data = contents_.subspan(offset, size);
    } else {
      require(where == Where::Reply);
      from_.seek((from_.offset() + kAlignment - 1) / kAlignment * kAlignment);
      data = from_.take(size);
    }
    if (!ended()) reply_.graph.add_constant(of, data, splat);
  }

  void node() {
    const std::optional<Op> op = op_from_name(get_text(from_));
    require(op.has_value());
    std::vector<ValueId> inputs = ids();
    std::vector<TensorType> results(count(8));
    for (TensorType& each : results) each = type();
    std::string name = get_text(from_);
    MlirLine where = line();
    if (ended()) return;
    std::shared_ptr<const CustomOperator> custom;
    Attributes attributes;
    if (*op == Op::CUSTOM) {
      auto made = std::make_shared<CustomOperator>();
      made->domain = get_text(from_);
      made->name = get_text(from_);
      made->attributes = get_text(from_);
      custom = std::move(made);
    } else {
      const std::uint32_t entries = count(20);
      for (std::uint32_t i = 0; i < entries && !ended(); ++i) {
        const OperandInfo* operand = info_of(*op).operand(get_text(from_));
        require(operand != nullptr);
        const auto real = from_.read<double>();
        std::vector<std::int64_t> integers(count(8));
        for (std::int64_t& each : integers) each = from_.read<std::int64_t>();
        if (ended()) return;
        if (integers.empty() && operand->kind != OperandKind::List) {
          attributes.set_real(operand->name, real);
        } else {
          attributes.set(operand->name, std::move(integers));
        }
      }
    }
    if (ended()) return;
    reply_.graph.add_node(*op, std::move(inputs), std::move(attributes), std::move(results));
    reply_.graph.nodes.back().name = std::move(name);
    reply_.graph.nodes.back().custom = std::move(custom);
    reply_.lines.push_back(std::move(where));
  }

  ByteReader from_;
  Bytes contents_;
  const std::vector<std::uint64_t>& digits_;
  bool bad_ = false;
  MlirReply reply_;
};

}  // namespace

std::vector<std::byte> tail_of(const MlirRequest& request) {
  ByteWriter tail;
  put_text(tail, request.name);
  put_text(tail, request.entry);
  for (const std::uint64_t digits : request.literals) tail.write(digits);
  const std::uint64_t size = tail.size();
  tail.write(std::uint64_t{request.literals.size()}).write(size);
  return tail.release();
}

MlirRequest read_mlir_request(Bytes bytes) {
  constexpr std::size_t kEnd = 2 * sizeof(std::uint64_t);
  const auto literals = load<std::uint64_t>(bytes.data() + bytes.size() - kEnd);
  const auto tail = load<std::uint64_t>(bytes.data() + bytes.size() - kEnd + sizeof(std::uint64_t));
  MlirRequest request;
  request.contents = bytes.first(bytes.size() - kEnd - tail);
  ByteReader reader(bytes, request.contents.size());
  request.name = get_text(reader);
  request.entry = get_text(reader);
  for (std::uint64_t i = 0; i < literals; ++i) request.literals.push_back(reader.read<std::uint64_t>());
  return request;
}

bool MlirElements::holds(std::size_t count, std::size_t size) const {
  const bool bits = width == 1 && size == count / 8 + (count % 8 != 0) && count != size;
  return bits || (size % bytes() == 0 && size / bytes() == count);
}

bool MlirElements::same_as(DataType type) const {
  return bytes() == tensor::size_of(storage_of(type)) && (width % 8 == 0 || is_float(type)) && !is_f64;
}

std::expected<std::vector<std::byte>, std::string> MlirElements::convert(Bytes raw, std::size_t count,
                                                                         DataType type) const {
  const std::size_t size = tensor::size_of(storage_of(type)), from = bytes();
  const bool bits = width == 1 && raw.size() != count;
  std::vector<std::byte> made(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::byte* to = &made[i * size];
    if (bits || width == 1) {
      *to = bits ? raw[i / 8] >> (i % 8) & std::byte{1} : static_cast<std::byte>(raw[i] != std::byte{0});
    } else if (is_f64) {
      const auto value = static_cast<float>(load<double>(&raw[i * 8]));
      std::memcpy(to, &value, std::min(size, sizeof value));
    } else {
      std::uint64_t word = 0;
      std::memcpy(&word, &raw[i * from], from);
      const auto wide = static_cast<std::int64_t>(word << (64 - width)) >> (64 - width);
      if (size == 4 && wide != static_cast<std::int32_t>(wide))
        return std::unexpected(formatted("element {} is {}, which 32 bits do not hold", i, wide));
      std::memcpy(to, &wide, std::min(size, sizeof wide));
    }
  }
  return made;
}

std::string MlirElements::lost(Bytes raw, std::size_t count) const {
  for (std::size_t i = 0; is_f64 && i < count; ++i) {
    const auto value = load<double>(&raw[i * 8]);
    const auto narrow = static_cast<float>(value);
    if (std::isfinite(value) && (std::isinf(narrow) || (narrow == 0 && value != 0)))
      return formatted("element {} is {} of f64, which becomes {} in 32 bits", i, value, narrow);
  }
  return {};
}

std::vector<std::byte> write_mlir_reply(const MlirReply& reply, Bytes contents) {
  return Writer(reply, contents).run();
}

std::optional<MlirReply> read_mlir_reply(Bytes bytes, Bytes contents, const std::vector<std::uint64_t>& digits) {
  return ReplyReader(bytes, contents, digits).run();
}

}  // namespace slipway::tosa
