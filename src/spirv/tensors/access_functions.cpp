// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/tensors/access_functions.hpp"

#include <algorithm>
#include <functional>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"

namespace slipway::spirv {
namespace {

using tensor::ElementType;

// Arrays up to this length are accessed without a loop.
constexpr std::uint64_t kMaxUnrolled = 32;

// A bool is a byte in memory.
Id stored_type(Builder& builder, const TensorVariable& tensor) {
  return tensor.declared.element == ElementType::Bool ? builder.type_int(8, false) : tensor.element;
}

bool is_array(const Module& module, Id type) {
  const Instruction* definition = module.definition(type);
  return definition != nullptr && definition->op == spv::Op::OpTypeArray;
}

// What differs between the tensors of an array of descriptors is selected by the index; `of` returns it for one layout.
Id select_layout(Builder& builder, const TensorVariable& tensor, Id type, Id index, Id index_type,
                 const std::function<Id(const TensorLayout&)>& of) {
  Id selected = of(tensor.layouts.front());
  for (std::size_t i = 1; i < tensor.layouts.size(); ++i) {
    const Id other = of(tensor.layouts[i]);
    if (std::ranges::all_of(tensor.layouts, [&](const TensorLayout& one) { return of(one) == other; })) return other;
    const Id is_other = builder.op(spv::Op::OpIEqual, builder.type_bool(), {index, builder.constant(index_type, i)});
    selected = builder.op(spv::Op::OpSelect, type, {is_other, other, selected});
  }
  return selected;
}

// Writes one function.
class AccessFunction {
 public:
  AccessFunction(const View& view, Builder& builder, StrideConstants& strides, const TensorAccess& access)
      : view_(view),
        builder_(builder),
        strides_(strides),
        access_(access),
        tensor_(*access.tensor),
        u32_(builder.type_int(32, false)) {
    const Instruction& coordinates = *view.module.definition(access.coordinates);
    rank_ = static_cast<std::uint32_t>(view.constants.value(coordinates.operand(2)).value_or(0));
    if (!is_array(view.module, access.value)) return;
    length_id_ = view.module.definition(access.value)->operand(2);
    const Instruction* length = view.module.definition(length_id_);
    const std::uint64_t value = view.constants.value(length_id_).value_or(0);
    if (length == nullptr || length->op != spv::Op::OpConstant) return;  // specialization decides
    length_id_ = builder.constant_u32(static_cast<std::uint32_t>(value));
    if (value <= kMaxUnrolled) length_ = static_cast<std::uint32_t>(value);
  }

  void write(Id function) {
    begin(function);
    if (access_.writes) {
      write_elements();
      builder_.op_void(spv::Op::OpReturn);
    } else {
      builder_.op_void(spv::Op::OpReturnValue, {read()});
    }
    builder_.end_function();
  }

 private:
  bool is_element() const { return length_id_ == 0; }

  // --- parameters -------------------------------------------------------------------------------------------------

  void begin(Id function) {
    Words parameters;
    const bool takes_index = access_.index != 0 && access_.fixed_index == 0;
    if (takes_index) parameters.push_back(access_.index);
    parameters.push_back(access_.coordinates);
    if (access_.outside) parameters.push_back(tensor_.element);
    if (access_.writes) parameters.push_back(access_.value);
    const Id result = access_.writes ? builder_.type_void() : access_.value;
    const Id type = builder_.type_function(result, parameters);
    builder_.emit(Section::Functions, spv::Op::OpFunction,
                  Operands({result, function}).add(spv::FunctionControlMask::MaskNone).add(type));
    index_ = takes_index ? builder_.parameter(access_.index) : access_.fixed_index;
    coordinates_ = builder_.parameter(access_.coordinates);
    if (access_.outside) outside_ = builder_.parameter(tensor_.element);
    if (access_.writes) value_ = builder_.parameter(access_.value);
    builder_.label();
    // Variables come first.
    if (!is_element() && !length_) {
      const Id pointer = builder_.type_pointer(spv::StorageClass::Function, access_.value);
      array_ = builder_.op(spv::Op::OpVariable, pointer, Operands().add(spv::StorageClass::Function));
      const Id counter = builder_.type_pointer(spv::StorageClass::Function, u32_);
      counter_ = builder_.op(spv::Op::OpVariable, counter, Operands().add(spv::StorageClass::Function));
    }
    if (!access_.writes && !access_.outside) outside_ = builder_.constant_null(tensor_.element);
  }

