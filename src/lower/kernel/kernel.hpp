// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small embedded language for compute kernels: values with operators, loops, loads and stores over typed buffers. It
// is compiled to SPIR-V.
//
//   Kernel kernel;
//   const BufferRef x = kernel.buffer(ElementType::I8, Access::Read);
//   const BufferRef y = kernel.buffer(ElementType::I32, Access::Write);
//   const Value i = kernel.element_index();
//   kernel.when(i < kernel.integer(count), [&] { kernel.store(y, i, kernel.load(x, i) * 3); });
//   Words words = kernel.finish();
//
// Arithmetic uses few types: booleans, 32-bit and 64-bit integers, 32-bit floats. Narrow elements are widened when
// loaded, and rounded or truncated when stored. Integers that are known while the kernel is built are folded, so that
// shapes and strides cost nothing. Integer arithmetic wraps; floats are never contracted, and NaN and infinities are
// recognised by their bits.
//
// A kernel accesses buffers in one of two ways. Plain: through descriptors. With addresses: buffers are 64-bit
// addresses in push constants, without any checks, and a workgroup may be one subgroup whose `lanes` run as one vector
// (software drivers). There, a load whose index is a uniform value plus the lane becomes one uniform load for each
// lane, from which each lane selects its own: the driver's compiler makes one vector load of that. Any other index that
// differs by lane is gathered element by element. With `native_vectors` such a load is one instruction, in which each
// lane reads its own element.
#pragma once

#include <array>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "lower/float_facts.hpp"
#include "spirv/builder.hpp"
#include "tensor/element_type.hpp"

namespace spv {
enum class Scope : unsigned;
}

namespace slipway::lower {

// The number of an enumerant of SPIR-V, an operand of an instruction.
template <class E>
constexpr std::uint32_t word(E enumerant) {
  return static_cast<std::uint32_t>(enumerant);
}

using spirv::Words;
using tensor::ElementType;

enum class Scalar : std::uint8_t { Bool, Int, Long, Float };  // bool, int32, int64, float32

class Kernel;

// A value in a kernel that is being built. Copies refer to the same value.
class Value {
 public:
  Value() = default;
  Scalar type() const { return type_; }
  // The value of an integer or boolean, if it is known while the kernel is built.
  std::optional<std::int64_t> known() const { return known_; }
  bool is(std::int64_t value) const { return known_ == value; }
  // Equal identities mean equal values: both known, or one common subexpression.
  std::pair<bool, std::int64_t> identity() const { return {known_.has_value(), known_ ? *known_ : id_}; }

  friend Value operator+(Value a, Value b);
  friend Value operator-(Value a, Value b);
  friend Value operator*(Value a, Value b);
  friend Value operator-(Value a);
  // Integers: truncated; a division by zero, or of the minimum by -1, has an unspecified result. Floats: the division
  // of the device.
  friend Value operator/(Value a, Value b);
  friend Value operator&(Value a, Value b);  // bitwise, or logical and of booleans
  friend Value operator|(Value a, Value b);
  friend Value operator^(Value a, Value b);
  friend Value operator~(Value a);
  friend Value operator!(Value a);
  friend Value operator<<(Value a, Value bits);
  friend Value operator>>(Value a, Value bits);  // arithmetic
  friend Value operator==(Value a, Value b);     // ordered: false for NaN
  friend Value operator!=(Value a, Value b);
  friend Value operator<(Value a, Value b);
  friend Value operator<=(Value a, Value b);
  friend Value operator>(Value a, Value b) { return b < a; }
  friend Value operator>=(Value a, Value b) { return b <= a; }
  // With a constant of the same type.
  friend Value operator+(Value a, std::int64_t b);
  friend Value operator-(Value a, std::int64_t b);
  friend Value operator*(Value a, std::int64_t b);
  friend Value operator/(Value a, std::int64_t b);
  friend Value operator&(Value a, std::int64_t b);
  friend Value operator<<(Value a, std::int64_t b);
  friend Value operator>>(Value a, std::int64_t b);
  friend Value operator==(Value a, std::int64_t b);
  friend Value operator!=(Value a, std::int64_t b);
  friend Value operator<(Value a, std::int64_t b);
  friend Value operator<=(Value a, std::int64_t b);
  friend Value operator>(Value a, std::int64_t b);
  friend Value operator>=(Value a, std::int64_t b);

