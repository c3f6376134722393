// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of kernels: buffers, by descriptor or by address; shared memory; the encoding of elements; and the indices of
// an invocation.
#include <spirv/unified1/spirv.hpp11>

#include "lower/kernel/kernel.hpp"
#include "lower/kernel/small_floats.hpp"

namespace slipway::lower {
namespace {

constexpr std::uint32_t kWordBytes = 4;

}  // namespace

// --- buffers ---

// Narrow elements are loaded as bits.
spirv::Id Kernel::element_type_id(ElementType type) {
  const tensor::ElementTypeInfo& info = tensor::info_of(type);
  if (info.size == 1) {
    builder_.capability(spv::Capability::StorageBuffer8BitAccess);
    builder_.extension("SPV_KHR_8bit_storage");
  } else if (info.size == 2) {
    builder_.capability(spv::Capability::StorageBuffer16BitAccess);
  } else if (info.size == 8) {
    return type_id(Scalar::Long);
  }
  return type == ElementType::F32 ? builder_.type_float(32) : builder_.type_int(info.size * 8, info.size >= 4);
}

Kernel::BlockTypes Kernel::block_types(ElementType type, Access access) {
  BlockTypes& types = block_types_[{type, access}];
  if (types.block_pointer) return types;
  const auto storage = grid_.addresses ? spv::StorageClass::PhysicalStorageBuffer : spv::StorageClass::StorageBuffer;
  types.element = element_type_id(type);
  const spirv::Id block =
      builder_.type_struct(Words{builder_.type_runtime_array(types.element, tensor::info_of(type).size)});
  builder_.decorate(block, spv::Decoration::Block);
  builder_.decorate_member(block, 0, spv::Decoration::Offset, {0});
  if (grid_.addresses && !grid_.linked && access != Access::Exchange)
    builder_.decorate_member(block, 0,
                             access == Access::Read ? spv::Decoration::NonWritable : spv::Decoration::NonReadable);
  types.block_pointer = builder_.type_pointer(storage, block);
  types.element_pointer = builder_.type_pointer(storage, types.element);
  return types;
}

BufferRef Kernel::buffer(ElementType type, Access access) {
  if (grid_.addresses) return address_buffer(type, access);
  const bool by_words = !grid_.narrow_accesses && tensor::size_of(type) < kWordBytes;
  const BlockTypes types = block_types(by_words ? ElementType::I32 : type, access);
  const spirv::Id variable = builder_.variable(types.block_pointer, spv::StorageClass::StorageBuffer);
  builder_.decorate(variable, spv::Decoration::DescriptorSet, {0});
  builder_.decorate(variable, spv::Decoration::Binding, {buffers()});
  if (access == Access::Read)
    builder_.decorate(variable, spv::Decoration::NonWritable);
  else if (!by_words)
    builder_.decorate(variable, spv::Decoration::NonReadable);
  buffers_.push_back({type, access, variable, types.element_pointer, types.element});
  buffers_.back().by_words = by_words;
  return {buffers() - 1};
}

BufferRef Kernel::address_buffer(ElementType type, Access access) {
  const BlockTypes types = block_types(type, access);
  const spirv::Id address = push_constant(first_address() + buffers());
  const spirv::Id first = prologue(spv::Op::OpConvertUToPtr, types.block_pointer, {address});
  buffers_.push_back({type, access, address, types.element_pointer, types.element, types.block_pointer, first});
  return {buffers() - 1};
}

// The block of push constants is declared at the end, when all members are known. Eight bytes with two numbers come
// before the addresses of a linked kernel.
spirv::Id Kernel::push_constant(std::uint32_t member) {
  const spirv::Id type = builder_.type_int(64, false);
  builder_.capability(spv::Capability::Int64);
  if (!push_constants_) push_constants_ = builder_.new_id();
  const spirv::Id pointer_type = builder_.type_pointer(spv::StorageClass::PushConstant, type);
  const spirv::Id pointer = prologue(spv::Op::OpAccessChain, pointer_type,
                                     {push_constants_, builder_.constant_i32(static_cast<std::int32_t>(member))});
  return prologue(spv::Op::OpLoad, type, {pointer});
}

void Kernel::declare_push_constants() {
  if (!push_constants_) return;
  const std::uint32_t members = first_address() + buffers();
  const spirv::Id block = builder_.type_struct(Words(members, builder_.type_int(64, false)));
  builder_.decorate(block, spv::Decoration::Block);
  for (std::uint32_t i = 0; i < members; ++i) builder_.decorate_member(block, i, spv::Decoration::Offset, {8 * i});
  const spirv::Id type = builder_.type_pointer(spv::StorageClass::PushConstant, block);
  builder_.emit(spirv::Section::Globals, spv::Op::OpVariable,
                spirv::Operands({type, push_constants_}).add(spv::StorageClass::PushConstant));
}

spirv::Id Kernel::load_raw(const Buffer& buffer, spirv::Id pointer) {
  // A kernel does not write the buffers that it reads, so a load is a pure expression.
  if (!grid_.addresses) return op_once(spv::Op::OpLoad, buffer.element, {pointer});
  return op_once(spv::Op::OpLoad, buffer.element, {pointer, address_access(), tensor::info_of(buffer.type).size});
}

// In the Vulkan memory model, what linked dispatches write and read is marked.
std::uint32_t Kernel::address_access() const {
  using enum spv::MemoryAccessMask;
  return word(Aligned) | (grid_.linked ? word(NonPrivatePointer) : 0);
}

Value Kernel::load(BufferRef ref, Value index) {
  if (index.base_) return load_lanes(pointer(ref, *index.base_), index.base_->offset);
  const Buffer buffer = buffers_[ref.index];
  if (buffer.by_words) return load_from_word(buffer, index);
  const spirv::Id at = id(index), zero = id(integer(0));
  const spirv::Id from = grid_.addresses ? buffer.first : buffer.variable;
  const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {from, zero, at});
  return uniform_if(index.uniform_, decode(buffer.type, widened(buffer.type, load_raw(buffer, pointer))));
}

