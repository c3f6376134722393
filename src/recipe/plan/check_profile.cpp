// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks a profile against its recipe and its files (docs/spec/recipe.md#profile, docs/spec/recipe.md#diagnostics).
#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "recipe/plan/load.hpp"
#include "recipe/plan/parts.hpp"
#include "recipe/profile/data.hpp"

namespace slipway::recipe {
namespace {

using json::Value;

class ProfileChecker {
 public:
  ProfileChecker(const Profile& profile, const Recipe* recipe, const Artifacts* artifacts, Diagnostics& diagnostics)
      : profile_(profile),
        recipe_(recipe),
        artifacts_(artifacts),
        bindings_(profile.bindings),
        diagnostics_(diagnostics) {
    if (recipe) names_.emplace(*recipe);
    for (const Binding& binding : profile.bindings) {
      if (binding.validate && binding.validate->name) goldens_.insert(*binding.validate->name);
    }
  }

  void check() {
    std::map<std::string_view, Value> seen;
    for (const Binding& binding : profile_.bindings) {
      if (binding.name.empty()) continue;
      const auto [first, fresh] = seen.emplace(binding.name, binding.at["name"]);
      if (!fresh) {
        diagnostics_
            .add(json::problem(binding.at["name"], DiagnosticKind::ProfileBinding,
                               formatted("buffer `{}` is bound twice; the first binding is taken", binding.name)))
            .as_rule()
            .note("the first one is here", first->second.location());
        continue;
      }
      if (recipe_) check_buffer(binding);
      if (!binding.incomplete) check_data(binding);
    }
    if (recipe_) check_traces();
    for (const Execution& execution : profile_.executions) check_execution(execution);
    if (profile_.execution) check_execution(*profile_.execution);
  }

 private:
  void check_buffer(const Binding& binding) {
    const Buffer* buffer = buffer_of(binding);
    if (!buffer) {
      if (goldens_.contains(binding.name)) return;
      Diagnostic problem = json::problem(
          binding.at["name"], DiagnosticKind::ProfileBinding,
          formatted("the recipe has no buffer `{}`; the binding is made anyway", binding.name), Severity::Warning);
      const auto near = may_search(searches_++, recipe_->buffers.size())
                            ? closest(binding.name, recipe_->buffers | std::views::transform(&Buffer::name))
                            : std::nullopt;
      if (near) problem.suggest(json::inside_quotes(binding.at["name"].location()), *near);
      diagnostics_.add(std::move(problem));
    } else if (buffer->size != 0 && binding.size != 0 && buffer->size != binding.size) {
      diagnostics_.add(json::problem(
          binding.at["size"], DiagnosticKind::BufferSize,
          formatted("Invalid size ({}) of bo bound to '{}', expected {}", binding.size, binding.name, buffer->size)));
    }
  }

  // Null without one, or without a recipe.
  const Buffer* buffer_of(const Binding& binding) const {
    const auto index = names_ ? names_->buffers.find(binding.name) : std::nullopt;
    return index ? &recipe_->buffers[*index] : nullptr;
  }

  // The size of a file; nothing if files are not checked, or, after a diagnostic, if it is missing.
  std::optional<std::uint64_t> file_size(const std::string& file, Value at) {
    if (!artifacts_) return std::nullopt;
    const Result<Artifact> artifact = artifacts_->open_data(file);
    if (artifact) return artifact->bytes.size();
    for (Diagnostic problem : artifact.error()) {
      problem.location = at.location();
      diagnostics_.add(std::move(problem.at(at.pointer())));
    }
    return std::nullopt;
  }

