// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A resolved program: one variant, with everything that metadata and code need and nothing else.
//
// Options, constants and conditionals are gone, names are bound, types are known, constants are folded, and locations
// and bindings are assigned. It refers to its `Program` for names and source locations; the program must outlive it.
//
// CODE. Each function's body is a range of `code`: one linear sequence of instructions in evaluation order, in which
// every operand comes before its user. Emission is one walk over it, without recursion.
//
//   - An operand is a `Ref`: a constant of `constants` (`is_constant`), or the index of an earlier instruction of the
//     same function whose result it is. A result is used at most once, in the same statement, so that printers can
//     rebuild expressions.
//   - Memory is accessed only by Load, Store, Declare and by built-ins that take an lvalue. An `LValue` is a root (a
//     local, an argument, a container field, a buffer...) and steps into it; indices among the steps are Refs that were
//     evaluated before.
//   - `a && b` is LogicBegin, the instructions of b, LogicEnd: b is evaluated only when a needs it. `simple` means that
//     b has no effects and reads nothing but variables and arguments, so that both sides may be evaluated
//     (OpLogicalAnd).
//   - Control flow is structured:
//       If c ... [Else ...] EndIf
//       LoopBegin <condition> LoopTest c <body> LoopStep <step> LoopEnd      (while: the step is empty)
//     Break and Continue belong to the innermost loop. Nothing follows Break, Continue, Return or Discard in its
//     block. A function that returns a value ends each of its paths with Return or Discard; a merge block that cannot
//     be reached is unreachable. `terminates` of If means that neither branch continues.
//   - ScopeBegin and ScopeEnd are for printers.
//   - `begins_statement` marks the first instruction of each statement; `at` is the source range for debug lines.
//
// Branches whose condition is constant and statements that cannot be reached are checked, but not in `code`; functions
// called only from there are not in `functions`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "rpl/builtins.hpp"
#include "rpl/options.hpp"
#include "rpl/program.hpp"
#include "rpl/settings.hpp"
#include "rpl/types.hpp"

