// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway doctor`: reports what Slipway can use on this machine, what is missing, and how to install it.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "base/system/cache.hpp"
#include "cli/devices/backend_devices.hpp"
#include "cli/devices/device_lists.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/program.hpp"
#include "cli/version.hpp"
#include "executors/open.hpp"
#include "golden/golden.hpp"
#include "json/record.hpp"
#include "platform/confine.hpp"
#include "platform/library.hpp"
#include "platform/text.hpp"
#include "recipe/backends/opencl/backend.hpp"
#include "sandbox/sandbox.hpp"
#include "slipway/device.hpp"
#include "spirv/extensions/newer.hpp"
#include "vk/choose_device.hpp"
#include "vk/device_plan.hpp"
#include "vk/instance_options.hpp"
#include "vk/useful.hpp"

namespace slipway::cli {
namespace {

enum class State { Ok, Missing, Problem };  // Missing: something optional

struct Finding {
  std::string subject;
  State state = State::Ok;
  std::string text;
  std::string remedy;  // what to do; may be empty
};

constexpr json::Word<State> kStates[] = {{"ok", State::Ok}, {"missing", State::Missing}, {"problem", State::Problem}};

std::string_view name_of(State state) { return std::ranges::find(kStates, state, &json::Word<State>::value)->word; }

struct Examination {
  std::vector<Finding> findings;
  std::optional<std::vector<golden::Bits>> bits;

  bool usable() const {
    return std::ranges::none_of(findings, [](const Finding& finding) { return finding.state == State::Problem; });
  }
};

constexpr json::Word<golden::State> kBitStates[] = {{"equal", golden::State::Equal},
                                                    {"different", golden::State::Different},
                                                    {"unrecorded", golden::State::Unrecorded},
                                                    {"in bounds", golden::State::InBounds},
                                                    {"out of bounds", golden::State::OutOfBounds},
                                                    {"failed", golden::State::Failed}};

const json::Record<golden::Bits>& bits_record() {
  using B = golden::Bits;
  static const auto record =
      json::Record<B>("bits", "a result of `--bits`")
          .required("name", &B::name, json::Text{}, "what was computed")
          .required("engine", &B::engine, json::Text{}, "files, reference, a level of the CPU engine, or vulkan")
          .required("state", &B::state, json::Words<golden::State>(kBitStates),
                    "compared with the recorded digest; floats of a Vulkan device with the bounds of TOSA")
          .optional("digest", &B::digest, json::Text{}, "of the bytes of the result, the first digits of SHA-256")
          .written_if([](const B& from) { return !from.digest.empty(); })
          .optional("expected", &B::expected, json::Text{}, "the recorded digest, or what is wrong")
          .written_if([](const B& from) { return !from.expected.empty(); });
  return record;
}

const json::Record<Finding>& finding_record() {
  using F = Finding;
  static const auto record = json::Record<F>("finding", "something that was examined")
                                 .required("subject", &F::subject, json::Text{}, "what was examined")
                                 .required("state", &F::state, json::Words<State>(kStates),
                                           "missing: something optional; problem: workloads cannot run")
                                 .required("text", &F::text, json::Text{}, "what was found")
                                 .optional("remedy", &F::remedy, json::Text{}, "what to do")
                                 .written_if([](const F& from) { return !from.remedy.empty(); });
  return record;
}

const json::Record<Examination>& examination_record() {
  using E = Examination;
  static const auto record =
      json::Record<E>("examination", "what Slipway can use on a machine")
          .required(
              "version", [](const E&) { return version_text(); }, json::Text{},
              "of the program, as --version prints it")
          .required(
              "build", [](const E&) { return ProgramVersion(); }, json::Nested(version_record()), "how it was built")
          .required("usable", &E::usable, json::Boolean{}, "whether workloads can run: there is no problem")
          .required("findings", &E::findings, json::List{json::Nested(finding_record())}, "in the order of the text")
          .optional("bits", &E::bits, json::List{json::Nested(bits_record())}, "with `--bits`: all results")
          .written_if([](const E& from) { return from.bits.has_value(); });
  return record;
}

std::string first_message(const Failure& failure) { return failure.empty() ? "failed" : failure.front().message; }

class Doctor {
 public:
  std::vector<Finding> examine() {
    machine();
    vulkan();
    open_cl();
    npus();
    sandbox();
    caches();
    environment();
    return std::move(findings_);
  }

