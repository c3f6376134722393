// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/write_reflection.hpp"

#include "base/format.hpp"
#include "json/record.hpp"
#include "tensor/element.hpp"

namespace slipway::shader {
namespace {

using json::Boolean, json::Integer, json::List, json::Nested, json::Record, json::Text;

// An enumeration by its name. (Element types: `f32`, `i8`, ...)
struct Name {
  template <class E>
  void write(json::Writer& out, E from) const {
    out.value(name_of(from));
  }
  void write(json::Writer& out, vk::Format from) const { out.value(vk::name_of(from)); }
  void schema(json::Schema& schema) const { Text{}.schema(schema); }
};

const Record<spirv::ImageType>& image_record() {
  using I = spirv::ImageType;
  static const auto record =
      Record<I>("image", "the type of an image")
          .required("dimension", &I::dimension, Name{}, "1d, 2d, 3d, cube, ...")
          .required("arrayed", &I::arrayed, Boolean{}, "whether it has layers")
          .required("multisampled", &I::multisampled, Boolean{}, "whether it has samples")
          .optional("format", &I::format, Name{}, "the Vulkan format; absent if the shader leaves it open")
          .written_if([](const I& from) { return from.format != vk::Format::UNDEFINED; })
          .optional("element", &I::sampled, Name{}, "the type of the components that reads return");
  return record;
}

const Record<spirv::TensorType>& tensor_record() {
  using T = spirv::TensorType;
  static const auto record = Record<T>("tensor", "the type of a tensor")
                                 .required("element", &T::element, Name{}, "the type of its elements")
                                 .optional("rank", &T::rank, Integer{}, "number of dimensions, if the type fixes it")
                                 .optional("shape", &T::shape, List{Integer{}}, "the sizes, if the type fixes them")
                                 .written_if([](const T& from) { return !from.shape.empty(); });
  return record;
}

const Record<spirv::Binding>& binding_record() {
  using B = spirv::Binding;
  static const auto record =
      Record<B>("binding", "a descriptor that the module declares")
          .required("set", &B::set, Integer{}, "the descriptor set")
          .required("binding", &B::binding, Integer{}, "the number in the set")
          .required("name", &B::name, Text{}, "of the variable, else of its block")
          .required("kind", &B::kind, Name{}, "storage buffer, sampled image, tensor, ...")
          .required("count", &B::count, Integer{}, "number of array elements; 0 for an array without a size")
          .required("used", &B::used, Boolean{}, "whether the entry point uses it")
          .required("reads", &B::reads, Boolean{}, "whether the entry point may read it")
          .required("writes", &B::writes, Boolean{}, "whether the entry point may write it")
          .optional(
              "size", [](const B& from) { return from.block ? &from.block->size : nullptr; }, Integer{},
              "of a buffer: bytes without the elements of a runtime array")
          .optional(
              "runtime_stride",
              [](const B& from) {
                return from.block && from.block->runtime_stride != 0 ? &from.block->runtime_stride : nullptr;
              },
              Integer{.min = 1}, "of a buffer that ends with a runtime array: bytes of one element of that array")
          .optional(
              "element", [](const B& from) { return from.block ? from.block->element : std::nullopt; }, Name{},
              "of a buffer: the type of all its numbers, if they have one type")
          .optional("image", &B::image, Nested(image_record()), "of all kinds that have an image")
          .optional("tensor", &B::tensor, Nested(tensor_record()), "of a tensor");
  return record;
}

const Record<spirv::BlockMember>& block_member_record() {
  using M = spirv::BlockMember;
  static const auto record =
      Record<M>("block_member", "a member of a block")
          .required("name", &M::name, Text{}, "its name")
          .required("offset", &M::offset, Integer{}, "bytes from the beginning of the block")
          .required("size", &M::size, Integer{}, "bytes")
          .optional("element", &M::element, Name{}, "the type of all its numbers, if they have one type");
  return record;
}

const Record<spirv::PushConstants>& push_constants_record() {
  using P = spirv::PushConstants;
  static const auto record = Record<P>("push_constants", "the block of push constants")
                                 .required("name", &P::name, Text{}, "its name")
                                 .required("size", &P::size, Integer{}, "bytes to the end of the last member")
                                 .required("used", &P::used, Boolean{}, "whether the entry point uses it")
                                 .required("members", &P::members, List{Nested(block_member_record())}, "its members");
  return record;
}

const Record<spirv::InterfaceVariable>& variable_record() {
  using V = spirv::InterfaceVariable;
  static const auto record =
      Record<V>("variable", "an input or output of a stage; members of interface blocks are separate")
          .required("location", &V::location, Integer{}, "its location")
          .required("component", &V::component, Integer{.max = 3}, "its first component in the location")
          .required("name", &V::name, Text{}, "its name")
          .required("type", &V::type, Name{}, "the type of its components")
          .required("components", &V::components, Integer{.min = 1}, "of the vector")
          .required("columns", &V::columns, Integer{.min = 1}, "of the matrix")
          .required("count", &V::count, Integer{}, "number of array elements");
  return record;
}

std::optional<std::vector<std::uint32_t>> workgroup_size(const spirv::EntryPoint& from) {
  if (!from.local_size) return std::nullopt;
  std::vector<std::uint32_t> sizes;
  for (const spirv::SpecializedNumber& number : *from.local_size) sizes.push_back(number.value);
  return sizes;
}

const Record<spirv::EntryPoint>& entry_point_record() {
  using E = spirv::EntryPoint;
  static const auto record =
      Record<E>("entry_point", "a shader or a graph of the module")
          .required("name", &E::name, Text{}, "its name")
          .required("stage", &E::stage, Name{}, "compute, vertex, fragment, graph, ...")
          .optional("workgroup_size", workgroup_size, List{Integer{}, 3, 3}, "where the stage has workgroups")
          .required("shared_memory", &E::shared_memory, Integer{}, "bytes of Workgroup memory")
          .optional("push_constants", &E::push_constants, Nested(push_constants_record()),
                    "the block that is used, else the first that is declared")
          .required("bindings", &E::bindings, List{Nested(binding_record())},
                    "all that the module declares, by set and number; of a graph its inputs, then its outputs")
          .required("inputs", &E::inputs, List{Nested(variable_record())}, "without built-ins, by location")
          .required("outputs", &E::outputs, List{Nested(variable_record())}, "without built-ins, by location");
  return record;
}

std::string default_text(const spirv::SpecializationConstant& from) {
  return tensor::text_of(tensor::number_of(from.type, reinterpret_cast<const std::byte*>(&from.default_bits)));
}

const Record<spirv::SpecializationConstant>& constant_record() {
  using C = spirv::SpecializationConstant;
  static const auto record = Record<C>("specialization_constant", "a number that a run may set")
                                 .required("id", &C::spec_id, Integer{}, "its SpecId")
                                 .required("name", &C::name, Text{}, "its name")
                                 .required("type", &C::type, Name{}, "its type")
                                 .required("default", default_text, Text{}, "its value if a run does not set it");
  return record;
}

std::string version_text(const spirv::Reflection& from) {
  return formatted("{}.{}", from.version >> 16, from.version >> 8 & 0xff);
}

const Record<spirv::Reflection>& reflection_record() {
  using R = spirv::Reflection;
  static const auto record =
      Record<R>("module", "what a SPIR-V module needs from its surroundings")
          .required("spirv_version", version_text, Text{}, "MAJOR.MINOR")
          .required("capabilities", &R::capabilities, List{Text{}}, "`Shader`, `Int8`, ...")
          .required("extensions", &R::extensions, List{Text{}}, "`SPV_KHR_...`")
          .required("instruction_sets", &R::instruction_sets, List{Text{}}, "`GLSL.std.450`, `TOSA.001000.1`, ...")
          .required("specialization_constants", &R::specialization_constants, List{Nested(constant_record())},
                    "in the order of the module")
          .required("entry_points", &R::entry_points, List{Nested(entry_point_record())}, "in the order of the module");
  return record;
}

const Record<ReflectedShader>& shader_record() {
  using S = ReflectedShader;
  static const auto record = Record<S>("shader", "a file with a shader")
                                 .required("file", &S::file, Text{}, "its path")
                                 .required("language", &S::language, Name{}, "SPIR-V, or of the source")
                                 .part(&S::reflection, reflection_record());
  return record;
}

}  // namespace

std::string reflections_text(const std::vector<ReflectedShader>& shaders) {
  json::Writer out;
  List{Nested(shader_record())}.write(out, shaders);
  return out.text();
}

std::string reflections_schema() {
  json::Writer out;
  json::Schema schema(out);
  out.object([&] {
    out.member("$schema", "https://json-schema.org/draft/2020-12/schema").member("title", "shaders");
    out.member("description", "what `slipway inspect --json` prints of shaders");
    out.key("allOf").array([&] { List{Nested(shader_record())}.schema(schema); });
    schema.write_definitions();
  });
  return out.text();
}

}  // namespace slipway::shader
