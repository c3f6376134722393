// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/version.hpp"

#include "generated_version.hpp"

namespace slipway::cli {
namespace {

using json::List, json::Nested, json::Record, json::Text;

struct Dependency {
  std::string_view name, version;
};

const Record<Dependency>& dependency_record() {
  static const auto record = Record<Dependency>("dependency", "a library that affects results")
                                 .required("name", &Dependency::name, Text{}, "its name")
                                 .required("version", &Dependency::version, Text{}, "its version");
  return record;
}

std::vector<Dependency> dependencies(const ProgramVersion&) {
  std::vector<Dependency> all;
  for (const auto& [name, version] : kDependencies) all.push_back({name, version});
  return all;
}

}  // namespace

std::string version_text() { return std::string("slipway ") + kVersion; }

std::string version_json() { return json::object_text(version_record(), {}); }

const Record<ProgramVersion>& version_record() {
  using V = ProgramVersion;
  static const auto record =
      Record<V>("version", "the program and the libraries that affect its results")
          .required(
              "version", [](const V&) { return std::string_view(kVersion); }, Text{}, "MAJOR.MINOR.PATCH")
          .required(
              "revision", [](const V&) { return std::string_view(kRevision); }, Text{},
              "of the sources that it was built from")
          .required("dependencies", dependencies, List{Nested(dependency_record())}, "the libraries");
  return record;
}

}  // namespace slipway::cli