 private:
  void add(std::string subject, State state, std::string text, std::string remedy = {}) {
    findings_.push_back({std::move(subject), state, std::move(text), std::move(remedy)});
  }

  // The operating system, and the hardware that drivers could offer.
  void machine() {
    std::string name = "Linux";
    if (const auto release = read_text("/etc/os-release")) {
      const std::size_t at = release->find("PRETTY_NAME=\"");
      if (at != std::string::npos) name = release->substr(at + 13, release->find('"', at + 13) - at - 13);
    }
    add("system", State::Ok, formatted("{}, {}", name, platform::system_name()));
    for (int card = 0; card < kMaxCards; ++card) {
      const auto vendor = read_text(formatted("/sys/class/drm/card{}/device/vendor", card));
      if (vendor) gpu_vendors_.push_back(vendor->substr(0, 6));
    }
    if (file_exists("/dev/nvidia0") && !std::ranges::contains(gpu_vendors_, "0x10de"))
      gpu_vendors_.emplace_back("0x10de");
  }

  // GPUs that the kernel knows and that no Vulkan driver offers.
  void unused_gpus(const std::vector<vk::Snapshot>& devices) {
    struct Vendor {
      std::string_view id, name, remedy;
    };
    constexpr Vendor kVendors[] = {
        {"0x10de", "NVIDIA", "install the NVIDIA driver with its Vulkan part (nvidia-vulkan-icd, libnvidia-gl)"},
        {"0x1002", "AMD", "install mesa-vulkan-drivers"},
        {"0x8086", "Intel", "install mesa-vulkan-drivers"},
    };
    for (const Vendor& vendor : kVendors) {
      const bool offered = std::ranges::any_of(devices, [&](const vk::Snapshot& device) {
        return formatted("{:#06x}", device.vendor_id) == vendor.id && device.type != vk::DeviceType::Cpu;
      });
      if (offered || !std::ranges::contains(gpu_vendors_, vendor.id)) continue;
      add("GPU", State::Missing, formatted("the machine has a GPU of {}, but no Vulkan driver offers it", vendor.name),
          formatted("{}; add your user to the groups `render` and `video`; VK_DRIVER_FILES, where it is set, must name "
                    "the driver",
                    vendor.remedy));
    }
  }

  // The files in which drivers or layers present themselves to the loader.
  static std::string manifests(std::string_view kind) {
    std::string names;
    for (const char* directory : {"/etc/vulkan", "/usr/local/share/vulkan", "/usr/share/vulkan"}) {
      for (const Path& file : files_in(Path(directory) / kind)) {
        if (file.extension() == ".json") names += formatted("{}{}", names.empty() ? "" : ", ", file.string());
      }
    }
    return names;
  }

  void manifest_findings() {
    if (platform::library_ending() == ".dll") return;  // Windows has them in its registry
    const std::string drivers = manifests("icd.d");
    add("Vulkan drivers", drivers.empty() ? State::Missing : State::Ok,
        drivers.empty() ? "no driver is installed in /usr/share/vulkan/icd.d or /etc/vulkan/icd.d" : drivers,
        drivers.empty() && !std::getenv("VK_DRIVER_FILES")
            ? "install the driver of the GPU, or mesa-vulkan-drivers for one that needs no GPU"
            : "");
    std::string layers = manifests("explicit_layer.d");
    const std::string implicit = manifests("implicit_layer.d");
    if (!implicit.empty()) layers += formatted("{}always on: {}", layers.empty() ? "" : "; ", implicit);
    if (!layers.empty()) add("Vulkan layers", State::Ok, layers);
  }

