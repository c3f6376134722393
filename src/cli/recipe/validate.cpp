// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway validate`: the tests of a validation archive or a directory, their figures, and how these compare with
// expected ones and with those of another run (docs/npu.md#validation-archives).
#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/recipe/files.hpp"
#include "cli/recipe/verbs.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "launch/run.hpp"
#include "recipe/cpu/paths.hpp"
#include "recipe/open_backend.hpp"
#include "recipe/validation/validation.hpp"

namespace slipway::cli {
namespace {

struct ValidateOptions : RunGroup, EngineGroup {
  std::string suite, kernels, expected, against;
  std::vector<std::string> tests;
  RecipeGroup group;
  std::optional<double> clock, operations;
  std::optional<double> tolerance;
};

constexpr double kTolerance = 10;  // percent
// `elapsed` depends on the iterations, and the difference of two times may be near 0.
constexpr std::string_view kWithoutScale[] = {"elapsed", "reconfiguration", "sharing"};

// What is expected of a figure, and where that is said.
struct Bound {
  std::string test, figure;
  std::optional<double> min, max;
  SourceLocation location;
};

std::shared_ptr<const json::Document> read_json(const std::string& path, Diagnostics& diagnostics) {
  const SourcePtr source = read_input(path, diagnostics);
  return source ? diagnostics.take(json::parse(source)).value_or(nullptr) : nullptr;
}

bool is_figure(std::string_view name) {
  return std::ranges::contains(recipe::kFigures, name, &recipe::FigureKind::name);
}

class BoundReader {
 public:
  explicit BoundReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // {"TEST": {"FIGURE": {"min": 1, "max": 2}}}
  std::vector<Bound> expected(json::Value root) {
    for (const json::Value test : members(root)) {
      for (const json::Value figure : members(test)) {
        if (!check_figure(figure)) continue;
        Bound bound{test.key(), figure.key(), number(figure["min"]), number(figure["max"]), figure.location()};
        for (const json::Value member : members(figure)) {
          if (member.key() != "min" && member.key() != "max")
            add(DiagnosticKind::UnknownKey, member,
                formatted("unknown key `{}`; a figure has `min` and `max`", member.key()));
        }
        bounds_.push_back(std::move(bound));
      }
    }
    if (bounds_.empty() && !diagnostics_.has_errors())
      add(DiagnosticKind::MissingKey, root, "no figures to compare with");
    return std::move(bounds_);
  }

  // The report of another run: figures that are worse by more than the tolerance are errors.
  std::vector<Bound> against(json::Value root, double tolerance) {
    const json::Value tests = root["tests"];
    if (!tests.is(json::Type::Array)) add(DiagnosticKind::WrongType, root, "not a report of `slipway validate`");
    for (const json::Value test : tests) {
      if (!test["name"].is(json::Type::String)) {
        add(DiagnosticKind::MissingKey, test, "a test without `name`");
        continue;
      }
      for (const json::Value figure : members(test["figures"])) {
        if (!check_figure(figure)) continue;
        const std::optional<double> value = number(figure);
        const recipe::FigureKind& kind = recipe::figure_kind(figure.key());
        if (!value || std::ranges::contains(kWithoutScale, kind.name)) continue;
        const double slack = std::abs(*value) * tolerance / 100;
        Bound bound{test["name"].string(), figure.key(), {}, {}, figure.location()};
        (kind.larger_is_better ? bound.min : bound.max) = kind.larger_is_better ? *value - slack : *value + slack;
        bounds_.push_back(std::move(bound));
      }
    }
    if (bounds_.empty() && !diagnostics_.has_errors())
      add(DiagnosticKind::MissingKey, root, "no figures to compare with");
    return std::move(bounds_);
  }

 private:
  void add(DiagnosticKind kind, json::Value at, std::string message) {
    diagnostics_.error(kind, at.location(), std::move(message));
  }
  std::vector<json::Value> members(json::Value object) {
    if (!object.is(json::Type::Object)) {
      if (object) add(DiagnosticKind::WrongType, object, "an object is expected here");
      return {};
    }
    return {object.begin(), object.end()};
  }
  bool check_figure(json::Value figure) {
    if (is_figure(figure.key())) return true;
    add(DiagnosticKind::UnknownKey, figure, formatted("`{}` is not a figure of `slipway validate`", figure.key()));
    return false;
  }
  std::optional<double> number(json::Value value) {
    if (!value) return std::nullopt;
    if (value.is(json::Type::Number)) return value.number();
    add(DiagnosticKind::WrongType, value, "a number is expected here");
    return std::nullopt;
  }

