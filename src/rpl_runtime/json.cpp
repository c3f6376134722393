// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of slipway/rpl_json.h: a reader of JSON that knows the keys of metadata and skips others. It goes over
// the text with one position, and its recursion is as deep as the structures.
#include "slipway/rpl_json.h"

#include <string.h>

#include "rpl_runtime/json_fields.hpp"
#include "rpl_runtime/numbers.hpp"

namespace slipway::rpl_runtime {
namespace {

struct Slice {
  const char* data;
  std::size_t size;
};
bool equal(Slice a, const char* b) { return a.size == strlen(b) && memcmp(a.data, b, a.size) == 0; }
bool equal_to_quoted(Slice a, const char* quoted) {
  return a.size + 2 == strlen(quoted) && memcmp(a.data, quoted + 1, a.size) == 0;
}
bool equal_but_for_case(Slice a, const char* capitals) {
  for (std::size_t i = 0; i < a.size; ++i) {
    const char letter = capitals[i] >= 'A' && capitals[i] <= 'Z' ? static_cast<char>(capitals[i] + 32) : capitals[i];
    if (letter == 0 || a.data[i] != letter) return false;
  }
  return capitals[a.size] == 0;
}

// The bytes of the first character of a text; 0: it is not UTF-8.
std::size_t size_of_character(const char* text, const char* end) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xC2 ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  if (size > static_cast<std::size_t>(end - text)) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  // Longer forms of shorter characters, halves of surrogate pairs, and codes over 0x10FFFF.
  const bool wrong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
                     (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : size;
}

bool is_number(Slice word) {
  const char* c = word.data;
  const char* const end = c + word.size;
  const auto digits = [&] {
    const char* const begin = c;
    while (c != end && is_digit(*c)) ++c;
    return static_cast<std::size_t>(c - begin);
  };
  if (c != end && *c == '-') ++c;
  const char* const whole = c;
  const std::size_t count = digits();
  if (count == 0 || (count > 1 && *whole == '0')) return false;
  if (c != end && *c == '.' && (++c, digits() == 0)) return false;
  if (c != end && (*c == 'e' || *c == 'E')) {
    if (++c != end && (*c == '+' || *c == '-')) ++c;
    if (digits() == 0) return false;
  }
  return c == end;
}

// Where a value is, for its path.
struct Place {
  const Place* above;
  Slice key;  // without data: an element of an array
  std::uint32_t index;
};

class JsonReader {
 public:
  // Without memory it only measures.
  JsonReader(const char* text, std::size_t size, void* memory, std::size_t memory_size, rpl_json_error* error)
      : text_(text),
        at_(text),
        end_(text + size),
        memory_(static_cast<char*>(memory)),
        left_(memory_size),
        error_(error) {}

  std::size_t used() const { return used_; }
  bool short_of_memory() const { return short_of_memory_; }

  bool read_document(rpl_pipeline& to) {
    if (end_ - at_ >= 3 && memcmp(at_, "\xef\xbb\xbf", 3) == 0) at_ += 3;
    make_texts_empty(StructId::metadata, reinterpret_cast<char*>(&to.metadata));
    if (!read_object(StructId::metadata, reinterpret_cast<char*>(&to.metadata), nullptr)) return false;
    skip_space();
    return at_ == end_ || fail(nullptr, "there is something after the object");
  }