 private:
  friend class Kernel;
  Value(Kernel* kernel, Scalar type, spirv::Id id) : kernel_(kernel), type_(type), id_(id) {}
  Value(Kernel* kernel, Scalar type, std::int64_t known)
      : kernel_(kernel), type_(type), known_(known), uniform_(true) {}

  Kernel* kernel_ = nullptr;
  Scalar type_ = Scalar::Int;
  spirv::Id id_ = 0;
  std::optional<std::int64_t> known_;
  bool uniform_ = false;  // known to be the same in all invocations of a workgroup
  // A uniform value, plus a constant, plus the lane. Id 0: only constant and lane.
  struct Base {
    spirv::Id id = 0;
    std::int64_t offset = 0;
  };
  std::optional<Base> base_;
};

// Exchange: workgroups of a dispatch write elements that others read (is_last_of). Only matrices and counters; with
// addresses and the Vulkan memory model.
enum class Access : std::uint8_t { Read, Write, Exchange };
struct BufferRef {
  std::uint32_t index = 0;  // binding in set 0, or address in the push constants, in the order of the calls
};
// An element of a buffer and those after it.
struct Pointer {
  std::uint32_t buffer = 0;
  spirv::Id id = 0;
  spirv::Id address = 0;  // the same as a 64-bit integer
};
// An array in shared memory.
struct SharedRef {
  spirv::Id id = 0;
  Scalar type = Scalar::Float;
};
// Sixteen bytes without a type.
struct Chunk {
  spirv::Id id = 0;
};
struct ChunkVariable {
  spirv::Id id = 0;
};
// A matrix that the invocations of a subgroup hold together. The enumerators have the values of SPIR-V.
enum class MatrixUse : std::uint8_t { A = 0, B = 1, Sum = 2 };
// The order of the elements of a matrix in memory. By words: a word of 32 bits has the elements of two or four rows of
// one column, and a row of words comes after the other; strides count words.
enum class MatrixOrder : std::uint8_t { ByRow, ByColumn, ByWords };
struct MatrixType {
  spirv::Id id = 0, component = 0;
  bool is_integer = false;  // signed
};
struct Matrix {
  spirv::Id id = 0;
  MatrixType type;
};
struct MatrixVariable {
  spirv::Id id = 0;
  MatrixType type;
};
struct Variable {
  spirv::Id id = 0;
  Scalar type = Scalar::Int;
};

inline constexpr std::uint32_t kLocalSize = 64;  // invocations of a workgroup, in one dimension

// How a kernel is spread over invocations, and how it accesses buffers.
struct Grid {
  std::uint32_t local_size = kLocalSize;  // invocations of a workgroup, in one dimension
  bool addresses = false;                 // buffers by address
  std::uint32_t lanes = 0;           // not 0: a workgroup is one subgroup of this many invocations; needs addresses
  bool vulkan_memory_model = false;  // for cooperative matrices
  // Can wait for the dispatches before it in its own code (Kernel::wait_for_stage), which may run at the same time;
  // with addresses and the Vulkan memory model.
  bool linked = false;
  bool plain = false;           // by address only because descriptors are not wanted
  bool native_vectors = false;  // with lanes: see DeviceFacts
  bool narrow_accesses = true;  // see DeviceFacts; always with addresses
  bool longs = true;            // see DeviceFacts; always with addresses
};

struct LongParts;

class Kernel {
 public:
  explicit Kernel(FloatFacts floats = {}, Grid grid = {});
  Kernel(const Kernel&) = delete;
  const FloatFacts& floats() const { return floats_; }
  const Grid& grid() const { return grid_; }
  bool is_for_gpu() const { return grid_.addresses && !grid_.lanes && !grid_.plain; }

  // --- constants ---
  Value integer(std::int64_t value) { return Value(this, Scalar::Int, value); }
  Value long_integer(std::int64_t value) { return Value(this, Scalar::Long, value); }
  Value boolean(bool value) { return Value(this, Scalar::Bool, std::int64_t{value}); }
  Value real(float value);
  Value constant(Scalar type, std::int64_t value);

