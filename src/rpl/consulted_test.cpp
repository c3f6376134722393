// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each output read (docs/spec/rpl.md#variants), and repeated use of a program and a resolver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <thread>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "rpl/builtins.hpp"
#include "rpl/resolve.hpp"
#include "testing/rpl_case.hpp"
#include "testing/rpl_listing.hpp"

namespace slipway::rpl {
namespace {

const EntryPointName kBoth[] = {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}};

// The program of docs/spec/rpl.md#examples.
std::string tinted() {
  for (const testing::RplCase& found : testing::rpl_cases()) {
    if (found.name == "seed_tinted") return found.modules.front().text;
  }
  return "";
}

Program parse_text(const std::string& text) {
  Diagnostics diagnostics;
  Program program = parse(make_source("p.rpl", text), diagnostics);
  EXPECT_TRUE(program.valid) << format_diagnostics(diagnostics.all(), {});
  return program;
}

std::vector<std::string> names(const Program& program, const OptionSet& options) {
  std::vector<std::string> found;
  for (const OptionId id : options.list()) found.emplace_back(program.text(program.options[id].name));
  return found;
}

TEST(Consulted, NamesTheOptionsOfEachOutput) {
  const Program program = parse_text(tinted());
  Diagnostics diagnostics;
  const auto resolved = resolve(program, {}, kBoth, {}, diagnostics);
  ASSERT_TRUE(resolved);
  EXPECT_THAT(names(program, resolved->consulted.interface.options), ::testing::ElementsAre("tint_mode"));
  EXPECT_THAT(names(program, resolved->consulted.settings.options), ::testing::ElementsAre("wireframe"));
  EXPECT_THAT(names(program, resolved->consulted.stages[0].options), ::testing::ElementsAre("tint_mode"));
  EXPECT_THAT(names(program, resolved->consulted.stages[1].options), ::testing::IsEmpty());
}

// 4 assignments: 2 vertex, 1 fragment, 2 interface classes, and as many settings.
TEST(Consulted, ClassesOfTheExample) {
  const Program program = parse_text(tinted());
  std::set<std::uint64_t> interface, settings, vertex, fragment;
  for (const char* mode : {"none", "instance"}) {
    for (const char* wireframe : {"on", "off"}) {
      Assignment assignment;
      Diagnostics diagnostics;
      set_option(program, formatted("tint_mode={}", mode), OptionFilter::Global, {}, assignment, diagnostics);
      set_option(program, formatted("wireframe={}", wireframe), OptionFilter::Instance, {}, assignment, diagnostics);
      const auto resolved = resolve(program, assignment, kBoth, {}, diagnostics);
      ASSERT_TRUE(resolved);
      interface.insert(resolved->consulted.interface.hash);
      settings.insert(resolved->consulted.settings.hash);
      vertex.insert(resolved->consulted.stages[0].hash);
      fragment.insert(resolved->consulted.stages[1].hash);
    }
  }
  EXPECT_EQ(interface.size(), 2u);
  EXPECT_EQ(settings.size(), 2u);
  EXPECT_EQ(vertex.size(), 2u);
  EXPECT_EQ(fragment.size(), 1u);
}

TEST(Consulted, UnevaluatedSidesAreNotRead) {
  const Program program = parse_text("global a: flag off; global b: flag on; conditional (a && b) set_pass sampler s;");
  Diagnostics diagnostics;
  Resolver resolver;
  ASSERT_TRUE(resolver.resolve(program, {}, {}, {}, diagnostics));
  EXPECT_THAT(resolver.read_order(), ::testing::ElementsAre(0u));
}

TEST(Consulted, ManyOptions) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += formatted("global o{}: uint {};\n", i, i + 1);
  text += "set_pass uniform_buffer u { f4[o70 + o130] a; };";
  const Program program = parse_text(text);
  Diagnostics diagnostics;
  const auto resolved = resolve(program, {}, {}, {}, diagnostics);
  ASSERT_TRUE(resolved);
  EXPECT_THAT(names(program, resolved->consulted.interface.options), ::testing::ElementsAre("o70", "o130"));
}

// A resolver keeps its memory; a call must not affect the next.
TEST(Resolver, GivesTheSameAgain) {
  Resolver reused;
  for (int round = 0; round < 2; ++round) {
    for (const testing::RplCase& given : testing::rpl_cases()) {
      Diagnostics parsing, diagnostics, again;
      const Program program = testing::parse_case(given, parsing);
      if (!program.valid) continue;
      const auto fresh = resolve(program, {}, given.entry_points, given.settings, diagnostics);
      const Resolved* const old = reused.resolve(program, {}, given.entry_points, given.settings, again);
      ASSERT_EQ(fresh.has_value(), old != nullptr) << given.name;
      if (old) {
        EXPECT_EQ(testing::list_resolved(*fresh), testing::list_resolved(*old)) << given.name;
      }
      EXPECT_EQ(format_diagnostics(diagnostics.all(), {}), format_diagnostics(again.all(), {})) << given.name;
    }
  }
}

// Another value than the default.
Value other_value(const Program& program, const Option& option) {
  const Value initial = option.initial;
  if (option.type == OptionType::Flag) return {initial.type, initial.bits ^ 1};
  if (option.type == OptionType::Enum)
    return {initial.type, program.lists[option.values.first + option.values.count - 1]};
  return {initial.type, initial.bits + 1};
}

