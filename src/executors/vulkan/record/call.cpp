// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executors/vulkan/record/call.hpp"

#include <memory>

#include "base/interrupt.hpp"
#include "gpu/commands/transfer.hpp"
#include "launch/plan/locate.hpp"

namespace slipway::launch {
namespace {

// The arguments as the host sees them.
class HostArguments {
 public:
  HostArguments(const Plan& plan, const Resources& resources, const Call& call, gpu::Transfer transfer)
      : plan_(plan), resources_(resources), call_(call), transfer_(std::move(transfer)) {}

  Result<> fetch() {
    for (const CallArgument& argument : call_.arguments) {
      const gpu::Buffer& buffer = resources_.buffer(argument.buffer);
      // The resource says how much of the buffer is the user's; a buffer may be longer.
      const std::uint64_t size = std::get<Buffer>(plan_.resources[argument.buffer].kind).size;
      if (!needs_copy(buffer, argument)) {
        bytes_.push_back(buffer.mapped().first(size));
        continue;
      }
      const auto& copy = copies_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(size));
      bytes_.emplace_back(copy.get(), size);
      if (!argument.reads) continue;
      if (Result<> done = transfer_.download(buffer, 0, bytes_.back()); !done) return at(argument, std::move(done));
    }
    return transfer_.finish();
  }

  std::span<const MutableBytes> bytes() const { return bytes_; }

  Result<> store() {
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      const CallArgument& argument = call_.arguments[i];
      const gpu::Buffer& buffer = resources_.buffer(argument.buffer);
      if (!argument.writes || !needs_copy(buffer, argument)) continue;
      if (Result<> done = transfer_.upload(buffer, 0, bytes_[i]); !done) return at(argument, std::move(done));
    }
    return transfer_.finish();
  }

 private:
  // Memory that is not cached is slow to read, and fast enough to write.
  static bool needs_copy(const gpu::Buffer& buffer, const CallArgument& argument) {
    return buffer.mapped().empty() || (argument.reads && !buffer.memory().cached());
  }

  static Result<> at(const CallArgument& argument, Result<> failed) {
    return fail(located(std::move(failed.error()), argument.origin));
  }

  const Plan& plan_;
  const Resources& resources_;
  const Call& call_;
  std::vector<MutableBytes> bytes_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
  gpu::Transfer transfer_;  // goes before what it copies from and to
};

}  // namespace

Result<HostClock::duration> call_function(const Plan& plan, const gpu::Device& device, const Resources& resources,
                                          const Call& call, CallControl& control) {
  Result<gpu::Transfer> transfer = gpu::create_transfer(device);
  if (!transfer) return fail(std::move(transfer.error()));
  HostArguments arguments(plan, resources, call, std::move(*transfer));
  if (Result<> fetched = arguments.fetch(); !fetched) return fail(std::move(fetched.error()));
  const HostClock::time_point start = HostClock::now();
  const TimeLimit limit(control.deadline);
  Result<> called = call.function(arguments.bytes(), control);
  const HostClock::duration took = HostClock::now() - start;
  if (!called) return fail(std::move(called.error()));
  return arguments.store().transform([&] { return took; });
}

}  // namespace slipway::launch
