// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/qdq/quantised_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>

namespace slipway::importer {
namespace {

struct KindForm {
  std::string_view kind;
  QuantisedForm form;
};

// Operators that are computed as integers. Others stay operators of floats.
constexpr KindForm kForms[] = {
    {"Conv", QuantisedForm::Contraction},
    {"ConvTranspose", QuantisedForm::Contraction},
    {"Gemm", QuantisedForm::Contraction},
    {"MatMul", QuantisedForm::Contraction},

    {"AveragePool", QuantisedForm::Average},
    {"GlobalAveragePool", QuantisedForm::Average},

    {"DepthToSpace", QuantisedForm::Movement},
    {"Expand", QuantisedForm::Movement},
    {"Flatten", QuantisedForm::Movement},
    {"Gather", QuantisedForm::Movement},
    {"GlobalMaxPool", QuantisedForm::Movement},
    {"Identity", QuantisedForm::Movement},
    {"MaxPool", QuantisedForm::Movement},
    {"Pad", QuantisedForm::Movement},
    {"Reshape", QuantisedForm::Movement},
    {"Resize", QuantisedForm::Movement},
    {"Slice", QuantisedForm::Movement},
    {"SpaceToDepth", QuantisedForm::Movement},
    {"Split", QuantisedForm::Movement},
    {"Squeeze", QuantisedForm::Movement},
    {"Tile", QuantisedForm::Movement},
    {"Transpose", QuantisedForm::Movement},
    {"Unsqueeze", QuantisedForm::Movement},

    {"Concat", QuantisedForm::Join},

    {"Add", QuantisedForm::Pair},
    {"Mul", QuantisedForm::Pair},
    {"Sub", QuantisedForm::Pair},

    {"Abs", QuantisedForm::Function},
    {"Celu", QuantisedForm::Function},
    {"Clip", QuantisedForm::Function},
    {"Div", QuantisedForm::Function},
    {"Elu", QuantisedForm::Function},
    {"Erf", QuantisedForm::Function},
    {"Exp", QuantisedForm::Function},
    {"Gelu", QuantisedForm::Function},
    {"HardSigmoid", QuantisedForm::Function},
    {"HardSwish", QuantisedForm::Function},
    {"LeakyRelu", QuantisedForm::Function},
    {"Log", QuantisedForm::Function},
    {"Max", QuantisedForm::Function},
    {"Min", QuantisedForm::Function},
    {"Mish", QuantisedForm::Function},
    {"Neg", QuantisedForm::Function},
    {"PRelu", QuantisedForm::Function},
    {"Pow", QuantisedForm::Function},
    {"Reciprocal", QuantisedForm::Function},
    {"Relu", QuantisedForm::Function},
    {"Selu", QuantisedForm::Function},
    {"Sigmoid", QuantisedForm::Function},
    {"Softplus", QuantisedForm::Function},
    {"Softsign", QuantisedForm::Function},
    {"Sqrt", QuantisedForm::Function},
    {"Swish", QuantisedForm::Function},
    {"Tanh", QuantisedForm::Function},
    {"ThresholdedRelu", QuantisedForm::Function},
};

std::optional<QuantisedForm> form_of(const NetNode& node) {
  if (!node.domain.empty()) return std::nullopt;
  const auto found = std::ranges::find(kForms, node.kind, &KindForm::kind);
  return found == std::end(kForms) ? std::nullopt : std::optional(found->form);
}

bool has_domain_of(const NetNode& node, std::string_view kind) {
  return node.kind == kind && (node.domain.empty() || node.domain == "com.microsoft");
}

// Null: absent, or of another type.
template <class T>
const T* attribute(const NetNode& node, std::string_view name) {
  const auto found = node.attributes.find(name);
  return found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

bool has_result(const NetNode& node) { return !node.outputs.empty() && node.outputs[0] != kAbsent; }

bool is_given(const std::optional<QuantisedResult>& result) { return result.has_value(); }

struct RealLimits {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

class Finder {
 public:
  Finder(const NetGraph& graph, const std::set<NetValueId>& kept)
      : graph_(graph), producers_(graph.values.size()), uses_(graph.values.size()), kept_(graph.values.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      const NetNode& node = graph.nodes[i];
      for (const NetValueId id : node.outputs) {
        if (id != kAbsent) producers_[id] = i;
      }
      for (const NetValueId id : node.inputs) {
        if (id != kAbsent) uses_[id].push_back(i);
      }
      for (const auto& [name, value] : node.attributes) {
        const auto* inner = std::get_if<std::shared_ptr<const NetGraph>>(&value);
        if (!inner || !*inner) continue;
        for (const auto& [here, there] : (*inner)->captured) kept_[there] = true;
      }
    }
    for (const NetValueId id : graph.outputs) kept_[id] = true;
    for (const NetValueId id : kept) kept_[id] = true;
  }

  QuantisedGroups run() {
    QuantisedGroups found{.by_main = {}, .replaced = std::vector<bool>(graph_.nodes.size(), false)};
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (found.replaced[i]) continue;  // follows another one
      std::optional<QuantisedGroup> group = group_of(i);
      if (!group) continue;
      for (const std::size_t follower : group->followers) found.replaced[follower] = true;
      found.by_main.emplace(i, std::move(*group));
    }
    // A DequantizeLinear is computed if anything else uses it.
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const NetNode& node = graph_.nodes[i];
      if (!has_domain_of(node, "DequantizeLinear") || !has_result(node) || kept_[node.outputs[0]]) continue;
      found.replaced[i] = std::ranges::all_of(uses_[node.outputs[0]], [&](std::size_t user) {
        const auto group = found.by_main.find(user);
        return group != found.by_main.end() && takes(group->second, user, i);
      });
    }
    return found;
  }