  void vulkan() {
    manifest_findings();
    const Result<std::vector<vk::Snapshot>> listed = executors::vulkan_devices();
    if (!listed) {
      return add("Vulkan", State::Problem, first_message(listed.error()),
                 "install the Vulkan loader and a driver; mesa-vulkan-drivers has one that needs no GPU");
    }
    const std::vector<vk::Snapshot>& devices = *listed;
    if (devices.empty()) {
      return add("Vulkan", State::Problem, "the loader is installed, but no driver offers a device",
                 "install the driver of the GPU, or mesa-vulkan-drivers for one that needs no GPU; "
                 "VK_DRIVER_FILES, where it is set, replaces all other drivers");
    }
    const char* const own = std::getenv(vk::kSoftwareDriver);
    const char* const used = std::getenv("VK_DRIVER_FILES");
    if (own && used && std::string_view(own) == used) {
      add("software driver", State::Ok, "this machine has no other driver: the one of this package is used, on the CPU",
          "install the driver of the GPU to use it");
    }
    unused_gpus(devices);
    const Result<std::size_t> chosen = vk::choose_device(devices, "");
    for (const vk::Snapshot& device : devices) {
      const bool is_default = chosen && device.index == *chosen;
      const bool old = device.api.major == 1 && device.api.minor < 3;
      add(formatted("device {}{}", device.index, is_default ? " (default)" : ""), old ? State::Missing : State::Ok,
          formatted("{}, {}, Vulkan {}, {} {}", device.name, vk::name_of(device.type), version_text(device.api),
                    device.driver_name, device.driver_info),
          old ? "Slipway needs Vulkan 1.3: update the driver, or choose another device with --device" : "");
      if (is_default) extensions(device);
    }
    if (!chosen)
      add("default device", State::Problem, first_message(chosen.error()), "unset SLIPWAY_DEVICE, or correct it");
    const std::string first = std::to_string(devices.front().index);
    const auto validated = executors::open_executor({.selector = first, .validate = true})->info();
    add("validation layer", validated ? State::Ok : State::Missing,
        validated ? "installed; `run --validate` uses it" : first_message(validated.error()),
        validated ? "" : "install vulkan-validationlayers to use `run --validate`");
  }

  // Native support, or how a run emulates what the device lacks.
  void extensions(const vk::Snapshot& device) {
    const std::string tensors = vk::missing_for_tensors(device);
    const std::string graphs = vk::missing_for_graphs(device);
    add("tensors in shaders", State::Ok,
        tensors.empty() ? "native" : "emulated: shaders are rewritten to use buffers (" + tensors + ")");
    add("ML graphs", State::Ok, graphs.empty() ? "native" : "emulated: graphs become compute shaders (" + graphs + ")");
    const bool timestamps = std::ranges::any_of(
        device.queue_families, [](const vk::QueueFamily& family) { return family.timestamp_bits != 0; });
    add("timestamps", timestamps ? State::Ok : State::Missing, timestamps ? "supported" : "no queue has them",
        timestamps ? "" : "`--profile`, `--trace` and `tune` need them: choose another device with --device");
    add("device memory", State::Ok, formatted("{} MB", device.device_memory() >> 20));
    std::string there;
    for (const vk::UsefulFinding& finding : vk::useful_features(device)) {
      if (finding.is_there)
        there += formatted("{}{}", there.empty() ? "" : ", ", finding.feature->name);
      else
        add(std::string(finding.feature->name), State::Missing, formatted("{}", finding.feature->what),
            formatted("without it, {}; a newer driver may have it", finding.feature->without));
    }
    if (!there.empty()) add("features", State::Ok, there);
  }