namespace slipway::rpl {

// --- declarations --------------------------------------------------------------------------------------------------

// An active member of a struct or a buffer.
struct Member {
  NameId name = kNoName;
  TypeId type = kErrorType;
  std::uint32_t offset = 0;  // std430, from the start of the struct or buffer
  FieldId field = kNone;     // for meta tags: Program::fields[field].meta
};

struct Struct {
  NameId name = kNoName;
  ItemId item = kNone;
  TypeId type = kErrorType;  // its layout is in the type table
  List members;              // in Resolved::members
};

// Names of formats are "float16", "unorm8"...: name_of(ItemFormat).
enum class ItemFormat : std::uint8_t {
  Unorm8,
  Snorm8,
  Uint8,
  Sint8,
  Unorm16,
  Snorm16,
  Uint16,
  Sint16,
  Float16,
  Uint32,
  Sint32,
  Float32,
};
std::string_view name_of(ItemFormat format);
std::uint32_t byte_count(ItemFormat format);
// The VkFormat of an attribute with 1..4 items (docs/spec/rpl.md#packed-attributes).
std::uint32_t attribute_vk_format(ItemFormat format, std::uint32_t items);
// The VkFormat and the SPIR-V ImageFormat of a storage image with texels of type T (f4 u4 s4 f1 u1 s1); 0 where the
// combination is not allowed.
std::uint32_t storage_vk_format(ItemFormat format, TypeId texel);
std::uint32_t storage_spirv_format(ItemFormat format, TypeId texel);
TypeId texel_type(const Type& storage_image);

// An active field of a container: an input or output variable.
struct ContainerField {
  NameId name = kNoName;
  TypeId type = kErrorType;  // vector or matrix
  std::uint32_t container = 0;
  std::uint32_t location = 0;
  std::uint32_t location_count = 1;
  // Attributes:
  ItemFormat format = ItemFormat::Float32;
  std::uint32_t offset = 0;  // in the attribute source
  FieldId field = kNone;
};

struct Container {
  ItemKind kind = ItemKind::VertexContainer;  // VertexContainer .. ColorContainer
  NameId name = kNoName;
  ItemId item = kNone;
  std::uint32_t binding = 0;     // attribute containers: the attribute source
  std::uint32_t block_size = 0;  // attribute containers: bytes for one vertex or instance
  List fields;                   // in Resolved::container_fields
};

struct Buffer {
  ItemKind kind = ItemKind::UniformBuffer;  // UniformBuffer .. WorkgroupBuffer
  DescriptorSet set = DescriptorSet::None;
  NameId name = kNoName;
  ItemId item = kNone;
  std::uint32_t binding = 0;  // those with a set
  List members;               // in Resolved::members
  std::uint32_t main_size = 0;
  std::uint32_t align = 0;
  // The runtime array at the end, if any: kErrorType for none.
  TypeId tail_item = kErrorType;
  std::uint32_t tail_offset = 0;
  std::uint32_t tail_item_size = 0;  // the stride
  List tail_path;                    // member indices in Resolved::lists, from the buffer to the tail
  // Flattened parameters in Resolved::parameters: of the main part, and of a tail's item when that is a struct
  // (names and offsets relative to the item).
  List parameters;
  List tail_parameters;
};

// A leaf of a buffer (docs/spec/rpl.md#metadata-rules).
struct Parameter {
  List path;                 // NameIds in Resolved::lists: the dotted name
  TypeId type = kErrorType;  // of the leaf without dimensions: vector or matrix
  std::uint32_t offset = 0;
  List dimensions;                     // in Resolved::lists, outer first
  std::uint32_t total_item_count = 1;  // product of the dimensions
  std::uint32_t array_stride = 0;      // of the innermost dimension; 0 without dimensions
  FieldId field = kNone;               // its meta tags
};

struct SamplerDecl {
  NameId name = kNoName;
  ItemId item = kNone;
  DescriptorSet set = DescriptorSet::None;
  std::uint32_t binding = 0;
};

struct ImageDecl {
  NameId name = kNoName;
  ItemId item = kNone;
  DescriptorSet set = DescriptorSet::None;
  std::uint32_t binding = 0;
  TypeId type = kErrorType;        // Image, StorageImage, or an array of it
  TypeId image_type = kErrorType;  // without the array
  bool storage = false;
  bool has_array = false;
  std::uint32_t array_size = 1;
  ItemFormat format = ItemFormat::Float32;  // storage images
};

// One field of a color output container with its settings; the index in Resolved::color_outputs is the location.
struct ColorOutput {
  std::uint32_t field = 0;                                    // in Resolved::container_fields
  std::array<std::uint32_t, kOutputSettingCount> settings{};  // by Setting::Id - kFirstOutputSetting
  std::uint32_t setting(Setting::Id id) const { return settings[id - kFirstOutputSetting]; }
};

// --- code ----------------------------------------------------------------------------------------------------------

// An operand: a constant, or the result of an earlier instruction.
using Ref = std::uint32_t;
inline constexpr Ref kNoRef = 0xFFFFFFFF;
inline constexpr Ref kConstantBit = 0x80000000;
constexpr bool is_constant(Ref ref) { return (ref & kConstantBit) != 0; }  // not for kNoRef
constexpr std::uint32_t constant_index(Ref ref) { return ref & ~kConstantBit; }

// A value known at compile time: its 32-bit words, members of structs and columns of matrices in sequence.
// Booleans have one word, 0 or 1.
struct Constant {
  TypeId type = kErrorType;
  std::uint32_t first = 0;  // in Resolved::constant_words
  std::uint32_t count = 0;
};

enum class LValueRoot : std::uint8_t {
  Local,        // index: in Resolved::locals
  Argument,     // index: in Resolved::arguments. In: the value, read only; Out, InOut: the caller's temporary
  Attribute,    // index: in Resolved::container_fields
  StateIn,      // index: in Resolved::container_fields; fragment
  StateOut,     // vertex
  ColorOutput,  // index: in Resolved::container_fields
  Buffer,       // index: in Resolved::buffers; the first step, if any, is a Member. Workgroup buffers too
  Sampler,      // index: in Resolved::samplers
  Image,        // index: in Resolved::images; a step Element selects from an image array
};

enum class StepKind : std::uint8_t {
  Member,     // value: index among the members of the struct or buffer
  Element,    // value: Ref of the index (u1 or s1)
  Component,  // value: index of the item of a vector
  Column,     // value: index of the column of a matrix
};

struct Step {
  StepKind kind = StepKind::Member;
  std::uint32_t value = 0;
};

struct LValue {
  LValueRoot root = LValueRoot::Local;
  std::uint32_t index = 0;
  List steps;                // in Resolved::steps
  TypeId type = kErrorType;  // of what the steps lead to
};

enum class Op : std::uint8_t {
  // Values. `type` is that of the result.
  Load,        // a: lvalue
  Unary,       // sub: UnaryOp (Minus, Not, Complement), a
  Binary,      // sub: BinaryOp (never And, Or, Assign), a, b; the operands' types choose the form
  LogicBegin,  // sub: BinaryOp And or Or, a: left side; `simple`
  LogicEnd,    // a: the LogicBegin, b: right side; the result
  Convert,     // a: vector of another item class, same count
  Splat,       // a: scalar to vector
  Combine,     // a: first in lists, b: count; Refs of scalars and vectors
  Columns,     // a: first in lists, b: count; Refs of columns
  Crop,        // a: f4x4 to f3x3
  Build,       // a: first in lists, b: count; Refs of all members of a struct
  Extract,     // a: struct, vector or matrix value, b: index of member, item or column
  Swizzle,     // a: vector value, b: item indices, two bits each, the first lowest
  Element,     // a: array value, b: Ref of the index
  Call,        // a: function, b: first in call_arguments, c: count
  Builtin,     // sub: Builtin, a: first in lists, b: count; Refs, or indices of lvalues: `lvalue_operands`
  Store,       // a: lvalue, b: value; the result is the value
  // Effects.
  Declare,   // a: local, b: its first value, or kNoRef: starts at zero each time it comes here
  Evaluate,  // a: a value that nothing uses: the end of an expression statement (not for void calls and Store)
  // Structure.
  ScopeBegin,  // sub 1: of a `for`: Declare, LoopBegin ... LoopEnd follow
  ScopeEnd,
  If,  // a: boolean; `terminates`
  Else,
  EndIf,
  LoopBegin,  // sub 1: `for`
  LoopTest,   // a: boolean
  LoopStep,
  LoopEnd,
  Break,
  Continue,
  Return,   // a: value or kNoRef
  Discard,  // ends the invocation
};

struct Instruction {
  Op op = Op::Load;
  std::uint8_t sub = 0;
  bool begins_statement = false;
  bool simple = false;      // LogicBegin
  bool terminates = false;  // If, LoopBegin
  TypeId type = kErrorType;
  std::uint32_t a = 0, b = 0, c = 0;
  Range at;  // in the sources
};

// Which operands of a built-in are lvalues: bit i for operand i. Samplers, images, buffers (an lvalue without steps)
// and the targets of atomics.
std::uint32_t lvalue_operands(Builtin builtin);

// `value` is given for In and InOut (the value copied in), `lvalue` for Out and InOut (where the temporary goes when
// the callee returns), and for samplers and images.
struct CallArgument {
  Access access = Access::In;
  Ref value = kNoRef;
  std::uint32_t lvalue = kNone;
};

struct Local {
  NameId name = kNoName;
  TypeId type = kErrorType;
  Range at;
  // Something writes to it after its declaration, or reaches into it with an index that is known only at run time.
  // A local without that is a name for one value.
  bool in_memory = false;
};

struct Argument {
  NameId name = kNoName;
  Access access = Access::In;
  TypeId type = kErrorType;       // samplers and images too
  std::uint32_t declaration = 0;  // in Program::arguments
};

struct Function {
  NameId name = kNoName;
  ItemId item = kNone;
  TypeId result = kVoid;
  List arguments;        // in Resolved::arguments
  List locals;           // in Resolved::locals
  List code;             // in Resolved::code
  List lvalues;          // in Resolved::lvalues
  StageMask stages = 0;  // the entry points that reach it
};

struct EntryPoint {
  Stage stage = Stage::Vertex;
  std::uint32_t function = 0;
};

// What each output read (docs/spec/rpl.md#variants).
struct ConsultedSets {
  Consulted interface, settings;
  std::array<Consulted, kStageCount> stages;
  // All options in the order in which they were first read, for any purpose (unused constants included): the
  // enumeration of variants branches over them in this order.
  std::vector<OptionId> order;
};

struct Resolved {
  const Program* program = nullptr;
  PipelineKind pipeline = PipelineKind::Graphics;
  std::vector<Value> options;  // by OptionId: the value in force

