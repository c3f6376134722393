// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of slipway/rpl_pack.h.
#include "slipway/rpl_pack.h"

#include <string.h>

#include "rpl_runtime/fields.hpp"
#include "rpl_runtime/numbers.hpp"
#include "rpl_runtime/pack_format.hpp"

namespace slipway::rpl_runtime {
namespace {

template <class T>
constexpr std::uint32_t kWordsOf = sizeof(T) / sizeof(std::uint32_t);

// Copies record `index` of an array that begins at word `first` of the records; false beyond the end.
template <class T>
bool read_record(const rpl_pack& pack, std::uint32_t first, std::uint32_t index, T& to) {
  const std::uint64_t begin = first + std::uint64_t{index} * kWordsOf<T>;
  if (begin + kWordsOf<T> > pack.record_count) return false;
  memcpy(&to, pack.records + begin, sizeof to);
  return true;
}

bool read_text(const rpl_pack& pack, PackText from, rpl_text& to) {
  // Each text has a zero after it.
  if (std::uint64_t{from.offset} + from.size >= pack.string_size) return false;
  const char* const begin = pack.strings + from.offset;
  if (begin[from.size] != 0) return false;
  to.data = begin;
  to.size = from.size;
  return true;
}

rpl_text text_or_empty(const rpl_pack& pack, PackText from) {
  rpl_text text = {"", 0};
  read_text(pack, from, text);
  return text;
}

bool read_program(const rpl_pack* pack, std::uint32_t program, PackProgram& to) {
  return pack && program < pack->program_count && read_record(*pack, pack->programs, program, to);
}

bool read_variant(const rpl_pack* pack, std::uint32_t program, std::uint32_t variant, PackVariant& to) {
  PackProgram of;
  return read_program(pack, program, of) && variant < of.variant_count && read_record(*pack, of.variants, variant, to);
}

// A size that a pack states, or 0 where its records cannot fill it: a caller allocates that much.
std::size_t possible_size(const rpl_pack& pack, std::uint32_t size) {
  constexpr std::size_t kMaxBytesOfRecord = 64;  // bytes of structures
  return size / kMaxBytesOfRecord <= pack.record_count ? size : 0;
}

// --- structures ------------------------------------------------------------------------------------------------------

// Makes structures of records, in memory that is taken from the front.
class Reader {
 public:
  Reader(const rpl_pack& pack, std::uint32_t first, void* memory, std::size_t size)
      : pack_(pack),
        next_(pack.records + (first < pack.record_count ? first : pack.record_count)),
        end_(pack.records + pack.record_count),
        memory_(static_cast<char*>(memory)),
        left_(size) {}

  bool short_of_memory() const { return short_of_memory_; }

  bool read(StructId id, char* to) {
    for (const StructField& field : fields_of(id)) {
      if (!read(field, to + field.offset)) return false;
    }
    return true;
  }

  // A list of structures: the pointer and the count.
  bool read_list(StructId id, char* to) {
    std::uint32_t count = 0;
    char* items = nullptr;
    if (!read_count(count) || !take(count, size_of(id), items)) return false;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!read(id, items + std::size_t{i} * size_of(id))) return false;
    }
    set_list(to, items, count);
    return true;
  }

  // Memory for `count` items; none for 0.
  bool take(std::uint32_t count, std::size_t item_size, char*& items) {
    constexpr std::size_t kAlignment = alignof(std::max_align_t);
    const std::size_t size = (count * item_size + kAlignment - 1) / kAlignment * kAlignment;
    items = nullptr;
    if (count == 0) return true;
    if (size > left_) {
      short_of_memory_ = true;
      return false;
    }
    items = memory_;
    memory_ += size;
    left_ -= size;
    return true;
  }

