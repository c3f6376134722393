// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON objects of recipes and profiles (json/record.hpp). Reading and the schemas are derived from these tables.
#pragma once

#include "json/record.hpp"
#include "recipe/model.hpp"
#include "recipe/read/numbers.hpp"

namespace slipway::recipe {

const json::Record<Context>& header_record();
const json::Record<Context>& context_record();
const json::Record<Buffer>& buffer_record();
const json::Record<ParameterRule>& parameter_record();
const json::Record<Kernel>& kernel_record();
const json::Record<CpuFunction>& cpu_record();
const json::Record<Argument>& argument_record();
const json::Record<Constant>& constant_record();
const json::Record<Run>& run_record();

const json::Record<Init>& init_record();
const json::Record<Validate>& validate_record();
const json::Record<Binding>& binding_record();
const json::Record<DebugTrace>& trace_record();
const json::Record<IterationSteps>& iteration_record();
const json::Record<Execution>& execution_record();

// `type` of a constant. The message is a compatibility text (docs/spec/recipe.md#diagnostics).
struct ConstantTypeCodec {
  bool read(json::Decoder& decoder, json::Value value, ConstantType& to) const;
  void schema(json::Schema& schema) const;
};
std::string_view name_of(ConstantType type);

// `mode` and `iterations` of executions and jobs. The messages are compatibility texts (docs/spec/recipe.md#profile).
struct ModeCodec {
  bool read(json::Decoder& decoder, json::Value value, Mode& to) const;
  void schema(json::Schema& schema) const;
};
struct IterationsCodec {
  bool read(json::Decoder& decoder, json::Value value, std::uint64_t& to) const;
  void schema(json::Schema& schema) const;
};

}  // namespace slipway::recipe
