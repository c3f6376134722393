// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/uris.hpp"

#include <cctype>
#include <charconv>

#include "base/format.hpp"

namespace slipway::rpl::lsp {

Path path_of_uri(std::string_view uri) {
  constexpr std::string_view kScheme = "file://";
  if (!uri.starts_with(kScheme)) return {};
  uri.remove_prefix(kScheme.size());
  uri.remove_prefix(std::min(uri.find('/'), uri.size()));  // the host
  std::string path;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  // A drive of Windows: "/c:/directory".
  if (Path drive = path.substr(std::min<std::size_t>(path.size(), 1)); drive.is_absolute() && drive.has_root_name())
    return drive.lexically_normal();
  return Path(path).lexically_normal();
}

std::string uri_of_path(const Path& path) {
  std::string uri = path.has_root_name() ? "file:///" : "file://";
  for (const char c : path.generic_string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("/-._~").contains(c);
    uri += plain ? std::string(1, c) : formatted("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

}  // namespace slipway::rpl::lsp
