// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structure of a text: mappings, sequences and flow values, guided by the schema (docs/spec/zeinfo.md#keys,
// docs/spec/zeinfo.md#text-syntax).

#include "zeinfo/read/reader.hpp"

#include <algorithm>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "zeinfo/read/scalars.hpp"
#include "zeinfo/words.hpp"

namespace slipway::zeinfo {
namespace {

// The size of the largest structure in a list.
constexpr std::size_t kMaxItem =
    std::max({sizeof(Kernel), sizeof(Function), sizeof(KernelCostInfo), sizeof(PayloadArgument), sizeof(ArgInfo)});

}  // namespace

bool Reader::too_deep(const char* at) {
  error(DiagnosticKind::NestingTooDeep, span(at, at + 1), formatted("nested more than {} deep", kMaxDepth));
  return false;
}

void Reader::wrong_kind(const FieldInfo& field, const MappingInfo* in, Span span) {
  switch (field.type) {
    case Type::Mapping:
      return error(DiagnosticKind::NotAMapping, span, formatted("`{}` takes a mapping", field.key));
    case Type::Sequence:
      return error(DiagnosticKind::NotASequence, span, formatted("`{}` takes a sequence of mappings", field.key));
    case Type::Int3:
      deviation(DeviationKind::WrongListLength, span, in, &field);
      return error(DiagnosticKind::NotASequence, span, formatted("`{}` takes a sequence of three integers", field.key));
    default:
      deviation(DeviationKind::BadScalar, span, in, &field);
      return error(DiagnosticKind::NotAScalar, span, formatted("`{}` takes a single value", field.key));
  }
}

void Reader::note_entry(Span key, Span value) {
  if (!found_ || depth_ != found_depth_) return;
  if (found_->first_key == Span{}) found_->first_key = key;
  std::string_view word(begin_ + key.begin, key.end - key.begin);
  if (word.size() >= 2 && (word.front() == '"' || word.front() == '\'')) word = word.substr(1, word.size() - 2);
  if (found_->found || word != wanted_) return;
  *found_ = {.first_key = found_->first_key, .found = true, .key = key, .value = value};
}

// --- block mappings --------------------------------------------------------------------------------------------------

void Reader::skip_deeper_lines(int column, std::size_t errors_before) {
  if (errors_ == errors_before) {
    if (looks_like_entry() || at_dash()) {
      error(DiagnosticKind::BadIndentation, span(p_, p_ + 1),
            formatted("column {} matches no mapping or sequence here; the one above is in column {}", column_ + 1,
                      column + 1));
    } else {
      error(DiagnosticKind::UnsupportedYaml, span(p_, p_ + 1), "a value over several lines: not supported by ZE Info");
      deviation(DeviationKind::Unsupported, span(p_, p_ + 1));
    }
  }
  while (!at_end() && column_ > column) {
    skip_line();
    next_token();
  }
}

void Reader::block_mapping(const MappingInfo* mapping, std::byte* object, int column, bool of_item) {
  const char* first = p_;
  if (!enter(p_)) {
    do {
      skip_line();
      next_token();
    } while (!at_end() && column_ >= column && !at_marker());
    return;
  }
  if (object) *reinterpret_cast<std::uint32_t*>(object + sizeof(std::uint64_t)) = offset(p_);
  std::uint64_t seen = 0;
  Span first_key = span(p_, p_);
  const bool quick = mapping != nullptr;
  bool is_first = true;
  while (true) {
    const std::size_t errors_before = errors_;
    if (!(quick && p_ < quick_end_ && quick_entry(*mapping, object, seen))) {
      Entry entry = read_key(mapping, seen, false);
      entry.column = column;
      if (is_first) first_key = entry.key;
      if (entry.ok) {
        const Span value_span = value(entry, mapping, object, of_item && is_first);
        note_entry(entry.key, value_span);
      } else {
        skip_line();
        next_token();
      }
    }
    is_first = false;
    skip_deeper(column, errors_before);
    while (!at_end() && column_ == column && at_dash()) {
      error(DiagnosticKind::BadToken, span(p_, p_ + 1), "a sequence item where a key is expected");
      const std::size_t told = errors_ - 1;
      skip_line();
      next_token();
      skip_deeper(column, told);
    }
    if (at_end() || column_ < column || at_marker()) break;
  }
  --depth_;
  if (mapping) {
    if (first_key.begin == first_key.end) {
      const char* colon = static_cast<const char*>(std::memchr(first, ':', static_cast<std::size_t>(end_ - first)));
      first_key = span(first, colon ? colon : first);
    }
    finish_mapping(mapping, object, seen, first_key);
  }
}

void Reader::finish_mapping(const MappingInfo* mapping, std::byte*, std::uint64_t seen, Span at) {
  std::uint64_t missing = mapping->required & ~seen;
  for (; missing; missing &= missing - 1) {
    const FieldInfo& field = mapping->fields[static_cast<std::size_t>(std::countr_zero(missing))];
    error(DiagnosticKind::MissingKey, at, formatted("{} without its required key `{}`", mapping->name, field.key));
  }
}

void Reader::unknown_key(const MappingInfo& mapping, std::string_view key, Span where) {
  const bool runtime_only = (&mapping == &mapping_of<Root>() && key == "required_libs") ||
                            (&mapping == &mapping_of<UserAttributes>() && key.contains("_hint"));
  if (runtime_only) {
    deviation(DeviationKind::RuntimeOnlyKey, where, &mapping);
    problem(Severity::Warning, DiagnosticKind::RuntimeOnlyKey, where,
            formatted("`{}` is not a key of {} in any version; only the runtime knows it", key, mapping.name));
    return;
  }
  // The severity is determined when the version is known (parse.cpp).
  if (document_.deviations.size() >= Document::kMaxDeviations) {
    error(DiagnosticKind::UnknownKey, where, formatted("unknown key `{}` in {}", key, mapping.name));
    return;
  }
  deviation(DeviationKind::UnknownKey, where, &mapping);
}

// Reads the key and its colon.
Reader::Entry Reader::read_key(const MappingInfo* mapping, std::uint64_t& seen, bool in_flow) {
  Entry entry;
  const bool quoted = peek() == '"' || peek() == '\'';
  const Scalar key = read_scalar(in_flow, true);
  entry.key = key.span;
  if (!key.ok) return entry;
  if (quoted) deviation(DeviationKind::QuotedKey, key.span, mapping);
  skip_inline_blanks();
  if (peek() == ':' && !in_flow && !quoted && !is_blank_or_end(p_ + 1)) {
    // Not YAML, but the runtime reads it.
    deviation(DeviationKind::NoBlank, key.span, mapping);
    problem(Severity::Warning, DiagnosticKind::BadToken, key.span,
            formatted("expected a blank after `{}` and its `:`", key.text.substr(0, 40)));
  } else if (peek() != ':' || !(is_blank_or_end(p_ + 1) || (in_flow && quoted))) {
    deviation(DeviationKind::NoKey, key.span, mapping);
    error(DiagnosticKind::BadToken, key.span,
          quoted || key.text.empty() ? std::string("expected a key and its `:`")
                                     : formatted("expected `:` and a blank after `{}`", key.text.substr(0, 40)));
    return entry;
  }
  ++p_;
  if (!quoted && key.text == "<<") {
    deviation(DeviationKind::Unsupported, key.span, mapping);
    error(DiagnosticKind::UnsupportedYaml, key.span, "a merge key: not supported by ZE Info");
    return entry;
  }
  entry.ok = true;
  if (!mapping) return entry;
  const std::uint8_t location = keys_of(*mapping).find(key.text);
  if (location == WordTable::kNone) {
    unknown_key(*mapping, key.text, key.span);
    return entry;
  }
  const FieldInfo& field = mapping->fields[location];
  if (seen >> location & 1) {
    deviation(DeviationKind::DuplicateKey, key.span, mapping, &field);
    error(DiagnosticKind::DuplicateKey, key.span, formatted("`{}` appears twice here", field.key));
    return entry;
  }
  seen |= std::uint64_t{1} << location;
  entry.field = &field;
  return entry;
}

// --- values ----------------------------------------------------------------------------------------------------------

// Starts after the colon; leaves the position at the next token.
Span Reader::value(const Entry& entry, const MappingInfo* in, std::byte* object, bool opens_item) {
  skip_inline_blanks();
  if (!is_line_end(p_) && peek() != '#') {
    const Span where = inline_value(entry.field, in, object, false);
    if (flow_broken_) {
      flow_broken_ = false;
      skip_line();
    }
    end_line();
    next_token();
    return where;
  }
  next_token();
  const bool takes_sequence = !entry.field || entry.field->type == Type::Sequence || entry.field->type == Type::Int3 ||
                              is_sequence_form(*entry.field);
  if (!at_end() && column_ > entry.column) {
    if (opens_item && !at_dash()) deviation(DeviationKind::ItemOpensMapping, entry.key, in, entry.field);
    return block_value(entry.field, in, object, entry.column);
  }
  if (!at_end() && column_ == entry.column && at_dash() && takes_sequence) {
    if (entry.column == 0) deviation(DeviationKind::ZeroIndentedAtRoot, span(p_, p_ + 1), in, entry.field);
    return block_value(entry.field, in, object, entry.column);
  }
  if (entry.field && entry.field->type == Type::Sequence && !at_end() && column_ == entry.column) {
    deviation(DeviationKind::EmptyVector, entry.key, in, entry.field);
  }
  return no_value(entry.field, in, object, entry.key);
}

Span Reader::no_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, Span key) {
  const Span after{key.end, key.end};
  if (!field) return after;
  switch (field->type) {
    case Type::Mapping:
      mark(object, *field);
      *reinterpret_cast<std::uint32_t*>(object + field->offset + sizeof(std::uint64_t)) =
          static_cast<std::uint32_t>(key.begin);
      finish_mapping(field->mapping, object + field->offset, 0, key);
      break;
    case Type::Sequence:
      mark(object, *field);
      break;
    case Type::Int3:
      deviation(DeviationKind::WrongListLength, key, in, field);
      break;
    default:
      deviation(DeviationKind::MissingValue, key, in, field);
      error(DiagnosticKind::MissingValue, key, formatted("`{}` has no value", field->key));
  }
  return after;
}

