// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/code.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/elf.hpp"
#include "base/format.hpp"
#include "cpu/relocation.hpp"
#include "platform/memory.hpp"

namespace slipway::cpu {
namespace {

constexpr std::size_t kPage = 4096;
// A jump to the address that follows it, in a place of 16 bytes.
#if defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
constexpr std::array<std::uint8_t, 8> kJump = {0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6};  // ldr x16, 8; br x16
#else
constexpr std::uint16_t kMachine = EM_X86_64;
constexpr std::array<std::uint8_t, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};  // jmp *0(%rip)
#endif
constexpr std::size_t kStubSize = 16;

struct External {
  std::string_view name;
  const void* address;
};

std::span<const External> externals() {
  static const std::array all = {External{"memcpy", reinterpret_cast<const void*>(&std::memcpy)},
                                 External{"memmove", reinterpret_cast<const void*>(&std::memmove)},
                                 External{"memset", reinterpret_cast<const void*>(&std::memset)}};
  return all;
}

std::unexpected<Failure> invalid(std::string_view what) {
  return fail(DiagnosticKind::FileFormat, {}, formatted("a compiled kernel is not valid: {}", what));
}

// Every read is checked: the object may come from a file.
class Object {
 public:
  explicit Object(Bytes bytes) : bytes_(bytes) {}

  Result<> read() {
    const auto header = read_elf_header(bytes_);
    if (!header || !header->wide || header->type != ET_REL || header->machine != kMachine ||
        header->shentsize != header->section_header_size())
      return invalid("its header");
    for (std::uint32_t i = 0; i < header->shnum; ++i) {
      const auto section = elf_section(bytes_, *header, i);
      if (!section) return invalid("its sections");
      sections_.push_back(*section);
    }
    const auto table = std::ranges::find(sections_, std::uint32_t{SHT_SYMTAB}, &ElfSection::type);
    if (table == sections_.end() || table->link >= sections_.size()) return invalid("it has no symbols");
    symbols_ = contents(*table);
    names_ = contents(sections_[table->link]);
    return {};
  }

  // Offsets of the sections in one block of memory, and its size, stubs included.
  std::uint64_t lay_out() {
    std::uint64_t end = 0;
    offsets_.assign(sections_.size(), kAbsent);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const ElfSection& section = sections_[i];
      if (!(section.flags & SHF_ALLOC) || (section.type != SHT_PROGBITS && section.type != SHT_NOBITS)) continue;
      const std::uint64_t alignment = std::clamp<std::uint64_t>(section.alignment, 1, kPage);
      end = (end + alignment - 1) / alignment * alignment;
      offsets_[i] = end;
      end += section.size;
    }
    stubs_ = (end + kStubSize - 1) / kStubSize * kStubSize;
    return stubs_ + externals().size() * kStubSize;
  }

