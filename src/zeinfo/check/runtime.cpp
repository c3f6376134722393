// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Level runtime: what a release of the Intel compute runtime makes of a text (docs/spec/zeinfo.md#runtime-releases).
// The runtime's own messages are quoted as users see them in their logs.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "base/format.hpp"
#include "zeinfo/check/rules.hpp"
#include "zeinfo/check/runtime.hpp"
#include "zeinfo/kernel/arg_facts.hpp"
#include "zeinfo/read/scalars.hpp"

namespace slipway::zeinfo {
namespace {

constexpr Release kUnknownKeysRefused{2445};
constexpr Release kNewPrefix{2352};

// The runtime's names of the enums in its messages.
std::string_view runtime_name(const EnumInfo& values) {
  struct Name {
    const EnumInfo* values;
    std::string_view name;
  };
  const Name names[] = {{&enum_of<ArgType>(), "argument type"},
                        {&enum_of<AddrMode>(), "addressing mode"},
                        {&enum_of<AddrSpace>(), "address space"},
                        {&enum_of<AccessType>(), "access type"},
                        {&enum_of<MemBufferType>(), "memory buffer type"},
                        {&enum_of<MemBufferUsage>(), "memory buffer usage"},
                        {&enum_of<ThreadSchedulingMode>(), "thread scheduling mode"},
                        {&enum_of<L1CachePolicy>(), "l1 cache policy"},
                        {&enum_of<SamplerAddrMode>(), "sampler addressing mode"},
                        {&enum_of<SamplerFilterMode>(), "sampler filter mode"},
                        {&enum_of<ImageType>(), "image type"},
                        {&enum_of<SamplerType>(), "sampler type"}};
  return std::ranges::find(names, &values, &Name::values)->name;
}

class Runtime {
 public:
  Runtime(const Document& document, const Target& target, Release release, const Device* run_on)
      : document_(document), target_(target), run_on_(run_on) {
    result_.release = known_release(release);
    result_.decoder_minor = decoder_of(release);
  }

  RuntimeVerdict run() {
    version();
    device();
    names_cut_text();
    deviations();
    known(Object::of(static_cast<const Root&>(document_)), Context::Root);
    const bool reported = std::ranges::any_of(document_.deviations, [](const Deviation& one) {
      return one.kind == DeviationKind::EmptyVector && one.field == &field_of<Root>(RootKey::functions);
    });
    if (since(2217) && !reported && document_.has(RootKey::functions) && document_.functions.span().empty()) {
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(static_cast<const Root&>(document_), RootKey::functions),
           "`functions` without an item");
    }
    for (const Function& one : document_.functions) {
      const std::int32_t simd = one.execution_env.simd_size;
      if (!one.execution_env.has(ExecutionEnvKey::simd_size) || simd == 1 || simd == 8 || simd == 16 || simd == 32)
        continue;
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(one.execution_env, ExecutionEnvKey::simd_size),
           formatted("SIMD size {} of function `{}`", simd, one.name));
    }
    host_access();
    for (const Kernel& one : document_.kernels) {
      kernel_ = &one;
      kernel();
      if (result_.findings.size() >= kMaxFindings) break;
    }
    return std::move(result_);
  }

 private:
  using K = PayloadArgumentKey;
  enum class Context { Root, Kernel, Inner, Argument };
  static constexpr Verdict kRefuses = Verdict::Refuses;
  static constexpr Verdict kWarns = Verdict::AcceptsWithWarnings;

