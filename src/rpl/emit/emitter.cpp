// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/emitter.hpp"

#include <array>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

namespace slipway::rpl::emit {
namespace {

// By Target.
constexpr std::array<std::uint32_t, 4> kVersions = {0x10300, 0x10500, 0x10600, 0x10600};

constexpr spv::ExecutionModel model_of(Stage stage) {
  switch (stage) {
    case Stage::Vertex:
      return spv::ExecutionModel::Vertex;
    case Stage::Fragment:
      return spv::ExecutionModel::Fragment;
    case Stage::Compute:
      break;
  }
  return spv::ExecutionModel::GLCompute;
}

}  // namespace

std::vector<SpirvModule> Emitter::emit(const Resolved& program, const SpirvOptions& options) {
  emission_.program = &program;
  emission_.options = options;
  std::vector<SpirvModule> modules;
  std::vector<std::uint32_t> all;
  all.reserve(program.entry_points.size());
  for (std::uint32_t i = 0; i < program.entry_points.size(); ++i) {
    all.push_back(i);
    if (options.split_stages || i + 1 == program.entry_points.size()) {
      spirv::Words words = emit_module(all);
      modules.push_back({.entry_points = std::move(all), .words = std::move(words)});
      all.clear();
    }
  }
  return modules;
}

spirv::Words Emitter::emit_module(std::span<const std::uint32_t> entry_points) {
  spirv::Builder& out = emission_.out;
  out.reset(kVersions[std::to_underlying(emission_.options.target)]);
  out.section(Section::Capabilities).op(spv::Op::OpCapability, spv::Capability::Shader);  // asked for only here
  out.memory_model(spv::AddressingModel::Logical, spv::MemoryModel::GLSL450);
  types_.begin_module();
  variables_.begin_module();
  lines_.begin_module();
  functions_.begin_module();
  for (const std::uint32_t entry : entry_points) emit_entry_point(emission_.program->entry_points[entry]);
  variables_.decorate_access();
  return out.words();
}

void Emitter::emit_entry_point(const EntryPoint& entry) {
  const Id id = emission_.out.new_id();
  variables_.begin_entry_point(entry.stage);
  functions_.begin_entry(entry.function, id);
  if (entry.stage == Stage::Vertex) write_missing_state();
  add_modes(id);
  // If the program does not write it, the depth is that of the fragment.
  if (variables_.uses(Builtin::FragmentDepth)) write_default_depth();
  functions_.end_entry();
  const Program& program = *emission_.program->program;
  emission_.out.entry_point(model_of(entry.stage), id, program.text(emission_.program->functions[entry.function].name),
                            variables_.interface());
}

void Emitter::write_missing_state() {
  for (const std::uint32_t field : emission_.program->unwritten_state) {
    const Id variable = variables_.field(field, Storage::Output);
    const Id zero = types_.zero(emission_.program->container_fields[field].type);
    functions_.prologue().op(spv::Op::OpStore, variable, zero);
  }
}

void Emitter::write_default_depth() {
  const Id coordinate = variables_.builtin(Builtin::FragmentCoordinate);
  const Id depth = variables_.builtin(Builtin::FragmentDepth);
  const Id four = types_.plain(kF4);
  const Id one = types_.plain(kF1);
  const Id all = emission_.out.new_id();
  const Id z = emission_.out.new_id();
  WordBuffer& prologue = functions_.prologue();
  prologue.op(spv::Op::OpLoad, four, all, coordinate);
  prologue.op(spv::Op::OpCompositeExtract, one, z, all, 2u);
  prologue.op(spv::Op::OpStore, depth, z);
}

void Emitter::add_modes(Id entry_point) {
  WordBuffer& modes = emission_.out.section(Section::ExecutionModes);
  const auto& settings = emission_.program->settings;
  switch (variables_.stage()) {
    case Stage::Vertex:
      break;
    case Stage::Fragment:
      modes.op(spv::Op::OpExecutionMode, entry_point, spv::ExecutionMode::OriginUpperLeft);
      if (variables_.uses(Builtin::FragmentDepth)) {
        modes.op(spv::Op::OpExecutionMode, entry_point, spv::ExecutionMode::DepthReplacing);
      }
      break;
    case Stage::Compute:
      modes.op(spv::Op::OpExecutionMode, entry_point, spv::ExecutionMode::LocalSize,
               settings[Setting::workgroup_size_x], settings[Setting::workgroup_size_y],
               settings[Setting::workgroup_size_z]);
      break;
  }
}

}  // namespace slipway::rpl::emit
