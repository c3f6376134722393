// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/devices/device_lists.hpp"

#include "base/format.hpp"
#include "cli/manual/schemas.hpp"
#include "cpu/target.hpp"
#include "executors/open.hpp"
#include "json/record.hpp"
#include "layer/device_offer.hpp"
#include "vk/device_plan.hpp"

namespace slipway::cli {
namespace {

using json::Boolean, json::Integer, json::List, json::Map, json::Nested, json::Real, json::Record, json::Text;
using recipe::opencl::DeviceDescription;

// --- Vulkan ---

template <auto kMember>
auto of_snapshot() {
  return [](const ListedDevice& from) { return (*from.snapshot).*kMember; };
}

std::vector<std::string> graph_instruction_sets(const ListedDevice& from) {
  std::set<std::string, std::less<>> sets;
  for (const vk::QueueFamily& family : from.snapshot->queue_families) sets.insert_range(family.graph_instruction_sets);
  return {sets.begin(), sets.end()};
}

const Record<ListedDevice>& native_record() {
  using D = ListedDevice;
  static const auto record =
      Record<D>("native", "what the driver offers itself")
          .required(
              "tensors", [](const D& from) { return vk::missing_for_tensors(*from.snapshot).empty(); }, Boolean{},
              "VK_ARM_tensors")
          .required(
              "data_graph", [](const D& from) { return vk::missing_for_graphs(*from.snapshot).empty(); }, Boolean{},
              "VK_ARM_data_graph")
          .required("graph_instruction_sets", graph_instruction_sets, List{Text{}}, "`TOSA.001000.1`, ...");
  return record;
}

const Record<layer::Offer>& offer_record() {
  using O = layer::Offer;
  static const auto record =
      Record<O>("layer", "what Slipway's Vulkan layer offers to other programs")
          .required("tensors", &O::tensors, Boolean{}, "VK_ARM_tensors")
          .required("data_graph", &O::graphs, Boolean{}, "VK_ARM_data_graph")
          .required("missing", &O::missing, Text{}, "what the device lacks for it; empty if the driver offers them");
  return record;
}

const Record<vk::FormatFeatures>& format_record() {
  using F = vk::FormatFeatures;
  static const auto record =
      Record<F>("format", "VkFormatFeatureFlags2 of a format")
          .required("linear", &F::linear, Integer{}, "with linear tiling")
          .required("optimal", &F::optimal, Integer{}, "with optimal tiling")
          .optional("tensor", &F::linear_tensor, Integer{.min = 1}, "of tensors with linear tiling")
          .written_if([](const F& from) { return from.linear_tensor != 0; });
  return record;
}

std::vector<std::pair<std::string, vk::FormatFeatures>> named_formats(const ListedDevice& from) {
  std::vector<std::pair<std::string, vk::FormatFeatures>> named;
  for (const auto& [format, features] : from.snapshot->formats) named.emplace_back(vk::name_of(format), features);
  return named;
}

const Record<ListedDevice>& device_record() {
  using D = ListedDevice;
  using S = vk::Snapshot;
  static const auto record =
      Record<D>("device", "a Vulkan device")
          .required("index", of_snapshot<&S::index>(), Integer{}, "in the list of the Vulkan loader; for --device")
          .required("name", of_snapshot<&S::name>(), Text{}, "as the driver reports it")
          .required(
              "type", [](const D& from) { return vk::name_of(from.snapshot->type); }, Text{},
              "DiscreteGpu, IntegratedGpu, VirtualGpu, Cpu or Other")
          .required(
              "uuid", [](const D& from) { return vk::format_uuid(from.snapshot->device_uuid); }, Text{},
              "the same in all processes; for --device")
          .required(
              "api_version", [](const D& from) { return version_text(from.snapshot->api); }, Text{}, "of Vulkan")
          .required("vendor_id", of_snapshot<&S::vendor_id>(), Integer{}, "VkPhysicalDeviceProperties::vendorID")
          .required("device_id", of_snapshot<&S::device_id>(), Integer{}, "VkPhysicalDeviceProperties::deviceID")
          .required("driver_name", of_snapshot<&S::driver_name>(), Text{}, "name of the driver")
          .required("driver_info", of_snapshot<&S::driver_info>(), Text{}, "its version")
          .required("default", &D::is_default, Boolean{}, "whether runs without --device use it")
          .required(
              "native", [](const D& from) { return &from; }, Nested(native_record()), "what the driver offers itself")
          .required(
              "layer", [](const D& from) { return layer::offer_of(*from.snapshot); }, Nested(offer_record()),
              "what the layer adds")
          .required(
              "extensions", [](const D& from) { return std::vector(std::from_range, from.snapshot->extensions); },
              List{Text{}}, "of the device, sorted")
          .required(
              "features", [](const D& from) { return std::vector(std::from_range, from.snapshot->features); },
              List{Text{}}, "the members of Vulkan's feature structures that are true, sorted")
          .required(
              "limits",
              [](const D& from) {
                return std::vector<std::pair<std::string, double>>(std::from_range, from.snapshot->limits_by_name);
              },
              Map{Real{}}, "by Vulkan's names; elements of arrays as `maxComputeWorkGroupCount[0]`")
          .required("formats", named_formats, Map{Nested(format_record())}, "those with a feature, by Vulkan's names");
  return record;
}

const Record<ListedCpu>& cpu_engine_record() {
  static const auto record =
      Record<ListedCpu>("cpu_engine", "the engine that runs graphs on the CPU")
          .required("name", &ListedCpu::name, Text{}, "name of the CPU")
          .required("threads", &ListedCpu::threads, Integer{.min = 1}, "number of threads")
          .required("vector_bits", &ListedCpu::vector_bits, Integer{}, "of the vectors that kernels use")
          .required("products_of_bytes", &ListedCpu::products_of_bytes, Boolean{},
                    "whether it has dot products of 8-bit integers")
          .required(
              "unused_instructions", &ListedCpu::unused_instructions, List{Text{}},
              "of the CPU, for graphs, that the engine does not use: `avx512_fp16`, `amx_int8 (no permission)`...");
  return record;
}

const Record<DeviceList>& device_list_record() {
  using L = DeviceList;
  static const auto record =
      Record<L>("devices", "Vulkan devices, and what else runs workloads")
          .required("devices", &L::devices, List{Nested(device_record())}, "all Vulkan devices, or that of --device")
          .optional("cpu", &L::cpu, Nested(cpu_engine_record()), "absent with --device, and without the CPU engine")
          .optional("xrt", &L::xrt, List{Text{}},
                    "names of the NPUs that XRT offers, in the order of their indices; absent with --device")
          .written_if([](const L& from) { return !from.xrt.empty(); });
  return record;
}

// --- other back ends ---

struct OpenClDevice {
  DeviceDescription description;
  std::size_t index = 0;
};

const Record<DeviceDescription>& description_record() {
  using D = DeviceDescription;
  static const auto record =
      Record<D>("opencl_description", "an OpenCL device")
          .required("name", &D::name, Text{}, "as the driver reports it")
          .required("type", &D::type, Text{}, "gpu, accelerator, cpu or other")
          .required("platform", &D::platform, Text{}, "name of the platform")
          .required("driver", &D::driver, Text{}, "version of the driver")
          .required("il_version", &D::il_version, Text{}, "`SPIR-V_1.2 ...`; empty without support for SPIR-V")
          .required("base_alignment", &D::base_alignment, Integer{.min = 1}, "bytes, of the offsets of sub-buffers")
          .required("max_allocation", &D::max_allocation, Integer{}, "bytes of the largest buffer");
  return record;
}

const Record<OpenClDevice>& opencl_device_record() {
  using D = OpenClDevice;
  static const auto record = Record<D>("opencl_device", "an OpenCL device")
                                 .required("index", &D::index, Integer{}, "for SLIPWAY_OPENCL_DEVICE")
                                 .part(&D::description, description_record());
  return record;
}

struct XrtDevice {
  std::string name;
  std::size_t index = 0;
};

const Record<XrtDevice>& xrt_device_record() {
  static const auto record = Record<XrtDevice>("xrt_device", "an NPU that XRT offers")
                                 .required("index", &XrtDevice::index, Integer{}, "in the list of XRT")
                                 .required("name", &XrtDevice::name, Text{}, "as XRT reports it");
  return record;
}

template <class Device>
struct BackendDevices {
  std::vector<Device> devices;
};

template <class Device>
Record<BackendDevices<Device>> backend_devices_record(std::string_view name, std::string_view meaning,
                                                      const Record<Device>& device) {
  return Record<BackendDevices<Device>>(name, meaning)
      .required("devices", &BackendDevices<Device>::devices, List{Nested(device)}, "in the order of their indices");
}

const Record<BackendDevices<OpenClDevice>>& opencl_list_record() {
  static const auto record = backend_devices_record("opencl_devices", "--backend opencl", opencl_device_record());
  return record;
}

const Record<BackendDevices<XrtDevice>>& xrt_list_record() {
  static const auto record = backend_devices_record("xrt_devices", "--backend xrt", xrt_device_record());
  return record;
}

}  // namespace

std::string version_text(const vk::Version& version) {
  return formatted("{}.{}.{}", version.major, version.minor, version.patch);
}

std::optional<ListedCpu> listed_cpu() {
  const auto listed = executors::host_kind().list();
  if (!listed || listed->empty()) return std::nullopt;
  const cpu::Target target = cpu::host_target();
  return ListedCpu{listed->front().name, cpu::default_threads(), target.vector_bits, target.has_dot_products,
                   cpu::unused_instructions()};
}

std::string device_list_text(const DeviceList& list) { return json::object_text(device_list_record(), list); }

std::string opencl_list_text(const std::vector<DeviceDescription>& devices) {
  BackendDevices<OpenClDevice> list;
  for (const DeviceDescription& device : devices) list.devices.push_back({device, list.devices.size()});
  return json::object_text(opencl_list_record(), list);
}

std::string xrt_list_text(const std::vector<std::string>& names) {
  BackendDevices<XrtDevice> list;
  for (const std::string& name : names) list.devices.push_back({name, list.devices.size()});
  return json::object_text(xrt_list_record(), list);
}

std::string devices_schema() {
  return json::schema_text("devices", "what `slipway devices --json` prints",
                           {&device_list_record().table(), &opencl_list_record().table(), &xrt_list_record().table()});
}

}  // namespace slipway::cli
