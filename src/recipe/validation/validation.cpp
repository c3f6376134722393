// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/validation/validation.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/containers/ar.hpp"
#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"

namespace slipway::recipe {
namespace {

constexpr double kMicroseconds = 1e6;  // of a second
constexpr std::size_t kCoreBytes = 128;
constexpr std::string_view kWithoutWork = "_nop";
constexpr std::string_view kSuffix = ".json";

// `recipe_latency.json` and `latency.recipe.json` are both the recipe `latency`. Nothing for other files.
std::optional<std::string> name_without(std::string_view file, std::string_view word) {
  if (!file.ends_with(kSuffix)) return std::nullopt;
  file.remove_suffix(kSuffix.size());
  const auto is_separator = [](char c) { return c == '_' || c == '.' || c == '-'; };
  if (file == word) return std::string();
  if (file.starts_with(word) && is_separator(file[word.size()])) return std::string(file.substr(word.size() + 1));
  if (file.ends_with(word) && is_separator(file[file.size() - word.size() - 1]))
    return std::string(file.substr(0, file.size() - word.size() - 1));
  return std::nullopt;
}

ValidationSuite suite_of(const std::map<std::string, SourcePtr, std::less<>>& files, Artifacts artifacts) {
  ValidationSuite suite{.tests = {}, .artifacts = std::move(artifacts)};
  std::map<std::string, SourcePtr> profiles;
  for (const auto& [file, source] : files) {
    if (auto name = name_without(file, "profile")) profiles.emplace(*name, source);
  }
  for (const auto& [file, source] : files) {
    auto name = name_without(file, "recipe");
    if (!name) continue;
    const auto profile = profiles.find(*name);
    suite.tests.push_back(
        {name->empty() ? "recipe" : *name, source, profile == profiles.end() ? nullptr : profile->second});
  }
  std::ranges::sort(suite.tests, {}, &ValidationTest::name);
  return suite;
}

bool is_json_name(std::string_view name) { return name.ends_with(kSuffix); }

Result<ValidationSuite> read_archive(const std::string& path) {
  SLIPWAY_TRY(const MappedFile file, map_file(path));
  if (!is_ar(file.bytes()))
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(path),
                "not a validation archive: it is neither an `ar` archive nor a directory");
  const ArArchive archive = read_ar(file.bytes());
  if (archive.fault)
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_bytes(path, archive.fault->range),
                archive.fault->message);
  auto artifacts = std::make_shared<ArtifactMap>();
  std::map<std::string, SourcePtr, std::less<>> files;
  for (const ArMember& member : archive.members) {
    const std::string_view text = text_of(member.bytes);
    (*artifacts)[member.name] = {text.begin(), text.end()};
    if (is_json_name(member.name))
      files.emplace(member.name, make_source(formatted("{}({})", path, member.name), std::string(text)));
  }
  return suite_of(files, Artifacts::in_memory(std::move(artifacts)));
}

Result<ValidationSuite> read_directory(const std::string& path) {
  std::map<std::string, SourcePtr, std::less<>> files;
  for (const Path& file : files_in(path)) {
    if (!is_json_name(file.filename().string())) continue;
    protect_input(file);
    SLIPWAY_TRY(SourcePtr source, read_source(file));
    files.emplace(file.filename().string(), std::move(source));
  }
  return suite_of(files, Artifacts::in_directory(path));
}

// --- one test --------------------------------------------------------------------------------------------------------

struct TimedRun {
  double elapsed_us = 0;
  std::uint64_t iterations = 0;
};