  Diagnostics& diagnostics_;
  std::vector<Bound> bounds_;
};

class Validation {
 public:
  Validation(const ValidateOptions& options, recipe::ValidationSuite suite, std::vector<Bound> bounds)
      : options_(options),
        suite_(std::move(suite)),
        bounds_(std::move(bounds)),
        backends_(options.device, cache_of(options.no_cache)) {}

  // Returns false after errors.
  bool choose(Diagnostics& diagnostics) {
    for (const std::string& name : options_.tests) {
      if (std::ranges::contains(suite_.tests, name, &recipe::ValidationTest::name)) continue;
      std::string names;
      for (const recipe::ValidationTest& test : suite_.tests)
        names += formatted("{}`{}`", names.empty() ? "" : ", ", test.name);
      diagnostics.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(options_.suite),
                        formatted("the suite has no test `{}`; it has {}", name, names));
    }
    for (const Bound& bound : bounds_) {
      if (std::ranges::contains(suite_.tests, bound.test, &recipe::ValidationTest::name)) continue;
      diagnostics.error(DiagnosticKind::UnknownReference, bound.location,
                        formatted("the suite has no test `{}`", bound.test));
    }
    if (!options_.kernels.empty()) request_.session.kernels = read_input(options_.kernels, diagnostics);
    request_.session.plan = plan_options(options_.group, options_, options_);
    request_.session.changes.iterations = options_.group.iterations;
    request_.session.changes.mode = recipe::mode_from_name(options_.group.mode);
    request_.clock_mhz = options_.clock.value_or(0);
    request_.core_operations = options_.operations.value_or(request_.core_operations);
    request_.open = [this] {
      recipe::OpenOptions open{
          .runner = {.open_backend = [this](recipe::BackendKind kind) { return backends_.open(kind); },
                     .libraries = recipe::cpu::library_roots(options_.group.library_root, options_.group.directory,
                                                             options_.group.allow_outside),
                     .why_no_cpu_libraries = why_no_cpu_libraries(options_.group)},
          .profile = {.seed = options_.group.seed}};
      if (options_.timeout) open.profile.time_out = launch::time_out_of(*options_.timeout);
      return open;
    };
    return !diagnostics.has_errors();
  }

  void run(Diagnostics& diagnostics) {
    for (const recipe::ValidationTest& test : suite_.tests) {
      if (!options_.tests.empty() && !std::ranges::contains(options_.tests, test.name)) continue;
      if (is_interrupted()) break;
      recipe::ValidationOutcome outcome = recipe::run_test(suite_, test, request_);
      Diagnostics of_test;
      of_test.add(std::exchange(outcome.diagnostics, {}));
      check(outcome, of_test);
      show(outcome, of_test);
      for (Diagnostic problem : of_test.release()) {
        if (problem.location.kind == SourceLocation::Kind::None)
          problem.location = SourceLocation::in_file(options_.suite);
        diagnostics.add(std::move(problem)).note(formatted("in test `{}`", test.name));
      }
      outcomes_.push_back(std::move(outcome));
    }
  }

  std::string report() const {
    json::Writer out;
    out.object([&] {
      out.member("suite", options_.suite).key("tests").array([&] {
        for (const recipe::ValidationOutcome& outcome : outcomes_) {
          out.object([&] {
            out.member("name", outcome.name).member("iterations", static_cast<std::int64_t>(outcome.iterations));
            out.key("figures").object([&] {
              for (const recipe::Figure& figure : outcome.figures) out.member(figure.name, figure.value);
            });
          });
        }
      });
    });
    return out.text();
  }

