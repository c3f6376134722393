// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One resolver that resolves a chain of variants, which share parts (body_cache.hpp, layout_cache.hpp), returns what a
// new resolver returns for each: the words, the metadata, what was consulted, and the diagnostics in their order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "rpl/compile.hpp"
#include "rpl/metadata/emit_metadata.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "testing/rpl_case.hpp"
#include "testing/rpl_generator.hpp"
#include "testing/rpl_listing.hpp"

namespace slipway::rpl {
namespace {

// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33) % limit;
  }

 private:
  std::uint64_t state_;
};

// Everything that a user can observe of a variant.
struct Outcome {
  bool made = false;
  std::string text;
  std::vector<spirv::Words> words;
};

Outcome outcome_of(Compiler& compiler, const Program& program, const Assignment& assignment,
                   const CompileOptions& options) {
  Diagnostics diagnostics;
  const std::optional<Compiled> made = compiler.compile(program, assignment, options, diagnostics);
  std::string text = format_diagnostics(diagnostics.all(), {});
  for (const OptionId id : compiler.read_order()) text += formatted("read {}\n", id);
  if (!made) return {false, std::move(text), {}};
  const ConsultedSets& sets = compiler.resolved()->consulted;
  const auto consulted = [&](const Consulted& set) {
    text += formatted("{:x}:", set.hash);
    for (const OptionId id : set.options.list()) text += formatted(" {}", id);
    text += "\n";
  };
  consulted(sets.interface);
  consulted(sets.settings);
  for (const Consulted& stage : sets.stages) consulted(stage);
  text += testing::list_resolved(*compiler.resolved());
  text += metadata_text(made->metadata);
  Outcome outcome{true, std::move(text), {}};
  for (const SpirvModule& module : made->modules) outcome.words.push_back(module.words);
  return outcome;
}

// A program and the compiler of all of its variants.
struct Chain {
  Program program;
  CompileOptions options;
  Compiler compiler;

  // Returns whether the variant compiles.
  bool check(const Assignment& assignment) {
    Compiler alone;
    const Outcome expected = outcome_of(alone, program, assignment, options);
    const Outcome found = outcome_of(compiler, program, assignment, options);
    EXPECT_EQ(found.made, expected.made);
    EXPECT_EQ(found.text, expected.text);
    EXPECT_TRUE(found.words == expected.words);
    if (!expected.made || !found.made) return false;
    // One emitter for the variants of all programs: nothing of the previous metadata stays.
    static MetadataEmitter emitter;
    EXPECT_TRUE(emitter.emit(*compiler.resolved()) == emit_metadata(*alone.resolved()));
    return true;
  }
  bool check(std::initializer_list<std::string_view> values) {
    Assignment assignment;
    Diagnostics diagnostics;
    for (const std::string_view value : values) {
      set_option(program, value, OptionFilter::Any, {}, assignment, diagnostics);
    }
    EXPECT_TRUE(diagnostics.empty()) << format_diagnostics(diagnostics.all(), {});
    SCOPED_TRACE(::testing::PrintToString(std::vector(values)));
    return check(assignment);
  }
};

Chain chain_of(const std::string& text, std::vector<EntryPointName> entry_points,
               PipelineKind pipeline = PipelineKind::Graphics) {
  Chain chain;
  Diagnostics diagnostics;
  chain.program = parse(make_source("p.rpl", text), diagnostics);
  EXPECT_TRUE(chain.program.valid) << format_diagnostics(diagnostics.all(), {});
  chain.options.entry_points = std::move(entry_points);
  chain.options.resolve.pipeline = pipeline;
  return chain;
}
Chain fragment_chain(const std::string& text) { return chain_of(text, {{Stage::Fragment, "main"}}); }
Chain compute_chain(const std::string& text) {
  return chain_of(text, {{Stage::Compute, "main"}}, PipelineKind::Compute);
}

// Some value of the option, valid or not.
Value some_value(const Program& program, const Option& option, Random& random) {
  switch (option.type) {
    case OptionType::Flag:
      return {ValueType::Flag, random.below(2)};
    case OptionType::Enum:
      return {ValueType::String, program.lists[option.values.first + random.below(option.values.count)]};
    default:
      return random.below(3) == 0 ? Value{option.initial.type, random.below(4)} : option.initial;
  }
}

