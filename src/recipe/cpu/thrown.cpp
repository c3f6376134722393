// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/thrown.hpp"

#include <exception>

#include "base/format.hpp"
#include "platform/text.hpp"

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
    const char* const type = platform::type_of_exception();
    if (!type) return "something that is not a C++ exception";
    return formatted("an exception of type `{}`", platform::demangled(type));
  }
}

}  // namespace slipway::recipe::cpu
