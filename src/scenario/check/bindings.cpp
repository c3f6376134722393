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
    const std::string where =
        !binding.name.empty() ? formatted("`{}`", binding.name) : formatted("set {}, id {}", binding.set, binding.id);
    const auto [first, fresh] = seen.emplace(where, binding.at);
    if (fresh) continue;
    context.error(binding.at, DiagnosticKind::DuplicateName, formatted("two bindings for {}", where))
        .note("the first one is here", first->second.location());
  }
}

void check_bindings(Context& context, const std::vector<Binding>& bindings, Naming naming) {
  // Several inputs and outputs of a model may have one id; the plan counts them.
  if (naming != Naming::IdOnly) check_bound_once(context, bindings);
  for (const Binding& binding : bindings) check_binding(context, binding, naming);
}

}  // namespace slipway::scenario