Span Reader::inline_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, bool in_flow) {
  const char* from = p_;
  if (peek() == '{') {
    deviation(DeviationKind::FlowMapping, span(p_, p_ + 1), in, field);
    if (field && field->type == Type::Mapping) {
      mark(object, *field);
      flow_mapping(field->mapping, object + field->offset);
    } else {
      if (field) wrong_kind(*field, in, span(p_, p_ + 1));
      flow_mapping(nullptr, nullptr);
    }
  } else if (peek() == '[') {
    if (field && field->type == Type::Int3) {
      int3_flow(*field, in, object);
    } else if (field && field->type == Type::Sequence) {
      mark(object, *field);
      flow_sequence(field, in, object);
    } else if (field && is_sequence_form(*field)) {
      sequence_form(*field, in, object, true);
    } else {
      if (field) wrong_kind(*field, in, span(p_, p_ + 1));
      flow_sequence(nullptr, nullptr, nullptr);
    }
  } else {
    const Scalar scalar = read_scalar(in_flow, false);
    if (!scalar.ok) {
      flow_broken_ = in_flow;
    } else if (field) {
      scalar_value(*field, in, object, scalar);
    }
  }
  return span(from, p_);
}

// Starts at the first token of a value on its own lines.
Span Reader::block_value(const FieldInfo* field, const MappingInfo* in, std::byte* object, int key_column) {
  const char* from = p_;
  const void* newline = std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
  const char* to = newline ? static_cast<const char*>(newline) : end_;
  while (to > from && (to[-1] == ' ' || to[-1] == '\r')) --to;
  const Span where = span(from, to);
  if (at_dash()) {
    if (field && field->type == Type::Int3) {
      int3_block(*field, in, object, column_);
    } else if (field && field->type == Type::Sequence) {
      mark(object, *field);
      block_sequence(field, object, column_);
    } else if (field && is_sequence_form(*field)) {
      sequence_form(*field, in, object, false);
    } else {
      if (field) wrong_kind(*field, in, where);
      block_sequence(nullptr, nullptr, column_);
    }
  } else if (peek() != '{' && peek() != '[' && looks_like_entry()) {
    if (field && field->type == Type::Mapping) {
      mark(object, *field);
      block_mapping(field->mapping, object + field->offset, column_, false);
    } else {
      if (field) wrong_kind(*field, in, where);
      block_mapping(nullptr, nullptr, column_, false);
    }
  } else {
    const std::size_t errors_before = errors_;
    const Span inside = inline_value(field, in, object, false);
    if (flow_broken_) {
      flow_broken_ = false;
      skip_line();
    }
    end_line();
    next_token();
    skip_deeper(key_column, errors_before);
    return inside;
  }
  return where;
}

