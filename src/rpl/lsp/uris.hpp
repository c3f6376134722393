// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// URIs of files.
#pragma once

#include <string>
#include <string_view>

#include "base/system/files.hpp"

namespace slipway::rpl::lsp {

// The path of a `file:` URI; empty for others.
Path path_of_uri(std::string_view uri);
// `file:///...`, with everything escaped that is not allowed in the path of a URI.
std::string uri_of_path(const Path& path);

}  // namespace slipway::rpl::lsp
