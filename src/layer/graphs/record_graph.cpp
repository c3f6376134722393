// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A graph in a command buffer of the application: copies of tensors with gaps, kernels, barriers. Kernels use the bind
// point of compute pipelines and push constants, no descriptors; both are set again afterwards.
#include <array>

#include "base/format.hpp"
#include "layer/commands/commands.hpp"
#include "layer/commands/descriptors.hpp"
#include "layer/graphs/graph_profile.hpp"
#include "layer/graphs/graphs.hpp"
#include "layer/resources/recorder.hpp"
#include "lower/program_layout.hpp"

namespace slipway::layer {
namespace {

constexpr VkPipelineStageFlags kKernelStages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkPipelineStageFlags kAllStages = kKernelStages | VK_PIPELINE_STAGE_TRANSFER_BIT;

using PushConstants = std::array<std::byte, kKernelPushConstants>;

class GraphRecording {
 public:
  GraphRecording(const LayerDevice& device, VkCommandBuffer commands, const SessionObject& session,
                 const CommandState& state)
      : device_(device), commands_(commands), session_(session), state_(state), program_(*session.program) {}

  void record() {
    if (!find(program_.inputs, inputs_) || !find(program_.outputs, outputs_)) return;
    if (program_.session_size > 0 && session_.address == 0) return refuse("the session of a data graph has no memory");
    for (std::size_t i = 0; i < inputs_.size(); ++i) addresses_.push_back(address(program_.inputs[i], inputs_[i]));
    for (std::size_t i = 0; i < outputs_.size(); ++i) addresses_.push_back(address(program_.outputs[i], outputs_[i]));
    if (can_execute()) {
      const VkCommandBuffer own = commands_;
      const VkCommandBuffer secondary = session_.recorded->find(state_.family, addresses_, [&](VkCommandBuffer into) {
        commands_ = into;
        record_steps();
      });
      commands_ = own;
      if (secondary != nullptr) {
        device_.next.vkCmdExecuteCommands(commands_, 1, &secondary);
        return restore_state(device_, commands_, state_, Restored::All);
      }
    }
    record_steps();
    restore_state(device_, commands_, state_, Restored::Compute);
  }

 private:
  // Whether a secondary command buffer may have the graph: after it, the state of the application's is undefined, and
  // has to be set again. Its commands name no buffers of tensors.
  bool can_execute() const {
    const auto packed = [](const TensorObject* tensor) { return tensor != nullptr && tensor->description.packed; };
    return state_.may_execute && !state_.state_lost && state_.active == 0 && program_.calls >= kMinRecordedCalls &&
           !device_.unknown_state && !program_.profile && !program_.recorded && std::ranges::all_of(inputs_, packed) &&
           std::ranges::all_of(outputs_, packed);
  }

  void record_steps() {
    bound_ = VK_NULL_HANDLE;
    pushed_ = 0;
    // A graph may be dispatched again with the same session; its memory is transient.
    if (program_.session_size > 0) barrier(kAllStages, kAllStages);
    bool copied = false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const GraphProgram::Interface& at = program_.inputs[i];
      if (at.after_bind) {
        copy_after_bind(at, false);
        copied = true;
        continue;
      }
      const TensorDescription& given = inputs_[i]->description;
      if (given.packed) continue;
      const TensorDescription without_gaps = packed(given);
      copy_elements(device_, commands_, {inputs_[i]->buffer, 0, &given},
                    {session_.buffer, *at.packed_at, &without_gaps});
      copied = true;
    }
    if (copied) barrier(kAllStages, kAllStages);
    const RecordedDispatch* const recorded =
        program_.recorded ? device_.recorder->add(state_.family, program_.recorded) : nullptr;
    std::vector<TensorDescription> in_session;
    std::vector<TensorRegion> tensors;
    if (recorded != nullptr) {
      tensors = recorded_tensors(in_session);
      recorded->begin(commands_, tensors);
    }
    dispatch_steps();
    copied = false;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const GraphProgram::Interface& at = program_.outputs[i];
      if (at.after_bind) {
        if (!std::exchange(copied, true)) barrier(kAllStages, kAllStages);
        copy_after_bind(at, true);
        continue;
      }
      const TensorDescription& given = outputs_[i]->description;
      if (given.packed) continue;
      if (!std::exchange(copied, true)) barrier(kAllStages, kAllStages);
      const TensorDescription without_gaps = packed(given);
      copy_elements(device_, commands_, {session_.buffer, *at.packed_at, &without_gaps},
                    {outputs_[i]->buffer, 0, &given});
    }
    if (recorded != nullptr) recorded->end(commands_, tensors);
  }

