// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/version.hpp"

#include <CLI/Version.hpp>

#include "generated_version.hpp"
#include "json/writer.hpp"

namespace slipway::cli {

std::string version_text() { return std::string("slipway ") + kVersion; }

std::string version_json() {
  json::Writer out;
  write_version(out);
  return out.text();
}

void write_version(json::Writer& out) {
  out.object([&] {
    out.member("version", kVersion).member("revision", kRevision);
    out.key("dependencies").array([&] {
      for (const auto& [name, version] : kDependencies) {
        out.object([&] { out.member("name", name).member("version", version); });
      }
    });
  });
}

}  // namespace slipway::cli
