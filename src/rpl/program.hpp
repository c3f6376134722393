// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parsed program: what `parse` makes of the sources, before any option has a value.
//
//   const Program program = parse(modules, diagnostics);
//   if (!program.valid) ...
//
// It is immutable and may be resolved by many threads at a time. Nodes are small records in flat arrays that refer to
// each other by index; index 0 of `exprs`, `stmts` and `types` is a dummy, so that 0 means "none". Every node has its
// source range: offsets in one address space that holds the sources in sequence (see `location`).
//
// A program with errors still has all nodes that were understood (editors need them); it must not be resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/text/source.hpp"
#include "rpl/names.hpp"
#include "rpl/options.hpp"

namespace slipway::rpl {

using ExprId = std::uint32_t;
using StmtId = std::uint32_t;
using TypeRefId = std::uint32_t;
using ItemId = std::uint32_t;                       // the index in Program::items
using FieldId = std::uint32_t;                      // the index in Program::fields
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;  // no item, no field

// Offsets in the address space of the program.
struct Range {
  std::uint32_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

// A range of Program::lists (or of the array that the member's comment names).
struct List {
  std::uint32_t first = 0, count = 0;
};

enum class ExprKind : std::uint8_t {
  None,
  Uint,       // a: value
  Sint,       // a: value, up to 2^31 (2^31 itself only under unary minus)
  Float,      // a: bits
  String,     // a: NameId of the text
  True,       //
  False,      //
  Name,       // a: NameId
  Unary,      // op: UnaryOp, a: operand
  Binary,     // op: BinaryOp, a, b: operands
  Member,     // a: base, b: NameId; at: offset of the name
  Index,      // a: base, b: index; at: offset of `[`
  Call,       // a: NameId, b: first in lists, c: count
  Construct,  // like Call
};

enum class UnaryOp : std::uint8_t { Minus, Plus, Not, Complement };
enum class BinaryOp : std::uint8_t {
  Multiply,
  Divide,
  Modulo,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  Less,
  Greater,
  LessEqual,
  GreaterEqual,
  Equal,
  NotEqual,
  BitAnd,
  BitXor,
  BitOr,
  And,
  Or,
  Assign,
};
std::string_view text_of(UnaryOp op);
std::string_view text_of(BinaryOp op);
// Precedence (docs/spec/rpl.md#grammar): 10 for `*`, 0 for `=`.
int level_of(BinaryOp op);

struct Expr {
  ExprKind kind = ExprKind::None;
  std::uint8_t op = 0;
  std::uint32_t a = 0, b = 0, c = 0;
  std::uint32_t at = 0;  // offset of the operator, of the member's name, of `[`
  Range range;           // the whole expression
};

// `f4`, `f4x4[n][2]`, `T...`.
struct TypeRef {
  NameId name = kNoName;
  List dimensions;       // ExprIds
  bool runtime = false;  // `...`
  Range range;
};

enum class StmtKind : std::uint8_t {
  None,
  Block,     // list: StmtIds; condition: the conditional, if any
  Alias,     // name, a: expression; condition
  Variable,  // type, name, a: initial value or 0
  Expr,      // a
  If,        // a: condition, b: then Block, c: else Block or If, or 0
  For,       // a: Variable, b: condition, c: step, d: body Block
  While,     // a: condition, d: body Block
  Break,
  Continue,
  Return,  // a: value or 0
};

struct Stmt {
  StmtKind kind = StmtKind::None;
  ExprId condition = 0;  // of `conditional (...)`
  NameId name = kNoName;
  TypeRefId type = 0;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  List list;
  Range range;
  Range name_range;
};

// A field of a struct, container or buffer, or a field alias.
struct Field {
  bool alias = false;
  ExprId condition = 0;
  NameId name = kNoName;
  TypeRefId type = 0;  // fields
  NameId pack = kNoName;
  List meta;  // NameIds in lists
  List path;  // aliases: NameIds in lists, each followed by its offset
  Range range, name_range, pack_range;
};

enum class Access : std::uint8_t { In, Out, InOut };

struct ArgumentDecl {
  Access access = Access::In;
  ExprId condition = 0;
  NameId name = kNoName;
  TypeRefId type = 0;
  Range range, name_range;
};

enum class ItemKind : std::uint8_t {
  Option,    // index: in options
  Constant,  // value
  Setting,   // name: the whole dotted name; value; block
  Struct,    // fields
  VertexContainer,
  InstancedContainer,
  StateContainer,
  ColorContainer,
  UniformBuffer,
  ReadOnlyBuffer,
  ReadWriteBuffer,
  PushConstant,
  WorkgroupBuffer,
  Sampler,
  Image,     // type: the image word and its dimension; pack
  Function,  // type: result; arguments; body
};
constexpr bool is_container(ItemKind kind) {
  return kind >= ItemKind::VertexContainer && kind <= ItemKind::ColorContainer;
}
constexpr bool is_buffer(ItemKind kind) { return kind >= ItemKind::UniformBuffer && kind <= ItemKind::WorkgroupBuffer; }
// `option`, `uniform_buffer`... as the language writes it where it has a word.
std::string_view word_of(ItemKind kind);

enum class DescriptorSet : std::uint8_t { Pass, Material, Object, Shared, None };
std::string_view word_of(DescriptorSet set);  // set_pass...

struct Item {
  ItemKind kind = ItemKind::Option;
  DescriptorSet set = DescriptorSet::None;
  bool keyword_less = false;  // a setting without `setting`
  bool instance = false;  // Constant: it, or its conditional, depends on an instance option (docs/spec/rpl.md#taint)
  ExprId condition = 0;
  NameId name = kNoName;
  ItemId next_same_name = kNone;  // the next item of the same namespace and name, in program order
  std::uint32_t module = 0;
  std::uint32_t index = 0;      // Option
  std::uint32_t block = kNone;  // Setting
  ExprId value = 0;             // Constant, Setting
  TypeRefId type = 0;           // Image, Function
  NameId pack = kNoName;        // Image
  List fields;                  // in Program::fields
  List arguments;               // in Program::arguments
  StmtId body = 0;              // Function
  Range range, name_range, pack_range, block_range;
};

struct Option {
  NameId name = kNoName;
  OptionClass option_class = OptionClass::Global;
  OptionType type = OptionType::Flag;
  Value initial;
  List values;  // Enum: NameIds in lists
  ItemId item = kNone;
};

struct Module {
  std::string name;
  std::uint32_t first_source = 0, source_count = 0;
  ItemId first_item = 0;
  std::uint32_t item_count = 0;
};

struct ProgramSource {
  SourcePtr text;
  std::uint32_t base = 0;  // of its first byte in the address space
  std::uint32_t module = 0;
};

struct Program {
  bool valid = false;  // no errors: may be resolved
  std::vector<Module> modules;
  std::vector<ProgramSource> sources;
  NameTable names;

  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<TypeRef> types;
  std::vector<std::uint32_t> lists;
  std::vector<Field> fields;
  std::vector<ArgumentDecl> arguments;
  std::vector<Item> items;  // in source order, module after module
  std::vector<Option> options;

