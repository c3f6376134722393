// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <utility>

#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

// As many as sets have where devices allow most.
constexpr std::uint32_t kLastElement = (1u << 20) - 1;

}  // namespace

const json::Record<Binding>& binding_record() {
  static const auto record =
      json::Record<Binding>("binding", "a resource at a descriptor", &Binding::at)
          .optional("set", &Binding::set, json::Integer{}, "the descriptor set")
          .optional("id", &Binding::id, json::Integer{}, "the binding in the set")
          .synonym("binding")
          .optional("name", &Binding::name, json::kNotEmpty,
                    "instead of `set` and `id`, with an RPL shader: the name of a buffer, image or sampler in it")
          .optional("resource_ref", &Binding::resource, Uid{}, "the uid of a buffer, image or tensor")
          .synonym("resource")
          .synonym("uid")
          .optional("resource_refs", &Binding::resources, json::List{Uid{}, 1},
                    "instead of `resource_ref`, for an array of descriptors: the uids of its elements, in order")
          .optional("element", &Binding::element, json::Integer{.max = kLastElement},
                    "of an array of descriptors: the (first) one that is bound; 0 when absent")
          .optional("lod", &Binding::lod, json::Integer{},
                    "the level of an image; all levels when absent (a storage image: level 0)")
          .optional("descriptor_type", &Binding::descriptor_type, words(kDescriptorType),
                    "VK_DESCRIPTOR_TYPE_AUTO when absent: as the shader declares")
          .rule([](json::Decoder& decoder, json::Value object, Binding& binding) {
            bool ok = exclusive(decoder, object, "resource_ref", "resource_refs", "binding") &&
                      (object["resource_refs"] || object["resource_ref"] ||
                       decoder.missing(object, "resource_ref", "binding"));
            for (const std::string_view key : {"set", "id"}) {
              ok &= binding.name.empty() ? object[key] || decoder.missing(object, key, "binding")
                                         : exclusive(decoder, object, key, "name", "binding");
            }
            return ok;
          });
  return record;
}

void expand_bindings(std::vector<Binding>& bindings) {
  if (std::ranges::all_of(bindings, [](const Binding& binding) { return binding.resources.empty(); })) return;
  std::vector<Binding> expanded;
  for (Binding& binding : bindings) {
    const std::vector<Reference> resources = std::exchange(binding.resources, {});
    if (resources.empty()) expanded.push_back(binding);
    for (const Reference& resource : resources) {
      binding.resource = resource;
      expanded.push_back(binding);
      ++binding.element;
    }
  }
  bindings = std::move(expanded);
}

const json::Record<PushAddress>& push_address_record() {
  static const auto record =
      json::Record<PushAddress>("push_address", "the address of a buffer in push constants", &PushAddress::at)
          .required("offset", &PushAddress::offset, json::Integer{}, "where its 8 bytes are in the push constants")
          .required("resource_ref", &PushAddress::buffer, Uid{}, "the uid of a buffer")
          .optional("resource_offset", &PushAddress::buffer_offset, json::Integer{},
                    "the byte of the buffer; 0 when absent");
  return record;
}

const json::Record<DispatchCompute>& dispatch_compute_record() {
  static const auto record =
      json::Record<DispatchCompute>("dispatch_compute", "runs a compute shader", &DispatchCompute::at)
          .required("shader_ref", &DispatchCompute::shader, Uid{}, "the uid of the shader")
          .synonym("shader")
          .required("rangeND", &DispatchCompute::groups, json::List{json::Integer{.min = 1}, 1, 3},
                    "the number of workgroups in each dimension; 1 when absent")
          .synonym("groups")
          .synonym("workgroups")
          .required("bindings", &DispatchCompute::bindings, json::List{json::Nested(binding_record())},
                    "the resources it uses")
          .optional("push_data_ref", &DispatchCompute::push_data, Uid{.empty = true},
                    "the uid of the push constants; \"\": none")
          .optional("push_addresses", &DispatchCompute::push_addresses, json::List{json::Nested(push_address_record())},
                    kPushAddresses)
          .optional("implicit_barrier", &DispatchCompute::implicit_barrier, json::Boolean{}, kImplicitBarrier)
          .rule([](json::Decoder&, json::Value, DispatchCompute& command) {
            expand_bindings(command.bindings);
            return true;
          });
  return record;
}

}  // namespace slipway::scenario
