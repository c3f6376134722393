// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway devices`: lists the devices and their capabilities.

#include "base/format.hpp"
#include "cli/backend_devices.hpp"
#include "cli/program.hpp"
#include "cpu/target.hpp"
#include "gpu/device/choose_device.hpp"
#include "gpu/device/device_plan.hpp"
#include "gpu/device/instance.hpp"
#include "json/writer.hpp"
#include "layer/device_offer.hpp"
#include "model/cpu_device.hpp"

namespace slipway::cli {
namespace {

// For the list: whether Vulkan programs have tensors and graphs on a device.
std::string tensor_support(const gpu::Snapshot& device) {
  if (gpu::missing_for_graphs(device).empty()) return ", native tensors and graphs";
  const layer::Offer offer = layer::offer_of(device);
  if (offer.graphs) return ", tensors and graphs through the layer";
  if (gpu::missing_for_tensors(device).empty()) return ", native tensors";
  return formatted(", {}: the layer needs {}",
                   offer.tensors ? "tensors through the layer, no graphs" : "no tensors and graphs", offer.missing);
}

std::string version_of(const gpu::Snapshot& device) {
  return formatted("{}.{}.{}", device.api.major, device.api.minor, device.api.patch);
}

void write_device(json::Writer& out, const gpu::Snapshot& device, bool chosen) {
  out.object([&] {
    out.member("index", device.index).member("name", device.name).member("type", gpu::name_of(device.type));
    out.member("uuid", gpu::format_uuid(device.device_uuid)).member("api_version", version_of(device));
    out.member("vendor_id", device.vendor_id).member("device_id", device.device_id);
    out.member("driver_name", device.driver_name).member("driver_info", device.driver_info).member("default", chosen);
    out.key("native").object([&] {
      out.member("tensors", gpu::missing_for_tensors(device).empty());
      out.member("data_graph", gpu::missing_for_graphs(device).empty());
      std::set<std::string, std::less<>> sets;
      for (const gpu::QueueFamily& family : device.queue_families) sets.insert_range(family.graph_instruction_sets);
      out.key("graph_instruction_sets").array([&] {
        for (const std::string& set : sets) out.value(set);
      });
    });
    out.key("layer").object([&] {
      const layer::Offer offer = layer::offer_of(device);
      out.member("tensors", offer.tensors).member("data_graph", offer.graphs).member("missing", offer.missing);
    });
    out.key("extensions").array([&] {
      for (const std::string& extension : device.extensions) out.value(extension);
    });
    out.key("features").array([&] {
      for (const std::string& feature : device.features) out.value(feature);
    });
    out.key("limits").object([&] {
      for (const auto& [name, value] : device.limits_by_name) out.member(name, value);
    });
    out.key("formats").object([&] {
      for (const auto& [format, features] : device.formats) {
        out.key(vk::name_of(format)).object([&] {
          out.member("linear", features.linear).member("optimal", features.optimal);
          if (features.linear_tensor) out.member("tensor", features.linear_tensor);
        });
      }
    });
  });
}

}  // namespace

int devices_verb(const Arguments& arguments) {
  ReportStyle style;
  std::string selector, backend;
  bool all = false;
  CommandLine line("slipway devices", "Lists the Vulkan devices; the one marked `*` is the default.",
                   "slipway devices --device llvmpipe");
  line.add_report_options(style);
  line.add_option("--device", selector, "show everything about one device: index, part of its name, or UUID");
  line.add_flag("--all", all, "show everything about all devices");
  line.add_option("--backend", backend, "list the devices of another back end of recipes: opencl, xrt")
      .choices({"opencl", "xrt"})
      .excludes("--device")
      .excludes("--all");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  if (!backend.empty()) {
    const std::optional<std::string> list = diagnostics.take(list_backend_devices(backend, style.json));
    if (list) print(*list);
    return list ? 0 : report(diagnostics, style);
  }
  const std::optional<gpu::Instance> instance = diagnostics.take(gpu::create_instance());
  std::optional<std::size_t> chosen;
  if (instance) chosen = diagnostics.take(gpu::choose_device(instance->snapshots(), selector));
  if (!chosen) return report(diagnostics, style);

  if (style.json) {
    json::Writer out;
    out.object([&] {
      out.key("devices").array([&] {
        for (const gpu::Snapshot& device : instance->snapshots()) {
          if (selector.empty() || device.index == *chosen) write_device(out, device, device.index == *chosen);
        }
      });
      if (selector.empty() && model::has_cpu_engine()) {
        out.key("cpu").object([&] {
          out.member("name", model::cpu_snapshot().name).member("threads", std::uint64_t{cpu::default_threads()});
        });
      }
      if (const std::vector<std::string> npus = xrt_devices(); selector.empty() && !npus.empty()) {
        out.key("xrt").array([&] {
          for (const std::string& name : npus) out.value(name);
        });
      }
    });
    print(out.text());
    return 0;
  }
  for (const gpu::Snapshot& device : instance->snapshots()) {
    if (all || (!selector.empty() && device.index == *chosen)) {
      print(gpu::print_snapshot(device));
    } else if (selector.empty()) {
      print(formatted("{} {}  {}  {}, Vulkan {}, {}{}\n", device.index == *chosen ? "*" : " ", device.index,
                      device.name, gpu::name_of(device.type), version_of(device), gpu::format_uuid(device.device_uuid),
                      tensor_support(device)));
    }
  }
  if (selector.empty() && !all) {
    if (model::has_cpu_engine())
      print(formatted("  cpu  {}, graphs only, {} threads\n", model::cpu_snapshot().name, cpu::default_threads()));
    for (const std::string& name : xrt_devices()) print(formatted("     {}  NPU, through XRT\n", name));
  }
  return 0;
}

}  // namespace slipway::cli
