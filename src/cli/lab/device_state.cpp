// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the functions of NVML that are used are declared, with names of our own.
#include "cli/lab/device_state.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "platform/library.hpp"

namespace slipway::cli {
namespace {

constexpr std::uint32_t kNvidia = 0x10de;

std::vector<Path> entries_of(const Path& directory, std::string_view prefix) {
  std::vector<Path> entries;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(prefix)) entries.push_back(at->path());
  }
  std::ranges::sort(entries);
  return entries;
}

// The text of a small file of sysfs, without its line break; empty if the file is missing.
std::string line_of(const Path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::string text = read_text(path).value_or("");
  text.erase(std::min(text.find('\n'), text.size()));
  return text;
}

// In units of which `scale` are one of the result. A driver writes 0 for what it does not know.
std::optional<double> value_of(const Path& path, double scale) {
  const std::string text = line_of(path);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value / scale;
}

std::optional<double> first_value(std::initializer_list<Path> paths, double scale) {
  for (const Path& path : paths) {
    if (const auto value = value_of(path, scale)) return value;
  }
  return std::nullopt;
}

constexpr double kKilohertz = 1e3, kHertz = 1e6, kMilli = 1e3;  // of a MHz, of a MHz, of a degree

DeviceState state_of_cpu(const Path& sysfs) {
  DeviceState state;
  for (const Path& cpu : entries_of(sysfs / "devices/system/cpu", "cpu")) {
    const auto clock = value_of(cpu / "cpufreq/scaling_cur_freq", kKilohertz);
    if (clock && clock > state.clock_mhz) state.clock_mhz = clock;
  }
  constexpr std::string_view kSensors[] = {"coretemp", "k10temp", "zenpower", "cpu_thermal"};
  for (const Path& monitor : entries_of(sysfs / "class/hwmon", "hwmon")) {
    if (!state.temperature_c && std::ranges::contains(kSensors, line_of(monitor / "name")))
      state.temperature_c = value_of(monitor / "temp1_input", kMilli);
  }
  return state;
}

// The directory of the only GPU with these ids.
Path directory_of(const vk::Snapshot& device, const Path& sysfs) {
  Path found;
  for (const Path& node : entries_of(sysfs / "class/drm", "renderD")) {
    if (line_of(node / "device/vendor") != formatted("{:#06x}", device.vendor_id) ||
        line_of(node / "device/device") != formatted("{:#06x}", device.device_id))
      continue;
    if (!found.empty()) return {};
    found = node / "device";
  }
  return found;
}

DeviceState state_of_drm(const vk::Snapshot& device, const Path& sysfs) {
  const Path directory = directory_of(device, sysfs);
  if (directory.empty()) return {};
  DeviceState state;
  for (const Path& monitor : entries_of(directory / "hwmon", "hwmon")) {  // amdgpu
    state.clock_mhz = value_of(monitor / "freq1_input", kHertz);
    state.memory_clock_mhz = value_of(monitor / "freq2_input", kHertz);
    state.temperature_c = first_value({monitor / "temp1_input", monitor / "temp2_input"}, kMilli);
  }
  if (!state.clock_mhz) state.clock_mhz = value_of(directory / "tile0/gt0/freq0/act_freq", 1);  // xe
  for (const Path& card : entries_of(directory / "drm", "card")) {                              // i915
    if (!state.clock_mhz)
      state.clock_mhz = first_value({card / "gt/gt0/rps_act_freq_mhz", card / "gt_act_freq_mhz"}, 1);
  }
  return state;
}

DeviceState state_of_nvidia(const vk::Snapshot& device, const DeviceStateSources& sources) {
  using Handle = void*;
  const auto find = [&]<class F>(F*& function, const char* name) {
    function = sources.nvml ? reinterpret_cast<F*>(sources.nvml(name)) : nullptr;
    return function != nullptr;
  };
  int (*init)() = nullptr;
  int (*handle_by_uuid)(const char*, Handle*) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*temperature)(Handle, int, unsigned*) = nullptr;
  if (!find(init, "nvmlInit_v2") || !find(handle_by_uuid, "nvmlDeviceGetHandleByUUID") ||
      !find(clock, "nvmlDeviceGetClockInfo") || !find(temperature, "nvmlDeviceGetTemperature"))
    return {};
  constexpr int kSuccess = 0, kMultiprocessors = 1, kMemory = 2, kCore = 0;  // NVML_CLOCK_SM, NVML_CLOCK_MEM
  Handle handle = nullptr;
  if (init() != kSuccess || handle_by_uuid(("GPU-" + vk::format_uuid(device.device_uuid)).c_str(), &handle) != kSuccess)
    return {};
  DeviceState state;
  unsigned value = 0;
  if (clock(handle, kMultiprocessors, &value) == kSuccess) state.clock_mhz = value;
  if (clock(handle, kMemory, &value) == kSuccess) state.memory_clock_mhz = value;
  if (temperature(handle, kCore, &value) == kSuccess) state.temperature_c = value;
  return state;
}

}  // namespace

DeviceStateSources device_state_sources() {
  static void* const library = platform::open_library("libnvidia-ml.so.1").value_or(nullptr);
  DeviceStateSources sources;
  if (library) sources.nvml = [](const char* name) { return platform::symbol(library, name); };
  return sources;
}

DeviceState read_device_state(const vk::Snapshot* device, const DeviceStateSources& sources) {
  if (!device || device->type == vk::DeviceType::Cpu) return state_of_cpu(sources.sysfs);
  return device->vendor_id == kNvidia ? state_of_nvidia(*device, sources) : state_of_drm(*device, sources.sysfs);
}

std::string device_state_text(const DeviceState& state) {
  std::string text;
  const auto add = [&](const std::optional<double>& value, std::string_view before, std::string_view unit) {
    if (value) text += formatted("{}{}{:.0f} {}", text.empty() ? "" : ", ", before, *value, unit);
  };
  add(state.clock_mhz, "", "MHz");
  add(state.memory_clock_mhz, "memory ", "MHz");
  add(state.temperature_c, "", "C");
  return text;
}

}  // namespace slipway::cli
