// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the RPL compiler with glslang, in one process, on equivalent programs in both languages:
//
//   bench_rpl [--slipway PROGRAM]
//   bench_rpl --only PART BYTES CODE SECONDS
//
// Times are medians on one thread with warm caches, in microseconds. Three times are for resolving a parsed program and
// making its metadata and SPIR-V:
//   anew      nothing of the program was compiled before
//   variant   other variants of the program were compiled before. The variants are all assignments of ten flag options,
//             in the order of binary numbers, so two options change from one to the next on average, as when all
//             variants of a program are compiled.
//   setting   the previous variant differs in a setting only
// glslang compiles both shaders with default options. Its first compilation, which builds its symbol tables, is not
// counted. Exit status 1 if the time grows faster than the size of the program.
//
// `--only` repeats one part (parse, resolve, metadata, spirv, anew, variant, setting, full) of a program of BYTES, of
// which the fraction CODE is function bodies, for a profiler. It prints the minimum and the median.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/print_diagnostic.hpp"
#include "rpl/emit/emit_spirv.hpp"
#include "rpl/emit/optimize.hpp"
#include "rpl/metadata/emit_metadata.hpp"
#include "rpl/resolve.hpp"
#include "rpl_programs.hpp"

extern char** environ;

namespace slipway::bench {
namespace {

using Clock = std::chrono::steady_clock;

// The median time of `run` in microseconds, over at least `least` runs and 50 ms, after `least` / 10 + 1 runs to warm
// up.
double median_of(const std::function<void()>& run, std::size_t least = 15) {
  std::vector<double> times;
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < least / 10 + 1; ++i) run();
  while (times.size() < least || Clock::now() - begin < std::chrono::milliseconds(50)) {
    const auto start = Clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

std::size_t compile_glsl(const std::string& text, EShLanguage stage) {
  const char* texts[] = {text.c_str()};
  glslang::TShader shader(stage);
  shader.setStrings(texts, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, stage, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
  constexpr auto kRules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  if (!shader.parse(GetDefaultResources(), 460, false, kRules)) {
    std::fputs(shader.getInfoLog(), stderr);
    std::exit(3);
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kRules)) std::exit(3);
  std::vector<unsigned> words;
  glslang::GlslangToSpv(*program.getIntermediate(stage), words);
  return words.size();
}

const std::vector<rpl::EntryPointName> kEntries = {{rpl::Stage::Vertex, "vertex_main"},
                                                   {rpl::Stage::Fragment, "fragment_main"}};

struct Times {
  std::size_t bytes = 0, words = 0, glsl_words = 0;
  double parse = 0, resolve = 0, metadata = 0, spirv = 0, anew = 0, variant = 0, setting = 0, full = 0, glslang = 0;
};

// One program and the parts of its compilation. A part uses what the previous parts have parsed or resolved. Two
// sources with the same text are used in turn, because the resolver would otherwise reuse results of the previous time.
struct Bench {
  std::array<SourcePtr, 2> sources;
  Diagnostics diagnostics;
  rpl::ProgramParser parser;
  std::array<rpl::Program, 2> programs;
  std::array<rpl::Assignment, 2> assignments;  // without and with `wireframe`, on which a setting depends
  std::size_t turn = 0;
  rpl::Resolver resolver;
  rpl::SpirvEmitter emitter;
  rpl::MetadataEmitter metadata;
  const rpl::Resolved* resolved = nullptr;
  std::vector<rpl::OptionId> flags;  // the options that `variant` assigns
  std::uint32_t step = 0;            // count of assignments that `variant` has compiled

  explicit Bench(const std::string& text) {
    for (std::size_t i = 0; i < 2; ++i) {
      sources[i] = make_source("bench.rpl", text);
      programs[i] = parser.parse(sources[i], diagnostics);
    }
    if (programs[0].valid) {
      rpl::set_option(programs[0], "wireframe=on", rpl::OptionFilter::Instance, {}, assignments[1], diagnostics);
      resolve(programs[0], assignments[0]);
      choose_flags();
    }
    if (resolved) return;
    std::fputs(format_diagnostics(diagnostics.all()).c_str(), stderr);
    std::exit(3);
  }

  std::size_t next() { return turn ^= 1; }
  void resolve(const rpl::Program& of, const rpl::Assignment& assignment) {
    resolved = resolver.resolve(of, assignment, kEntries, {}, diagnostics);
  }
  std::size_t emit() { return emitter.emit(*resolved)[0].words.size(); }
  void finish() {
    metadata.emit(*resolved);
    emit();
  }
  void make_anew(const rpl::Program& of) {
    resolve(of, assignments[0]);
    finish();
  }
  void choose_flags() {
    constexpr std::size_t kMaxFlags = 10;
    const std::span options = programs[0].options;
    for (rpl::OptionId id = 0; id < options.size() && flags.size() < kMaxFlags; ++id) {
      const bool setting = programs[0].text(options[id].name) == "wireframe";
      if (options[id].type == rpl::OptionType::Flag && !setting) flags.push_back(id);
    }
  }
  void make_variant() {
    const std::uint32_t count = 1u << flags.size();
    if (step == count) {  // all are compiled: begin again with the other source, of which the resolver has no results
      next();
      make_anew(programs[turn]);
      step = 0;
    }
    const std::uint32_t bits = step++;
    rpl::Assignment assignment;
    for (std::size_t i = 0; i < flags.size(); ++i) assignment.set(flags[i], {rpl::ValueType::Flag, bits >> i & 1});
    resolve(programs[turn], assignment);
    finish();
  }
  void change_setting() {
    resolve(programs[0], assignments[next()]);
    finish();
  }
  void compile() { make_anew(parser.parse(sources[next()], diagnostics)); }
};

using Part = std::pair<std::string_view, std::function<void(Bench&)>>;
const std::array<Part, 8> kParts = {
    {{"parse", [](Bench& bench) { bench.parser.parse(bench.sources[0], bench.diagnostics); }},
     {"resolve", [](Bench& bench) { bench.resolve(bench.programs[bench.next()], bench.assignments[0]); }},
     {"metadata", [](Bench& bench) { bench.metadata.emit(*bench.resolved); }},
     {"spirv", [](Bench& bench) { bench.emit(); }},
     {"anew", [](Bench& bench) { bench.make_anew(bench.programs[bench.next()]); }},
     {"variant", &Bench::make_variant},
     {"setting", &Bench::change_setting},
     {"full", &Bench::compile}}};

Times measure(const TwinProgram& twin, bool with_glslang) {
  Times times{.bytes = twin.rpl.size()};
  Bench bench(twin.rpl);
  times.words = bench.emit();
  double* const results[] = {&times.parse, &times.resolve, &times.metadata, &times.spirv,
                             &times.anew,  &times.variant, &times.setting,  &times.full};
  for (std::size_t i = 0; i < kParts.size(); ++i) *results[i] = median_of([&] { kParts[i].second(bench); });
  if (with_glslang) {
    times.glsl_words = compile_glsl(twin.vertex, EShLangVertex) + compile_glsl(twin.fragment, EShLangFragment);
    times.glslang = median_of([&] {
      compile_glsl(twin.vertex, EShLangVertex);
      compile_glsl(twin.fragment, EShLangFragment);
    });
  }
  return times;
}

// The time of a whole process of the program, from start to exit, in milliseconds.
double process_time(const std::string& slipway, const std::string& rpl) {
  const std::string file = "/tmp/slipway-bench-" + std::to_string(getpid()) + ".rpl";
  std::ofstream(file) << rpl;
  const std::string out = file + ".out";
  std::vector<std::string> arguments = {
      slipway, "compile", file, "--entry", "vertex=vertex_main", "--entry", "fragment=fragment_main", "-o", out};
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int status = 0;
  const double time = median_of([&] {
    pid_t child = 0;
    if (posix_spawn(&child, slipway.c_str(), nullptr, nullptr, pointers.data(), environ) != 0) std::exit(5);
    waitpid(child, &status, 0);
  });
  for (const char* end : {"", ".out.spv", ".out.json"}) std::remove((file + end).c_str());
  if (status != 0) std::exit(5);
  return time / 1000;
}

// --only PART BYTES CODE SECONDS
int repeat_part(char** arguments) {
  const auto part = std::ranges::find(kParts, std::string_view(arguments[0]), &Part::first);
  if (part == kParts.end()) return 2;
  Bench bench(make_twin(std::strtoull(arguments[1], nullptr, 10), std::strtod(arguments[2], nullptr)).rpl);
  std::vector<double> times;
  const auto begin = Clock::now();
  while (Clock::now() - begin < std::chrono::duration<double>(std::strtod(arguments[3], nullptr))) {
    const auto start = Clock::now();
    part->second(bench);
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  std::ranges::sort(times);
  std::printf("%s: best %.2f, median %.2f us of %zu\n", arguments[0], times.front(), times[times.size() / 2],
              times.size());
  return 0;
}

int main_of(int count, char** arguments) {
  if (count == 6 && std::string_view(arguments[1]) == "--only") return repeat_part(arguments + 2);
  glslang::InitializeProcess();
  // The fractions of code are those of a small effect, of a pipeline of mostly declarations, and of ordinary shaders.
  const struct {
    std::size_t bytes;
    double code;
  } programs[] = {{700, 0.0}, {4500, 0.1}, {10'000, 0.9}, {100'000, 0.9}, {400'000, 0.9}};
  std::printf("%8s %7s %8s %8s %8s %8s %8s %8s %8s %8s %10s %8s %9s\n", "bytes", "words", "parse", "resolve",
              "metadata", "spirv", "anew", "variant", "setting", "full", "glslang", "full x", "variant x");
  bool first = true;
  std::vector<Times> all;
  for (const auto& [bytes, code] : programs) {
    const TwinProgram twin = make_twin(bytes, code);
    if (first) compile_glsl(twin.vertex, EShLangVertex), first = false;
    const Times t = measure(twin, true);
    all.push_back(t);
    std::printf("%8zu %7zu %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %8.1f %10.1f %8.0f %9.0f\n", t.bytes, t.words,
                t.parse, t.resolve, t.metadata, t.spirv, t.anew, t.variant, t.setting, t.full, t.glslang,
                t.glslang / t.full, t.glslang / t.variant);
  }
  {
    const TwinProgram twin = make_twin(10'000, 0.9);
    Diagnostics diagnostics;
    const rpl::Program program = rpl::parse(make_source("bench.rpl", twin.rpl), diagnostics);
    rpl::Resolver resolver;
    const rpl::Resolved* const resolved = resolver.resolve(program, {}, kEntries, {}, diagnostics);
    const rpl::SpirvModule module = rpl::emit_spirv(*resolved, {.strip = true})[0];
    std::size_t words = 0;
    const double time = median_of([&] { words = rpl::optimize_spirv(module, rpl::Target::Vulkan13)->size(); });
    std::printf("--optimize of the 10 KB program, stripped: %zu words to %zu in %.0f us\n", module.words.size(), words,
                time);
  }
  const Times small = measure(make_twin(6250, 0.9), false);
  const Times& large = all.back();
  const double size = static_cast<double>(large.bytes) / static_cast<double>(small.bytes);
  const double parse = large.parse / small.parse / size;
  const double anew = large.anew / small.anew / size;
  std::printf("growth over x%.0f in size: parse %.2f, anew %.2f of linear\n", size, parse, anew);
  for (int i = 1; i + 1 < count; ++i) {
    if (std::string_view(arguments[i]) != "--slipway") continue;
    std::printf("slipway compile, 10 KB, whole process: %.2f ms\n",
                process_time(arguments[i + 1], make_twin(10'000, 0.9).rpl));
  }
  glslang::FinalizeProcess();
  // Not 1, because large programs have more cache misses; quadratic growth would be 64.
  constexpr double kMaxGrowth = 2.5;
  return parse > kMaxGrowth || anew > kMaxGrowth ? 1 : 0;
}

}  // namespace
}  // namespace slipway::bench

int main(int count, char** arguments) { return slipway::bench::main_of(count, arguments); }
