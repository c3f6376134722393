// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form of a pack: little-endian words.
//
//   header    Header
//   records   words that programs, variants, assignments and structures are made of; `first` members are indices here
//   code      SPIR-V of all modules, each once
//   strings   texts, each once, each with a zero after it
//
// A structure is the sequence of its members (fields.hpp): a number is a word; a text is the offset of its first byte
// in the strings and its size; SPIR-V is the index of its first word in the code and the count of words; a list is the
// count and then its items; a nested structure has no words of its own.
#pragma once

#include <cstdint>

namespace slipway::rpl_runtime {

inline constexpr std::uint32_t kPackMagic[2] = {0x504C5052, 0x004B4341};  // "RPLPACK\0"
inline constexpr std::uint32_t kPackVersion = 1;

// Each is a sequence of words.
struct PackHeader {
  std::uint32_t magic[2];
  std::uint32_t version;
  std::uint32_t form;        // form_of_structs
  std::uint32_t word_count;  // of the pack
  std::uint32_t record_count;
  std::uint32_t code_count;
  std::uint32_t string_size;  // bytes
  std::uint32_t programs;     // index of the first PackProgram in the records
  std::uint32_t program_count;
};

struct PackText {
  std::uint32_t offset, size;
};

struct PackProgram {
  PackText name;
  std::uint32_t options;          // a list of rpl_option
  std::uint32_t options_memory;   // bytes of the structures
  std::uint32_t keys, key_count;  // PackKey, one for each option
  std::uint32_t variants, variant_count;
  std::uint32_t whens, when_count;
};

// An option, for finding a variant.
struct PackKey {
  PackText name;
  std::uint32_t type;                 // rpl_option_type
  std::uint32_t initial;              // bits of the default; of an enumeration the index of the value
  std::uint32_t values, value_count;  // PackText
};

struct PackVariant {
  std::uint32_t pipeline;
  std::uint32_t memory;  // bytes of the structures
  PackText reason;
};

// An assignment belongs to the variant of the one PackWhen that it agrees with.
struct PackWhen {
  std::uint32_t variant;
  std::uint32_t pairs, pair_count;  // PackPair
};

struct PackPair {
  std::uint32_t option;  // index of its key
  std::uint32_t bits;
};

}  // namespace slipway::rpl_runtime
