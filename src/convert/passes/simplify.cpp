// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert/passes/simplify.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "base/system/resident_memory.hpp"
#include "convert/passes/fold.hpp"
#include "tensor/strided_copy.hpp"

namespace slipway::convert {
namespace {

using tosa::index;
using tosa::ValueId;
using tosa::ValueKind;

// Constants are hashed by type, size and a few of their bytes; only constants with equal hashes are compared.
std::size_t fingerprint(const tosa::Graph& graph, const tosa::Constant& constant) {
  constexpr std::size_t kSampled = 64;
  const std::size_t size = constant.data.size();
  const std::string_view bytes = text_of(constant.data);
  std::size_t hash = std::hash<std::string_view>()(bytes.substr(0, kSampled));
  const auto mix = [&](std::size_t with) { hash = hash * 0x9e3779b97f4a7c15 + with; };
  mix(std::hash<std::string_view>()(bytes.substr(size > kSampled ? size - kSampled : 0)));
  mix(std::hash<std::string_view>()(bytes.substr(size / 2, kSampled)));
  mix(size * 2 + constant.splat);
  const tosa::TensorType& type = graph[constant.value].type;
  mix(static_cast<std::size_t>(type.data));
  for (const std::int64_t extent : type.shape) mix(static_cast<std::size_t>(extent));
  return hash;
}

bool equal(const tosa::Graph& graph, const tosa::Constant& a, const tosa::Constant& b) {
  return graph[a.value].type == graph[b.value].type && a.splat == b.splat && a.data.size() == b.data.size() &&
         (a.data.data() == b.data.data() || std::memcmp(a.data.data(), b.data.data(), a.data.size()) == 0);
}

void merge_constants(tosa::Graph& graph) {
  std::unordered_multimap<std::size_t, ValueId> known;
  std::vector<ValueId> replacement(graph.values.size());
  for (std::size_t i = 0; i < replacement.size(); ++i) replacement[i] = static_cast<ValueId>(i);
  for (const tosa::Constant& constant : graph.constants) {
    const std::size_t key = fingerprint(graph, constant);
    const auto [begin, end] = known.equal_range(key);
    const auto same = std::find_if(
        begin, end, [&](const auto& each) { return equal(graph, *graph.constant(each.second), constant); });
    if (same == end)
      known.emplace(key, constant.value);
    else
      replacement[index(constant.value)] = same->second;
  }
  for (tosa::Node& node : graph.nodes) {
    for (ValueId& input : node.inputs) input = replacement[index(input)];
  }
  for (ValueId& output : graph.outputs) output = replacement[index(output)];
}

std::vector<std::uint32_t> use_counts(const tosa::Graph& graph) {
  std::vector<std::uint32_t> counts(graph.values.size());
  for (const tosa::Node& node : graph.nodes) {
    for (const ValueId input : node.inputs) ++counts[index(input)];
  }
  for (const ValueId output : graph.outputs) ++counts[index(output)];
  return counts;
}

// Renumbers after nodes, constants and values were removed.
void compact(tosa::Graph& graph, const std::vector<bool>& kept) {
  std::vector<ValueId> moved(graph.values.size(), tosa::kNoValue);
  std::vector<tosa::Value> values;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    if (!kept[i]) continue;
    moved[i] = static_cast<ValueId>(values.size());
    values.push_back(std::move(graph.values[i]));
  }
  graph.values = std::move(values);
  const auto move_all = [&](std::vector<ValueId>& list) {
    for (ValueId& value : list) value = moved[index(value)];
  };
  move_all(graph.inputs);
  move_all(graph.outputs);
  for (std::uint32_t c = 0; c < graph.constants.size(); ++c) {
    graph.constants[c].value = moved[index(graph.constants[c].value)];
    graph[graph.constants[c].value].source = c;
  }
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    move_all(graph.nodes[n].inputs);
    move_all(graph.nodes[n].outputs);
    for (const ValueId output : graph.nodes[n].outputs) graph[output].source = n;
  }
}

// Bytes of constants from which on transposes are deferred.
constexpr std::size_t kManyBytes = 1 << 20;

