// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/signature.hpp"

#include <algorithm>

namespace slipway::recipe {

bool Parameter::takes_buffer() const {
  if (const auto* argument = std::get_if<ArgumentTarget>(&target)) return argument->buffer;
  return std::holds_alternative<DescriptorTarget>(target) || std::holds_alternative<IgnoredTarget>(target);
}

bool Parameter::takes_constant() const {
  if (const auto* argument = std::get_if<ArgumentTarget>(&target)) return !argument->buffer;
  return !std::holds_alternative<DescriptorTarget>(target) && !std::holds_alternative<LocalMemoryTarget>(target);
}

const Parameter* Signature::find(std::uint32_t argidx) const {
  const auto found = std::ranges::find(parameters, argidx, &Parameter::argidx);
  return found == parameters.end() ? nullptr : &*found;
}

}  // namespace slipway::recipe