  // The modules of a pipeline, with the entry points of their stages.
  bool make_modules(rpl_pipeline& to) {
    const rpl_codes& code = to.metadata.code;
    char* const modules = take(code.count * sizeof(rpl_module));
    if (measures()) {
      used_ += code_entries_ * align(sizeof(rpl_entry_point)) + code.count * kAlignment;
      return true;
    }
    if (!modules && code.count != 0) return false;
    for (std::uint32_t i = 0; i < code.count; ++i) {
      rpl_module made;
      memset(&made, 0, sizeof made);
      const rpl_numbers& stages = code.items[i].stages;
      auto* const entries = reinterpret_cast<rpl_entry_point*>(take(stages.count * sizeof(rpl_entry_point)));
      if (!entries && stages.count != 0) return false;
      for (std::uint32_t k = 0; k < stages.count; ++k) {
        for (std::uint32_t e = 0; e < to.metadata.entry_points.count; ++e) {
          const rpl_entry_point& entry = to.metadata.entry_points.items[e];
          if (static_cast<std::uint32_t>(entry.stage) != stages.items[k]) continue;
          entries[made.entry_points.count++] = entry;
          break;
        }
      }
      made.entry_points.items = made.entry_points.count == 0 ? nullptr : entries;
      memcpy(modules + i * sizeof made, &made, sizeof made);
    }
    to.modules.items = reinterpret_cast<const rpl_module*>(modules);
    to.modules.count = code.count;
    return true;
  }

  char* take(std::size_t size) {
    size = align(size);
    used_ += size;
    if (measures()) return nullptr;
    if (size > left_) {
      short_of_memory_ = true;
      return nullptr;
    }
    char* const taken = memory_;
    memory_ += size;
    left_ -= size;
    return taken;
  }

 private:
  static constexpr std::size_t kAlignment = alignof(std::max_align_t);
  static constexpr std::size_t align(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }
  bool measures() const { return memory_ == nullptr; }

  // --- errors --------------------------------------------------------------------------------------------------------

  // Writes the digits of a number before `end`; returns the first.
  static char* put_digits(std::uint32_t number, char* end) {
    do {
      *--end = static_cast<char>('0' + number % 10);
    } while ((number /= 10) != 0);
    return end;
  }

  // Reports the first error, at the current position: `before`, a part of the text, and `after`.
  bool fail(const Place* place, const char* before, Slice of = {"", 0}, const char* after = "") {
    if (!error_ || error_->line != 0) return false;
    error_->line = 1;
    const char* line = text_;
    for (const char* c = text_; c != at_; ++c) {
      if (*c != '\n') continue;
      ++error_->line;
      line = c + 1;
    }
    error_->column = static_cast<std::uint32_t>(at_ - line) + 1;
    constexpr std::size_t kMaxShown = 40;
    char* to = error_->message;
    const Slice parts[] = {
        {before, strlen(before)}, {of.data, of.size < kMaxShown ? of.size : kMaxShown}, {after, strlen(after)}};
    for (const Slice& part : parts) {
      const auto left = static_cast<std::size_t>(error_->message + sizeof error_->message - 1 - to);
      const std::size_t size = part.size < left ? part.size : left;
      memcpy(to, part.data, size);
      to += size;
    }
    *to = 0;
    // From its end, because the beginning is what can be left out.
    char* path = error_->path + sizeof error_->path - 1;
    *path = 0;
    for (; place; place = place->above) {
      char number[10];
      Slice part = place->key;
      if (!part.data) {
        part.data = put_digits(place->index, number + sizeof number);
        part.size = static_cast<std::size_t>(number + sizeof number - part.data);
      }
      if (part.size + 1 > static_cast<std::size_t>(path - error_->path)) break;
      path -= part.size;
      memcpy(path, part.data, part.size);
      *--path = '/';
    }
    memmove(error_->path, path, strlen(path) + 1);
    return false;
  }
  bool fail_at(const char* at, const Place* place, const char* before, Slice of = {"", 0}, const char* after = "") {
    at_ = at;
    return fail(place, before, of, after);
  }