// --- programs of all kinds -----------------------------------------------------------------------------------------

TEST(KeptBodies, ChainsOfTheCorpus) {
  Random random(1);
  Compiler compiler;
  for (const testing::RplCase& given : testing::rpl_cases()) {
    Diagnostics diagnostics;
    Chain chain{.program = testing::parse_case(given, diagnostics)};
    if (!chain.program.valid || chain.program.options.empty()) continue;
    SCOPED_TRACE(given.name);
    chain.options.entry_points = given.entry_points;
    chain.options.resolve = given.settings;
    chain.compiler = std::move(compiler);  // one for all programs
    for (int step = 0; step < 40; ++step) {
      Assignment assignment;
      for (OptionId id = 0; id < chain.program.options.size(); ++id) {
        if (random.below(4) != 0) continue;
        assignment.set(id, some_value(chain.program, chain.program.options[id], random));
      }
      chain.check(assignment);
      if (::testing::Test::HasFailure()) return;
    }
    compiler = std::move(chain.compiler);
  }
}

TEST(KeptBodies, ChainsOfRandomPrograms) {
  Compiler compiler;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const testing::RplProgramShape shape = testing::numbered_shape(seed);
    const testing::GeneratedRpl generated = testing::generate_rpl(seed, shape);
    Chain chain = shape.compute
                      ? chain_of(generated.text, {{Stage::Compute, "compute_main"}}, PipelineKind::Compute)
                      : chain_of(generated.text, {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}});
    chain.compiler = std::move(compiler);
    for (int step = 0; step < 12; ++step) {
      Assignment assignment;
      for (OptionId id = 0; id < chain.program.options.size(); ++id) {
        if (random.below(2) != 0) assignment.set(id, some_value(chain.program, chain.program.options[id], random));
      }
      chain.check(assignment);
      if (::testing::Test::HasFailure()) return;
    }
    compiler = std::move(chain.compiler);
  }
}

// --- what one variant may leave to another that is wrong there ------------------------------------------------------

// Every assignment of flags, in an order in which they change alone and together.
void check_all(Chain& chain) {
  const auto count = static_cast<std::uint32_t>(chain.program.options.size());
  ASSERT_LE(count, 6u);
  std::uint32_t good = 0;
  for (std::uint32_t step = 0; step < 4u << count; ++step) {
    const std::uint32_t bits = step * 2654435761u >> (32 - count);
    Assignment assignment;
    for (OptionId id = 0; id < count; ++id) assignment.set(id, {ValueType::Flag, bits >> id & 1});
    SCOPED_TRACE(formatted("{:b}", bits));
    good += chain.check(assignment) ? 1 : 0;
  }
  EXPECT_GT(good, 0u);
}

TEST(KeptBodies, DeclarationsMoveAround) {
  Chain chain = chain_of(R"(
global a: flag off; global b: flag off; instance c: flag off;
conditional (a) struct s { f4 first; f4 second; };
conditional (!a) struct s { f4 second; };
conditional (b) set_pass uniform_buffer before { f4 x; };
set_pass uniform_buffer view { conditional (b) f4 more; s part; f4 color; };
conditional (a) set_pass image_color_2d early;
set_pass image_color_2d late;
conditional (b) set_pass sampler early_sampler;
set_pass sampler late_sampler;
vertex_attribute_container vertex { conditional (a) f3 normal; f3 position; };
state_container state { conditional (c) f4 more; f2 uv; };
color_output_container target { conditional (c) f4 other; f4 color; };
f4 look (in sampler s_, in image_color_2d i_) { return sample (s_, i_, state.uv); }
f4 shade (void) { s local; local.second = view.color; return local.second + view.part.second; }
void vertex_main (void) { state.uv = vertex.position.xy; vertex_stage_output_position (shade ()); }
void fragment_main (void)
{
    target.color = look (late_sampler, late) + shade ();
    conditional (c) { target.other = view.part.second; }
}
)",
                         {{Stage::Vertex, "vertex_main"}, {Stage::Fragment, "fragment_main"}});
  check_all(chain);
}

