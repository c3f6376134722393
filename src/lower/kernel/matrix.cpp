// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chunks of sixteen bytes, and cooperative matrices of a subgroup (SPV_KHR_cooperative_matrix).
#include <spirv/unified1/spirv.hpp11>

#include "lower/kernel/kernel.hpp"

namespace slipway::lower {
namespace {

constexpr std::uint32_t kChunkBytes = 16;

// MatrixOrder::ByWords: PackedINTEL of SPV_INTEL_joint_matrix, which is not among the enumerants of Khronos. Only the
// CPU engine runs such kernels.
constexpr std::uint32_t kPackedLayout = 2;

}  // namespace

// --- chunks ---

spirv::Id Kernel::chunk_type() { return builder_.type_vector(builder_.type_int(32, false), 4); }

// The block type of an array of chunks for reading, declared on first use.
const Kernel::BlockTypes& Kernel::chunk_block(BlockTypes& types, spirv::Id chunk) {
  if (types.block_pointer) return types;
  types.element = chunk;
  const spirv::Id block = builder_.type_struct(Words{builder_.type_runtime_array(types.element, kChunkBytes)});
  builder_.decorate(block, spv::Decoration::Block);
  builder_.decorate_member(block, 0, spv::Decoration::Offset, {0});
  if (!grid_.linked) builder_.decorate_member(block, 0, spv::Decoration::NonWritable);
  types.block_pointer = builder_.type_pointer(spv::StorageClass::PhysicalStorageBuffer, block);
  types.element_pointer = builder_.type_pointer(spv::StorageClass::PhysicalStorageBuffer, types.element);
  return types;
}

BufferRef Kernel::chunk_buffer() {
  const BlockTypes& types = chunk_block(chunk_types_, chunk_type());
  const spirv::Id address = push_constant(first_address() + buffers());
  const spirv::Id first = prologue(spv::Op::OpConvertUToPtr, types.block_pointer, {address});
  buffers_.push_back(
      {ElementType::U32, Access::Read, address, types.element_pointer, types.element, types.block_pointer, first});
  return {buffers() - 1};
}

Chunk Kernel::load_chunk(BufferRef ref, Value index) {
  const Buffer buffer = buffers_[ref.index];
  const spirv::Id pointer = element_of(ref, index);
  return {op(spv::Op::OpLoad, buffer.element, {pointer, address_access(), kChunkBytes})};
}

std::vector<Value> Kernel::load_neighbours(Pointer from, std::int64_t offset, std::int64_t count) {
  constexpr std::int64_t kInChunk = 4;
  const bool chunks = buffers_[from.buffer].type == ElementType::F32 && offset % kInChunk == 0 && !grid_.native_vectors;
  std::vector<Value> all;
  while (chunks && std::ssize(all) + kInChunk <= count) {
    const spirv::Id real = type_id(Scalar::Float);
    const BlockTypes& types = chunk_block(float_chunk_types_, builder_.type_vector(real, kInChunk));
    const spirv::Id at = id(integer((offset + std::ssize(all)) / kInChunk)), zero = id(integer(0));
    const spirv::Id block = op(spv::Op::OpConvertUToPtr, types.block_pointer, {from.address});
    const spirv::Id place = op(spv::Op::OpAccessChain, types.element_pointer, {block, zero, at});
    // Chunks have the alignment of floats: they need not begin at a multiple of their size.
    const std::uint32_t alignment = tensor::size_of(ElementType::F32);
    const spirv::Id chunk = op_once(spv::Op::OpLoad, types.element, {place, address_access(), alignment});
    for (std::uint32_t i = 0; i < kInChunk; ++i)
      all.push_back(uniform_if(true, made(Scalar::Float, op(spv::Op::OpCompositeExtract, real, {chunk, i}))));
  }
  while (std::ssize(all) < count) all.push_back(load(from, offset + std::ssize(all)));
  return all;
}

Chunk Kernel::zero_chunk() { return {builder_.constant_null(chunk_type())}; }

Chunk Kernel::chunk_of(const std::array<Value, 4>& words) {
  const spirv::Id signed_words = builder_.type_vector(type_id(Scalar::Int), 4);
  const std::array ids = {id(words[0]), id(words[1]), id(words[2]), id(words[3])};
  const spirv::Id together = op(spv::Op::OpCompositeConstruct, signed_words, {ids[0], ids[1], ids[2], ids[3]});
  return {op(spv::Op::OpBitcast, chunk_type(), {together})};
}

Chunk Kernel::select(Value condition, Chunk yes, Chunk no) {
  if (condition.is(1)) return yes;
  const spirv::Id flags = builder_.type_vector(builder_.type_bool(), 4), one = id(condition);
  const spirv::Id all = op(spv::Op::OpCompositeConstruct, flags, {one, one, one, one});
  return {op(spv::Op::OpSelect, chunk_type(), {all, yes.id, no.id})};
}

ChunkVariable Kernel::variable(Chunk initial) {
  const ChunkVariable variable{builder_.new_id()};
  locals_.emplace_back(builder_.type_pointer(spv::StorageClass::Function, chunk_type()), variable.id);
  set(variable, initial);
  return variable;
}
Chunk Kernel::get(ChunkVariable variable) { return {op(spv::Op::OpLoad, chunk_type(), {variable.id})}; }
void Kernel::set(ChunkVariable variable, Chunk chunk) { op_void(spv::Op::OpStore, {variable.id, chunk.id}); }

SharedRef Kernel::shared_chunks(std::uint32_t count) {
  const spirv::Id array = builder_.type_array(chunk_type(), count);
  return {builder_.variable(builder_.type_pointer(spv::StorageClass::Workgroup, array), spv::StorageClass::Workgroup)};
}

void Kernel::store(SharedRef to, Value index, Chunk chunk) {
  op_void(spv::Op::OpStore, {shared_pointer(to, chunk_type(), index), chunk.id, shared_access()});
}

// --- matrices ---

spirv::Id Kernel::component_type(ElementType element) {
  switch (element) {
    case ElementType::I8:
      builder_.capability(spv::Capability::Int8);
      return builder_.type_int(8, true);
    case ElementType::I32:
      return builder_.type_int(32, true);
    case ElementType::F16:
      builder_.capability(spv::Capability::Float16);
      return builder_.type_float(16);
    case ElementType::BF16:
      builder_.capability(spv::Capability::BFloat16TypeKHR);
      builder_.capability(spv::Capability::BFloat16CooperativeMatrixKHR);
      builder_.extension("SPV_KHR_bfloat16");
      return builder_.type(spv::Op::OpTypeFloat, spirv::Operands({16, word(spv::FPEncoding::BFloat16KHR)}));
    default:
      return builder_.type_float(32);
  }
}

MatrixType Kernel::matrix_type(ElementType element, std::uint32_t rows, std::uint32_t columns, MatrixUse use) {
  builder_.capability(spv::Capability::CooperativeMatrixKHR);
  builder_.extension("SPV_KHR_cooperative_matrix");
  const spirv::Id component = component_type(element);
  const spirv::Id scope = builder_.constant_u32(word(spv::Scope::Subgroup));
  const spirv::Id type =
      builder_.type(spv::Op::OpTypeCooperativeMatrixKHR,
                    spirv::Operands({component, scope, builder_.constant_u32(rows), builder_.constant_u32(columns),
                                     builder_.constant_u32(static_cast<std::uint32_t>(use))}));
  return {type, component, tensor::info_of(element).kind == tensor::ElementKind::Signed};
}

MatrixVariable Kernel::matrix_variable(MatrixType type) {
  const MatrixVariable variable{builder_.new_id(), type};
  locals_.emplace_back(builder_.type_pointer(spv::StorageClass::Function, type.id), variable.id);
  set(variable, zero_matrix(type));
  return variable;
}

Matrix Kernel::zero_matrix(MatrixType type) {
  return {builder_.constant_composite(type.id, Words{builder_.constant(type.component, 0)}), type};
}

Matrix Kernel::get(MatrixVariable variable) {
  return {op(spv::Op::OpLoad, variable.type.id, {variable.id}), variable.type};
}
void Kernel::set(MatrixVariable variable, Matrix matrix) { op_void(spv::Op::OpStore, {variable.id, matrix.id}); }

Matrix Kernel::load_matrix(MatrixType type, SharedRef from, Value index, std::int64_t stride, bool by_column) {
  using enum spv::CooperativeMatrixLayout;
  const spirv::Id place = shared_pointer(from, chunk_type(), index);
  const spirv::Id layout = builder_.constant_u32(word(by_column ? ColumnMajorKHR : RowMajorKHR));
  return {op(spv::Op::OpCooperativeMatrixLoadKHR, type.id,
             {place, layout, builder_.constant_i32(static_cast<std::int32_t>(stride)), shared_access()}),
          type};
}

Matrix Kernel::load_matrix_of_reals(MatrixType type, SharedRef from, Value index, std::int64_t stride) {
  const spirv::Id place = shared_pointer(from, type_id(from.type), index);
  const spirv::Id layout = builder_.constant_u32(word(spv::CooperativeMatrixLayout::RowMajorKHR));
  return {op(spv::Op::OpCooperativeMatrixLoadKHR, type.id,
             {place, layout, builder_.constant_i32(static_cast<std::int32_t>(stride)), shared_access()}),
          type};
}

Matrix Kernel::load_matrix(MatrixType type, Pointer from, std::int64_t offset, std::int64_t stride, MatrixOrder order) {
  using enum spv::CooperativeMatrixLayout;
  const Buffer buffer = buffers_[from.buffer];
  const spirv::Id at = id(integer(offset)), zero = id(integer(0));
  const spirv::Id place = op(spv::Op::OpAccessChain, buffer.element_pointer, {from.id, zero, at});
  const std::uint32_t layout = order == MatrixOrder::ByRow      ? word(RowMajorKHR)
                               : order == MatrixOrder::ByColumn ? word(ColumnMajorKHR)
                                                                : kPackedLayout;
  return {op(spv::Op::OpCooperativeMatrixLoadKHR, type.id,
             {place, builder_.constant_u32(layout), builder_.constant_i32(static_cast<std::int32_t>(stride)),
              word(spv::MemoryAccessMask::Aligned), tensor::size_of(buffer.type)}),
          type};
}

// What other workgroups stored.
Matrix Kernel::load_matrix(MatrixType type, BufferRef exchange, Value index, std::int64_t stride) {
  using enum spv::MemoryAccessMask;
  const spirv::Id place = element_of(exchange, index);
  return {op(spv::Op::OpCooperativeMatrixLoadKHR, type.id,
             {place, builder_.constant_u32(word(spv::CooperativeMatrixLayout::RowMajorKHR)),
              builder_.constant_i32(static_cast<std::int32_t>(stride)),
              word(Aligned) | word(MakePointerVisible) | word(NonPrivatePointer), kChunkBytes, exchange_scope()}),
          type};
}

Matrix Kernel::add(Matrix a, Matrix b) {
  return {op(a.type.is_integer ? spv::Op::OpIAdd : spv::Op::OpFAdd, a.type.id, {a.id, b.id}), a.type};
}

Matrix Kernel::convert(Matrix floats, MatrixType type) { return {op(spv::Op::OpFConvert, type.id, {floats.id}), type}; }

Matrix Kernel::multiply_elements(Matrix a, Matrix b) { return {op(spv::Op::OpFMul, a.type.id, {a.id, b.id}), a.type}; }

Matrix Kernel::multiply_add(Matrix a, Matrix b, Matrix sum) {
  using enum spv::CooperativeMatrixOperandsMask;
  if (!sum.type.is_integer)
    return {op(spv::Op::OpCooperativeMatrixMulAddKHR, sum.type.id, {a.id, b.id, sum.id}), sum.type};
  const std::uint32_t signs = word(MatrixASignedComponentsKHR) | word(MatrixBSignedComponentsKHR) |
                              word(MatrixCSignedComponentsKHR) | word(MatrixResultSignedComponentsKHR);
  return {op(spv::Op::OpCooperativeMatrixMulAddKHR, sum.type.id, {a.id, b.id, sum.id, signs}), sum.type};
}

void Kernel::store_matrix(SharedRef to, Value index, Matrix matrix, std::int64_t stride) {
  const spirv::Id place = shared_pointer(to, type_id(to.type), index);
  op_void(spv::Op::OpCooperativeMatrixStoreKHR,
          {place, matrix.id, builder_.constant_u32(word(spv::CooperativeMatrixLayout::RowMajorKHR)),
           builder_.constant_i32(static_cast<std::int32_t>(stride)), shared_access()});
}

void Kernel::store_matrix(BufferRef to, Value index, Matrix matrix, std::int64_t stride) {
  const Buffer buffer = buffers_[to.index];
  const spirv::Id place = element_of(to, index);
  const spirv::Id layout = builder_.constant_u32(word(spv::CooperativeMatrixLayout::RowMajorKHR));
  const spirv::Id between = builder_.constant_i32(static_cast<std::int32_t>(stride));
  using enum spv::MemoryAccessMask;
  if (buffer.access == Access::Exchange) {
    op_void(spv::Op::OpCooperativeMatrixStoreKHR,
            {place, matrix.id, layout, between, word(Aligned) | word(MakePointerAvailable) | word(NonPrivatePointer),
             kChunkBytes, exchange_scope()});
  } else {
    op_void(spv::Op::OpCooperativeMatrixStoreKHR, {place, matrix.id, layout, between, address_access(), kChunkBytes});
  }
}

Value Kernel::subgroup_index() {
  builder_.capability(spv::Capability::GroupNonUniform);
  const spirv::Id index = built_in(spv::BuiltIn::SubgroupId, false);
  return made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {index}));
}
Value Kernel::subgroup_lane() {
  builder_.capability(spv::Capability::GroupNonUniform);
  const spirv::Id index = built_in(spv::BuiltIn::SubgroupLocalInvocationId, false);
  return made(Scalar::Int, prologue(spv::Op::OpBitcast, type_id(Scalar::Int), {index}));
}

}  // namespace slipway::lower
