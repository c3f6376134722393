// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records that the passes of a resolve (context.hpp) exchange, and those that are cached for further variants.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rpl/resolved.hpp"
#include "rpl/vectors.hpp"

namespace slipway::rpl {

// Groups of declarations that share the numbering of their locations or bindings (docs/spec/rpl.md#variants,
// "consulted").
enum class Group : std::uint8_t {
  Pass,  // in DescriptorSet order
  Material,
  Object,
  Shared,
  Attributes,
  State,
  ColorOutputs,
  PushConstant,
  Workgroup,
};
inline constexpr std::uint32_t kGroupCount = 9;

// An intermediate compile-time value. Type None: an error was reported, or the type is unknown here. Members of 64
// bits, so that it is returned in registers.
struct Folded {
  Value value;
  std::uint64_t instance = 0;  // 1: references an instance option
};

// The result of an expression. Four whole words, so that it is passed in two registers: with smaller members it would
// be assembled in memory and read back at once, which stalls for longer than the rest of an expression takes.
enum class ResultKind : std::uint32_t { Error, Void, Value, LValue, Buffer, Container };
// The spelling, where it matters: a Value that is a swizzle (for the message); a Container or an LValue that is
// `state.in` or `state.out`.
enum class ResultForm : std::uint32_t { Plain, Swizzle, StateIn, StateOut };

struct ExprResult {
  ResultKind kind = ResultKind::Error;
  ResultForm form = ResultForm::Plain;
  TypeId type = kErrorType;
  std::uint32_t index = 0;  // Value: Ref; LValue: in Resolved::lvalues; Buffer, Container: the item
};

// A local, argument or alias that is in scope.
struct Binding {
  enum class Kind : std::uint8_t { Local, Argument, Alias };
  Kind kind = Kind::Local;
  bool written = false;  // Local
  bool warned = false;   // Local: its use before a write was reported
  NameId name = kNoName;
  std::uint32_t index = 0;         // in Resolved::locals or arguments; Alias: the expression
  TypeId type = kErrorType;        // Local, Argument
  std::uint32_t lvalue = kNone;    // in Resolved::lvalues: the whole variable, once something has read it
  std::uint32_t previous = kNone;  // the binding of this name that it hides
  Range at;
};

// What only some stages can do. A body records the first use of each kind.
enum class StageUse : std::uint8_t { Attribute, StateRead, StateWrite, ColorWrite, BufferWrite, Workgroup, Builtin };
inline constexpr std::uint32_t kStageUseCount = 7;

// Something that is resolved when it is first looked up: the value of an option, or the active struct or function of a
// name with its declaration.
struct Lookup {
  enum class Kind : std::uint8_t { Option, Struct, Function };
  Kind kind = Kind::Option;
  std::uint32_t of = 0;  // OptionId, NameId
};

// An lvalue whose root has another index in another variant.
struct Relocation {
  std::uint32_t lvalue = 0;  // in Resolved::lvalues
  std::uint32_t root = 0;    // the FieldId of a container field, else the ItemId
};

struct CallEdge {
  std::uint32_t caller = 0, callee = 0;
  ItemId item = kNone;  // the callee
  Ref code = kNoRef;    // the Call; kNoRef for dead ones
  bool dead = false;
  Range at;
};

// A use of a container field or of the position, for the warnings about what is never written.
struct FieldUse {
  FieldId field = kNone;  // kNone: the position
  bool write = false;
  Range at;
};

// A use of a sampler: a call of a sampling function, or of a function that gets it as an argument.
struct SamplerUse {
  enum class Kind : std::uint8_t { Plain, Compare, Pass };
  Kind kind = Kind::Plain;
  LValueRoot root = LValueRoot::Sampler;  // or Argument
  std::uint32_t index = 0;                // the item, or in Resolved::arguments
  ItemId callee = kNone;                  // Pass
  std::uint32_t argument = 0;             // Pass: its index in the callee
  Range at;                               // the call
  std::uint32_t previous = kNone;         // Pass: the previous use that passes the same argument
};

// A struct or a buffer as resolved with some values of the options: layout_cache.hpp.
struct CachedLayout {
  Struct structure;
  Type type;  // of a struct
  Buffer buffer;
  Consulted consulted;
  List lookups;
  std::uint32_t options = 0;    // in the cache: their values
  std::uint32_t older = kNone;  // another version
};

// The signature and body of a function as resolved with some values of the options. What it refers to keeps its index
// until the program changes, so that further variants may reuse it: body_cache.hpp.
struct Body {
  ItemId item = kNone;
  TypeId result = kErrorType;
  List arguments, locals, code, lvalues;  // in Resolved
  Consulted signature, consulted;         // what they read
  std::uint32_t groups = 0;               // bits of Group
  // The stages that can do all of its stage uses, and the first use of each kind.
  StageMask allowed = kAllStages;
  std::array<Range, kStageUseCount> stage_uses{};
  std::array<StageMask, kStageUseCount> stage_use_stages{kAllStages, kAllStages, kAllStages, kAllStages,
                                                         kAllStages, kAllStages, kAllStages};
  List edges, uses, sampler_uses, relocations;
  List signature_lookups, lookups;  // in order
  std::uint32_t options = 0;        // in the cache: their values
  std::uint32_t older = kNone;      // another version
};

// A function that a call or an entry point uses.
struct FunctionState {
  ItemId item = kNone;
  bool clean = true;  // its signature has no diagnostics
  TypeId result = kErrorType;
  List arguments;              // in Resolved::arguments
  List lookups;                // of the signature
  Consulted consulted;         // by the signature, then by the body as well
  std::uint32_t body = kNone;  // in bodies
  StageMask stages = 0;        // entry points that reach it
};

// A field alias and its target.
struct FieldAlias {
  enum class State : std::uint8_t { New, Open, Done };
  State state = State::New;
  FieldId field = kNone;
  List steps;  // in alias_steps; the first is the member (containers: `value` is the field in container_fields)
  TypeId type = kErrorType;
  std::uint32_t swizzle_count = 0, swizzle = 0;
};

// Fields by owner and name; a hash table with open addressing.
class FieldMap {
 public:
  struct Entry {
    ItemId owner = kNone;
    NameId name = kNoName;
    std::uint32_t value = 0;  // the member; kAliasBit: in aliases
    FieldId field = kNone;
  };
  static constexpr std::uint32_t kAliasBit = 0x80000000;

  void clear();
  // The entry of that name, new (`value` kNone) or not.
  Entry& add(ItemId owner, NameId name);
  const Entry* find(ItemId owner, NameId name) const;

 private:
  std::size_t slot_of(ItemId owner, NameId name) const;
  std::vector<Entry> slots_;
  std::size_t used_ = 0;
};

}  // namespace slipway::rpl
