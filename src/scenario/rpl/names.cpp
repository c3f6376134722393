// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/rpl/names.hpp"

#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "json/record.hpp"
#include "tensor/element.hpp"

namespace slipway::scenario {
namespace {

using Parameter = rpl::MetadataParameter;

std::vector<std::string_view> slot_names(const rpl::Metadata& metadata) {
  std::vector<std::string_view> names;
  for (const rpl::MetadataSet& set : metadata.pipeline_interface.sets) {
    for (const auto& buffer : set.buffers) names.push_back(buffer.name);
    for (const auto& sampler : set.samplers) names.push_back(sampler.name);
    for (const auto& image : set.images) names.push_back(image.name);
  }
  return names;
}

// `layers[2]` is element 2 of `layers`; empty when the name has another form.
struct ElementName {
  std::string_view array;
  std::uint32_t element = 0;
};
std::optional<ElementName> element_name(std::string_view name) {
  const std::size_t open = name.find('[');
  if (open == name.npos || !name.ends_with(']')) return std::nullopt;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  ElementName found{.array = name.substr(0, open)};
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), found.element);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  return found;
}

// The maximum size of a buffer that the runner makes of parameters, in bytes.
constexpr std::uint32_t kMaxMade = 64 << 20;

// Appends every number of a value in order; false when it contains anything else.
bool collect(json::Value value, std::vector<json::Value>& numbers) {
  if (value.is(json::Type::Array)) {
    return std::ranges::all_of(value, [&](json::Value one) { return collect(one, numbers); });
  }
  numbers.push_back(value);
  return value.is(json::Type::Number);
}

// The offset and type of a leaf.
struct Leaf {
  rpl::TypeId type = rpl::kF1;
  std::uint64_t offset = 0, items = 1;
  std::uint64_t array_stride = 0, matrix_stride = 0;
  bool tail = false;  // has as many items as are given
};

// The type of a tail's items, when they are vectors or matrices.
std::optional<rpl::TypeId> tail_type(const rpl::MetadataTail& tail) {
  for (rpl::TypeId type = rpl::kF1; type <= rpl::kF4x4; ++type) {
    if (rpl::builtin_type_name(type) == tail.item_type) return type;
  }
  return std::nullopt;
}

std::optional<Leaf> find_leaf(const rpl::MetadataBuffer& buffer, std::string_view field) {
  const auto found = std::ranges::find(buffer.main_parameters, field, &Parameter::name);
  if (found != buffer.main_parameters.end()) {
    return Leaf{.type = found->type,
                .offset = found->offset,
                .items = found->total_item_count,
                .array_stride = found->array_stride,
                .matrix_stride = found->matrix_stride};
  }
  if (!buffer.tail || buffer.tail->name != field) return std::nullopt;
  const auto type = tail_type(*buffer.tail);
  if (!type) return std::nullopt;
  return Leaf{.type = *type,
              .offset = buffer.tail->offset,
              .array_stride = buffer.tail->item_size,
              .matrix_stride = 16,  // std430 (docs/spec/rpl.md#types)
              .tail = true};
}

std::vector<std::string> leaf_names(const rpl::MetadataBuffer& buffer) {
  std::vector<std::string> names;
  for (const Parameter& parameter : buffer.main_parameters) names.push_back(buffer.name + "." + parameter.name);
  if (buffer.tail && tail_type(*buffer.tail)) {
    names.push_back(buffer.name + "." + buffer.tail->name);
  }
  return names;
}

tensor::ElementType element_type(rpl::TypeId type) {
  return rpl::is_unsigned(type) ? tensor::ElementType::U32
         : rpl::is_signed(type) ? tensor::ElementType::I32
                                : tensor::ElementType::F32;
}

tensor::Number number_of(json::Value value) {
  if (const auto integer = value.integer()) return *integer;
  if (const auto large = value.unsigned_integer()) return *large;
  return value.number();
}

