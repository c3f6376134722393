// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/run/output_proof.hpp"

#include <algorithm>
#include <numeric>

#include "base/format.hpp"
#include "recipe/plan/model_kernel.hpp"

namespace slipway::recipe {
namespace {

// How the runs of a recipe use a buffer.
struct Use {
  std::size_t arguments = 0;
  bool reads = false;         // some run may read it
  bool writes = false;        // some run may write it
  bool unknown = false;       // it is not known whether a run that may write it reads it too
  std::uint64_t element = 0;  // bytes that are always written together
};

// The bytes that kernels of a back end always write together.
std::uint64_t element_of(const Plan& plan, const RunPlan& run, const ArgumentPlan& argument) {
  switch (run.backend) {
    case BackendKind::Cpu:
    case BackendKind::OpenCl:
      return 1;
    case BackendKind::Xrt:
      return 4;  // NPUs store words of 32 bits
    case BackendKind::Vulkan:
    case BackendKind::Engine:
      break;
  }
  const KernelPlan& kernel = plan.kernels[run.index];
  if (kernel.model) return kernel.model->ports[argument.argidx].element;
  const auto has = [&](std::string_view part) {
    return std::ranges::any_of(kernel.module->reflection->capabilities,
                               [&](const std::string& capability) { return capability.ends_with(part); });
  };
  return has("8BitAccess") ? 1 : has("16BitAccess") ? 2 : 4;
}

std::vector<Use> uses_of(const Plan& plan) {
  std::vector<Use> uses(plan.buffers.size());
  for (const RunPlan& run : plan.runs) {
    for (const ArgumentPlan& argument : run.arguments) {
      Use& use = uses[argument.buffer];
      ++use.arguments;
      use.writes |= argument.writes;
      const bool unknown = argument.writes && !argument.access_known;
      use.unknown |= unknown;
      use.reads |= argument.reads && !unknown;
      use.element = std::gcd(use.element, std::gcd(argument.offset, element_of(plan, run, argument)));
    }
  }
  return uses;
}

}  // namespace

OutputProof::OutputProof(const Plan& plan, const std::vector<bool>& blank, const std::vector<BufferRange>& memory) {
  const std::vector<Use> uses = uses_of(plan);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferPlan& buffer = plan.buffers[i];
    const Use& use = uses[i];
    if (buffer.type != BufferType::Output || use.arguments == 0 || !blank[i] || !memory[i].storage) continue;
    if (!use.writes) {
      only_read_.push_back(i);
      continue;
    }
    // Runs may rely on the zeros of a buffer that they read. The type says that a run whose accesses are not known does
    // not read it, but a later run may.
    if (use.reads || (use.unknown && use.arguments > 1)) continue;
    outputs_.push_back({i, memory[i], tensor::UnwrittenElements(memory[i].size, use.element, i)});
  }
}

bool OutputProof::is_decided() const {
  // More bytes in a row are not equal to the pattern by chance.
  constexpr std::uint64_t kProof = 8;
  return std::ranges::all_of(outputs_, [](const Output& output) {
    return output.elements.is_decided() ||
           std::ranges::all_of(output.elements.ranges(), [](const auto& range) { return range.size() >= kProof; });
  });
}

MutableBytes OutputProof::bytes_of(const Output& output) {
  return host_bytes(*output.memory.storage).subspan(output.memory.offset, output.memory.size);
}

Result<> OutputProof::publish(const Output& output, Coherence& coherence) {
  coherence.wrote_host(output.memory);
  return coherence.to_device(output.memory);
}

Result<> OutputProof::fill(Coherence& coherence) const {
  for (const Output& output : outputs_) {
    if (output.elements.ranges().empty()) continue;
    SLIPWAY_TRY_VOID(coherence.to_host(output.memory));
    output.elements.fill(bytes_of(output));
    SLIPWAY_TRY_VOID(publish(output, coherence));
  }
  return {};
}

Result<> OutputProof::check(Coherence& coherence) {
  for (Output& output : outputs_) {
    if (output.elements.ranges().empty()) continue;
    SLIPWAY_TRY_VOID(coherence.read(output.memory));
    output.elements.check(bytes_of(output));
  }
  return {};
}

Result<> OutputProof::settle(Coherence& coherence) {
  for (Output& output : outputs_) {
    if (!output.elements.is_decided()) output.elements.drop_undecided();
    if (output.elements.ranges().empty()) continue;
    SLIPWAY_TRY_VOID(coherence.to_host(output.memory));
    for (const tensor::ByteRange range : output.elements.ranges())
      std::ranges::fill(bytes_of(output).subspan(range.begin, range.size()), std::byte{});
    SLIPWAY_TRY_VOID(publish(output, coherence));
  }
  return {};
}

Failure OutputProof::unwritten(const Plan& plan) const {
  Failure failure;
  const auto add = [&](std::size_t index, std::string message) {
    const BufferPlan& buffer = plan.buffers[index];
    failure.push_back({.kind = DiagnosticKind::OutputNotWritten,
                       .message = std::move(message),
                       .location = buffer.origin.location,
                       .path = buffer.origin.pointer});
  };
  for (const std::size_t index : only_read_)
    add(index, formatted("output `{}` was not written: no run writes it", plan.buffers[index].name));
  for (const Output& output : outputs_) {
    if (!output.elements.ranges().empty())
      add(output.buffer, tensor::unwritten_text(plan.buffers[output.buffer].name, output.elements));
  }
  return failure;
}

}  // namespace slipway::recipe
