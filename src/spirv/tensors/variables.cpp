// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/variables.hpp"

#include <algorithm>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"

namespace slipway::spirv {
namespace {

// What a storage buffer can have at most: maxStorageBufferRange has 32 bits.
constexpr std::uint64_t kMaxBytes = 0xffffffff;

// From the first byte to the end of the last element.
Size extent_of(const TensorLayout& layout) {
  Size end = tensor::size_of(layout.element);
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    end = checked_add(end, checked_multiply(static_cast<std::uint64_t>(layout.shape[i] - 1), layout.strides[i]));
  }
  return end;
}

class TensorFinder {
 public:
  TensorFinder(const ModuleView& view, std::span<const TensorBinding> bindings, bool by_record = false)
      : view_(view), bindings_(bindings), by_record_(by_record) {}

  Result<TensorVariables> find() {
    for (const Instruction* variable : module_variables(view_.module)) {
      const Instruction* type = view_.types.pointee(*variable);
      const Unwrapped unwrapped = view_.types.unwrap_arrays(type);
      if (unwrapped.type == nullptr || unwrapped.type->op != spv::Op::OpTypeTensorARM) continue;
      if (auto added = add(*variable, *type, unwrapped); !added) return std::unexpected(std::move(added.error()));
    }
    return std::move(found_);
  }

 private:
  Result<> add(const Instruction& variable, const Instruction& type, const Unwrapped& unwrapped) {
    TensorVariable made{.variable = &variable, .element = unwrapped.type->operand(1)};
    if (type.op != spv::Op::OpTypeTensorARM) made.array = type.result;
    const auto declared = view_.types.tensor(*unwrapped.type);
    const auto set = view_.annotations.value(variable.result, spv::Decoration::DescriptorSet);
    const auto number = view_.annotations.value(variable.result, spv::Decoration::Binding);
    if (!declared || !set || !number) {
      return problem(variable, DiagnosticKind::FileFormat,
                     declared ? "has no binding" : "has elements of a type that is not supported");
    }
    if (made.array != 0 && view_.module.definition(type.operand(1)) != unwrapped.type) {
      return problem(variable, DiagnosticKind::Unsupported, "is an array of arrays, which no descriptor is");
    }
    made.declared = *declared;
    if (by_record_) {
      made.by_record = true;
      made.is_volatile = view_.annotations.has(variable.result, spv::Decoration::Volatile) ||
                         view_.annotations.has(variable.result, spv::Decoration::Coherent);
      if (made.declared.rank.value_or(0) > TensorRecord::kMaxRank)
        return problem(variable, DiagnosticKind::Unsupported,
                       formatted("has more than {} dimensions", TensorRecord::kMaxRank));
      found_.emplace(variable.result, std::move(made));
      return {};
    }
    const auto given = std::ranges::find_if(
        bindings_, [&](const TensorBinding& one) { return one.set == *set && one.binding == *number; });
    if (given != bindings_.end()) made.layouts = given->elements;
    if (Result<> checked = check(made, unwrapped.count.value_or(0)); !checked) return checked;
    found_.emplace(variable.result, std::move(made));
    return {};
  }

  Result<> check(const TensorVariable& made, std::uint64_t descriptors) const {
    const Instruction& variable = *made.variable;
    if (made.layouts.size() > 1 && descriptors != 0 && made.layouts.size() != descriptors) {
      return problem(variable, DiagnosticKind::BindingMismatch,
                     formatted("is an array of {} tensors, but the binding has {}", descriptors, made.layouts.size()));
    }
    for (const TensorLayout& layout : made.layouts) {
      if (layout.shape.empty() || layout.strides.size() != layout.shape.size()) {
        return problem(variable, DiagnosticKind::OutOfRange,
                       formatted("is given {} dimensions and {} strides", layout.shape.size(), layout.strides.size()));
      }
      if (const auto mismatch = tensor_mismatch(made.declared, layout.element, layout.shape)) {
        return problem(variable, DiagnosticKind::BindingMismatch,
                       formatted("is declared with {}, but given with {}", mismatch->declared, mismatch->given));
      }
      if (Result<> sized = check_size(variable, layout); !sized) return sized;
    }
    return {};
  }

  Result<> check_size(const Instruction& variable, const TensorLayout& layout) const {
    const std::uint64_t element = tensor::size_of(layout.element);
    const auto is_dimension = [](std::int64_t size) { return size >= 1 && std::uint64_t(size) <= kMaxBytes; };
    const auto is_stride = [&](std::uint64_t stride) { return stride % element == 0 && stride <= kMaxBytes; };
    // The length of a dimension of one element has no use.
    for (std::size_t i = 0; i < layout.shape.size(); ++i) {
      if (is_dimension(layout.shape[i]) && (layout.shape[i] == 1 || is_stride(layout.strides[i]))) continue;
      return problem(variable, DiagnosticKind::OutOfRange,
                     formatted("is given dimension {} with {} elements, {} bytes from one to the next", i,
                               layout.shape[i], layout.strides[i]));
    }
    const Size extent = extent_of(layout);
    if (extent && *extent <= kMaxBytes) return {};
    return problem(variable, DiagnosticKind::OutOfRange,
                   formatted("is given shape {}, which reaches over more bytes than a storage buffer has",
                             tensor::shape_text(layout.shape)));
  }

  Result<> problem(const Instruction& variable, DiagnosticKind kind, std::string_view what) const {
    return fail(kind, view_.module.location(variable), formatted("tensor `{}` {}", view_.label(variable.result), what));
  }

  const ModuleView& view_;
  std::span<const TensorBinding> bindings_;
  bool by_record_ = false;
  TensorVariables found_;
};

}  // namespace

bool is_integer(const Instruction* type) {
  if (type == nullptr || type->op != spv::Op::OpTypeInt) return false;
  const std::uint32_t width = type->operand(1);
  return width == 8 || width == 16 || width == 32 || width == 64;
}

Result<TensorVariables> find_tensors(const ModuleView& view, std::span<const TensorBinding> bindings) {
  return TensorFinder(view, bindings).find();
}

Result<TensorVariables> find_tensors_by_record(const ModuleView& view) { return TensorFinder(view, {}, true).find(); }

}  // namespace slipway::spirv
