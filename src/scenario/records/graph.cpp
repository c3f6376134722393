// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

const json::Record<SpecializationMap>& specialization_map_record() {
  static const auto record =
      json::Record<SpecializationMap>("specialization_constant_map",
                                      "specialization constants of one module of a graph", &SpecializationMap::at)
          .required("shader_target", &SpecializationMap::shader_target, json::kNotEmpty, "the name of the module")
          .required("specialization_constants", &SpecializationMap::specialization_constants,
                    json::List{json::Nested(specialization_record())}, "values for its specialization constants");
  return record;
}

}  // namespace

const json::Record<Substitution>& substitution_record() {
  static const auto record =
      json::Record<Substitution>("shader_substitution", "a shader that replaces a module of a graph", &Substitution::at)
          .required("shader_ref", &Substitution::shader, Uid{}, "the uid of the shader")
          .required("target", &Substitution::target, json::kNotEmpty, "the name of the module");
  return record;
}

const json::Record<Graph>& graph_record() {
  static const auto record =
      json::Record<Graph>("graph", "a graph in a VGF file", &Graph::at)
          .required("uid", &Graph::uid, json::kNotEmpty,
                    "the name by which other objects refer to it; unique in the file")
          .required("src", &Graph::src, json::kNotEmpty, "the VGF file")
          .optional("push_constants_size", &Graph::push_constants_size, json::Integer{},
                    "in bytes, a multiple of 4; 0 or absent: as the shaders declare")
          .optional("specialization_constants_map", &Graph::specialization_constants_map,
                    json::List{json::Nested(specialization_map_record())}, "specialization constants by module")
          .optional("shader_substitutions", &Graph::shader_substitutions,
                    json::List{json::Nested(substitution_record())}, "shaders that replace modules");
  return record;
}

}  // namespace slipway::scenario
