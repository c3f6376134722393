// Any graph that the verifier lets pass becomes kernels, fused and not, each a sound module.
#include <cstdlib>

#include "lower/lower.hpp"
#include "spirv/tools.hpp"
#include "tosa/text.hpp"
#include "tosa/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  Diagnostics diagnostics;
  auto graph =
      tosa::parse(make_source("fuzz.graph", std::string(reinterpret_cast<const char*>(data), size)), diagnostics);
  if (!graph) return 0;
  tosa::verify(*graph, diagnostics);
  if (diagnostics.has_errors()) return 0;
  for (const tosa::Value& value : graph->values) {
    if (!value.type.is_static()) return 0;
  }
  for (const tosa::Constant& constant : graph->constants) {
    if (constant.graph_constant) return 0;  // has no data
  }
  for (const bool fuse : {true, false}) {
    const auto program = lower::lower_graph(*graph, {.fuse = fuse});
    if (!program) continue;
    (void)lower::print(*graph, *program);
    for (const lower::ProgramKernel& kernel : program->kernels) {
      if (!spirv::validate(*kernel.spirv, kernel.name)) std::abort();
    }
  }
  return 0;
}
