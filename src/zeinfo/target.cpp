// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/target.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"

namespace slipway::zeinfo {
namespace {

constexpr int kGrf128[] = {128};
constexpr int kGrf256[] = {128, 256};
constexpr int kGrfXe3[] = {32, 64, 96, 128, 160, 192, 256};
constexpr int kGrfXe3P[] = {32, 64, 96, 128, 160, 192, 256, 320, 448, 512};
constexpr int kGrfCri[] = {32, 64, 96, 128, 160, 192, 256, 512};

constexpr Device kDevices[] = {
#define DEVICE(names, family, core, core_name, arch, release, revision, threads, eus, grf, slm) \
  {names, family, core, core_name, {arch, release, revision}, threads, eus, grf, slm},
#include "zeinfo/devices.def"
};

// Families without a row (docs/spec/zeinfo.md#elf-container): all Gen8 to Gen11.
struct OldFamily {
  std::uint32_t family;
  std::string_view name;
};
constexpr OldFamily kOldFamilies[] = {{17, "chv"}, {20, "cfl"}, {22, "bxt"}, {23, "glk"}, {27, "lkf"}, {28, "ehl"}};

// A binary for the first product runs on the second; revisions that are listed together share a row.
struct Compatible {
  ProductConfig built_for;
  ProductConfig device;
};
constexpr Compatible kCompatible[] = {
    {{12, 55, 8}, {12, 56, 5}}, {{12, 55, 8}, {12, 57, 0}}, {{12, 70, 4}, {12, 71, 4}}, {{20, 1, 0}, {20, 2, 0}},
    {{20, 1, 0}, {20, 4, 4}},   {{20, 1, 1}, {20, 2, 0}},   {{20, 1, 1}, {20, 4, 4}},   {{20, 1, 4}, {20, 2, 0}},
    {{20, 1, 4}, {20, 4, 4}},   {{20, 1, 1}, {20, 1, 0}},   {{20, 1, 4}, {20, 1, 0}},   {{30, 0, 4}, {30, 1, 0}},
    {{30, 0, 4}, {30, 3, 1}},   {{30, 0, 4}, {30, 4, 4}},   {{30, 0, 4}, {30, 5, 4}}};

bool has_name(const Device& device, std::string_view name) {
  return std::ranges::any_of(std::views::split(device.names, ' '),
                             [&](auto one) { return std::string_view(one) == name; });
}

std::optional<ProductConfig> parse_config(std::string_view text) {
  if (text.starts_with("0x")) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return ProductConfig::decode(value);
  }
  std::uint32_t parts[3] = {};
  const char* at = text.data();
  const char* const last = text.data() + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto [end, error] = std::from_chars(at, last, parts[i]);
    if (error != std::errc() || (i < 2 && (end == last || *end != '.')) || (i == 2 && end != last)) return std::nullopt;
    at = end + (i < 2);
  }
  return ProductConfig{parts[0], parts[1], parts[2]};
}

}  // namespace

std::string text_of(const ProductConfig& config) {
  return formatted("{}.{}.{}", config.architecture, config.release, config.revision);
}

std::span<const Device> devices() { return kDevices; }

const Device* find_device(ProductConfig config) {
  if (config.architecture == 0) return nullptr;
  const Device* of_release = nullptr;
  for (const Device& device : kDevices) {
    if (device.config == config) return &device;
    if (!of_release && device.config.architecture == config.architecture && device.config.release == config.release) {
      of_release = &device;
    }
  }
  return of_release;
}

const Device* find_device(std::string_view name) {
  const auto found = std::ranges::find_if(kDevices, [&](const Device& one) { return has_name(one, name); });
  if (found != std::end(kDevices)) return found;
  const auto config = parse_config(name);
  return config ? find_device(*config) : nullptr;
}

const Device* find_device_of_family(std::uint32_t family) {
  const auto found = std::ranges::find(kDevices, family, &Device::family);
  return found == std::end(kDevices) ? nullptr : found;
}

std::string_view name_of_family(std::uint32_t family) {
  if (const Device* device = find_device_of_family(family)) return device->name();
  const auto found = std::ranges::find(kOldFamilies, family, &OldFamily::family);
  return found == std::end(kOldFamilies) ? std::string_view() : found->name;
}

bool runs_on(ProductConfig built_for, ProductConfig device) {
  return built_for == device || std::ranges::any_of(kCompatible, [&](const Compatible& one) {
           return one.built_for == built_for && one.device == device;
         });
}

int grf_bytes_of_core(std::uint32_t core) { return core >= 3080 ? 64 : 32; }

Target Target::of(const Device& device, Source source) {
  Target target;
  target.source = source;
  target.device = &device;
  target.family = device.family;
  target.core = device.core;
  if (device.config.architecture) target.config = device.config;
  target.grf_bytes = grf_bytes_of_core(device.core);
  return target;
}

Result<Target> Target::of_product(std::string_view product) {
  if (const Device* device = find_device(product)) {
    Target target = of(*device);
    // A revision without its own row is kept.
    if (const auto config = parse_config(product)) target.config = *config;
    return target;
  }
  std::vector<std::string> names;
  for (const Device& device : kDevices) {
    for (const auto name : std::views::split(device.names, ' ')) names.emplace_back(std::string_view(name));
  }
  Diagnostic unknown{.kind = DiagnosticKind::UnknownValue, .message = formatted("no device `{}`", product)};
  const auto near =
      closest(product, names | std::views::transform([](const std::string& n) { return std::string_view(n); }));
  unknown.hint(near ? formatted("did you mean `{}`?", *near)
                    : "names are those of the offline compiler, such as `dg2-g10`, or `12.55.8`");
  return fail(std::move(unknown));
}

Target Target::of_notes(std::optional<std::uint32_t> family, std::optional<std::uint32_t> core,
                        std::optional<std::uint32_t> metadata, std::optional<std::uint32_t> config) {
  Target target;
  if (!family && !core && !config) return target;
  if (config) target.device = find_device(ProductConfig::decode(*config));
  if (!target.device && family) target.device = find_device_of_family(*family);
  target.source = Source::Notes;
  target.family = family;
  target.metadata = metadata;
  if (config) target.config = ProductConfig::decode(*config);
  // Binaries of 1.20 have core 0: the row is chosen by family.
  if (core && *core) target.core = core;
  if (!target.core && target.device) target.core = target.device->core;
  if (target.core) target.grf_bytes = grf_bytes_of_core(*target.core);
  // All families without a row have registers of 32 bytes.
  if (!target.grf_bytes && family && !name_of_family(*family).empty()) target.grf_bytes = 32;
  return target;
}

const CodeSection* Target::find_code(std::string_view kernel) const {
  if (!code) return nullptr;
  const auto found = code_sorted ? std::ranges::lower_bound(*code, kernel, {}, &CodeSection::name)
                                 : std::ranges::find(*code, kernel, &CodeSection::name);
  if (found != code->end() && found->name != kernel) return nullptr;
  return found == code->end() ? nullptr : &*found;
}

}  // namespace slipway::zeinfo