  bool since(int yyww) const { return result_.release.yyww >= yyww; }
  std::string_view name() const { return kernel_ ? kernel_->name : std::string_view(".ze_info"); }
  std::string_view word(Span span) const { return document_.text.substr(span.begin, span.end - span.begin); }
  std::string_view unquoted(Span span) const {
    const std::string_view text = word(span);
    const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'');
    return quoted ? text.substr(1, text.size() - 2) : text;
  }

  std::string prefixed(std::string text) const {
    const std::string prefix = result_.release < kNewPrefix ? "DeviceBinaryFormat::Zebin" : "DeviceBinaryFormat::zebin";
    if (text.starts_with("::") || text.starts_with(" :")) return prefix + text;
    if (text.starts_with(".ze_info")) return prefix + "::" + text;
    return text;
  }

  void find(Verdict verdict, DiagnosticKind kind, Span span, std::string message, std::string says = {}, int code = 2) {
    if (verdict == kRefuses && result_.verdict < kRefuses) result_.code = code;
    if (verdict == Verdict::Crashes && result_.verdict < kRefuses) result_.code = 2;
    result_.verdict = std::max(result_.verdict, verdict);
    if (result_.findings.size() >= kMaxFindings) return;
    result_.findings.push_back(
        {verdict, kind, std::move(message), says.empty() ? says : prefixed(std::move(says)), span, code});
  }
  template <class T>
  Span at(const T& object, typename T::Key key) const {
    return result_.findings.size() < kMaxFindings ? locate(document_, object, key).value : Span{};
  }

  // --- the text as a whole ---

  void version() {
    if (!target_.has_ze_info) {
      find(kWarns, DiagnosticKind::RuntimeWarns, {0, 0},
           "the file has no section .ze_info; the runtime loads it without kernels",
           " : Expected at least one .ze_info section, got 0");
      return;
    }
    if (!since(2045)) return;
    if (!document_.has(RootKey::version)) {
      // A version that cannot be read is reported below.
      const FieldInfo* field = &field_of<Root>(RootKey::version);
      if (std::ranges::contains(document_.deviations, field, &Deviation::field)) return;
      find(kWarns, DiagnosticKind::RuntimeWarns, {0, 0}, "no version: the runtime assumes its own",
           ".ze_info : No version info provided");
      return;
    }
    const Version version = document_.version;
    if (static_cast<int>(version.minor) <= result_.decoder_minor) return;
    find(kWarns, DiagnosticKind::RuntimeWarns, at(static_cast<const Root&>(document_), RootKey::version),
         formatted("version {} is newer than {}.{}, which this release reads", text_of(version), 1,
                   result_.decoder_minor),
         formatted(".ze_info : Minor version : {} is newer than available in decoder : {}", version.minor,
                   result_.decoder_minor));
  }

  void device() {
    if (!run_on_ || !since(2129) || target_.source != Target::Source::Notes) return;
    bool runs = true;
    if (target_.config && since(2253) && run_on_->config.architecture) {
      runs = runs_on(*target_.config, run_on_->config);
    } else {
      if (target_.core) runs = *target_.core == run_on_->core;
      if (target_.family) runs = runs && *target_.family == run_on_->family;
      const std::uint32_t metadata = target_.metadata.value_or(0);
      if (metadata >> 13 & 1) {
        const std::uint32_t revision = run_on_->config.revision;
        runs = runs && revision >= (metadata >> 8 & 0x1f) && revision <= (metadata >> 16 & 0x1f);
      }
    }
    if (runs) return;
    find(kRefuses, DiagnosticKind::RuntimeRefuses, {0, 0},
         formatted("the file is for {}, not for {}",
                   target_.device ? target_.device->name() : std::string_view("another device"), run_on_->name()),
         target_.has_spirv ? "Invalid target device. Rebuilding from intermediate representation."
                           : "Unhandled target device",
         3);
  }

  // From 22.49 the runtime looks for the first `kernels_misc_info` in the text and cuts it there; it does not read what
  // follows until a program asks for the names of arguments.
  void names_cut_text() {
    if (!since(2249) || document_.from_json) return;
    constexpr std::string_view kKey = "kernels_misc_info";
    const std::size_t first = document_.text.find(kKey);
    if (first == document_.text.npos) return;
    // A key of the root begins its line, whatever follows it.
    if ((first == 0 || document_.text[first - 1] == '\n') &&
        document_.text.substr(first + kKey.size()).starts_with(":")) {
      end_of_text_ = first;
      return;
    }
    find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, {first, first + kKey.size()},
         "the runtime cuts the text at the first `kernels_misc_info`, but here it is not a key of the root");
  }

  void deviations() {
    for (const Deviation& one : document_.deviations) {
      if (one.span.begin >= end_of_text_) continue;
      kernel_ = one.kernel < document_.kernels.size() ? &document_.kernels[one.kernel] : nullptr;
      deviation(one);
    }
    kernel_ = nullptr;
  }

  void syntax(const Deviation& one, std::string_view what, std::string says = {}) {
    find(kRefuses, DiagnosticKind::RuntimeSyntax, one.span, formatted("the runtime does not read {}", what),
         std::move(says));
  }

  // Long, because it has one case per kind.
  void deviation(const Deviation& one) {
    switch (one.kind) {
      case DeviationKind::UnknownKey:
      case DeviationKind::RuntimeOnlyKey: {
        if (one.mapping == &mapping_of<ExperimentalProperties>()) return;  // skipped
        const bool is_required_libs = one.mapping == &mapping_of<Root>() && one.kind == DeviationKind::RuntimeOnlyKey;
        if (one.kind == DeviationKind::RuntimeOnlyKey && since(is_required_libs ? 2609 : 2238)) return;
        return unknown_key(*one.mapping, unquoted(one.span), one.span);
      }
      case DeviationKind::UnknownValue:
        return unknown_value(*one.field->values, unquoted(one.span), one.span);
      case DeviationKind::BadScalar:
        if (reads(one)) return;
        if (one.mapping == &mapping_of<Root>()) {
          const bool dot = unquoted(one.span).contains('.');
          find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span, "the runtime refuses this version",
               dot ? formatted(".ze_info : Unhandled major version : {}, decoder is at : 1",
                               unquoted(one.span).substr(0, unquoted(one.span).find('.')))
                   : formatted(".ze_info : Invalid version format - expected 'MAJOR.MINOR' string, got : {}",
                               unquoted(one.span)),
               dot ? 3 : 2);
          return;
        }
        return unreadable(one);
      case DeviationKind::QuotedScalar:
        return unreadable(one);
      case DeviationKind::WrongListLength:
        if (!since(2131)) return;
        find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span, formatted("`{}` must have 3 elements", one.field->key),
             !word(one.span).starts_with('[') || word(one.span).find_first_of("0123456789") == std::string_view::npos
                 ? std::string()
                 : formatted(".ze_info : wrong size of collection {} in context of : {}. Got : {} expected : 3",
                             one.field->key, name(), std::ranges::count(word(one.span), ',') + 1));
        return;
      case DeviationKind::DuplicateKey:
        // In other mappings the last one counts.
        if (one.mapping != &mapping_of<Root>() && one.mapping != &mapping_of<Kernel>()) return;
        find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span, formatted("`{}` appears twice", one.field->key),
             one.mapping == &mapping_of<Root>()
                 ? formatted("::ZeInfo : Expected at most 1 of {}, got : 2", one.field->key)
                 : formatted("::ZeInfo::Kernel : Expected exactly 1 of {}, got : 2", one.field->key));
        return;
      case DeviationKind::MissingValue:
        if (one.field && one.field->type == Type::Int32) {
          find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span, formatted("`{}` has no value", one.field->key));
          return;
        }
        [[fallthrough]];
      case DeviationKind::NoKey:
        find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, one.span,
             one.kind == DeviationKind::NoKey ? "the runtime fails at a line that is not a `key:`"
                                              : "the runtime fails where a value is missing");
        return;
      case DeviationKind::ItemOpensMapping:
        find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, one.span,
             "the runtime fails at a sequence item that is only a key opening a mapping");
        return;
      case DeviationKind::FlowMapping:
        return syntax(one, "flow mappings", "NEO::Yaml : Inline dictionaries are not supported");
      case DeviationKind::QuotedKey:
        return syntax(one, "quoted keys");
      case DeviationKind::CommentAfterBracket:
        return syntax(one, "a comment after `]`");
      case DeviationKind::NegativeInFlow:
        return syntax(one, "negative numbers in `[ ]`");
      case DeviationKind::ByteOrderMark:
        return syntax(one, "a byte order mark");
      case DeviationKind::ZeroIndentedAtRoot:
        return syntax(one, "sequences of the root that are not indented");
      case DeviationKind::SecondDocument:
        return syntax(one, "content after the end of the document");
      case DeviationKind::Unsupported:
        return syntax(one, "this construct of YAML");
      case DeviationKind::EscapedString:
        // Only names matter: the code section is looked up under the text as written.
        if (!kernel_) return;
        if (locate(document_, *kernel_, KernelKey::name).value == one.span) {
          find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span,
               "the runtime does not undo escapes in a kernel's name",
               formatted(" : Could not find text section for kernel {}",
                         word(one.span).substr(1, word(one.span).size() - 2)));
        }
        return;
      case DeviationKind::EmptyVector:
        return empty_vector(one);
      case DeviationKind::NoBlank:
        return;
      case DeviationKind::TabSeparator:
        find(kWarns, DiagnosticKind::RuntimeWarns, one.span, "the runtime counts a tab as 4 columns");
        return;
      case DeviationKind::SequenceForm:
        if (one.field->mapping == &mapping_of<DebugEnv>()) syntax(one, "`debug_env` as a sequence");
        return;
    }
  }

  // Whether the runtime reads a scalar that is not of its type in ZE Info.
  bool reads(const Deviation& one) const {
    const std::string_view text = unquoted(one.span);
    if (one.mapping == &mapping_of<Root>()) {  // what follows MAJOR.MINOR is ignored
      return text.starts_with("1.") && text.size() > 2 && text[2] >= '0' && text[2] <= '9';
    }
    if (one.field->type == Type::Bool) {
      std::string lower(text);
      for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      return parse_boolean(lower).has_value();
    }
    std::int32_t number = 0;  // as far as the digits reach
    return one.field->type == Type::Int32 && !text.empty() && text[0] >= '0' && text[0] <= '9' &&
           text.find_first_not_of("0123456789_") == text.npos &&
           std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  }

  void unreadable(const Deviation& one) {
    find(kRefuses,
         one.kind == DeviationKind::QuotedScalar ? DiagnosticKind::RuntimeSyntax : DiagnosticKind::RuntimeRefuses,
         one.span, formatted("the runtime cannot read `{}`", one.field->key),
         formatted(".ze_info : could not read {} from : [{}] in context of : {}", one.field->key, word(one.span),
                   name()));
  }

  void empty_vector(const Deviation& one) {
    if (!since(2217) || !one.field) return;
    constexpr std::string_view kVectors[] = {"functions",
                                             "global_host_access_table",
                                             "payload_arguments",
                                             "per_thread_payload_arguments",
                                             "binding_table_indices",
                                             "per_thread_memory_buffers"};
    if (!std::ranges::contains(kVectors, one.field->key)) return;
    find(kRefuses, DiagnosticKind::RuntimeRefuses, one.span, formatted("`{}` without an item", one.field->key),
         "NEO::Yaml : Vector data type expects to have at least one value starting with -");
  }

  // --- keys and values ---

  void unknown_key(const MappingInfo& mapping, std::string_view key, Span span) {
    Context context = Context::Inner;
    if (&mapping == &mapping_of<Root>()) context = Context::Root;
    if (&mapping == &mapping_of<Kernel>()) context = Context::Kernel;
    if (&mapping == &mapping_of<PayloadArgument>()) context = Context::Argument;
    unknown_key(context, key, span, Loss::Information);
  }

  void unknown_key(Context context, std::string_view key, Span span, Loss loss) {
    std::string says = formatted(".ze_info : Unknown entry \"{}\" ", key);
    switch (context) {
      case Context::Root:
        says += "in global scope of .ze_info";
        break;
      case Context::Kernel:
        says += "in context of : .ze_info";
        break;
      case Context::Inner:
        says += formatted("in context of {}", name());
        break;
      case Context::Argument:
        says += formatted("for payload argument in context of {}", name());
        break;
    }
    const std::string release = text_of(result_.release);
    if (result_.release >= kUnknownKeysRefused) {
      find(kRefuses, DiagnosticKind::RuntimeRefuses, span,
           formatted("release {} does not know the key `{}`", release, key), std::move(says), 4);
    } else if (loss == Loss::Dispatch) {
      find(kWarns, DiagnosticKind::IgnoredByRuntime, span,
           formatted("release {} ignores `{}`, which the kernel needs", release, key), std::move(says));
    } else {
      find(kWarns, DiagnosticKind::RuntimeWarns, span, formatted("release {} ignores `{}`", release, key),
           std::move(says));
    }
  }

  void unknown_value(const EnumInfo& values, std::string_view value, Span span) {
    find(kRefuses, DiagnosticKind::RuntimeRefuses, span,
         formatted("release {} does not know the value `{}`", text_of(result_.release), value),
         formatted(".ze_info : Unhandled \"{}\" {} in context of {}", value, runtime_name(values), name()));
  }

  void known(Object object, Context context) {
    for (const FieldInfo& field : object.mapping().fields) {
      if (!object.has(field)) continue;
      if (!field.lifetime.runtime_knows(result_.release)) {
        // From 24.48 on this one is skipped silently.
        if (field.key == "actual_kernel_start_offset" && since(2448)) continue;
        unknown_key(context, field.key,
                    result_.findings.size() < kMaxFindings ? locate(document_, object.at(), field.key).key : Span{},
                    field.loss);
        continue;
      }
      if (field.type == Type::Enum && object.enumerator(field)) {
        const ValueInfo& value = (*field.values)[object.enumerator(field)];
        if (!value.lifetime.runtime_knows(result_.release)) {
          unknown_value(*field.values, value.name, locate(document_, object.at(), field.key).value);
        }
      }
      if (field.type == Type::Sequence && object.count(field) > 65535) {
        find(kWarns, DiagnosticKind::RuntimeTruncates, locate(document_, object.at(), field.key).key,
             formatted("`{}` has {} entries; the runtime counts them in 16 bits", field.key, object.count(field)));
      }
      if (field.type == Type::Mapping) known(object.nested(field), Context::Inner);
      if (field.type != Type::Sequence || result_.findings.size() >= kMaxFindings) continue;
      const bool kernels = field.mapping == &mapping_of<Kernel>();
      Context inner = kernels || field.mapping == &mapping_of<Function>() ? Context::Kernel : Context::Inner;
      if (field.mapping == &mapping_of<PayloadArgument>()) inner = Context::Argument;
      for (std::uint32_t i = 0; i < object.count(field); ++i) {
        if (kernels) kernel_ = &document_.kernels[i];
        known(object.item(field, i), inner);
      }
      if (kernels) kernel_ = nullptr;
    }
  }

  // Names there are strings to the runtime, and a number is not one.
  void host_access() {
    using H = HostAccessKey;
    for (const HostAccess& one : document_.global_host_access_table) {
      for (const H key : {H::device_name, H::host_name}) {
        if (!one.has(key)) continue;
        const std::string_view text = word(locate(document_, one, key).value);
        const std::size_t digit = text.find_first_not_of("+-");
        if (digit > 1 || text[digit] < '0' || text[digit] > '9') continue;
        const std::string_view name = field_of<HostAccess>(key).key;
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(one, key),
             formatted("the runtime takes the `{}` `{}` for a number; put it in quotes", name, text));
      }
    }
  }

  // --- each kernel ---

  void kernel() {
    for (const KernelKey key : {KernelKey::name, KernelKey::execution_env}) {
      if (kernel_->has(key)) continue;
      const std::string_view word = field_of<Kernel>(key).key;
      find(kRefuses, DiagnosticKind::RuntimeRefuses, first_key(document_, kernel_->at),
           formatted("a kernel without `{}`", word),
           formatted("::ZeInfo::Kernel : Expected exactly 1 of {}, got : 0", word));
    }
    environment();
    payload();
    binding_table();
    per_thread();
    buffers();
    samplers();
    if (target_.has_container()) {
      const CodeSection* code = target_.find_code(name());
      if (!code || code->size == 0) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(*kernel_, KernelKey::name), "the kernel has no code",
             formatted(" : Could not find text section for kernel {}", name()));
      }
    }
  }

  void environment() {
    const ExecutionEnv& env = kernel_->execution_env;
    const std::int32_t simd = env.has(ExecutionEnvKey::simd_size) ? env.simd_size : -1;
    if (kernel_->has(KernelKey::execution_env) && simd != 1 && simd != 8 && simd != 16 && simd != 32) {
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(env, ExecutionEnvKey::simd_size),
           formatted("SIMD size {}", simd),
           formatted(".ze_info : Invalid simd size : {} in context of : {}. Expected 1, 8, 16 or 32. Got : {}", simd,
                     name(), simd));
    }
    if (env.slm_alloc_mode != 0 && env.slm_alloc_mode != 1) {
      find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, at(env, ExecutionEnvKey::slm_alloc_mode),
           "the runtime fails at a slm_alloc_mode other than 0 and 1");
    }
    const Device* device = run_on_ ? run_on_ : target_.device;
    if (device && env.slm_size > device->slm_kib * 1024) {
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(env, ExecutionEnvKey::slm_size),
           formatted("{} has {} bytes of local memory", device->name(), device->slm_kib * 1024),
           formatted("Size of SLM ({}) larger than available ({})", env.slm_size, device->slm_kib * 1024));
    }
    for (const std::int32_t one : env.required_work_group_size.values) {
      if (one <= 65535) continue;
      find(kWarns, DiagnosticKind::RuntimeTruncates, at(env, ExecutionEnvKey::required_work_group_size),
           formatted("a work group of {}; the runtime keeps 16 bits", one));
    }
  }

  void bad_size(const PayloadArgument& argument, std::string_view expected) {
    find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, K::size),
         formatted("`{}` of {} bytes", name_of_value(argument.arg_type), argument.size),
         formatted(" : Invalid size for argument of type {} in context of : {}. Expected {}. Got : {}",
                   name_of_value(argument.arg_type), name(), expected, argument.size));
  }

  enum class ArgKind : std::uint8_t { Value, Buffer, Image, Sampler };

  static bool is_vme(ArgType type) {
    return type == ArgType::vme_mb_block_type || type == ArgType::vme_subpixel_mode ||
           type == ArgType::vme_sad_adjust_mode || type == ArgType::vme_search_path_type;
  }

  // The runtime gives each argument of a kernel one kind, and aborts at an entry of another kind.
  void argument_kind(const PayloadArgument& argument, const ArgFacts& facts,
                     std::unordered_map<std::int32_t, ArgKind>& kinds) {
    if (!facts.needs_index) return;
    if (argument.arg_index < 0) {
      find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, at(argument, K::arg_index),
           "the runtime fails at a kernel argument without arg_index");
      return;
    }
    ArgKind kind = facts.object == ArgObject::Image     ? ArgKind::Image
                   : facts.object == ArgObject::Sampler ? ArgKind::Sampler
                                                        : ArgKind::Buffer;
    if (argument.arg_type == ArgType::arg_byvalue) kind = ArgKind::Value;
    if (argument.arg_type == ArgType::arg_bypointer && argument.addrspace == AddrSpace::image) kind = ArgKind::Image;
    if (argument.arg_type == ArgType::arg_bypointer && argument.addrspace == AddrSpace::sampler)
      kind = ArgKind::Sampler;
    const auto [known, fresh] = kinds.try_emplace(argument.arg_index, kind);
    if (fresh || known->second == kind) return;
    find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, at(argument, K::arg_type),
         formatted("the runtime fails at `{}` of argument {}, which is of another kind",
                   name_of_value(argument.arg_type), argument.arg_index));
  }

  // Long, because it has one check per rule that the runtime has for arguments.
  void payload() {
    bool bindless = false, bindful = false;
    std::uint32_t locals = 0;
    std::unordered_map<std::int32_t, std::uint32_t> pieces;
    std::unordered_map<std::int32_t, ArgKind> kinds;
    for (const PayloadArgument& argument : kernel_->payload_arguments) {
      const ArgFacts facts = facts_of(argument.arg_type);
      argument_kind(argument, facts, kinds);
      if (argument.arg_type == ArgType::unset || is_vme(argument.arg_type)) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses,
             argument.arg_type == ArgType::unset ? first_key(document_, argument.at) : at(argument, K::arg_type),
             argument.arg_type == ArgType::unset
                 ? std::string("an argument without arg_type")
                 : formatted("an argument of type `{}`", name_of_value(argument.arg_type)));
      }
      if (argument.slm_alignment < 0 || argument.slm_alignment > 255) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, K::slm_alignment),
             formatted("slm_alignment {}; the runtime takes 0 to 255", argument.slm_alignment));
      }
      if (facts.per_thread) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, K::arg_type),
             "an argument of each thread among those of all",
             formatted(" : Invalid arg type in cross thread data section in context of : {}.", name()));
      }
      if (facts.size == ArgSize::Vector && argument.size != 4 && argument.size != 8 && argument.size != 12) {
        bad_size(argument, "4 or 8 or 12");
      }
      const bool four = argument.arg_type == ArgType::work_dimensions || argument.arg_type == ArgType::buffer_offset ||
                        argument.arg_type == ArgType::region_group_dimension;
      if (four && argument.size != 4) bad_size(argument, "4");
      if (argument.arg_type == ArgType::buffer_size && argument.size != 8)
        bad_size(argument, "4");  // the runtime's own wording
      if (std::int64_t{argument.offset} + argument.size > 65535) {
        find(kWarns, DiagnosticKind::RuntimeTruncates, at(argument, K::offset), "the payload ends beyond 16 bits");
      }
      // A base of constants or globals in the binding table is an access through it, as a stateful argument is.
      const bool is_base = argument.arg_type == ArgType::const_base || argument.arg_type == ArgType::global_base;
      bindful |= is_base && argument.bti_value >= 0;
      const bool is_value = argument.arg_type == ArgType::arg_byvalue;
      if (!is_value && argument.arg_type != ArgType::arg_bypointer) continue;
      if (is_value) {
        if (++pieces[argument.arg_index] > 1 && argument.source_offset < 0 && since(2152)) {
          find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, K::source_offset),
               "a further piece without source_offset", "Missing source offset value for element in argByValue");
        }
        continue;
      }
      const bool stateless_image = is_image_or_sampler(argument.addrspace) && argument.addrmode == AddrMode::stateless;
      if (argument.addrmode == AddrMode::unset || stateless_image) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, K::addrmode),
             "an addressing mode that the runtime does not accept",
             formatted("Invalid or missing memory addressing mode for arg idx : {} in context of : {}.",
                       argument.arg_index, name()));
      }
      bindless |= argument.addrmode == AddrMode::bindless && argument.addrspace != AddrSpace::sampler;
      bindful |= argument.addrmode == AddrMode::stateful && argument.addrspace != AddrSpace::sampler;
      // Releases before 22.14 did not know the alignment and did not need it.
      if (is_slm(argument.addrmode) && ++locals > 1 && argument.slm_alignment == 0 && since(2214)) {
        find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, at(argument, K::slm_alignment),
             "the runtime fails at a second local argument without slm_alignment");
      }
    }
    if (bindless && bindful && since(2322)) {
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(*kernel_, KernelKey::name),
           "arguments both bindless and in the binding table",
           ".ze_info : bindless and bindful addressing modes must not be mixed.");
    }
  }

  void binding_table() {
    using B = BindingTableIndexKey;
    for (const BindingTableIndex& entry : kernel_->binding_table_indices) {
      if (entry.arg_index < 0 || entry.arg_index > 65535) {
        find(Verdict::Crashes, DiagnosticKind::RuntimeCrash, at(entry, B::arg_index),
             "the runtime fails at a binding table entry for an argument so far out of range");
        continue;
      }
      const bool fits = std::ranges::any_of(kernel_->payload_arguments.span(), [&](const PayloadArgument& one) {
        return one.arg_index == entry.arg_index && one.arg_type == ArgType::arg_bypointer;
      });
      if (!fits) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(entry, B::arg_index),
             "a binding table entry for an argument that is not a pointer or image",
             formatted(".ze_info : Invalid binding table entry for non-pointer and non-image argument idx : {}.",
                       entry.arg_index));
      }
      if (entry.bti_value > 254) {
        find(kWarns, DiagnosticKind::RuntimeTruncates, at(entry, B::bti_value),
             formatted("binding table index {}; the runtime keeps up to 254", entry.bti_value));
      }
    }
  }

  void per_thread() {
    using P = PerThreadPayloadArgumentKey;
    const std::int32_t simd = kernel_->execution_env.simd_size;
    const Device* device = run_on_ ? run_on_ : target_.device;
    for (const PerThreadPayloadArgument& argument : kernel_->per_thread_payload_arguments) {
      if (argument.size == 0) {
        find(kWarns, DiagnosticKind::RuntimeWarns, at(argument, P::size), "the runtime skips an argument of 0 bytes",
             formatted(".ze_info : Skippinig 0-size per-thread argument of type : {}",
                       name_of_value(argument.arg_type)));
        continue;
      }
      const bool packed = argument.arg_type == ArgType::packed_local_ids;
      if (packed && argument.size != 2 && argument.size != 4 && argument.size != 6) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, P::size),
             formatted("packed local ids of {} bytes", argument.size));
      }
      if (packed && argument.offset != 0) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, P::offset),
             formatted("packed local ids at {}; the runtime reads them at 0", argument.offset));
      }
      if (!packed && argument.arg_type != ArgType::local_id) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, P::arg_type),
             "an argument of all threads among those of each");
      }
      if (argument.arg_type != ArgType::local_id || simd <= 0) continue;
      bool fits = argument.offset == 0;
      const auto dimensions = [&](int grf) {
        const std::int64_t raw = 2 * std::max(simd, 16);
        const std::int64_t channel = since(2130) ? local_id_channel_size(simd, grf) : raw;
        const std::int64_t count = argument.size / channel;
        return count >= 1 && count <= 3;
      };
      const int known_grf = device ? grf_bytes_of_core(device->core) : target_.grf_bytes.value_or(0);
      fits = fits && (known_grf ? dimensions(known_grf) : dimensions(32) || dimensions(64));
      if (fits) continue;
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(argument, argument.offset ? P::offset : P::size),
           formatted("local ids of {} bytes at {}", argument.size, argument.offset),
           formatted(" : Invalid size for argument of type local_id in context of : {}. For simd={} expected :", name(),
                     simd));
    }
  }

  // Bytes of private memory that a hardware thread needs; 0 for other buffers.
  std::int64_t private_size_of_thread(const PerThreadMemoryBuffer& buffer) const {
    if (buffer.usage != MemBufferUsage::private_space) return 0;
    const bool of_each_lane = buffer.type == MemBufferType::global || buffer.is_simt_thread;
    return std::int64_t{buffer.size} * (of_each_lane ? std::max(1, kernel_->execution_env.simd_size) : 1);
  }

  void buffers() {
    using B = PerThreadMemoryBufferKey;
    if (!since(2036)) return;
    bool slots[2] = {};
    for (const PerThreadMemoryBuffer& buffer : kernel_->per_thread_memory_buffers) {
      if (buffer.size <= 0 || buffer.size == 0x7fffffff) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::size),
             formatted("a buffer of {} bytes", buffer.size), " : Invalid per-thread memory buffer allocation size");
        continue;
      }
      if (buffer.type != MemBufferType::global && buffer.type != MemBufferType::scratch) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::type),
             "the runtime accepts only global and scratch buffers");
      } else if (buffer.type == MemBufferType::global && buffer.usage != MemBufferUsage::private_space) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::usage), "a global buffer must be private_space");
      } else if (private_size_of_thread(buffer) > INT32_MAX) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::size),
             formatted("private memory of {} bytes for each of {} work items", buffer.size,
                       kernel_->execution_env.simd_size));
      } else if (buffer.type == MemBufferType::scratch && (buffer.slot < -1 || buffer.slot > 1)) {
        find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::slot), formatted("scratch slot {}", buffer.slot),
             formatted(" : Invalid scratch buffer slot {}", buffer.slot));
      } else if (buffer.type == MemBufferType::scratch) {
        if (buffer.slot < 0) continue;
        if (slots[buffer.slot]) {
          find(kRefuses, DiagnosticKind::RuntimeRefuses, at(buffer, B::slot),
               formatted("scratch slot {} twice", buffer.slot),
               formatted(" : Invalid duplicated scratch buffer entry {}", buffer.slot));
        }
        slots[buffer.slot] = true;
      }
    }
  }

  void samplers() {
    using S = InlineSamplerKey;
    if (!since(2242)) return;
    for (const InlineSampler& sampler : kernel_->inline_samplers) {
      const bool whole = sampler.has(S::sampler_index) && sampler.sampler_index != -1 && sampler.has(S::addrmode) &&
                         sampler.has(S::filtermode);
      if (whole) continue;
      find(kRefuses, DiagnosticKind::RuntimeRefuses, at(sampler, S::sampler_index),
           "an inline sampler needs its index, addrmode and filtermode",
           formatted(" : Invalid inline sampler index (must be >= 0) in context of : {}.", name()));
    }
  }

  const Document& document_;
  const Target& target_;
  const Device* run_on_;
  const Kernel* kernel_ = nullptr;
  std::size_t end_of_text_ = std::string_view::npos;
  RuntimeVerdict result_;
};

}  // namespace

RuntimeVerdict runtime_verdict(const Document& document, const Target& target, Release release, const Device* run_on) {
  return Runtime(document, target, release, run_on).run();
}

void check_runtime(RuleContext& context) {
  if (const Release release = context.options.release; release > kLastRelease) {
    context.report_span(Severity::Warning, DiagnosticKind::ReleaseUnknown, {0, 0},
                        formatted("release {} of the runtime is not known; the rules are those of {}", text_of(release),
                                  text_of(kLastRelease)));
  }
  const RuntimeVerdict verdict =
      runtime_verdict(context.document, context.target, context.options.release, context.options.run_on);
  for (const RuntimeFinding& one : verdict.findings) {
    const Severity severity = one.verdict >= Verdict::Refuses ? Severity::Error : Severity::Warning;
    Diagnostic* told = context.report_span(severity, one.kind, one.span, one.message);
    if (told && !one.runtime_message.empty()) told->note("the runtime says: " + one.runtime_message);
  }
}

}  // namespace slipway::zeinfo