// A session of a test. It has its own hardware contexts, so that two run at a time.
class TestSession {
 public:
  // Null after errors.
  static std::unique_ptr<TestSession> open(const ValidationSuite& suite, const ValidationTest& test,
                                           const ValidationOptions& options, Diagnostics& diagnostics) {
    SessionOptions request = options.session;
    request.recipe = test.recipe;
    request.profile = test.profile;
    request.artifacts = suite.artifacts;
    request.changes.silent = true;
    auto made = std::make_unique<TestSession>();
    made->session_ = Session::load(request, diagnostics);
    if (diagnostics.has_errors() || made->session_.plan() == nullptr) return nullptr;
    if (!made->session_.open(options.open(), diagnostics) || !made->session_.prepare(diagnostics)) return nullptr;
    return diagnostics.has_errors() ? nullptr : std::move(made);
  }

  Result<TimedRun> run() {
    if (auto failure = session_.run()) return fail(std::move(failure->diagnostics));
    TimedRun all;
    for (const ExecutionOutcome& one : session_.engine().executions()) {
      all.elapsed_us += one.elapsed_ns / 1e3;
      all.iterations += one.iterations;
    }
    if (all.iterations == 0) return fail(DiagnosticKind::OutOfRange, {}, "the profile runs no iterations");
    return all;
  }

  // Of the buffers that runs use.
  std::uint64_t largest_buffer() {
    std::uint64_t largest = 0;
    for (const BufferPlan& buffer : session_.plan()->buffers) {
      if (!buffer.used) continue;
      if (const auto bound = session_.runner().bound(buffer.name))
        largest = std::max<std::uint64_t>(largest, bound->size);
    }
    return largest;
  }

  // The only buffer of type `output`.
  Result<Bytes> output() {
    const BufferPlan* found = nullptr;
    for (const BufferPlan& buffer : session_.plan()->buffers) {
      if (!buffer.used || buffer.type != BufferType::Output) continue;
      if (found != nullptr)
        return fail(DiagnosticKind::Unsupported, {}, "a test of matrix products has one buffer of type `output`");
      found = &buffer;
    }
    if (found == nullptr)
      return fail(DiagnosticKind::MissingKey, {}, "a test of matrix products has a buffer of type `output`");
    return session_.runner().map_buffer(found->name);
  }

 private:
  Session session_;
};

bool contains(std::string_view name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.contains(word); });
}

class TestRun {
 public:
  TestRun(const ValidationSuite& suite, const ValidationTest& test, const ValidationOptions& options)
      : suite_(suite), test_(test), options_(options) {}

  ValidationOutcome run() {
    ValidationOutcome outcome{.name = test_.name};
    Diagnostics diagnostics;
    const auto session = TestSession::open(suite_, test_, options_, diagnostics);
    if (session) {
      Result<> ran = figures(*session, outcome);
      if (!ran) {
        diagnostics.add(std::move(ran.error()));
        outcome.figures.clear();
      }
    }
    outcome.diagnostics = diagnostics.release();
    return outcome;
  }

 private:
  Result<> figures(TestSession& session, ValidationOutcome& outcome) const {
    SLIPWAY_TRY(const TimedRun alone, session.run());
    const auto iterations = static_cast<double>(alone.iterations);
    const double seconds = alone.elapsed_us / kMicroseconds;
    outcome.iterations = alone.iterations;
    outcome.figures = {{"elapsed", alone.elapsed_us},
                       {"latency", alone.elapsed_us / iterations},
                       {"throughput", iterations / seconds}};
    const auto add = [&](std::string_view name, double value) { outcome.figures.push_back({name, value}); };
    if (contains(test_.name, {"bandwidth", "_bw"})) {
      constexpr double kGibibyte = 1 << 30;
      add("bandwidth", 2 * static_cast<double>(session.largest_buffer()) / kGibibyte * iterations / seconds);
    }
    if (contains(test_.name, {"reconfig"}) && !test_.name.ends_with(kWithoutWork)) {
      const auto other = std::ranges::find(suite_.tests, test_.name + std::string(kWithoutWork), &ValidationTest::name);
      if (other == suite_.tests.end())
        return fail(DiagnosticKind::MissingKey, SourceLocation::in_file(test_.recipe->name()),
                    formatted("the suite has no test `{}{}`, from which `{}` differs by the reconfiguration",
                              test_.name, kWithoutWork, test_.name));
      SLIPWAY_TRY(const TimedRun without, run_other(*other));
      if (without.iterations != alone.iterations)
        return fail(DiagnosticKind::OutOfRange, SourceLocation::in_file(test_.recipe->name()),
                    formatted("`{}` runs {} iterations, and `{}` {}", test_.name, alone.iterations, other->name,
                              without.iterations));
      add("reconfiguration", (alone.elapsed_us - without.elapsed_us) / iterations);
    }
    if (contains(test_.name, {"temporal_sharing"})) {
      SLIPWAY_TRY(const double both, run_twice(session));
      add("sharing", (both - 2 * alone.elapsed_us) / iterations);
    }
    if (contains(test_.name, {"gemm"}) && options_.clock_mhz > 0) {
      SLIPWAY_TRY(const Bytes cycles, session.output());
      SLIPWAY_TRY(const double rate, matrix_rate(cycles, options_.clock_mhz, options_.core_operations));
      add("rate", rate);
    }
    return {};
  }