TEST(KeptBodies, AliasesOfFields) {
  Chain chain = compute_chain(R"(
global a: flag off; global b: flag off; global c: flag off;
struct inner { conditional (a) f4 more; f4 whole; alias (part, whole.yz) conditional (b) alias (other, whole.w) };
struct outer { inner first; alias (deep, first.part) alias (deeper, deep.y) inner second; };
conditional (c) set_object read_write_storage_buffer before { f4 x; alias (y, x.y) };
set_object read_write_storage_buffer data { conditional (c) f4 more; outer all; alias (direct, all.first.whole.w) };
setting workgroup_size_x = 1u;
f1 sum (in outer given) { f1 more = 0.0; conditional (b) { more = given.second.other; } return given.deeper + more; }
void main (void)
{
    data.direct = sum (data.all);
    conditional (c) { data.direct = before.y + data.all.deeper; }
}
)");
  check_all(chain);
}

// The names of locals, functions and structs refer to other entities with other declarations.
TEST(KeptBodies, NamesChangeTheirMeaning) {
  Chain chain = fragment_chain(R"(
global a: flag off; global b: flag off; instance c: flag off;
conditional (a) set_pass sampler color;
conditional (b) constant n = 1u;
conditional (b) constant n = 2u;
conditional (c) constant m = 3u;
conditional (c && a) constant m = 4u;
constant t = a && c;
conditional (a) f1 amount (in f1 x) { return x; }
conditional (!a) f1 amount (in f1 x, conditional (c) in f1 y) { return x + x; }
conditional (b) f1 amount (in f1 x) { return x * x; }
set_pass uniform_buffer view { f4 color_; };
color_output_container target { f4 c_; };
f4 uses_local (void) { f4 color; return view.color_; }
f4 uses_dead (void) { conditional (false && n == 1u) { return f4 {2.0}; } return f4 {0.5}; }
f4 uses_constant (void) { conditional (t) { return f4 {f1 {m}}; } return f4 {0.25}; }
f4 uses_function (void) { return f4 {amount (0.5)}; }
void main (void) { target.c_ = uses_local () + uses_dead () + uses_constant () + uses_function (); }
)");
  check_all(chain);
}

// An error is reported again, wherever it is found first; code without errors may have errors in another variant.
TEST(KeptBodies, FailuresBetweenVariantsThatAreGood) {
  Chain chain = fragment_chain(R"(
global a: flag off; global b: flag off; instance c: flag off;
struct s { f4 x; conditional (b) u1[3] y; conditional (b && a) nothing z; };
color_output_container target { f4 color; };
f4 first (void) { s local; return local.x; }
f4 second (void) { s local; return local.x + first (); }
f4 third (void) { conditional (b) { return 1u; } return f4 {1.0}; }
f4 warns (void) { f4 never; return never; }
void recursive (void) { conditional (c && b) { recursive (); } }
void main (void)
{
    f4 color = f4 {0.0};
    conditional (a) { color = color + first (); }
    conditional (!a) { color = color + second (); }
    conditional (c) { color = color + third () + warns (); recursive (); }
    target.color = color;
}
)");
  check_all(chain);
}

// The structs of a variant equal those of the one before the last, so they are the same types.
TEST(KeptBodies, TypesComeBack) {
  Chain chain = compute_chain(R"(
global wide: flag off; global other: flag off;
struct inner { f4 x; conditional (wide) f4 y; };
struct outer { inner first; inner[2] rest; };
set_object read_write_storage_buffer data { outer whole; outer[4] many; };
setting workgroup_size_x = 4u;
f4 sum (in outer given) { outer copy = given; return copy.first.x + copy.rest[1].x; }
f4 unrelated (void) { return f4 {1.0}; }
void by_value (void) { data.many[1].first.x = sum (data.whole); }
void by_place (void) { data.whole.rest[0].x = data.many[2].first.x; }
void main (void)
{
    conditional (other) { by_value (); }
    conditional (!other) { by_place (); }
    data.whole.first.x = unrelated ();
}
)");
  for (const auto& values : std::vector<std::vector<std::string_view>>{{"other=on"},
                                                                       {"wide=on"},
                                                                       {"wide=on", "other=on"},
                                                                       {"wide=off"},
                                                                       {"wide=on", "other=on"},
                                                                       {"other=on"},
                                                                       {"wide=on"},
                                                                       {}}) {
    Assignment assignment;
    Diagnostics diagnostics;
    for (const std::string_view value : values) {
      set_option(chain.program, value, OptionFilter::Any, {}, assignment, diagnostics);
    }
    EXPECT_TRUE(chain.check(assignment));
  }
}

