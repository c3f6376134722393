// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/builtins.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "base/format.hpp"

namespace slipway::rpl {

namespace {

constexpr StageMask kAny = kAllStages;
constexpr StageMask kVertex = mask_of(Stage::Vertex);
constexpr StageMask kFragment = mask_of(Stage::Fragment);
constexpr StageMask kCompute = mask_of(Stage::Compute);

constexpr BuiltinInfo kBuiltins[] = {
#define BUILTIN(identifier, stem, family, stages, origin, code, number) \
  {Builtin::identifier, stem, BuiltinFamily::family, k##stages, BuiltinOrigin::origin, BuiltinCode::code, number},
#include "rpl/builtins.def"
#undef BUILTIN
};

// The signature of a family; kSame is the T of the function.
constexpr TypeId kSame = 0xFFFF;

struct FamilyInfo {
  BuiltinFamily family;
  TypeId first, last;  // the types T; kVoid: one function without T
  bool fixed;
  TypeId result;
  std::uint8_t count;
  TypeId arguments[3];
};

constexpr FamilyInfo kFamilies[] = {
    {BuiltinFamily::Pi, kVoid, kVoid, true, kF1, 0, {}},
    {BuiltinFamily::FloatOne, kF1, kF4, true, kSame, 1, {kSame}},
    {BuiltinFamily::FloatTwo, kF1, kF4, true, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::FloatThree, kF1, kF4, true, kSame, 3, {kSame, kSame, kSame}},
    {BuiltinFamily::Refract, kF1, kF4, true, kSame, 3, {kSame, kSame, kF1}},
    {BuiltinFamily::VectorToScalar, kF2, kF4, true, kF1, 1, {kSame}},
    {BuiltinFamily::VectorsToScalar, kF2, kF4, true, kF1, 2, {kSame, kSame}},
    {BuiltinFamily::VectorOne, kF2, kF4, true, kSame, 1, {kSame}},
    {BuiltinFamily::Cross, kF3, kF3, true, kF3, 2, {kF3, kF3}},
    {BuiltinFamily::UnsignedTwo, kU1, kU4, true, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::UnsignedThree, kU1, kU4, true, kSame, 3, {kSame, kSame, kSame}},
    {BuiltinFamily::SignedOne, kS1, kS4, true, kSame, 1, {kSame}},
    {BuiltinFamily::SignedTwo, kS1, kS4, true, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::SignedThree, kS1, kS4, true, kSame, 3, {kSame, kSame, kSame}},
    {BuiltinFamily::MatrixToScalar, kF3x3, kF4x4, true, kF1, 1, {kSame}},
    {BuiltinFamily::MatrixOne, kF3x3, kF4x4, true, kSame, 1, {kSame}},
    {BuiltinFamily::NoArguments, kVoid, kVoid, true, kVoid, 0, {}},
    {BuiltinFamily::TakesF1, kVoid, kVoid, true, kVoid, 1, {kF1}},
    {BuiltinFamily::TakesF4, kVoid, kVoid, true, kVoid, 1, {kF4}},
    {BuiltinFamily::GivesU1, kVoid, kVoid, true, kU1, 0, {}},
    {BuiltinFamily::GivesU3, kVoid, kVoid, true, kU3, 0, {}},
    {BuiltinFamily::GivesF4, kVoid, kVoid, true, kF4, 0, {}},
    {BuiltinFamily::GivesBoolean, kVoid, kVoid, true, kBoolean, 0, {}},
    {BuiltinFamily::Sample, kVoid, kVoid, false, kF4, 0, {}},
    {BuiltinFamily::SampleDref, kVoid, kVoid, false, kF1, 0, {}},
    {BuiltinFamily::SampleLod, kVoid, kVoid, false, kF4, 0, {}},
    {BuiltinFamily::SampleDrefLod, kVoid, kVoid, false, kF1, 0, {}},
    {BuiltinFamily::ImageFetch, kVoid, kVoid, false, kF4, 0, {}},
    {BuiltinFamily::ImageSize, kVoid, kVoid, false, kErrorType, 0, {}},
    {BuiltinFamily::ImageLoad, kVoid, kVoid, false, kErrorType, 0, {}},
    {BuiltinFamily::ImageStore, kVoid, kVoid, false, kVoid, 0, {}},
    {BuiltinFamily::TailLength, kVoid, kVoid, false, kU1, 0, {}},
    {BuiltinFamily::Atomic, kU1, kS1, false, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::AtomicUnsigned, kU1, kU1, false, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::AtomicSigned, kS1, kS1, false, kSame, 2, {kSame, kSame}},
    {BuiltinFamily::AtomicCompare, kU1, kS1, false, kSame, 3, {kSame, kSame, kSame}},
};
static_assert(std::ranges::all_of(kFamilies, [](const FamilyInfo& info) {
  return &info == &kFamilies[static_cast<std::size_t>(info.family)];
}));  // the rows are in the order of BuiltinFamily

struct Functions {
  std::deque<std::string> names;
  std::vector<BuiltinFunction> all;

  Functions() {
    for (const BuiltinInfo& info : kBuiltins) {
      const FamilyInfo& family = kFamilies[static_cast<std::size_t>(info.family)];
      for (TypeId type = family.first; type <= family.last; ++type) {
        // Families without a signature of their own are atomics: for the two scalars, not for vectors between them.
        if (!family.fixed && type != kVoid && !is_scalar(type)) continue;
        const auto put = [&](TypeId part) { return part == kSame ? type : part; };
        names.push_back(type == kVoid ? std::string(info.stem)
                                      : formatted("{}_{}", info.stem, builtin_type_name(type)));
        all.push_back({names.back(),
                       info.id,
                       type,
                       family.fixed,
                       put(family.result),
                       family.count,
                       {put(family.arguments[0]), put(family.arguments[1]), put(family.arguments[2])}});
      }
    }
  }
};

const Functions& functions() {
  static const Functions made;
  return made;
}

// The arguments of the families whose signature depends on the image.
std::string_view special_arguments(BuiltinFamily family) {
  switch (family) {
    case BuiltinFamily::Sample:
      return "sampler, image, [u1 layer,] coordinate";
    case BuiltinFamily::SampleDref:
      return "sampler, depth image, [u1 layer,] coordinate, f1 reference";
    case BuiltinFamily::SampleLod:
      return "sampler, image, [u1 layer,] coordinate, f1 lod";
    case BuiltinFamily::SampleDrefLod:
      return "sampler, depth image, [u1 layer,] coordinate, f1 reference, f1 lod";
    case BuiltinFamily::ImageFetch:
      return "image, [u1 layer,] coordinate, u1 level";
    case BuiltinFamily::ImageSize:
      return "image, u1 level | storage image";
    case BuiltinFamily::ImageLoad:
      return "storage image, [u1 layer,] coordinate";
    case BuiltinFamily::ImageStore:
      return "storage image, [u1 layer,] coordinate, texel";
    case BuiltinFamily::TailLength:
      return "buffer";
    default:
      return "";
  }
}

}  // namespace

std::string_view name_of(Stage stage) {
  constexpr std::array<std::string_view, kStageCount> kNames = {"vertex", "fragment", "compute"};
  return kNames[static_cast<std::size_t>(stage)];
}

const BuiltinInfo& info_of(Builtin id) { return kBuiltins[static_cast<std::size_t>(id)]; }

std::span<const BuiltinFunction> builtin_functions() { return functions().all; }

const BuiltinFunction* find_builtin(NameId name) {
  return name >= Word::Count && name < first_program_name() ? &functions().all[name - Word::Count] : nullptr;
}

std::string signature_text(const BuiltinFunction& function) {
  const BuiltinInfo& info = info_of(function.id);
  std::string_view result = builtin_type_name(function.result);
  if (function.result == kErrorType) result = info.family == BuiltinFamily::ImageSize ? "u2 | u3" : "texel";
  if (function.result == kBoolean) result = "boolean";
  std::string arguments(special_arguments(info.family));
  for (std::uint8_t i = 0; i < function.argument_count; ++i) {
    if (i != 0) arguments += ", ";
    arguments += builtin_type_name(function.arguments[i]);
    if (!function.fixed && i == 0) arguments += " place";
  }
  return formatted("{} {} ({})", result, function.name, arguments);
}

}  // namespace slipway::rpl
