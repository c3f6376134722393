// Anything that holds ZE Info: a zebin, a member of a fat archive, an unpacked directory, text, or the JSON form.
//
//   std::vector<Input> inputs = open_inputs("k.bin", {}, diagnostics);
//   for (Input& input : inputs) check_input(input, {}, ...);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "zeinfo/check.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/problems.hpp"
#include "zeinfo/target.hpp"
#include "zeinfo/zebin/archive.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

enum class InputKind { Zebin, Text, Json };

struct Input {
  std::string name;  // as messages show it: `k.bin`, `fat.ar(64.dg2)`
  InputKind kind = InputKind::Text;
  std::uint64_t size = 0;
  std::optional<Zebin> zebin;  // kind Zebin, when the container could be read at all
  zeinfo::Document document;   // empty when there is none
  bool has_document = false;
  zeinfo::Target target;
  std::unique_ptr<Problems> container_problems;     // kind Zebin
  std::unique_ptr<zeinfo::Problems> text_problems;  // of the text; none for JSON and where there is no text

  bool laid_out_anew = false;  // a directory whose files have other sizes or names than its manifest says

  std::shared_ptr<const void> owner;  // of the bytes
  // The version whose rules hold.
  zeinfo::Version version() const;
  // Kernels that somebody launches, and whether the program has functions or global data beside them.
  std::size_t kernel_count() const;
  bool has_functions() const;
};

struct OpenOptions {
  std::string member;       // of an archive: this one
  std::string product;      // the device: chooses a member, and is the target of text
  std::size_t limit = 100;  // of diagnostics of each part
};

// All inputs that a path gives: one, or the chosen members of an archive (all zebins in it without a choice). `-` is
// standard input. Errors: those of files and of all readers; not-recognised, unknown-value (no such member or device).
std::vector<Input> open_inputs(const std::string& path, const OpenOptions& options, Diagnostics& diagnostics);

// The same of bytes, which must outlive the result.
std::vector<Input> read_inputs(const std::string& name, Bytes bytes, const OpenOptions& options,
                               Diagnostics& diagnostics);

// What the members of an archive are, for those that are no zebins too.
struct MemberInfo {
  std::string name;
  std::uint64_t offset, size;
  bool is_zebin;
};
std::vector<MemberInfo> members_of(Bytes bytes);

// Runs the rules of a level over container and text.
void check_input(Input& input, const zeinfo::LevelChoice& level, const zeinfo::Device* run_on);

// Telling files apart.
bool looks_like_json(const std::vector<std::string>& keys);

}  // namespace slipway::zebin