 private:
  bool read(const StructField& field, char* to) {
    switch (field.kind) {
      case FieldKind::Number:
        for (std::uint32_t i = 0; i < field.count; ++i) {
          std::uint32_t word = 0;
          if (!read_word(word) || (field.limit != 0 && word >= field.limit)) return false;
          memcpy(to + sizeof word * i, &word, sizeof word);
        }
        return true;
      case FieldKind::Text:
        return read_text_to(to);
      case FieldKind::Words: {
        std::uint32_t first = 0, count = 0;
        if (!read_word(first) || !read_word(count)) return false;
        if (std::uint64_t{first} + count > pack_.code_count) return false;
        set_list(to, pack_.code + first, count);
        return true;
      }
      case FieldKind::Texts: {
        std::uint32_t count = 0;
        char* items = nullptr;
        if (!read_count(count) || !take(count, sizeof(rpl_text), items)) return false;
        for (std::uint32_t i = 0; i < count; ++i) {
          if (!read_text_to(items + sizeof(rpl_text) * i)) return false;
        }
        set_list(to, items, count);
        return true;
      }
      case FieldKind::Numbers: {
        std::uint32_t count = 0;
        if (!read_count(count)) return false;
        set_list(to, next_, count);
        next_ += count;
        return true;
      }
      case FieldKind::Nested:
        for (std::uint32_t i = 0; i < field.count; ++i) {
          if (!read(field.nested, to + std::size_t{i} * size_of(field.nested))) return false;
        }
        return true;
      case FieldKind::List:
        return read_list(field.nested, to);
    }
    return false;
  }

  bool read_word(std::uint32_t& to) {
    if (next_ == end_) return false;
    to = *next_++;
    return true;
  }
  // Of items that take at least a word each.
  bool read_count(std::uint32_t& to) { return read_word(to) && to <= static_cast<std::size_t>(end_ - next_); }
  bool read_text_to(char* to) {
    PackText from{};
    rpl_text text{};
    if (!read_word(from.offset) || !read_word(from.size) || !read_text(pack_, from, text)) return false;
    memcpy(to, &text, sizeof text);
    return true;
  }
  static void set_list(char* to, const void* items, std::uint32_t count) {
    static_assert(sizeof(rpl_texts) == sizeof(rpl_numbers) && offsetof(rpl_texts, count) == sizeof(void*));
    if (count == 0) items = nullptr;
    memcpy(to, &items, sizeof items);
    memcpy(to + offsetof(rpl_texts, count), &count, sizeof count);
  }

  const rpl_pack& pack_;
  const std::uint32_t* next_;
  const std::uint32_t* end_;
  char* memory_;
  std::size_t left_;
  bool short_of_memory_ = false;
};

// --- values of options -----------------------------------------------------------------------------------------------

bool equal(const char* text, rpl_text other) {
  const std::size_t size = strlen(text);
  return size == other.size && memcmp(text, other.data, size) == 0;
}
bool equal(const char* text, const char* other) {
  return equal(text, rpl_text{other, static_cast<std::uint32_t>(strlen(other))});
}

bool read_value(const rpl_pack& pack, const PackKey& key, const char* text, std::uint32_t& bits) {
  switch (key.type) {
    case RPL_OPTION_TYPE_FLAG:
      bits = equal(text, "true") || equal(text, "on") ? 1 : 0;
      return bits != 0 || equal(text, "false") || equal(text, "off");
    case RPL_OPTION_TYPE_UINT:
      return read_integer(text, false, bits);
    case RPL_OPTION_TYPE_SINT:
      return read_integer(text, true, bits);
    case RPL_OPTION_TYPE_FLOAT:
      return read_float(text, bits);
    case RPL_OPTION_TYPE_ENUM:
      for (bits = 0; bits < key.value_count; ++bits) {
        PackText value{};
        if (!read_record(pack, key.values, bits, value)) return false;
        if (equal(text, text_or_empty(pack, value))) return true;
      }
      return false;
    default:
      return false;
  }
}