  // A coordinate as 32 bits without sign. A value that needs more bits is outside of every tensor, and so is the
  // largest number that they hold.
  Id coordinate(std::uint32_t dimension) {
    const Instruction& array = *view_.module.definition(access_.coordinates);
    const Id type = array.operand(1);
    const Instruction& integer = *view_.module.definition(type);
    const Id given = builder_.op(spv::Op::OpCompositeExtract, type, {coordinates_, dimension});
    const std::uint32_t width = integer.operand(1);
    if (width == 32) return integer.operand(2) == 0 ? given : builder_.op(spv::Op::OpBitcast, u32_, {given});
    if (width < 32) {
      return builder_.op(integer.operand(2) != 0 ? spv::Op::OpSConvert : spv::Op::OpUConvert, u32_, {given});
    }
    const Id largest = builder_.constant_u32(~0u);
    const Id beyond = builder_.op(spv::Op::OpUGreaterThan, builder_.type_bool(), {given, builder_.constant(type, ~0u)});
    const Id low = builder_.op(spv::Op::OpUConvert, u32_, {given});
    return builder_.op(spv::Op::OpSelect, u32_, {beyond, largest, low});
  }

  // --- where the elements are -------------------------------------------------------------------------------------

  Id shape(std::size_t dimension) {
    return select([&](const TensorLayout& layout) {
      return builder_.constant_u32(static_cast<std::uint32_t>(layout.shape[dimension]));
    });
  }

  // In elements.
  Id stride(std::size_t dimension) {
    return select([&](const TensorLayout& layout) {
      const std::uint32_t size = tensor::size_of(layout.element);
      const auto bytes = static_cast<std::uint32_t>(layout.strides[dimension]);
      const auto late = layout.stride_ids.find(dimension);
      if (late == layout.stride_ids.end()) return builder_.constant_u32(bytes / size);
      return strides_.elements(late->second, bytes, size);
    });
  }

  Id select(const std::function<Id(const TensorLayout&)>& of) {
    return select_layout(builder_, tensor_, u32_, index_, access_.index, of);
  }

  // Finds `inside_`, whether the first element is inside the shape, `first_`, its index in the buffer, and for arrays
  // `rest_`: how many elements there are from it to the end of the innermost dimension, 0 when it is outside.
  void locate() {
    Id last = 0;
    for (std::uint32_t i = 0; i < rank_; ++i) {
      last = coordinate(i);
      const Id below = builder_.op(spv::Op::OpULessThan, builder_.type_bool(), {last, shape(i)});
      inside_ = i == 0 ? below : builder_.op(spv::Op::OpLogicalAnd, builder_.type_bool(), {inside_, below});
      const Id step = stride(i);
      const Id part = step == builder_.constant_u32(1) ? last : builder_.op(spv::Op::OpIMul, u32_, {last, step});
      first_ = i == 0 ? part : add(first_, part);
    }
    if (is_element()) return;
    const Id rest = builder_.op(spv::Op::OpISub, u32_, {shape(rank_ - 1), last});
    rest_ = builder_.op(spv::Op::OpSelect, u32_, {inside_, rest, builder_.constant_u32(0)});
    step_ = stride(rank_ - 1);
  }

  Id add(Id a, Id b) { return builder_.op(spv::Op::OpIAdd, u32_, {a, b}); }

  Id is_inside(Id k) { return builder_.op(spv::Op::OpULessThan, builder_.type_bool(), {k, rest_}); }
  Id location(Id k) {
    if (k == builder_.constant_u32(0)) return first_;
    return add(first_, step_ == builder_.constant_u32(1) ? k : builder_.op(spv::Op::OpIMul, u32_, {k, step_}));
  }

  Id pointer(Id element) {
    const Id stored = stored_type(builder_, tensor_);
    const Id type = builder_.type_pointer(spv::StorageClass::StorageBuffer, stored);
    Operands chain({tensor_.variable->result});
    if (index_ != 0) chain.add(index_);
    const Id pointer = builder_.op(spv::Op::OpAccessChain, type, chain.add(builder_.constant_u32(0)).add(element));
    if (access_.non_uniform) builder_.decorate(pointer, spv::Decoration::NonUniform);
    return pointer;
  }

  // --- reading ----------------------------------------------------------------------------------------------------

  // Always loads, the first element when it is outside, so that there is no branch.
  Id load(Id inside, Id element) {
    const Id safe = builder_.op(spv::Op::OpSelect, u32_, {inside, element, builder_.constant_u32(0)});
    const Id at = pointer(safe);
    const Id stored = builder_.op(spv::Op::OpLoad, stored_type(builder_, tensor_), Operands({at}).add(access_.memory));
    Id value = stored;
    if (tensor_.declared.element == ElementType::Bool) {
      const Id wide = builder_.op(spv::Op::OpUConvert, u32_, {stored});
      value = builder_.op(spv::Op::OpINotEqual, builder_.type_bool(), {wide, builder_.constant_u32(0)});
    }
    return builder_.op(spv::Op::OpSelect, tensor_.element, {inside, value, outside_});
  }