void Kernel::store(BufferRef ref, Value index, Value value) {
  const Buffer buffer = buffers_[ref.index];
  if (buffer.by_words) return store_to_word(buffer, index, value);
  const spirv::Id at = id(index), zero = id(integer(0)), raw = encode(buffer.type, value);
  if (!grid_.addresses) {
    const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {buffer.variable, zero, at});
    op_void(spv::Op::OpStore, {pointer, raw});
    return;
  }
  spirv::Id block = buffer.first, place = at;
  if (index.base_) {
    block = pointer(ref, *index.base_).id;
    place = id(*local_index_ + index.base_->offset);
  }
  const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {block, zero, place});
  op_void(spv::Op::OpStore, {pointer, raw, address_access(), tensor::info_of(buffer.type).size});
}

// --- elements of 8 and 16 bits in words of 32 bits ---

namespace {

// Where an element is: the index of its word, and its first bit there.
struct InWord {
  Value word, shift;
};
InWord in_word(ElementType type, Value index) {
  const std::int64_t bytes = tensor::size_of(type), count = kWordBytes / bytes;
  return {index >> (count == 4 ? 2 : 1), (index & (count - 1)) * (8 * bytes)};
}

}  // namespace

Value Kernel::load_from_word(const Buffer& buffer, Value index) {
  const InWord at = in_word(buffer.type, index);
  const spirv::Id zero = id(integer(0)), word_index = id(at.word);
  const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {buffer.variable, zero, word_index});
  const Value all = made(Scalar::Int, load_raw(buffer, pointer));
  const std::int64_t unused = 32 - 8 * static_cast<std::int64_t>(tensor::size_of(buffer.type));
  const Value top = all << (integer(unused) - at.shift);
  const bool is_unsigned = buffer.type == ElementType::U8 || buffer.type == ElementType::U16;
  return decode(buffer.type, is_unsigned ? shift_right_logical(top, integer(unused)) : top >> unused);
}

// Other invocations change the other parts of the word at the same time.
void Kernel::store_to_word(const Buffer& buffer, Value index, Value value) {
  const InWord at = in_word(buffer.type, index);
  const Value mask = integer(tensor::size_of(buffer.type) == 1 ? 0xff : 0xffff) << at.shift;
  const Value bits = (bits_of_element(buffer.type, value) << at.shift) & mask;
  const spirv::Id zero = id(integer(0)), word_index = id(at.word), cleared = id(~mask), set = id(bits);
  const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {buffer.variable, zero, word_index});
  const spirv::Id scope = builder_.constant_u32(static_cast<std::uint32_t>(spv::Scope::Device));
  const spirv::Id relaxed = builder_.constant_u32(static_cast<std::uint32_t>(spv::MemorySemanticsMask::MaskNone));
  op_each(spv::Op::OpAtomicAnd, type_id(Scalar::Int), {pointer, scope, relaxed, cleared});
  op_each(spv::Op::OpAtomicOr, type_id(Scalar::Int), {pointer, scope, relaxed, set});
}

