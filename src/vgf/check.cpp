// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vgf/check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "spirv/module.hpp"
#include "tensor/format.hpp"

namespace slipway::vgf {
namespace {

constexpr std::size_t kMaxRank = 6;                 // of a tensor, TOSA level 8K
constexpr std::uint64_t kMaxPushConstants = 65536;  // bytes, all ranges of a segment

bool is_tensor(const Resource& resource) {
  return resource.category == Category::Constant || !resource.descriptor_type ||
         *resource.descriptor_type == vk::DescriptorType::TENSOR_ARM;
}

class Checker {
 public:
  Checker(const File& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  void run() {
    sections();
    for (std::size_t i = 0; i < file_.modules.size(); ++i) module(i);
    for (std::size_t i = 0; i < file_.resources.size(); ++i) resource(i);
    alias_groups();
    for (std::size_t i = 0; i < file_.constants.size(); ++i) constant(i);
    for (std::size_t i = 0; i < file_.segments.size(); ++i) segment(i);
    model();
    order();
  }

 private:
  Diagnostic& error(DiagnosticKind kind, Span range, std::string message) {
    return diagnostics_.error(kind, file_.location(range), std::move(message));
  }
  Diagnostic& warning(DiagnosticKind kind, Span range, std::string message) {
    return diagnostics_.warning(kind, file_.location(range), std::move(message));
  }
  // Such files run, and other runners take them.
  Diagnostic& rule(DiagnosticKind kind, Span range, std::string message) {
    return diagnostics_.rule(kind, file_.location(range), std::move(message));
  }

  void sections() {
    std::array<Section, 4> sorted = file_.sections;
    std::ranges::sort(sorted, {}, [](const Section& section) { return section.range.begin; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].range.begin >= sorted[i - 1].range.end) continue;
      error(DiagnosticKind::FileFormat, sorted[i].range,
            formatted("the {} section overlaps the {} section", sorted[i].name, sorted[i - 1].name));
    }
  }

  void module(std::size_t index) {
    const Module& module = file_.modules[index];
    if (module.words.empty()) return;
    constexpr std::uint32_t kMagicWord = 0x07230203, kSwapped = 0x03022307;
    const auto magic = load<std::uint32_t>(module.words.data());
    if (magic == kSwapped) {
      error(DiagnosticKind::FileFormat, module.range,
            formatted("module {} `{}`: big-endian SPIR-V is not supported", index, module.name));
    } else if (module.words.size() < spirv::kHeaderWords * 4 || magic != kMagicWord) {
      error(DiagnosticKind::FileFormat, module.range, formatted("module {} `{}` is not SPIR-V", index, module.name));
    }
  }

  void resource(std::size_t index) {
    const Resource& resource = file_.resources[index];
    const std::string what = formatted("resource {}", index);
    if (resource.category == Category::Constant) {
      if (resource.descriptor_type)
        warning(DiagnosticKind::FileFormat, resource.range, what + " is a constant and has a descriptor type");
      if (is_dynamic(resource))
        error(DiagnosticKind::FileFormat, resource.range, what + " is a constant, and its shape is not known");
    } else if (!resource.descriptor_type) {
      warning(DiagnosticKind::FileFormat, resource.range, what + " has no descriptor type and is treated as a tensor");
    }
    if (resource.descriptor_type && vk::name_of(*resource.descriptor_type).find('_') == std::string::npos) {
      error(DiagnosticKind::UnknownValue, resource.range,
            formatted("{} has the unknown descriptor type {}", what,
                      static_cast<std::uint32_t>(*resource.descriptor_type)));
    }
    format(resource, what);
    shape(resource, what);
    strides(resource, what);
    if (resource.sampler) sampler(resource, what);
  }

