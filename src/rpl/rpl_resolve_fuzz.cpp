// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolving any program must not fault, with and without its functions; the result must obey the rules of resolved.hpp,
// on which emission relies. A resolver that has cached other variants must return what a new resolver returns.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/print_diagnostic.hpp"
#include "rpl/emit/emit_spirv.hpp"
#include "rpl/resolve.hpp"

namespace {

using namespace slipway;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const rpl::Resolved& resolved) {
  for (const rpl::Function& function : resolved.functions) {
    std::uint32_t open = 0;
    for (std::uint32_t i = function.code.first; i < function.code.first + function.code.count; ++i) {
      const rpl::Instruction& at = resolved.code[i];
      const auto operand = [&](rpl::Ref ref) {
        require(ref != rpl::kNoRef);
        if (rpl::is_constant(ref))
          require(rpl::constant_index(ref) < resolved.constants.size());
        else
          require(ref >= function.code.first && ref < i);
      };
      const auto location = [&](std::uint32_t index) {
        require(index < resolved.lvalues.size());
        const rpl::LValue& ref = resolved.lvalues[index];
        for (std::uint32_t s = 0; s < ref.steps.count; ++s) {
          const rpl::Step& step = resolved.steps[ref.steps.first + s];
          if (step.kind == rpl::StepKind::Element) operand(step.value);
        }
      };
      using rpl::Op;
      switch (at.op) {
        case Op::Load:
          location(at.a);
          break;
        case Op::Store:
          location(at.a);
          operand(at.b);
          break;
        case Op::Binary:
        case Op::Element:
          operand(at.a);
          operand(at.b);
          break;
        case Op::Unary:
        case Op::LogicBegin:
        case Op::Convert:
        case Op::Splat:
        case Op::Crop:
        case Op::Extract:
        case Op::Swizzle:
        case Op::Evaluate:
        case Op::LoopTest:
          operand(at.a);
          break;
        case Op::LogicEnd:
          operand(at.b);
          require(resolved.code[at.a].op == Op::LogicBegin);
          break;
        case Op::Call:
          require(at.a < resolved.functions.size());
          break;
        case Op::If:
          operand(at.a);
          [[fallthrough]];
        case Op::LoopBegin:
        case Op::ScopeBegin:
          ++open;
          break;
        case Op::EndIf:
        case Op::LoopEnd:
        case Op::ScopeEnd:
          require(open-- != 0);
          break;
        default:
          break;
      }
    }
    require(open == 0);
  }
}

// The option has another value than the default in some of the variants.
rpl::Value value_in(const rpl::Program& program, const rpl::Option& option, std::uint32_t variant) {
  if (variant == 0) return option.initial;
  if (option.type == rpl::OptionType::Enum) {
    return {option.initial.type, program.lists[option.values.first + variant % option.values.count]};
  }
  if (option.type == rpl::OptionType::Flag) return {option.initial.type, option.initial.bits ^ 1};
  return {option.initial.type, option.initial.bits + variant};
}

// Some variants of a program by one resolver, each with other values for some of the first options, and there and back.
void check_variants(rpl::Resolver& resolver, const rpl::Program& program,
                    std::span<const rpl::EntryPointName> entry_points, const rpl::ResolveOptions& settings) {
  constexpr std::uint32_t kPatterns[] = {0, 1, 3, 2, 6, 0, 5, 1};
  for (const std::uint32_t pattern : kPatterns) {
    rpl::Assignment assignment;
    for (rpl::OptionId id = 0; id < program.options.size(); ++id) {
      assignment.set(id, value_in(program, program.options[id], pattern >> id % 3 & 1));
    }
    Diagnostics found, expected;
    rpl::Resolver alone;
    const rpl::Resolved* const one = resolver.resolve(program, assignment, entry_points, settings, found);
    const rpl::Resolved* const other = alone.resolve(program, assignment, entry_points, settings, expected);
    require((one == nullptr) == (other == nullptr));
    require(std::ranges::equal(resolver.read_order(), alone.read_order()));
    require(format_diagnostics(found.all()) == format_diagnostics(expected.all()));
    if (!one) continue;
    check(*one);
    const auto same = [](const rpl::Consulted& a, const rpl::Consulted& b) {
      return a.options.list() == b.options.list() && a.hash == b.hash;
    };
    require(same(one->consulted.interface, other->consulted.interface));
    require(same(one->consulted.settings, other->consulted.settings));
    require(std::ranges::equal(one->consulted.stages, other->consulted.stages, same));
    const std::vector<rpl::SpirvModule> words = rpl::emit_spirv(*one), wanted = rpl::emit_spirv(*other);
    require(std::ranges::equal(words, wanted, {}, &rpl::SpirvModule::words, &rpl::SpirvModule::words));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics diagnostics;
  const rpl::Program program =
      rpl::parse(make_source("fuzz.rpl", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  if (!program.valid) return 0;
  rpl::Resolver resolver;
  for (const rpl::PipelineKind pipeline : {rpl::PipelineKind::Graphics, rpl::PipelineKind::Compute}) {
    std::vector<rpl::EntryPointName> entry_points;
    if (pipeline == rpl::PipelineKind::Compute) {
      entry_points = {{rpl::Stage::Compute, "main"}};
    } else {
      entry_points = {{rpl::Stage::Vertex, "vs"}, {rpl::Stage::Fragment, "fs"}};
    }
    const rpl::ResolveOptions settings{
        .pipeline = pipeline, .check_unused = true, .check_bodies = true, .strict = true};
    for (const bool entries : {true, false}) {
      const auto chosen = std::span(entry_points).first(entries ? entry_points.size() : 0);
      if (const rpl::Resolved* const resolved = resolver.resolve(program, {}, chosen, settings, diagnostics)) {
        check(*resolved);
      }
    }
    // Slow programs are left to other tests.
    constexpr std::size_t kMaxBytes = 4096;
    if (size <= kMaxBytes && !program.options.empty()) {
      check_variants(resolver, program, entry_points, {.pipeline = pipeline});
    }
  }
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
