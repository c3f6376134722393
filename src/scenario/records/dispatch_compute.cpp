// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {

const json::Record<Binding>& binding_record() {
  static const auto record =
      json::Record<Binding>("binding", "a resource at a descriptor", &Binding::at)
          .optional("set", &Binding::set, json::Integer{}, "the descriptor set")
          .optional("id", &Binding::id, json::Integer{}, "the binding in the set")
          .synonym("binding")
          .optional("name", &Binding::name, json::kNotEmpty,
                    "instead of `set` and `id`, with an RPL shader: the name of a buffer, image or sampler in it")
          .required("resource_ref", &Binding::resource, Uid{}, "the uid of a buffer, image or tensor")
          .synonym("resource")
          .synonym("uid")
          .optional("lod", &Binding::lod, json::Integer{},
                    "the level of an image; all levels when absent (a storage image: level 0)")
          .optional("descriptor_type", &Binding::descriptor_type, words(kDescriptorType),
                    "VK_DESCRIPTOR_TYPE_AUTO when absent: as the shader declares")
          .rule([](json::Decoder& decoder, json::Value object, Binding& binding) {
            bool good = true;
            for (const std::string_view key : {"set", "id"}) {
              good &= binding.name.empty() ? object[key] || decoder.missing(object, key, "binding")
                                           : exclusive(decoder, object, key, "name", "binding");
            }
            return good;
          });
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
          .optional("implicit_barrier", &DispatchCompute::implicit_barrier, json::Boolean{}, kImplicitBarrier);
  return record;
}

}  // namespace slipway::scenario