// Replaces constants by the results of nodes, each at the constant's position in the order, where `replace` has taken
// care of the data and returns true.
template <class Replace>
void replace_transposes(tosa::Graph& graph, Replace replace) {
  const std::vector<std::uint32_t> uses = use_counts(graph);
  std::vector<bool> gone(graph.nodes.size()), kept(graph.values.size(), true);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const tosa::Node& node = graph.nodes[i];
    if (node.op != tosa::Op::TRANSPOSE || uses[index(node.inputs[0])] != 1) continue;
    const tosa::Value& source = graph[node.inputs[0]];
    tosa::Value& result = graph[node.outputs[0]];
    if (source.kind != ValueKind::Constant || !result.type.is_static()) continue;
    tosa::Constant& constant = graph.constants[source.source];
    const auto perms = node.attributes.list("perms");
    if (!constant.splat && !replace(source.source, constant,
                                    DeferredTranspose{.data = constant.data,
                                                      .shape = source.type.shape,
                                                      .perms = {perms.begin(), perms.end()},
                                                      .element = tensor::size_of(storage_of(source.type.data))}))
      continue;
    constant.value = node.outputs[0];
    result.kind = ValueKind::Constant;
    result.source = source.source;
    kept[index(node.inputs[0])] = false;
    gone[i] = true;
  }
  std::size_t i = 0;
  std::erase_if(graph.nodes, [&](const tosa::Node&) { return gone[i++]; });
  compact(graph, kept);
}

bool is_deferred(const DeferredTranspose& transpose) { return transpose.data.size() >= kManyBytes; }

// Rows of the result: indices of its first dimension.
std::vector<std::byte> rows_of(const DeferredTranspose& of, std::int64_t first, std::int64_t count) {
  // Dimension d of the result is dimension perms[d] of the source (TOSA 1.0 TRANSPOSE).
  tensor::Shape strides(of.shape.size(), 1), extents, steps;
  for (std::size_t d = of.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * of.shape[d];
  for (const std::int64_t from : of.perms) {
    extents.push_back(of.shape[static_cast<std::size_t>(from)]);
    steps.push_back(strides[static_cast<std::size_t>(from)]);
  }
  std::vector<std::byte> rows(of.data.size() / static_cast<std::size_t>(extents[0]) * static_cast<std::size_t>(count));
  extents[0] = count;
  tensor::copy_strided(of.data.data() + first * steps[0] * static_cast<std::int64_t>(of.element), steps, extents,
                       of.element, rows);
  return rows;
}

void fold_transposes(tosa::Graph& graph, const SimplifyOptions& options) {
  replace_transposes(graph, [&](std::uint32_t, tosa::Constant& constant, const DeferredTranspose& transpose) {
    if (options.defers_transposes && is_deferred(transpose)) return false;
    graph.storage.push_back(std::make_shared<const std::vector<std::byte>>(rows_of(transpose, 0, transpose.rows())));
    release_mapped_pages(constant.data);
    constant.data = *graph.storage.back();
    return true;
  });
}

void drop_unused(tosa::Graph& graph) {
  std::vector<bool> needed(graph.values.size()), node_needed(graph.nodes.size());
  for (const ValueId value : graph.inputs) needed[index(value)] = true;
  for (const ValueId value : graph.outputs) needed[index(value)] = true;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    const tosa::Node& node = graph.nodes[i];
    const auto is_needed = [&](ValueId value) -> bool { return needed[index(value)]; };
    if (node.op != tosa::Op::CUSTOM && std::ranges::none_of(node.outputs, is_needed)) continue;
    node_needed[i] = true;
    for (const ValueId value : node.inputs) needed[index(value)] = true;
    for (const ValueId value : node.outputs) needed[index(value)] = true;
  }
  std::size_t i = 0;
  std::erase_if(graph.nodes, [&](const tosa::Node&) { return !node_needed[i++]; });
  std::erase_if(graph.constants, [&](const tosa::Constant& constant) { return !needed[index(constant.value)]; });
  compact(graph, needed);
}

}  // namespace

void simplify(tosa::Graph& graph, const SimplifyOptions& options) {
  if (options.fold) fold(graph);
  // Must come before transposes are folded, which changes constants that are used once.
  merge_constants(graph);
  if (options.fold) fold_transposes(graph, options);
  drop_unused(graph);
}

void DeferredTranspose::for_pieces(std::size_t bytes, const std::function<bool(Bytes)>& use) const {
  const std::int64_t all = rows();
  const std::size_t row = data.size() / static_cast<std::size_t>(all);
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(bytes / row, 1));
  for (std::int64_t first = 0; first < all; first += step) {
    if (!use(rows_of(*this, first, std::min(step, all - first)))) break;
  }
  release_mapped_pages(data);
}

DeferredTransposes defer_transposes(tosa::Graph& graph) {
  DeferredTransposes deferred;
  replace_transposes(graph, [&](std::uint32_t at, tosa::Constant& constant, DeferredTranspose transpose) {
    if (!is_deferred(transpose)) return false;
    deferred.emplace(at, std::move(transpose));
    constant.data = {};
    return true;
  });
  return deferred;
}

}  // namespace slipway::convert