  Result<TimedRun> run_other(const ValidationTest& other) const {
    Diagnostics diagnostics;
    const auto session = TestSession::open(suite_, other, options_, diagnostics);
    if (!session) return fail(diagnostics.release());
    return session->run();
  }

  // The time from the start of two at a time to the end of the later one, in microseconds.
  Result<double> run_twice(TestSession& first) const {
    Diagnostics diagnostics;
    const auto second = TestSession::open(suite_, test_, options_, diagnostics);
    if (!second) return fail(diagnostics.release());
    Result<TimedRun> of_first = TimedRun(), of_second = TimedRun();
    const auto start = std::chrono::steady_clock::now();
    {
      const std::jthread other([&] { of_second = second->run(); });
      of_first = first.run();
    }
    const std::chrono::duration<double, std::micro> both = std::chrono::steady_clock::now() - start;
    if (!of_first) return fail(std::move(of_first.error()));
    if (!of_second) return fail(std::move(of_second.error()));
    return both.count();
  }

  const ValidationSuite& suite_;
  const ValidationTest& test_;
  const ValidationOptions& options_;
};

}  // namespace

const FigureKind& figure_kind(std::string_view name) { return *std::ranges::find(kFigures, name, &FigureKind::name); }

std::optional<double> ValidationOutcome::figure(std::string_view named) const {
  const auto found = std::ranges::find(figures, named, &Figure::name);
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

Result<ValidationSuite> read_suite(const std::string& path) {
  auto suite = directory_exists(path) ? read_directory(path) : read_archive(path);
  if (suite && suite->tests.empty())
    return fail(DiagnosticKind::FileFormat, SourceLocation::in_file(path),
                "there is no recipe: the files of a test are called `recipe_NAME.json` and `profile_NAME.json`");
  return suite;
}

ValidationOutcome run_test(const ValidationSuite& suite, const ValidationTest& test, const ValidationOptions& options) {
  return TestRun(suite, test, options).run();
}

Result<double> matrix_rate(Bytes cycles, double clock_mhz, double core_operations) {
  if (cycles.size() < kCoreBytes)
    return fail(DiagnosticKind::OutOfRange, {},
                formatted("the buffer has {} bytes, and the cycles of one core need {}", cycles.size(), kCoreBytes));
  double rate = 0;
  for (std::size_t at = 0; at + kCoreBytes <= cycles.size(); at += kCoreBytes) {
    const auto count = load<std::uint32_t>(&cycles[at]);
    if (count == 0) return fail(DiagnosticKind::OutOfRange, {}, formatted("core {} counted 0 cycles", at / kCoreBytes));
    rate += core_operations * clock_mhz * 1e6 / count / 1e12;
  }
  return rate;
}

}  // namespace slipway::recipe
