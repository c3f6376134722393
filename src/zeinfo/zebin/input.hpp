// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any file with ZE Info: a zebin, a member of a fat archive, a zebin inside of a program or library, an unpacked
// directory, text, or the JSON form.
//
//   std::vector<Input> inputs = open_inputs("k.bin", {}, diagnostics);
//   for (Input& input : inputs) check_input(input, {}, ...);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/system/files.hpp"
#include "zeinfo/check/level.hpp"
#include "zeinfo/model.hpp"
#include "zeinfo/target.hpp"
#include "zeinfo/text_diagnostics.hpp"
#include "zeinfo/zebin/archive.hpp"
#include "zeinfo/zebin/zebin.hpp"

namespace slipway::zebin {

enum class InputKind { Zebin, Text, Json };

struct Input {
  std::string name;  // as messages show it: `k.bin`, `fat.ar(64.dg2)`, `libk.so(0x2040)`
  InputKind kind = InputKind::Text;
  std::uint64_t size = 0;
  std::optional<Zebin> zebin;  // kind Zebin, if the container can be read
  zeinfo::Document document;   // empty without a text
  bool has_document = false;
  zeinfo::Target target;
  std::unique_ptr<ContainerDiagnostics> container_diagnostics;  // kind Zebin
  std::unique_ptr<zeinfo::TextDiagnostics> text_diagnostics;    // of the text; null for JSON and without text

  bool has_new_layout = false;  // a directory whose files have sizes or names other than those in its manifest

  std::shared_ptr<const void> owner;  // of the bytes
  // The version whose rules apply.
  zeinfo::Version version() const;
  // The number of kernels without the pseudo-kernel, and whether the program also has functions or global data.
  std::size_t kernel_count() const;
  bool has_functions() const;
};

struct InputOptions {
  std::string member;       // selects this member of an archive, or the zebin at this offset of a program: `0x2040`
  std::string product;      // the device: selects a member, and is the target of text
  std::size_t limit = 100;  // maximum number of diagnostics of each part
};

// Opens all inputs of a path: one, or the selected members of an archive or zebins of a program (all without a
// selection). `-` is standard input. Errors: those of files and of all readers; not-recognised, unknown-value (no such
// member or device).
std::vector<Input> open_inputs(const std::string& path, const InputOptions& options, Diagnostics& diagnostics);

// The same for bytes, which must outlive the result.
std::vector<Input> read_inputs(const std::string& name, Bytes bytes, const InputOptions& options,
                               Diagnostics& diagnostics);

// Lists the members of an archive, including those that are not zebins, or the zebins in a program or library.
struct MemberInfo {
  std::string name;
  std::uint64_t offset, size;
  bool is_zebin;
};
std::vector<MemberInfo> members_of(Bytes bytes);

// Runs the rules of a level on container and text.
void check_input(Input& input, const zeinfo::LevelChoice& level, const zeinfo::Device* run_on);

// Detection of the format.
bool looks_like_json(const std::vector<std::string>& keys);

}  // namespace slipway::zebin
