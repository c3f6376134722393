// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

constexpr std::size_t kMaxRank = 6;

const json::Record<AliasTarget>& alias_target_record() {
  static const auto record =
      json::Record<AliasTarget>("alias_target", "the image whose memory a tensor accesses", &AliasTarget::at)
          .optional("resource_ref", &AliasTarget::image, Uid{.empty = true}, "the uid of the image; \"\": none")
          .formerly("resource")
          .optional("mip_level", &AliasTarget::mip_level, json::Integer{}, "only 0 is supported")
          .optional("array_layer", &AliasTarget::array_layer, json::Integer{}, "only 0 is supported");
  return record;
}

}  // namespace

const json::Record<Tensor>& tensor_record() {
  static const auto record =
      json::Record<Tensor>("tensor", "a tensor", &Tensor::at)
          .required("uid", &Tensor::uid, json::kNotEmpty,
                    "the name by which other objects refer to it; unique in the file")
          .required("dims", &Tensor::dims, json::List{json::Integer{.min = 1}, 0, kMaxRank},
                    "the extent of each dimension, outermost first; [] for rank 0")
          .synonym("shape")
          .required("format", &Tensor::format, FormatText{}, "the VkFormat of an element, with one component")
          .formerly("data_type")
          .required("shader_access", &Tensor::access, words(kAccess), "how shaders access it")
          .synonym("access")
          .part(&Tensor::contents, typed_contents_record())
          .part(&Tensor::results, results_record())
          .optional("tiling", &Tensor::tiling, words(kTiling), "LINEAR when absent")
          .optional("memory_group", &Tensor::memory_group, json::Nested(memory_group_record()),
                    "shares memory with others")
          .optional("alias_target", &Tensor::alias_target, json::Nested(alias_target_record()),
                    "shares the memory of an image")
          .rule([](json::Decoder&, json::Value, Tensor& tensor) {
            if (tensor.access == Access::ImageRead)
              tensor.access = Access::ReadOnly;  // docs/spec/scenario.md#resources
            return true;
          });
  return record;
}

const json::Record<GraphConstant>& graph_constant_record() {
  static const auto record =
      json::Record<GraphConstant>("graph_constant", "a constant of a graph in a SPIR-V module", &GraphConstant::at)
          .required("uid", &GraphConstant::uid, json::kNotEmpty,
                    "the name by which other objects refer to it; unique in the file")
          .required("dims", &GraphConstant::dims, json::List{json::Integer{.min = 1}, 1, kMaxRank},
                    "the extent of each dimension, outermost first")
          .required("format", &GraphConstant::format, FormatText{}, "the VkFormat of an element, with one component")
          .part(&GraphConstant::contents, typed_contents_record())
          .rule([](json::Decoder& decoder, json::Value object, GraphConstant& constant) {
            return need_contents(decoder, object, constant.contents, "graph_constant");
          });
  return record;
}

}  // namespace slipway::scenario
