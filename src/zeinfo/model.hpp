// ZE Info as C++ values: one structure a mapping, one enum an enum, the union of all versions.
//
// The structures come from schema.def, field by field and in its order: `kernel.execution_env.grf_count`,
// `argument.arg_type == ArgType::arg_bypointer`. A field that is absent has its default; `has(Key)` tells absent from
// present. Enums begin with `unset`, for absent. Strings are views of the text (or of the arena, where the text has
// escapes); lists are views of the arena: a document must not outlive its text, and copies of it share the arena.
//
// `at` is the offset of a mapping's first key in the text (of its `{` in JSON): from it locate.hpp finds the place of
// every key and value again, so that no span has to be kept for each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/source.hpp"
#include "zeinfo/arena.hpp"
#include "zeinfo/version.hpp"

namespace slipway::zeinfo {

// Exactly three int32, or nothing: writers must know absent from present.
struct Int3 {
  std::int32_t values[3] = {0, 0, 0};
  bool present = false;

  explicit operator bool() const { return present; }
  std::int32_t operator[](std::size_t i) const { return values[i]; }
  bool operator==(const Int3&) const = default;
};

// A list without its type, as the code that walks the schema table sees it.
struct RawList {
  const void* data = nullptr;
  std::uint32_t count = 0;
};

template <class T>
struct List : RawList {
  List() = default;
  List(const T* first, std::uint32_t size) : RawList{first, size} {}
  const T* begin() const { return static_cast<const T*>(data); }
  const T* end() const { return begin() + count; }
  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T& operator[](std::size_t i) const { return begin()[i]; }
  std::span<const T> span() const { return {begin(), count}; }
};

#define ENUM(name, doc) enum class name : std::uint8_t { unset,
#define VALUE(name, value, since, until, first, last, doc) value,
#define END_ENUM(name) \
  }                    \
  ;
#include "zeinfo/schema.def"

#define MAPPING(name, doc) enum class name##Key : std::uint8_t {
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc) key,
#define END_MAPPING(name) \
  }                       \
  ;
#include "zeinfo/schema.def"

// The C++ type of a field, and how its default is written, by the type and the `of` columns.
#define SLIPWAY_ZEINFO_Int32(of, key, default_) std::int32_t key = default_;
#define SLIPWAY_ZEINFO_Bool(of, key, default_) bool key = default_;
#define SLIPWAY_ZEINFO_Float(of, key, default_) float key = default_;
#define SLIPWAY_ZEINFO_String(of, key, default_) std::string_view key;
#define SLIPWAY_ZEINFO_Enum(of, key, default_) of key = of::unset;
#define SLIPWAY_ZEINFO_Int3(of, key, default_) Int3 key;
#define SLIPWAY_ZEINFO_Mapping(of, key, default_) of key;
#define SLIPWAY_ZEINFO_Sequence(of, key, default_) List<of> key;
#define SLIPWAY_ZEINFO_Version(of, key, default_) Version key;

#define MAPPING(name, doc)     \
  struct name {                \
    using Key = name##Key;     \
    std::uint64_t present = 0; \
    std::uint32_t at = 0;      \
    bool has(Key key) const { return present >> static_cast<unsigned>(key) & 1; }
#define FIELD(key, type, of, need, default_, since, until, loss, first, last, doc) \
  SLIPWAY_ZEINFO_##type(of, key, default_)
#define END_MAPPING(name) \
  }                       \
  ;
#include "zeinfo/schema.def"

struct MappingInfo;
struct FieldInfo;

// What a text has that the structures cannot hold, or a spelling that some reader refuses. The rules of the runtime
// (check.hpp) need to know; the reader has reported what is wrong by the format's own rules.
enum class OddityKind : std::uint8_t {
  UnknownKey,      // in no version
  RuntimeOnlyKey,  // only the runtime knows it
  DuplicateKey,
  UnknownValue,     // of an enum
  BadScalar,        // not of the field's type
  WrongListLength,  // an int3 of another length
  MissingValue,     // nothing where a scalar must stand
  FlowMapping,
  QuotedScalar,  // a number or boolean in quotes
  QuotedKey,
  CommentAfterBracket,
  NegativeInFlow,
  ByteOrderMark,
  ZeroIndentedAtRoot,
  ItemOpensMapping,  // a sequence item whose first key opens a mapping
  EscapedString,     // quotes inside a string that the runtime does not undo
  NoKey,             // a line that is no `key:`
  TabSeparator,
  SecondDocument,
  Unsupported,   // anchors, tags and the like
  EmptyVector,   // an empty block sequence before a line of equal indentation
  SequenceForm,  // experimental_properties or debug_env as a sequence
};

struct Oddity {
  OddityKind kind;
  Span span;
  const MappingInfo* mapping = nullptr;  // that it stands in, where there is one
  const FieldInfo* field = nullptr;      // whose value it is
  std::uint32_t kernel = ~0u;            // index of the kernel, ~0 outside of kernels
};

// A whole text. `present` has Root's keys.
struct Document : Root {
  std::string_view text;
  std::vector<Oddity> oddities;  // at most kMaxOddities
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  bool has_errors = false;  // the reader had to leave something out: there is no canonical form
  bool from_json = false;   // `text` is JSON

  static constexpr std::size_t kMaxOddities = 4096;

  // Lists and strings that a change of the model needs, in the arena.
  template <class T>
  List<T> list(std::span<const T> items) {
    return {arena->copy(items), static_cast<std::uint32_t>(items.size())};
  }
  template <class T>
  List<T> list(const std::vector<T>& items) {
    return list(std::span<const T>(items));
  }
};

// Holds the functions and global data of a program; no kernel that anybody launches (3.6 of the page; 22.11 runtimes).
inline constexpr std::string_view kPseudoKernel = "Intel_Symbol_Table_Void_Program";
inline bool is_pseudo_kernel(const Kernel& kernel) { return kernel.name == kPseudoKernel; }

// The size of cross-thread data: the end of the last argument rounded up to 32, in 64 bits. Negative offsets and sizes
// count as 0.
std::uint64_t cross_thread_size(const Kernel& kernel);
std::uint64_t per_thread_size(const Kernel& kernel);

}  // namespace slipway::zeinfo
