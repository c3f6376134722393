// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/bind.hpp"

#include <algorithm>
#include <ranges>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::importer {
namespace {

constexpr std::string_view kBatchNames[] = {"", "batch", "batch_size", "N", "bs", "B", "None", "?"};

class Binder {
 public:
  Binder(const Net& net, const NamedInterface& names, const ImportOptions& options, Diagnostics& diagnostics)
      : net_(net), names_(names), options_(options), diagnostics_(diagnostics) {}

  std::optional<Interface> bind() {
    const std::size_t before = diagnostics_.errors();
    check_names(net_, options_, diagnostics_);
    if (diagnostics_.errors() != before) return std::nullopt;  // a dimension may be open because of it
    for (const auto& [name, id] : names_.inputs) collect(name, names_.graph->values[id]);
    Interface interface{.graph = names_.graph, .inputs = {}, .outputs = {}};
    for (const auto& [name, id] : names_.inputs) {
      if (auto input = bound(name, id)) interface.inputs.push_back(std::move(*input));
    }
    report_open();
    add_outputs(interface);
    return diagnostics_.errors() == before ? std::optional(std::move(interface)) : std::nullopt;
  }

 private:
  SourceLocation here() const { return SourceLocation::in_file(net_.file); }

  std::optional<tensor::Shape> given(const std::string& name) const {
    if (options_.shape_of) {
      if (auto shape = options_.shape_of(name)) return shape;
    }
    const auto found = options_.shapes.find(name);
    return found == options_.shapes.end() ? std::nullopt : std::optional(found->second);
  }

  // Learns the extents of symbols from the shapes that are given.
  void collect(const std::string& name, const NetValue& value) {
    const auto shape = given(name);
    if (!shape || !value.shape || shape->size() != value.shape->size()) return;
    for (std::size_t d = 0; d < shape->size(); ++d) {
      const std::string& symbol = (*value.shape)[d].symbol;
      if ((*value.shape)[d].extent >= 0 || symbol.empty()) continue;
      const auto option = options_.dimensions.find(symbol);
      if (option != options_.dimensions.end() && option->second != (*shape)[d]) {
        diagnostics_.error(DiagnosticKind::ShapeMismatch, here(),
                           formatted("the dimension `{}` is {} in `{}` and {} in the options; it has to be the same",
                                     symbol, (*shape)[d], name, option->second));
      }
      const auto [known, added] = symbols_.emplace(symbol, std::pair((*shape)[d], name));
      if (!added && known->second.first != (*shape)[d]) {
        diagnostics_.error(DiagnosticKind::ShapeMismatch, here(),
                           formatted("the dimension `{}` is {} in `{}` and {} in `{}`; it has to be the same", symbol,
                                     known->second.first, known->second.second, (*shape)[d], name));
      }
    }
  }

  std::optional<InterfaceInput> bound(const std::string& name, NetValueId id) {
    const NetValue& value = names_.graph->values[id];
    InterfaceInput input{.name = name, .value = id, .type = value.type, .shape = {}, .elements = {}};
    auto shape = given(name);
    // Values of the command line are a list also where the model has a single one.
    if (shape && value.shape && value.shape->empty() && *shape == tensor::Shape{1}) shape->clear();
    if (value.is_optional && value.constant && !shape) {
      input.elements = value.constant;
      input.in_graph = false;
      return input;
    }
    if (value.type >= FileType::String) {
      diagnostics_.error(
          DiagnosticKind::Unsupported, here(),
          value.type == FileType::Unknown
              ? formatted("input `{}` is not a tensor, and cannot be converted", name)
              : formatted("input `{}` is a tensor of {}, which cannot be converted", name, name_of(value.type)));
      return std::nullopt;
    }
    if (!value.shape) {
      if (!shape) {
        open_.push_back(formatted("the shape of `{}`", name));
        hints_.push_back(formatted("--shape {}=...", name));
        return std::nullopt;
      }
      input.shape = *shape;
      return input;
    }
    if (shape && shape->size() != value.shape->size()) {
      diagnostics_.error(DiagnosticKind::ShapeMismatch, here(),
                         formatted("input `{}` has rank {} and is given the shape {}", name, value.shape->size(),
                                   tensor::shape_text(*shape)));
      return std::nullopt;
    }
    for (std::size_t d = 0; d < value.shape->size(); ++d)
      input.shape.push_back(extent(name, (*value.shape)[d], d, shape ? (*shape)[d] : -1));
    return input;
  }

