// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "base/format.hpp"
#include "scenario/starter/document.hpp"
#include "shader/compile.hpp"
#include "vgf/check.hpp"

namespace slipway::scenario {
namespace {

class ModelStarter {
 public:
  ModelStarter(const StarterOptions& options, const model::ModelFile& file, Diagnostics& diagnostics)
      : options_(options), file_(file.vgf), diagnostics_(diagnostics) {}

  std::optional<std::string> text(const std::shared_ptr<const model::ModelFile>& file) {
    for (const vgf::Resource& resource : file_.resources) shapes_.push_back(resource.shape);
    if (!check() || !infer_shapes(file)) return std::nullopt;
    out_.object([&] {
      out_.member("comment", formatted("Made by `slipway new` from {}. Placeholders to edit: random contents of inputs "
                                       "(`src` names a .npy file instead). `slipway check --describe KEY` explains a "
                                       "key.",
                                       options_.file.filename().string()));
      out_.key("resources").array([&] { write_resources(); });
      out_.key("commands").array([&] { write_command(); });
    });
    return out_.text();
  }

 private:
  const Path* substitution(std::string_view module) const {
    const auto found = std::ranges::find(options_.substitutions, module, &std::pair<std::string, Path>::first);
    return found == options_.substitutions.end() ? nullptr : &found->second;
  }

  bool check() {
    for (const vgf::Module& module : file_.modules) {
      if (!module.is_placeholder() || substitution(module.name)) continue;
      diagnostics_
          .error(DiagnosticKind::Unsupported, file_.location(module.range),
                 formatted("module `{}` has no code", module.name))
          .hint(formatted("`--shader {}=FILE` names a shader that replaces it", module.name));
    }
    for (const auto& [name, path] : options_.substitutions) {
      if (std::ranges::contains(file_.modules, name, &vgf::Module::name)) continue;
      diagnostics_.error(DiagnosticKind::UnknownReference, SourceLocation::in_file(file_.name),
                         formatted("the model has no module `{}`", name));
    }
    for (const auto* slots : {&file_.inputs, &file_.outputs}) {
      for (const vgf::Slot& slot : *slots) check(slot);
    }
    return !diagnostics_.has_errors();
  }

  void check(const vgf::Slot& slot) {
    const vgf::Resource& resource = file_.resources[slot.resource];
    switch (resource.descriptor_type.value_or(vk::DescriptorType::TENSOR_ARM)) {
      case vk::DescriptorType::TENSOR_ARM:
      case vk::DescriptorType::STORAGE_BUFFER:
      case vk::DescriptorType::UNIFORM_BUFFER:
      case vk::DescriptorType::UNIFORM_TEXEL_BUFFER:
      case vk::DescriptorType::STORAGE_TEXEL_BUFFER:
      case vk::DescriptorType::STORAGE_IMAGE:
      case vk::DescriptorType::COMBINED_IMAGE_SAMPLER:
        return;
      default:
        diagnostics_.error(
            DiagnosticKind::Unsupported, file_.location(slot),
            formatted("scenarios cannot bind the descriptor type {}", vk::name_of(*resource.descriptor_type)));
    }
  }

  // Open dimensions of inputs are 1 unless they are given; those of outputs follow.
  bool infer_shapes(const std::shared_ptr<const model::ModelFile>& file) {
    const auto is_open = [](const vgf::Resource& resource) { return vgf::is_dynamic(resource); };
    if (std::ranges::none_of(file_.resources, is_open)) return true;
    model::StandaloneOptions request;
    request.file = file;
    request.name = "new";
    request.shapes = options_.shapes;
    for (std::size_t i = 0; i < file_.inputs.size(); ++i) {
      const vgf::Resource& resource = file_.resources[file_.inputs[i].resource];
      const std::string label = model::input_label(file_, i);
      if (!vgf::is_dynamic(resource) || std::ranges::contains(request.shapes, label, &model::NamedShape::name))
        continue;
      tensor::Shape shape = resource.shape;
      for (std::int64_t& size : shape) size = std::max<std::int64_t>(size, 1);
      request.shapes.push_back({label, std::move(shape)});
    }
    auto shaders = model::compile_modules(*file, options_.cache, diagnostics_);
    if (!shaders) return false;
    request.model.shaders = std::move(*shaders);
    const auto alone = model::plan_standalone(request, diagnostics_);
    if (alone) shapes_ = alone->shapes;
    return alone.has_value();
  }

