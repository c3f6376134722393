// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bindings of commands (docs/spec/scenario.md#commands).
#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

void check_binding(Context& context, const Binding& binding, Naming naming) {
  if (!binding.name.empty() && naming != Naming::RplShader) {
    context.error(binding.at["name"], DiagnosticKind::ConflictingKeys,
                  "bindings by `name` are for shaders of type RPL; give `set` and `id`");
  }
  // A graph of a SPIR-V module takes tensors and images only; the rule for its command checks that.
  const Resource* resource = context.follow_any<Buffer, Image, Tensor>(binding.resource);
  if (!resource) return;
  const auto* image = std::get_if<Image>(resource);
  if (image) {
    check_level(context, *image, binding.lod, binding.at["lod"],
                "Requested level of details for the Image is greater than configured mipmaps");
    return;
  }
  if (binding.lod) {
    context.error(binding.at["lod"], DiagnosticKind::ConflictingKeys,
                  formatted("`lod` is for images, but `{}` is {}", binding.resource.uid, kind_with_article(*resource)));
  }
  if (binding.descriptor_type == DescriptorChoice::StorageImage) {
    context.error(binding.at["descriptor_type"], DiagnosticKind::ConflictingKeys,
                  formatted("VK_DESCRIPTOR_TYPE_STORAGE_IMAGE is for images, but `{}` is {}", binding.resource.uid,
                            kind_with_article(*resource)));
  }
}

}  // namespace

std::array<std::uint32_t, 2> level_extent(const Image& image, std::uint32_t level) {
  const auto side = [&](std::uint32_t size) { return level < 32 ? std::max(1u, size >> level) : 1u; };
  return {side(image.extent[0]), side(image.extent[1])};
}

bool check_level(Context& context, const Image& image, std::optional<std::uint32_t> level, json::Value at,
                 std::string_view message) {
  if (!level || *level < image.mips) return true;
  context
      .error(at, DiagnosticKind::IndexOutOfRange,
             formatted("{}: level {} of image `{}`, which has {}", message, *level, image.uid, image.mips))
      .note(formatted("image `{}` is here", image.uid), location_in(image.at, "mips"));
  return false;
}

void check_bound_once(Context& context, const std::vector<Binding>& bindings) {
  std::map<std::string, json::Value> seen;
  for (const Binding& binding : bindings) {
    std::string where =
        !binding.name.empty() ? formatted("`{}`", binding.name) : formatted("set {}, id {}", binding.set, binding.id);
    if (binding.element > 0) where += formatted(", element {}", binding.element);
    const auto [first, fresh] = seen.emplace(where, binding.at);
    if (fresh) continue;
    context.error(binding.at, DiagnosticKind::DuplicateName, formatted("two bindings for {}", where))
        .note("the first one is here", first->second.location());
  }
}

void check_single(Context& context, const std::vector<Binding>& bindings) {
  for (const Binding& binding : bindings) {
    for (const std::string_view key : {"resource_refs", "element"}) {
      if (const json::Value at = binding.at[key]) {
        context.error(at, DiagnosticKind::ConflictingKeys,
                      formatted("`{}` is for shaders, and a graph has no arrays of descriptors; give each binding a "
                                "`resource_ref`",
                                key));
      }
    }
  }
}

void check_push_addresses(Context& context, const std::vector<PushAddress>& addresses) {
  std::map<std::uint32_t, json::Value> taken;
  for (const PushAddress& address : addresses) {
    const Buffer* buffer = context.follow<Buffer>(address.buffer);
    if (buffer && address.buffer_offset >= buffer->size) {
      context
          .error(address.at["resource_offset"], DiagnosticKind::OutOfRange,
                 formatted("byte {} is past the end of buffer `{}`, which has {}", address.buffer_offset, buffer->uid,
                           buffer->size))
          .note(formatted("buffer `{}` is here", buffer->uid), location_in(buffer->at, "size"));
    }
    if (address.offset % 4 != 0) {
      context.error(address.at["offset"], DiagnosticKind::OutOfRange,
                    formatted("an address is at a multiple of 4 bytes, but `offset` is {}", address.offset));
    }
    const auto after = taken.lower_bound(address.offset < 7 ? 0 : address.offset - 7);
    if (after != taken.end() && after->first < address.offset + std::uint64_t{8}) {
      context.error(address.at["offset"], DiagnosticKind::DuplicateName, "two addresses in the same bytes")
          .note("the first one is here", after->second.location());
    }
    taken.emplace(address.offset, address.at["offset"]);
  }
}

void check_bindings(Context& context, const std::vector<Binding>& bindings, Naming naming) {
  // Several inputs and outputs of a model may have one id; the plan counts them.
  if (naming != Naming::IdOnly) check_bound_once(context, bindings);
  for (const Binding& binding : bindings) check_binding(context, binding, naming);
}

}  // namespace slipway::scenario
