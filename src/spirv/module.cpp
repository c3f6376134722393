// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/module.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "base/format.hpp"
#include "spirv/extensions/newer.hpp"

namespace slipway::spirv {
namespace {

constexpr std::uint32_t kMagic = spv::MagicNumber;
constexpr std::uint32_t kSwappedMagic = std::byteswap(kMagic);
// SPIR-V 1.6, 2.17: universal limits.
constexpr std::uint32_t kMaxIdBound = 0x3fffff;

struct ContextDeleter {
  void operator()(spv_context context) const { spvContextDestroy(context); }
};
struct DiagnosticDeleter {
  void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
};

bool is_id_operand(spv_operand_type_t type) {
  return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID || type == SPV_OPERAND_TYPE_RESULT_ID ||
         type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID || type == SPV_OPERAND_TYPE_SCOPE_ID;
}

SourceLocation location_of_words(const std::string& name, std::uint64_t first, std::uint64_t count) {
  return SourceLocation::in_bytes(name, {first * 4, (first + count) * 4});
}

}  // namespace

const Instruction* Module::definition(Id id) const {
  if (id >= definitions_.size() || definitions_[id] == 0) return nullptr;
  return &instructions_[definitions_[id] - 1];
}

SourceLocation Module::location(const Instruction& instruction) const {
  return location_of_words(name_, instruction.offset, instruction.operands.size() + 1);
}

// Fills a module: first the frame, which is the header and the word counts, then the grammar by SPIRV-Tools' parser.
class ModuleReader {
 public:
  Result<Module> read(Words words, std::string name) {
    if (!words.empty() && words[0] == kSwappedMagic) {
      std::ranges::transform(words, words.begin(), std::byteswap<std::uint32_t>);
    }
    module_.name_ = std::move(name);
    module_.words_ = std::make_shared<const Words>(std::move(words));
    Result<> checked = check_header().and_then([&] { return find_instructions(); }).and_then([&] { return parse(); });
    if (!checked) return std::unexpected(std::move(checked.error()));
    return std::move(module_);
  }

 private:
  const Words& words() const { return *module_.words_; }

  std::unexpected<Failure> fail_at(std::uint64_t word, std::uint64_t count, std::string message,
                                   DiagnosticKind kind = DiagnosticKind::FileFormat) const {
    return fail(kind, location_of_words(module_.name_, word, count), std::move(message));
  }

  Result<> check_header() const {
    if (words().size() < kHeaderWords) {
      return fail_at(0, words().size(),
                     formatted("a SPIR-V header has 20 bytes, but the file has {}", words().size() * 4),
                     DiagnosticKind::FileTruncated);
    }
    if (words()[0] != kMagic) {
      return fail_at(0, 1,
                     formatted("not a SPIR-V module: the first word is {:#010x}, not {:#010x}", words()[0], kMagic));
    }
    if (module_.version() < 0x10000 || module_.version() > kVersion16 || (module_.version() & 0xff) != 0) {
      return fail_at(1, 1,
                     formatted("SPIR-V version {}.{} is not one of 1.0 to 1.6 (the version word is {:#x})",
                               module_.version() >> 16, module_.version() >> 8 & 0xff, module_.version()));
    }
    if (module_.id_bound() == 0 || module_.id_bound() > kMaxIdBound + 1) {
      return fail_at(3, 1, formatted("the id bound {} is not between 1 and {}", module_.id_bound(), kMaxIdBound + 1));
    }
    return {};
  }

  Result<> find_instructions() {
    for (std::size_t at = kHeaderWords; at < words().size();) {
      const std::uint32_t count = words()[at] >> 16;
      if (count == 0) return fail_at(at, 1, "an instruction with a word count of 0");
      if (count > words().size() - at) {
        return fail_at(at, words().size() - at,
                       formatted("an instruction of {} words, but only {} are left", count, words().size() - at),
                       DiagnosticKind::FileTruncated);
      }
      module_.instructions_.push_back({.op = static_cast<spv::Op>(words()[at] & 0xffff),
                                       .offset = static_cast<std::uint32_t>(at),
                                       .operands = WordSpan(words()).subspan(at + 1, count - 1)});
      at += count;
    }
    return {};
  }

  Result<> parse() {
    module_.is_id_.resize(words().size());
    if (!unknown_extensions(words()).empty()) SLIPWAY_TRY_VOID(leave_out_extensions());
    const WordSpan known = known_.empty() ? WordSpan(words()) : WordSpan(known_);
    const std::unique_ptr<spv_context_t, ContextDeleter> context(spvContextCreate(SPV_ENV_UNIVERSAL_1_6));
    spv_diagnostic message = nullptr;
    const spv_result_t status = spvBinaryParse(
        context.get(), this, known.data(), known.size(), nullptr,
        [](void* self, const spv_parsed_instruction_t* parsed) {
          return static_cast<ModuleReader*>(self)->take(*parsed) ? SPV_SUCCESS : SPV_ERROR_INVALID_ID;
        },
        &message);
    const std::unique_ptr<spv_diagnostic_t, DiagnosticDeleter> diagnostic(message);
    if (status != SPV_SUCCESS) return fail_parse(diagnostic ? diagnostic->error : "unknown error");
    return {};
  }

