// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "conformance/outcome.hpp"

#include <algorithm>

#include "vk/device_failure.hpp"

namespace slipway::conformance {

bool ends_the_run(const Failure& failure) {
  return vk::is_device_lost(failure) || std::ranges::contains(failure, DiagnosticKind::NoDevice, &Diagnostic::kind);
}

Result<> RowOutcome::refuse(Failure why, FailedCase made, std::uint64_t cases) {
  if (ends_the_run(why)) return slipway::fail(std::move(why));
  const std::string& message = why.front().message;
  const bool is_lacking = std::ranges::all_of(
      why, [](const Diagnostic& problem) { return exit_class_of(problem.kind) == ExitClass::DeviceLacks; });
  if (is_lacking) {
    lack(message, cases);
  } else {
    made.why = message;
    fail(std::move(made), cases);
  }
  return {};
}

}  // namespace slipway::conformance