  void format(const Resource& resource, const std::string& what) {
    const bool known = is_tensor(resource) ? element_type(resource.format).has_value()
                                           : tensor::find_format(resource.format) != nullptr;
    if (known) return;
    error(DiagnosticKind::UnknownValue, resource.range,
          formatted("{} has format `{}`, which a {} cannot have", what, vk::name_of(resource.format),
                    is_tensor(resource) ? "tensor" : "resource of its type"));
  }

  void shape(const Resource& resource, const std::string& what) {
    if (is_tensor(resource) && resource.shape.size() > kMaxRank) {
      error(DiagnosticKind::OutOfRange, resource.range,
            formatted("{} has rank {}; tensors have at most {}", what, resource.shape.size(), kMaxRank));
    }
    if (std::ranges::contains(resource.shape, 0)) {
      error(DiagnosticKind::OutOfRange, resource.range,
            formatted("{} has shape {}; a dimension cannot be 0", what, tensor::shape_text(resource.shape)));
    } else if (!is_dynamic(resource) && !byte_count(resource) && element_type(resource.format)) {
      error(DiagnosticKind::OutOfRange, resource.range,
            formatted("{} has shape {}, whose size does not fit in 64 bits", what, tensor::shape_text(resource.shape)));
    }
  }

  void strides(const Resource& resource, const std::string& what) {
    if (resource.strides.empty()) return;
    const FormatSize size = element_size(resource);
    const auto packed = [&](std::int64_t unit) {
      std::int64_t stride = unit;
      for (std::size_t i = resource.shape.size(); i-- > 0;) {
        if (resource.strides[i] != stride || __builtin_mul_overflow(stride, resource.shape[i], &stride)) return false;
      }
      return true;
    };
    if (resource.strides.size() == resource.shape.size() && (packed(1) || packed(static_cast<std::int64_t>(size))))
      return;
    error(DiagnosticKind::Unsupported, resource.range,
          formatted("{} has strides {} for shape {}: non-packed strides are not supported", what,
                    tensor::list_text(resource.strides), tensor::shape_text(resource.shape)));
  }

  void sampler(const Resource& resource, const std::string& what) {
    const auto known = [&]<class E>(E value, std::string_view field) {
      const auto number = static_cast<std::uint32_t>(value);
      if (number == kUnset || std::ranges::contains(vk::names<E>(), number, &vk::EnumName::value)) return;
      error(DiagnosticKind::UnknownValue, resource.range,
            formatted("the sampler of {} has the unknown {} {}", what, field, number));
    };
    known(resource.sampler->min_filter, "min_filter");
    known(resource.sampler->mag_filter, "mag_filter");
    known(resource.sampler->address_mode_u, "address_mode_u");
    known(resource.sampler->address_mode_v, "address_mode_v");
    known(resource.sampler->border_color, "border_color");
  }

  void alias_groups() {
    std::map<std::uint32_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < file_.resources.size(); ++i) {
      if (file_.resources[i].alias_group) groups[*file_.resources[i].alias_group].push_back(i);
    }
    for (const auto& [group, members] : groups) {
      const Resource& first = file_.resources[members.front()];
      if (members.size() == 1) {
        warning(DiagnosticKind::FileFormat, first.range,
                formatted("resource {} is alone in alias group {}", members.front(), group));
      }
      for (const std::size_t member : members) {
        const Resource& other = file_.resources[member];
        if (other.category == Category::Constant) {
          error(DiagnosticKind::FileFormat, other.range,
                formatted("resource {} is a constant and cannot be in alias group {}", member, group));
        } else if (const Size size = byte_count(first), here = byte_count(other); size && here && *size != *here) {
          rule(
              DiagnosticKind::FileMismatch, other.range,
              formatted("resources {} and {} of alias group {} have {} and {} bytes: shapes {} and {} with the formats "
                        "{} and {}",
                        members.front(), member, group, *size, *here, tensor::shape_text(first.shape),
                        tensor::shape_text(other.shape), vk::name_of(first.format), vk::name_of(other.format)));
        }
      }
    }
  }