// --- pointers ---

Pointer Kernel::pointer(BufferRef ref, const Value::Base& base) {
  return pointer(ref, base.id ? uniform_if(true, made(Scalar::Int, base.id)) : integer(0));
}

Pointer Kernel::pointer(BufferRef ref, Value first) {
  const Buffer& buffer = buffers_[ref.index];
  return advanced({ref.index, buffer.first, buffer.variable}, first);
}

Pointer Kernel::advanced(Pointer from, Value elements) {
  if (elements.is(0)) return from;
  const Buffer buffer = buffers_[from.buffer];
  const Value bytes = to_long(elements) * static_cast<std::int64_t>(tensor::info_of(buffer.type).size);
  const spirv::Id type = builder_.type_int(64, false);
  const spirv::Id offset = op(spv::Op::OpBitcast, type, {id(bytes)});
  const spirv::Id address = op(spv::Op::OpIAdd, type, {from.address, offset});
  return {from.buffer, op(spv::Op::OpConvertUToPtr, buffer.block_pointer, {address}), address};
}

Value Kernel::load(Pointer from, std::int64_t offset) {
  const Buffer buffer = buffers_[from.buffer];
  const spirv::Id at = id(integer(offset)), zero = id(integer(0));
  const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {from.id, zero, at});
  return uniform_if(true, decode(buffer.type, widened(buffer.type, load_raw(buffer, pointer))));
}

// Loads all elements and then selects: a selection between loads would become a branch. Narrow elements are widened
// first, because there is no arithmetic on them.
Value Kernel::load_lanes(Pointer from, std::int64_t offset) {
  const Buffer buffer = buffers_[from.buffer];
  if (grid_.native_vectors) {
    const spirv::Id at = id(local_index() + offset), zero = id(integer(0));
    const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {from.id, zero, at});
    return decode(buffer.type, widened(buffer.type, load_raw(buffer, pointer)));
  }
  lane_id();
  std::vector<Value> elements;
  if (buffer.type == ElementType::F32) {
    elements = load_neighbours(from, offset, grid_.lanes);
  } else {
    const spirv::Id zero = id(integer(0));
    for (std::uint32_t lane = 0; lane < grid_.lanes; ++lane) {
      const spirv::Id at = id(integer(offset + lane));
      const spirv::Id pointer = op(spv::Op::OpAccessChain, buffer.element_pointer, {from.id, zero, at});
      elements.push_back(widened(buffer.type, load_raw(buffer, pointer)));
    }
  }
  Value chosen = elements[0];
  chosen.uniform_ = false;
  for (std::uint32_t lane = 1; lane < grid_.lanes; ++lane)
    chosen = made(chosen.type_,
                  op(spv::Op::OpSelect, type_id(chosen.type_), {lane_is_[lane], elements[lane].id_, chosen.id_}));
  return decode(buffer.type, chosen);
}

// The stated alignment is the minimum that Vulkan permits. Only the CPU engine runs such kernels, and it ignores it.
Value Kernel::load_word(Pointer from, std::int64_t offset) {
  const BlockTypes types = block_types(ElementType::I32, Access::Read);
  spirv::Id address = from.address;
  if (offset != 0) {
    const spirv::Id type = builder_.type_int(64, false);
    address = op(spv::Op::OpIAdd, type, {address, builder_.constant(type, static_cast<std::uint64_t>(offset))});
  }
  const spirv::Id zero = id(integer(0));
  const spirv::Id block = op(spv::Op::OpConvertUToPtr, types.block_pointer, {address});
  const spirv::Id pointer = op(spv::Op::OpAccessChain, types.element_pointer, {block, zero, zero});
  const auto aligned = static_cast<std::uint32_t>(spv::MemoryAccessMask::Aligned);
  return uniform_if(true, made(Scalar::Int, op_once(spv::Op::OpLoad, types.element, {pointer, aligned, 4})));
}

