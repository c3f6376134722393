// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers (docs/spec/rpl.md#images-and-samplers, docs/spec/rpl.md#emission-rules).
#include <algorithm>

#include "rpl/emit/emitter.hpp"

namespace slipway::rpl::emit {
namespace {

using spv::Op;

}  // namespace

void Emitter::decorate_non_uniform(Id id) {
  if (std::ranges::contains(non_uniform_, id)) return;
  non_uniform_.push_back(id);
  out_.section(Section::Annotations).op(Op::OpDecorate, id, spv::Decoration::NonUniform);
}

// How an image lvalue may vary: an index that is not constant counts as different in each invocation.
ImageArgument Emitter::image_argument(const LValue& lvalue) {
  if (lvalue.root == LValueRoot::Argument) {
    std::uint32_t at = instance_->images;
    for (std::uint32_t i = function_->arguments.first; i < lvalue.index; ++i) {
      const TypeKind kind = type_info(program_->arguments[i].type).kind;
      at += kind == TypeKind::Image || kind == TypeKind::StorageImage;
    }
    return image_arguments_[at];
  }
  const ImageDecl& image = program_->images[lvalue.index];
  ImageArgument argument;
  if (image.storage) argument.image = lvalue.index;
  argument.non_uniform = lvalue.steps.count != 0 && !is_constant(program_->steps[lvalue.steps.first].value);
  return argument;
}

// A pointer to one image.
Id Emitter::image_pointer(const LValue& lvalue) {
  if (lvalue.root == LValueRoot::Argument) return arguments_[lvalue.index];
  const ImageDecl& image = program_->images[lvalue.index];
  const Id variable = image_variable(lvalue.index);
  if (!image.has_array) return variable;
  const Id type = pointer_to(image_type(image.image_type, image.format), Storage::UniformConstant);
  if (lvalue.steps.count == 0) return op(Op::OpAccessChain, type, variable, u1(0));  // an array of one

  const Ref ref = program_->steps[lvalue.steps.first].value;
  Id index = value_of(ref);
  if (is_constant(ref)) return op(Op::OpAccessChain, type, variable, index);
  const List own = function_->arguments;
  if (std::ranges::contains(std::span(arguments_).subspan(own.first, own.count), index)) {
    // A parameter may have other uses, which must not be decorated.
    index = op(Op::OpCopyObject, plain(program_->type_of(ref)), index);
  }
  out_.capability(spv::Capability::ShaderNonUniform);
  out_.capability(image.storage ? spv::Capability::StorageImageArrayNonUniformIndexing
                                : spv::Capability::SampledImageArrayNonUniformIndexing);
  needs_indexing_extension_ = true;
  const Id element = op(Op::OpAccessChain, type, variable, index);
  decorate_non_uniform(index);
  decorate_non_uniform(element);
  return element;
}

Emitter::Image Emitter::load_image(const LValue& lvalue) {
  const ImageArgument argument = image_argument(lvalue);
  TypeId type = lvalue.type;
  if (type_info(type).kind == TypeKind::Array) type = type_info(type).element;
  const ItemFormat format = argument.image == kNone ? ItemFormat::Float32 : program_->images[argument.image].format;
  const Id from = image_pointer(lvalue);
  const Id id = op(Op::OpLoad, image_type(type, format), from);
  if (argument.non_uniform) decorate_non_uniform(id);
  return {id, type, argument.non_uniform, argument.image};
}

Id Emitter::sampler(const LValue& lvalue) {
  const Id from = lvalue.root == LValueRoot::Argument ? arguments_[lvalue.index] : sampler_variable(lvalue.index);
  return load_from(kSampler, from);
}

// The coordinate of the operands: one vector, or for arrays a layer and a vector, which are combined.
Id Emitter::coordinates(TypeId image, std::span<const std::uint32_t> operands, bool integer) {
  if (dimension_of(static_cast<ImageShape>(type_info(image).index)) != ImageShape::Color2dArray) {
    return value_of(operands[0]);
  }
  Id layer = value_of(operands[0]);
  const Id at = value_of(operands[1]);
  if (!integer) layer = op(Op::OpConvertUToF, plain(kF1), layer);
  return op(Op::OpCompositeConstruct, plain(integer ? kU3 : kF3), at, layer);
}

// operands: sampler, image, coordinate [, reference] [, level]
Id Emitter::sample(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands) {
  const bool compares = builtin == Builtin::SampleDref || builtin == Builtin::SampleDrefLod;
  const bool has_level = builtin == Builtin::SampleLod || builtin == Builtin::SampleDrefLod;
  const Image image = load_image(program_->lvalues[operands[1]]);
  const Id with = sampler(program_->lvalues[operands[0]]);
  const Id at = coordinates(image.type, operands.subspan(2), false);
  const Id reference = compares ? value_of(operands[operands.size() - (has_level ? 2 : 1)]) : 0;
  // Without derivatives, outside the fragment stage, the level is always explicit.
  const bool is_explicit = has_level || stage_ != Stage::Fragment;
  const Id level = has_level ? value_of(operands.back()) : is_explicit ? f1(0) : 0;

  const Id combined_type = out_.type(Op::OpTypeSampledImage, image_type(image.type, ItemFormat::Float32));
  const Id combined = op(Op::OpSampledImage, combined_type, image.id, with);
  if (image.non_uniform) decorate_non_uniform(combined);
  const Id result = plain(type);
  constexpr auto kLod = spv::ImageOperandsMask::Lod;
  if (compares && is_explicit) {
    return op(Op::OpImageSampleDrefExplicitLod, result, combined, at, reference, kLod, level);
  }
  if (compares) return op(Op::OpImageSampleDrefImplicitLod, result, combined, at, reference);
  if (is_explicit) return op(Op::OpImageSampleExplicitLod, result, combined, at, kLod, level);
  return op(Op::OpImageSampleImplicitLod, result, combined, at);
}

// operands: image, coordinate, level
Id Emitter::fetch(TypeId type, std::span<const std::uint32_t> operands) {
  const Image image = load_image(program_->lvalues[operands[0]]);
  const Id at = coordinates(image.type, operands.subspan(1), true);
  const Id level = value_of(operands.back());
  return op(Op::OpImageFetch, plain(type), image.id, at, spv::ImageOperandsMask::Lod, level);
}

// operands: image [, level]
Id Emitter::image_size(TypeId type, std::span<const std::uint32_t> operands) {
  out_.capability(spv::Capability::ImageQuery);
  const Image image = load_image(program_->lvalues[operands[0]]);
  if (image.declaration != kNone) return op(Op::OpImageQuerySize, plain(type), image.id);
  const Id level = value_of(operands[1]);
  return op(Op::OpImageQuerySizeLod, plain(type), image.id, level);
}

// Texels always have four components in SPIR-V here; scalars are the first.
Id Emitter::image_load(TypeId type, std::span<const std::uint32_t> operands) {
  const Image image = load_image(program_->lvalues[operands[0]]);
  images_[image.declaration].read = true;
  const Id at = coordinates(image.type, operands.subspan(1), true);
  const TypeId four = vector_of(item_type(type), 4);
  const Id texel = op(Op::OpImageRead, plain(four), image.id, at);
  return type == four ? texel : op(Op::OpCompositeExtract, plain(type), texel, 0u);
}

void Emitter::image_store(std::span<const std::uint32_t> operands) {
  const Image image = load_image(program_->lvalues[operands[0]]);
  images_[image.declaration].written = true;
  const Id at = coordinates(image.type, operands.subspan(1), true);
  Id texel = value_of(operands.back());
  const TypeId type = program_->type_of(operands.back());
  if (is_scalar(type)) {
    const Id none = zero(type);
    texel = op(Op::OpCompositeConstruct, plain(vector_of(type, 4)), texel, none, none, none);
  }
  words_->body.op(Op::OpImageWrite, image.id, at, texel);
}

}  // namespace slipway::rpl::emit