// The values of a program's options: those that the caller names, else the defaults.
class Values {
 public:
  Values(const rpl_pack& pack, const PackProgram& program, const rpl_option_value* options, std::size_t count)
      : pack_(pack), program_(program), options_(options), count_(count) {
    for (std::uint32_t i = 0; i < program.key_count && i < kKept; ++i) kept_ok_[i] = find(i, kept_[i]);
  }

  bool get(std::uint32_t option, std::uint32_t& bits) const {
    if (option >= kKept) return find(option, bits);
    bits = option < program_.key_count ? kept_[option] : 0;
    return option < program_.key_count && kept_ok_[option];
  }

 private:
  static constexpr std::uint32_t kKept = 128;

  bool find(std::uint32_t option, std::uint32_t& bits) const {
    PackKey key{};
    if (option >= program_.key_count || !read_record(pack_, program_.keys, option, key)) return false;
    bits = key.initial;
    const rpl_text name = text_or_empty(pack_, key.name);
    for (std::size_t i = 0; i < count_; ++i) {
      if (equal(options_[i].name, name)) return read_value(pack_, key, options_[i].value, bits);
    }
    return true;
  }

  const rpl_pack& pack_;
  const PackProgram& program_;
  const rpl_option_value* options_;
  std::size_t count_;
  std::uint32_t kept_[kKept];
  bool kept_ok_[kKept];
};

bool has_option(const rpl_pack& pack, const PackProgram& program, const rpl_option_value& option) {
  for (std::uint32_t i = 0; i < program.key_count; ++i) {
    PackKey key{};
    if (!read_record(pack, program.keys, i, key)) return false;
    if (!equal(option.name, text_or_empty(pack, key.name))) continue;
    std::uint32_t bits = 0;
    return read_value(pack, key, option.value, bits);
  }
  return false;
}

}  // namespace
}  // namespace slipway::rpl_runtime

using namespace slipway::rpl_runtime;

rpl_status rpl_pack_open(const void* bytes, size_t size, rpl_pack* pack) {
  if (!pack || (!bytes && size != 0) || reinterpret_cast<std::uintptr_t>(bytes) % alignof(std::uint32_t) != 0) {
    return RPL_WRONG_CALL;
  }
  *pack = rpl_pack{};
  PackHeader header;
  if (size < sizeof header) return RPL_BAD_INPUT;
  memcpy(&header, bytes, sizeof header);
  if (memcmp(header.magic, kPackMagic, sizeof kPackMagic) != 0) return RPL_BAD_INPUT;
  if (header.version != kPackVersion || header.form != form_of_structs()) return RPL_BAD_INPUT;
  const std::uint64_t words = std::uint64_t{kWordsOf<PackHeader>} + header.record_count + header.code_count +
                              (std::uint64_t{header.string_size} + 3) / 4;
  if (words != header.word_count || words > size / sizeof(std::uint32_t)) return RPL_BAD_INPUT;
  pack->words = static_cast<const std::uint32_t*>(bytes);
  pack->word_count = header.word_count;
  pack->records = pack->words + kWordsOf<PackHeader>;
  pack->record_count = header.record_count;
  pack->code = pack->records + header.record_count;
  pack->code_count = header.code_count;
  pack->strings = reinterpret_cast<const char*>(pack->code + header.code_count);
  pack->string_size = header.string_size;
  pack->programs = header.programs;
  pack->program_count = header.program_count;
  return RPL_OK;
}

uint32_t rpl_pack_program_count(const rpl_pack* pack) { return pack ? pack->program_count : 0; }

rpl_text rpl_pack_program_name(const rpl_pack* pack, uint32_t program) {
  PackProgram of;
  return read_program(pack, program, of) ? text_or_empty(*pack, of.name) : rpl_text{"", 0};
}