  void open_cl() {
    const auto devices = recipe::opencl::describe_devices();
    if (!devices) {
      add("OpenCL", State::Missing, first_message(devices.error()),
          "needed only for recipes with `--backend opencl`: install an OpenCL driver, for example pocl-opencl-icd");
      return;
    }
    std::string usable, others;
    for (const recipe::opencl::DeviceDescription& device : *devices) {
      std::string& list = device.il_version.empty() ? others : usable;
      list += (list.empty() ? "" : ", ") + device.name;
    }
    if (usable.empty()) {
      add("OpenCL", State::Missing, "no device accepts SPIR-V: " + others,
          "needed only for recipes with `--backend opencl`: install a driver whose devices accept SPIR-V");
    } else {
      add("OpenCL", State::Ok, "usable by recipes: " + usable);
    }
  }

  void npus() {
    const std::vector<std::string> devices = xrt_devices();
    for (const std::string& device : devices) add("NPU", State::Ok, device + ", through XRT");
    if (!devices.empty()) return;
    const bool has_driver = file_exists("/dev/accel/accel0");
    add("NPU", State::Missing,
        has_driver ? "the kernel has a driver for an accelerator (/dev/accel/accel0), but XRT offers no device"
                   : "none found through XRT",
        has_driver
            ? "needed only for recipes with `--backend xrt`: install XRT and its plug-in for the NPU, and add your "
              "user to the group `render` (docs/npu.md)"
            : "needed only for recipes with `--backend xrt`: docs/npu.md lists what it takes");
  }

  // The processes of parsers of other projects (docs/design/sandbox.md).
  void sandbox() {
    if (const auto unknown = spirv::unknown_extensions(); !unknown.empty())
      add("SPIRV-Tools", State::Missing, spirv::do_not_know(unknown),
          "modules with these extensions are not validated");
    const slipway::sandbox::Protection found = slipway::sandbox::protection();
    if (found.off)
      return add("sandbox", State::Missing, "MLIR, glslang and SPIRV-Tools run in the program: the sandbox is off",
                 "do not open files of unknown origin without it");
    const auto word = [](bool has) { return has ? "yes" : "no"; };
    const platform::ProtectionNames names = platform::protection_names();
    const std::string protections = formatted("limits of memory and time: {}, {}: {}, {}: {}", word(found.limits),
                                              names.calls, word(found.calls), names.files, word(found.files));
    if (!found.running)
      return add(
          "sandbox", State::Missing, formatted("{}; {}", found.failure, protections),
          "`--sandbox best-effort` does without protections that are missing, `--sandbox off` without processes: "
          "for trusted files");
    const bool all = found.limits && found.calls && found.files;
    add("sandbox", all ? State::Ok : State::Missing,
        formatted("MLIR, glslang and SPIRV-Tools run in a process for each file; {}", protections),
        all ? "" : "a system or container with the missing ones protects from files of unknown origin");
  }

  void caches() {
    const Cache cache = Cache::of_user();
    if (!cache.enabled()) {
      std::string why;
      (void)Cache::directory_of_user("objects", &why);
      return add(
          "cache", State::Missing, formatted("disabled: {}", why),
          "set XDG_CACHE_HOME to a directory of your own: without a cache, shaders and graphs are compiled in each "
          "run");
    }
    std::error_code error;
    const bool exists = make_private_directories(cache.directory());
    const Path probe = cache.directory() / formatted("doctor.{}", std::hash<std::string>()(cache.directory().string()));
    const bool writable = exists && (std::ofstream(probe) << "probe").flush().good();
    std::filesystem::remove(probe, error);
    std::uintmax_t bytes = 0, files = 0;
    for (std::filesystem::recursive_directory_iterator entry(cache.directory(), error), end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->is_regular_file(error)) continue;
      bytes += entry->file_size(error);
      ++files;
    }
    add("cache", writable ? State::Ok : State::Problem,
        writable ? formatted("{}, {} files, {} MB", cache.directory().string(), files, bytes >> 20)
                 : formatted("{} cannot be written", cache.directory().string()),
        writable ? "" : "make it writable, or set XDG_CACHE_HOME; `--no-cache` runs without it");
  }

