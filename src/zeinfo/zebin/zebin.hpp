// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A zebin: the container, the target from its notes, and the positions of its ZE Info text and other parts.
//
//   ContainerDiagnostics problems("k.bin", diagnostics);
//   if (const std::optional<Zebin> zebin = read_zebin(bytes, problems)) {
//     check_container(*zebin, problems);
//     zeinfo::parse(zebin->text(), ...);
//   }
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "zeinfo/target.hpp"
#include "zeinfo/version.hpp"
#include "zeinfo/zebin/elf.hpp"

namespace slipway::zebin {

struct Zebin {
  Elf elf;
  zeinfo::Target target;
  const Section* ze_info = nullptr;  // in `elf`; null: the program has no kernels
  bool reassembled = false;          // written by a tool that uses the old type in files of the new form

  std::string_view text() const { return ze_info ? text_of(ze_info->bytes) : std::string_view(); }
  // The compiler that made it: "igc", "ngen"; empty if the notes do not state it.
  std::string_view generator() const;

  Zebin() = default;
  Zebin(Zebin&&) = default;
  Zebin& operator=(Zebin&&) = default;
};

// `file` must outlive the result. Errors: those of the ELF reader.
std::optional<Zebin> read_zebin(Bytes file, ContainerDiagnostics& problems);

// The rules of level `consistency` about the container: section-unique, spec-constants, note-unknown, note-size,
// note-owner, note-version, machine-unknown; a note for reassembled files.
void check_container(const Zebin& zebin, ContainerDiagnostics& problems);

// Checks whether a release of the runtime accepts the container: kinds runtime-refuses and runtime-warns.
void check_container_for(const Zebin& zebin, zeinfo::Release release, ContainerDiagnostics& problems);

// --- notes -----------------------------------------------------------------------------------------------------------

struct NoteInfo {
  std::uint32_t type;
  std::string_view name;  // "product family"
  int size;               // of the value in bytes; 0: text
  zeinfo::Release since;  // the first runtime that knows it
};
const NoteInfo* note_info(std::uint32_t type);
// The value as text: "1270 (dg2-g10)", "12.55.8", "1.73".
std::string note_text(const Note& note);
std::optional<std::uint32_t> note_number(const Elf& elf, std::uint32_t type);

// --- the module and its constants ------------------------------------------------------------------------------------

struct SpecConstant {
  std::uint32_t id = 0;
  std::uint64_t value = 0;
  bool operator==(const SpecConstant&) const = default;
};

// The SPIR-V module of a zebin and the values of its specialization constants, which suffice to compile it again.
struct SpirvPart {
  Bytes module;
  std::vector<SpecConstant> constants;
};
// Empty without `.spv`; constants only if both of their sections exist with equal counts (spec-constants).
std::optional<SpirvPart> spirv_of(const Elf& elf);

}  // namespace slipway::zebin