 private:
  void check(const recipe::ValidationOutcome& outcome, Diagnostics& diagnostics) const {
    if (diagnostics.has_errors()) return;
    for (const Bound& bound : bounds_) {
      if (bound.test != outcome.name) continue;
      const std::optional<double> value = outcome.figure(bound.figure);
      const std::string_view unit = recipe::figure_kind(bound.figure).unit;
      const auto failed = [&](std::string text) {
        diagnostics.error(DiagnosticKind::ExpectationFailed, bound.location, std::move(text));
      };
      if (!value)
        failed(formatted("test `{}` has no figure `{}`", bound.test, bound.figure));
      else if (bound.min && *value < *bound.min)
        failed(
            formatted("{} of `{}` is {:.4g} {}, less than {:.4g}", bound.figure, bound.test, *value, unit, *bound.min));
      else if (bound.max && *value > *bound.max)
        failed(
            formatted("{} of `{}` is {:.4g} {}, more than {:.4g}", bound.figure, bound.test, *value, unit, *bound.max));
    }
  }

  void show(const recipe::ValidationOutcome& outcome, const Diagnostics& diagnostics) const {
    if (options_.style.json || output_level() == OutputLevel::Quiet) return;
    std::string text = formatted("{}: {}", outcome.name, diagnostics.has_errors() ? "FAILED" : "ok");
    if (outcome.iterations != 0) text += formatted(", {} iterations", outcome.iterations);
    for (const recipe::Figure& figure : outcome.figures)
      text += formatted(", {} {:.4g} {}", figure.name, figure.value, recipe::figure_kind(figure.name).unit);
    print(text + "\n");
  }

  const ValidateOptions& options_;
  recipe::ValidationSuite suite_;
  std::vector<Bound> bounds_;
  recipe::Backends backends_;
  recipe::ValidationOptions request_;
  std::vector<recipe::ValidationOutcome> outcomes_;
};

int validate(const ValidateOptions& options) {
  Diagnostics diagnostics;
  protect_input(options.suite);
  auto suite = diagnostics.take(recipe::read_suite(options.suite));
  std::vector<Bound> bounds;
  // The documents are the locations of the bounds.
  std::shared_ptr<const json::Document> expected, before;
  if (!options.expected.empty() && (expected = read_json(options.expected, diagnostics)))
    bounds = BoundReader(diagnostics).expected(expected->root());
  if (!options.against.empty() && (before = read_json(options.against, diagnostics)))
    bounds.append_range(BoundReader(diagnostics).against(before->root(), options.tolerance.value_or(kTolerance)));
  if (!suite || diagnostics.has_errors()) return report(diagnostics, options.style);
  Validation validation(options, std::move(*suite), std::move(bounds));
  if (!validation.choose(diagnostics)) return report(diagnostics, options.style);
  validation.run(diagnostics);
  if (!options.report_path.empty()) {
    if (Result<> written = write_file(options.report_path, validation.report()); !written)
      diagnostics.add(std::move(written.error()));
  }
  if (options.style.json && options.report_path != "-") print(validation.report());
  return report(diagnostics, options.style, stderr);
}

}  // namespace

int validate_verb(const Arguments& arguments) {
  ValidateOptions options;
  CommandLine line(
      "slipway validate",
      "Runs the tests of an NPU's validation archive, or of a directory of recipes and profiles, and shows "
      "latency, throughput, bandwidth, and what else they measure.",
      "slipway validate xrt_smi_strx.a latency throughput");
  line.add_option("suite", options.suite, "an `ar` archive, or a directory").required();
  line.add_option("tests", options.tests, "the names of tests (all)").values(0, -1);
  add_run_group(line, options, kBackendDevice);
  add_recipe_group(line, options.group);
  add_engine_option(line, options);
  add_engine_thread_options(line, options);
  line.add_option("--kernels", options.kernels,
                  "replace kernels of the recipes with those of this file, which names shaders in the archive");
  line.add_option("--expect", options.expected, "compare with the figures of this file: TEST, FIGURE, `min`, `max`");
  Option against =
      line.add_option("--against", options.against, "compare with another run, by the file of its --report");
  line.add_option("--tolerance", options.tolerance,
                  "the percentage by which a figure may be worse than in --against (10)")
      .not_negative()
      .needs(against);
  Option clock =
      line.add_option("--clock", options.clock, "MHz of the cores, for the rate of matrix products").not_negative();
  line.add_option("--operations", options.operations, "of a core in a test of matrix products (196608)")
      .not_negative()
      .needs(clock);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  return validate(options);
}

}  // namespace slipway::cli
