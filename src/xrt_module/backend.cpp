// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The back end `xrt`: maps the back-end interface to calls of XRT (docs/spec/recipe.md#xrt).
#include <algorithm>
#include <any>
#include <charconv>
#include <cstring>
#include <exception>
#include <optional>

#include "base/format.hpp"
#include "recipe/backends/xrt/module.hpp"
#include "xrt_module/module.hpp"

namespace slipway::recipe::xrt_module {

std::unexpected<Failure> xrt_failed(DiagnosticKind kind, const SourceLocation& location, std::string_view what) {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return fail(kind, location, formatted("{}: {}", what, thrown.what()));
  } catch (...) {
    return fail(kind, location, formatted("{}: XRT reports no reason", what));
  }
}

namespace {

::xrt::elf elf_of(const Artifact& file) { return {file.bytes.data(), file.bytes.size()}; }

// XRT takes a map of numbers as quality of service, and any other map as a configuration
// (docs/spec/recipe.md#header-and-hardware-contexts).
bool all_numbers(const std::map<std::string, QosValue>& qos) {
  return std::ranges::all_of(qos, [](const auto& one) { return std::holds_alternative<std::uint32_t>(one.second); });
}
::xrt::hw_context::qos_type numbers_of(const std::map<std::string, QosValue>& qos) {
  ::xrt::hw_context::qos_type numbers;
  for (const auto& [key, value] : qos) numbers[key] = std::get<std::uint32_t>(value);
  return numbers;
}
::xrt::hw_context::cfg_type texts_of(const std::map<std::string, QosValue>& qos) {
  ::xrt::hw_context::cfg_type texts;
  for (const auto& [key, value] : qos) {
    const auto* number = std::get_if<std::uint32_t>(&value);
    texts[key] = number ? std::to_string(*number) : std::get<std::string>(value);
  }
  return texts;
}

// Contexts with the same files and the same configuration are shared.
std::string key_of(const ContextPlan& plan) {
  std::string key = plan.name;
  const auto add = [&](const Artifact& file) {
    key += formatted("|{}:{:x}", file.name, std::hash<std::string_view>()(text_of(file.bytes)));
  };
  if (plan.xclbin) add(*plan.xclbin);
  for (const Artifact& program : plan.programs) add(program);
  for (const auto& [name, value] : texts_of(plan.qos)) key += formatted("|{}={}", name, value);
  return key;
}

class XrtBackend final : public Backend {
 public:
  explicit XrtBackend(::xrt::device device) : device_(std::move(device)) {}

  BackendKind kind() const override { return BackendKind::Xrt; }

  BackendInfo describe() const override {
    try {
      return {.device = device_.get_info<::xrt::info::device::name>(), .driver = "XRT " XRT_MODULE_VERSION};
    } catch (...) {
      return {.device = "unknown", .driver = "XRT " XRT_MODULE_VERSION};
    }
  }

  Result<KernelPtr> load_kernel(const KernelPlan& plan, const ContextPlan* context) override {
    if (!context) {
      return fail(DiagnosticKind::NoKernelSource, plan.origin.location,
                  "Could not create hwctx, xclbin or program is required in recipe");
    }
    auto kernel = std::make_shared<XrtKernel>();
    try {
      kernel->context = context_of(*context);
    } catch (...) {
      return xrt_failed(DiagnosticKind::DeviceFailed, context->origin.location,
                        formatted("XRT cannot create hardware context `{}`", context->name));
    }
    kernel->name = plan.name;
    kernel->instance = plan.instance;
    kernel->location = plan.origin.location;
    kernel->signature = plan.signature;
    try {
      const ::xrt::hw_context& hardware = kernel->context->context;
      if (plan.ctrlcode) {
        kernel->kernel = ::xrt::ext::kernel(hardware, ::xrt::module(elf_of(*plan.ctrlcode)), plan.instance);
      } else if (context->xclbin) {
        kernel->kernel = ::xrt::kernel(hardware, plan.instance);
      } else {
        kernel->kernel = ::xrt::ext::kernel(hardware, plan.instance);
      }
    } catch (...) {
      return xrt_failed(DiagnosticKind::KernelInstance, plan.origin.location,
                        formatted("XRT cannot create kernel `{}` of instance `{}`", plan.name, plan.instance));
    }
    return kernel;
  }

  Result<BufferPtr> create_buffer(const BufferOptions& request) override {
    try {
      if (!request.context.empty()) {
        const std::scoped_lock lock(mutex_);
        for (const auto& [key, context] : contexts_) {
          if (context->name == request.context) {
            return std::make_shared<XrtBuffer>(::xrt::ext::bo(context->context, request.size));
          }
        }
      }
      auto buffer = std::make_shared<XrtBuffer>(::xrt::ext::bo(device_, request.size));
      std::memset(buffer->host_address(), 0, buffer->size());
      buffer->sync(sync_direction::to_device, buffer->size(), 0);
      return buffer;
    } catch (...) {
      return xrt_failed(DiagnosticKind::DeviceLacks, {},
                        formatted("XRT cannot create buffer `{}` of {} bytes", request.name, request.size));
    }
  }

