// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules with tensors, rewritten. The first byte decides what the tensors are given: as declared, or otherwise.
#include <cstdint>
#include <cstdlib>

#include "spirv/reflect/reflect.hpp"
#include "spirv/tensors/emulate.hpp"
#include "spirv/tools.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace slipway;
  if (size == 0) return 0;
  const Bytes bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const Result<spirv::Module> module = spirv::read_module(bytes, "fuzz.spv");
  if (!module) return 0;
  const Result<spirv::Reflection> reflection = spirv::reflect(*module);
  if (!reflection || reflection->entry_points.empty()) return 0;
  std::vector<spirv::TensorBinding> given;
  for (const spirv::Binding& binding : reflection->entry_points.front().bindings) {
    if (!binding.tensor || (data[0] & 1) != 0) continue;
    tensor::Shape shape(binding.tensor->rank.value_or(1) % 8, 1 + (data[0] >> 4));
    if (!binding.tensor->shape.empty()) shape.assign(binding.tensor->shape.begin(), binding.tensor->shape.end());
    spirv::TensorLayout layout = spirv::packed_layout(binding.tensor->element, shape);
    if ((data[0] & 2) != 0) layout.stride_ids[0] = 77;
    given.push_back({binding.set, binding.binding, {layout}});
  }
  const Result<spirv::Words> words = spirv::emulate_tensors(*module, given);
  const Result<spirv::Words> by_record = spirv::emulate_tensors_by_record(*module);
  constexpr std::size_t kSmall = 8192;  // the validator is slow
  if (size > kSmall || !spirv::validate(module->words(), "fuzz.spv")) return 0;
  if (by_record && !spirv::validate(*by_record, "by_record.spv")) std::abort();
  if (!words) return 0;
  // What was valid stays valid.
  if (!spirv::validate(*words, "rewritten.spv")) std::abort();
  return 0;
}