  // By NameId: the first item of that name, or kNone. Values are options, constants, containers, buffers, samplers and
  // images; `next_same_name` leads to the others.
  std::vector<ItemId> first_value, first_struct, first_function;
  // Items by what resolve does with them, in program order: `declarations` are containers, buffers, samplers and
  // images, `contested` functions and structs whose names may be errors: shared ones, and those of built-in functions.
  std::vector<ItemId> constants, settings, declarations, contested;

  std::string_view text(NameId name) const { return names.text(name); }
  SourceLocation location(Range range) const;
  SourceLocation location(std::uint32_t offset) const { return location({offset, offset + 1}); }
  // The index of the source that an offset is in.
  std::uint32_t source_at(std::uint32_t offset) const;
};

struct ModuleSources {
  std::string name;
  std::vector<SourcePtr> sources;
};

// Keeps its memory between calls: use one for many programs.
class ProgramParser {
 public:
  ProgramParser();
  ProgramParser(ProgramParser&&) noexcept;
  ProgramParser& operator=(ProgramParser&&) noexcept;
  ~ProgramParser();

  // The kinds of diagnostics are those of the areas "lexical, syntax" and "options"
  // (docs/spec/rpl.md#diagnostic-codes).
  Program parse(std::span<const ModuleSources> modules, Diagnostics& diagnostics);
  // One module of one source.
  Program parse(SourcePtr source, Diagnostics& diagnostics);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

Program parse(std::span<const ModuleSources> modules, Diagnostics& diagnostics);
Program parse(SourcePtr source, Diagnostics& diagnostics);

}  // namespace slipway::rpl