  std::int64_t extent(const std::string& name, const Dimension& dimension, std::size_t d, std::int64_t given) {
    if (dimension.extent >= 0) {
      if (given >= 0 && given != dimension.extent) {
        diagnostics_.error(
            DiagnosticKind::ShapeMismatch, here(),
            formatted("dimension {} of input `{}` is {} in the model and {} here", d, name, dimension.extent, given));
      }
      return dimension.extent;
    }
    if (given >= 0) return given;
    if (const auto of_symbol = symbols_.find(dimension.symbol);
        !dimension.symbol.empty() && of_symbol != symbols_.end())
      return of_symbol->second.first;
    if (const auto chosen = options_.dimensions.find(dimension.symbol); chosen != options_.dimensions.end())
      return chosen->second;
    if (d == 0 && is_batch(dimension.symbol)) {
      if (noted_.insert(dimension.symbol).second) {
        diagnostics_
            .remark(DiagnosticKind::OpenDimension, here(),
                    formatted("dimension 0 (`{}`) of input `{}` is open; it is 1 here", dimension.symbol, name))
            .hint(dimension.symbol.empty() ? formatted("see --shape {}", name)
                                           : formatted("see --dim {}", dimension.symbol));
      }
      return 1;
    }
    if (!dimension.symbol.empty() && !noted_.insert(dimension.symbol).second) return 1;
    open_.push_back(dimension.symbol.empty() ? formatted("{} of `{}`", d, name)
                                             : formatted("`{}` (`{}`)", dimension.symbol, name));
    hints_.push_back(dimension.symbol.empty() ? formatted("--shape {}=...", name)
                                              : formatted("--dim {}=...", dimension.symbol));
    return 1;
  }

  // A dimension that is the first of every input that has it.
  bool is_batch(const std::string& symbol) const {
    if (!std::ranges::contains(kBatchNames, symbol) && !symbol.starts_with("unk__")) return false;
    for (const auto& [name, id] : names_.inputs) {
      const NetValue& value = names_.graph->values[id];
      for (std::size_t d = 1; value.shape && d < value.shape->size(); ++d) {
        if ((*value.shape)[d].extent < 0 && (*value.shape)[d].symbol == symbol && !symbol.empty()) return false;
      }
    }
    return true;
  }

  void report_open() {
    if (open_.empty()) return;
    std::string list, hint;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      list += formatted("{}{}", i ? ", " : "", open_[i]);
      if (!hint.contains(hints_[i])) hint += formatted("{}{}", hint.empty() ? "" : " ", hints_[i]);
    }
    diagnostics_
        .error(DiagnosticKind::OpenDimension, here(),
               formatted("{} {} open: {}", open_.size(), open_.size() == 1 ? "dimension is" : "dimensions are", list))
        .hint(formatted("add {}", hint));
  }

  void add_outputs(Interface& interface) {
    for (const auto& [name, id] : names_.outputs) interface.outputs.push_back({name, id});
    for (const std::string& name : options_.expose) {
      const auto& values = names_.graph->values;
      const auto found = std::ranges::find(values, name, &NetValue::name);
      if (found == values.end()) {
        Diagnostic& problem = diagnostics_.error(DiagnosticKind::UnknownReference, here(),
                                                 formatted("the model has no tensor `{}`", name));
        if (const auto near = closest(name, values | std::views::transform(&NetValue::name)))
          problem.hint(formatted("did you mean `{}`?", *near));
        continue;
      }
      interface.outputs.push_back({name, static_cast<NetValueId>(found - values.begin())});
    }
    if (options_.expose_nodes) add_results(interface);
  }

  // Those of functions are not tensors of the file.
  void add_results(Interface& interface) const {
    std::set<NetValueId> known;
    std::set<std::string> names;
    for (const InterfaceOutput& output : interface.outputs) {
      known.insert(output.value);
      names.insert(output.name);
    }
    for (const NetNode& node : names_.graph->nodes) {
      for (const NetValueId id : node.outputs) {
        if (!node.path.empty() || id == kAbsent || !known.insert(id).second) continue;
        const std::string& name = names_.graph->values[id].name;
        if (!name.empty() && names.insert(name).second)
          interface.outputs.push_back({.name = name, .value = id, .is_optional = true});
      }
    }
  }

