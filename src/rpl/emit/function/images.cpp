// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/images.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

namespace slipway::rpl::emit {
namespace {

using spv::Op;

}  // namespace

void ImageEmitter::begin_function(const FunctionInstance& instance) { instance_ = instance; }

void ImageEmitter::decorate_non_uniform(Id id) {
  if (std::ranges::contains(non_uniform_, id)) return;
  non_uniform_.push_back(id);
  emission_.annotations().op(Op::OpDecorate, id, spv::Decoration::NonUniform);
}

ImageArgument ImageEmitter::argument_of(const LValue& image) const {
  const Resolved& program = *emission_.program;
  if (image.root == LValueRoot::Argument) {
    std::uint32_t index = 0;
    for (std::uint32_t i = program.functions[instance_.function].arguments.first; i < image.index; ++i) {
      const TypeKind kind = emission_.type_info(program.arguments[i].type).kind;
      index += kind == TypeKind::Image || kind == TypeKind::StorageImage;
    }
    return instances_.image(instance_, index);
  }
  ImageArgument argument;
  if (program.images[image.index].storage) argument.image = image.index;
  argument.non_uniform = image.steps.count != 0 && !is_constant(program.steps[image.steps.first].value);
  return argument;
}

Id ImageEmitter::image(const LValue& image) {
  if (image.root == LValueRoot::Argument) return values_.argument(image.index);
  const ImageDecl& declaration = emission_.program->images[image.index];
  const Id variable = variables_.image(image.index);
  if (!declaration.has_array) return variable;
  const Id type = types_.pointer_to(types_.image(declaration.image_type, declaration.format), Storage::UniformConstant);
  if (image.steps.count == 0) return code_.op(Op::OpAccessChain, type, variable, types_.u1(0));  // an array of one

  const Ref ref = emission_.steps(image).front().value;
  Id index = values_.of(ref);
  if (is_constant(ref)) return code_.op(Op::OpAccessChain, type, variable, index);
  if (values_.is_argument(index)) {
    // A parameter may have other uses, which must not be decorated.
    index = code_.op(Op::OpCopyObject, types_.plain(emission_.program->type_of(ref)), index);
  }
  emission_.out.capability(spv::Capability::ShaderNonUniform);
  emission_.out.capability(declaration.storage ? spv::Capability::StorageImageArrayNonUniformIndexing
                                               : spv::Capability::SampledImageArrayNonUniformIndexing);
  if (emission_.options.target == Target::Vulkan11) emission_.out.extension("SPV_EXT_descriptor_indexing");
  const Id element = code_.op(Op::OpAccessChain, type, variable, index);
  decorate_non_uniform(index);
  decorate_non_uniform(element);
  return element;
}

ImageEmitter::LoadedImage ImageEmitter::load_image(const LValue& lvalue) {
  const ImageArgument argument = argument_of(lvalue);
  TypeId type = lvalue.type;
  if (emission_.type_info(type).kind == TypeKind::Array) type = emission_.type_info(type).element;
  const ItemFormat format =
      argument.image == kNone ? ItemFormat::Float32 : emission_.program->images[argument.image].format;
  const Id from = image(lvalue);
  const Id id = code_.op(Op::OpLoad, types_.image(type, format), from);
  if (argument.non_uniform) decorate_non_uniform(id);
  return {id, type, argument.non_uniform, argument.image};
}

Id ImageEmitter::sampler(const LValue& sampler) {
  return sampler.root == LValueRoot::Argument ? values_.argument(sampler.index) : variables_.sampler(sampler.index);
}

// The coordinate of the operands: one vector, or for arrays a layer and a vector, which are combined.
Id ImageEmitter::coordinates(TypeId image, std::span<const std::uint32_t> operands, bool integer) {
  if (dimension_of(static_cast<ImageShape>(emission_.type_info(image).index)) != ImageShape::Color2dArray) {
    return values_.of(operands[0]);
  }
  Id layer = values_.of(operands[0]);
  const Id at = values_.of(operands[1]);
  if (!integer) layer = code_.op(Op::OpConvertUToF, types_.plain(kF1), layer);
  return code_.op(Op::OpCompositeConstruct, types_.plain(integer ? kU3 : kF3), at, layer);
}

// operands: sampler, image, coordinate [, reference] [, level]
Id ImageEmitter::sample(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands) {
  const bool compares = builtin == Builtin::SampleDref || builtin == Builtin::SampleDrefLod;
  const bool has_level = builtin == Builtin::SampleLod || builtin == Builtin::SampleDrefLod;
  const LoadedImage image = load_image(emission_.program->lvalues[operands[1]]);
  const Id with = code_.load(kSampler, sampler(emission_.program->lvalues[operands[0]]));
  const Id at = coordinates(image.type, operands.subspan(2), false);
  const Id reference = compares ? values_.of(operands[operands.size() - (has_level ? 2 : 1)]) : 0;
  // Without derivatives, outside the fragment stage, the level is always explicit.
  const bool is_explicit = has_level || variables_.stage() != Stage::Fragment;
  const Id level = has_level ? values_.of(operands.back()) : is_explicit ? types_.f1(0) : 0;

  const Id combined_type = types_.sampled_image(image.type);
  const Id combined = code_.op(Op::OpSampledImage, combined_type, image.id, with);
  if (image.non_uniform) decorate_non_uniform(combined);
  const Id result = types_.plain(type);
  constexpr auto kLod = spv::ImageOperandsMask::Lod;
  if (compares && is_explicit) {
    return code_.op(Op::OpImageSampleDrefExplicitLod, result, combined, at, reference, kLod, level);
  }
  if (compares) return code_.op(Op::OpImageSampleDrefImplicitLod, result, combined, at, reference);
  if (is_explicit) return code_.op(Op::OpImageSampleExplicitLod, result, combined, at, kLod, level);
  return code_.op(Op::OpImageSampleImplicitLod, result, combined, at);
}

// operands: image, coordinate, level
Id ImageEmitter::fetch(TypeId type, std::span<const std::uint32_t> operands) {
  const LoadedImage image = load_image(emission_.program->lvalues[operands[0]]);
  const Id at = coordinates(image.type, operands.subspan(1), true);
  const Id level = values_.of(operands.back());
  return code_.op(Op::OpImageFetch, types_.plain(type), image.id, at, spv::ImageOperandsMask::Lod, level);
}

// operands: image [, level]
Id ImageEmitter::size(TypeId type, std::span<const std::uint32_t> operands) {
  emission_.out.capability(spv::Capability::ImageQuery);
  const LoadedImage image = load_image(emission_.program->lvalues[operands[0]]);
  if (image.declaration != kNone) return code_.op(Op::OpImageQuerySize, types_.plain(type), image.id);
  const Id level = values_.of(operands[1]);
  return code_.op(Op::OpImageQuerySizeLod, types_.plain(type), image.id, level);
}

// Texels always have four components in SPIR-V here; scalars are the first.
Id ImageEmitter::load(TypeId type, std::span<const std::uint32_t> operands) {
  const LoadedImage image = load_image(emission_.program->lvalues[operands[0]]);
  variables_.mark_image_read(image.declaration);
  const Id at = coordinates(image.type, operands.subspan(1), true);
  const TypeId four = vector_of(item_type(type), 4);
  const Id texel = code_.op(Op::OpImageRead, types_.plain(four), image.id, at);
  return type == four ? texel : code_.op(Op::OpCompositeExtract, types_.plain(type), texel, 0u);
}

void ImageEmitter::store(std::span<const std::uint32_t> operands) {
  const LoadedImage image = load_image(emission_.program->lvalues[operands[0]]);
  variables_.mark_image_written(image.declaration);
  const Id at = coordinates(image.type, operands.subspan(1), true);
  Id texel = values_.of(operands.back());
  const TypeId type = emission_.program->type_of(operands.back());
  if (is_scalar(type)) {
    const Id none = types_.zero(type);
    texel = code_.op(Op::OpCompositeConstruct, types_.plain(vector_of(type, 4)), texel, none, none, none);
  }
  code_.body().op(Op::OpImageWrite, image.id, at, texel);
}

}  // namespace slipway::rpl::emit
