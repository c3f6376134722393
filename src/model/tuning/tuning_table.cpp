// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/tuning/tuning_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/format.hpp"
#include "model/device_facts.hpp"
#include "model/shipped_tables.hpp"
#include "model/tuning/parameter_numbers.hpp"

namespace slipway::model {
namespace {

const json::Record<TunedKernel>& kernel_record() {
  static const auto record =
      json::Record<TunedKernel>("tuned kernel", "What is best for one kind of kernel.")
          .required("kernel", &TunedKernel::kernel, json::Text{false}, "what is computed, with its sizes")
          .required("parameters", &TunedKernel::parameters, ParameterNumbers{},
                    "how, as `slipway tune` found it; empty: the estimate is the best");
  return record;
}

const json::Record<lower::Rates>& rates_record() {
  using R = lower::Rates;
  constexpr json::Real kRate{.min = 1e-9};
  static const auto record =
      json::Record<R>("rates", "How fast the device is: what estimates of kernels depend on.")
          .required("further_dispatch", &R::further_dispatch, kRate,
                    "microseconds of a dispatch that waits for the one before it")
          .required("products", &R::products, kRate, "multiply-adds of floats of a multiprocessor in a microsecond")
          .required("moved_bytes", &R::moved_bytes, kRate, "bytes that a multiprocessor moves in a microsecond");
  return record;
}

const json::Record<TuningTable>& table_record() {
  static const auto record =
      json::Record<TuningTable>("tuning", "What `slipway tune` measured on a device.")
          .required("device", &TuningTable::device, json::Text{}, "its name")
          .required("vendor_id", &TuningTable::vendor_id, json::Integer{}, "VkPhysicalDeviceProperties::vendorID")
          .required("device_id", &TuningTable::device_id, json::Integer{}, "VkPhysicalDeviceProperties::deviceID")
          .required("driver_version", &TuningTable::driver_version, json::Integer{},
                    "VkPhysicalDeviceProperties::driverVersion")
          .optional("rates", &TuningTable::rates, json::Nested(rates_record()),
                    "how fast the device is; absent: as a generic one")
          .required("tuned", &TuningTable::tuned, json::List{json::Nested(kernel_record())}, "kernels");
  return record;
}

std::string cache_key_of(const launch::DeviceKey& device) {
  return Cache::key(
      {"tuning", device.name, formatted("{} {} {}", device.vendor_id, device.device_id, device.driver_version)});
}

}  // namespace

TuningTable TuningTable::of(const launch::DeviceKey& device, const lower::Tuning& tuning,
                            const std::optional<lower::Rates>& rates) {
  TuningTable table{.device = device.name,
                    .vendor_id = device.vendor_id,
                    .device_id = device.device_id,
                    .driver_version = device.driver_version,
                    .rates = rates,
                    .tuned = {}};
  for (const auto& [kernel, parameters] : tuning) table.tuned.push_back({kernel, parameters});
  return table;
}

lower::Tuning TuningTable::tuning() const {
  lower::Tuning tuning;
  for (const TunedKernel& kernel : tuned) tuning[kernel.kernel] = kernel.parameters;
  return tuning;
}

bool TuningTable::is_for(const launch::DeviceKey& key) const {
  return vendor_id == key.vendor_id && device_id == key.device_id && driver_version == key.driver_version &&
         device == key.name;
}

std::string write_tuning(const TuningTable& table) { return json::object_text(table_record(), table); }

std::optional<TuningTable> read_tuning(const SourcePtr& source, Diagnostics& diagnostics) {
  const auto document = diagnostics.take(json::parse(source));
  if (!document) return std::nullopt;
  json::Decoder decoder(diagnostics, Severity::Warning);
  return decoder.read(table_record(), (*document)->root());
}

std::string tuning_schema() { return json::schema_text("tuning", "", {&table_record().table()}); }

namespace {

std::optional<TuningTable> cached_table(const launch::DeviceKey& device, const Cache& cache) {
  const auto stored = cache.find(cache_key_of(device));
  if (!stored) return std::nullopt;
  Diagnostics unread;  // an entry of another version counts as missing
  auto table = read_tuning(make_source("cache", std::string(text_of(*stored))), unread);
  if (!table || !table->is_for(device)) return std::nullopt;
  return table;
}

}  // namespace

lower::Tuning cached_tuning(const launch::DeviceKey& device, const Cache& cache) {
  const auto table = cached_table(device, cache);
  return table ? table->tuning() : lower::Tuning();
}

std::optional<lower::Rates> cached_rates(const launch::DeviceKey& device, const Cache& cache) {
  const auto table = cached_table(device, cache);
  return table ? table->rates : std::nullopt;
}

void cache_tuning(const launch::DeviceKey& device, const lower::Tuning& tuning, const Cache& cache,
                  const std::optional<lower::Rates>& rates) {
  lower::Tuning all = cached_tuning(device, cache);
  for (const auto& [kernel, parameters] : tuning) all[kernel] = parameters;
  const std::string text = write_tuning(TuningTable::of(device, all, rates ? rates : cached_rates(device, cache)));
  cache.store(cache_key_of(device), bytes_of(text));
}

namespace {

std::optional<TuningTable> shipped_table(std::string_view device) {
  const auto* const found = std::ranges::find(kShippedTables, device, &ShippedTable::device);
  if (found == std::end(kShippedTables)) return std::nullopt;
  Diagnostics diagnostics;
  return read_tuning(make_source("shipped table", std::string(found->text)), diagnostics);
}

}  // namespace

lower::Tuning shipped_tuning(const launch::DeviceKey& device) {
  const auto table = shipped_table(device.name);
  const bool is_same = table && table->vendor_id == device.vendor_id && table->device_id == device.device_id;
  return is_same ? table->tuning() : lower::Tuning();
}

lower::Tuning generic_tuning(const vk::Snapshot& snapshot) {
  using enum vk::DeviceType;
  const bool is_gpu = snapshot.type == Discrete || snapshot.type == Integrated || snapshot.type == Virtual;
  const auto table = is_gpu ? shipped_table("generic") : std::nullopt;
  return table ? table->tuning() : lower::Tuning();
}

bool add_tuning(const launch::DeviceKey& device, const Cache& cache, lower::DeviceFacts& facts,
                Diagnostics& diagnostics) {
  if (const char* path = std::getenv("SLIPWAY_TUNING"); path && *path) {
    if (std::string_view(path) == "none") return true;
    const auto text = diagnostics.take(read_text(path));
    const auto table = text ? read_tuning(make_source(path, *text), diagnostics) : std::nullopt;
    if (!table) return true;
    if (!table->is_for(device)) {
      diagnostics.add({.severity = Severity::Warning,
                       .kind = DiagnosticKind::FileMismatch,
                       .message = formatted("the table of SLIPWAY_TUNING is for {} with driver version {}, and not "
                                            "for {} with {}: it is not used",
                                            table->device, table->driver_version, device.name, device.driver_version),
                       .location = SourceLocation::in_file(path)});
      return true;
    }
    facts.tuning = table->tuning();
    if (table->rates) facts.rates = *table->rates;
    return true;
  }
  facts.tuning = cached_tuning(device, cache);
  if (const auto rates = cached_rates(device, cache)) facts.rates = *rates;
  facts.tuning.merge(shipped_tuning(device));
  return !facts.tuning.empty();
}

lower::DeviceFacts tuned_facts(const vk::Snapshot& snapshot, const Cache& cache, Diagnostics& diagnostics) {
  lower::DeviceFacts facts = device_facts(snapshot);
  if (!add_tuning(launch::key_of(snapshot), cache, facts, diagnostics)) facts.tuning = generic_tuning(snapshot);
  return facts;
}

}  // namespace slipway::model
