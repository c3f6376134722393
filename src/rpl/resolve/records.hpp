// Plain records of a resolve (context.hpp): what its parts tell each other, and what is kept for further variants.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rpl/resolved.hpp"

namespace slipway::rpl {

// What decides the numbers that code contains (RPL page 3.18, "consulted").
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

// A compile-time value in the making. Type None: a problem was reported, or the type cannot be known here. Whole words,
// like Val.
struct Folded {
  Value value;
  std::uint64_t instance = 0;  // 1: mentions an instance option
};

// What an expression denotes. Four whole words, so that it travels in two registers: with smaller members it would be
// put together in memory and read back at once, which stalls for longer than the rest of an expression takes.
enum class ValKind : std::uint32_t { Error, Void, Value, Place, Buffer, Container };
// How it was written, where that matters: a Value made by a swizzle (for the message); a Container or a Place that is
// `state.in` or `state.out`.
enum class ValForm : std::uint32_t { Plain, Swizzle, StateIn, StateOut };

struct Val {
  ValKind kind = ValKind::Error;
  ValForm form = ValForm::Plain;
  TypeId type = kErrorType;
  std::uint32_t index = 0;  // Value: Ref; Place: in Resolved::places; Buffer, Container: the item
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
  std::uint32_t place = kNone;     // in Resolved::places: the whole of it, once something has read that
  std::uint32_t previous = kNone;  // the binding of this name that it hides
  Range at;
};

// What a function does that only some stages can do; the first place of each kind is kept.
enum class Touch : std::uint8_t { Attribute, StateRead, StateWrite, ColorWrite, BufferWrite, Workgroup, Builtin };
inline constexpr std::uint32_t kTouchCount = 7;

// Something that is found out when it is first looked up: the value of an option, the active struct or function of a
// name and what its declaration says.
struct Lookup {
  enum class Kind : std::uint8_t { Option, Struct, Function };
  Kind kind = Kind::Option;
  std::uint32_t of = 0;  // OptionId, NameId
};

// A place whose root has another number in another variant.
struct Anchor {
  std::uint32_t place = 0;  // in Resolved::places
  std::uint32_t root = 0;   // the FieldId of a container field, else the ItemId
};

struct CallEdge {
  std::uint32_t caller = 0, callee = 0;
  ItemId item = kNone;  // the callee
  Ref code = kNoRef;    // the Call; not of dead ones
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
  PlaceRoot root = PlaceRoot::Sampler;  // or Argument
  std::uint32_t index = 0;              // the item, or in Resolved::arguments
  ItemId callee = kNone;                // Pass
  std::uint32_t argument = 0;           // Pass: which one of the callee
  Range at;                             // the call
  std::uint32_t previous = kNone;       // Pass: the use before it that passes the same argument
};

// A struct or a buffer as it came out with some values of the options: kept.cpp.
struct KeptLayout {
  Struct structure;
  Type type;  // of a struct
  Buffer buffer;
  Consulted consulted;
  List lookups;
  std::uint32_t options = 0;    // in kept_options: the values
  std::uint32_t older = kNone;  // another one of this item
};

// A function as its signature and body came out with some values of the options. All it refers to stays where it is
// until the program changes, so that further variants may have the function as it is: kept.cpp.
struct Body {
  ItemId item = kNone;
  TypeId result = kErrorType;
  List arguments, locals, code, places;  // in Resolved
  Consulted signature, consulted;        // what these read
  std::uint32_t groups = 0;              // bits of Group
  // Stages in which all touches are possible, and the first place of each kind of touch.
  StageMask allowed = kAllStages;
  std::array<Range, kTouchCount> touches{};
  std::array<StageMask, kTouchCount> touch_stages{kAllStages, kAllStages, kAllStages, kAllStages,
                                                  kAllStages, kAllStages, kAllStages};
  List edges, uses, sampler_uses, anchors;
  List signature_lookups, lookups;  // in the order in which the function made them
  std::uint32_t options = 0;        // in kept_options: the values
  std::uint32_t older = kNone;      // another body of this function
};

// A function that was called or is an entry point.
struct FunctionState {
  ItemId item = kNone;
  bool clean = true;  // nothing was to be said about its signature
  TypeId result = kErrorType;
  List arguments;              // in Resolved::arguments
  List lookups;                // of the signature
  Consulted consulted;         // by the signature, then by the body as well
  std::uint32_t body = kNone;  // in bodies
  StageMask stages = 0;        // entry points that reach it
};

// A field alias, followed to its end.
struct FieldAlias {
  enum class State : std::uint8_t { New, Open, Done };
  State state = State::New;
  FieldId field = kNone;
  List steps;  // in alias_steps; the first is the member (containers: `value` is the field in container_fields)
  TypeId type = kErrorType;
  std::uint32_t swizzle_count = 0, swizzle = 0;
};

// Fields by owner and name: open addressing.
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