  // --- buffers ---
  BufferRef buffer(ElementType type, Access access);
  std::uint32_t buffers() const { return static_cast<std::uint32_t>(buffers_.size()); }
  // The element at an index, widened: bool, int (narrow integers are sign-extended), long, float. The caller must keep
  // the index in range.
  Value load(BufferRef buffer, Value index);
  // Narrow integers keep their low bits; floats are rounded to nearest even.
  void store(BufferRef buffer, Value index, Value value);

  // With addresses: the elements from `first` on, which must be uniform; one of them, the same for all invocations; and
  // the element of each lane after it.
  Pointer pointer(BufferRef buffer, Value first);
  Pointer advanced(Pointer from, Value elements);  // uniform
  Value load(Pointer from, std::int64_t offset);
  Value load_lanes(Pointer from, std::int64_t offset);
  // `count` neighbours, each the same for all invocations: fewer instructions than separate loads.
  std::vector<Value> load_neighbours(Pointer from, std::int64_t offset, std::int64_t count);
  // Neighbours of 8 or 16 bits as an int, the same for all invocations, at any address. `offset`: in bytes.
  Value load_word(Pointer from, std::int64_t offset);

  // --- shared memory of a workgroup ---
  SharedRef shared(Scalar type, std::uint32_t count);
  Value load(SharedRef from, Value index);
  void store(SharedRef to, Value index, Value value);
  void barrier();
  void subgroup_barrier();  // of the invocations of one subgroup
  // Whether this workgroup is the last of `count` that ask at the counter with this index, which is zero before them
  // and after them. What the others stored in exchanged buffers before they asked can be read by it. To be called by
  // all invocations; uniform.
  Value is_last_of(BufferRef counters, Value index, std::int64_t count);
  // Of linked kernels, to be called by all invocations. Before the addresses in the push constants there are two
  // numbers of 32 bits: a count of workgroups, and whether to count this one. Waits until that many workgroups have
  // counted: what they had stored can be read from then on.
  void wait_for_stage(BufferRef counter);
  // Counts this workgroup, which has stored all its results.
  void count_for_stage(BufferRef counter);

  // --- sixteen bytes at a time (with addresses) ---
  BufferRef chunk_buffer();  // for reading; indices count chunks
  Chunk load_chunk(BufferRef from, Value index);
  Chunk zero_chunk();
  Chunk chunk_of(const std::array<Value, 4>& words);  // ints
  Chunk select(Value condition, Chunk yes, Chunk no);
  ChunkVariable variable(Chunk initial);
  Chunk get(ChunkVariable variable);
  void set(ChunkVariable variable, Chunk chunk);
  SharedRef shared_chunks(std::uint32_t count);
  void store(SharedRef to, Value index, Chunk chunk);

  // --- cooperative matrices of F16, BF16, F32, I8 and I32, row-major or column-major; strides count elements ---
  MatrixType matrix_type(ElementType element, std::uint32_t rows, std::uint32_t columns, MatrixUse use);
  MatrixVariable matrix_variable(MatrixType type);  // initially zero
  Matrix zero_matrix(MatrixType type);
  Matrix get(MatrixVariable variable);
  void set(MatrixVariable variable, Matrix matrix);
  Matrix load_matrix(MatrixType type, SharedRef chunks, Value index, std::int64_t stride, bool by_column = false);
  Matrix load_matrix_of_reals(MatrixType type, SharedRef reals, Value index, std::int64_t stride);
  // With addresses: a matrix whose first element is `offset` elements of the buffer after `from`.
  Matrix load_matrix(MatrixType type, Pointer from, std::int64_t offset, std::int64_t stride, MatrixOrder order);
  Matrix load_matrix(MatrixType type, BufferRef exchange, Value index, std::int64_t stride);
  Matrix multiply_add(Matrix a, Matrix b, Matrix sum);
  Matrix add(Matrix a, Matrix b);
  Matrix multiply_elements(Matrix a, Matrix b);
  Matrix convert(Matrix floats, MatrixType type);  // same rows, columns and use
  void store_matrix(SharedRef to, Value index, Matrix matrix, std::int64_t stride);
  void store_matrix(BufferRef to, Value index, Matrix matrix, std::int64_t stride);
  Value subgroup_index();  // in the workgroup
  Value subgroup_lane();   // in the subgroup