// --- sequences -------------------------------------------------------------------------------------------------------

void Reader::store_list(const FieldInfo& field, std::byte* object, std::size_t from, std::uint32_t count) {
  const std::size_t size = std::size_t{count} * field.mapping->size;
  std::byte* items = nullptr;
  constexpr std::size_t kMinMovedBytes = 1 << 16;  // shorter lists are copied, and the scratch memory is reused
  if (from == 0 && size >= kMinMovedBytes) {
    items = document_.arena->adopt(scratch_.release(), size);
  } else if (count) {
    items = document_.arena->allocate(size);
    std::memcpy(items, scratch_.data() + from, size);
    scratch_.shrink(from);
  }
  member<RawList>(object, field) = {items, count};
}

// Reads one item, starting after its dash; leaves the position at the next token.
void Reader::read_item(const MappingInfo* mapping, std::byte* object, int dash_column) {
  const char* dash = p_++;
  skip_inline_blanks();
  if (is_line_end(p_) || peek() == '#') {
    next_token();
    if (at_end() || column_ <= dash_column) {
      if (mapping) finish_mapping(mapping, object, 0, span(dash, dash + 1));
      return;
    }
  } else {
    column_ = static_cast<int>(p_ - line_);
  }
  if (at_dash()) {
    if (mapping) {
      error(DiagnosticKind::NotAMapping, span(p_, p_ + 1),
            formatted("a sequence where a mapping is expected ({})", mapping->name));
    }
    block_sequence(nullptr, nullptr, column_);
  } else if (peek() != '{' && peek() != '[' && looks_like_entry()) {
    block_mapping(mapping, object, column_, true);
  } else {
    if (peek() == '{') {
      deviation(DeviationKind::FlowMapping, span(p_, p_ + 1), mapping);
      flow_mapping(mapping, object);
    } else {
      const char* from = p_;
      const std::size_t errors_before = errors_;
      inline_value(nullptr, nullptr, nullptr, false);
      const std::string_view word(from, static_cast<std::size_t>(p_ - from));
      if (mapping && errors_ == errors_before) {
        if (is_null_word(word)) {
          finish_mapping(mapping, object, 0, span(from, p_));
        } else {
          error(DiagnosticKind::NotAMapping, span(from, p_), formatted("expected a mapping ({})", mapping->name));
        }
      }
    }
    if (flow_broken_) {
      flow_broken_ = false;
      skip_line();
    }
    end_line();
    next_token();
  }
}