  // Inputs, then outputs. `in_session` has the descriptions of tensors that are known only when the commands are
  // executed: their copies are taken.
  std::vector<TensorRegion> recorded_tensors(std::vector<TensorDescription>& in_session) const {
    std::vector<TensorRegion> tensors;
    in_session.reserve(inputs_.size() + outputs_.size());
    const auto add = [&](std::span<const GraphProgram::Interface> interface,
                         std::span<const TensorObject* const> bound) {
      for (std::size_t i = 0; i < bound.size(); ++i) {
        if (bound[i] != nullptr)
          tensors.push_back({bound[i]->buffer, 0, &bound[i]->description});
        else
          tensors.push_back({session_.buffer, interface[i].packed_at.value_or(0),
                             &in_session.emplace_back(packed(interface[i].description))});
      }
    };
    add(program_.inputs, inputs_);
    add(program_.outputs, outputs_);
    return tensors;
  }

  // Between the session and the tensor that the descriptor has when the commands are executed.
  void copy_after_bind(const GraphProgram::Interface& at, bool to_tensor) const {
    at.after_bind->record(commands_, state_.graph_sets[at.at.set], at.description, session_.address + *at.packed_at,
                          to_tensor);
  }

  void refuse(std::string_view why) {
    device_.instance->message(MessageLevel::Error, formatted("a data graph is not dispatched: {}", why));
  }

  bool find(std::span<const GraphProgram::Interface> interface, std::vector<const TensorObject*>& tensors) {
    for (const GraphProgram::Interface& at : interface) {
      if (at.after_bind) {
        if (at.at.set >= state_.graph_sets.size() || state_.graph_sets[at.at.set] == VK_NULL_HANDLE) {
          refuse(formatted("no descriptor set is bound to set {}", at.at.set));
          return false;
        }
        tensors.push_back(nullptr);
        continue;
      }
      const TensorViewObject* view = bound_tensor(device_, state_, at.at);
      if (view == nullptr || view->tensor->address == 0) {
        refuse(formatted("no tensor is bound to {}", text_of(at.at)));
        return false;
      }
      const TensorDescription& given = view->tensor->description;
      if (!given.same_elements(at.description) || (!given.packed && !at.packed_at)) {
        refuse(formatted("the tensor at {} has another shape or other strides than the pipeline", text_of(at.at)));
        return false;
      }
      tensors.push_back(view->tensor);
    }
    return true;
  }

  void barrier(VkPipelineStageFlags from, VkPipelineStageFlags to) {
    const auto access = [](VkPipelineStageFlags stages, VkAccessFlags shader, VkAccessFlags transfer) {
      return shader | ((stages & VK_PIPELINE_STAGE_TRANSFER_BIT) != 0 ? transfer : 0);
    };
    const VkMemoryBarrier all{.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = access(from, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_WRITE_BIT),
                              .dstAccessMask = access(to, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
                                                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)};
    device_.next.vkCmdPipelineBarrier(commands_, from, to, 0, 1, &all, 0, nullptr, 0, nullptr);
  }

  VkDeviceAddress address(const GraphProgram::Interface& interface, const TensorObject* tensor) const {
    if (tensor != nullptr && tensor->description.packed) return tensor->address;
    return session_.address + *interface.packed_at;
  }

