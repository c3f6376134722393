// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes ExecuTorch programs for tests.
//
//   TestProgram program;
//   fb::ExecutionPlanT& forward = program.method("forward", {{1, 4}}, {{1, 4}});
//   program.delegate(forward, "VgfBackend", program.segment(payload), {{"output_format", "vgf"}});
//   TestProgram::call_delegate(forward, 0, {0, 1});
//   read_program(program.bytes(), ...);
//
// What it has no function for is changed in `program.tables` before `bytes`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "program_generated.h"

namespace slipway::executorch {

class TestProgram {
 public:
  static constexpr std::size_t kHeaderBytes = 32, kSegmentAlignment = 128;
  using Shapes = std::vector<std::vector<std::int32_t>>;

  // Float tensors: the values 0, 1, ... are the inputs, then the outputs.
  fb::ExecutionPlanT& method(const std::string& name, const Shapes& inputs, const Shapes& outputs) {
    tables.execution_plan.push_back(std::make_unique<fb::ExecutionPlanT>());
    fb::ExecutionPlanT& plan = *tables.execution_plan.back();
    plan.name = name;
    for (const auto& shape : inputs) plan.inputs.push_back(tensor(plan, shape));
    for (const auto& shape : outputs) plan.outputs.push_back(tensor(plan, shape));
    plan.chains.push_back(std::make_unique<fb::ChainT>());
    return plan;
  }

  // Returns the index of the value.
  static int tensor(fb::ExecutionPlanT& plan, const std::vector<std::int32_t>& shape) {
    fb::TensorT made;
    made.scalar_type = 6;  // FLOAT
    made.sizes = shape;
    plan.values.push_back(std::make_unique<fb::EValueT>());
    plan.values.back()->value.Set(std::move(made));
    return static_cast<int>(plan.values.size()) - 1;
  }

  fb::DataReferenceT segment(std::vector<std::byte> data) {
    segments.push_back(std::move(data));
    return reference(fb::DataLocation::SEGMENT, segments.size());
  }
  fb::DataReferenceT inline_data(const std::vector<std::uint8_t>& data) {
    tables.backend_delegate_data.push_back(std::make_unique<fb::InlineDataT>());
    tables.backend_delegate_data.back()->data = data;
    return reference(fb::DataLocation::INLINE, tables.backend_delegate_data.size());
  }

  static void delegate(fb::ExecutionPlanT& plan, const std::string& id, const fb::DataReferenceT& payload,
                       const std::vector<std::pair<std::string, std::string>>& specs = {}) {
    plan.delegates.push_back(std::make_unique<fb::DelegateT>());
    fb::DelegateT& made = *plan.delegates.back();
    made.id = id;
    made.processed = std::make_unique<fb::DataReferenceT>(payload);
    for (const auto& [key, value] : specs) {
      made.compile_specs.push_back(std::make_unique<fb::CompileSpecT>());
      made.compile_specs.back()->key = key;
      made.compile_specs.back()->value.assign(value.begin(), value.end());
    }
  }
  static void call_delegate(fb::ExecutionPlanT& plan, std::int32_t index, std::vector<std::int32_t> args) {
    fb::DelegateCallT call;
    call.delegate_index = index;
    call.args = std::move(args);
    instruction(plan).arguments.Set(std::move(call));
  }
  static void call_operator(fb::ExecutionPlanT& plan, const std::string& name, const std::string& overload) {
    fb::KernelCallT call;
    call.operator_index = static_cast<std::int32_t>(plan.operators.size());
    plan.operators.push_back(std::make_unique<fb::OperatorT>());
    plan.operators.back()->name = name;
    plan.operators.back()->overload = overload;
    instruction(plan).arguments.Set(std::move(call));
  }
  static fb::InstructionT& instruction(fb::ExecutionPlanT& plan) {
    auto& list = plan.chains.front()->instructions;
    list.push_back(std::make_unique<fb::InstructionT>());
    return *list.back();
  }

  // The file. Without segments it has no header, as in old files.
  std::vector<std::byte> bytes() {
    std::uint64_t offset = 0;
    tables.segments.clear();
    for (const auto& data : segments) {
      tables.segments.push_back(std::make_unique<fb::DataSegmentT>());
      tables.segments.back()->offset = offset;
      tables.segments.back()->size = data.size();
      offset += aligned(data.size());
    }
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Program::Pack(builder, &tables), "ET12");
    const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
    std::vector<std::byte> file(begin, begin + builder.GetSize());
    if (segments.empty()) return file;
    // The header is put after the identifier; the root table moves.
    std::vector<std::byte> header(kHeaderBytes);
    const std::string_view magic = "eh00";
    std::ranges::copy(bytes_of(magic), header.begin());
    store(&header[4], header_length);
    store(&header[8], static_cast<std::uint64_t>(file.size() + kHeaderBytes));
    const std::size_t base = aligned(file.size() + kHeaderBytes);
    store(&header[16], static_cast<std::uint64_t>(base));
    store(&header[24], offset);
    store(file.data(), load<std::uint32_t>(file.data()) + static_cast<std::uint32_t>(kHeaderBytes));
    file.insert(file.begin() + 8, header.begin(), header.end());
    file.resize(base);
    for (const auto& data : segments) {
      file.insert(file.end(), data.begin(), data.end());
      file.resize(aligned(file.size()));
    }
    return file;
  }

  fb::ProgramT tables;
  std::vector<std::vector<std::byte>> segments;
  std::uint32_t header_length = kHeaderBytes;

 private:
  static std::size_t aligned(std::size_t size) {
    return (size + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
  }
  static fb::DataReferenceT reference(fb::DataLocation location, std::size_t count) {
    fb::DataReferenceT made;
    made.location = location;
    made.index = static_cast<std::uint32_t>(count - 1);
    return made;
  }
};

}  // namespace slipway::executorch
