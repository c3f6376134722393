// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a module's integer and bool constants under a specialization.
//
// Sizes of workgroups and arrays may be specialization constants, or be computed from them by OpSpecConstantOp.
// Constants come before their uses, so that one pass in the module's order evaluates them all.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "spirv/annotations.hpp"
#include "spirv/module.hpp"
#include "spirv/reflect/reflect.hpp"

namespace slipway::spirv {

class Constants {
 public:
  Constants(const Module& module, const Annotations& annotations, const Specialization& specialization);

  // The bits of a scalar constant; empty for other ids, and for one that is computed by operations that are not integer
  // arithmetic.
  std::optional<std::uint64_t> value(Id id) const;
  // The values of a composite's constituents; empty if one of them has no value, or there are too many.
  std::optional<std::vector<std::uint64_t>> values(Id composite) const;
  // How many constituents a composite constant has; 0 for anything else.
  std::uint64_t size(Id composite) const;
  // One of them; 0 beyond the last.
  Id constituent(Id composite, std::uint64_t index) const;

 private:
  struct Type {
    std::uint32_t width = 0;  // bits; 0 for types other than numbers and bool
    bool is_signed = false;
  };

  Type type_of(Id type) const;
  std::optional<std::uint64_t> evaluate(const Instruction& instruction, const Annotations& annotations,
                                        const Specialization& specialization) const;
  std::optional<std::uint64_t> evaluate_operation(const Instruction& instruction) const;

  const Module& module_;
  std::unordered_map<Id, std::uint64_t> values_;
};

}  // namespace slipway::spirv
