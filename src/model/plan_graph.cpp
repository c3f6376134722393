#include "model/plan_graph.hpp"

#include <algorithm>
#include <format>

#include "spirv/reflect.hpp"

namespace slipway::model {
namespace {

using launch::ResourceIndex;
using launch::ShaderIndex;

constexpr std::uint32_t kAddressSize = 8;  // bytes

class Adder {
 public:
  Adder(launch::Plan& plan, const tosa::Graph& graph, const lower::KernelProgram& program, const std::string& name,
        const launch::Origin& origin)
      : plan_(plan), graph_(graph), program_(program), name_(name), origin_(origin) {}

  void run(std::span<const ResourceIndex> inputs, std::span<const ResourceIndex> outputs) {
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) resources_.push_back(resource(i, inputs, outputs));
    const auto first = static_cast<ShaderIndex>(plan_.shaders.size());
    for (const lower::ProgramKernel& kernel : program_.kernels) shader(kernel);
    for (const lower::ProgramDispatch& dispatch : program_.dispatches) step(dispatch, first);
  }

 private:
  ResourceIndex resource(std::size_t i, std::span<const ResourceIndex> inputs, std::span<const ResourceIndex> outputs) {
    const lower::ProgramBuffer& buffer = program_.buffers[i];
    if (buffer.kind == lower::BufferKind::Input) return inputs[buffer.index];
    if (buffer.kind == lower::BufferKind::Output) return outputs[buffer.index];
    launch::Resource made{
        .name =
            std::format("{} {} {}", name_, buffer.kind == lower::BufferKind::Constant ? "constant" : "intermediate", i),
        .kind = launch::Buffer{.size = std::max<std::uint64_t>(buffer.size, 1)},
        .initial = {},
        .outputs = {},
        .sharing = std::nullopt,
        .origin = origin_,
        .load_counter = std::format("Load Constant: {}", name_)};
    if (buffer.kind == lower::BufferKind::Constant) {
      const tosa::Constant& constant = graph_.constants[buffer.index];
      if (buffer.packing) {
        made.initial.push_back({buffer.size, [data = constant.data, splat = constant.splat,
                                              packing = *buffer.packing](MutableBytes to) -> Result<> {
                                  lower::pack(packing, data, splat, to);
                                  return {};
                                }});
      } else made.initial.push_back({buffer.size, [data = constant.data, splat = constant.splat](MutableBytes to) -> Result<> {
                                for (std::size_t at = 0; at < to.size(); at += data.size()) {
                                  std::ranges::copy(data, to.begin() + static_cast<std::ptrdiff_t>(at));
                                  if (!splat) break;
                                }
                                return {};
                              }});
    } else {
      made.sharing = launch::Sharing{name_ + " arena", buffer.offset};
    }
    plan_.resources.push_back(std::move(made));
    return static_cast<ResourceIndex>(plan_.resources.size() - 1);
  }

  void shader(const lower::ProgramKernel& kernel) {
    // Our own module: it is sound, and what it declares is known, but the launch engine checks bindings against what a
    // module declares.
    const auto module = spirv::read_module(spirv::Words(*kernel.spirv), kernel.name);
    plan_.shaders.push_back(
        {.name = std::format("{} {}", name_, kernel.name),
         .spirv = kernel.spirv,
         .reflection = std::make_shared<const spirv::Reflection>(spirv::reflect(module.value()).value()),
         .entry = "main",
         .stage = spirv::Stage::Compute,
         .specializations = {},
         .push_constant_size = kernel.addresses ? kernel.bindings * kAddressSize : 0,
         .origin = origin_});
  }

  void step(const lower::ProgramDispatch& from, ShaderIndex first) {
    const bool addresses = program_.kernels[from.kernel].addresses;
    launch::Dispatch dispatch{.shader = first + from.kernel,
                              .groups = from.groups,
                              .bindings = {},
                              .push_constants = std::vector<std::byte>(addresses ? from.buffers.size() * kAddressSize : 0)};
    for (std::uint32_t binding = 0; binding < from.buffers.size(); ++binding) {
      const bool writes = binding + 1 == from.buffers.size();
      dispatch.bindings.push_back({.set = 0,
                                   .binding = binding,
                                   .type = vk::DescriptorType::STORAGE_BUFFER,
                                   .resource = resources_[from.buffers[binding]],
                                   .level = std::nullopt,
                                   .address_at = addresses ? std::optional(binding * kAddressSize) : std::nullopt,
                                   .reads = !writes,
                                   .writes = writes,
                                   .origin = origin_});
    }
    const tosa::Node& last =
        graph_.nodes.empty() || from.nodes.empty() ? tosa::Node{} : graph_.nodes[from.nodes.back()];
    plan_.steps.push_back({.name = last.name.empty() ? plan_.shaders[dispatch.shader].name : last.name,
                           .action = std::move(dispatch),
                           .barrier_after = true,
                           .origin = origin_});
  }

  launch::Plan& plan_;
  const tosa::Graph& graph_;
  const lower::KernelProgram& program_;
  const std::string& name_;
  const launch::Origin& origin_;
  std::vector<ResourceIndex> resources_;
};

}  // namespace

void add_graph(launch::Plan& plan, const tosa::Graph& graph, const lower::KernelProgram& program,
               std::span<const ResourceIndex> inputs, std::span<const ResourceIndex> outputs, const std::string& name,
               const launch::Origin& origin) {
  Adder(plan, graph, program, name, origin).run(inputs, outputs);
}

}  // namespace slipway::model
