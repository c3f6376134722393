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

// The members of TensorRecord by index: the address, strides, the shape.
constexpr std::uint32_t kFirstStride = 1, kFirstExtent = 1 + TensorRecord::kMaxRank;
static_assert(offsetof(TensorRecord, strides) == 8 && offsetof(TensorRecord, shape) == 8 + 8 * TensorRecord::kMaxRank);

// A member of a tensor's record. `index` is the descriptor index, 0 for a tensor that is not in an array.
Id record_member(Builder& builder, const TensorVariable& tensor, Id index, bool non_uniform, std::uint32_t member) {
  const Id type = builder.type_int(member < kFirstExtent ? 64 : 32, false);
  Operands chain({tensor.variable->result});
  if (index != 0) chain.add(index);
  const Id pointer = builder.op(spv::Op::OpAccessChain, builder.type_pointer(spv::StorageClass::Uniform, type),
                                chain.add(builder.constant_u32(member)));
  const Id value = builder.op(spv::Op::OpLoad, type, {pointer});
  if (non_uniform) {
    builder.decorate(pointer, spv::Decoration::NonUniform);
    builder.decorate(value, spv::Decoration::NonUniform);
  }
  return value;
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
  AccessFunction(const ModuleView& view, Builder& builder, StrideConstants& strides, const TensorAccess& access)
      : view_(view),
        builder_(builder),
        strides_(strides),
        access_(access),
        tensor_(*access.tensor),
        u32_(builder.type_int(32, false)),
        location_(access.tensor->by_record ? builder.type_int(64, false) : u32_) {
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
  bool is_empty() const { return tensor_.layouts.empty() && !tensor_.by_record; }

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

  Id record(std::uint32_t member) { return record_member(builder_, tensor_, index_, access_.non_uniform, member); }

  Id shape(std::size_t dimension) {
    if (tensor_.by_record) return record(kFirstExtent + static_cast<std::uint32_t>(dimension));
    return select([&](const TensorLayout& layout) {
      return builder_.constant_u32(static_cast<std::uint32_t>(layout.shape[dimension]));
    });
  }

  // In elements; by record in bytes.
  Id stride(std::size_t dimension) {
    if (tensor_.by_record) return record(kFirstStride + static_cast<std::uint32_t>(dimension));
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

  // A number of elements as wide as locations are.
  Id widened(Id count) { return tensor_.by_record ? builder_.op(spv::Op::OpUConvert, location_, {count}) : count; }
  Id times(Id count, Id step) {
    if (step == builder_.constant_u32(1)) return count;
    return builder_.op(spv::Op::OpIMul, location_, {widened(count), step});
  }

  // Finds `inside_`, whether the first element is inside the shape, `first_`, its location in the buffer, and for
  // arrays `rest_`: how many elements there are from it to the end of the innermost dimension, 0 when it is outside.
  void locate() {
    Id last = 0;
    for (std::uint32_t i = 0; i < rank_; ++i) {
      last = coordinate(i);
      const Id below = builder_.op(spv::Op::OpULessThan, builder_.type_bool(), {last, shape(i)});
      inside_ = i == 0 ? below : builder_.op(spv::Op::OpLogicalAnd, builder_.type_bool(), {inside_, below});
      const Id part = times(last, stride(i));
      first_ = i == 0 ? part : builder_.op(spv::Op::OpIAdd, location_, {first_, part});
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
    return builder_.op(spv::Op::OpIAdd, location_, {first_, times(k, step_)});
  }

  Id pointer(Id element) {
    const Id stored = stored_type(builder_, tensor_);
    if (tensor_.by_record) {
      const Id address = builder_.op(spv::Op::OpIAdd, location_, {record(0), element});
      return builder_.op(spv::Op::OpConvertUToPtr,
                         builder_.type_pointer(spv::StorageClass::PhysicalStorageBuffer, stored), {address});
    }
    const Id type = builder_.type_pointer(spv::StorageClass::StorageBuffer, stored);
    Operands chain({tensor_.variable->result});
    if (index_ != 0) chain.add(index_);
    const Id pointer = builder_.op(spv::Op::OpAccessChain, type, chain.add(builder_.constant_u32(0)).add(element));
    if (access_.non_uniform) builder_.decorate(pointer, spv::Decoration::NonUniform);
    return pointer;
  }

  // Memory operands: those of the shader; accesses by address have an alignment, whose literal comes first.
  Words memory() const {
    if (!tensor_.by_record) return access_.memory;
    Words all = access_.memory;
    if (all.empty()) all.push_back(0);
    all[0] |= static_cast<std::uint32_t>(spv::MemoryAccessMask::Aligned);
    if (tensor_.is_volatile) all[0] |= static_cast<std::uint32_t>(spv::MemoryAccessMask::Volatile);
    all.insert(all.begin() + 1, tensor::size_of(tensor_.declared.element));
    return all;
  }

  // --- reading ----------------------------------------------------------------------------------------------------

  Id load_from(Id at) {
    const Id stored = builder_.op(spv::Op::OpLoad, stored_type(builder_, tensor_), Operands({at}).add(memory()));
    if (tensor_.declared.element != ElementType::Bool) return stored;
    const Id wide = builder_.op(spv::Op::OpUConvert, u32_, {stored});
    return builder_.op(spv::Op::OpINotEqual, builder_.type_bool(), {wide, builder_.constant_u32(0)});
  }

  // Always loads, the first element when it is outside, so that there is no branch. A branch would not be enough for an
  // address: drivers for CPUs load by an address that all invocations share before they branch.
  Id load(Id inside, Id element) {
    const Id safe = builder_.op(spv::Op::OpSelect, location_, {inside, element, builder_.constant(location_, 0)});
    return builder_.op(spv::Op::OpSelect, tensor_.element, {inside, load_from(pointer(safe)), outside_});
  }

  // A tensor without elements reads as out of bounds.
  Id read() {
    if (is_empty()) {
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
    if (is_empty()) return outside_;
    const Id inside = is_inside(k);
    return load(inside, location(k));
  }

  // --- writing ----------------------------------------------------------------------------------------------------

  void write_elements() {
    if (is_empty()) return;
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
    builder_.op_void(spv::Op::OpStore, Operands({pointer(element), value}).add(memory()));
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

  const ModuleView& view_;
  Builder& builder_;
  StrideConstants& strides_;
  const TensorAccess& access_;
  const TensorVariable& tensor_;
  const Id u32_;
  const Id location_;  // the type of locations: indices of elements, by record bytes from the first one
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
  if (tensor.by_record && record_ == 0) {
    Words members(kFirstExtent, builder_.type_int(64, false));
    members.resize(kFirstExtent + TensorRecord::kMaxRank, builder_.type_int(32, false));
    record_ = builder_.type_struct(members);
    builder_.decorate(record_, spv::Decoration::Block);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
      const std::uint32_t offset = i < kFirstExtent ? 8 * i : 8 * kFirstExtent + 4 * (i - kFirstExtent);
      builder_.decorate_member(record_, i, spv::Decoration::Offset, {offset});
    }
  }
  const Id stored = stored_type(builder_, tensor);
  const auto [block, fresh] =
      tensor.by_record ? std::pair(blocks_.try_emplace(0, record_).first, false) : blocks_.try_emplace(stored);
  const spv::StorageClass storage = tensor.by_record ? spv::StorageClass::Uniform : spv::StorageClass::StorageBuffer;
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
                Operands({builder_.type_pointer(storage, type), tensor.variable->result}).add(storage));
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

Id AccessFunctions::size(const TensorVariable& tensor, std::uint64_t dimension, Id type, Id index, Id index_type,
                         bool non_uniform) {
  if (tensor.by_record) {
    const Id extent =
        record_member(builder_, tensor, index, non_uniform, kFirstExtent + static_cast<std::uint32_t>(dimension));
    const Instruction& integer = *view_.module.definition(type);
    const Id without_sign = builder_.type_int(integer.operand(1), false);
    const Id wide = integer.operand(1) == 32 ? extent : builder_.op(spv::Op::OpUConvert, without_sign, {extent});
    return type == without_sign ? wide : builder_.op(spv::Op::OpBitcast, type, {wide});
  }
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
