// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++17 header that mirrors the memory layouts of a resolved program (docs/spec/rpl.md#c-header): structs of buffers,
// tails and attribute sources with asserted offsets, and the numbers of bindings, sets and locations.
#pragma once

#include <string>
#include <string_view>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// `name_space`: one identifier or several joined by `::`; the header must not be compiled in two namespaces with one
// name. A C++ word gets a trailing `_`, and so does a name that already exists in its scope.
std::string emit_header(const Resolved& resolved, std::string_view name_space);

// `rpl_` and the stem of the path with `_` in place of each byte that identifiers cannot have.
std::string default_header_namespace(std::string_view path);

// Whether text is an identifier, or several joined by `::`, that may name a namespace in C++.
bool is_namespace_name(std::string_view text);

}  // namespace slipway::rpl