  // A tensor without elements reads as out of bounds.
  Id read() {
    if (tensor_.layouts.empty()) {
      if (is_element()) return outside_;
      if (!access_.outside) return builder_.constant_null(access_.value);
    } else {
      locate();
      if (is_element()) return load(inside_, first_);
    }
    if (length_) {
      Operands elements;
      for (std::uint32_t k = 0; k < *length_; ++k) elements.add(read_at(builder_.constant_u32(k)));
      return builder_.op(spv::Op::OpCompositeConstruct, access_.value, elements);
    }
    loop([&](Id k) { builder_.op_void(spv::Op::OpStore, {array_element(k), read_at(k)}); });
    return builder_.op(spv::Op::OpLoad, access_.value, {array_});
  }

  Id read_at(Id k) {
    if (tensor_.layouts.empty()) return outside_;
    const Id inside = is_inside(k);
    return load(inside, location(k));
  }

  // --- writing ----------------------------------------------------------------------------------------------------

  void write_elements() {
    if (tensor_.layouts.empty()) return;
    locate();
    if (is_element()) return when(inside_, [&] { store(first_, value_); });
    if (length_) {
      for (std::uint32_t k = 0; k < *length_; ++k) {
        when(is_inside(builder_.constant_u32(k)), [&] {
          store(location(builder_.constant_u32(k)),
                builder_.op(spv::Op::OpCompositeExtract, tensor_.element, {value_, k}));
        });
      }
      return;
    }
    builder_.op_void(spv::Op::OpStore, {array_, value_});
    loop([&](Id k) {
      when(is_inside(k),
           [&] { store(location(k), builder_.op(spv::Op::OpLoad, tensor_.element, {array_element(k)})); });
    });
  }

  void store(Id element, Id value) {
    if (tensor_.declared.element == ElementType::Bool) {
      const Id wide = builder_.op(spv::Op::OpSelect, u32_, {value, builder_.constant_u32(1), builder_.constant_u32(0)});
      value = builder_.op(spv::Op::OpUConvert, stored_type(builder_, tensor_), {wide});
    }
    builder_.op_void(spv::Op::OpStore, Operands({pointer(element), value}).add(access_.memory));
  }

  // --- control flow -----------------------------------------------------------------------------------------------

  template <class Body>
  void when(Id condition, Body body) {
    const Id then = builder_.new_id(), merge = builder_.new_id();
    builder_.op_void(spv::Op::OpSelectionMerge, Operands({merge}).add(spv::SelectionControlMask::MaskNone));
    builder_.op_void(spv::Op::OpBranchConditional, {condition, then, merge});
    builder_.label(then);
    body();
    builder_.op_void(spv::Op::OpBranch, {merge});
    builder_.label(merge);
  }

  // For k from 0 to the length of the array.
  template <class Body>
  void loop(Body body) {
    const Id header = builder_.new_id(), check = builder_.new_id(), inner = builder_.new_id();
    const Id next = builder_.new_id(), merge = builder_.new_id();
    builder_.op_void(spv::Op::OpStore, {counter_, builder_.constant_u32(0)});
    builder_.op_void(spv::Op::OpBranch, {header});
    builder_.label(header);
    builder_.op_void(spv::Op::OpLoopMerge, Operands({merge, next}).add(spv::LoopControlMask::MaskNone));
    builder_.op_void(spv::Op::OpBranch, {check});
    builder_.label(check);
    const Id k = builder_.op(spv::Op::OpLoad, u32_, {counter_});
    const Id more = builder_.op(spv::Op::OpULessThan, builder_.type_bool(), {k, length_id_});
    builder_.op_void(spv::Op::OpBranchConditional, {more, inner, merge});
    builder_.label(inner);
    body(k);
    builder_.op_void(spv::Op::OpBranch, {next});
    builder_.label(next);
    builder_.op_void(spv::Op::OpStore, {counter_, add(k, builder_.constant_u32(1))});
    builder_.op_void(spv::Op::OpBranch, {header});
    builder_.label(merge);
  }

  Id array_element(Id k) {
    const Id type = builder_.type_pointer(spv::StorageClass::Function, tensor_.element);
    return builder_.op(spv::Op::OpAccessChain, type, {array_, k});
  }

  const View& view_;
  Builder& builder_;
  StrideConstants& strides_;
  const TensorAccess& access_;
  const TensorVariable& tensor_;
  const Id u32_;
  std::uint32_t rank_ = 0;
  Id length_id_ = 0;                     // of an array's length; 0 for a single element
  std::optional<std::uint32_t> length_;  // when the array is short