// --- shared memory ---

SharedRef Kernel::shared(Scalar type, std::uint32_t count) {
  const spirv::Id array = builder_.type_array(type_id(type), count);
  return {builder_.variable(builder_.type_pointer(spv::StorageClass::Workgroup, array), spv::StorageClass::Workgroup),
          type};
}

// In the Vulkan memory model, accesses that other invocations must observe are marked.
std::uint32_t Kernel::shared_access() const {
  return static_cast<std::uint32_t>(grid_.vulkan_memory_model ? spv::MemoryAccessMask::NonPrivatePointer
                                                              : spv::MemoryAccessMask::MaskNone);
}

spirv::Id Kernel::shared_pointer(SharedRef of, spirv::Id element_type, Value index) {
  const spirv::Id at = id(index);
  return op(spv::Op::OpAccessChain, builder_.type_pointer(spv::StorageClass::Workgroup, element_type), {of.id, at});
}

Value Kernel::load(SharedRef from, Value index) {
  const spirv::Id type = type_id(from.type), place = shared_pointer(from, type, index);
  return made(from.type, op(spv::Op::OpLoad, type, {place, shared_access()}));
}

void Kernel::store(SharedRef to, Value index, Value value) {
  const spirv::Id what = id(value), place = shared_pointer(to, type_id(to.type), index);
  op_void(spv::Op::OpStore, {place, what, shared_access()});
}

void Kernel::barrier() { barrier(spv::Scope::Workgroup); }
void Kernel::subgroup_barrier() { barrier(spv::Scope::Subgroup); }

void Kernel::barrier(spv::Scope among, bool exchanged) {
  using enum spv::MemorySemanticsMask;
  std::uint32_t semantics = word(AcquireRelease) | word(WorkgroupMemory);
  if (grid_.vulkan_memory_model) semantics |= word(MakeAvailable) | word(MakeVisible);
  if (exchanged) semantics |= word(UniformMemory);
  const spirv::Id scope = builder_.constant_u32(word(among));
  op_void(spv::Op::OpControlBarrier, {scope, scope, builder_.constant_u32(semantics)});
}

// --- between workgroups ---

// The scope of the device needs a feature of its own; all workgroups of a dispatch are in one queue family.
spirv::Id Kernel::exchange_scope() { return builder_.constant_u32(word(spv::Scope::QueueFamily)); }

std::uint32_t Kernel::exchange_semantics() const {
  using enum spv::MemorySemanticsMask;
  return word(AcquireRelease) | word(UniformMemory) | word(MakeAvailable) | word(MakeVisible);
}

// A pointer to an element of a buffer by address.
spirv::Id Kernel::element_of(BufferRef ref, Value index) {
  const Buffer& buffer = buffers_[ref.index];
  const spirv::Id at = id(index), zero = id(integer(0));
  return op(spv::Op::OpAccessChain, buffer.element_pointer, {buffer.first, zero, at});
}

Value Kernel::is_last_of(BufferRef ref, Value index, std::int64_t count) {
  const SharedRef before = shared(Scalar::Int, 1);
  barrier(spv::Scope::Workgroup, true);
  when(local_index() == 0, [&] {
    const spirv::Id counter = element_of(ref, index), zero = id(integer(0)), scope = exchange_scope();
    const Value others =
        made(Scalar::Int, op_each(spv::Op::OpAtomicIAdd, type_id(Scalar::Int),
                                  {counter, scope, builder_.constant_u32(exchange_semantics()), id(integer(1))}));
    store(before, integer(0), others);
    // For the next stage, which waits for this one.
    when(others == count - 1, [&] {
      op_void(spv::Op::OpAtomicStore,
              {counter, scope, builder_.constant_u32(word(spv::MemorySemanticsMask::MaskNone)), zero});
    });
  });
  barrier(spv::Scope::Workgroup, true);
  return uniform_if(true, load(before, integer(0)) == count - 1);
}

// Of the two before the addresses.
Value Kernel::link_number(std::int64_t index) {
  const spirv::Id wide = builder_.type_int(64, false);
  const spirv::Id bits = builder_.constant(wide, static_cast<std::uint64_t>(32 * index));
  const spirv::Id shifted = prologue(spv::Op::OpShiftRightLogical, wide, {push_constant(0), bits});
  const spirv::Id narrow = prologue(spv::Op::OpUConvert, builder_.type_int(32, false), {shifted});
  return uniform_if(true, made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {narrow})));
}

