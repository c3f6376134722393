// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths: one resource for each output file (docs/spec/scenario.md#decision-12), and `--confine`.
#include <map>

#include "base/format.hpp"
#include "base/system/paths/place.hpp"
#include "base/system/protected_inputs.hpp"
#include "scenario/check/context.hpp"
#include "scenario/paths.hpp"

namespace slipway::scenario {
namespace {

// The system would take the part of a name before a NUL.
void check_nul(Context& context, std::string_view name, json::Value at) {
  if (name.contains('\0')) context.error(at, DiagnosticKind::FileUnreadable, "the name contains a NUL character");
}

void check_output(Context& context, std::map<Path, json::Value>& outputs, const std::string& dst, json::Value at) {
  if (dst.empty()) return;
  check_nul(context, dst, at);
  const Path path = output_path(context.scenario, dst, context.options.output);
  const auto [first, fresh] = outputs.emplace(path.lexically_normal(), at);
  if (!fresh) {
    context
        .error(at, DiagnosticKind::OutputConflict, formatted("two resources are written to {}", first->first.string()))
        .note("the other one is here", first->second.location());
  }
  if (!context.scenario.confine) return;
  const auto fault = fault_of_output(output_root(context.scenario, context.options.output), path);
  if (fault) context.error(at, DiagnosticKind::PathOutside, outside_text(path));
}

// The files that a run reads, after links are followed, with what names them. The contents of resources are not among
// them: they may be overwritten after the run (docs/spec/scenario.md#decision-21).
class InputFiles {
 public:
  void add(const Path& path, std::string_view what) {
    if (auto key = key_of_name(path)) files_.emplace(*std::move(key), what);
  }
  // Empty if the path is not one of them.
  std::string_view find(const Path& path) const {
    const auto key = key_of_name(path);
    const auto found = key ? files_.find(*key) : files_.end();
    return found == files_.end() ? std::string_view() : found->second;
  }

 private:
  std::map<FileKey, std::string_view> files_;
};

void check_not_input(Context& context, const InputFiles& inputs, const std::string& dst, json::Value at) {
  if (dst.empty() || dst.contains('\0')) return;
  const std::string_view what = inputs.find(output_path(context.scenario, dst, context.options.output));
  if (what.empty()) return;
  context.error(at, DiagnosticKind::OutputConflict,
                formatted("the output {} is also {}, which it would overwrite", dst, what));
}

// Buffers and tensors are stored as npy whatever the file is called.
void check_extension(Context& context, std::string_view uid, const std::string& dst, json::Value at) {
  const std::string extension = extension_of(dst);
  if (extension.empty() || extension == ".npy") return;
  context.diagnostics.add(json::problem(at, DiagnosticKind::FileMismatch,
                                        formatted("`{}` is stored as npy, but its file is called {}", uid, dst))
                              .as_rule()
                              .hint("call it .npy"));
}

void check_input(Context& context, std::string_view src, json::Value at) {
  check_nul(context, src, at);
  if (src.empty() || src.contains('\0') || !context.scenario.confine) return;
  const Path path = source_path(context.scenario, src);
  if (fault_of_input(context.scenario.directory, path))
    context.error(at, DiagnosticKind::PathOutside, outside_text(path));
}

}  // namespace

void check_paths(Context& context) {
  std::map<Path, json::Value> outputs;
  InputFiles inputs;
  if (context.scenario.document) {
    inputs.add(context.scenario.document->source()->name(), "the scenario");
    protect_input(context.scenario.document->source()->name());
  }
  const auto note_input = [&](std::string_view src, std::string_view what) {
    if (src.empty() || src.contains('\0')) return;
    inputs.add(source_path(context.scenario, src), what);
    protect_input(source_path(context.scenario, src));
  };
  for (const Resource& resource : context.scenario.resources) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.src; }) note_input(one.src, "a shader, graph or constant of the scenario");
          if constexpr (requires { one.results; }) {
            for (const Expect& expect : one.results.expect) note_input(expect.src, "an expectation of the scenario");
          }
          if constexpr (requires { one.modules; }) {
            for (const json::Value module : one.at["modules"]) note_input(module.string(), "a module of the scenario");
          }
        },
        resource);
  }
  for (const Resource& resource : context.scenario.resources) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.src; }) check_input(context, one.src, one.at["src"]);
          if constexpr (requires { one.contents; }) check_input(context, one.contents.src, one.at["src"]);
          if constexpr (requires { one.results; }) {
            check_output(context, outputs, one.results.dst, one.at["dst"]);
            check_not_input(context, inputs, one.results.dst, one.at["dst"]);
            if (!std::holds_alternative<Image>(resource))
              check_extension(context, one.uid, one.results.dst, one.at["dst"]);
            for (const Expect& expect : one.results.expect) check_input(context, expect.src, expect.at["src"]);
          }
          if constexpr (requires { one.modules; }) {
            for (const json::Value module : one.at["modules"]) check_input(context, module.string(), module);
          }
          if constexpr (requires { one.include_dirs; }) {
            for (const json::Value dir : one.at["include_dirs"]) check_input(context, dir.string(), dir);
          }
        },
        resource);
  }
  // Contents may be overwritten by `dst`, and by nothing else.
  for (const Resource& resource : context.scenario.resources) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.contents; }) {
            if (one.contents.src.empty() || one.contents.src.contains('\0')) return;
            const Path path = source_path(context.scenario, one.contents.src);
            if (!outputs.contains(path.lexically_normal())) protect_input(path);
          }
        },
        resource);
  }
}

}  // namespace slipway::scenario