// `field` is null for values of which only the form is read.
void Reader::block_sequence(const FieldInfo* field, std::byte* object, int column) {
  if (!enter(p_)) {
    do {
      skip_line();
      next_token();
    } while (!at_end() && (column_ > column || (column_ == column && at_dash())));
    return;
  }
  const MappingInfo* mapping = field ? field->mapping : nullptr;
  const std::size_t from = scratch_.size();
  const bool kernels = mapping == &mapping_of<Kernel>();
  std::uint32_t count = 0;
  while (!at_end() && column_ == column && at_dash()) {
    const std::size_t errors_before = errors_;
    alignas(8) std::byte item[kMaxItem];
    if (mapping) {
      std::memcpy(item, mapping->blank(), mapping->size);
      *reinterpret_cast<std::uint32_t*>(item + sizeof(std::uint64_t)) = offset(p_);
    }
    if (kernels) kernel_ = count;
    read_item(mapping, mapping ? item : nullptr, column);
    if (mapping) scratch_.push(item, mapping->size);
    ++count;
    skip_deeper(column, errors_before);
  }
  if (kernels) kernel_ = ~0u;
  --depth_;
  if (field) store_list(*field, object, from, count);
}

// experimental_properties and debug_env were sequences before 1.7; they are read as such in every version.
bool Reader::is_sequence_form(const FieldInfo& field) const {
  return field.type == Type::Mapping &&
         (field.mapping == &mapping_of<ExperimentalProperties>() || field.mapping == &mapping_of<DebugEnv>());
}

