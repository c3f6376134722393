// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <set>

#include "base/format.hpp"
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder;
using json::Record;
using json::Value;

const Record<Binding>& flow_binding_record() {
  static const auto record = Record<Binding>("flow_binding", "an image at a descriptor", &Binding::at)
                                 .required("id", &Binding::id, json::Integer{}, "the binding in the set")
                                 .required("set", &Binding::set, json::Integer{}, "the descriptor set")
                                 .required("resource_ref", &Binding::resource, Uid{}, "the uid of the image")
                                 .optional("lod", &Binding::lod, json::Integer{}, "the level");
  return record;
}

const Record<FlowBindings>& flow_bindings_record() {
  const auto binding = json::Nested(flow_binding_record());
  static const auto record =
      Record<FlowBindings>("flow_bindings", "the images of an optical flow", &FlowBindings::at)
          .required("search_image", &FlowBindings::search_image, binding, "the image that is searched for motion")
          .required("template_image", &FlowBindings::template_image, binding, "the image whose blocks are searched for")
          .required("output_image", &FlowBindings::output_image, binding, "the motion vectors")
          .optional("hint_motion_vectors", &FlowBindings::hint_motion_vectors, binding, "the start of the search")
          .optional("output_cost", &FlowBindings::output_cost, binding, "the cost of each vector");
  return record;
}

struct FlowImages {
  bool read(Decoder& decoder, Value value, std::shared_ptr<const FlowBindings>& to) const {
    auto made = std::make_shared<FlowBindings>();
    const bool ok = flow_bindings_record().read(decoder, value, *made);
    to = std::move(made);
    return ok;
  }
  void schema(json::Schema& schema) const { schema.reference(flow_bindings_record().table()); }
};

// An array of enumerators, each at most once.
struct Flags {
  static json::List<json::Words<FlowFlag>> list() { return json::List{words(kFlowFlag)}; }

  bool read(Decoder& decoder, Value value, std::vector<FlowFlag>& to) const {
    if (!list().read(decoder, value, to)) return false;
    bool ok = true;
    std::set<std::string_view> seen;
    for (const Value word : value) {
      if (seen.insert(word.string()).second) continue;
      ok = decoder.error(word, DiagnosticKind::DuplicateName, formatted("`{}` is in the list twice", word.string()));
    }
    return ok;
  }
  void schema(json::Schema& schema) const {
    schema.out().object([&] {
      schema.out().member("uniqueItems", true);
      schema.out().key("allOf").array([&] { list().schema(schema); });
    });
  }
};

}  // namespace

const Record<DispatchOpticalFlow>& dispatch_optical_flow_record() {
  static const auto record =
      Record<DispatchOpticalFlow>("dispatch_optical_flow", "estimates the motion between two images",
                                  &DispatchOpticalFlow::at)
          .required("width", &DispatchOpticalFlow::width, json::Integer{.min = 1}, "of the images, in texels")
          .required("height", &DispatchOpticalFlow::height, json::Integer{.min = 1}, "of the images, in texels")
          .required("grid_size", &DispatchOpticalFlow::grid_size, words(kFlowGrid), "texels to one motion vector")
          .required("bindings", &DispatchOpticalFlow::bindings, FlowImages{}, "the images")
          .optional("performance_level", &DispatchOpticalFlow::performance_level, words(kFlowPerformance),
                    "medium when absent")
          .optional("execution_flags", &DispatchOpticalFlow::execution_flags, Flags{},
                    "guarantees that the driver may rely on")
          .optional("mean_flow_l1_norm_hint", &DispatchOpticalFlow::mean_flow_l1_norm_hint, json::Integer{},
                    "the motion to be expected; less than the longer side; 0 when absent: not known")
          .optional("implicit_barrier", &DispatchOpticalFlow::implicit_barrier, json::Boolean{}, kImplicitBarrier);
  return record;
}

}  // namespace slipway::scenario