// Polls without ordering, which would discard what is cached each time.
void Kernel::wait_for_stage(BufferRef ref) {
  const Value workgroups = link_number(0);
  when(workgroups != 0, [&] {
    when(local_index() == 0, [&] {
      const spirv::Id counter = element_of(ref, integer(0)), scope = exchange_scope();
      const spirv::Id relaxed = builder_.constant_u32(word(spv::MemorySemanticsMask::MaskNone));
      const spirv::Id header = builder_.new_id(), again = builder_.new_id(), after = builder_.new_id();
      op_void(spv::Op::OpBranch, {header});
      op_void(spv::Op::OpLabel, {header});
      const Value counted =
          made(Scalar::Int, op_each(spv::Op::OpAtomicLoad, type_id(Scalar::Int), {counter, scope, relaxed}));
      const spirv::Id done = id(counted == workgroups);
      op_void(spv::Op::OpLoopMerge, {after, again, word(spv::LoopControlMask::DontUnroll)});
      op_void(spv::Op::OpBranchConditional, {done, after, again});
      op_void(spv::Op::OpLabel, {again});
      op_void(spv::Op::OpBranch, {header});
      op_void(spv::Op::OpLabel, {after});
      using enum spv::MemorySemanticsMask;
      op_void(spv::Op::OpMemoryBarrier,
              {scope, builder_.constant_u32(word(Acquire) | word(UniformMemory) | word(MakeVisible))});
    });
    barrier(spv::Scope::Workgroup, true);
  });
}

void Kernel::count_for_stage(BufferRef ref) {
  when(link_number(1) != 0, [&] {
    barrier(spv::Scope::Workgroup, true);
    when(local_index() == 0, [&] {
      const spirv::Id counter = element_of(ref, integer(0));
      using enum spv::MemorySemanticsMask;
      const std::uint32_t semantics = word(Release) | word(UniformMemory) | word(MakeAvailable);
      op_each(spv::Op::OpAtomicIAdd, type_id(Scalar::Int),
              {counter, exchange_scope(), builder_.constant_u32(semantics), id(integer(1))});
    });
  });
}

// --- indices of an invocation ---

spirv::Id Kernel::prologue(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands) {
  const spirv::Id result = builder_.new_id();
  Words words = {type, result};
  words.insert(words.end(), operands);
  prologue_.push_back({op, std::move(words)});
  return result;
}

spirv::Id Kernel::built_in(spv::BuiltIn what, bool vector) {
  spirv::Id& known = built_ins_[what];
  if (known) return known;
  const spirv::Id unsigned_int = builder_.type_int(32, false);
  const spirv::Id type = vector ? builder_.type_vector(unsigned_int, 3) : unsigned_int;
  const spirv::Id variable =
      builder_.variable(builder_.type_pointer(spv::StorageClass::Input, type), spv::StorageClass::Input);
  builder_.decorate(variable, spv::Decoration::BuiltIn, spirv::Operands().add(what));
  interface_.push_back(variable);
  return known = prologue(spv::Op::OpLoad, type, {variable});
}

spirv::Id Kernel::prologue_part(spirv::Id vector, std::uint32_t component) {
  return prologue(spv::Op::OpCompositeExtract, builder_.type_int(32, false), {vector, component});
}

// The index of an invocation in its workgroup; for a single vector, in a form that the driver's compiler recognises.
spirv::Id Kernel::lane_id() {
  if (lane_) return lane_;
  if (!grid_.lanes) return lane_ = built_in(spv::BuiltIn::LocalInvocationIndex, false);
  builder_.capability(spv::Capability::GroupNonUniform);
  lane_ = built_in(spv::BuiltIn::SubgroupLocalInvocationId, false);
  for (std::uint32_t lane = 0; lane < grid_.lanes && !grid_.native_vectors; ++lane)
    lane_is_.push_back(prologue(spv::Op::OpIEqual, builder_.type_bool(), {lane_, builder_.constant_u32(lane)}));
  return lane_;
}

Value Kernel::local_index() {
  if (local_index_) return *local_index_;
  Value index = made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {lane_id()}));
  if (grid_.lanes) index.base_ = Value::Base{};
  return *(local_index_ = index);
}

