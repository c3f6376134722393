// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

std::string_view name_of(PipelineKind pipeline) { return pipeline == PipelineKind::Graphics ? "graphics" : "compute"; }
std::string_view name_of(MetadataRate rate) { return rate == MetadataRate::Vertex ? "vertex" : "instance"; }

std::string_view name_of(MetadataBufferType type) {
  switch (type) {
    case MetadataBufferType::Uniform:
      return "uniform";
    case MetadataBufferType::ReadOnlyStorage:
      return "read_only_storage";
    case MetadataBufferType::ReadWriteStorage:
      return "read_write_storage";
  }
  return "";
}

std::string_view attribute_class(TypeId type) {
  if (is_matrix(type)) return type == kF3x3 ? "matrix_3x3" : "matrix_4x4";
  constexpr std::string_view kVectors[] = {"vector_1", "vector_2", "vector_3", "vector_4"};
  return kVectors[item_count(type) - 1];
}

std::string_view image_type_name(TypeId type) {
  // image_color_2d, storage_image_f4_2d: the word without `image_`. Storage images need their own texts.
  constexpr std::string_view kStorage[] = {
      "storage_f4_2d", "storage_f4_3d", "storage_f4_2d_array", "storage_u4_2d", "storage_u4_3d", "storage_u4_2d_array",
      "storage_s4_2d", "storage_s4_3d", "storage_s4_2d_array", "storage_f1_2d", "storage_f1_3d", "storage_f1_2d_array",
      "storage_u1_2d", "storage_u1_3d", "storage_u1_2d_array", "storage_s1_2d", "storage_s1_3d", "storage_s1_2d_array"};
  if (type >= kFirstStorageImage) return kStorage[type - kFirstStorageImage];
  return builtin_type_name(type).substr(std::string_view("image_").size());
}

}  // namespace slipway::rpl