void Reader::sequence_form(const FieldInfo& field, const MappingInfo* in, std::byte* object, bool in_flow) {
  const Span where = span(p_, p_ + 1);
  RawList items;
  FieldInfo list = field;
  list.type = Type::Sequence;
  list.offset = 0;
  auto* to = reinterpret_cast<std::byte*>(&items);
  if (in_flow) {
    flow_sequence(&list, in, to);
  } else {
    block_sequence(&list, to, column_);
  }
  deviation(DeviationKind::SequenceForm, where, in, &field);
  problem(Severity::Note, DiagnosticKind::LegacySequenceForm, where,
          formatted("`{}` as a sequence, as before 1.7; it is a mapping now", field.key));
  if (items.count == 0) return;
  if (items.count > 1) {
    error(DiagnosticKind::ListLength, where, formatted("`{}` has {} items and takes one", field.key, items.count));
  }
  mark(object, field);
  std::memcpy(object + field.offset, items.data, field.mapping->size);
}

// --- flow values -----------------------------------------------------------------------------------------------------

void Reader::break_flow(const char* at, std::string_view message) {
  error(DiagnosticKind::BadToken, span(at, at + (at < end_)), message);
  flow_broken_ = true;
}

void Reader::flow_mapping(const MappingInfo* mapping, std::byte* object) {
  const char* open = p_;
  if (!enter(p_)) {
    flow_broken_ = true;
    return;
  }
  if (object) *reinterpret_cast<std::uint32_t*>(object + sizeof(std::uint64_t)) = offset(p_);
  std::uint64_t seen = 0;
  Span first_key = span(p_, p_ + 1);
  bool is_first = true;
  ++p_;
  while (!flow_broken_ && next_flow_item(open, '}')) {
    const Entry entry = read_key(mapping, seen, true);
    if (!entry.ok) {
      flow_broken_ = true;
      break;
    }
    if (is_first) first_key = entry.key;
    is_first = false;
    next_token();
    const Span where = peek() == ',' || peek() == '}' ? no_value(entry.field, mapping, object, entry.key)
                                                      : inline_value(entry.field, mapping, object, true);
    note_entry(entry.key, where);
    if (flow_broken_) break;
    end_flow_item(open, '}');
  }
  --depth_;
  if (!flow_broken_) ++p_;
  if (mapping && !flow_broken_) finish_mapping(mapping, object, seen, first_key);
}

// Moves to the next item of the flow value that begins at `open`. False at its end, and after an error.
bool Reader::next_flow_item(const char* open, char close) {
  next_token();
  if (peek() == close) return false;
  if (!at_end() && !at_marker()) return true;
  break_flow(open, formatted("this `{}` is not closed", std::string_view(open, 1)));
  return false;
}

// After an item: moves past the comma, or reports what is there instead of it and of the closing bracket.
void Reader::end_flow_item(const char* open, char close) {
  next_token();
  if (peek() == ',') {
    ++p_;
  } else if (at_end()) {
    break_flow(open, formatted("this `{}` is not closed", std::string_view(open, 1)));
  } else if (peek() != close) {
    break_flow(p_, formatted("expected `,` or `{}`", std::string_view(&close, 1)));
  }
}

// `field` is null for values of which only the form is read.
void Reader::flow_sequence(const FieldInfo* field, const MappingInfo*, std::byte* object) {
  const char* open = p_;
  if (!enter(p_)) {
    flow_broken_ = true;
    return;
  }
  const MappingInfo* mapping = field ? field->mapping : nullptr;
  const std::size_t from = scratch_.size();
  const bool kernels = mapping == &mapping_of<Kernel>();
  std::uint32_t count = 0;
  ++p_;
  while (!flow_broken_ && next_flow_item(open, ']')) {
    if (kernels) kernel_ = count;
    if (mapping && peek() == '{') {
      alignas(8) std::byte item[kMaxItem];
      std::memcpy(item, mapping->blank(), mapping->size);
      deviation(DeviationKind::FlowMapping, span(p_, p_ + 1), mapping);
      flow_mapping(mapping, item);
      scratch_.push(item, mapping->size);
      ++count;
    } else {
      const char* at = p_;
      const Span where = inline_value(nullptr, nullptr, nullptr, true);
      if (mapping && !flow_broken_) {
        error(DiagnosticKind::NotAMapping, where, formatted("expected a mapping ({})", mapping->name));
      }
      if (p_ == at && !flow_broken_) break_flow(p_, "expected a value");
    }
    if (flow_broken_) break;
    end_flow_item(open, ']');
  }
  if (kernels) kernel_ = ~0u;
  --depth_;
  if (!flow_broken_) ++p_;
  if (field) store_list(*field, object, from, count);
}