TEST(KeptBodies, TheSizeOfTheWorkgroupIsPartOfTheCode) {
  Chain chain = compute_chain(R"(
instance size: uint 4; instance other: flag off;
constant twice = size * 2u;
setting workgroup_size_x = twice;
set_object read_write_storage_buffer data { u4 x; };
u3 group (void) { return compute_stage_input_group_size (); }
void main (void) { data.x = u4 {group (), 1u}; conditional (other) { data.x = u4 {2u}; } }
)");
  for (const char* const size : {"size=4", "size=8", "size=4", "size=2", "size=8"}) {
    EXPECT_TRUE(chain.check({size}));
    EXPECT_TRUE(chain.check({size, "other=on"}));
  }
}

// Samplers are tracked through functions that take them, and images through arrays.
TEST(KeptBodies, SamplersAndImages) {
  Chain chain = fragment_chain(R"(
instance a: flag off; instance b: flag off; instance c: flag off; global d: flag off;
conditional (d) set_pass image_color_2d[2] more;
set_pass image_color_2d[4] images;
set_pass image_depth_2d depth;
set_pass sampler s_;
state_container state { f2 uv; conditional (a) u1 index; };
color_output_container target { f4 color; };
f4 plain (in sampler s, in image_color_2d i) { return sample (s, i, state.in.uv); }
f1 compare (in sampler s) { return sample_dref (s, depth, state.in.uv, 0.5); }
f4 passes (in sampler s, in image_color_2d i) { return plain (s, i); }
void main (void)
{
    f4 color = f4 {0.0};
    conditional (b) { color = passes (s_, images[1]); }
    conditional (a) { color = color + passes (s_, images[state.in.index]); }
    conditional (c) { color = color + f4 {compare (s_)}; }
    target.color = color;
}
)");
  check_all(chain);
}

// --- that it is done at all ----------------------------------------------------------------------------------------

constexpr std::string_view kTwoFunctions = R"(
instance a: uint 0; instance b: flag off;
color_output_container target { f4 color; };
f4 of_a (void) { return f4 {f1 {a}}; }
f4 of_b (void) { conditional (b) { return f4 {2.0}; } return f4 {1.0}; }
void main (void) { target.color = of_a () + of_b (); }
)";

std::vector<std::uint32_t> places_of_code(Chain& chain, std::string_view value) {
  EXPECT_TRUE(chain.check({value}));
  std::vector<std::uint32_t> offsets;
  for (const Function& function : chain.compiler.resolved()->functions) offsets.push_back(function.code.first);
  return offsets;
}

TEST(KeptBodies, FunctionsThatNoChangedOptionReachesStay) {
  Chain chain = fragment_chain(std::string(kTwoFunctions));
  const auto first = places_of_code(chain, "a=0"), second = places_of_code(chain, "a=1");
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0], second[0]);
  EXPECT_NE(first[1], second[1]);
  EXPECT_EQ(first[2], second[2]);
  EXPECT_EQ(places_of_code(chain, "a=0"), first);
}

TEST(KeptBodies, WhatIsKeptIsBounded) {
  Chain chain = fragment_chain(std::string(kTwoFunctions));
  std::size_t most = 0;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    Assignment assignment;
    assignment.set(0, {ValueType::Uint, i});
    Diagnostics diagnostics;
    ASSERT_TRUE(chain.compiler.compile(chain.program, assignment, chain.options, diagnostics));
    most = std::max(most, chain.compiler.resolved()->code.size());
  }
  EXPECT_GT(most, 100u);
  EXPECT_LT(most, 40'000u);
  EXPECT_TRUE(chain.check({"a=3"}));
}

}  // namespace
}  // namespace slipway::rpl
