// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only the functions of the library's C interface that are used are declared, with names of our own.
#include "zeinfo/zebin/isa.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

#include "base/format.hpp"
#include "platform/library.hpp"

namespace slipway::zebin {
namespace {

// The names by which the library knows the platforms of a core, any of them.
struct CorePlatforms {
  std::uint32_t core;
  std::array<std::string_view, 6> names;
};
constexpr CorePlatforms kCorePlatforms[] = {
    {11, {"bdw", "8"}},       {12, {"skl", "9"}},
    {15, {"icl", "11"}},      {18, {"tgllp", "tgl", "xelp", "12p1"}},
    {3077, {"xehp", "12p5"}}, {3079, {"xehpg", "dg2", "12p71"}},
    {3080, {"xehpc", "pvc"}}, {3081, {"xe2", "bmg", "lnl"}},
    {7680, {"xe3", "ptl"}},   {8960, {"xe3p", "xe3pxpc", "xe3p_xpc", "cri", "nvl"}},
};

constexpr std::string_view kHowToInstall =
    "install it (Debian and Ubuntu: libigc2, in older releases libigc1), or name it with the variable SLIPWAY_IGA";

}  // namespace

struct IsaLibrary::Functions {
  // The structs begin with their size, by which the library distinguishes its versions.
  struct ContextOptions {
    std::size_t size = sizeof(ContextOptions);
    std::uint32_t platform = 0;
  };
  struct DisassembleOptions {
    std::size_t size = sizeof(DisassembleOptions);
    std::uint32_t formatting = 0, reserved[2] = {}, decoding = 0;
  };
  using IsaContext = void*;

  void* library = nullptr;
  int (*create)(const ContextOptions*, IsaContext*) = nullptr;
  int (*release)(IsaContext) = nullptr;
  int (*disassemble)(IsaContext, const DisassembleOptions*, const void* code, std::uint32_t size,
                     const char* (*label)(std::int32_t, void*), void* label_data, char** text) = nullptr;
  int (*platforms)(std::size_t size, std::uint32_t* list, std::size_t* needed) = nullptr;
  int (*platform_names)(std::uint32_t platform, std::size_t size, const char** names, std::size_t* needed) = nullptr;
  int (*platform_suffix)(std::uint32_t platform, const char** suffix) = nullptr;
  const char* (*status_text)(int) = nullptr;

  Functions() = default;
  Functions(const Functions&) = delete;
  ~Functions() {
    if (library) platform::close_library(library);
  }

  bool find_all() {
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(platform::symbol(library, name));
      return function != nullptr;
    };
    return find(create, "iga_context_create") && find(release, "iga_context_release") &&
           find(disassemble, "iga_context_disassemble") && find(platforms, "iga_platforms_list") &&
           find(platform_names, "iga_platform_names") && find(platform_suffix, "iga_platform_symbol_suffix") &&
           find(status_text, "iga_status_to_string");
  }

  // Whether a platform of the library has one of the names.
  bool has_name(std::uint32_t platform, std::span<const std::string_view> wanted) const {
    std::array<const char*, 16> names{};
    std::size_t needed = 0;
    if (platform_names(platform, sizeof names, names.data(), &needed) != 0) return false;
    const char* suffix = nullptr;
    if (platform_suffix(platform, &suffix) == 0 && suffix && std::ranges::contains(wanted, std::string_view(suffix)))
      return true;
    const std::size_t count = std::min(needed / sizeof names[0], names.size());
    return std::ranges::any_of(std::span(names).first(count), [&](const char* name) {
      return name && std::ranges::contains(wanted, std::string_view(name));
    });
  }

  std::optional<std::uint32_t> platform_of(std::uint32_t core) const {
    const auto row = std::ranges::find(kCorePlatforms, core, &CorePlatforms::core);
    if (row == std::end(kCorePlatforms)) return std::nullopt;
    const auto last = std::ranges::find(row->names, std::string_view());
    std::array<std::uint32_t, 64> list{};
    std::size_t needed = 0;
    if (platforms(sizeof list, list.data(), &needed) != 0) return std::nullopt;
    for (const std::uint32_t platform : std::span(list).first(std::min(needed / sizeof list[0], list.size()))) {
      if (has_name(platform, {row->names.begin(), last})) return platform;
    }
    return std::nullopt;
  }
};

