// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of an object of the public interface.
#pragma once

#include <memory>
#include <stdexcept>

namespace slipway {

// The state of an object. Throws std::logic_error if the object was moved from.
template <class State>
State& alive(const std::unique_ptr<State>& state) {
  if (!state) throw std::logic_error("an object of Slipway is used after it was moved from");
  return *state;
}

}  // namespace slipway
