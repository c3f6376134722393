// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan/graph_bindings.hpp"

#include <algorithm>
#include <map>
#include <ranges>

#include "base/format.hpp"
#include "tensor/format.hpp"
#include "tosa/check/shapes.hpp"
#include "vgf/check.hpp"

namespace slipway::scenario {
namespace {

// An input or output of a model.
struct Interface {
  const vgf::Slot* slot = nullptr;
  bool output = false;
  std::size_t index = 0;
};

std::vector<Interface> interfaces_of(const vgf::File& file) {
  std::vector<Interface> all;
  for (std::size_t i = 0; i < file.inputs.size(); ++i) all.push_back({&file.inputs[i], false, i});
  for (std::size_t i = 0; i < file.outputs.size(); ++i) all.push_back({&file.outputs[i], true, i});
  return all;
}

std::string describe(const vgf::File& file, const Interface& interface) {
  const std::string_view name =
      interface.output ? output_name(file, interface.index) : input_name(file, interface.index);
  std::string text = formatted("{} {}", interface.output ? "output" : "input", interface.index);
  if (!name.empty()) text += formatted(" `{}`", name);
  return text;
}

std::string_view kind_of(const Resource& resource) {
  if (std::holds_alternative<Buffer>(resource)) return "a buffer";
  return std::holds_alternative<Image>(resource) ? "an image" : "a tensor";
}

// The kind of resource that the descriptor type requires.
std::string_view kind_of(std::optional<vk::DescriptorType> type) {
  switch (type.value_or(vk::DescriptorType::TENSOR_ARM)) {
    case vk::DescriptorType::TENSOR_ARM:
      return "a tensor";
    case vk::DescriptorType::STORAGE_BUFFER:
    case vk::DescriptorType::UNIFORM_BUFFER:
    case vk::DescriptorType::UNIFORM_TEXEL_BUFFER:
    case vk::DescriptorType::STORAGE_TEXEL_BUFFER:
      return "a buffer";
    case vk::DescriptorType::STORAGE_IMAGE:
    case vk::DescriptorType::COMBINED_IMAGE_SAMPLER:
      return "an image";
    default:
      return "";
  }
}

// One binding and its resource.
class GraphBindingCheck {
 public:
  GraphBindingCheck(const vgf::File& file, const Interface& interface, const Binding& binding, const Resource& resource,
                    Diagnostics& diagnostics)
      : file_(file),
        interface_(interface),
        model_(file.resources[interface.slot->resource]),
        binding_(binding),
        resource_(resource),
        diagnostics_(diagnostics) {}

  bool run() {
    const std::string_view wanted = kind_of(model_.descriptor_type);
    if (wanted.empty()) {
      return error(DiagnosticKind::Unsupported, formatted("has the descriptor type {}, which scenarios cannot bind",
                                                          vk::name_of(*model_.descriptor_type)));
    }
    if (wanted != kind_of(resource_)) {
      return error(DiagnosticKind::WrongReference,
                   formatted("is {}, but scenario resource '{}' is {}", wanted, uid_of(resource_), kind_of(resource_)));
    }
    if (binding_.descriptor_type == DescriptorChoice::StorageImage &&
        model_.descriptor_type != vk::DescriptorType::STORAGE_IMAGE) {
      return error(DiagnosticKind::BindingMismatch, "is not the storage image that `descriptor_type` asks for");
    }
    const bool ok = std::visit([&](const auto& of) { return fits(of); }, resource_);
    if (ok) check_access();
    return ok;
  }

 private:
  // The beginning of each message is that of the existing runner.
  std::string subject() const {
    return formatted("VGF '{}' {} idx {}", file_.name, interface_.output ? "output" : "input", interface_.index);
  }
  bool error(DiagnosticKind kind, std::string_view rest) {
    Diagnostic& problem =
        diagnostics_.add(json::problem(binding_.resource.at, kind, formatted("{} {}", subject(), rest)));
    problem.note(formatted("{} of the model is here", describe(file_, interface_)), file_.location(*interface_.slot));
    return false;
  }

  bool fits(const Tensor& tensor) {
    bool ok = true;
    if (!tosa::may_be_equal(model_.shape, tensor.dims)) {
      ok = error(DiagnosticKind::ShapeMismatch,
                 formatted("has shape {} but scenario tensor '{}' has shape {}", tensor::shape_text(model_.shape),
                           tensor.uid, tensor::shape_text(tensor.dims)));
    }
    if (tensor.format.value && *tensor.format.value != model_.format) {
      ok = error(DiagnosticKind::TypeMismatch, formatted("has format {} but scenario tensor '{}' has format {}",
                                                         vk::name_of(model_.format), tensor.uid, tensor.format.name));
    }
    return ok;
  }

  bool fits(const Buffer& buffer) {
    if (vgf::is_dynamic(model_)) return true;
    const Size size = vgf::byte_count(model_);
    return (size && *size == buffer.size) ||
           error(DiagnosticKind::FileMismatch, formatted("expects buffer size {} but scenario buffer '{}' has size {}",
                                                         size.value_or(0), buffer.uid, buffer.size));
  }

