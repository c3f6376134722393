// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/code.hpp"

#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/format.hpp"

namespace slipway::cpu {
namespace {

constexpr std::size_t kPage = 4096;
// jmp *0(%rip), and the address.
constexpr std::array<std::uint8_t, 6> kJump = {0xff, 0x25, 0, 0, 0, 0};
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
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_REL ||
        header->e_machine != EM_X86_64 || header->e_shentsize != sizeof(Elf64_Shdr))
      return invalid("its header");
    for (std::uint32_t i = 0; i < header->e_shnum; ++i) {
      const auto section = at<Elf64_Shdr>(header->e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
      if (!section) return invalid("its sections");
      sections_.push_back(*section);
    }
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type == SHT_SYMTAB) symbols_ = &section;
    }
    if (!symbols_ || symbols_->sh_link >= sections_.size()) return invalid("it has no symbols");
    return {};
  }

  // Offsets of the sections in one block of memory, and its size, stubs included.
  std::uint64_t lay_out() {
    std::uint64_t end = 0;
    offsets_.assign(sections_.size(), kAbsent);
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Elf64_Shdr& section = sections_[i];
      if (!(section.sh_flags & SHF_ALLOC) || (section.sh_type != SHT_PROGBITS && section.sh_type != SHT_NOBITS))
        continue;
      const std::uint64_t alignment = std::clamp<std::uint64_t>(section.sh_addralign, 1, kPage);
      end = (end + alignment - 1) / alignment * alignment;
      offsets_[i] = end;
      end += section.sh_size;
    }
    stubs_ = (end + kStubSize - 1) / kStubSize * kStubSize;
    return stubs_ + externals().size() * kStubSize;
  }

  Result<> copy_to(std::byte* memory) const {
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (offsets_[i] == kAbsent || sections_[i].sh_type == SHT_NOBITS) continue;
      const auto from = part(sections_[i].sh_offset, sections_[i].sh_size);
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
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA) continue;
      if (section.sh_info >= sections_.size()) return invalid("a section of relocations");
      if (offsets_[section.sh_info] == kAbsent) continue;
      for (std::uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
        const auto entry = at<Elf64_Rela>(section.sh_offset + i * sizeof(Elf64_Rela));
        if (!entry) return invalid("a relocation");
        SLIPWAY_TRY_VOID(relocate(memory, section.sh_info, *entry));
      }
    }
    return {};
  }

  std::optional<std::uint64_t> find(std::string_view name) const {
    for (std::uint64_t i = 0; i < symbols_->sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(symbols_->sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol || name_of(*symbol) != name || symbol->st_shndx >= sections_.size() ||
          offsets_[symbol->st_shndx] == kAbsent || symbol->st_value >= sections_[symbol->st_shndx].sh_size)
        continue;
      return offsets_[symbol->st_shndx] + symbol->st_value;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint64_t kAbsent = ~std::uint64_t{0};

  std::optional<Bytes> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return std::nullopt;
    return bytes_.subspan(offset, size);
  }
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    const auto bytes = part(offset, sizeof(T));
    return bytes ? std::optional(load<T>(bytes->data())) : std::nullopt;
  }

  std::string_view name_of(const Elf64_Sym& symbol) const {
    const Elf64_Shdr& names = sections_[symbols_->sh_link];
    const auto all = part(names.sh_offset, names.sh_size);
    if (!all || symbol.st_name >= all->size()) return {};
    const std::string_view rest = text_of(all->subspan(symbol.st_name));
    return rest.substr(0, rest.find('\0'));
  }

  Result<std::uint64_t> offset_of(const Elf64_Rela& entry) const {
    const auto symbol = at<Elf64_Sym>(symbols_->sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
    if (!symbol) return invalid("a symbol");
    if (symbol->st_shndx == SHN_UNDEF) {
      const std::string_view name = name_of(*symbol);
      for (std::size_t i = 0; i < externals().size(); ++i) {
        if (externals()[i].name == name) return stubs_ + i * kStubSize;
      }
      return fail(DiagnosticKind::Unsupported, {}, formatted("a compiled kernel needs the function `{}`", name));
    }
    if (symbol->st_shndx >= sections_.size() || offsets_[symbol->st_shndx] == kAbsent) return invalid("a symbol");
    return offsets_[symbol->st_shndx] + symbol->st_value;
  }

  Result<> relocate(std::byte* memory, std::uint32_t section, const Elf64_Rela& entry) const {
    const std::uint64_t type = ELF64_R_TYPE(entry.r_info);
    const std::uint64_t width = type == R_X86_64_64 ? 8 : 4;
    if (entry.r_offset > sections_[section].sh_size || sections_[section].sh_size - entry.r_offset < width)
      return invalid("the offset of a relocation");
    SLIPWAY_TRY(const std::uint64_t target, offset_of(entry));
    const std::uint64_t place = offsets_[section] + entry.r_offset;
    switch (type) {
      case R_X86_64_PC32:
      case R_X86_64_PLT32:
        slipway::store(memory + place,
                       static_cast<std::uint32_t>(target + static_cast<std::uint64_t>(entry.r_addend) - place));
        return {};
      case R_X86_64_64:
        slipway::store(memory + place,
                       reinterpret_cast<std::uint64_t>(memory) + target + static_cast<std::uint64_t>(entry.r_addend));
        return {};
      default:
        return fail(DiagnosticKind::Unsupported, {}, formatted("a compiled kernel has a relocation of type {}", type));
    }
  }

  Bytes bytes_;
  std::vector<Elf64_Shdr> sections_;
  const Elf64_Shdr* symbols_ = nullptr;
  std::vector<std::uint64_t> offsets_;  // by section
  std::uint64_t stubs_ = 0;
};

}  // namespace

Code::~Code() {
  if (memory_) munmap(memory_, size_);
}

Result<Code> load_code(Bytes bytes) {
  Object object(bytes);
  SLIPWAY_TRY_VOID(object.read());
  constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 30;
  const std::uint64_t needed = object.lay_out();
  if (needed > kMaxSize) return invalid("its size");
  Code code;
  code.size_ = (needed + kPage - 1) / kPage * kPage;
  void* memory = mmap(nullptr, code.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return fail(DiagnosticKind::DeviceFailed, {}, "there is no memory for compiled kernels");
  code.memory_ = static_cast<std::byte*>(memory);
  SLIPWAY_TRY_VOID(object.copy_to(code.memory_));
  SLIPWAY_TRY_VOID(object.relocate(code.memory_));
  const auto function = object.find("kernel");
  if (!function) return invalid("it has no function `kernel`");
  if (mprotect(code.memory_, code.size_, PROT_READ | PROT_EXEC) != 0)
    return fail(DiagnosticKind::DeviceFailed, {}, "this system does not allow code that is made at run time");
  code.function_ = reinterpret_cast<KernelFunction>(code.memory_ + *function);
  return code;
}

}  // namespace slipway::cpu
