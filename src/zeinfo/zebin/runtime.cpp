// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/zebin/runtime.hpp"

#include <algorithm>

namespace slipway::zebin {

zeinfo::RuntimeVerdict runtime_verdict(const Input& input, zeinfo::Release release, const zeinfo::Device* device) {
  zeinfo::RuntimeVerdict verdict = zeinfo::runtime_verdict(input.document, input.target, release, device);
  if (!input.zebin) return verdict;
  Diagnostics diagnostics;
  ContainerDiagnostics problems(input.name, diagnostics);
  check_container_for(*input.zebin, verdict.release, problems);
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    const bool refuses = diagnostic.severity == Severity::Error;
    const auto of = refuses ? zeinfo::Verdict::Refuses : zeinfo::Verdict::AcceptsWithWarnings;
    verdict.findings.insert(verdict.findings.begin(),
                            {.verdict = of, .kind = diagnostic.kind, .message = diagnostic.message});
    if (refuses && verdict.code == 0) verdict.code = 2;
    verdict.verdict = std::max(verdict.verdict, of);
  }
  return verdict;
}

zeinfo::RuntimeVerdict refused(zeinfo::Release release) {
  constexpr int kNotZebin = 254;  // the code of the vendor's validator
  return {.release = zeinfo::known_release(release),
          .decoder_minor = zeinfo::decoder_of(release),
          .verdict = zeinfo::Verdict::Refuses,
          .code = kNotZebin,
          .findings = {{.verdict = zeinfo::Verdict::Refuses, .message = "neither a zebin nor ZE Info"}}};
}

std::string reason_of(const zeinfo::RuntimeVerdict& verdict) {
  const auto found = std::ranges::find(verdict.findings, verdict.verdict, &zeinfo::RuntimeFinding::verdict);
  return found == verdict.findings.end() ? "" : found->message;
}

}  // namespace slipway::zebin