class Packer {
 public:
  Packer(const std::string& shader, const rpl::Metadata& metadata, Diagnostics& diagnostics)
      : shader_(shader), metadata_(metadata), diagnostics_(diagnostics) {}

  void pack(const NamedValue& parameter, const std::vector<Binding>& bindings) {
    const std::size_t dot = parameter.name.find('.');
    const std::string_view buffer_name = std::string_view(parameter.name).substr(0, dot);
    const auto slot = find_slot(metadata_, buffer_name);
    if (!slot || !slot->buffer) return unknown(parameter, all_leaves());
    const std::string_view field =
        dot == parameter.name.npos ? std::string_view() : std::string_view(parameter.name).substr(dot + 1);
    const auto leaf = find_leaf(*slot->buffer, field);
    if (!leaf) return unknown(parameter, leaf_names(*slot->buffer));
    const auto bound = std::ranges::find_if(bindings, [&](const Binding& binding) {
      return binding.name == buffer_name ||
             (binding.name.empty() && binding.set == slot->set && binding.id == slot->binding);
    });
    if (bound != bindings.end()) {
      error(parameter, DiagnosticKind::ConflictingKeys,
            formatted("buffer `{}` is bound to `{}`; parameters are for buffers that the runner makes", buffer_name,
                      bound->resource.uid))
          .note("it is bound here", bound->at.location());
      return;
    }
    if (slot->buffer->main_size > kMaxMade) {
      error(parameter, DiagnosticKind::OutOfRange,
            formatted("buffer `{}` has {} bytes; one of more than {} must be bound", buffer_name,
                      slot->buffer->main_size, kMaxMade));
      return;
    }
    write(parameter, *leaf, buffer_of(*slot, parameter));
  }

  std::vector<ParameterBuffer> release() { return std::move(buffers_); }

 private:
  Diagnostic& error(const NamedValue& parameter, DiagnosticKind kind, std::string message) {
    return diagnostics_.add(json::problem(parameter.value, kind, std::move(message)));
  }

  std::vector<std::string> all_leaves() const {
    std::vector<std::string> names;
    for (const rpl::MetadataSet& set : metadata_.pipeline_interface.sets) {
      for (const auto& buffer : set.buffers) names.append_range(leaf_names(buffer));
    }
    return names;
  }

  void unknown(const NamedValue& parameter, const std::vector<std::string>& names) {
    diagnostics_.add(unknown_name(parameter.value, parameter.value.key_location(), parameter.name,
                                  formatted("shader `{}` has no parameter `{}`", shader_, parameter.name),
                                  {names.begin(), names.end()}));
  }

  ParameterBuffer& buffer_of(const NamedSlot& slot, const NamedValue& parameter) {
    const auto known = std::ranges::find(buffers_, slot.buffer, [](const auto& one) { return one.slot.buffer; });
    if (known != buffers_.end()) return *known;
    return buffers_.emplace_back(slot, slot.buffer->name, std::vector<std::byte>(slot.buffer->main_size),
                                 parameter.value);
  }

  void write(const NamedValue& parameter, Leaf leaf, ParameterBuffer& buffer) {
    std::vector<json::Value> numbers;
    if (!collect(parameter.value, numbers)) {
      error(parameter, DiagnosticKind::WrongType,
            formatted("parameter `{}` takes numbers and arrays of numbers", parameter.name));
      return;
    }
    const std::uint64_t each = rpl::word_count(leaf.type), rows = rpl::item_count(leaf.type);
    const std::string_view type = rpl::builtin_type_name(leaf.type);
    if (leaf.tail) leaf.items = numbers.size() / each;
    if (leaf.items == 0 || numbers.size() != leaf.items * each) {
      const std::string items = leaf.tail         ? formatted("any number of {}", type)
                                : leaf.items == 1 ? std::string(type)
                                                  : formatted("{} {}", leaf.items, type);
      const std::string count = leaf.tail ? formatted("a multiple of {}", each) : std::to_string(leaf.items * each);
      error(parameter, DiagnosticKind::OutOfRange,
            formatted("parameter `{}` is {}, which takes {} numbers, but here are {}", parameter.name, items, count,
                      numbers.size()));
      return;
    }
    if (leaf.tail) buffer.bytes.resize(buffer.bytes.size() + leaf.items * leaf.array_stride);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t item = i / each, column = i % each / rows, row = i % rows;
      const std::uint64_t at = leaf.offset + item * leaf.array_stride + column * leaf.matrix_stride + row * 4;
      if (at + 4 > buffer.bytes.size()) return;  // inconsistent metadata
      const tensor::Stored stored =
          tensor::store_number(element_type(leaf.type), number_of(numbers[i]), &buffer.bytes[at]);
      if (!stored) {
        diagnostics_.add(json::problem(numbers[i], DiagnosticKind::OutOfRange,
                                       formatted("parameter `{}`: {}", parameter.name, stored.error())));
      }
    }
  }

  const std::string& shader_;
  const rpl::Metadata& metadata_;
  Diagnostics& diagnostics_;
  std::vector<ParameterBuffer> buffers_;
};

}  // namespace

