// A zebin: the container, what its notes say of the target, and where its ZE Info text and other parts are.
//
//   Problems problems("k.bin", diagnostics);
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
  const Section* ze_info = nullptr;  // in `elf`; null: the program has no kernel
  bool reassembled = false;          // by a tool that writes the old type into files of the new form

  std::string_view text() const { return ze_info ? text_of(ze_info->bytes) : std::string_view(); }
  // The compiler that made it: "igc", "ngen"; empty if the notes do not say.
  std::string_view generator() const;

  Zebin() = default;
  Zebin(Zebin&&) = default;
  Zebin& operator=(Zebin&&) = default;
};

// `file` must outlive the result. Errors: those of the ELF reader.
std::optional<Zebin> read_zebin(Bytes file, Problems& problems);

// The rules of level `consistency` about the container: section-unique, spec-constants, note-unknown, note-size,
// note-owner, note-version, machine-unknown; a note for reassembled files.
void check_container(const Zebin& zebin, Problems& problems);

// What a release of the runtime makes of the container: kinds runtime-refuses and runtime-warns.
void check_container_for(const Zebin& zebin, zeinfo::Release release, Problems& problems);

// --- notes -----------------------------------------------------------------------------------------------------------

struct NoteInfo {
  std::uint32_t type;
  std::string_view name;  // "product family"
  int size;               // of the value in bytes; 0: text
  zeinfo::Release since;  // the runtime that knows it
};
std::span<const NoteInfo> known_notes();
const NoteInfo* note_info(std::uint32_t type);
// The value in words: "1270 (dg2-g10)", "12.55.8", "1.73".
std::string note_text(const Note& note);
std::optional<std::uint32_t> note_number(const Elf& elf, std::uint32_t type);

// --- the module and its constants ------------------------------------------------------------------------------------

struct SpecConstant {
  std::uint32_t id = 0;
  std::uint64_t value = 0;
  bool operator==(const SpecConstant&) const = default;
};

// The SPIR-V module that a zebin carries, and the values of its specialization constants: enough to build it again.
struct SpirvPart {
  Bytes module;
  std::vector<SpecConstant> constants;
};
// Nothing without `.spv`; constants only where both of their sections are there with equal counts (spec-constants).
std::optional<SpirvPart> spirv_of(const Elf& elf);

}  // namespace slipway::zebin