  // Environment variables that change what a run uses.
  void environment() {
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH", "VK_INSTANCE_LAYERS",
                             "VK_LOADER_LAYERS_ENABLE", "SLIPWAY_DEVICE", "SLIPWAY_DEVICE_PROFILE",
                             "SLIPWAY_OPENCL_DEVICE", "SLIPWAY_TUNING", "SLIPWAY_SANDBOX", "SLIPWAY_CACHE_PATH"}) {
      if (const char* value = std::getenv(name)) add("environment", State::Ok, formatted("{}={}", name, value));
    }
  }

  static constexpr int kMaxCards = 16;

  std::vector<Finding> findings_;
  std::vector<std::string> gpu_vendors_;  // `0x10de`
};

// Results of everything that the machine has. `has_device`: a Vulkan device was found, which must then open.
std::vector<golden::Bits> all_bits(bool has_device) {
  std::vector<golden::Bits> all = golden::bits_of_files(golden::recorded());
  all.append_range(golden::bits_of_host(golden::recorded()));
  if (!has_device) return all;
  if (auto device = Device::open()) {
    all.append_range(golden::bits_of_device(*device, golden::recorded()));
  } else {
    all.push_back({.name = "device",
                   .engine = "vulkan",
                   .digest = {},
                   .expected = device.error().front().message,
                   .state = golden::State::Failed});
  }
  return all;
}

// A line for each engine, and one for each result that is wrong.
void print_bits(const std::vector<golden::Bits>& all) {
  std::vector<std::string> engines;
  for (const golden::Bits& one : all) {
    if (!std::ranges::contains(engines, one.engine)) engines.push_back(one.engine);
  }
  for (const std::string& engine : engines) {
    std::map<golden::State, std::size_t> counts;
    std::string digests;
    for (const golden::Bits& one : all) {
      if (one.engine != engine) continue;
      ++counts[one.state];
      digests += formatted("{} {}\n", one.name, one.digest);
    }
    std::string text;
    for (const auto& [state, count] : counts)
      text += formatted("{}{} {}", text.empty() ? "" : ", ", count,
                        std::ranges::find(kBitStates, state, &json::Word<golden::State>::value)->word);
    print(formatted("bits     {}: {} ({})\n", engine, text, sha256_text(digests).substr(0, 16)));
    for (const golden::Bits& one : all) {
      if (one.engine != engine || !one.is_wrong()) continue;
      print(one.state == golden::State::Different
                ? formatted("         {}: {} instead of {}\n", one.name, one.digest, one.expected)
                : formatted("         {}: {}\n", one.name, one.expected));
    }
  }
}

}  // namespace

std::string doctor_schema() {
  return json::schema_text("doctor", "what `slipway doctor --json` prints", {&examination_record().table()});
}

int doctor_verb(const Arguments& arguments) {
  ReportStyle style;
  CommandLine line(
      "slipway doctor",
      "Examines what Slipway can use on this machine: drivers, devices, layers, back ends and caches. Exit "
      "status 1 when workloads cannot run or `--bits` finds a wrong result.",
      "slipway doctor --json >machine.json");
  line.add_flag("--json", style.json, "as JSON, for bug reports");
  bool bits = false;
  line.add_flag(
      "--bits", bits,
      "also compute a corpus with each engine and compare the results with the recorded ones, which takes a minute");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  Examination examination{Doctor().examine(), {}};
  const bool usable = examination.usable();
  if (bits) examination.bits = all_bits(usable);
  const int status =
      usable && std::ranges::none_of(examination.bits.value_or(std::vector<golden::Bits>()), &golden::Bits::is_wrong)
          ? 0
          : 1;
  if (style.json) {
    print(json::object_text(examination_record(), examination));
    return status;
  }
  print(version_text() + "\n");
  for (const Finding& finding : examination.findings) {
    print(formatted("{:8} {}: {}\n", name_of(finding.state), finding.subject, finding.text));
    if (!finding.remedy.empty()) print(formatted("         {}\n", finding.remedy));
  }
  if (examination.bits) print_bits(*examination.bits);
  print(usable ? "workloads can run on this machine\n" : "workloads cannot run on this machine\n");
  return status;
}

}  // namespace slipway::cli