  // Reads what SPIRV-Tools does not know, and leaves it out of the words that it gets.
  Result<> leave_out_extensions() {
    NewerInstructions extensions;
    known_.assign(words().begin(), words().begin() + kHeaderWords);
    for (std::size_t i = 0; i < module_.instructions_.size(); ++i) {
      Instruction& instruction = module_.instructions_[i];
      const WordSpan all = WordSpan(words()).subspan(instruction.offset, instruction.operands.size() + 1);
      if (const auto found = extensions.read(all)) {
        instruction.type = found->type;
        instruction.result = found->result;
        for (const std::size_t word : found->ids) {
          if (all[word] >= module_.id_bound()) return fail_bound(instruction, all[word]);
          module_.is_id_[instruction.offset + word] = true;
        }
        define(instruction.result, i);
        continue;
      }
      order_.push_back(i);
      known_.append_range(all);
    }
    return {};
  }

  void define(Id id, std::size_t index) {
    if (id == 0 || id >= module_.id_bound()) return;
    if (id >= module_.definitions_.size()) module_.definitions_.resize(id + 1);
    module_.definitions_[id] = static_cast<std::uint32_t>(index + 1);
  }

  // Of the instruction that the parser delivers next; the count of all after the last one.
  std::size_t next() const {
    if (known_.empty()) return parsed_;
    return parsed_ < order_.size() ? order_[parsed_] : module_.instructions_.size();
  }

  // The parser delivers instructions in order. It does not check the id bound: returns false for an id that is
  // not below it.
  bool take(const spv_parsed_instruction_t& parsed) {
    Instruction& instruction = module_.instructions_[next()];
    instruction.type = parsed.type_id;
    instruction.result = parsed.result_id;
    for (const spv_parsed_operand_t& operand : std::span(parsed.operands, parsed.num_operands)) {
      if (!is_id_operand(operand.type)) continue;
      if (parsed.words[operand.offset] >= module_.id_bound()) {
        beyond_bound_ = parsed.words[operand.offset];
        return false;
      }
      module_.is_id_[instruction.offset + operand.offset] = true;
    }
    define(parsed.result_id, next());
    ++parsed_;
    return true;
  }

  Result<> fail_parse(std::string_view why) const {
    if (next() >= module_.instructions_.size()) {
      return fail_at(0, kHeaderWords, formatted("invalid SPIR-V: {}", why));
    }
    const Instruction& bad = module_.instructions_[next()];
    if (beyond_bound_) {
      return fail_bound(bad, *beyond_bound_);
    }
    // The parser knows its instruction sets by name and refuses others (docs/spec/scenario.md#devices-and-emulation
    // words the refusal for graphs).
    const std::string message =
        bad.op == spv::Op::OpExtInstImport
            ? formatted("Unsupported {}extended instruction set `{}`", graph() ? "graph " : "", bad.string(1))
            : formatted("invalid SPIR-V: {}", why);
    return fail(DiagnosticKind::FileFormat, module_.location(bad), message);
  }

  std::unexpected<Failure> fail_bound(const Instruction& bad, Id id) const {
    return fail(DiagnosticKind::IndexOutOfRange, module_.location(bad),
                formatted("the id %{} is not below the id bound {}", id, module_.id_bound()));
  }

  bool graph() const {
    return std::ranges::any_of(module_.instructions_, [](const Instruction& instruction) {
      return instruction.op == spv::Op::OpCapability &&
             instruction.operand(0) == static_cast<std::uint32_t>(spv::Capability::GraphARM);
    });
  }

  Module module_;
  std::size_t parsed_ = 0;          // instructions
  Words known_;                     // empty: all
  std::vector<std::size_t> order_;  // indices of the instructions in them
  std::optional<Id> beyond_bound_;
};

Result<Module> read_module(Words words, std::string name) {
  return ModuleReader().read(std::move(words), std::move(name));
}

Result<Module> read_module(Bytes bytes, std::string name) {
  if (bytes.size() % 4 != 0) {
    return fail(DiagnosticKind::FileFormat,
                SourceLocation::in_bytes(std::move(name), {bytes.size() / 4 * 4, bytes.size()}),
                formatted("SPIR-V shader file size must be a multiple of 4 bytes. This one has {}", bytes.size()));
  }
  Words words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return read_module(std::move(words), std::move(name));
}

bool is_spirv(Bytes bytes) {
  if (bytes.size() < 4) return false;
  const auto magic = load<std::uint32_t>(bytes.data());
  return magic == kMagic || magic == kSwappedMagic;
}

}  // namespace slipway::spirv
