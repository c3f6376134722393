// Resolving must stand any program, with and without its functions; what it gives must obey the rules of resolved.hpp
// on which emission relies.
#include <cstdint>
#include <cstdlib>

#include "base/print_diagnostic.hpp"
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
      const auto place = [&](std::uint32_t index) {
        require(index < resolved.places.size());
        const rpl::PlaceRef& ref = resolved.places[index];
        for (std::uint32_t s = 0; s < ref.steps.count; ++s) {
          const rpl::Step& step = resolved.steps[ref.steps.first + s];
          if (step.kind == rpl::StepKind::Element) operand(step.value);
        }
      };
      using rpl::Op;
      switch (at.op) {
        case Op::Load:
          place(at.a);
          break;
        case Op::Store:
          place(at.a);
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
    const rpl::ResolveSettings settings{
        .pipeline = pipeline, .check_unused = true, .check_bodies = true, .strict = true};
    for (const bool entries : {true, false}) {
      const auto chosen = std::span(entry_points).first(entries ? entry_points.size() : 0);
      if (const rpl::Resolved* const resolved = resolver.resolve(program, {}, chosen, settings, diagnostics)) {
        check(*resolved);
      }
    }
  }
  format_diagnostics(diagnostics.all(), {.max_errors = 20});
  return 0;
}
