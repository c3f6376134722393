// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/plan/specialization.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::launch {

spirv::Specialization values_of(std::span<const Specialization> constants) {
  spirv::Specialization values;
  for (const Specialization& constant : constants) {
    std::uint64_t bits = 0;
    std::ranges::copy(Bytes(constant.bytes).first(std::min(constant.bytes.size(), sizeof bits)),
                      std::as_writable_bytes(std::span(&bits, 1)).begin());
    values[constant.id] = bits;
  }
  return values;
}

namespace {

std::uint32_t specialized(const Shader& shader, const spirv::SpecializedNumber& number) {
  for (const Specialization& constant : shader.specializations) {
    if (constant.id == number.spec_id && constant.bytes.size() == 4) return load<std::uint32_t>(constant.bytes.data());
  }
  return number.value;
}

}  // namespace

std::optional<std::array<std::uint32_t, 3>> workgroup_size(const Shader& shader) {
  const spirv::EntryPoint* entry = shader.reflection ? shader.reflection->find(shader.entry, shader.stage) : nullptr;
  if (!entry || !entry->local_size) return std::nullopt;
  const spirv::LocalSize& size = *entry->local_size;
  return std::array{specialized(shader, size[0]), specialized(shader, size[1]), specialized(shader, size[2])};
}

std::string empty_workgroup(const Shader& shader) {
  const auto size = workgroup_size(shader);
  if (!size) return {};
  const auto zero = std::ranges::find(*size, 0u);
  if (zero == size->end()) return {};
  return formatted("shader `{}` has a workgroup size of 0 in {}", shader.name, "xyz"[zero - size->begin()]);
}

}  // namespace slipway::launch
