// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/rpl/create_pipeline.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "launch/executor.hpp"
#include "launch/pipeline_request.hpp"
#include "scenario/rpl/pipeline.hpp"
#include "spirv/reflect/reflect.hpp"
#include "spirv/tools.hpp"

namespace slipway::scenario {
namespace {

std::string count_text(std::size_t count, std::string_view what) {
  return formatted("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string describe(const rpl::Metadata& metadata, const vk::PipelineLayoutInfo& layout) {
  std::string text;
  for (std::size_t set = 0; set < layout.sets.size(); ++set) {
    text += formatted("descriptor set layout {} ({}): {}\n", set, rpl::kSetNames[set],
                      count_text(layout.sets[set].size(), "binding"));
    for (const vk::DescriptorBinding& binding : layout.sets[set]) {
      text += formatted("  binding {}: {}", binding.binding, vk::name_of(binding.type));
      text += binding.count > 1 ? formatted(", {} descriptors\n", binding.count) : "\n";
    }
  }
  return text + formatted("pipeline layout: {} sets, {}\n", layout.sets.size(),
                          metadata.pipeline_interface.push_constant_size
                              ? formatted("{} bytes of push constants", metadata.pipeline_interface.push_constant_size)
                              : "no push constants");
}

class Creation {
 public:
  Creation(launch::Executor& executor, const rpl::Metadata& metadata, std::span<const spirv::Words> modules,
           const std::string& name)
      : executor_(executor), metadata_(metadata), modules_(modules), name_(name) {}

  Result<std::string> run() {
    if (!metadata_.pipeline_interface.has_sets || !metadata_.pipeline_interface.has_attributes) {
      return fail(DiagnosticKind::Unsupported, SourceLocation::nowhere(),
                  formatted("`{}` has no {}, which a pipeline requires", name_,
                            metadata_.pipeline_interface.has_sets ? "attribute sources" : "descriptor sets"));
    }
    if (Result<> checked = check_numbers(); !checked) return fail(std::move(checked.error()));
    launch::PipelineRequest request{
        .name = name_, .needs = pipeline_needs(metadata_), .layout = pipeline_layout(metadata_, name_)};
    std::string text = describe(metadata_, request.layout);
    if (metadata_.entry_points.empty()) {
      return executor_.make_pipeline(request).transform(
          [&] { return text + "no pipeline: there are no entry points\n"; });
    }
    if (Result<> checked = check_modules(request.layout); !checked) return fail(std::move(checked.error()));
    for (const auto& entry : metadata_.entry_points) {
      text += formatted("{} stage: `{}`\n", name_of(entry.stage), entry.function);
    }
    add_shaders(request);
    return executor_.make_pipeline(request).transform([&] { return text + describe_pipeline(); });
  }

 private:
  Result<> contradiction(std::string what) const {
    return fail(DiagnosticKind::FileMismatch, SourceLocation::nowhere(),
                formatted("the metadata of `{}` contradict themselves or their code: {}", name_, what));
  }

  // The driver does not check this: no set, binding or location is used twice.
  Result<> check_numbers() const {
    const vk::GraphicsState state = graphics_state(metadata_);
    if (metadata_.pipeline_interface.push_constant_size % 4 != 0)
      return contradiction("push constants are in units of 4 bytes");
    std::set<std::uint32_t> bindings, locations;
    for (const vk::VertexBinding& binding : state.vertex_bindings) {
      if (!bindings.insert(binding.binding).second) {
        return contradiction(formatted("two attribute sources have binding {}", binding.binding));
      }
    }
    for (const vk::VertexAttribute& attribute : state.vertex_attributes) {
      if (!locations.insert(attribute.location).second) {
        return contradiction(formatted("two attributes have location {}", attribute.location));
      }
    }
    for (const std::vector<vk::DescriptorBinding>& set : pipeline_layout(metadata_, name_).sets) {
      std::set<std::uint32_t> seen;
      for (const vk::DescriptorBinding& binding : set) {
        if (seen.insert(binding.binding).second) continue;
        return contradiction(formatted("two things of one set have binding {}", binding.binding));
      }
    }
    return {};
  }

  Result<> check_modules(const vk::PipelineLayoutInfo& layout) const {
    for (const spirv::Words& words : modules_) {
      Result<spirv::Module> module = spirv::read_module(spirv::Words(words), name_);
      if (!module) return fail(std::move(module.error()));
      if (Result<> valid = spirv::validate(module->words(), name_); !valid) return valid;
      Result<spirv::Reflection> reflection = spirv::reflect(*module);
      if (!reflection) return fail(std::move(reflection.error()));
      for (const spirv::EntryPoint& entry : reflection->entry_points) {
        if (Result<> checked = check_interface(entry, layout); !checked) return checked;
      }
    }
    for (const auto& entry : metadata_.entry_points) {
      if (find(entry.stage).words.empty()) {
        return fail(DiagnosticKind::FileFormat, SourceLocation::nowhere(),
                    formatted("the metadata of `{}` list no code for the {} stage", name_, name_of(entry.stage)));
      }
    }
    return {};
  }

  // The inputs that the code declares match those that the metadata list.
  Result<> check_interface(const spirv::EntryPoint& entry, const vk::PipelineLayoutInfo& layout) const {
    for (const spirv::Binding& binding : entry.bindings) {
      if (!binding.used) continue;
      const bool given = binding.set < layout.sets.size() &&
                         std::ranges::any_of(
                             layout.sets[binding.set],
                             [&](const vk::DescriptorBinding& one) {
                               return one.binding == binding.binding && one.count >= binding.count &&
                                      one.type == spirv::descriptor_type(binding.kind);
                             });
      if (given) continue;
      return contradiction(formatted("`{}` uses set {}, binding {} as {}", entry.name, binding.set, binding.binding,
                                     name_of(binding.kind)));
    }
    if (entry.push_constants && entry.push_constants->used && entry.push_constants->size > layout.push_constants_size) {
      return contradiction(formatted("`{}` uses {} bytes of push constants", entry.name, entry.push_constants->size));
    }
    if (entry.stage != spirv::Stage::Vertex) return {};
    const vk::GraphicsState state = graphics_state(metadata_);
    for (const spirv::InterfaceVariable& input : entry.inputs) {
      for (std::uint32_t column = 0; column < input.columns; ++column) {
        const std::uint32_t location = input.location + column;
        if (std::ranges::contains(state.vertex_attributes, location, &vk::VertexAttribute::location)) continue;
        return contradiction(formatted("`{}` reads location {}", entry.name, location));
      }
    }
    return {};
  }

  // Empty when there is no such stage.
  launch::PipelineShader find(rpl::Stage stage) const {
    const auto entry = std::ranges::find(metadata_.entry_points, stage, &rpl::MetadataEntryPoint::stage);
    if (entry == metadata_.entry_points.end()) return {};
    for (std::size_t i = 0; i < std::min(metadata_.code.size(), modules_.size()); ++i) {
      if (std::ranges::contains(metadata_.code[i].stages, stage)) {
        return {.words = modules_[i], .entry = entry->function};
      }
    }
    return {};
  }

  void add_shaders(launch::PipelineRequest& request) const {
    if (metadata_.pipeline_type == rpl::PipelineKind::Compute) {
      request.compute = find(rpl::Stage::Compute);
    } else {
      request.graphics = {.vertex = find(rpl::Stage::Vertex),
                          .fragment = find(rpl::Stage::Fragment),
                          .state = graphics_state(metadata_),
                          .formats = attachment_formats(metadata_)};
    }
  }

  std::string describe_pipeline() const {
    if (metadata_.pipeline_type == rpl::PipelineKind::Compute) return "compute pipeline\n";
    std::string text = "graphics pipeline\n";
    const vk::AttachmentFormats formats = attachment_formats(metadata_);
    for (std::size_t i = 0; i < formats.colors.size(); ++i) {
      text += formatted("  colour attachment {}: {}, `{}`\n", i, vk::name_of(formats.colors[i]),
                        metadata_.color_outputs[i].name);
    }
    if (formats.depth_stencil != vk::Format::UNDEFINED) {
      text += formatted("  depth attachment: {}\n", vk::name_of(formats.depth_stencil));
    }
    return text + vk::print_graphics_state(graphics_state(metadata_), "  ");
  }

  launch::Executor& executor_;
  const rpl::Metadata& metadata_;
  std::span<const spirv::Words> modules_;
  const std::string& name_;
};

}  // namespace

vk::Needs pipeline_needs(const rpl::Metadata& metadata) {
  return {.graphics = metadata.pipeline_type == rpl::PipelineKind::Graphics,
          .features = {metadata.requirements.features.begin(), metadata.requirements.features.end()},
          .extensions = {metadata.requirements.extensions.begin(), metadata.requirements.extensions.end()}};
}

Result<std::string> create_pipeline(launch::Executor& executor, const rpl::Metadata& metadata,
                                    std::span<const spirv::Words> modules, const std::string& name) {
  return Creation(executor, metadata, modules, name).run();
}

}  // namespace slipway::scenario
