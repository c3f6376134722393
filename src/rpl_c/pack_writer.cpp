// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/pack_writer.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/sha256.hpp"
#include "rpl_c/structs.hpp"

namespace slipway::rpl_c {
namespace {

using namespace rpl_runtime;

// As the reader takes it.
constexpr std::uint32_t memory_of(std::size_t count, std::size_t item_size) {
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  return static_cast<std::uint32_t>((count * item_size + kAlignment - 1) / kAlignment * kAlignment);
}

// Bits of a value as PackPair has them.
std::uint32_t bits_of(const rpl::Program& program, const rpl::Option& option, rpl::Value value) {
  if (option.type != rpl::OptionType::Enum) return value.bits;
  const auto values = std::span(program.lists).subspan(option.values.first, option.values.count);
  return static_cast<std::uint32_t>(std::ranges::find(values, value.bits) - values.begin());
}

}  // namespace

PackText PackWriter::text(std::string_view text) {
  const auto [known, fresh] = texts_.try_emplace(std::string(text));
  if (fresh) {
    known->second = {static_cast<std::uint32_t>(strings_.size()), static_cast<std::uint32_t>(text.size())};
    strings_.append(text).push_back('\0');
  }
  return known->second;
}

template <class T>
std::uint32_t PackWriter::append(const std::vector<T>& records) {
  const std::uint32_t first = begin_record();
  records_.resize(first + records.size() * sizeof(T) / sizeof(std::uint32_t));
  if (!records.empty()) std::memcpy(records_.data() + first, records.data(), records.size() * sizeof(T));
  return first;
}

void PackWriter::write(StructId id, const char* from, std::uint32_t& memory) {
  for (const StructField& field : fields_of(id)) write(field, from + field.offset, memory);
}

void PackWriter::write(const StructField& field, const char* from, std::uint32_t& memory) {
  switch (field.kind) {
    case FieldKind::Number:
      for (std::uint32_t i = 0; i < field.count; ++i) records_.push_back(read_as<std::uint32_t>(from + 4UZ * i));
      break;
    case FieldKind::Text:
      write_text(read_as<rpl_text>(from));
      break;
    case FieldKind::Words: {
      const auto words = read_as<rpl_numbers>(from);
      write_words(words.items, words.count);
      break;
    }
    case FieldKind::Texts: {
      const auto texts = read_as<rpl_texts>(from);
      records_.push_back(texts.count);
      memory += memory_of(texts.count, sizeof(rpl_text));
      for (const rpl_text& text : texts) write_text(text);
      break;
    }
    case FieldKind::Numbers: {
      const auto numbers = read_as<rpl_numbers>(from);
      records_.push_back(numbers.count);
      records_.insert(records_.end(), numbers.begin(), numbers.end());
      break;
    }
    case FieldKind::Nested:
      for (std::uint32_t i = 0; i < field.count; ++i) {
        write(field.nested, from + std::size_t{i} * size_of(field.nested), memory);
      }
      break;
    case FieldKind::List:
      write_list(field.nested, from, memory);
      break;
  }
}

void PackWriter::write_list(StructId id, const char* list, std::uint32_t& memory) {
  const char* const items = read_as<const char*>(list);
  const auto count = read_as<std::uint32_t>(list + offsetof(rpl_texts, count));
  records_.push_back(count);
  memory += memory_of(count, size_of(id));
  for (std::uint32_t i = 0; i < count; ++i) write(id, items + std::size_t{i} * size_of(id), memory);
}

void PackWriter::write_words(const std::uint32_t* words, std::uint32_t count) {
  const auto [known, fresh] = modules_.try_emplace(sha256_text(std::as_bytes(std::span(words, count))),
                                                   static_cast<std::uint32_t>(code_.size()));
  if (fresh) code_.insert(code_.end(), words, words + count);
  records_.push_back(known->second);
  records_.push_back(count);
}

void PackWriter::write_text(const rpl_text& from) {
  const PackText written = text(from);
  records_.push_back(written.offset);
  records_.push_back(written.size);
}

void PackWriter::add(std::string_view name, const rpl::Program& program, const rpl::Variants& variants) {
  PackProgram& of = programs_.emplace_back();
  of = {};
  of.name = text(name);
  {
    Arena arena;
    const rpl_options options = make_options(arena, program);
    of.options = begin_record();
    write_list(StructId::option, reinterpret_cast<const char*>(&options), of.options_memory);
  }
  std::vector<PackKey> keys;
  for (const rpl::Option& option : program.options) {
    std::vector<PackText> values;
    for (std::uint32_t i = 0; i < option.values.count; ++i) {
      values.push_back(text(program.text(program.lists[option.values.first + i])));
    }
    keys.push_back({text(program.text(option.name)), static_cast<std::uint32_t>(option.type),
                    bits_of(program, option, option.initial), append(values),
                    static_cast<std::uint32_t>(values.size())});
  }
  of.keys = append(keys);
  of.key_count = static_cast<std::uint32_t>(keys.size());

  std::unordered_map<std::string_view, spirv::WordSpan> words;
  for (const rpl::VariantModule& module : variants.modules) words.emplace(module.file, module.words);
  std::vector<PackVariant> packed;
  std::vector<PackWhen> whens;
  for (const rpl::VariantClass& from : variants.classes) {
    Arena arena;
    rpl_pipeline pipeline{};
    make_pipeline(arena, from.values, [&](std::size_t i) { return words.at(from.values.code[i].file); }, pipeline);
    PackVariant& variant = packed.emplace_back();
    variant = {begin_record(), memory_of(1, sizeof pipeline), text(from.reason)};
    write(StructId::pipeline, reinterpret_cast<const char*>(&pipeline), variant.memory);
    for (const rpl::Assignment& assignment : from.when) {
      std::vector<PackPair> pairs;
      for (rpl::OptionId option = 0; option < assignment.values.size(); ++option) {
        if (!assignment.has(option)) continue;
        pairs.push_back({option, bits_of(program, program.options[option], assignment.values[option])});
      }
      whens.push_back(
          {static_cast<std::uint32_t>(packed.size() - 1), append(pairs), static_cast<std::uint32_t>(pairs.size())});
    }
  }
  of.variants = append(packed);
  of.variant_count = static_cast<std::uint32_t>(packed.size());
  of.whens = append(whens);
  of.when_count = static_cast<std::uint32_t>(whens.size());
}

Result<std::vector<std::uint32_t>> PackWriter::take() {
  PackHeader header{};
  std::ranges::copy(kPackMagic, header.magic);
  header.version = kPackVersion;
  header.form = form_of_structs();
  header.programs = append(programs_);
  header.program_count = static_cast<std::uint32_t>(programs_.size());
  const std::size_t size = sizeof header + 4 * (records_.size() + code_.size()) + (strings_.size() + 3) / 4 * 4;
  if (size > 0xFFFFFFFF) return fail(DiagnosticKind::OutOfRange, {}, "a pack has at most 4 GiB");
  header.word_count = static_cast<std::uint32_t>(size / 4);
  header.record_count = static_cast<std::uint32_t>(records_.size());
  header.code_count = static_cast<std::uint32_t>(code_.size());
  header.string_size = static_cast<std::uint32_t>(strings_.size());
  std::vector<std::uint32_t> words(size / 4);
  auto* next = reinterpret_cast<char*>(words.data());
  const auto add = [&](const void* from, std::size_t count) {
    if (count != 0) std::memcpy(next, from, count);
    next += count;
  };
  add(&header, sizeof header);
  add(records_.data(), 4 * records_.size());
  add(code_.data(), 4 * code_.size());
  add(strings_.data(), strings_.size());
  return words;
}

}  // namespace slipway::rpl_c