  // Ids of what the function computes.
  Id index_ = 0, coordinates_ = 0, outside_ = 0, value_ = 0, array_ = 0, counter_ = 0;
  Id inside_ = 0, first_ = 0, rest_ = 0, step_ = 0;
};

}  // namespace

Id StrideConstants::elements(std::uint32_t spec_id, std::uint32_t default_bytes, std::uint32_t element_size) {
  const Id u32 = builder_.type_int(32, false);
  const auto [bytes, fresh] = bytes_.try_emplace(spec_id);
  if (fresh) bytes->second = builder_.specialization_constant(u32, default_bytes, spec_id);
  const auto [quotient, is_new] = elements_.try_emplace({spec_id, element_size}, bytes->second);
  if (is_new && element_size != 1) {
    quotient->second = builder_.new_id();
    builder_.emit(Section::Globals, spv::Op::OpSpecConstantOp,
                  Operands({u32, quotient->second})
                      .add(spv::Op::OpUDiv)
                      .add(bytes->second)
                      .add(builder_.constant_u32(element_size)));
  }
  return quotient->second;
}

void AccessFunctions::declare(const TensorVariable& tensor) {
  const Id stored = stored_type(builder_, tensor);
  const auto [block, fresh] = blocks_.try_emplace(stored);
  if (fresh) {
    const std::uint32_t size = tensor::size_of(tensor.declared.element);
    const Id members[] = {builder_.type_runtime_array(stored, size)};
    block->second = builder_.type_struct(members);
    builder_.decorate(block->second, spv::Decoration::Block);
    builder_.decorate_member(block->second, 0, spv::Decoration::Offset, {0});
  }
  Id type = block->second;
  if (const Instruction* array = tensor.array == 0 ? nullptr : view_.module.definition(tensor.array)) {
    Words operands(array->operands.begin(), array->operands.end());
    operands[0] = builder_.new_id();
    operands[1] = type;
    builder_.emit(Section::Globals, array->op, Operands(operands));
    type = operands[0];
  }
  builder_.emit(Section::Globals, spv::Op::OpVariable,
                Operands({builder_.type_pointer(spv::StorageClass::StorageBuffer, type), tensor.variable->result})
                    .add(spv::StorageClass::StorageBuffer));
}

Result<Id> AccessFunctions::id(const TensorAccess& access, const Instruction& at) {
  const auto malformed = [&](std::string_view what) {
    return fail(DiagnosticKind::FileFormat, view_.module.location(at),
                formatted("an access to tensor `{}` {}", view_.label(access.tensor->variable->result), what));
  };
  const Instruction* integer = nullptr;
  if (is_array(view_.module, access.coordinates)) {
    integer = view_.module.definition(view_.module.definition(access.coordinates)->operand(1));
  }
  if (!is_integer(integer)) return malformed("whose coordinates are not integers");
  const auto rank = view_.constants.value(view_.module.definition(access.coordinates)->operand(2));
  const auto has_rank = [&](std::uint64_t wanted) { return rank == wanted; };
  constexpr std::uint64_t kMaxRank = 64;  // what no device reaches; for tensors without a layout
  if (!rank || *rank == 0 || *rank > kMaxRank ||
      (access.tensor->declared.rank && !has_rank(*access.tensor->declared.rank)) ||
      !std::ranges::all_of(access.tensor->layouts,
                           [&](const TensorLayout& layout) { return has_rank(layout.shape.size()); })) {
    return malformed("has another number of coordinates than the tensor has dimensions");
  }
  const Id element =
      is_array(view_.module, access.value) ? view_.module.definition(access.value)->operand(1) : access.value;
  if (element != access.tensor->element) return malformed("is of another type than its elements");

  Words key{access.tensor->variable->result,
            access.fixed_index,
            access.index,
            access.non_uniform,
            access.writes,
            access.coordinates,
            access.value,
            access.outside};
  key.insert(key.end(), access.memory.begin(), access.memory.end());
  const auto [known, fresh] = known_.try_emplace(std::move(key));
  if (fresh) {
    known->second = builder_.new_id();
    functions_.push_back({access, known->second});
  }
  return known->second;
}

Id AccessFunctions::size(const TensorVariable& tensor, std::uint64_t dimension, Id type, Id index, Id index_type) {
  if (tensor.layouts.empty()) return builder_.constant(type, 0);
  return select_layout(builder_, tensor, type, index, index_type, [&](const TensorLayout& layout) {
    return builder_.constant(type, static_cast<std::uint64_t>(layout.shape[dimension]));
  });
}

void AccessFunctions::write() {
  for (const auto& [access, id] : functions_) {
    const std::string_view name = view_.annotations.name(access.tensor->variable->result);
    if (!name.empty()) builder_.name(id, formatted("{} {}", access.writes ? "write" : "read", name));
    AccessFunction(view_, builder_, strides_, access).write(id);
  }
}

}  // namespace slipway::spirv