  void write_resources() {
    graph_uid_ = uids_.make(options_.file.stem().string());
    for (const auto& substitution : options_.substitutions) shader_uids_.push_back(uids_.make(substitution.first));
    out_.object([&] {
      out_.key("graph").object(
          [&] { out_.member("uid", graph_uid_).member("src", path_in_scenario(options_, options_.file)); });
    });
    for (std::size_t i = 0; i < options_.substitutions.size(); ++i) {
      out_.object([&] {
        out_.key("shader").object([&] {
          const auto language = shader_language(options_.substitutions[i].second);
          out_.member("uid", shader_uids_[i]).member("type", language);
          out_.member("src", path_in_scenario(options_, options_.substitutions[i].second));
        });
      });
    }
    std::uint64_t seed = 1;
    for (std::size_t i = 0; i < file_.inputs.size(); ++i)
      write_slot(file_.inputs[i], model::input_label(file_, i), false, seed++);
    for (std::size_t i = 0; i < file_.outputs.size(); ++i)
      write_slot(file_.outputs[i], model::output_label(file_, i), true, seed++);
  }

  static std::string_view shader_language(const Path& path) {
    return shader::name_of(shader::detect(path, {}).value_or(shader::Language::Spirv));
  }

  void write_slot(const vgf::Slot& slot, const std::string& label, bool output, std::uint64_t seed) {
    const vgf::Resource& resource = file_.resources[slot.resource];
    const tensor::Shape& shape = shapes_[slot.resource];
    const std::string uid = uids_.make(label);
    bindings_.emplace_back(slot.binding, uid);
    const tensor::FormatInfo* format = tensor::find_format(resource.format);
    switch (resource.descriptor_type.value_or(vk::DescriptorType::TENSOR_ARM)) {
      case vk::DescriptorType::STORAGE_BUFFER:
      case vk::DescriptorType::UNIFORM_BUFFER:
      case vk::DescriptorType::UNIFORM_TEXEL_BUFFER:
      case vk::DescriptorType::STORAGE_TEXEL_BUFFER: {
        vgf::Resource known = resource;
        known.shape = shape;
        const std::uint64_t bytes = vgf::byte_count(known).value_or(1);
        write_buffer(out_, uid, bytes, format ? std::optional(format->component) : std::nullopt, !output, output, seed);
        break;
      }
      case vk::DescriptorType::STORAGE_IMAGE:
      case vk::DescriptorType::COMBINED_IMAGE_SAMPLER: {
        // [1, H, W, C] or [H, W, C]
        const std::size_t height = shape.size() == 4 ? 1 : 0;
        const std::vector<std::uint64_t> extent = {
            shape.size() > height + 1 ? static_cast<std::uint64_t>(shape[height + 1]) : 1,
            shape.size() > height ? static_cast<std::uint64_t>(shape[height]) : 1};
        write_image(out_, uid, {extent}, resource.format, !output, output, false, seed);
        break;
      }
      default:
        write_tensor(out_, uid, shape, resource.format, !output, output, seed);
    }
  }

  void write_command() {
    out_.object([&] {
      out_.key("dispatch_graph").object([&] {
        out_.member("graph_ref", graph_uid_);
        out_.key("bindings").array([&] {
          for (const auto& [id, uid] : bindings_) {
            out_.object([&] { out_.member("set", 0).member("id", id).member("resource_ref", uid); });
          }
        });
        if (shader_uids_.empty()) return;
        out_.key("shader_substitutions").array([&] {
          for (std::size_t i = 0; i < shader_uids_.size(); ++i) {
            out_.object(
                [&] { out_.member("shader_ref", shader_uids_[i]).member("target", options_.substitutions[i].first); });
          }
        });
      });
    });
  }

  const StarterOptions& options_;
  const vgf::File& file_;
  Diagnostics& diagnostics_;
  std::vector<tensor::Shape> shapes_;  // of the resources of the file
  Uids uids_;
  std::string graph_uid_;
  std::vector<std::string> shader_uids_;
  std::vector<std::pair<std::uint32_t, std::string>> bindings_;
  json::Writer out_{2};
};

}  // namespace

std::optional<std::string> model_starter(const StarterOptions& options, Diagnostics& diagnostics) {
  const auto file = options.model ? options.model : model::open_model(options.file, options.file.string(), diagnostics);
  return file ? ModelStarter(options, *file, diagnostics).text(file) : std::nullopt;
}

}  // namespace slipway::scenario
