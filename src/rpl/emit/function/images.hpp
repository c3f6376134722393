// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers (docs/spec/rpl.md#images-and-samplers, docs/spec/rpl.md#emission-rules).
//
// An image whose index is not constant counts as different in each invocation: every id that depends on it is decorated
// NonUniform, once, and the module has the capabilities for it.
#pragma once

#include <span>
#include <vector>

#include "rpl/emit/function/instances.hpp"
#include "rpl/emit/function/memory.hpp"

namespace slipway::rpl::emit {

class ImageEmitter {
 public:
  ImageEmitter(Emission& emission, ModuleTypes& types, ModuleVariables& variables, FunctionCode& code,
               FunctionValues& values, const FunctionInstances& instances)
      : emission_(emission),
        types_(types),
        variables_(variables),
        code_(code),
        values_(values),
        instances_(instances) {}
  void begin_module() { non_uniform_.clear(); }
  void begin_function(const FunctionInstance& instance);

  // What a call passes for an image.
  ImageArgument argument_of(const LValue& image) const;
  // Pointers.
  Id image(const LValue& image);
  Id sampler(const LValue& sampler);

  // The built-in functions; `operands` are lvalues and Refs.
  Id sample(Builtin builtin, TypeId type, std::span<const std::uint32_t> operands);
  Id fetch(TypeId type, std::span<const std::uint32_t> operands);
  Id size(TypeId type, std::span<const std::uint32_t> operands);
  Id load(TypeId type, std::span<const std::uint32_t> operands);
  void store(std::span<const std::uint32_t> operands);

 private:
  struct LoadedImage {
    Id id;
    TypeId type;  // without array
    bool non_uniform;
    std::uint32_t declaration;  // storage images
  };

  LoadedImage load_image(const LValue& lvalue);
  Id coordinates(TypeId image, std::span<const std::uint32_t> operands, bool integer);
  void decorate_non_uniform(Id id);

  Emission& emission_;
  ModuleTypes& types_;
  ModuleVariables& variables_;
  FunctionCode& code_;
  FunctionValues& values_;
  const FunctionInstances& instances_;
  FunctionInstance instance_;    // of the current function
  std::vector<Id> non_uniform_;  // ids of the module that are decorated
};

}  // namespace slipway::rpl::emit
