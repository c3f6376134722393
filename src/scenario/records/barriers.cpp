// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

constexpr std::string_view kUid = "the name by which other objects refer to it; unique in the file";

const json::Record<BarrierScope>& scope_record() {
  const auto stages = json::List{words(kBarrierStage), 1};
  static const auto record =
      json::Record<BarrierScope>("barrier", "the accesses and stages that a barrier orders")
          .required("src_access", &BarrierScope::src_access, words(kBarrierAccess), "the accesses before the barrier")
          .required("dst_access", &BarrierScope::dst_access, words(kBarrierAccess), "the accesses after the barrier")
          .optional("src_stage", &BarrierScope::src_stage, stages, "the stages before the barrier; all when absent")
          .optional("dst_stage", &BarrierScope::dst_stage, stages, "the stages after the barrier; all when absent");
  return record;
}

const json::Record<SubresourceRange>& range_record() {
  static const auto record =
      json::Record<SubresourceRange>("subresource_range", "the part of an image that a barrier applies to",
                                     &SubresourceRange::at)
          .optional("base_mip_level", &SubresourceRange::base_mip_level, json::Integer{},
                    "the first level; 0 when absent")
          .optional("level_count", &SubresourceRange::level_count, json::Integer{.min = 1},
                    "the number of levels; 1 when absent")
          .optional("base_array_layer", &SubresourceRange::base_array_layer, json::Integer{},
                    "the first layer; 0 when absent")
          .optional("layer_count", &SubresourceRange::layer_count, json::Integer{.min = 1},
                    "the number of layers; 1 when absent");
  return record;
}

}  // namespace

const json::Record<MemoryBarrier>& memory_barrier_record() {
  static const auto record =
      json::Record<MemoryBarrier>("memory_barrier", "a barrier over all memory", &MemoryBarrier::at)
          .required("uid", &MemoryBarrier::uid, json::kNotEmpty, kUid)
          .part(&MemoryBarrier::scope, scope_record());
  return record;
}

const json::Record<BufferBarrier>& buffer_barrier_record() {
  static const auto record =
      json::Record<BufferBarrier>("buffer_barrier", "a barrier over a part of a buffer", &BufferBarrier::at)
          .required("uid", &BufferBarrier::uid, json::kNotEmpty, kUid)
          .part(&BufferBarrier::scope, scope_record())
          .required("buffer_resource", &BufferBarrier::buffer, Uid{}, "the uid of the buffer")
          .required("size", &BufferBarrier::size, json::Integer{.min = 1}, "in bytes")
          .optional("offset", &BufferBarrier::offset, json::Integer{}, "in bytes; 0 when absent");
  return record;
}

const json::Record<ImageBarrier>& image_barrier_record() {
  static const auto record =
      json::Record<ImageBarrier>("image_barrier", "a barrier over a part of an image, and a change of its layout",
                                 &ImageBarrier::at)
          .required("uid", &ImageBarrier::uid, json::kNotEmpty, kUid)
          .part(&ImageBarrier::scope, scope_record())
          .required("image_resource", &ImageBarrier::image, Uid{}, "the uid of the image")
          .required("old_layout", &ImageBarrier::old_layout, words(kBarrierLayout), "the layout before the barrier")
          .required("new_layout", &ImageBarrier::new_layout, words(kBarrierLayout), "the layout after the barrier")
          .optional("subresource_range", &ImageBarrier::range, json::Nested(range_record()),
                    "the first level when absent");
  return record;
}

const json::Record<TensorBarrier>& tensor_barrier_record() {
  static const auto record =
      json::Record<TensorBarrier>("tensor_barrier", "a barrier over a tensor", &TensorBarrier::at)
          .required("uid", &TensorBarrier::uid, json::kNotEmpty, kUid)
          .part(&TensorBarrier::scope, scope_record())
          .required("tensor_resource", &TensorBarrier::tensor, Uid{}, "the uid of the tensor");
  return record;
}

}  // namespace slipway::scenario