  bool can_use(const buffer_storage& buffer) const override { return native_of(buffer) != nullptr; }

  std::any native_buffer(const BufferPtr& buffer, std::uint64_t offset, std::uint64_t size) override {
    const ::xrt::bo* native = native_of(*buffer);
    return native ? std::any(part_of(*native, offset, size)) : std::any();
  }

  Result<ListPtr> make_list(std::span<const KernelRun> runs, const ListOptions& options) override {
    return xrt_module::make_list(runs, options);
  }

 private:
  std::shared_ptr<HardwareContext> context_of(const ContextPlan& plan) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<HardwareContext>& context = contexts_[key_of(plan)];
    if (context) return context;
    auto made = std::make_shared<HardwareContext>();
    made->name = plan.name;
    if (plan.xclbin) {
      const std::string_view data = text_of(plan.xclbin->bytes);
      made->registered = ::xrt::xclbin(std::vector<char>(data.begin(), data.end()));
      const ::xrt::uuid uuid = device_.register_xclbin(made->registered);
      made->context = all_numbers(plan.qos) ? ::xrt::hw_context(device_, uuid, numbers_of(plan.qos))
                                            : ::xrt::hw_context(device_, uuid, texts_of(plan.qos));
    } else {
      constexpr auto kShared = ::xrt::hw_context::access_mode::shared;
      made->context = all_numbers(plan.qos) ? ::xrt::hw_context(device_, numbers_of(plan.qos), kShared)
                                            : ::xrt::hw_context(device_, texts_of(plan.qos), kShared);
      for (const Artifact& program : plan.programs) made->context.add_config(elf_of(program));
    }
    context = std::move(made);
    return context;
  }

  ::xrt::device device_;
  std::mutex mutex_;  // guards `contexts_`
  std::map<std::string, std::shared_ptr<HardwareContext>> contexts_;
};

Result<std::vector<std::string>> list_devices() {
  try {
    std::vector<std::string> names;
    const unsigned count = ::xrt::system::enumerate_devices();
    for (unsigned i = 0; i < count; ++i) names.push_back(::xrt::device(i).get_info<::xrt::info::device::name>());
    return names;
  } catch (...) {
    return xrt_failed(DiagnosticKind::DeviceFailed, {}, "XRT cannot list its devices");
  }
}

Result<BackendPtr> adopt(const void* device) {
  try {
    return std::make_shared<XrtBackend>(*static_cast<const ::xrt::device*>(device));
  } catch (...) {
    return xrt_failed(DiagnosticKind::DeviceFailed, {}, "XRT cannot use the device of the application");
  }
}

std::optional<std::size_t> choose(const std::vector<std::string>& names, std::string_view selector) {
  if (selector.empty()) return names.empty() ? std::nullopt : std::optional<std::size_t>(0);
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(selector.data(), selector.data() + selector.size(), index);
  if (error == std::errc() && end == selector.data() + selector.size()) {
    return index < names.size() ? std::optional(index) : std::nullopt;
  }
  const auto found = std::ranges::find_if(names, [&](const std::string& name) { return name.contains(selector); });
  return found == names.end() ? std::nullopt : std::optional<std::size_t>(found - names.begin());
}

Result<BackendPtr> open(std::string_view selector, const SourceLocation& location) {
  SLIPWAY_TRY(const std::vector<std::string> names, list_devices());
  if (const std::optional<std::size_t> index = choose(names, selector)) {
    try {
      return std::make_shared<XrtBackend>(::xrt::device(static_cast<unsigned>(*index)));
    } catch (...) {
      return xrt_failed(DiagnosticKind::DeviceFailed, location, formatted("XRT cannot open device {}", *index));
    }
  }
  Diagnostic diagnostic{.kind = DiagnosticKind::NoDevice, .location = location};
  if (names.empty()) {
    diagnostic.message = "XRT found no device (0 devices)";
    diagnostic.cause = Cause::NoDeviceOfKind;
  } else {
    diagnostic.message = formatted("XRT has no device `{}`; there {}", selector, names.size() == 1 ? "is" : "are");
    for (std::size_t i = 0; i < names.size(); ++i) {
      diagnostic.message += formatted("{} {} `{}`", i == 0 ? "" : ",", i, names[i]);
    }
  }
  return fail(std::move(diagnostic));
}

}  // namespace
}  // namespace slipway::recipe::xrt_module

extern "C" __attribute__((visibility("default"))) const slipway::recipe::xrt_module::Table* slipway_backend_xrt() {
  using namespace slipway::recipe::xrt_module;
  static const Table table{.list_devices = list_devices, .open = open, .adopt = adopt};
  return &table;
}