  // --- the text ------------------------------------------------------------------------------------------------------

  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  // The next character that is not a blank; 0 at the end.
  char peek() {
    skip_space();
    return at_ == end_ ? '\0' : *at_;
  }
  bool take_one(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  bool expect(char wanted, const Place* place) {
    return take_one(wanted) || fail(place, at_ == end_ ? "the text ends before `" : "expected `", {&wanted, 1}, "`");
  }

  // A string as it is in the text, without its quotes.
  bool read_raw_string(Slice& to, const Place* place) {
    if (peek() != '"') return fail(place, "expected a string");
    const char* const begin = at_ + 1;
    for (const char* c = begin; c != end_;) {
      if (*c == '"') {
        to = {begin, static_cast<std::size_t>(c - begin)};
        at_ = c + 1;
        return true;
      }
      if (static_cast<unsigned char>(*c) < ' ') return fail_at(c, place, "a string has a control character");
      if (*c == '\\' && ++c == end_) break;
      const std::size_t size = size_of_character(c, end_);
      if (size == 0) return fail_at(c, place, "a string is not UTF-8");
      c += size;
    }
    return fail(place, "the string does not end");
  }

  static bool read_hex(const char* from, const char* end, std::uint32_t& value) {
    if (end - from < 4) return false;
    value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = from[i];
      const int digit = is_digit(c)            ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      value = value * 16 + static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  // Writes the text of a raw string, which is not longer than it, and moves `to` past it; null: only checks it. False:
  // there is an unknown escape, or one of the zero that ends texts.
  static bool unescape(Slice raw, char*& to) {
    const auto put = [&](char letter) {
      if (to) *to++ = letter;
    };
    const char* const end = raw.data + raw.size;
    for (const char* c = raw.data; c != end; ++c) {
      if (*c != '\\') {
        put(*c);
        continue;
      }
      static constexpr char kLetters[] = "\"\\/bfnrt", kMeanings[] = "\"\\/\b\f\n\r\t";
      ++c;
      if (const void* known = memchr(kLetters, *c, sizeof kLetters - 1)) {
        put(kMeanings[static_cast<const char*>(known) - kLetters]);
        continue;
      }
      std::uint32_t code = 0, low = 0;
      if (*c != 'u' || !read_hex(c + 1, end, code) || code == 0) return false;
      c += 4;
      if (code >= 0xD800 && code < 0xDC00) {
        if (end - c < 7 || c[1] != '\\' || c[2] != 'u' || !read_hex(c + 3, end, low) || low < 0xDC00 || low > 0xDFFF)
          return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        c += 6;
      } else if (code >= 0xDC00 && code < 0xE000) {
        return false;
      }
      const int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      static constexpr unsigned char kFirst[] = {0, 0xC0, 0xE0, 0xF0};
      put(static_cast<char>(kFirst[more] | (code >> (6 * more))));
      for (int i = more - 1; i >= 0; --i) put(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F)));
    }
    return true;
  }

  // A string that is compared with known ones, without its escapes. One with escapes that is longer than `letters`, or
  // has an escape that no text has, is not a known one, and stays as it is.
  using Letters = char[6 * kMaxKnown];
  bool read_known(Slice& to, Letters& letters, const Place* place) {
    if (!read_raw_string(to, place)) return false;
    if (to.size > sizeof letters || !memchr(to.data, '\\', to.size)) return true;
    char* end = letters;
    if (unescape(to, end)) to = {letters, static_cast<std::size_t>(end - letters)};
    return true;
  }

  bool make_text(Slice raw, rpl_text& to, const Place* place) {
    // (a number of an option takes a letter more)
    char* const text = take(raw.size + 2);
    to = {"", 0};
    if (!text && !measures()) return false;
    char* end = text;
    if (!unescape(raw, end)) return fail_at(raw.data, place, "a string has an escape that no text has");
    if (measures()) return true;
    *end = 0;
    to.data = text;
    to.size = static_cast<std::uint32_t>(end - text);
    return true;
  }

