// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "recipe/control_code/control_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::recipe::control_code {
namespace {

struct Platform {
  std::uint8_t os_abi;
  std::string_view name;
};
constexpr std::array<Platform, 6> kPlatforms = {
    {{69, "aie2p"}, {64, "aie2ps"}, {70, "aie2ps_legacy"}, {75, "aie4"}, {86, "aie4a"}, {105, "aie4z"}}};

constexpr std::array<std::string_view, 12> kSchemes = {"",
                                                       "uc_dma_remote_ptr",
                                                       "shim_dma_base_addr",
                                                       "scalar_32",
                                                       "control_packet_48",
                                                       "shim_dma_48",
                                                       "shim_dma_aie4_base_addr",
                                                       "control_packet_57",
                                                       "address_64",
                                                       "control_packet_57_aie4",
                                                       "unknown",
                                                       "pl_ddr_64"};

bool has_section(const ControlCode& file, std::string_view beginning) {
  return std::ranges::any_of(file.sections, [&](const ControlSection& one) { return one.name.starts_with(beginning); });
}

}  // namespace

std::string_view platform_name(std::uint8_t os_abi) {
  const auto found = std::ranges::find(kPlatforms, os_abi, &Platform::os_abi);
  return found == kPlatforms.end() ? std::string_view() : found->name;
}

std::string_view scheme_name(std::uint32_t scheme) {
  return scheme < kSchemes.size() ? kSchemes[scheme] : std::string_view();
}

std::uint32_t command_opcode(const ControlCode& file) {
  enum : std::uint32_t { kStartDpu = 18, kStartNpu = 20, kStartNpuPreempt = 21, kStartNpuPreemptElf = 22 };
  if (platform_name(file.os_abi) != "aie2p") return kStartDpu;
  if (has_section(file, ".pdi")) return kStartNpuPreemptElf;
  return has_section(file, ".preempt_save") ? kStartNpuPreempt : kStartNpu;
}

const ControlKernel* ControlCode::find_kernel(std::string_view name) const {
  const auto found = std::ranges::find(kernels, name, &ControlKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> ControlPatch::argument() const {
  std::uint32_t index = 0;
  const char* end = symbol.data() + symbol.size();
  const auto [stop, error] = std::from_chars(symbol.data(), end, index);
  return error == std::errc() && stop == end ? std::optional(index) : std::nullopt;
}

Result<InstanceName> find_instance(const ControlCode& file, std::string_view name, const SourceLocation& location) {
  const std::size_t colon = name.find(':');
  const ControlKernel* kernel = file.find_kernel(name.substr(0, colon));
  if (!kernel) {
    Diagnostic diagnostic{.kind = DiagnosticKind::KernelInstance, .location = location};
    diagnostic.message = formatted("No such kernel '{}'", name.substr(0, colon));
    if (const auto near = closest(name.substr(0, colon), file.kernels | std::views::transform(&ControlKernel::name))) {
      diagnostic.hint(formatted("did you mean `{}`?", *near));
    }
    return fail(std::move(diagnostic));
  }
  if (colon == name.npos) {
    if (kernel->instances.size() == 1) return InstanceName{kernel, &kernel->instances.front()};
    Diagnostic diagnostic{.kind = DiagnosticKind::KernelInstance, .location = location};
    diagnostic.message = "Multiple sub kernels present for given kernel, cannot choose sub kernel";
    std::string names;
    for (const Instance& one : kernel->instances) {
      names += formatted("{}`{}:{}`", names.empty() ? "" : ", ", kernel->name, one.name);
    }
    return fail(std::move(diagnostic.hint(formatted("name one of {}", names))));
  }
  const std::string_view wanted = name.substr(colon + 1);
  const auto instance = std::ranges::find(kernel->instances, wanted, &Instance::name);
  if (instance != kernel->instances.end()) return InstanceName{kernel, &*instance};
  Diagnostic diagnostic{.kind = DiagnosticKind::KernelInstance, .location = location};
  diagnostic.message = formatted("No such kernel '{}': `{}` has no instance `{}`", name, kernel->name, wanted);
  if (const auto near = closest(wanted, kernel->instances | std::views::transform(&Instance::name))) {
    diagnostic.hint(formatted("did you mean `{}:{}`?", kernel->name, *near));
  }
  return fail(std::move(diagnostic));
}

}  // namespace slipway::recipe::control_code