// --- the text --------------------------------------------------------------------------------------------------------

void Reader::read_text(Root& root) {
  auto* object = reinterpret_cast<std::byte*>(&root);
  const MappingInfo& mapping = mapping_of<Root>();
  while (end_ > begin_ && end_[-1] == '\0') --end_;  // padding
  quick_end_ = std::min(quick_end_, end_);
  if (std::string_view(begin_, static_cast<std::size_t>(end_ - begin_)).starts_with("\xef\xbb\xbf")) {
    deviation(DeviationKind::ByteOrderMark, {0, 3});
    problem(Severity::Note, DiagnosticKind::ByteOrderMark, {0, 3}, "a byte order mark; UTF-8 does not need it");
    p_ = line_ = begin_ + 3;
  }
  next_token();
  while (!at_end() && fresh_ && column_ == 0 && peek() == '%') {
    error(DiagnosticKind::UnsupportedYaml, span(p_, p_ + 1), "a directive: not supported by ZE Info");
    deviation(DeviationKind::Unsupported, span(p_, p_ + 1));
    skip_line();
    next_token();
  }
  if (at_marker() && peek() == '-') {
    p_ += 3;
    end_line();
    next_token();
  }
  if (at_end() || at_marker()) {
    problem(Severity::Warning, DiagnosticKind::EmptyText, span(p_, p_), "the text is empty: no version and no kernels");
  } else if (peek() == '{') {
    deviation(DeviationKind::FlowMapping, span(p_, p_ + 1), &mapping);
    flow_mapping(&mapping, object);
    flow_broken_ = false;
    end_line();
    next_token();
  } else if (!at_dash() && peek() != '[' && looks_like_entry()) {
    block_mapping(&mapping, object, column_, false);
  } else {
    const char* from = p_;
    deviation(DeviationKind::NoKey, span(p_, p_ + 1), &mapping);
    skip_line();
    const char* to = p_;
    error(DiagnosticKind::NotAMapping, span(from, std::min(to, from + 60)),
          "a ZE Info text is a mapping: `version: ...`, `kernels: ...`");
    return;  // the rest cannot be assigned to any key
  }
  if (at_end()) return;
  if (!at_marker()) {
    error(DiagnosticKind::BadIndentation, span(p_, p_ + 1), "a line left of the root's first key");
    return;
  }
  if (peek() == '.') {
    p_ += 3;
    end_line();
    next_token();
    if (at_end()) return;
  }
  const bool second = at_marker() && peek() == '-';
  deviation(DeviationKind::SecondDocument, span(p_, p_ + 1));
  error(second ? DiagnosticKind::SecondDocument : DiagnosticKind::TrailingData, span(p_, p_ + 1),
        second ? "a second document; a text has one" : "content after the end of the document");
}

Reader::Found Reader::find_entry(std::uint32_t at, std::string_view key) {
  Found found;
  if (at >= static_cast<std::size_t>(end_ - begin_)) return found;
  p_ = begin_ + at;
  line_ = p_;
  while (line_ > begin_ && line_[-1] != '\n') --line_;
  column_ = static_cast<int>(p_ - line_);
  wanted_ = key;
  found_ = &found;
  found_depth_ = 1;
  if (peek() == '{') {
    flow_mapping(nullptr, nullptr);
  } else if (looks_like_entry()) {
    block_mapping(nullptr, nullptr, column_, false);
  } else {
    found.first_key = span(p_, p_ + 1);
  }
  if (found.first_key == Span{}) found.first_key = span(p_, p_);
  found_ = nullptr;
  return found;
}

}  // namespace slipway::zeinfo
