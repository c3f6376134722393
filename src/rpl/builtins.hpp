// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The built-in functions as data: builtins.def expanded to one entry for each name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rpl/names.hpp"
#include "rpl/types.hpp"

namespace slipway::rpl {

enum class Builtin : std::uint8_t {
#define BUILTIN(identifier, ...) identifier,
#include "rpl/builtins.def"
#undef BUILTIN
  Count,
};

enum class BuiltinFamily : std::uint8_t {
  Pi,
  FloatOne,         // T (T), T = f1..f4
  FloatTwo,         // T (T, T)
  FloatThree,       // T (T, T, T)
  Refract,          // T (T, T, f1)
  VectorToScalar,   // f1 (T), T = f2..f4
  VectorsToScalar,  // f1 (T, T)
  VectorOne,        // T (T)
  Cross,
  UnsignedTwo,  // T = u1..u4
  UnsignedThree,
  SignedOne,  // T = s1..s4
  SignedTwo,
  SignedThree,
  MatrixToScalar,  // T = f3x3, f4x4
  MatrixOne,
  NoArguments,  // void ()
  TakesF1,      // void (f1)
  TakesF4,      // void (f4)
  GivesU1,      // u1 ()
  GivesU3,
  GivesF4,
  GivesBoolean,
  Sample,  // these depend on the image: docs/spec/rpl.md#sampling
  SampleDref,
  SampleLod,
  SampleDrefLod,
  ImageFetch,
  ImageSize,
  ImageLoad,
  ImageStore,
  TailLength,  // u1 (buffer)
  Atomic,      // T (lvalue, T), T = u1, s1
  AtomicUnsigned,
  AtomicSigned,
  AtomicCompare,  // T (lvalue, T, T)
};

enum class BuiltinOrigin : std::uint8_t { Base, Extension };
enum class BuiltinCode : std::uint8_t { Ext, Op, Input, Output, Special };

// The stages of a pipeline, as bits where sets are needed.
enum class Stage : std::uint8_t { Vertex, Fragment, Compute };
inline constexpr std::uint32_t kStageCount = 3;
using StageMask = std::uint8_t;
constexpr StageMask mask_of(Stage stage) { return static_cast<StageMask>(1u << static_cast<unsigned>(stage)); }
inline constexpr StageMask kAllStages = 7;
std::string_view name_of(Stage stage);

struct BuiltinInfo {
  Builtin id;
  std::string_view stem;
  BuiltinFamily family;
  StageMask stages;
  BuiltinOrigin origin;
  BuiltinCode code;
  std::uint32_t number;
};
const BuiltinInfo& info_of(Builtin id);

// One callable name: `round_f3` is {Round, kF3}. `type` is the T of the family, kVoid where it has none.
struct BuiltinFunction {
  std::string_view name;
  Builtin id;
  TypeId type;
  // The signature, where it does not depend on the arguments (every family before Sample).
  bool fixed;
  TypeId result;
  std::uint8_t argument_count;
  TypeId arguments[3];
};

// All of them; the function with the NameId n is at n - Word::Count.
std::span<const BuiltinFunction> builtin_functions();
// Null for a name that is not a built-in function.
const BuiltinFunction* find_builtin(NameId name);
// As text: `f3 round_f3 (f3)`, `f4 sample (sampler, image, ...)`.
std::string signature_text(const BuiltinFunction& function);

}  // namespace slipway::rpl