  bool fits(const Image& image) {
    const tensor::FormatInfo* format = tensor::find_format(model_.format);
    tensor::ShapeView shape = model_.shape;
    if (shape.size() == 4 && (shape[0] == 1 || shape[0] < 0)) shape = shape.subspan(1);
    if (shape.size() != 3 || (format && shape[2] >= 0 && shape[2] != format->components)) {
      return error(
          DiagnosticKind::ShapeMismatch,
          formatted("has shape {}; VGF image resources must have shape [H, W, C] or [1, H, W, C]{}",
                    tensor::shape_text(model_.shape),
                    format ? formatted(" with C = {} for {}", format->components, vk::name_of(model_.format)) : ""));
    }
    bool ok = true;
    if ((shape[0] >= 0 && shape[0] != image.extent[1]) || (shape[1] >= 0 && shape[1] != image.extent[0]) ||
        image.slices() != 1) {
      ok = error(DiagnosticKind::ShapeMismatch,
                 formatted("has shape {} but scenario image '{}' has dims [1, {}, {}, {}]{}",
                           tensor::shape_text(model_.shape), image.uid, image.extent[0], image.extent[1],
                           image.extent[2], image.layers > 1 ? formatted(" and {} layers", image.layers) : ""));
    }
    if (image.format.value && *image.format.value != model_.format) {
      ok = error(DiagnosticKind::TypeMismatch, formatted("has format {} but scenario image '{}' has format {}",
                                                         vk::name_of(model_.format), image.uid, image.format.name));
    }
    return ok;
  }

  template <class T>
  bool fits(const T&) {
    return false;  // no other resource can be bound; reported by an earlier phase
  }

  // The declared `shader_access` of the resource (docs/spec/scenario.md#descriptors).
  void check_access() {
    if (access_of(resource_) != (interface_.output ? Access::ReadOnly : Access::WriteOnly)) return;
    diagnostics_.add(
        json::problem(binding_.resource.at, DiagnosticKind::BindingMismatch,
                      formatted("{} is {}, but `{}` is {}", subject(), interface_.output ? "written" : "read",
                                uid_of(resource_), interface_.output ? "readonly" : "writeonly"),
                      Severity::Warning));
  }

  const vgf::File& file_;
  const Interface& interface_;
  const vgf::Resource& model_;
  const Binding& binding_;
  const Resource& resource_;
  Diagnostics& diagnostics_;
};

tensor::Shape shape_of(const Resource& resource) {
  const auto* tensor = std::get_if<Tensor>(&resource);
  return tensor ? tensor->dims : tensor::Shape();
}

Diagnostic no_binding(const vgf::File& file, const Interface& interface, json::Value list) {
  Diagnostic missing = json::problem(list, DiagnosticKind::BindingMismatch,
                                     formatted("No resource found for VGF binding: {} of '{}', id {}",
                                               describe(file, interface), file.name, interface.slot->binding));
  missing.location = list.opening();
  missing.note(formatted("{} of the model is here", describe(file, interface)), file.location(*interface.slot));
  return missing;
}

}  // namespace

std::optional<std::vector<model::ModelBinding>> resolve_graph_bindings(Planning& planning, const DispatchGraph& command,
                                                                       const vgf::File& file) {
  const std::vector<Interface> interfaces = interfaces_of(file);
  std::vector<model::ModelBinding> resolved;
  bool ok = true;
  // Several bindings of one id are for the inputs and outputs that have it, in order.
  std::map<std::uint32_t, std::vector<const Binding*>> of_id;
  for (const Binding& binding : command.bindings) {
    std::vector<const Binding*>& before = of_id[binding.id];
    auto matching =
        interfaces | std::views::filter([&](const Interface& one) { return one.slot->binding == binding.id; });
    const auto interface = std::ranges::next(matching.begin(), std::ssize(before), matching.end());
    before.push_back(&binding);
    if (interface == matching.end() && before.size() > 1) {
      planning.diagnostics
          .add(
              json::problem(binding.at, DiagnosticKind::DuplicateName, formatted("two bindings for id {}", binding.id)))
          .note("the first one is here", before.front()->at.location());
      ok = false;
      continue;
    }
    if (interface == matching.end()) {
      std::string ids;
      for (const Interface& one : interfaces)
        ids += formatted("{}{} ({})", ids.empty() ? "" : ", ", one.slot->binding, describe(file, one));
      planning.diagnostics.add(
          json::problem(binding.at["id"], DiagnosticKind::BindingMismatch,
                        formatted("No model interface resource found for binding ID {}; '{}' has {}", binding.id,
                                  file.name, ids.empty() ? "none" : ids)));
      ok = false;
      continue;
    }
    const Resource* resource = planning.scenario.find(binding.resource.uid);
    const auto planned = planning.resources.find(binding.resource.uid);
    if (!resource || planned == planning.resources.end()) {
      ok = false;  // its errors are already reported
      continue;
    }
    if (!GraphBindingCheck(file, *interface, binding, *resource, planning.diagnostics).run()) {
      ok = false;
      continue;
    }
    resolved.push_back({.binding = binding.id,
                        .resource = planned->second,
                        .shape = shape_of(*resource),
                        .level = binding.lod,
                        .origin = launch::Origin::of_reference(binding.resource.at)});
  }
  for (const Interface& interface : interfaces) {
    if (std::ranges::contains(command.bindings, interface.slot->binding, &Binding::id)) continue;
    planning.diagnostics.add(no_binding(file, interface, command.at["bindings"]));
    ok = false;
  }
  if (!ok) return std::nullopt;
  return resolved;
}

}  // namespace slipway::scenario
