// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway devices`: lists the devices and their capabilities.

#include "base/format.hpp"
#include "cli/devices/backend_devices.hpp"
#include "cli/devices/device_lists.hpp"
#include "cli/option_groups.hpp"
#include "cli/program.hpp"
#include "cpu/library.hpp"
#include "cpu/target.hpp"
#include "executors/open.hpp"
#include "layer/device_offer.hpp"
#include "vk/choose_device.hpp"
#include "vk/device_plan.hpp"
#include "vk/selected_device.hpp"

namespace slipway::cli {
namespace {

// For the list: whether Vulkan programs have tensors and graphs on a device.
std::string tensor_support(const vk::Snapshot& device) {
  if (vk::missing_for_graphs(device).empty()) return ", native tensors and graphs";
  const layer::Offer offer = layer::offer_of(device);
  if (offer.graphs) return ", tensors and graphs through the layer";
  if (vk::missing_for_tensors(device).empty()) return ", native tensors";
  return formatted(", {}: the layer needs {}",
                   offer.tensors ? "tensors through the layer, no graphs" : "no tensors and graphs", offer.missing);
}

std::string cpu_line(const ListedCpu& cpu) {
  return formatted("  cpu  {}, graphs only, {} threads\n", cpu.name, cpu.threads);
}

// Everything about the CPU engine.
int cpu_details(const ListedCpu& cpu, const ReportStyle& style) {
  if (style.json) {
    print(device_list_text({.devices = {}, .cpu = cpu, .xrt = {}}));
    return 0;
  }
  const cpu::Target target = cpu::host_target();
  std::string unused;
  for (const std::string& name : cpu.unused_instructions) unused += (unused.empty() ? "" : ", ") + name;
  const std::string_view products = target.has_tiles || target.has_vector_matrices ? "yes, of matrices"
                                    : target.has_dot_products                      ? "yes"
                                                                                   : "no";
  print(
      formatted("{}\n  graphs only, {} threads\n  vectors of {} bits, products of bytes: {}\n  instructions: {}\n"
                "  instructions that are not used: {}\n  compiler of kernels: {}\n",
                cpu.name, cpu.threads, target.vector_bits, products, target.features, unused.empty() ? "none" : unused,
                cpu::compiler_file().string()));
  return 0;
}

// A machine without a Vulkan driver runs graphs.
int list_without_vulkan(const ListedCpu& cpu, const ReportStyle& style, const Failure& why) {
  if (style.json) {
    print(device_list_text({.devices = {}, .cpu = cpu, .xrt = {}}));
    return 0;
  }
  print(cpu_line(cpu));
  if (!why.empty()) print_error(formatted("note: {}\n", why.front().message));
  return 0;
}

}  // namespace

int devices_verb(const Arguments& arguments) {
  ReportStyle style;
  std::string selector, backend;
  bool all = false;
  CommandLine line("slipway devices", "Lists the Vulkan devices; the one marked `*` is the default.",
                   "slipway devices --device llvmpipe");
  line.add_report_options(style);
  line.add_option("--device", selector, "show everything about one device: index, part of its name, UUID, or `cpu`");
  line.add_flag("--all", all, "show everything about all devices");
  line.add_option("--backend", backend, "list the devices of another back end of recipes")
      .choices(backends_with_devices())
      .excludes("--device")
      .excludes("--all");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Diagnostics diagnostics;
  if (!backend.empty()) {
    const std::optional<std::string> list = diagnostics.take(list_backend_devices(backend, style.json));
    if (list) print(*list);
    return list ? 0 : report(diagnostics, style);
  }
  const std::optional<ListedCpu> cpu = listed_cpu();
  if (cpu && executors::kind_of(selector).runs_graphs_on_host) return cpu_details(*cpu, style);
  Result<std::vector<vk::Snapshot>> created = executors::vulkan_devices();
  const bool none = created ? created->empty() : created.error().front().kind != DiagnosticKind::Usage;
  if (none && vk::selected_device(selector).empty() && cpu)
    return list_without_vulkan(*cpu, style, created ? Failure() : created.error());
  const std::optional<std::vector<vk::Snapshot>> devices = diagnostics.take(std::move(created));
  std::optional<std::size_t> chosen;
  if (devices) chosen = diagnostics.take(vk::choose_device(*devices, selector));
  if (!chosen) return report(diagnostics, style);

  if (style.json) {
    DeviceList list;
    for (const vk::Snapshot& device : *devices) {
      if (selector.empty() || device.index == *chosen) list.devices.push_back({&device, device.index == *chosen});
    }
    if (selector.empty()) list.cpu = cpu;
    if (selector.empty()) list.xrt = xrt_devices();
    print(device_list_text(list));
    return 0;
  }
  for (const vk::Snapshot& device : *devices) {
    if (all || (!selector.empty() && device.index == *chosen)) {
      print(vk::print_snapshot(device));
    } else if (selector.empty()) {
      print(formatted("{} {}  {}  {}, Vulkan {}, {}{}\n", device.index == *chosen ? "*" : " ", device.index,
                      device.name, vk::name_of(device.type), version_text(device.api),
                      vk::format_uuid(device.device_uuid), tensor_support(device)));
    }
  }
  if (selector.empty() && !all) {
    if (cpu) print(cpu_line(*cpu));
    const std::vector<std::string> npus = xrt_devices();
    for (std::size_t i = 0; i < npus.size(); ++i) print(formatted("  xrt:{}  {}  NPU, through XRT\n", i, npus[i]));
  }
  return 0;
}

}  // namespace slipway::cli