std::optional<NamedSlot> find_slot(const rpl::Metadata& metadata, std::string_view name) {
  for (const rpl::MetadataSet& set : metadata.pipeline_interface.sets) {
    for (const auto& buffer : set.buffers) {
      if (buffer.name == name) return NamedSlot{.set = set.index, .binding = buffer.binding, .buffer = &buffer};
    }
    for (const auto& sampler : set.samplers) {
      if (sampler.name == name) return NamedSlot{.set = set.index, .binding = sampler.binding};
    }
    for (const auto& image : set.images) {
      if (image.name == name) {
        return NamedSlot{.set = set.index, .binding = image.binding, .count = image.image_array_size};
      }
    }
  }
  return std::nullopt;
}

Diagnostic unknown_name(json::Value at, SourceLocation word, std::string_view name, std::string message,
                        const std::vector<std::string_view>& names) {
  Diagnostic unknown = json::problem(at, DiagnosticKind::UnknownReference, std::move(message));
  unknown.location = word;
  if (const auto near = closest(name, names)) {
    unknown.suggest(json::inside_quotes(word), *near);
  } else {
    std::string list;
    for (const std::string_view known : names) list += formatted("{}`{}`", list.empty() ? "" : ", ", known);
    unknown.note(names.empty() ? "it has none" : formatted("it has {}", list));
  }
  return unknown;
}

std::vector<Binding> number_bindings(const std::vector<Binding>& bindings, const std::string& shader,
                                     const rpl::Metadata& metadata, Diagnostics& diagnostics) {
  std::vector<Binding> numbered;
  for (const Binding& binding : bindings) {
    Binding& made = numbered.emplace_back(binding);
    if (binding.name.empty()) continue;
    const auto element = element_name(binding.name);
    const auto slot = find_slot(metadata, element ? element->array : binding.name);
    if (!slot) {
      diagnostics.add(unknown_name(binding.at["name"], binding.at["name"].location(), binding.name,
                                   formatted("shader `{}` has no buffer, image or sampler `{}`", shader, binding.name),
                                   slot_names(metadata)));
      numbered.pop_back();
      continue;
    }
    made.set = slot->set;
    made.id = slot->binding;
    if (element) made.element += element->element;
    if (made.element < slot->count) continue;
    diagnostics.add(
        json::problem(binding.at["name"], DiagnosticKind::IndexOutOfRange,
                      formatted("`{}` of shader `{}` has {} elements", element->array, shader, slot->count)));
    numbered.pop_back();
  }
  return numbered;
}

std::vector<ParameterBuffer> pack_parameters(const std::vector<NamedValue>& parameters,
                                             const std::vector<Binding>& bindings, const std::string& shader,
                                             const rpl::Metadata& metadata, Diagnostics& diagnostics) {
  Packer packer(shader, metadata, diagnostics);
  for (const NamedValue& parameter : parameters) packer.pack(parameter, bindings);
  return packer.release();
}

}  // namespace slipway::scenario