  void constant(std::size_t index) {
    const Constant& constant = file_.constants[index];
    const Resource& resource = file_.resources[constant.resource];
    if (resource.category != Category::Constant) {
      error(DiagnosticKind::FileFormat, constant.range,
            formatted("Resource not marked as constant: constant {} is the data of resource {}, which is an {}", index,
                      constant.resource, name_of(resource.category)));
    }
    const Size size = byte_count(resource);
    if (size && *size != constant.data.size()) {
      error(DiagnosticKind::FileMismatch, constant.range,
            formatted("constant {} has {} bytes; resource {} with shape {} needs {}", index, constant.data.size(),
                      constant.resource, tensor::shape_text(resource.shape), *size));
    }
    if (constant.sparsity >= static_cast<std::int64_t>(resource.shape.size()) && constant.sparsity > 0) {
      error(DiagnosticKind::OutOfRange, constant.range,
            formatted("constant {} is sparse along dimension {} of shape {}", index, constant.sparsity,
                      tensor::shape_text(resource.shape)));
    }
  }

  void segment(std::size_t index) {
    const Segment& segment = file_.segments[index];
    const std::string what = formatted("segment {} `{}`", index, segment.name);
    const Module& module = file_.modules[segment.module];
    if (segment.kind != module.kind) {
      error(DiagnosticKind::FileMismatch, segment.range,
            formatted("{} is a {} segment, and its module `{}` is a {} module", what, name_of(segment.kind),
                      module.name, name_of(module.kind)));
    }
    if (segment.kind == ModuleKind::Compute) compute(segment, what);
    bindings(segment, what);
    push_constants(segment, what);
  }

  void compute(const Segment& segment, const std::string& what) {
    if (!segment.constants.empty())
      error(DiagnosticKind::FileFormat, segment.range, what + " is a compute segment and cannot have constants");
    if (!segment.dispatch || std::ranges::contains(*segment.dispatch, 0u))
      rule(DiagnosticKind::OutOfRange, segment.range, what + " dispatches no workgroups");
  }

  void bindings(const Segment& segment, const std::string& what) {
    std::set<std::uint32_t> numbers;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> bound;  // (set, binding) to resource
    std::unordered_set<std::uint32_t> resources;
    for (const DescriptorSet& set : segment.sets) {
      if (!numbers.insert(set.index).second) {
        error(DiagnosticKind::DuplicateName, segment.range,
              formatted("{} has descriptor set {} twice", what, set.index));
      }
      for (const Slot& slot : set.slots) {
        not_constant(slot, what);
        resources.insert(slot.resource);
        const auto [known, is_new] = bound.try_emplace({set.index, slot.binding}, slot.resource);
        if (is_new) continue;
        const std::string twice = formatted("{} binds set {} binding {} twice", what, set.index, slot.binding);
        if (known->second == slot.resource)
          diagnostics_.warning(DiagnosticKind::DuplicateName, file_.location(slot), twice);
        else
          diagnostics_.error(DiagnosticKind::DuplicateName, file_.location(slot), twice + ", to different resources");
      }
    }
    for (const auto* list : {&segment.inputs, &segment.outputs}) {
      for (const Slot& slot : *list) {
        not_constant(slot, what);
        if (resources.contains(slot.resource)) continue;
        rule(DiagnosticKind::BindingMismatch, file_.location(slot).span,
             formatted("{} lists resource {} as {}, but no descriptor set of it binds it", what, slot.resource,
                       list == &segment.inputs ? "input" : "output"));
      }
    }
  }

  void not_constant(const Slot& slot, const std::string& what) {
    if (file_.resources[slot.resource].category != Category::Constant) return;
    diagnostics_.error(DiagnosticKind::WrongReference, file_.location(slot),
                       formatted("{} binds resource {}, which is a constant", what, slot.resource));
  }

