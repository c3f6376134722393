// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/versions.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

constexpr std::int64_t kMaxOperatorSet = 27;

using DomainVersion = Versions::value_type;

}  // namespace

Versions read_versions(OnnxFile& file, const Context& where, const Submessages& imports) {
  Versions versions;
  for (const Bytes part : imports) {
    OperatorSetIdProto import;
    if (!decode(file, context_of<OperatorSetIdProto>(where, "opset_import", part), part, import)) continue;
    const std::string domain(normal_domain(import.domain));
    const std::int64_t version = import.version.value_or(0);
    if (version < 1) {
      file.error(DiagnosticKind::OutOfRange, part,
                 formatted("the version {} of operator set {} is not positive", version, in_backticks(import.domain)));
    } else if (domain.empty() && version > kMaxOperatorSet) {
      file.warning(DiagnosticKind::VersionNewer, part,
                   formatted("operator set {} is not known to this version; the newest known one is {}", version,
                             kMaxOperatorSet));
    }
    const auto known = std::ranges::find(versions, domain, &DomainVersion::first);
    if (known == versions.end()) {
      versions.emplace_back(domain, version);
    } else if (known->second != version) {
      file.error(DiagnosticKind::DuplicateName, part,
                 formatted("operator set {} is imported with the versions {} and {}", in_backticks(import.domain),
                           known->second, version));
    }
  }
  return versions;
}

std::optional<std::int64_t> version_of(const Versions& versions, std::string_view domain) {
  const auto found = std::ranges::find(versions, domain, &DomainVersion::first);
  return found == versions.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace slipway::importer::onnx