Value Kernel::from_lane(Value value, std::uint32_t lane) {
  builder_.capability(spv::Capability::GroupNonUniformBallot);
  const spirv::Id scope = builder_.constant_u32(static_cast<std::uint32_t>(spv::Scope::Subgroup));
  const spirv::Id from = id(value), lane_index = builder_.constant_u32(lane);
  return uniform_if(true, made(value.type_, op(spv::Op::OpGroupNonUniformBroadcast, type_id(value.type_),
                                               {scope, from, lane_index})));
}

Value Kernel::without_lane(Value value) {
  if (!value.base_) return value;
  const Value uniform = value.base_->id ? uniform_if(true, made(Scalar::Int, value.base_->id)) : integer(0);
  return uniform + value.base_->offset;
}

Value Kernel::gathered(Value value) const {
  value.base_.reset();
  return value;
}

Value Kernel::group_index() {
  if (group_index_) return *group_index_;
  const spirv::Id unsigned_int = builder_.type_int(32, false);
  const spirv::Id group = built_in(spv::BuiltIn::WorkgroupId, true),
                  groups = built_in(spv::BuiltIn::NumWorkgroups, true);
  const spirv::Id row = prologue(spv::Op::OpIMul, unsigned_int, {prologue_part(group, 1), prologue_part(groups, 0)});
  const spirv::Id index = prologue(spv::Op::OpIAdd, unsigned_int, {row, prologue_part(group, 0)});
  group_index_ = uniform_if(true, made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {index})));
  return *group_index_;
}

Value Kernel::groups_deep() {
  const spirv::Id groups = built_in(spv::BuiltIn::NumWorkgroups, true);
  return uniform_if(true,
                    made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {prologue_part(groups, 2)})));
}

Value Kernel::element_index() {
  if (!element_index_) element_index_ = group_index() * grid_.local_size + local_index();
  return *element_index_;
}

// --- elements ---

// A loaded element, at least 32 bits wide. Unsigned integers are zero-extended, all others sign-extended.
Value Kernel::widened(ElementType type, spirv::Id raw) {
  if (type == ElementType::F32) return made(Scalar::Float, raw);
  const std::uint32_t size = tensor::size_of(type);
  if (size == 8) return made(Scalar::Long, raw);
  if (size == 4) return made(Scalar::Int, raw);
  if (type != ElementType::U8 && type != ElementType::U16)
    return made(Scalar::Int, op(spv::Op::OpSConvert, type_id(Scalar::Int), {raw}));
  const spirv::Id wide = op(spv::Op::OpUConvert, builder_.type_int(32, false), {raw});
  return made(Scalar::Int, op(spv::Op::OpBitcast, type_id(Scalar::Int), {wide}));
}

// The value that the bits of an element represent.
Value Kernel::decode(ElementType type, Value bits) {
  switch (type) {
    case ElementType::Bool:
      return bits != 0;
    case ElementType::F16:
      return float_from_f16(*this, bits);
    case ElementType::BF16:
      return float_of_bits(bits << 16);
    case ElementType::F8E4M3:
      return float_from_e4m3(*this, bits);
    case ElementType::F8E5M2:
      return float_from_f16(*this, bits << 8);
    default:
      return bits;
  }
}

// The bits of an element of 8 or 16 bits, in the low part of an int; its upper bits are not defined.
Value Kernel::bits_of_element(ElementType type, Value value) {
  switch (type) {
    case ElementType::F16:
      return f16_bits(*this, value);
    case ElementType::BF16:
      return bf16_bits(*this, value);
    case ElementType::F8E4M3:
      return e4m3_bits(*this, value);
    case ElementType::F8E5M2:
      return e5m2_bits(*this, value);
    default:
      return to_int(value);
  }
}

spirv::Id Kernel::encode(ElementType type, Value value) {
  const std::uint32_t size = tensor::size_of(type);
  if (size < kWordBytes) {
    const spirv::Id narrow = builder_.type_int(8 * size, false), from = id(bits_of_element(type, value));
    return op(spv::Op::OpUConvert, narrow, {op(spv::Op::OpBitcast, builder_.type_int(32, false), {from})});
  }
  if (type == ElementType::F32) return id(value);
  return id(size == 8 ? to_long(value) : to_int(value));
}

}  // namespace slipway::lower
