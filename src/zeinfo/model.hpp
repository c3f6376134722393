// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ZE Info as C++ values: one structure per mapping, one enum per enum, the union of all versions.
//
// The structures come from schema.def, field by field and in its order: `kernel.execution_env.grf_count`,
// `argument.arg_type == ArgType::arg_bypointer`. A field that is absent has its default; `has(Key)` distinguishes
// absent from present. Enums begin with `unset`, for absent. Strings are views of the text (or of the arena, where the
// text has escapes); lists are views of the arena: a document must not outlive its text, and copies of it share the
// arena.
//
// `at` is the offset of a mapping's first key in the text (of its `{` in JSON): locate.hpp finds the location of every
// key and value from it, so that no spans are stored.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/text/source.hpp"
#include "zeinfo/arena.hpp"
#include "zeinfo/version.hpp"

namespace slipway::zeinfo {

// Exactly three int32, or absent: writers must distinguish both.
struct Int3 {
  std::int32_t values[3] = {0, 0, 0};
  bool present = false;

  explicit operator bool() const { return present; }
  std::int32_t operator[](std::size_t i) const { return values[i]; }
  bool operator==(const Int3&) const = default;
};

// A list without its type, for code that walks the schema table.
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

// The C++ type of a field and the spelling of its default, from the columns `type` and `of`.
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

// Content of a text that the structures cannot represent, or a spelling that some reader refuses. The rules of the
// runtime (check.hpp) use it; violations of the format's own rules are already reported by the reader.
enum class DeviationKind : std::uint8_t {
  UnknownKey,      // in no version
  RuntimeOnlyKey,  // only the runtime knows it
  DuplicateKey,
  UnknownValue,     // of an enum
  BadScalar,        // not of the field's type
  WrongListLength,  // an int3 of another length
  MissingValue,     // no value where a scalar is required
  FlowMapping,
  QuotedScalar,  // a number or boolean in quotes
  QuotedKey,
  CommentAfterBracket,
  NegativeInFlow,
  ByteOrderMark,
  ZeroIndentedAtRoot,
  ItemOpensMapping,  // a sequence item whose first key opens a mapping
  EscapedString,     // quotes inside a string that the runtime does not undo
  NoKey,             // a line that is not a `key:`
  NoBlank,           // no blank between `key:` and its value
  TabSeparator,
  SecondDocument,
  Unsupported,   // anchors, tags and the like
  EmptyVector,   // an empty block sequence before a line of equal indentation
  SequenceForm,  // experimental_properties or debug_env as a sequence
};

struct Deviation {
  DeviationKind kind;
  Span span;
  const MappingInfo* mapping = nullptr;  // the mapping that contains it, if any
  const FieldInfo* field = nullptr;      // the field that it is the value of
  std::uint32_t kernel = ~0u;            // index of the kernel, ~0 outside of kernels
};

// A whole text. `present` has Root's keys.
struct Document : Root {
  std::string_view text;
  std::vector<Deviation> deviations;  // at most kMaxDeviations
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  bool has_errors = false;  // the reader left something out: there is no canonical form
  bool from_json = false;   // `text` is JSON

  static constexpr std::size_t kMaxDeviations = 4096;

  // Allocates lists and strings for changes of the model, in the arena.
  template <class T>
  List<T> list(std::span<const T> items) {
    return {arena->copy(items), static_cast<std::uint32_t>(items.size())};
  }
  template <class T>
  List<T> list(const std::vector<T>& items) {
    return list(std::span<const T>(items));
  }
};

// The pseudo-kernel holds the functions and global data of a program; it cannot be launched
// (docs/spec/zeinfo.md#arguments-and-sizes).
inline constexpr std::string_view kPseudoKernel = "Intel_Symbol_Table_Void_Program";
inline bool is_pseudo_kernel(const Kernel& kernel) { return kernel.name == kPseudoKernel; }

// The size of cross-thread data: the end of the last argument rounded up to 32, in 64 bits. Negative offsets and sizes
// count as 0.
std::uint64_t cross_thread_size(const Kernel& kernel);
std::uint64_t per_thread_size(const Kernel& kernel);

}  // namespace slipway::zeinfo
