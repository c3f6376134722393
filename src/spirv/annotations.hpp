// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names and decorations of a module's ids and of the members of its structures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "spirv/module.hpp"

namespace spv {
enum class Decoration : unsigned;
}

namespace slipway::spirv {

// Keeps pointers into the module, which must outlive it.
class Annotations {
 public:
  // Errors: unsupported, for decoration groups, which SPIR-V has deprecated.
  static Result<Annotations> of(const Module& module);

  // Empty without a name.
  std::string_view name(Id id) const;
  std::string_view member_name(Id structure, std::uint32_t member) const;

  bool has(Id id, spv::Decoration decoration) const { return find({id, kNoMember}, decoration) != nullptr; }
  bool has_member(Id structure, std::uint32_t member, spv::Decoration decoration) const {
    return find({structure, member}, decoration) != nullptr;
  }
  // The first literal of a decoration.
  std::optional<std::uint32_t> value(Id id, spv::Decoration decoration) const;
  std::optional<std::uint32_t> member_value(Id structure, std::uint32_t member, spv::Decoration decoration) const;

 private:
  using Target = std::pair<Id, std::uint32_t>;  // an id and one of its members
  static constexpr std::uint32_t kNoMember = 0xffffffff;

  const Instruction* find(Target target, spv::Decoration decoration) const;

  std::map<Target, std::string_view> names_;
  std::map<Target, std::vector<const Instruction*>> decorations_;
};

}  // namespace slipway::spirv
