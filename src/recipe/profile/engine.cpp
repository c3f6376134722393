// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/profile/engine.hpp"

#include <algorithm>
#include <thread>

#include "base/format.hpp"
#include "base/interrupt.hpp"

namespace slipway::recipe {
namespace {

using Clock = std::chrono::steady_clock;

RunFailure failure_of(Failure failure) { return {.diagnostics = std::move(failure)}; }

double nanoseconds(Clock::duration time) { return std::chrono::duration<double, std::nano>(time).count(); }

Failure at(Failure failure, json::Value value) {
  for (Diagnostic& problem : failure) {
    if (problem.location.kind != SourceLocation::Kind::None || !value) continue;
    problem.location = value.is(json::Type::Object) ? value.opening() : value.location();
    problem.path = value.pointer();
  }
  return failure;
}

}  // namespace

// A binding with its buffer.
struct ProfileEngine::Data {
  const Binding& binding;
  BufferPtr buffer;
  Artifact file;  // of a file form
  bool in_recipe = false;

  BufferRange all() const { return {buffer, 0, buffer->size()}; }
};

ProfileEngine::ProfileEngine(const Profile& profile, Runner& runner, Artifacts artifacts, ProfileOptions options)
    : profile_(profile), runner_(runner), artifacts_(std::move(artifacts)), options_(std::move(options)) {}
ProfileEngine::~ProfileEngine() = default;

Result<> ProfileEngine::bind() {
  Diagnostics problems;
  for (const Binding& binding : profile_.bindings) {
    // Of two bindings of a buffer, the first one is taken.
    if (by_name_.contains(binding.name)) continue;
    auto data = std::make_unique<Data>(binding);
    std::uint64_t size = binding.size;
    const auto in_recipe = runner_.plan().find_buffer(binding.name);
    data->in_recipe = in_recipe.has_value();
    if (binding.init && binding.init->form == Init::Form::File) {
      auto file = artifacts_.open_data(binding.init->file);
      if (!file) {
        problems.add(at(std::move(file.error()), binding.init->at["file"]));
        continue;
      }
      data->file = std::move(*file);
      if (size == 0) size = data->file.bytes.size() - binding.init->skip;
    }
    if (size == 0 && in_recipe) size = runner_.plan().buffers[*in_recipe].size;
    auto buffer = runner_.create_buffer({.size = size, .name = binding.name});
    if (!buffer) {
      problems.add(at(std::move(buffer.error()), binding.at));
      continue;
    }
    data->buffer = std::move(*buffer);
    if (Result<> made = initialize(*data, 0); !made) problems.add(at(std::move(made.error()), binding.at));
    if (data->in_recipe) {
      const BoundContents contents = binding.init ? BoundContents::Synced : BoundContents::Blank;
      if (Result<> bound = runner_.bind(binding.name, data->all(), contents); !bound)
        problems.add(std::move(bound.error()));
    }
    by_name_.emplace(binding.name, data.get());
    data_.push_back(std::move(data));
  }
  if (problems.has_errors()) return fail(problems.release());
  return {};
}

Result<> ProfileEngine::initialize(Data& data, std::uint64_t iteration) {
  if (!data.binding.init) return {};
  const Init& init = *data.binding.init;
  const MutableBytes bytes = host_bytes(*data.buffer);
  recipe::initialize(
      init, {.file = data.file.bytes, .buffer = data.binding.name, .seed = options_.seed, .iteration = iteration},
      bytes);
  SLIPWAY_TRY_VOID(sync_buffer(*data.buffer, sync_direction::to_device, 0, bytes.size()));
  if (!init.debug) return {};
  const Path here = ".";
  return write_file_below(here, here / formatted("profile.debug.init[{}].bin", debug_files_++), Bytes(bytes));
}

std::optional<RunFailure> ProfileEngine::run() {
  outcomes_.clear();
  validation_.clear();
  if (!profile_.is_single()) {
    for (const Execution& execution : profile_.executions) {
      if (auto failure = run_one(execution, false)) return failure;
    }
    return std::nullopt;
  }
  const Execution defaults;
  return run_one(profile_.execution ? *profile_.execution : defaults, true);
}

std::optional<RunFailure> ProfileEngine::run_one(const Execution& execution, bool single) {
  const std::uint32_t depth = execution.effective_depth();
  const auto threshold = static_cast<std::uint32_t>(execution.runlist_threshold.value_or(6));
  const ListRunOptions how{.copies = depth,
                           .runlist_threshold = options_.runlist_threshold.value_or(threshold),
                           .poll = execution.poll,
                           .time_out = options_.time_out};
  if (Result<> ready = runner_.prepare(how).and_then([&] { return runner_.fill_outputs(); }); !ready)
    return failure_of(std::move(ready.error()));
  launch::Samples samples;
  const Clock::time_point start = Clock::now();
  auto failure = execution.effective_mode() == Mode::Throughput ? iterate_copies(execution, depth, samples)
                                                                : iterate(execution, samples);
  ExecutionOutcome outcome{.name = execution.effective_name(),
                           .mode = execution.effective_mode(),
                           .iterations = execution.iterations,
                           .depth = depth,
                           .poll = execution.poll,
                           .elapsed_ns = nanoseconds(Clock::now() - start),
                           .samples = samples.summary(),
                           .times = samples.kept()};
  const double work =
      static_cast<double>(execution.iterations) * static_cast<double>(single ? runner_.plan().runs.size() : depth);
  if (!failure && (single || outcome.mode == Mode::Latency))
    outcome.latency_us = static_cast<std::uint64_t>(outcome.elapsed_ns / (1000 * work));
  if (!failure && (single || outcome.mode == Mode::Throughput) && outcome.elapsed_ns > 0)
    outcome.throughput = static_cast<std::uint64_t>(1e9 * work / outcome.elapsed_ns);
  outcomes_.push_back(outcome);
  if (failure) return failure;
  if (Result<> proven = runner_.prove_outputs(); !proven) return failure_of(std::move(proven.error()));
  if (execution.verbose) print_metrics(outcome);
  return execution.validates() ? validate() : std::nullopt;
}

namespace {

RunFailure interrupted(const Execution& execution, std::uint64_t begun) {
  return failure_of({{.kind = DiagnosticKind::Interrupted,
                      .message = formatted("interrupted in iteration {} of {}", begun + 1, execution.iterations)}});
}

}  // namespace

std::optional<RunFailure> ProfileEngine::before_iteration(const Execution& execution, std::uint64_t iteration) {
  // `rebind` and `reinit` wait for the execution in flight.
  if (auto done = runner_.finish(); !done) return std::move(done.error());
  for (const auto& data : data_) {
    if (execution.steps.bind && data->binding.rebind && data->in_recipe) {
      if (Result<> bound = runner_.bind(data->binding.name, data->all(), BoundContents::Synced); !bound)
        return failure_of(std::move(bound.error()));
    }
    if (execution.steps.init && data->binding.reinit) {
      if (Result<> made = initialize(*data, iteration); !made) return failure_of(std::move(made.error()));
    }
  }
  return std::nullopt;
}

std::optional<RunFailure> ProfileEngine::iterate(const Execution& execution, launch::Samples& samples) {
  const Mode mode = execution.effective_mode();
  const bool steps = mode == Mode::Default || mode == Mode::Validate;
  const IterationSteps& each = execution.steps;
  Clock::time_point started;
  const auto finish = [&]() -> std::optional<RunFailure> {
    if (!runner_.in_progress()) return std::nullopt;
    auto done = runner_.finish();
    if (!done) return std::move(done.error());
    samples.add(nanoseconds(Clock::now() - started) / 1000);
    return std::nullopt;
  };
  for (std::uint64_t i = 0; i < execution.iterations; ++i) {
    if (auto failure = finish()) return failure;
    if (is_interrupted()) return interrupted(execution, i);
    if (i > 0 && steps && (each.bind || each.init)) {
      if (auto failure = before_iteration(execution, i)) return failure;
    }
    started = Clock::now();
    if (Result<> running = runner_.start(); !running) return failure_of(std::move(running.error()));
    if (mode == Mode::Latency || (steps && each.wait)) {
      if (auto failure = finish()) return failure;
    }
    if (steps && each.sleep_ms != 0) std::this_thread::sleep_for(std::chrono::milliseconds(each.sleep_ms));
    if (steps && each.validate) {
      if (auto failure = finish()) return failure;
      if (auto failure = validate()) return failure;
    }
  }
  return finish();
}

std::optional<RunFailure> ProfileEngine::iterate_copies(const Execution& execution, std::uint32_t depth,
                                                        launch::Samples& samples) {
  std::vector<Clock::time_point> started(depth);
  std::optional<RunFailure> first;
  const auto finish = [&](std::uint32_t copy) {
    auto done = runner_.finish(copy);
    if (done)
      samples.add(nanoseconds(Clock::now() - started[copy]) / 1000);
    else if (!first)
      first = std::move(done.error());
  };
  std::uint32_t running = 0;
  for (std::uint64_t i = 0; i < execution.iterations && !first; ++i) {
    for (std::uint32_t copy = 0; copy < depth && !first; ++copy) {
      if (i > 0) finish(copy);
      if (!first && is_interrupted()) first = interrupted(execution, i);
      if (first) break;
      started[copy] = Clock::now();
      if (Result<> begun = runner_.start(copy); !begun) {
        first = failure_of(std::move(begun.error()));
        break;
      }
      running = std::max(running, copy + 1);
    }
  }
  for (std::uint32_t copy = 0; copy < running; ++copy) {
    if (first)
      static_cast<void>(runner_.finish(copy));
    else
      finish(copy);
  }
  return first;
}

Result<Bytes> ProfileEngine::golden_of(const Validate& validate) const {
  if (validate.file) {
    return artifacts_.open_data(*validate.file).transform([](const Artifact& file) { return file.bytes; });
  }
  const auto other = by_name_.find(*validate.name);
  if (other == by_name_.end()) {
    return fail(DiagnosticKind::ProfileValidate, {},
                formatted("the profile has no binding `{}` with golden data", *validate.name));
  }
  return Bytes(host_bytes(*other->second->buffer));
}

std::optional<RunFailure> ProfileEngine::validate() {
  if (Result<> proven = runner_.prove_outputs(); !proven) return failure_of(std::move(proven.error()));
  Diagnostics problems;
  std::vector<ValidationResult> results;
  for (const auto& data : data_) {
    if (!data->binding.validate) continue;
    const Validate& validate = *data->binding.validate;
    const Result<Bytes> golden = golden_of(validate);
    if (!golden) {
      problems.add(at(golden.error(), validate.at));
      continue;
    }
    if (Result<> synced = runner_.make_visible(data->all()); !synced) {
      return failure_of(std::move(synced.error()));
    }
    const Bytes bytes = host_bytes(*data->buffer);
    const auto range = golden_range(validate, bytes.size(), golden->size());
    if (!range) {
      problems.add(at({{.kind = DiagnosticKind::ProfileValidate, .message = range.error()}}, validate.at));
      continue;
    }
    ValidationResult result = compare_golden(validate, data->binding.name, bytes, *golden, *range);
    if (result.mismatches != 0) {
      std::string lines;
      for (const std::string& example : result.examples) lines += example + "\n";
      if (options_.print)
        options_.print(formatted("{}{} mismatches in buffer '{}'\n", lines, result.mismatches, result.buffer));
      problems.add(at(
          {{.kind = DiagnosticKind::ExpectationFailed,
            .message = formatted("buffer `{}` is not what is expected: {} mismatch{}; the first is {}", result.buffer,
                                 result.mismatches, result.mismatches == 1 ? "" : "es", result.examples.front())}},
          validate.at));
    }
    results.push_back(std::move(result));
  }
  validation_ = std::move(results);
  if (!problems.has_errors()) return std::nullopt;
  return failure_of(problems.release());
}

void ProfileEngine::print_metrics(const ExecutionOutcome& outcome) {
  if (!options_.print) return;
  std::string text = formatted("Execution profile: {}\nElapsed time (us): {}\n", outcome.name,
                               static_cast<std::uint64_t>(outcome.elapsed_ns / 1000));
  if (outcome.latency_us) text += formatted("Average Latency (us): {}\n", *outcome.latency_us);
  if (outcome.throughput) text += formatted("Average Throughput (op/s): {}\n", *outcome.throughput);
  options_.print(text);
}

}  // namespace slipway::recipe