  // --- indices of an invocation ---
  // The index of this invocation in the dispatch, which has at least one invocation for each element.
  Value element_index();
  Value group_index();  // of the workgroup in the dispatch; uniform
  Value groups_deep();  // workgroups in the third dimension: always 1, but not known to compilers; uniform
  Value local_index();  // of the invocation in the workgroup
  // With lanes: the value that one lane has, for all lanes.
  Value from_lane(Value value, std::uint32_t lane);
  // Of a uniform value plus the lane, the uniform value; any other value unchanged.
  Value without_lane(Value value);
  // The same value, without the knowledge how it differs by lane: loads gather, and only in active lanes.
  Value gathered(Value value) const;

  // --- statements ---
  // The index of the current basic block. Values that were computed in the same block are available.
  std::uint32_t block() const { return block_; }
  void when(Value condition, const std::function<void()>& then);
  // Calls body(i) for i from 0 to count - 1.
  void loop(Value count, const std::function<void(Value)>& body);
  Variable variable(Value initial);
  Value get(Variable variable);
  void set(Variable variable, Value value);

  // --- expressions ---
  Value select(Value condition, Value yes, Value no);
  Value min(Value a, Value b);  // integers
  Value max(Value a, Value b);
  Value clamp(Value value, Value low, Value high) { return min(max(value, low), high); }
  Value unsigned_less(Value a, Value b);
  Value shift_right_logical(Value value, Value bits);
  Value unsigned_divide(Value a, Value b);  // of values that are not negative; cheaper than `/`
  Value unsigned_remainder(Value a, Value b);
  Value to_int(Value value);  // long: low bits; bool: 0, 1; float: truncated, in range
  // The int value of a float that is a whole number of at most `bits` bits (24 or fewer) and a sign. Drivers for CPUs
  // scalarise `to_int` of vectors, but not this.
  Value int_of_whole(Value real, std::uint32_t bits);
  Value to_long(Value value);                                    // int: sign-extended
  Value to_float(Value value);                                   // integers: nearest even
  Value multiply_add(Value a, Value b, Value sum);               // of floats: may be rounded once or twice
  Value dot_add(Value a, bool a_is_signed, Value b, Value sum);  // sum + four products of bytes, b signed; wraps
  Value pair_add(Value a, Value b, Value sum);                   // sum + two of signed 16-bit integers; wraps
  Value bits_of(Value real);                                     // float as int
  Value float_of_bits(Value bits);
  // Bits of 16-bit floats, on devices with 16-bit conversions: nearest even.
  Value f16_bits_of(Value real);
  Value float_of_f16_bits(Value bits);
  Value multiply_high(Value a, Value b);     // the upper 32 bits of a product of ints
  Value find_most_significant(Value value);  // of an int as unsigned; -1 for 0
  // An instruction of GLSL.std.450 on floats.
  Value extended(std::uint32_t instruction, std::initializer_list<Value> arguments);

  // The module, with the entry point `main`.
  Words finish();

 private:
  friend class Value;
  struct Buffer {
    ElementType type;
    Access access;
    spirv::Id variable;  // or the address as a 64-bit integer
    spirv::Id element_pointer, element;
    spirv::Id block_pointer = 0,
              first = 0;    // with addresses: the type of a pointer to elements, and the pointer to the first one
    bool by_words = false;  // of 32 bits, each with several elements
  };
  struct BlockTypes {
    spirv::Id block_pointer, element_pointer, element;
  };

  friend Value operator+(Value a, Value b);
  friend Value operator-(Value a, Value b);
  friend Value operator*(Value a, Value b);
  friend Value operator-(Value a);
  friend Value operator/(Value a, Value b);
  friend Value operator&(Value a, Value b);
  friend Value operator|(Value a, Value b);
  friend Value operator^(Value a, Value b);
  friend Value operator~(Value a);
  friend Value operator!(Value a);
  friend Value operator<<(Value a, Value bits);
  friend Value operator>>(Value a, Value bits);
  friend Value operator==(Value a, Value b);
  friend Value operator!=(Value a, Value b);
  friend Value operator<(Value a, Value b);
  friend Value operator<=(Value a, Value b);