  // A number, `true`, `false` or `null`.
  Slice read_word() {
    skip_space();
    const char* const begin = at_;
    while (at_ != end_ && (is_digit(*at_) || (*at_ >= 'a' && *at_ <= 'z') || *at_ == '-' || *at_ == '+' ||
                           *at_ == '.' || *at_ == 'E')) {
      ++at_;
    }
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  bool take_null() {
    if (peek() != 'n') return false;
    const char* const begin = at_;
    if (equal(read_word(), "null")) return true;
    at_ = begin;
    return false;
  }

  // Calls `read_item(index, place)` for each element of an array.
  template <class ReadItem>
  bool read_array(const Place* place, ReadItem read_item) {
    if (!expect('[', place)) return false;
    if (take_one(']')) return true;
    for (std::uint32_t i = 0;; ++i) {
      const Place here = {place, {nullptr, 0}, i};
      if (!read_item(i, &here)) return false;
      if (take_one(']')) return true;
      if (!expect(',', place)) return false;
    }
  }

  // Any value.
  bool skip_value(const Place* place, int depth = 0) {
    constexpr int kMaxDepth = 64;
    if (depth == kMaxDepth) return fail(place, "values are nested too deep");
    const char c = peek();
    Slice text{};
    if (c == '"') return read_raw_string(text, place);
    if (c == '[')
      return read_array(place, [&](std::uint32_t, const Place* here) { return skip_value(here, depth + 1); });
    if (c == '{') {
      ++at_;
      for (bool is_first = true; !take_one('}'); is_first = false) {
        if (!is_first && !expect(',', place)) return false;
        if (!read_raw_string(text, place)) return false;
        const Place here = {place, text, 0};
        if (!expect(':', &here) || !skip_value(&here, depth + 1)) return false;
      }
      return true;
    }
    const char* const begin = at_;
    text = read_word();
    return equal(text, "null") || equal(text, "true") || equal(text, "false") || is_number(text) ||
           fail_at(begin, place, begin == end_ ? "the text ends in a value" : "expected a value");
  }
  bool count_items(const Place* place, std::uint32_t& count) {
    const char* const begin = at_;
    count = 0;
    const bool ok = read_array(place, [&](std::uint32_t, const Place* here) {
      ++count;
      return skip_value(here);
    });
    if (ok) at_ = begin;
    return ok;
  }

  // --- values --------------------------------------------------------------------------------------------------------

  bool read_text(rpl_text& to, const Place* place) {
    Slice raw{};
    return read_raw_string(raw, place) && make_text(raw, to, place);
  }

  bool read_number(std::uint32_t min, std::uint32_t max, std::uint32_t& to, const Place* place) {
    const char* const begin = (skip_space(), at_);
    const Slice word = read_word();
    std::uint64_t value = 0;
    if (!is_number(word)) return fail_at(begin, place, "expected a number");
    for (std::size_t i = 0; i < word.size; ++i) {
      if (!is_digit(word.data[i])) return fail_at(begin, place, "`", word, "` is not a whole number of 32 bits");
      value = value * 10 + static_cast<std::uint64_t>(word.data[i] - '0');
      if (value > 0xFFFFFFFF) return fail_at(begin, place, "`", word, "` is not a whole number of 32 bits");
    }
    if (value < min || value > max) return fail_at(begin, place, "`", word, "` is out of range");
    to = static_cast<std::uint32_t>(value);
    return true;
  }

  bool read_flag(std::uint32_t& to, const Place* place) {
    const char* const begin = (skip_space(), at_);
    const Slice word = read_word();
    to = equal(word, "true") ? 1 : 0;
    return to != 0 || equal(word, "false") || fail_at(begin, place, "expected `true` or `false`");
  }

  bool read_real(std::uint32_t& bits, const Place* place) {
    const char* const begin = (skip_space(), at_);
    const Slice word = read_word();
    char number[64];
    if (!is_number(word) || word.size >= sizeof number) return fail_at(begin, place, "expected a number");
    memcpy(number, word.data, word.size);
    number[word.size] = 0;
    return read_float(number, bits) || fail_at(begin, place, "`", word, "` is not a number of a 32-bit float");
  }

  bool read_enumerant(Enumeration of, std::uint32_t& to, const Place* place) {
    const char* const begin = (skip_space(), at_);
    Slice word{};
    Letters letters;
    if (!read_known(word, letters, place)) return false;
    std::uint32_t value = 0;
    for (const EnumerantName& each : kEnumerantNames) {
      if (each.of != of) continue;
      to = value++;
      if (equal_but_for_case(word, each.name)) return true;
    }
    return fail_at(begin, place, "`", word, "` is not a value of this key");
  }

  bool read_setting_word(SettingList list, std::uint32_t& to, const Place* place) {
    const char* const begin = (skip_space(), at_);
    Slice word{};
    Letters letters;
    if (!read_known(word, letters, place)) return false;
    for (const SettingWordValue& each : kSettingWords) {
      if (each.list != list || !equal(word, each.name)) continue;
      to = each.value;
      return true;
    }
    return fail_at(begin, place, "`", word, "` is not a value of this key");
  }

  bool read_type(rpl_type& to, const Place* place) {
    const char* const begin = (skip_space(), at_);
    Slice word{};
    Letters letters;
    if (!read_known(word, letters, place)) return false;
    const bool is_matrix = equal(word, "f3x3") || equal(word, "f4x4");
    const bool is_vector = word.size == 2 && word.data[1] >= '1' && word.data[1] <= '4' &&
                           (word.data[0] == 'f' || word.data[0] == 'u' || word.data[0] == 's');
    if (!is_matrix && !is_vector) return fail_at(begin, place, "`", word, "` is not a type of a vector or matrix");
    to.item = word.data[0] == 'u' ? RPL_ITEM_UINT : word.data[0] == 's' ? RPL_ITEM_SINT : RPL_ITEM_FLOAT;
    to.rows = static_cast<std::uint32_t>(word.data[1] - '0');
    to.columns = is_matrix ? to.rows : 1;
    return true;
  }

  // As the command line takes it. The type of the option may follow.
  bool read_option_value(rpl_text& to, const Place* place) {
    if (peek() == '"') return read_text(to, place);
    const Slice word = read_word();
    return word.size == 0 ? fail(place, "expected a value") : make_text(word, to, place);
  }

  // Numbers of unsigned options end in `u`, for which make_text has left a byte.
  static void finish_option(rpl_option& option) {
    if (option.type != RPL_OPTION_TYPE_UINT) return;
    for (rpl_text* const text : {&option.value, &option.default_value}) {
      if (text->size == 0 || text->data[text->size - 1] == 'u') continue;
      char* const end = const_cast<char*>(text->data) + text->size++;
      end[0] = 'u';
      end[1] = 0;
    }
  }

  // --- lists ---------------------------------------------------------------------------------------------------------

  // Reads an array into items of `size` bytes: `read(place, item)`.
  template <class Read>
  bool read_list(std::size_t size, char* to, const Place* place, Read read) {
    alignas(kAlignment) char scratch[kMaxItemSize];
    std::uint32_t count = 0;
    if (!count_items(place, count)) return false;
    char* const items = take(count * size);
    if (!items && !measures() && count != 0) return false;
    if (!read_array(place, [&](std::uint32_t i, const Place* here) {
          char* const item = items ? items + i * size : scratch;
          memset(item, 0, size);
          return read(here, item);
        })) {
      return false;
    }
    const char* const first = count == 0 ? nullptr : items;
    memcpy(to, &first, sizeof first);
    memcpy(to + offsetof(rpl_texts, count), &count, sizeof count);
    return true;
  }

  // --- structures ----------------------------------------------------------------------------------------------------

  // Long, because it has one case per codec.
  bool read_value(const JsonField& field, char* to, const Place* place) {
    std::uint32_t word = 0;
    const auto set = [&](bool ok) {
      memcpy(to, &word, sizeof word);
      return ok;
    };
    switch (field.codec) {
      case Codec::Text:
        return read_text(*reinterpret_cast<rpl_text*>(to), place);
      case Codec::OptionalText:
        return take_null() || read_text(*reinterpret_cast<rpl_text*>(to), place);
      case Codec::Number:
        return set(read_number(field.min, field.max, word, place));
      case Codec::Flag:
        return set(read_flag(word, place));
      case Codec::Float:
        return set(read_real(word, place));
      case Codec::Floats: {
        std::uint32_t count = 0;
        const bool ok = read_array(place, [&](std::uint32_t i, const Place* here) {
          count = i + 1;
          if (count > field.count) return fail(here, "there are too many numbers");
          if (!read_real(word, here)) return false;
          memcpy(to + i * sizeof word, &word, sizeof word);
          return true;
        });
        return ok && (count == field.count || fail(place, "there are too few numbers"));
      }
      case Codec::Texts:
        return read_list(sizeof(rpl_text), to, place, [&](const Place* here, char* item) {
          return read_text(*reinterpret_cast<rpl_text*>(item), here);
        });
      case Codec::Numbers:
      case Codec::Stages:
        return read_list(sizeof word, to, place, [&](const Place* here, char* item) {
          const bool ok = field.codec == Codec::Stages ? read_enumerant(Enumeration::stage, word, here)
                                                       : read_number(1, 0xFFFFFFFF, word, here);
          memcpy(item, &word, sizeof word);
          if (field.codec == Codec::Stages) ++code_entries_;
          return ok;
        });
      case Codec::Type:
        return read_type(*reinterpret_cast<rpl_type*>(to), place);
      case Codec::OptionalFormat:
        if (take_null()) return true;
        [[fallthrough]];
      case Codec::Format:
      case Codec::Enumerant:
        return set(read_enumerant(field.enumeration, word, place)) &&
               (field.codec == Codec::Enumerant || word != RPL_ITEM_FORMAT_NONE || fail(place, "this is not a format"));
      case Codec::OptionalNested:
        if (take_null()) return true;
        [[fallthrough]];
      case Codec::Nested:
        return read_object(field.nested, to, place);
      case Codec::List:
        return read_list(size_of(field.nested), to, place, [&](const Place* here, char* item) {
          make_texts_empty(field.nested, item);
          return read_object(field.nested, item, here);
        });
      case Codec::OptionValue:
        return read_option_value(*reinterpret_cast<rpl_text*>(to), place);
      case Codec::Word:
        return set(read_setting_word(field.words, word, place));
      case Codec::Constant: {
        const char* const begin = (skip_space(), at_);
        Slice value{};
        Letters letters;
        const bool is_string = peek() == '"' && *field.text == '"';
        if (is_string ? !read_known(value, letters, place) : !skip_value(place)) return false;
        if (is_string ? equal_to_quoted(value, field.text)
                      : equal({begin, static_cast<std::size_t>(at_ - begin)}, field.text))
          return true;
        at_ = begin;
        return fail(place, "expected ", {field.text, strlen(field.text)}, ": this is not metadata of this version");
      }
      case Codec::KeyOfNext:
      case Codec::NextIsOptional:
        break;
    }
    return false;
  }

  // Texts are never null, those of structures that are not there neither.
  static void make_texts_empty(StructId id, char* to) {
    const JsonRange fields = json_fields_of(id);
    for (const JsonField* field = fields.first; field != fields.last; ++field) {
      if (field->codec == Codec::Nested || field->codec == Codec::OptionalNested)
        make_texts_empty(field->nested, to + field->offset);
      if (field->codec == Codec::Text || field->codec == Codec::OptionalText || field->codec == Codec::OptionValue)
        *reinterpret_cast<rpl_text*>(to + field->offset) = {"", 0};
    }
  }

  // `to` has zeros and empty texts.
  bool read_object(StructId id, char* to, const Place* place) {
    if (peek() != '{') return fail(place, "expected an object");
    const char* const begin = at_++;
    std::uint64_t seen = 0;
    const JsonRange fields = json_fields_of(id);
    for (bool is_first = true; !take_one('}'); is_first = false) {
      Slice key{};
      Letters letters;
      if (!is_first && !expect(',', place)) return false;
      const char* const at_key = (skip_space(), at_);
      if (!read_known(key, letters, place)) return false;
      const Place here = {place, key, 0};
      if (!expect(':', &here)) return false;
      const JsonField* field = fields.first;
      while (field != fields.last && !equal(key, field->key)) ++field;
      if (field == fields.last) {
        if (!skip_value(&here)) return false;
        continue;
      }
      const std::uint64_t bit = std::uint64_t{1} << (field - fields.first);
      if ((seen & bit) != 0) return fail_at(at_key, &here, "the key occurs twice");
      seen |= bit;
      if (!read_value(*field, to + field->offset, &here)) return false;
    }
    if (id == StructId::option && !measures()) finish_option(*reinterpret_cast<rpl_option*>(to));
    return check_present(fields, seen, begin, place);
  }

  // Of the settings, those of one kind of pipeline.
  bool check_present(JsonRange fields, std::uint64_t seen, const char* begin, const Place* place) {
    Presence kind = Presence::OfGraphics;
    for (const JsonField* field = fields.first; field != fields.last; ++field) {
      const bool is_there = (seen >> (field - fields.first) & 1) != 0;
      if (is_there && field->presence == Presence::OfCompute) kind = Presence::OfCompute;
    }
    for (const JsonField* field = fields.first; field != fields.last; ++field) {
      const bool is_there = (seen >> (field - fields.first) & 1) != 0;
      const bool is_needed = field->presence == Presence::Required || field->presence == kind;
      if (is_needed && !is_there) {
        at_ = begin;
        return fail(place, "the key `", {field->key, strlen(field->key)}, "` is missing");
      }
    }
    return true;
  }

  const char* text_;
  const char* at_;
  const char* end_;
  char* memory_;
  std::size_t left_;
  std::size_t used_ = 0;
  std::size_t code_entries_ = 0;  // stages of modules
  bool short_of_memory_ = false;
  rpl_json_error* error_;
};

bool read_pipeline(JsonReader& reader, rpl_pipeline*& made) {
  static_assert(alignof(rpl_pipeline) <= alignof(std::max_align_t));
  rpl_pipeline measured;
  auto* to = reinterpret_cast<rpl_pipeline*>(reader.take(sizeof(rpl_pipeline)));
  made = to;
  if (!to && reader.short_of_memory()) return false;
  if (!to) to = &measured;
  memset(to, 0, sizeof *to);
  return reader.read_document(*to) && reader.make_modules(*to);
}

}  // namespace
}  // namespace slipway::rpl_runtime

using namespace slipway::rpl_runtime;

size_t rpl_json_pipeline_size(const char* text, size_t size, rpl_json_error* error) {
  if (error) memset(error, 0, sizeof *error);
  if (!text && size != 0) return 0;
  JsonReader reader(text, size, nullptr, 0, error);
  rpl_pipeline* ignored = nullptr;
  return read_pipeline(reader, ignored) ? reader.used() : 0;
}

rpl_status rpl_json_pipeline(const char* text, size_t size, void* memory, size_t memory_size,
                             const rpl_pipeline** pipeline, rpl_json_error* error) {
  if (error) memset(error, 0, sizeof *error);
  if (!pipeline || !memory || (!text && size != 0)) return RPL_WRONG_CALL;
  *pipeline = nullptr;
  JsonReader reader(text, size, memory, memory_size, error);
  rpl_pipeline* made = nullptr;
  if (!read_pipeline(reader, made)) return reader.short_of_memory() ? RPL_WRONG_CALL : RPL_BAD_INPUT;
  *pipeline = made;
  return RPL_OK;
}
