// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of the C++ library, whatever the system.
#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "platform/text.hpp"

namespace slipway::platform {

std::string demangled(const char* name) {
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, nullptr),
                                                         &std::free);
  return text ? text.get() : name;
}

const char* type_of_exception() {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  return type ? type->name() : nullptr;
}

}  // namespace slipway::platform