 private:
  // Every operand that the DequantizeLinear makes is read before it.
  bool takes(const QuantisedGroup& group, std::size_t main, std::size_t source) const {
    const NetNode& node = graph_.nodes[main];
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k] != graph_.nodes[source].outputs[0]) continue;
      if (!group.sources[k] || group.sources[k]->node != source) return false;
    }
    return true;
  }

  const Array* constant(NetValueId id) const {
    while (id != kAbsent) {
      const NetValue& value = graph_.values[id];
      if (value.constant) return value.is_optional ? nullptr : &*value.constant;
      if (!producers_[id]) return nullptr;
      const NetNode& node = graph_.nodes[*producers_[id]];
      if (node.kind == "Constant" && node.domain.empty()) return attribute<Array>(node, "value");
      if (node.kind != "Identity" || !node.domain.empty() || node.inputs.empty()) return nullptr;
      id = node.inputs[0];
    }
    return nullptr;
  }

  // The scales and the zero points of QuantizeLinear and DequantizeLinear, if they are known.
  std::shared_ptr<const Quantization> parameters(const NetNode& node) const {
    if (node.inputs.size() < 2 || node.attributes.contains("block_size") || node.attributes.contains("precision"))
      return nullptr;
    const Array* const scale = constant(node.inputs[1]);
    if (!scale || scale->type != FileType::F32 || scale->count() == 0) return nullptr;
    Quantization made;
    for (const double each : scale->reals()) {
      if (!(each > 0) || std::isinf(each)) return nullptr;
      made.scales.push_back(static_cast<float>(each));
    }
    made.zero_points.assign(made.scales.size(), 0);
    if (node.inputs.size() > 2 && node.inputs[2] != kAbsent) {
      const Array* const zero = constant(node.inputs[2]);
      if (!zero || zero->count() != made.scales.size() || is_real(zero->type)) return nullptr;
      made.zero_points = zero->integers();
    }
    const auto* const axis = attribute<std::int64_t>(node, "axis");
    made.axis = axis ? *axis : 1;
    return std::make_shared<const Quantization>(std::move(made));
  }

  std::optional<QuantisedGroup::Source> source_of(NetValueId id) const {
    if (id == kAbsent || !producers_[id]) return std::nullopt;
    const NetNode& node = graph_.nodes[*producers_[id]];
    if (!has_domain_of(node, "DequantizeLinear") || node.attributes.contains("output_dtype")) return std::nullopt;
    const auto found = parameters(node);
    if (!found) return std::nullopt;
    return QuantisedGroup::Source{.node = *producers_[id], .quantization = found};
  }

  // The only node that uses a value.
  std::optional<std::size_t> user_of(NetValueId id) const {
    if (id == kAbsent || kept_[id] || uses_[id].size() != 1) return std::nullopt;
    return uses_[id][0];
  }

  // The limits of Relu and Clip; empty for other functions.
  std::optional<RealLimits> limits_of(const NetNode& node) const {
    if (!node.domain.empty()) return std::nullopt;
    if (node.kind == "Relu") return RealLimits{.low = 0};
    if (node.kind != "Clip") return std::nullopt;
    RealLimits limits;
    double* const parts[] = {&limits.low, &limits.high};
    const std::string_view names[] = {"min", "max"};
    for (std::size_t k = 0; k < 2; ++k) {
      if (const auto* const limit = attribute<double>(node, names[k])) *parts[k] = *limit;
      if (node.inputs.size() <= k + 1 || node.inputs[k + 1] == kAbsent) continue;
      const Array* const limit = constant(node.inputs[k + 1]);
      if (!limit || limit->count() != 1) return std::nullopt;
      *parts[k] = limit->real(0);
    }
    return limits.low <= limits.high ? std::optional(limits) : std::nullopt;
  }

  // From a result of the main node to its QuantizeLinear; empty: none follows.
  std::optional<QuantisedResult> result_of(NetValueId id, QuantisedForm form, std::vector<std::size_t>& followers) {
    std::vector<std::size_t> between;
    std::vector<RealLimits> limits;
    while (const auto user = user_of(id)) {
      const NetNode& node = graph_.nodes[*user];
      between.push_back(*user);
      if (has_domain_of(node, "QuantizeLinear") && node.inputs[0] == id) {
        auto made = quantised(node);
        if (!made) return std::nullopt;
        for (const RealLimits& each : limits) limit(*made, each);
        followers.insert(followers.end(), between.begin(), between.end());
        return made;
      }
      if (node.outputs.size() != 1) return std::nullopt;
      if (form == QuantisedForm::Function) {
        const auto own = form_of(node);
        const auto operand = single_operand(node);
        if (own != QuantisedForm::Function && own != QuantisedForm::Pair) return std::nullopt;
        if (!operand || node.inputs[*operand] != id) return std::nullopt;
      } else {
        const auto own = limits_of(node);
        if (!own || node.inputs[0] != id) return std::nullopt;
        limits.push_back(*own);
      }
      id = node.outputs[0];
    }
    return std::nullopt;
  }

  std::optional<QuantisedResult> quantised(const NetNode& node) const {
    const auto found = parameters(node);
    if (!found || found->scales.size() != 1 || node.attributes.contains("output_dtype") || !has_result(node))
      return std::nullopt;
    QuantisedResult made{.value = node.outputs[0], .scale = found->scale(), .zero = found->zero_point()};
    if (node.inputs.size() > 2 && node.inputs[2] != kAbsent) made.type = constant(node.inputs[2])->type;
    if (made.type == FileType::I8) {
      made.low = -128;
      made.high = 127;
    }
    return made.type == FileType::I8 || made.type == FileType::U8 ? std::optional(made) : std::nullopt;
  }

  // Rounding keeps the order of numbers, so that a limit may be set after it.
  static void limit(QuantisedResult& result, const RealLimits& by) {
    const auto stored = [&](double real) {
      const double scaled = std::nearbyint(static_cast<float>(real) / result.scale) + static_cast<double>(result.zero);
      return static_cast<std::int64_t>(
          std::clamp(scaled, static_cast<double>(result.low), static_cast<double>(result.high)));
    };
    const std::int64_t low = stored(by.low), high = stored(by.high);
    result.low = low;
    result.high = high;
  }

  std::optional<QuantisedGroup> group_of(std::size_t main) {
    const NetNode& node = graph_.nodes[main];
    const auto form = form_of(node);
    if (!form) return std::nullopt;
    QuantisedGroup group{.form = *form, .sources = {}, .results = {}, .function = {}, .followers = {}};
    for (const NetValueId id : node.inputs) group.sources.push_back(source_of(id));
    if (*form == QuantisedForm::Pair && single_operand(node)) group.form = QuantisedForm::Function;
    if (!has_sources(node, group)) return std::nullopt;
    for (const NetValueId id : node.outputs) {
      group.results.push_back(result_of(id, group.form, group.followers));
      const bool is_used = id != kAbsent && (kept_[id] || !uses_[id].empty());
      if (!group.results.back() && is_used && group.form != QuantisedForm::Contraction) return std::nullopt;
    }
    const bool has_one = group.results.size() == 1 && group.results[0];
    if (group.form == QuantisedForm::Contraction && group.results.size() != 1) return std::nullopt;
    if (group.form == QuantisedForm::Movement && std::ranges::none_of(group.results, &is_given)) return std::nullopt;
    if (group.form != QuantisedForm::Contraction && group.form != QuantisedForm::Movement && !has_one)
      return std::nullopt;
    if (group.form == QuantisedForm::Function && !add_function(main, group)) return std::nullopt;
    return group;
  }

  bool has_sources(const NetNode& node, const QuantisedGroup& group) const {
    const auto given = [&](std::size_t k) { return k < group.sources.size() && group.sources[k].has_value(); };
    const auto is_single = [&](std::size_t k) {
      return given(k) && group.sources[k]->quantization->scales.size() == 1;
    };
    switch (group.form) {
      case QuantisedForm::Contraction:
        return is_single(0) && given(1);
      case QuantisedForm::Movement:
      case QuantisedForm::Average:
        return is_single(0);
      case QuantisedForm::Pair:
        return node.inputs.size() == 2 && is_single(0) && is_single(1);
      case QuantisedForm::Join:
        for (std::size_t k = 0; k < node.inputs.size(); ++k) {
          if (!is_single(k)) return false;
        }
        return !node.inputs.empty();
      case QuantisedForm::Function:
        return single_operand(node).has_value() && is_single(*single_operand(node));
    }
    return false;
  }

  // The only operand that is not one known number.
  std::optional<std::size_t> single_operand(const NetNode& node) const {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == kAbsent) continue;
      const Array* const known = constant(node.inputs[k]);
      if (known && known->count() == 1 && known->shape.size() <= 1) continue;
      if (found) return std::nullopt;
      found = k;
    }
    return found;
  }

  // Copies the nodes from the main one to that before the QuantizeLinear.
  bool add_function(std::size_t main, QuantisedGroup& group) const {
    auto made = std::make_shared<NetGraph>();
    made->name = graph_.nodes[main].kind;
    made->values.push_back({.name = "x", .type = FileType::F32});
    made->inputs = {0};
    NetValueId last = 0;
    std::vector<std::size_t> nodes{main};
    nodes.insert(nodes.end(), group.followers.begin(), group.followers.end() - 1);
    for (const std::size_t each : nodes) {
      NetNode node = graph_.nodes[each];
      const auto operand = single_operand(node);
      if (!operand) return false;
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (node.inputs[k] == kAbsent) continue;
        if (k == *operand) {
          node.inputs[k] = last;
          continue;
        }
        const Array* const known = constant(node.inputs[k]);
        node.inputs[k] = static_cast<NetValueId>(made->values.size());
        made->values.push_back({.name = {}, .type = known->type, .constant = *known});
      }
      last = static_cast<NetValueId>(made->values.size());
      made->values.push_back({.name = {}, .type = FileType::F32});
      node.outputs = {last};
      made->nodes.push_back(std::move(node));
    }
    made->outputs = {last};
    group.function = std::move(made);
    return true;
  }

  const NetGraph& graph_;
  std::vector<std::optional<std::size_t>> producers_;  // by value
  std::vector<std::vector<std::size_t>> uses_;         // by value
  std::vector<bool> kept_;                             // by value
};

}  // namespace

QuantisedGroups find_quantised_groups(const NetGraph& graph, const std::set<NetValueId>& kept) {
  const bool has_any =
      std::ranges::any_of(graph.nodes, [](const NetNode& node) { return has_domain_of(node, "DequantizeLinear"); });
  if (!has_any) return {.by_main = {}, .replaced = std::vector<bool>(graph.nodes.size(), false)};
  return Finder(graph, kept).run();
}

}  // namespace slipway::importer