  void check_data(const Binding& binding) {
    std::optional<std::uint64_t> size;
    if (binding.size != 0) size = binding.size;
    const bool from_file = binding.init && binding.init->form == Init::Form::File;
    if (from_file) {
      const Init& init = *binding.init;
      if (const auto length = file_size(init.file, init.at["file"])) {
        if (init.skip >= *length) {
          diagnostics_
              .add(problem_at(init.at, "skip", DiagnosticKind::ProfileInit,
                              formatted("bad init skip value '{}' for file '{}'", init.skip, init.file)))
              .hint(formatted("the file has {} bytes", *length));
        } else if (!size) {
          size = *length - init.skip;
        }
      }
    } else if (!size) {
      if (const Buffer* buffer = buffer_of(binding); buffer && buffer->size != 0) {
        size = buffer->size;
      } else {
        diagnostics_.add(problem_at(binding.at, "size", DiagnosticKind::ProfileBinding,
                                    formatted("binding `{}` needs a `size` above 0", binding.name)));
        return;
      }
    }
    if (binding.init) check_range(*binding.init, size);
    if (binding.validate) check_golden(*binding.validate, size);
  }

  void check_range(const Init& init, std::optional<std::uint64_t> size) {
    const std::uint64_t begin = init.begin.value_or(0);
    const std::optional<std::uint64_t> end = init.end ? init.end : size;
    if (!(size && end && *end > *size) && !(end && begin > *end)) return;
    const std::string subject = init.form == Init::Form::File ? formatted("' for file '{}'", init.file) : "'";
    diagnostics_.add(problem_at(init.at, init.end ? "end" : "begin", DiagnosticKind::ProfileInit,
                                formatted("bad init begin/end values: {}/{}{}", begin, end.value_or(0), subject)));
  }

  void check_golden(const Validate& validate, std::optional<std::uint64_t> size) {
    std::optional<std::uint64_t> golden;
    if (validate.file) {
      golden = file_size(*validate.file, validate.at["file"]);
    } else if (const auto other = bindings_.find(*validate.name)) {
      if (profile_.bindings[*other].size != 0) golden = profile_.bindings[*other].size;
    } else {
      Diagnostic problem = json::problem(validate.at["name"], DiagnosticKind::ProfileValidate,
                                         formatted("the profile has no binding `{}` with golden data", *validate.name));
      const auto near = may_search(searches_++, profile_.bindings.size())
                            ? closest(*validate.name, profile_.bindings | std::views::transform(&Binding::name))
                            : std::nullopt;
      if (near) problem.suggest(json::inside_quotes(validate.at["name"].location()), *near);
      diagnostics_.add(std::move(problem));
    }
    if (!golden || !size) return;
    if (const auto problem = golden_range(validate, *size, *golden); !problem) {
      diagnostics_.add(problem_at(validate.at, "", DiagnosticKind::ProfileValidate, problem.error()));
    }
  }

  void check_traces() {
    std::set<std::string_view> runs;
    for (const Run& run : recipe_->runs) runs.insert(run.id);
    for (const DebugTrace& trace : profile_.traces) {
      if (runs.contains(trace.name)) continue;
      diagnostics_.add(json::problem(trace.at["name"], DiagnosticKind::ProfileBinding,
                                     formatted("the recipe has no run `{}` to trace", trace.name), Severity::Warning));
    }
  }

  void check_execution(const Execution& execution) {
    const Mode mode = execution.effective_mode();
    if (execution.at["iteration"] && mode != Mode::Default && mode != Mode::Validate) {
      diagnostics_.add(json::problem(execution.at["iteration"], DiagnosticKind::ProfileExecution,
                                     formatted("`iteration` has no effect in mode {}", name_of(mode)),
                                     Severity::Warning));
    }
    if (execution.depth && *execution.depth > 1 && mode != Mode::Throughput) {
      diagnostics_.add(json::problem(execution.at["depth"], DiagnosticKind::ProfileExecution,
                                     formatted("`depth` has no effect in mode {}", name_of(mode)), Severity::Warning));
    }
  }

  const Profile& profile_;
  const Recipe* recipe_;
  const Artifacts* artifacts_;
  std::optional<RecipeNames> names_;
  NameIndex bindings_;
  std::set<std::string_view> goldens_;  // names of bindings that others are compared with
  std::size_t searches_ = 0;            // for names that are like unknown ones
  Diagnostics& diagnostics_;
};

}  // namespace

void check_profile(const Profile& profile, const Recipe* recipe, const Artifacts* artifacts, Diagnostics& diagnostics) {
  ProfileChecker(profile, recipe, artifacts, diagnostics).check();
}

}  // namespace slipway::recipe
