// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/kernel_store.hpp"

#include "base/format.hpp"
#include "cpu/library.hpp"
#include "spirv/compare/normal_form.hpp"

namespace slipway::cpu {
namespace {

std::string key_of(std::string_view what, const lower::ProgramKernel& kernel, const Target& target,
                   std::string_view tuning, Bytes words) {
  const std::string numbers =
      formatted("{} {} {} {} {} {} {} {} {} {}", kFingerprint[0], static_cast<int>(target.architecture),
                target.vector_bits, target.lanes, target.has_fma, target.has_f16, target.has_dot_products,
                target.has_tiles, target.has_vector_matrices, kernel.bindings);
  return Cache::key({what, SLIPWAY_CPU_COMPILER_ID, target.features, tuning, numbers, text_of(words)});
}

std::string key_of_words(const lower::ProgramKernel& kernel, const Target& target) {
  return key_of("cpu", kernel, target, target.tuning, std::as_bytes(std::span(*kernel.spirv)));
}

// Code for a level is right for each CPU that has it, whichever one its order of instructions is tuned for: that is the
// choice of the machine that compiles.
std::string key_of_form(const lower::ProgramKernel& kernel, const Target& target, const spirv::Module& module) {
  const spirv::Words form = spirv::normal_form(module);
  return key_of("cpu form", kernel, target, "", std::as_bytes(std::span(form)));
}

Result<std::vector<std::byte>> compile(const lower::ProgramKernel& kernel, const Target& target,
                                       const spirv::Module& module) {
  SLIPWAY_TRY(const CompilerTable* compiler, load_compiler());
  return compiler->compile(module, target, kernel.bindings);
}

std::optional<Code> cached_code(const Cache& cache, const std::string& key) {
  const auto known = cache.find(key);
  if (!known) return std::nullopt;
  auto code = load_code(*known);
  if (!code) return std::nullopt;
  return std::move(*code);
}

}  // namespace

Result<CpuKernelCode> load_kernel(const lower::ProgramKernel& kernel, const Target& target, const Cache& cache) {
  const std::string key = cache.enabled() ? key_of_words(kernel, target) : std::string();
  if (auto code = cached_code(cache, key)) return CpuKernelCode{std::move(*code), true};
  SLIPWAY_TRY(const spirv::Module module, spirv::read_module(spirv::Words(*kernel.spirv), kernel.name));
  if (cache.enabled()) {
    if (auto code = cached_code(cache, key_of_form(kernel, target, module)))
      return CpuKernelCode{std::move(*code), true};
  }
  SLIPWAY_TRY(const std::vector<std::byte> object, compile(kernel, target, module));
  SLIPWAY_TRY(Code code, load_code(object));
  cache.store(key, object);
  return CpuKernelCode{std::move(code), false};
}

Result<> store_kernel(const lower::ProgramKernel& kernel, const Target& target, const Cache& cache) {
  SLIPWAY_TRY(const spirv::Module module, spirv::read_module(spirv::Words(*kernel.spirv), kernel.name));
  SLIPWAY_TRY(const std::vector<std::byte> object, compile(kernel, target, module));
  const std::string key = key_of_form(kernel, target, module);
  cache.store(key, object);
  if (cache.find(key) == object) return {};
  return fail(DiagnosticKind::FileUnwritable, SourceLocation::in_file(cache.directory().string()),
              formatted("cannot write the code of kernel `{}` into this directory", kernel.name));
}

}  // namespace slipway::cpu