  TypeTable types;
  std::vector<Struct> structs;  // those that something uses, each after the structs that it contains
  std::vector<Member> members;
  std::vector<Container> containers;  // in numbering order
  std::vector<ContainerField> container_fields;
  std::vector<Buffer> buffers;  // in declaration order, push constants and workgroup buffers included
  std::vector<Parameter> parameters;
  std::vector<SamplerDecl> samplers;  // in declaration order
  std::vector<ImageDecl> images;
  std::uint32_t push_constant = kNone;  // in buffers

  std::array<std::uint32_t, kSettingCount> settings{};  // all but those of color outputs; as SettingInfo::initial
  std::vector<ColorOutput> color_outputs;

  // In emission order; every one is reached from an entry point.
  std::vector<Function> functions;
  // What functions refer to. A resolver keeps these tables for further variants of the program, so there may be parts
  // that no function of this one has.
  std::vector<Argument> arguments;
  std::vector<Local> locals;
  std::vector<Instruction> code;
  std::vector<LValue> lvalues;
  std::vector<Step> steps;
  std::vector<CallArgument> call_arguments;
  std::vector<Constant> constants;
  std::vector<std::uint32_t> constant_words;
  std::vector<std::uint32_t> lists;

  std::vector<EntryPoint> entry_points;  // vertex, fragment, compute
  // State fields (in container_fields) that fragment code reads and vertex code never writes, when both are entry
  // points: the vertex entry writes zero.
  std::vector<std::uint32_t> unwritten_state;

  ConsultedSets consulted;

  TypeId type_of(Ref ref) const { return is_constant(ref) ? constants[constant_index(ref)].type : code[ref].type; }
  std::span<const std::uint32_t> words(const Constant& constant) const {
    return std::span(constant_words).subspan(constant.first, constant.count);
  }
  // `f4`, `item[4][2]`, `f1...`, `image_color_2d`.
  std::string type_text(TypeId type) const;
};

}  // namespace slipway::rpl
