// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of resources and commands: a new one is added here and in the variant of model.hpp.
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

template <class Variant, class T>
Kind<Variant> kind(const json::Record<T>& record) {
  return {record.name(), record.meaning(),
          [&record](json::Decoder& decoder, json::Value value) -> std::optional<Variant> {
            if (auto read = decoder.read(record, value)) return Variant(std::move(*read));
            return std::nullopt;
          },
          [&record](json::Schema& schema) { json::Nested(record).schema(schema); }};
}

// The records must be in the order of the alternatives, so that one index serves both.
template <class Variant, class... T>
std::vector<Kind<Variant>> kinds(const json::Record<T>&... records) {
  static_assert([]<std::size_t... I>(std::index_sequence<I...>) {
    return sizeof...(T) == std::variant_size_v<Variant> &&
           (std::is_convertible_v<T, std::variant_alternative_t<I, Variant>> && ...);  // itself, or boxed
  }(std::index_sequence_for<T...>()));
  return {kind<Variant>(records)...};
}

}  // namespace

const std::vector<Kind<Resource>>& resource_kinds() {
  static const auto all =
      kinds<Resource>(buffer_record(), tensor_record(), image_record(), raw_data_record(), shader_record(),
                      graph_record(), graph_constant_record(), memory_barrier_record(), buffer_barrier_record(),
                      image_barrier_record(), tensor_barrier_record());
  return all;
}

const std::vector<Kind<Command>>& command_kinds() {
  static const auto all = kinds<Command>(
      dispatch_compute_record(), dispatch_graph_record(), dispatch_spirv_graph_record(), dispatch_fragment_record(),
      dispatch_optical_flow_record(), dispatch_barrier_record(), mark_boundary_record(), draw_record());
  return all;
}

std::string_view key_of(const Resource& resource) { return resource_kinds()[resource.index()].key; }
std::string_view key_of(const Command& command) { return command_kinds()[command.index()].key; }

}  // namespace slipway::scenario