  void dispatch_steps() {
    const VkQueryPool times = program_.profile ? program_.profile->begin(commands_, state_.family) : VK_NULL_HANDLE;
    if (times != VK_NULL_HANDLE) program_.profile->mark(commands_, times, 0);
    const std::span addresses = addresses_;
    const lower::KernelProgram& program = program_.program;
    const lower::ProgramAddresses<VkDeviceAddress> address_of{program.buffers, addresses.first(inputs_.size()),
                                                              addresses.subspan(inputs_.size()), program_.constants,
                                                              session_.address};
    for (std::uint32_t i = 0; i < program.dispatches.size(); ++i) {
      // Kernels whose times are taken run one after the other.
      if (i != 0 && (lower::ends_stage(program, i - 1) || times != VK_NULL_HANDLE))
        barrier(kKernelStages, kKernelStages);
      dispatch(program.dispatches[i], address_of);
      if (times != VK_NULL_HANDLE) program_.profile->mark(commands_, times, i + 1);
    }
  }

  void dispatch(const lower::ProgramDispatch& one, const lower::ProgramAddresses<VkDeviceAddress>& address_of) {
    const lower::ProgramKernel& kernel = program_.program.kernels[one.kernel];
    PushConstants constants;
    for (std::uint32_t i = 0; i < one.buffers.size(); ++i)
      store(&constants[lower::address_offset(kernel, i)], address_of(one.buffers[i]));
    if (const VkPipeline pipeline = program_.kernels[one.kernel]; std::exchange(bound_, pipeline) != pipeline)
      device_.next.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    push(std::span(constants).first(lower::push_constant_size(kernel)));
    device_.next.vkCmdDispatch(commands_, one.groups[0], one.groups[1], one.groups[2]);
  }

  // All kernels have one layout, so that push constants last.
  void push(Bytes wanted) {
    if (wanted.size() <= pushed_ && std::ranges::equal(wanted, std::span(last_).first(wanted.size()))) return;
    device_.next.vkCmdPushConstants(commands_, device_.kernel_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<std::uint32_t>(wanted.size()), wanted.data());
    std::ranges::copy(wanted, last_.begin());
    pushed_ = wanted.size();
  }

  const LayerDevice& device_;
  VkCommandBuffer commands_;
  const SessionObject& session_;
  const CommandState& state_;
  const GraphProgram& program_;
  std::vector<const TensorObject*> inputs_, outputs_;  // null: known when the commands are executed
  std::vector<VkDeviceAddress> addresses_;             // of inputs, then outputs, or of their copies
  VkPipeline bound_ = VK_NULL_HANDLE;
  PushConstants last_{};    // that were pushed
  std::size_t pushed_ = 0;  // of them
};

}  // namespace

const TensorViewObject* bound_tensor(const LayerDevice& device, const CommandState& state, const tosa::Binding& at) {
  for (const PushedDescriptor& pushed : state.pushed_descriptors) {
    if (pushed.set == at.set && pushed.binding == at.binding && pushed.element == at.element) return pushed.view;
  }
  if (at.set >= state.graph_sets.size()) return nullptr;
  const SetContents* contents = device.sets.find(state.graph_sets[at.set]);
  return contents == nullptr ? nullptr : contents->view(at.binding, at.element);
}

VkImageView bound_image(const LayerDevice& device, const CommandState& state, std::uint32_t set,
                        std::uint32_t binding) {
  for (const PushedDescriptor& pushed : state.pushed_descriptors) {
    if (pushed.set == set && pushed.binding == binding && pushed.element == 0) return pushed.image;
  }
  if (set >= state.graph_sets.size()) return VK_NULL_HANDLE;
  const SetContents* contents = device.sets.find(state.graph_sets[set]);
  return contents == nullptr ? VK_NULL_HANDLE : contents->image(binding);
}

void record_graph(const LayerDevice& device, VkCommandBuffer commands, const SessionObject& session,
                  const VkDataGraphPipelineDispatchInfoARM* info) {
  const CommandState* state = device.commands.find(commands);
  if (state == nullptr || state->graph == nullptr || state->graph->program != session.program) {
    device.instance->message(MessageLevel::Error,
                             "a data graph is not dispatched: its pipeline is not the one that is bound");
    return;
  }
  if (session.program->flow) return session.program->flow->record(commands, *state, info);
  GraphRecording(device, commands, session, *state).record();
}

}  // namespace slipway::layer
