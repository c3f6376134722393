// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/choose_device.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/format.hpp"
#include "vk/selected_device.hpp"

namespace slipway::vk {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::unexpected<Failure> no_such_device(std::span<const Snapshot> devices, std::string message) {
  Diagnostic diagnostic{.kind = DiagnosticKind::NoDevice, .message = std::move(message)};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Snapshot& device = devices[i];
    diagnostic.note(formatted("device {}: `{}`, {}, UUID {}", i, device.name, name_of(device.type),
                              format_uuid(device.device_uuid)));
  }
  return fail(std::move(diagnostic));
}

// Whether a name has this number between blanks and brackets: `4090`, but not the `1` of a version 21.1.8.
bool has_number(std::string_view name, std::string_view number) {
  constexpr std::string_view kBetween = " (),";
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of(kBetween), name.size());
    if (name.substr(0, end) == number) return true;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

// Discrete before integrated before virtual before CPU before other; devices of one type in the loader's order.
std::size_t best_by_type(std::span<const Snapshot> devices) {
  constexpr std::array order = {DeviceType::Discrete, DeviceType::Integrated, DeviceType::Virtual, DeviceType::Cpu,
                                DeviceType::Other};
  const auto rank = [&](const Snapshot& device) { return std::ranges::find(order, device.type); };
  return static_cast<std::size_t>(std::ranges::min_element(devices, {}, rank) - devices.begin());
}

}  // namespace

Result<std::size_t> choose_device(std::span<const Snapshot> devices, std::string_view selector) {
  if (devices.empty())
    return no_such_device(devices,
                          "there is no Vulkan device on this machine; `slipway doctor` says what to install, and the "
                          "packages with `-full` in their names bring a driver");
  const std::string selected = selected_device(selector);
  selector = selected;
  if (selector.empty()) return best_by_type(devices);

  std::size_t index = 0;
  const char* end = selector.data() + selector.size();
  const auto parsed = std::from_chars(selector.data(), end, index);
  const bool is_number = parsed.ec == std::errc{} && parsed.ptr == end;
  if (is_number && index < devices.size()) return index;

  // A larger number may still be in a name.
  const std::string wanted = lower(selector);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (format_uuid(devices[i].device_uuid) == wanted) return i;
    const std::string name = lower(devices[i].name);
    if (is_number ? has_number(name, wanted) : name.contains(wanted)) found.push_back(i);
  }
  if (found.empty() && is_number) {
    return no_such_device(devices, formatted("no device {}: the last one is device {}", index, devices.size() - 1));
  }
  if (found.empty() && wanted == "cpu") {
    return no_such_device(devices,
                          "a Vulkan device is needed here; `cpu`, the CPU engine, runs graphs only: those of models, "
                          "scenarios and recipes");
  }
  if (found.empty()) return no_such_device(devices, formatted("no device has the name or UUID `{}`", selector));
  // Several devices of one name (a machine with eight equal cards): the first.
  return found.front();
}

}  // namespace slipway::vk
