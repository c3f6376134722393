// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices and scenarios of slipway/slipway.h.
#include "slipway/scenario.hpp"

#include "c_api/device.hpp"
#include "c_api/objects.hpp"

using namespace slipway;
using namespace slipway::c_api;

struct slipway_devices {
  std::vector<DeviceInfo> list;
};
struct slipway_scenario {
  Scenario scenario;
};
struct slipway_report {
  RunReport report;
};

namespace {

LoadOptions load_options(const slipway_load_options* given) {
  const slipway_load_options from = options_of(given);
  LoadOptions options;
  options.output = text_or_empty(from.output);
  options.confine = from.confine != 0;
  options.strict = from.strict != 0;
  options.cache = from.no_cache == 0;
  return options;
}

const char* text_of_device(const slipway_devices* devices, size_t index, std::string DeviceInfo::* member) {
  return index < devices->list.size() ? (devices->list[index].*member).c_str() : "";
}

}  // namespace

int slipway_devices_list(slipway_devices** devices, slipway_problems** problems) {
  return guarded(problems, devices, [&] {
    if (!devices) return wrong_call(problems, "slipway_devices_list needs a place for the devices");
    Outcome<std::vector<DeviceInfo>> listed = list_devices();
    if (!listed) return fail(problems, std::move(listed.error()));
    *devices = new slipway_devices{std::move(*listed)};
    return 0;
  });
}

size_t slipway_devices_count(const slipway_devices* devices) { return devices->list.size(); }
const char* slipway_devices_name(const slipway_devices* devices, size_t index) {
  return text_of_device(devices, index, &DeviceInfo::name);
}
const char* slipway_devices_type(const slipway_devices* devices, size_t index) {
  return text_of_device(devices, index, &DeviceInfo::type);
}
const char* slipway_devices_uuid(const slipway_devices* devices, size_t index) {
  return text_of_device(devices, index, &DeviceInfo::uuid);
}
void slipway_devices_free(slipway_devices* devices) { delete devices; }

int slipway_device_open(const char* selector, slipway_device** device, slipway_problems** problems) {
  return guarded(problems, device, [&] {
    if (!device) return wrong_call(problems, "slipway_device_open needs a place for the device");
    Outcome<Device> opened = Device::open(text_or_empty(selector));
    if (!opened) return fail(problems, std::move(opened.error()));
    *device = new slipway_device{std::move(*opened)};
    return 0;
  });
}

const char* slipway_device_name(const slipway_device* device) { return device->device.info().name.c_str(); }
const char* slipway_device_type(const slipway_device* device) { return device->device.info().type.c_str(); }
const char* slipway_device_uuid(const slipway_device* device) { return device->device.info().uuid.c_str(); }
void slipway_device_free(slipway_device* device) { delete device; }

int slipway_scenario_load(const char* file, const slipway_load_options* options, slipway_scenario** scenario,
                          slipway_problems** problems) {
  return guarded(problems, scenario, [&] {
    if (!file || !scenario)
      return wrong_call(problems, "slipway_scenario_load needs a file and a place for the scenario");
    return give_loaded(Scenario::load(file, load_options(options)), scenario, problems);
  });
}

int slipway_scenario_parse(const char* text, size_t length, const char* directory, const slipway_load_options* options,
                           slipway_scenario** scenario, slipway_problems** problems) {
  return guarded(problems, scenario, [&] {
    if (!text || !scenario)
      return wrong_call(problems, "slipway_scenario_parse needs a text and a place for the scenario");
    return give_loaded(Scenario::parse({text, length}, text_or_empty(directory), load_options(options)), scenario,
                       problems);
  });
}

int slipway_scenario_set_contents(slipway_scenario* scenario, const char* uid, const void* bytes, size_t size,
                                  slipway_problems** problems) {
  return guarded(problems, [&] {
    if (!scenario || !uid || (!bytes && size != 0)) {
      return wrong_call(problems, "slipway_scenario_set_contents needs a scenario, a uid and bytes");
    }
    Outcome<bool> set = scenario->scenario.set_contents(uid, ByteView(bytes, size));
    return set ? 0 : fail(problems, std::move(set.error()));
  });
}

int slipway_scenario_run(slipway_scenario* scenario, slipway_device* device, const slipway_run_options* options,
                         slipway_report** report, slipway_problems** problems) {
  return guarded(problems, report, [&] {
    if (!scenario || !device || !report) {
      return wrong_call(problems, "slipway_scenario_run needs a scenario, a device and a place for the report");
    }
    const slipway_run_options from = options_of(options);
    RunOptions how;
    how.repeat = from.repeat == 0 ? 1 : from.repeat;
    if (from.timeout != 0) how.timeout = from.timeout;
    how.write_outputs = from.no_outputs == 0;
    require_list(from.capture, from.capture_count, "slipway_run_options has a capture_count, but no capture");
    for (size_t i = 0; i < from.capture_count; ++i) how.capture.emplace_back(text_or_empty(from.capture[i]));
    Outcome<RunReport> ran = scenario->scenario.run(device->device, how);
    if (!ran) return fail(problems, std::move(ran.error()));
    *report = new slipway_report{std::move(*ran)};
    return 0;
  });
}

void slipway_scenario_free(slipway_scenario* scenario) { delete scenario; }

int slipway_report_all_met(const slipway_report* report) { return report->report.all_met() ? 1 : 0; }
size_t slipway_report_expectations(const slipway_report* report) { return report->report.expectations.size(); }

int slipway_report_met(const slipway_report* report, size_t index) {
  return index < report->report.expectations.size() && report->report.expectations[index].met ? 1 : 0;
}

const char* slipway_report_text(const slipway_report* report, size_t index) {
  return index < report->report.expectations.size() ? report->report.expectations[index].text.c_str() : "";
}

const void* slipway_report_captured(const slipway_report* report, const char* uid, size_t* size) {
  const auto found = report->report.captured.find(std::string_view(text_or_empty(uid)));
  const bool known = found != report->report.captured.end();
  if (size) *size = known ? found->second.size() : 0;
  return known ? found->second.data() : nullptr;
}

void slipway_report_free(slipway_report* report) { delete report; }
