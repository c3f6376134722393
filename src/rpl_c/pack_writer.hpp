// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes packs (rpl_runtime/pack_format.hpp), which slipway/rpl_pack.h reads.
//
//   PackWriter writer;
//   writer.add("forward/brick", program, *variants);
//   const Result<std::vector<std::uint32_t>> words = writer.take();
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rpl/variants/variants.hpp"
#include "rpl_runtime/fields.hpp"
#include "rpl_runtime/pack_format.hpp"

namespace slipway::rpl_c {

class PackWriter {
 public:
  // `variants` have their values (VariantOptions::keep_values).
  void add(std::string_view name, const rpl::Program& program, const rpl::Variants& variants);
  // Errors: out-of-range for more than 4 GiB.
  Result<std::vector<std::uint32_t>> take();

 private:
  rpl_runtime::PackText text(std::string_view text);
  std::uint32_t begin_record() const { return static_cast<std::uint32_t>(records_.size()); }
  // Appends records one after the other; returns the index of the first.
  template <class T>
  std::uint32_t append(const std::vector<T>& records);
  // Appends a structure, or a list of them; adds the bytes of memory that reading it takes.
  void write(rpl_runtime::StructId id, const char* from, std::uint32_t& memory);
  void write(const rpl_runtime::StructField& field, const char* from, std::uint32_t& memory);
  void write_list(rpl_runtime::StructId id, const char* list, std::uint32_t& memory);
  void write_words(const std::uint32_t* words, std::uint32_t count);
  void write_text(const rpl_text& from);

  std::vector<std::uint32_t> records_;
  std::vector<std::uint32_t> code_;
  std::string strings_;
  std::map<std::string, rpl_runtime::PackText, std::less<>> texts_;
  std::map<std::string, std::uint32_t, std::less<>> modules_;  // by SHA-256, the first word
  std::vector<rpl_runtime::PackProgram> programs_;
};

}  // namespace slipway::rpl_c