Result<IsaLibrary> IsaLibrary::open() {
  const auto functions = std::make_shared<Functions>();
  const char* const named = std::getenv("SLIPWAY_IGA");
  std::string problem;
  if (named && *named) {
    if (const auto opened = platform::open_library(named))
      functions->library = *opened;
    else
      problem = opened.error();
  } else {
    for (const char* name : {"libiga64.so.2", "libiga64.so.1", "libiga64.so"}) {
      functions->library = platform::open_library(name).value_or(nullptr);
      if (functions->library) break;
    }
  }
  if (!functions->library) {
    return fail(DiagnosticKind::NoBackend, {},
                problem.empty() ? formatted("instructions are read with Intel's assembler library, libiga64, which is "
                                            "not on this machine; {}",
                                            kHowToInstall)
                                : formatted("cannot open the library of SLIPWAY_IGA: {}", problem));
  }
  if (!functions->find_all())
    return fail(
        DiagnosticKind::NoBackend, {},
        formatted("the library `{}` does not have the C interface of libiga64", named && *named ? named : "libiga64"));
  return IsaLibrary(functions);
}

Result<IsaListing> IsaLibrary::disassemble(Bytes code, const zeinfo::Target& target) const {
  const std::optional<std::uint32_t> core = target.device ? std::optional(target.device->core) : target.core;
  if (!core)
    return fail(DiagnosticKind::Unsupported, {}, "the instructions of an unknown device; --product names the device");
  const std::optional<std::uint32_t> platform = functions_->platform_of(*core);
  if (!platform) {
    return fail(DiagnosticKind::Unsupported, {},
                formatted("libiga64 does not know the instructions of {}; a newer release may",
                          target.device ? target.device->name() : formatted("core {}", *core)));
  }
  // Code is padded with zeros, which are not instructions; the shortest instruction has 8 bytes.
  std::size_t size = code.size();
  while (size > 0 && code[size - 1] == std::byte{0}) --size;
  size = std::min((size + 7) / 8 * 8, code.size());
  if (size > UINT32_MAX) return fail(DiagnosticKind::Unsupported, {}, "more than 4 GiB of code");

  Functions::IsaContext context = nullptr;
  const Functions::ContextOptions options{.platform = *platform};
  if (const int status = functions_->create(&options, &context); status != 0)
    return fail(DiagnosticKind::NoBackend, {}, formatted("libiga64: {}", functions_->status_text(status)));
  const Functions::DisassembleOptions how;
  char* text = nullptr;
  const int status =
      functions_->disassemble(context, &how, code.data(), static_cast<std::uint32_t>(size), nullptr, nullptr, &text);
  IsaListing listing = listing_of(text ? text : "");  // the context owns the text
  functions_->release(context);
  if (status != 0 && listing.text.empty())
    return fail(DiagnosticKind::NoBackend, {}, formatted("libiga64: {}", functions_->status_text(status)));
  if (status != 0) listing.problem = functions_->status_text(status);
  return listing;
}

IsaListing listing_of(std::string_view text) {
  IsaListing listing;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    for (const char c : line) listing.text += c == '\t' || (c >= ' ' && c < 0x7f) ? c : '?';
    listing.text += '\n';
    // A label, or an instruction, with a predicate in parentheses before it.
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (line.starts_with('(')) {
      line.remove_prefix(std::min(line.find(')'), line.size() - 1) + 1);
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    }
    const std::string_view name = line.substr(0, line.find_first_of(" \t"));
    if (name.empty() || name.starts_with("//") || name.ends_with(':') || name == "nop") continue;
    ++listing.instructions;
    listing.sends += name.starts_with("send");
  }
  return listing;
}

void add_instructions(Input& input, const IsaLibrary& library, Diagnostics& diagnostics) {
  if (!input.zebin || !input.target.code) {
    diagnostics.remark(DiagnosticKind::Unsupported, SourceLocation::in_file(input.name),
                       "ZE Info without its zebin has no instructions");
    return;
  }
  for (zeinfo::CodeSection& section : *input.target.code) {
    const Section* const code = input.zebin->elf.find(formatted(".text.{}", section.name));
    if (!code || !code->in_file) continue;
    Result<IsaListing> listing = library.disassemble(code->bytes, input.target);
    if (!listing) {
      for (Diagnostic& problem : listing.error()) {
        problem.location = SourceLocation::in_file(input.name);
        diagnostics.add(std::move(problem));
      }
      return;
    }
    if (!listing->problem.empty()) {
      diagnostics.warning(
          DiagnosticKind::Unsupported, SourceLocation::in_bytes(input.name, code->span()),
          formatted("libiga64 does not read all instructions of `{}`: {}", printable(section.name), listing->problem));
    }
    section.instructions = listing->instructions;
    section.sends = listing->sends;
    section.isa = std::make_shared<const std::string>(std::move(listing->text));
  }
}

}  // namespace slipway::zebin
