// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/thrown.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <typeinfo>

#include "base/format.hpp"

namespace slipway::recipe::cpu {
namespace {

constexpr int kMaxNesting = 16;

std::string text_of(const std::exception& thrown, int depth) {
  std::string text = thrown.what();
  if (depth == kMaxNesting) return text;
  try {
    std::rethrow_if_nested(thrown);
  } catch (const std::exception& cause) {
    text += ": " + text_of(cause, depth + 1);
  } catch (...) {
    // A cause that is not a std::exception has no text.
  }
  return text;
}

}  // namespace

std::string thrown_text() {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return text_of(thrown, 0);
  } catch (const std::string& thrown) {
    return thrown;
  } catch (const char* thrown) {
    return thrown ? thrown : "a null text";
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    if (!type) return "something that is not a C++ exception";
    const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr),
                                                           &std::free);
    return formatted("an exception of type `{}`", name ? name.get() : type->name());
  }
}

}  // namespace slipway::recipe::cpu
