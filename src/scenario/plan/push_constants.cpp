// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/plan/push_constants.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::scenario {
namespace {

std::string names_of(std::span<const StageInterface> stages) {
  std::string text = formatted("shader `{}`", stages.front().shader);
  if (stages.size() > 1) text += formatted(" or `{}`", stages.back().shader);
  return text;
}

constexpr std::uint64_t kAddressBytes = 8;

// Whether one of the addresses of a member is given by nothing.
bool is_null(const spirv::BlockMember& member, Bytes push_constants, const std::vector<PushAddress>& addresses) {
  for (std::uint64_t at = member.offset; at + kAddressBytes <= member.offset + member.size; at += kAddressBytes) {
    if (at + kAddressBytes > push_constants.size()) return false;
    if (load<std::uint64_t>(push_constants.data() + at) == 0 &&
        !std::ranges::contains(addresses, at, &PushAddress::offset))
      return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<std::byte>> push_constants(const Reference& push_data, const launch::Contents* data,
                                                     std::uint32_t size, json::Value command,
                                                     std::span<const StageInterface> stages, Diagnostics& diagnostics) {
  const auto with_block =
      std::ranges::find_if(stages, [](const StageInterface& stage) { return stage.entry->push_constants.has_value(); });
  const auto using_it = std::ranges::find_if(stages, [](const StageInterface& stage) {
    return stage.entry->push_constants && stage.entry->push_constants->used;
  });
  std::vector<std::byte> bytes(size);
  const auto warn = [&](json::Value at, std::string message) {
    Diagnostic warning = json::problem(at, DiagnosticKind::BindingMismatch, std::move(message), Severity::Warning);
    if (at.is(json::Type::Object)) warning.location = at.opening();
    diagnostics.add(std::move(warning));
  };
  if (!push_data) {
    if (using_it != stages.end()) {
      warn(command, formatted("shader `{}` uses push constants, but the command has no `push_data_ref`; they are zeros",
                              using_it->shader));
    }
    return bytes;
  }
  if (with_block == stages.end()) {
    warn(push_data.at, formatted("push data are given, but {} declares no push constants", names_of(stages)));
    if (size == 0) return bytes;
  }
  if (!data) return bytes;
  if (data->size > size) {
    diagnostics.add(json::problem(push_data.at, DiagnosticKind::OutOfRange,
                                  formatted("`{}` has {} bytes, but the push constants of {} have {}", push_data.uid,
                                            data->size, names_of(stages), size)));
    return std::nullopt;
  }
  if (data->size < size) {
    warn(push_data.at, formatted("`{}` has {} bytes, but the push constants of {} have {}; the rest is zero",
                                 push_data.uid, data->size, names_of(stages), size));
  }
  if (Result<> written = data->write(std::span(bytes).first(data->size)); !written) {
    diagnostics.add(std::move(written.error()));
    return std::nullopt;
  }
  return bytes;
}

void add_push_addresses(const std::vector<PushAddress>& addresses, json::Value command,
                        std::span<const StageInterface> stages, const ResourceIndices& indices,
                        const Scenario& scenario, Bytes push_constants, std::vector<launch::Binding>& bindings,
                        Diagnostics& diagnostics) {
  for (const PushAddress& address : addresses) {
    const json::Value at = address.at["offset"];
    if (address.offset + kAddressBytes > push_constants.size()) {
      diagnostics.add(
          json::problem(at, DiagnosticKind::OutOfRange,
                        formatted("an address of {} bytes at {} does not fit in the push constants of "
                                  "shader `{}`, which have {}",
                                  kAddressBytes, address.offset, stages.front().shader, push_constants.size())));
      continue;
    }
    const auto in_member = [&](const spirv::BlockMember& member) {
      return member.offset <= address.offset && address.offset + kAddressBytes <= member.offset + member.size;
    };
    const auto takes_it = [&](const StageInterface& stage) {
      return stage.entry->push_constants && std::ranges::any_of(stage.entry->push_constants->members, in_member);
    };
    if (std::ranges::none_of(stages, takes_it)) {
      diagnostics.add(json::problem(at, DiagnosticKind::BindingMismatch,
                                    formatted("shader `{}` declares no push constant of {} bytes at {}",
                                              stages.front().shader, kAddressBytes, address.offset),
                                    Severity::Warning));
    }
    const auto index = indices.find(address.buffer.uid);
    const auto* buffer = scenario.find<Buffer>(address.buffer.uid);
    if (index == indices.end() || !buffer) continue;
    bindings.push_back({.resource = index->second,
                        .offset = address.buffer_offset,
                        .address_at = address.offset,
                        .reads = buffer->access != Access::WriteOnly,
                        .writes = buffer->access == Access::WriteOnly || buffer->access == Access::ReadWrite,
                        .origin = launch::Origin::of_reference(address.buffer.at)});
  }
  for (const StageInterface& stage : stages) {
    const auto& block = stage.entry->push_constants;
    if (!block || !block->used) continue;
    for (const spirv::BlockMember& member : block->members) {
      if (!member.addresses || !is_null(member, push_constants, addresses)) continue;
      Diagnostic warning = json::problem(command, DiagnosticKind::BindingMismatch,
                                         formatted("shader `{}` takes the address `{}` at {} of its push constants, "
                                                   "which is 0; `push_addresses` puts that of a buffer there",
                                                   stage.shader, member.name, member.offset),
                                         Severity::Warning);
      warning.location = command.opening();
      diagnostics.add(std::move(warning));
    }
  }
}

}  // namespace slipway::scenario