  void push_constants(const Segment& segment, const std::string& what) {
    for (std::size_t i = 0; i < segment.push_constants.size(); ++i) {
      const auto& range = segment.push_constants[i];
      const std::uint64_t end = std::uint64_t{range.offset} + range.size;
      if (range.size == 0 || range.size % 4 != 0 || range.offset % 4 != 0 || end > kMaxPushConstants) {
        error(
            DiagnosticKind::OutOfRange, segment.range,
            formatted(
                "{}: push constant range {} has {} bytes at {}; both are multiples of 4, the size is not 0 and the end "
                "at most {}",
                what, i, range.size, range.offset, kMaxPushConstants));
      }
      for (std::size_t k = 0; k < i; ++k) {
        const auto& other = segment.push_constants[k];
        if ((range.stage_flags & other.stage_flags) == 0 || range.offset >= std::uint64_t{other.offset} + other.size ||
            other.offset >= end)
          continue;
        error(DiagnosticKind::FileFormat, segment.range,
              formatted("{}: push constant ranges {} and {} overlap", what, k, i));
      }
    }
  }

  // Inputs and outputs of the model.
  void model() {
    std::unordered_set<std::uint32_t> seen;
    const bool names_by_binding = file_.input_names.size() > file_.inputs.size();
    for (const Slot& slot : file_.inputs) {
      category(slot, Category::Input, "input");
      if (!seen.insert(slot.binding).second) {
        diagnostics_.error(DiagnosticKind::DuplicateName, file_.location(slot),
                           formatted("two model inputs have the logical binding {}", slot.binding));
      }
      if (names_by_binding && slot.binding >= file_.input_names.size()) {
        diagnostics_.error(DiagnosticKind::IndexOutOfRange, file_.location(slot),
                           formatted("the model input with logical binding {} has no name: there are {}", slot.binding,
                                     file_.input_names.size()));
      }
    }
    for (const Slot& slot : file_.outputs) category(slot, Category::Output, "output");
    if (!file_.output_names.empty() && file_.output_names.size() != file_.outputs.size()) {
      warning(DiagnosticKind::FileFormat, file_.sections[1].range,
              formatted("{} names for {} model outputs: the names are not used", file_.output_names.size(),
                        file_.outputs.size()));
    }
  }

  void category(const Slot& slot, Category wanted, std::string_view what) {
    const Resource& resource = file_.resources[slot.resource];
    if (resource.category == wanted) return;
    diagnostics_.error(
        DiagnosticKind::FileMismatch, file_.location(slot),
        formatted("a model {} is resource {}, whose category is {}", what, slot.resource, name_of(resource.category)));
  }

  // Values flow through the resources. The numbers of slots may be local to a segment.
  void order() {
    const std::vector<std::uint32_t> storage = storage_of(file_);
    std::set<std::uint32_t> available;
    std::map<std::uint32_t, std::size_t> writers;  // by resource
    for (const Slot& slot : file_.inputs) available.insert(storage[slot.resource]);
    for (std::size_t i = 0; i < file_.segments.size(); ++i) {
      const Segment& segment = file_.segments[i];
      for (const Slot& slot : segment.inputs) {
        if (available.contains(storage[slot.resource])) continue;
        diagnostics_.rule(DiagnosticKind::FileFormat, file_.location(slot),
                          formatted("segment {} `{}` reads resource {}, which no earlier segment writes", i,
                                    segment.name, slot.resource));
      }
      for (const Slot& slot : segment.outputs) {
        available.insert(storage[slot.resource]);
        const auto [writer, is_new] = writers.try_emplace(slot.resource, i);
        if (is_new || writer->second == i) continue;
        diagnostics_.rule(DiagnosticKind::FileFormat, file_.location(slot),
                          formatted("segments {} and {} both write resource {}", writer->second, i, slot.resource));
      }
    }
    for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
      const Slot& slot = file_.outputs[i];
      if (available.contains(storage[slot.resource])) continue;
      diagnostics_.rule(DiagnosticKind::FileFormat, file_.location(slot),
                        formatted("output {} of the model is resource {}, which no segment writes", i, slot.resource));
    }
  }