rpl_status rpl_pack_find_program(const rpl_pack* pack, const char* name, uint32_t* program) {
  if (!pack || !name || !program) return RPL_WRONG_CALL;
  PackProgram of;
  for (std::uint32_t i = 0; read_program(pack, i, of); ++i) {
    if (!equal(name, text_or_empty(*pack, of.name))) continue;
    *program = i;
    return RPL_OK;
  }
  return RPL_BAD_INPUT;
}

uint32_t rpl_pack_variant_count(const rpl_pack* pack, uint32_t program) {
  PackProgram of;
  return read_program(pack, program, of) ? of.variant_count : 0;
}

rpl_text rpl_pack_variant_reason(const rpl_pack* pack, uint32_t program, uint32_t variant) {
  PackVariant of;
  return read_variant(pack, program, variant, of) ? text_or_empty(*pack, of.reason) : rpl_text{"", 0};
}

rpl_status rpl_pack_find_variant(const rpl_pack* pack, uint32_t program, const rpl_option_value* options, size_t count,
                                 uint32_t* variant) {
  PackProgram of;
  if (!variant || (!options && count != 0) || !read_program(pack, program, of)) return RPL_WRONG_CALL;
  for (std::size_t i = 0; i < count; ++i) {
    if (!options[i].name || !options[i].value) return RPL_WRONG_CALL;
    if (!has_option(*pack, of, options[i])) return RPL_BAD_INPUT;
  }
  const Values values(*pack, of, options, count);
  PackWhen when;
  for (std::uint32_t i = 0; i < of.when_count && read_record(*pack, of.whens, i, when); ++i) {
    bool agrees = true;
    PackPair pair{};
    for (std::uint32_t k = 0; agrees && k < when.pair_count; ++k) {
      std::uint32_t bits = 0;
      agrees = read_record(*pack, when.pairs, k, pair) && values.get(pair.option, bits) && bits == pair.bits;
    }
    if (!agrees) continue;
    *variant = when.variant;
    return when.variant < of.variant_count ? RPL_OK : RPL_BAD_INPUT;
  }
  return RPL_LACKS;
}

size_t rpl_pack_pipeline_size(const rpl_pack* pack, uint32_t program, uint32_t variant) {
  PackVariant of;
  return read_variant(pack, program, variant, of) ? possible_size(*pack, of.memory) : 0;
}

size_t rpl_pack_options_size(const rpl_pack* pack, uint32_t program) {
  PackProgram of;
  return read_program(pack, program, of) ? possible_size(*pack, of.options_memory) : 0;
}

rpl_status rpl_pack_pipeline(const rpl_pack* pack, uint32_t program, uint32_t variant, void* memory, size_t size,
                             const rpl_pipeline** pipeline) {
  PackVariant of;
  if (!pipeline || !memory) return RPL_WRONG_CALL;
  *pipeline = nullptr;
  if (!read_variant(pack, program, variant, of)) return RPL_WRONG_CALL;
  Reader reader(*pack, of.pipeline, memory, size);
  char* made = nullptr;
  if (!reader.take(1, sizeof(rpl_pipeline), made) || !reader.read(StructId::pipeline, made)) {
    return reader.short_of_memory() && size < of.memory ? RPL_WRONG_CALL : RPL_BAD_INPUT;
  }
  *pipeline = reinterpret_cast<const rpl_pipeline*>(made);
  return RPL_OK;
}

rpl_status rpl_pack_options(const rpl_pack* pack, uint32_t program, void* memory, size_t size, rpl_options* options) {
  PackProgram of;
  if (!options || (!memory && size != 0)) return RPL_WRONG_CALL;
  *options = rpl_options{};
  if (!read_program(pack, program, of)) return RPL_WRONG_CALL;
  Reader reader(*pack, of.options, memory, size);
  if (!reader.read_list(StructId::option, reinterpret_cast<char*>(options))) {
    *options = rpl_options{};
    return reader.short_of_memory() && size < of.options_memory ? RPL_WRONG_CALL : RPL_BAD_INPUT;
  }
  return RPL_OK;
}
