// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/cpu/call.hpp"

#include <stdexcept>

#include "base/format.hpp"
#include "platform/text.hpp"
#include "recipe/cpu/thrown.hpp"
#include "slipway/bo.hpp"

namespace slipway::recipe::cpu {
namespace {

std::string arguments_text(const FunctionCall& call) {
  std::string text;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    text += formatted("{}{} {}", i == 0 ? "" : ", ", i, describe_argument(call.arguments[i]));
  }
  return text.empty() ? "none" : text;
}

// Cold: not inlined into the call.
[[gnu::cold, gnu::noinline]] CallFailure failure_of(const FunctionCall& call) {
  CallFailure failure{
      .diagnostic = {.kind = DiagnosticKind::CpuFunction, .location = call.location, .path = call.pointer},
      .thrown = std::current_exception()};
  failure.diagnostic.message = formatted("run '{}' (function '{}' of '{}'): {}", call.run, call.function->name,
                                         file_of(*call.function->library).filename().string(), thrown_text());
  try {
    throw;
  } catch (const std::bad_any_cast&) {
    failure.diagnostic.hint("the function expects an argument of another type than the recipe has");
    failure.diagnostic.note(formatted("the arguments are: {}", arguments_text(call)));
  } catch (const std::out_of_range&) {
    failure.diagnostic.note(formatted("according to the library, the function has {} argument{}",
                                      call.function->num_args, call.function->num_args == 1 ? "" : "s"));
  } catch (...) {
    // Other exceptions get no hint.
  }
  return failure;
}

}  // namespace

std::expected<void, CallFailure> run_call(FunctionCall& call) {
  try {
    call.function->callable(call.arguments);
    return {};
  } catch (...) {
    return std::unexpected(failure_of(call));
  }
}

std::string describe_argument(const std::any& argument) {
  if (!argument.has_value()) return "nothing";
  if (const auto* buffer = std::any_cast<bo>(&argument)) return formatted("xrt::bo of {} bytes", buffer->size());
  if (const auto* value = std::any_cast<int>(&argument)) return formatted("int {}", *value);
  if (const auto* value = std::any_cast<std::uint32_t>(&argument)) return formatted("std::uint32_t {}", *value);
  if (const auto* value = std::any_cast<std::int64_t>(&argument)) return formatted("std::int64_t {}", *value);
  if (const auto* value = std::any_cast<std::uint64_t>(&argument)) return formatted("std::uint64_t {}", *value);
  if (const auto* value = std::any_cast<float>(&argument)) return formatted("float {}", *value);
  if (const auto* value = std::any_cast<double>(&argument)) return formatted("double {}", *value);
  if (std::any_cast<std::string>(&argument)) return "std::string";
  return platform::demangled(argument.type().name());
}

}  // namespace slipway::recipe::cpu