  using FormatSize = std::uint64_t;
  static FormatSize element_size(const Resource& resource) {
    if (is_tensor(resource)) {
      const auto type = element_type(resource.format);
      return type ? tensor::size_of(*type) : 0;
    }
    const tensor::FormatInfo* info = tensor::find_format(resource.format);
    if (!info) return 0;
    return counts_components(resource) ? info->texel_bytes / info->components : info->texel_bytes;
  }

  const File& file_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<tensor::ElementType> element_type(vk::Format format) {
  using enum tensor::NumericFormat;
  const tensor::FormatInfo* info = tensor::find_format(format);
  if (!info || info->components != 1 || info->packed || info->depth || info->stencil) return std::nullopt;
  const bool plain = info->numeric == Uint || info->numeric == Sint || info->numeric == Sfloat;
  return plain ? std::optional(info->component) : std::nullopt;
}

bool counts_components(const Resource& resource) {
  using enum vk::DescriptorType;
  const auto type = resource.descriptor_type;
  const bool texels = type == STORAGE_IMAGE || type == COMBINED_IMAGE_SAMPLER || type == SAMPLED_IMAGE ||
                      type == UNIFORM_TEXEL_BUFFER || type == STORAGE_TEXEL_BUFFER;
  const tensor::FormatInfo* format = tensor::find_format(resource.format);
  return texels && format && !resource.shape.empty() && resource.shape.back() == format->components;
}

bool is_buffer(const Resource& resource) {
  using enum vk::DescriptorType;
  const auto type = resource.descriptor_type;
  return type == STORAGE_BUFFER || type == UNIFORM_BUFFER || type == UNIFORM_TEXEL_BUFFER ||
         type == STORAGE_TEXEL_BUFFER;
}

bool is_image(const Resource& resource) {
  return resource.descriptor_type == vk::DescriptorType::COMBINED_IMAGE_SAMPLER ||
         resource.descriptor_type == vk::DescriptorType::STORAGE_IMAGE;
}

bool is_dynamic(const Resource& resource) {
  return std::ranges::any_of(resource.shape, [](std::int64_t dimension) { return dimension < 0; });
}

Size byte_count(const Resource& resource) {
  const Size elements = tensor::element_count(resource.shape);
  if (is_tensor(resource)) {
    const auto type = element_type(resource.format);
    return type ? checked_multiply(elements, tensor::size_of(*type)) : std::nullopt;
  }
  const tensor::FormatInfo* info = tensor::find_format(resource.format);
  if (!info || !elements) return std::nullopt;
  return checked_multiply(counts_components(resource) ? *elements / info->components : *elements, info->texel_bytes);
}

std::vector<std::uint32_t> storage_of(const File& file) {
  std::vector<std::uint32_t> storage(file.resources.size());
  std::map<std::uint32_t, std::uint32_t> groups, inputs;  // the first resource, by alias group and by logical number
  for (std::uint32_t i = 0; i < storage.size(); ++i) {
    const auto& group = file.resources[i].alias_group;
    storage[i] = group ? groups.try_emplace(*group, i).first->second : i;
  }
  std::set<std::uint32_t> written;
  for (const Segment& segment : file.segments) {
    for (const Slot& slot : segment.outputs) written.insert(storage[slot.resource]);
  }
  for (const Slot& slot : file.inputs) inputs.try_emplace(slot.binding, slot.resource);
  for (const Slot& slot : file.outputs) {
    const auto input = inputs.find(slot.binding);
    if (input == inputs.end() || written.contains(storage[slot.resource])) continue;
    const auto [first, second] = std::minmax(storage[input->second], storage[slot.resource]);
    std::ranges::replace(storage, std::uint32_t{second}, std::uint32_t{first});
  }
  return storage;
}

void check_vgf(const File& file, Diagnostics& diagnostics) { Checker(file, diagnostics).run(); }

}  // namespace slipway::vgf
