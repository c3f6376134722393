// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/control_code/mangled.hpp"

#include <charconv>

namespace slipway::recipe::control_code {

std::optional<KernelSignature> demangle(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::nullopt;
  symbol.remove_prefix(2);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
  if (error != std::errc()) return std::nullopt;
  symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
  if (length == 0 || length > symbol.size()) return std::nullopt;

  KernelSignature signature{.name = std::string(symbol.substr(0, length)), .arguments = {}};
  symbol.remove_prefix(length);
  if (symbol == "v") return signature;  // no parameters
  while (!symbol.empty()) {
    const std::size_t pointers = symbol.find_first_not_of('P');
    if (pointers == symbol.npos) return std::nullopt;
    const char type = symbol[pointers];
    const std::string_view name = type == 'c' ? "char" : type == 'i' ? "int" : type == 'v' ? "void" : "";
    if (name.empty() || (type == 'v' && pointers == 0)) return std::nullopt;
    signature.arguments.push_back(std::string(name) + std::string(pointers, '*'));
    symbol.remove_prefix(pointers + 1);
  }
  return signature;
}

}  // namespace slipway::recipe::control_code
