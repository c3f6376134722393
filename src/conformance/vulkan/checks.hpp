// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a case of Vulkan's calls expects, and the first thing that is not so.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/format.hpp"

namespace slipway::conformance {

class Checks {
 public:
  void expect(bool holds, std::string_view what) {
    if (!holds) fail(std::string(what));
  }
  // `what`: the name of the result.
  template <class T>
  void equal(const T& got, const std::type_identity_t<T>& wanted, std::string_view what) {
    if (!(got == wanted)) fail(formatted("{} is {} instead of {}", what, got, wanted));
  }
  template <class T>
  void equal(const std::vector<T>& got, const std::type_identity_t<std::vector<T>>& wanted, std::string_view what) {
    if (got.size() != wanted.size())
      fail(formatted("{} has {} elements instead of {}", what, got.size(), wanted.size()));
    for (std::size_t i = 0; i < got.size() && i < wanted.size(); ++i) {
      if (got[i] != wanted[i])
        return fail(formatted("element {} of {} is {} instead of {}", i, what, +got[i], +wanted[i]));
    }
  }

  // Empty if everything holds.
  const std::string& why() const { return why_; }

 private:
  void fail(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  std::string why_;
};

}  // namespace slipway::conformance