  const Net& net_;
  const NamedInterface& names_;
  const ImportOptions& options_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::pair<std::int64_t, std::string>> symbols_;  // extent, and the input that gave it
  std::set<std::string> noted_;
  std::vector<std::string> open_, hints_;
};

}  // namespace

std::optional<NamedInterface> named_interface(const Net& net, const std::string& signature, Diagnostics& diagnostics) {
  const Signature* chosen = nullptr;
  for (const Signature& each : net.signatures) {
    const bool is_default = each.key == "serving_default" || !chosen;
    if (signature.empty() ? is_default : each.key == signature) chosen = &each;
  }
  if (!signature.empty() && !chosen) {
    std::string keys;
    for (const Signature& each : net.signatures) keys += formatted("{}`{}`", keys.empty() ? "" : ", ", each.key);
    Diagnostic& error = diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(net.file),
                                          formatted("the model has no signature `{}`", signature));
    if (!keys.empty()) error.hint(formatted("it has {}", keys));
    return std::nullopt;
  }
  NamedInterface named;
  named.graph = chosen ? net.graphs[chosen->graph].get() : net.graphs.front().get();
  const auto name_all = [&](const std::vector<NetValueId>& ids, std::string_view what, const auto* of_signature) {
    std::vector<std::pair<std::string, NetValueId>> list;
    std::set<std::string> used;
    for (const NetValueId id : ids) {
      std::string name = named.graph->values[id].name;
      if (of_signature) {
        for (const auto& [alias, tensor] : *of_signature) {
          if (tensor == id && !used.contains(alias)) name = alias;
        }
      }
      if (name.empty() || used.contains(name)) name = formatted("{}_{}", what, list.size());
      used.insert(name);
      list.emplace_back(name, id);
    }
    return list;
  };
  named.inputs = name_all(named.graph->inputs, "input", chosen ? &chosen->inputs : nullptr);
  named.outputs = name_all(named.graph->outputs, "output", chosen ? &chosen->outputs : nullptr);
  return named;
}

void check_names(const Net& net, const ImportOptions& options, Diagnostics& diagnostics) {
  const auto names = named_interface(net, options.signature, diagnostics);
  if (!names) return;
  const auto check = [&](std::string_view name, const std::vector<std::string>& known, std::string_view what) {
    if (std::ranges::contains(known, name)) return;
    Diagnostic& problem = diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(net.file),
                                            formatted("the model has no {} `{}`", what, name));
    if (const auto near = closest(name, known)) {
      problem.hint(formatted("did you mean `{}`?", *near));
    } else if (!known.empty()) {
      std::string all;
      for (const std::string& each : known) all += formatted("{}`{}`", all.empty() ? "" : ", ", each);
      problem.hint("it has " + all);
    }
  };
  std::vector<std::string> symbols, inputs;
  for (const auto& [name, id] : names->inputs) {
    inputs.push_back(name);
    const NetValue& value = names->graph->values[id];
    if (!value.shape) continue;
    for (const Dimension& dimension : *value.shape) {
      if (!dimension.symbol.empty() && !std::ranges::contains(symbols, dimension.symbol))
        symbols.push_back(dimension.symbol);
    }
  }
  for (const auto& [name, shape] : options.shapes) check(name, inputs, "input");
  for (const std::string& name : options.bound) check(name, inputs, "input");
  for (const auto& [symbol, extent] : options.dimensions) check(symbol, symbols, "dimension");
  if (!options.check_arrays) return;
  for (const std::string& name : options.check_arrays(inputs, diagnostics)) check(name, inputs, "input");
}

std::optional<Interface> bind_interface(const Net& net, const ImportOptions& options, Diagnostics& diagnostics) {
  const auto names = named_interface(net, options.signature, diagnostics);
  return names ? Binder(net, *names, options, diagnostics).bind() : std::nullopt;
}

}  // namespace slipway::importer
