// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expectations: the data that they compare with (docs/spec/scenario.md#additive-keys).
#include "base/format.hpp"
#include "scenario/check/context.hpp"

namespace slipway::scenario {
namespace {

void check_expect(Context& context, const Resource& resource, const Expect& expect) {
  context.follow_any<Buffer, Image, Tensor>(expect.ref);
  if (expect.ref && expect.ref.uid == uid_of(resource)) {
    context.error(expect.ref.at, DiagnosticKind::WrongReference,
                  formatted("`{}` is compared with itself", expect.ref.uid));
  }
  if (!std::holds_alternative<Buffer>(resource)) return;
  const bool typed =
      expect.type || !expect.src.empty() || (expect.data && expect.data->type) || (expect.fill && expect.fill->type);
  if (typed) return;
  Diagnostic& missing = context.error(
      expect.at, DiagnosticKind::MissingKey,
      formatted("missing key `type`: an expectation of buffer `{}` needs the type of its elements", uid_of(resource)));
  missing.location = expect.at.opening();
}

}  // namespace

void check_expects(Context& context) {
  for (const Resource& resource : context.scenario.resources) {
    std::visit(
        [&](const auto& one) {
          if constexpr (requires { one.results; }) {
            for (const Expect& expect : one.results.expect) check_expect(context, resource, expect);
          }
        },
        resource);
  }
}

}  // namespace slipway::scenario