  Result<> copy_to(std::byte* memory) const {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (offsets_[i] == kAbsent || sections_[i].type == SHT_NOBITS) continue;
      const auto from = range_of(bytes_, sections_[i].offset, sections_[i].size);
      if (!from) return invalid("the contents of a section");
      std::ranges::copy(*from, memory + offsets_[i]);
    }
    for (std::size_t i = 0; i < externals().size(); ++i) {
      std::byte* stub = memory + stubs_ + i * kStubSize;
      std::memcpy(stub, kJump.data(), kJump.size());
      store(stub + kJump.size(), externals()[i].address);
    }
    return {};
  }

  Result<> relocate(std::byte* memory) const {
    for (const ElfSection& section : sections_) {
      if (section.type != SHT_RELA) continue;
      if (section.info >= sections_.size()) return invalid("a section of relocations");
      if (offsets_[section.info] == kAbsent) continue;
      const auto table = range_of(bytes_, section.offset, section.size);
      if (!table) return invalid("a relocation");
      for (std::uint64_t i = 0; const auto entry = elf_relocation(*table, true, true, i); ++i)
        SLIPWAY_TRY_VOID(relocate(memory, section.info, *entry));
    }
    return {};
  }

  std::optional<std::uint64_t> find(std::string_view name) const {
    for (std::uint64_t i = 0; const auto symbol = elf_symbol(symbols_, true, i); ++i) {
      if (name_of(*symbol) != name || symbol->section >= sections_.size() || offsets_[symbol->section] == kAbsent ||
          symbol->value >= sections_[symbol->section].size)
        continue;
      return offsets_[symbol->section] + symbol->value;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

  // Empty for contents outside the file.
  Bytes contents(const ElfSection& section) const {
    return range_of(bytes_, section.offset, section.size).value_or(Bytes());
  }
  std::string_view name_of(const ElfSymbol& symbol) const {
    return elf_string(names_, symbol.name_offset).value_or(std::string_view());
  }

  Result<std::uint64_t> offset_of(const ElfRelocation& entry) const {
    const auto symbol = elf_symbol(symbols_, true, entry.symbol);
    if (!symbol) return invalid("a symbol");
    if (symbol->section == SHN_UNDEF) {
      const std::string_view name = name_of(*symbol);
      for (std::size_t i = 0; i < externals().size(); ++i) {
        if (externals()[i].name == name) return stubs_ + i * kStubSize;
      }
      return fail(DiagnosticKind::Unsupported, {}, formatted("a compiled kernel needs the function `{}`", name));
    }
    if (symbol->section >= sections_.size() || offsets_[symbol->section] == kAbsent) return invalid("a symbol");
    return offsets_[symbol->section] + symbol->value;
  }

  Result<> relocate(std::byte* memory, std::uint32_t section, const ElfRelocation& entry) const {
    const auto addend = static_cast<std::uint64_t>(*entry.addend);
    if (entry.offset > sections_[section].size ||
        sections_[section].size - entry.offset < width_of_relocation(entry.type))
      return invalid("the offset of a relocation");
    SLIPWAY_TRY(const std::uint64_t target, offset_of(entry));
    const std::uint64_t place = offsets_[section] + entry.offset;
    if (apply_relocation(entry.type, memory, place, target + addend)) return {};
    return fail(DiagnosticKind::Unsupported, {},
                formatted("a compiled kernel has a relocation of type {}", entry.type));
  }

  Bytes bytes_;
  std::vector<ElfSection> sections_;
  Bytes symbols_, names_;
  std::vector<std::uint64_t> offsets_;  // by section
  std::uint64_t stubs_ = 0;
};

}  // namespace

Code::~Code() {
  if (memory_) platform::unmap(memory_, size_);
}

Result<Code> load_code(Bytes bytes) {
  Object object(bytes);
  SLIPWAY_TRY_VOID(object.read());
  constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 30;
  const std::uint64_t needed = object.lay_out();
  if (needed > kMaxSize) return invalid("its size");
  Code code;
  code.size_ = (needed + kPage - 1) / kPage * kPage;
  void* const memory = platform::map_zeroed(code.size_);
  if (!memory) return fail(DiagnosticKind::DeviceFailed, {}, "there is no memory for compiled kernels");
  code.memory_ = static_cast<std::byte*>(memory);
  SLIPWAY_TRY_VOID(object.copy_to(code.memory_));
  SLIPWAY_TRY_VOID(object.relocate(code.memory_));
  // (Nothing on x86-64, whose caches of instructions see what was written.)
  __builtin___clear_cache(reinterpret_cast<char*>(code.memory_), reinterpret_cast<char*>(code.memory_ + code.size_));
  const auto function = object.find("kernel");
  if (!function) return invalid("it has no function `kernel`");
  if (!platform::make_executable(code.memory_, code.size_))
    return fail(DiagnosticKind::DeviceFailed, {}, "this system does not allow code that is made at run time");
  code.function_ = reinterpret_cast<KernelFunction>(code.memory_ + *function);
  return code;
}

}  // namespace slipway::cpu