  // Where the device has no 64-bit integers, a long is two ints (longs.hpp).
  bool is_split(const Value& value) const { return value.type_ == Scalar::Long && !grid_.longs; }
  LongParts split(Value value);
  Value joined(const LongParts& parts);
  spirv::Id type_id(Scalar type);
  spirv::Id half_type();
  spirv::Id id(Value value);
  Value made(Scalar type, spirv::Id id) { return Value(this, type, id); }
  Value binary(spv::Op op, Scalar result, Value a, Value b);
  Value arithmetic(Value a, Value b, spv::Op integer, spv::Op real);
  struct Instruction {
    spv::Op op;
    Words operands;  // with type and result
  };
  Value uniform_if(bool uniform, Value value) {
    value.uniform_ |= uniform;
    return value;
  }
  Value with_base(Value sum, Value lane_part, Value uniform_part, bool subtract);
  Pointer pointer(BufferRef buffer, const Value::Base& base);
  spirv::Id built_in(spv::BuiltIn what, bool vector);
  spirv::Id prologue(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands);
  spirv::Id prologue_part(spirv::Id vector, std::uint32_t component);
  BlockTypes block_types(ElementType type, Access access);
  const BlockTypes& chunk_block(BlockTypes& types, spirv::Id chunk);
  BufferRef address_buffer(ElementType type, Access access);
  spirv::Id push_constant(std::uint32_t member);
  void declare_push_constants();
  spirv::Id element_type_id(ElementType type);
  spirv::Id load_raw(const Buffer& buffer, spirv::Id pointer);
  spirv::Id lane_id();
  spirv::Id chunk_type();
  spirv::Id component_type(ElementType element);
  spirv::Id shared_pointer(SharedRef of, spirv::Id element_type, Value index);
  std::uint32_t shared_access() const;
  std::uint32_t address_access() const;
  std::uint32_t first_address() const { return grid_.linked ? 1 : 0; }  // in the push constants
  void barrier(spv::Scope among, bool exchanged = false);
  spirv::Id exchange_scope();
  spirv::Id element_of(BufferRef ref, Value index);
  Value link_number(std::int64_t index);
  std::uint32_t exchange_semantics() const;
  spirv::Id op(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands);
  spirv::Id op_each(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands);
  spirv::Id op_once(spv::Op op, spirv::Id type, std::initializer_list<std::uint32_t> operands);
  void op_void(spv::Op op, std::initializer_list<std::uint32_t> operands);
  Value unsigned_op(spv::Op op, Value a, Value b);
  Value widened(ElementType type, spirv::Id raw);
  Value decode(ElementType type, Value bits);
  spirv::Id encode(ElementType type, Value value);
  Value bits_of_element(ElementType type, Value value);
  Value load_from_word(const Buffer& buffer, Value index);
  void store_to_word(const Buffer& buffer, Value index, Value value);

  FloatFacts floats_;
  Grid grid_;
  spirv::Builder builder_;
  std::vector<Buffer> buffers_;
  std::vector<spirv::Id> interface_;
  std::vector<Instruction> prologue_;                    // of main, after its variables: available everywhere
  std::vector<Instruction> body_;                        // after the prologue
  std::vector<std::pair<spirv::Id, spirv::Id>> locals_;  // pointer type and id of each variable of main
  spirv::Id glsl_ = 0, lane_ = 0;
  spirv::UniqueIds computed_;  // results of the pure instructions of the current block
  Words computed_key_;         // of op_once; keeps its memory
  std::uint32_t block_ = 0;
  std::optional<Value> element_index_, group_index_, local_index_;
  spirv::Id pair_type_ = 0;                                           // two ints
  std::vector<spirv::Id> lane_is_;                                    // by lane: whether this invocation is that lane
  std::map<std::pair<ElementType, Access>, BlockTypes> block_types_;  // with addresses
  BlockTypes float_chunk_types_{};
  BlockTypes chunk_types_{};
  spirv::Id push_constants_ = 0;  // the variable
  std::map<spv::BuiltIn, spirv::Id> built_ins_;
  bool converts_16_ = false;
};

}  // namespace slipway::lower
