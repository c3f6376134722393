// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "executorch/program.hpp"
#include "tosa/read/read_tosa.hpp"
#include "vgf/vgf.hpp"

namespace slipway::executorch {
namespace {

constexpr std::string_view kLowerAgain =
    "lower the PyTorch model with ExecuTorch's VGF back end, whose payload Slipway runs "
    "(examples/executorch/README.md)";

struct Place {
  const Method* method;
  std::size_t index;  // of the delegate
  std::string text() const { return formatted("{}:{}", method->name, index); }
};

std::vector<Place> places_of_models(const Program& program) {
  std::vector<Place> places;
  for (const Method& method : program.methods) {
    for (std::size_t i = 0; i < method.delegates.size(); ++i) {
      if (format_of(method.delegates[i]) != PayloadFormat::Other) places.push_back({&method, i});
    }
  }
  return places;
}

ProgramModel model_at(const Program& program, const Place& place) {
  return {place.method->delegates[place.index].payload, formatted("{}[{}]", program.name, place.text())};
}

// What a method does besides one delegate, for messages.
std::string rest_of(const Method& method) {
  std::string text;
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) text += formatted("{}{} x {}", text.empty() ? "" : ", ", count, what);
  };
  for (std::size_t i = 0; i < method.delegates.size() && method.delegates.size() > 1; ++i)
    add(method.delegates[i].calls, formatted("delegate {} (`{}`)", i, method.delegates[i].id));
  for (const ProgramOperator& each : method.operators) add(each.calls, formatted("`{}`", each.name));
  add(method.moves, "a move of a value");
  add(method.branches, "a branch");
  return text.empty() ? "values of the program that are not its inputs" : text;
}

std::string delegates_of(const Program& program, std::string_view method) {
  std::string text;
  for (const Method& each : program.methods) {
    if (!method.empty() && each.name != method) continue;
    for (const Delegate& delegate : each.delegates) text += formatted("{}`{}`", text.empty() ? "" : ", ", delegate.id);
  }
  return text.empty() ? "it delegates nothing" : "it delegates to " + text;
}

}  // namespace

std::string_view name_of(PayloadFormat format) { return kPayloadFormats[static_cast<std::size_t>(format)]; }

PayloadFormat format_of(const Delegate& delegate) {
  if (vgf::is_vgf(delegate.payload)) return PayloadFormat::Vgf;
  return tosa::is_tosa(delegate.payload) ? PayloadFormat::Tosa : PayloadFormat::Other;
}

std::vector<ProgramModel> models_of(const Program& program) {
  std::vector<ProgramModel> models;
  for (const Place& place : places_of_models(program)) models.push_back(model_at(program, place));
  return models;
}

std::optional<ProgramModel> find_model(Bytes bytes, const std::string& name, const std::string& which,
                                       Diagnostics& diagnostics) {
  const auto program = read_program(bytes, name, diagnostics);
  if (!program) return std::nullopt;
  std::vector<Place> places = places_of_models(*program);
  const auto is_named = [&](const Place& place) { return which == place.method->name || which == place.text(); };
  if (!which.empty()) std::erase_if(places, [&](const Place& place) { return !is_named(place); });
  const auto refuse = [&](DiagnosticKind kind, std::string message) -> Diagnostic& {
    return diagnostics.error(kind, SourceLocation::in_file(name), std::move(message));
  };
  if (places.empty()) {
    if (which.empty() || std::ranges::contains(program->methods, which, &Method::name)) {
      refuse(DiagnosticKind::Unsupported,
             formatted("the program has no VGF or TOSA model: {}", delegates_of(*program, which)))
          .note(std::string(kLowerAgain));
      return std::nullopt;
    }
    std::string names;
    for (const Place& place : places_of_models(*program))
      names += formatted("{}`{}`", names.empty() ? "" : ", ", place.text());
    refuse(DiagnosticKind::UnknownReference,
           formatted("the program has no model `{}`; it has {}", which, names.empty() ? "none" : names));
    return std::nullopt;
  }
  if (places.size() > 1) {
    std::string names;
    for (const Place& place : places) names += formatted("{}`{}`", names.empty() ? "" : ", ", place.text());
    refuse(DiagnosticKind::Usage, formatted("the program has {} models: {}; `--entry {}` takes one", places.size(),
                                            names, places.front().text()));
    return std::nullopt;
  }
  const Place& place = places.front();
  if (which != place.text() && place.method->only_delegate != place.index) {
    refuse(DiagnosticKind::Unsupported,
           formatted("method `{}` computes more than its model, delegate {}: {}; `--entry {}` takes the model alone",
                     place.method->name, place.index, rest_of(*place.method), place.text()));
    return std::nullopt;
  }
  return model_at(*program, place);
}

}  // namespace slipway::executorch