// A resolver keeps what a variant shares with the one before; nothing else of that one may affect it.
TEST(Resolver, VariantsAreWhatTheyAreAlone) {
  Resolver reused;
  const auto compare = [&](const testing::RplCase& given, const Program& program, const Assignment& assignment) {
    Diagnostics diagnostics, again;
    Resolver other;
    const Resolved* const alone = other.resolve(program, assignment, given.entry_points, given.settings, diagnostics);
    const Resolved* const next = reused.resolve(program, assignment, given.entry_points, given.settings, again);
    EXPECT_EQ(format_diagnostics(diagnostics.all(), {}), format_diagnostics(again.all(), {}));
    EXPECT_TRUE(std::ranges::equal(other.read_order(), reused.read_order()));
    ASSERT_EQ(alone != nullptr, next != nullptr);
    if (!alone) return;
    EXPECT_EQ(testing::list_resolved(*alone), testing::list_resolved(*next));
    EXPECT_EQ(alone->options, next->options);
    const auto same = [](const Consulted& a, const Consulted& b) {
      return a.options.list() == b.options.list() && a.hash == b.hash;
    };
    EXPECT_TRUE(same(alone->consulted.interface, next->consulted.interface));
    EXPECT_TRUE(same(alone->consulted.settings, next->consulted.settings));
    EXPECT_TRUE(std::ranges::equal(alone->consulted.stages, next->consulted.stages, same));
  };
  std::vector<testing::RplCase> cases = testing::rpl_cases();
  const char* const kSettings = R"(
instance wireframe: flag off; instance culling: enum "back" "none"; instance blending: flag off; global unread: uint 1;
global wide: flag off; instance tint: flag off;
constant mode = culling;
conditional (wireframe) setting polygon_mode = "wireframe";
conditional (wide && wireframe) setting line_width = 2.0;
setting cull_mode = mode;
conditional (blending) setting color_output_use_blend block 0 = true;
set_pass uniform_buffer u { conditional (wide) f4 more; f4 color; };
color_output_container o { f4 c; };
void main (void) { o.c = u.color; conditional (tint) { o.c = f4 {1.0}; } }
)";
  cases.push_back({.name = "settings", .modules = {{"p.rpl", kSettings}}, .entry_points = {{Stage::Fragment, "main"}}});
  for (const testing::RplCase& given : cases) {
    SCOPED_TRACE(given.name);
    Diagnostics parsing;
    const Program program = testing::parse_case(given, parsing);
    if (!program.valid) continue;
    Assignment assignment;
    compare(given, program, assignment);
    compare(given, program, assignment);
    // One option more at a time, then one less.
    for (OptionId id = 0; id < program.options.size(); ++id) {
      assignment.set(id, other_value(program, program.options[id]));
      compare(given, program, assignment);
    }
    for (OptionId id = 0; id < program.options.size(); ++id) {
      assignment.set(id, {});
      compare(given, program, assignment);
    }
  }
}

TEST(Resolver, ThreadsShareAProgram) {
  const Program program = parse_text(tinted());
  std::vector<std::string> listings(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& listing : listings) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          Diagnostics diagnostics;
          listing = testing::list_resolved(*resolve(program, {}, kBoth, {}, diagnostics));
        }
      });
    }
  }
  for (const std::string& listing : listings) EXPECT_EQ(listing, listings.front());
}

TEST(Options, FiltersByClass) {
  const Program program = parse_text("global a: flag on; instance b: flag on;");
  Assignment assignment;
  Diagnostics diagnostics;
  set_option(program, "a=off", OptionFilter::Instance, {}, assignment, diagnostics);
  set_option(program, "b=off", OptionFilter::Global, {}, assignment, diagnostics);
  set_option(program, "a", OptionFilter::Any, {}, assignment, diagnostics);
  ASSERT_EQ(diagnostics.errors(), 3u);
  EXPECT_EQ(diagnostics.all()[0].kind, DiagnosticKind::RplOptionClass);
  EXPECT_EQ(diagnostics.all()[1].kind, DiagnosticKind::RplOptionClass);
  EXPECT_EQ(diagnostics.all()[2].kind, DiagnosticKind::Usage);
  EXPECT_TRUE(assignment.values.empty());
}

TEST(Options, FormatValues) {
  const Program program = parse_text("");
  const auto format = [&](ValueType type, std::uint32_t bits) { return format_value(program, {type, bits}); };
  EXPECT_EQ(format(ValueType::Flag, 1), "true");
  EXPECT_EQ(format(ValueType::Uint, 7), "7u");
  EXPECT_EQ(format(ValueType::Sint, 0xFFFFFFFF), "-1");
  EXPECT_EQ(format(ValueType::Float, std::bit_cast<std::uint32_t>(1.0f)), "1.0");
  EXPECT_EQ(format(ValueType::Float, std::bit_cast<std::uint32_t>(1e30f)), "1.0e+30");
  EXPECT_EQ(format(ValueType::Float, std::bit_cast<std::uint32_t>(0.1f)), "0.1");
}

// docs/spec/rpl.md#base-built-ins: 202 base functions, `sample` and `sample_dref` among the rest.
TEST(Builtins, Count) {
  std::size_t base = 0, sampling = 0;
  for (const BuiltinFunction& function : builtin_functions()) {
    const BuiltinInfo& info = info_of(function.id);
    const bool samples = info.family == BuiltinFamily::Sample || info.family == BuiltinFamily::SampleDref;
    sampling += samples;
    base += info.origin == BuiltinOrigin::Base && !samples;
    EXPECT_EQ(find_builtin(find_fixed_name(function.name)), &function);
  }
  EXPECT_EQ(base, 202u);
  EXPECT_EQ(sampling, 2u);
}

}  // namespace
}  // namespace slipway::rpl
