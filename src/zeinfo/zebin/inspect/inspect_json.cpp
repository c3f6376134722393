// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON of `slipway inspect` for zebins, archives of them and ZE Info: one table for writing it and for its schema.
#include <array>

#include "json/record.hpp"
#include "zeinfo/kernel/compare.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/write/json.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"
#include "zeinfo/zebin/inspect/inspect_texts.hpp"

namespace slipway::zebin {
namespace {

using json::Boolean, json::Integer, json::List, json::Nested, json::OrNull, json::Real, json::Record, json::Text;
using zeinfo::Kernel;
using zeinfo::PayloadArgument;

constexpr Integer kSigned{.min = std::numeric_limits<std::int64_t>::min()};

struct InspectedInput {
  const Input* input;
  const InspectOptions* options;

  const Elf* elf() const { return input->zebin ? &input->zebin->elf : nullptr; }
};

struct InspectedKernel {
  const Input* input;
  const Kernel* kernel;
};

struct InspectedArgument {
  const Input* input;
  const Kernel* kernel;
  const PayloadArgument* argument;

  const zeinfo::ArgInfo* info() const {
    return is_explicit(*argument) ? zeinfo::arg_info(input->document, *kernel, argument->arg_index) : nullptr;
  }
};

struct InspectedRelocation {
  const Elf* elf;
  const Relocation* relocation;
};

struct InspectedArchive {
  const std::string* path;
  Bytes archive;
  std::span<const Input> inputs;
  const InspectOptions* options;
};

// The name of a value, if it is set.
template <class E>
std::optional<std::string_view> if_set(E value) {
  return value == E::unset ? std::nullopt : std::optional<std::string_view>(name_of_value(value));
}

std::optional<std::int32_t> surface_of(const InspectedArgument& from) {
  const bool stateful = from.argument->addrmode == zeinfo::AddrMode::stateful;
  return stateful ? binding_of(*from.kernel, from.argument->arg_index) : std::nullopt;
}

const Record<InspectedArgument>& argument_record() {
  using A = InspectedArgument;
  static const auto record =
      Record<A>("argument", "an argument, and where it is in the payload")
          .optional(
              "index", [](const A& from) { return is_explicit(*from.argument) ? &from.argument->arg_index : nullptr; },
              Integer{}, "of explicit arguments")
          .optional(
              "name",
              [](const A& from) {
                const auto* const info = from.info();
                return info ? std::optional(printable(info->name)) : std::nullopt;
              },
              Text{}, "in the source of the kernel")
          .optional(
              "type_name",
              [](const A& from) {
                const auto* const info = from.info();
                return info ? std::optional(printable(info->type_name)) : std::nullopt;
              },
              Text{}, "in the source of the kernel")
          .required(
              "type", [](const A& from) { return name_of_value(from.argument->arg_type); }, Text{}, "arg_type")
          .required(
              "offset", [](const A& from) { return from.argument->offset; }, kSigned, "bytes")
          .required(
              "size", [](const A& from) { return from.argument->size; }, kSigned, "bytes")
          .optional(
              "addrmode", [](const A& from) { return if_set(from.argument->addrmode); }, Text{}, "if set")
          .optional(
              "addrspace", [](const A& from) { return if_set(from.argument->addrspace); }, Text{}, "if set")
          .optional(
              "access_type", [](const A& from) { return if_set(from.argument->access_type); }, Text{}, "if set")
          .optional("bti", surface_of, kSigned, "the surface of a stateful argument");
  return record;
}

std::vector<std::array<std::uint32_t, 2>> holes_of(const InspectedKernel& from) {
  std::vector<std::array<std::uint32_t, 2>> holes;
  const zeinfo::PayloadLayout layout = layout_of(from.input->document, *from.kernel, from.input->target);
  for (const zeinfo::PayloadRange& range : layout.cross_thread) {
    if (range.kind == zeinfo::PayloadRange::Kind::Hole) holes.push_back({range.offset, range.size});
  }
  return holes;
}

std::vector<InspectedArgument> arguments_of(const InspectedKernel& from, bool want_explicit) {
  std::vector<InspectedArgument> arguments;
  for (const PayloadArgument& argument : from.kernel->payload_arguments) {
    if (is_explicit(argument) == want_explicit) arguments.push_back({from.input, from.kernel, &argument});
  }
  return arguments;
}

const Record<zeinfo::KernelSummary>& figures_record() {
  using S = zeinfo::KernelSummary;
  static const auto record =
      Record<S>("figures", "the figures of a kernel; spills and private memory are of a hardware thread")
          .required(
              "kernel", [](const S& from) { return printable(from.name); }, Text{}, "its name")
          .required("simd", &S::simd, kSigned, "work items of a thread")
          .required("grf", &S::grf, kSigned, "registers")
          .required("threads_per_eu", &S::threads_per_eu, OrNull{Integer{}}, "null: unknown")
          .required("code_bytes", &S::code_bytes, OrNull{Integer{}}, "null: without a container")
          .optional("instructions", &S::instructions, Integer{}, "of the code, with --isa")
          .optional("sends", &S::sends, Integer{}, "messages to memory, samplers and gateways among them")
          .optional(
              "isa", [](const S& from) { return from.isa.get(); }, Text{}, "the instructions as text")
          .required("spill_bytes", &S::spill_bytes, Integer{}, "bytes")
          .required("spill_registers_per_lane", &S::spill_registers_per_lane, Real{}, "registers of 32 bits")
          .required("scratch_bytes", &S::scratch_bytes, Integer{}, "bytes, as allocated")
          .required("private_bytes", &S::private_bytes, Integer{}, "bytes")
          .required("slm_bytes", &S::slm_bytes, Integer{}, "bytes")
          .required("barriers", &S::barriers, kSigned, "number of barriers")
          .required("cross_thread_bytes", &S::cross_thread_bytes, Integer{}, "bytes")
          .required("inline_bytes", &S::inline_bytes, Integer{}, "bytes")
          .required("per_thread_bytes", &S::per_thread_bytes, Integer{}, "bytes");
  return record;
}

// The figures are members of the kernel's object.
struct InspectedSummary {
  zeinfo::KernelSummary figures;
  InspectedKernel kernel;
};

const Record<InspectedSummary>& summary_record() {
  using S = InspectedSummary;
  static const auto record = Record<S>("kernel", "a kernel")
                                 .part(&S::figures, figures_record())
                                 .required(
                                     "holes", [](const S& from) { return holes_of(from.kernel); },
                                     List<List<Integer>>{.element = {Integer{}, 2, 2}},
                                     "unused bytes of the cross-thread payload: offset, size")
                                 .required(
                                     "args", [](const S& from) { return arguments_of(from.kernel, true); },
                                     List{Nested(argument_record())}, "explicit arguments")
                                 .required(
                                     "implicit", [](const S& from) { return arguments_of(from.kernel, false); },
                                     List{Nested(argument_record())}, "implicit arguments");
  return record;
}

const Record<ElfHeader>& elf_record() {
  using H = ElfHeader;
  static const auto record =
      Record<H>("elf", "the ELF header")
          .required(
              "class", [](const H& from) { return from.wide ? 64 : 32; }, Integer{.min = 32, .max = 64}, "bits")
          .required("type", &H::type, Integer{}, "e_type")
          .required("machine", &H::machine, Integer{}, "e_machine")
          .required("flags", &H::flags, Integer{}, "e_flags")
          .required("abi_version", &H::abi_version, Integer{}, "of the container");
  return record;
}

const Record<zeinfo::Target>& target_record() {
  using T = zeinfo::Target;
  static constexpr json::Word<T::Source> kSources[] = {
      {"notes", T::Source::Notes}, {"product", T::Source::Product}, {"none", T::Source::None}};
  static const auto record =
      Record<T>("target", "the device that the kernels are for; null: unknown")
          .required(
              "device", [](const T& from) { return from.device ? std::optional(from.device->name()) : std::nullopt; },
              OrNull{Text{}}, "its name")
          .required("family", &T::family, OrNull{Integer{}}, "its family")
          .required("core", &T::core, OrNull{Integer{}}, "its core")
          .required(
              "product_config",
              [](const T& from) { return from.config ? std::optional(text_of(*from.config)) : std::nullopt; },
              OrNull{Text{}}, "MAJOR.MINOR.REVISION")
          .required("grf_bytes", &T::grf_bytes, OrNull{Integer{}}, "bytes of a register")
          .required("source", &T::source, json::Words<T::Source>(kSources), "what the device is known from");
  return record;
}

// A number for the notes that have one, else text.
struct NoteValue {
  void write(json::Writer& out, const Note& note) const {
    const NoteInfo* const info = note_info(note.type);
    if (note.value.size() == 4 && !(info && info->size == 0)) {
      out.value(load<std::uint32_t>(note.value.data()));
    } else {
      out.value(printable(note_text(note)));
    }
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({ "type": ["integer", "string"] })"); }
};

const Record<Note>& note_record() {
  static const auto record = Record<Note>("note", "a note of the container")
                                 .required("type", &Note::type, Integer{}, "the number of the type")
                                 .required(
                                     "name",
                                     [](const Note& from) {
                                       const NoteInfo* const info = note_info(from.type);
                                       return info ? std::string_view(info->name) : std::string_view("unknown");
                                     },
                                     Text{}, "the name of the type")
                                 .required("value", NoteValue{}, "a number or a text");
  return record;
}

// A member that a type inherits from the entry of the file.
template <class T, class Base, class M>
constexpr M T::* inherited(M Base::* member) {
  return member;
}

const Record<Section>& elf_section_record() {
  using S = Section;
  static const auto record =
      Record<S>("section", "a section of the container")
          .required("index", &S::index, Integer{}, "index in the section table")
          .required(
              "name", [](const S& from) { return printable(from.name); }, Text{}, "as in the file")
          .required(
              "type", [](const S& from) { return type_text(from.type); }, Text{}, "sh_type, as name or number")
          .required(
              "flags", [](const S& from) { return section_flags_text(from.flags); }, Text{}, "sh_flags")
          .required("offset", inherited<S>(&S::offset), Integer{}, "bytes")
          .required("size", inherited<S>(&S::size), Integer{}, "bytes")
          .required("link", inherited<S>(&S::link), Integer{}, "sh_link")
          .required("info", inherited<S>(&S::info), Integer{}, "sh_info");
  return record;
}

const Record<Symbol>& symbol_record() {
  using S = Symbol;
  static const auto record =
      Record<S>("symbol", "a symbol of the container")
          .required("index", &S::index, Integer{}, "index in the symbol table")
          .required(
              "name", [](const S& from) { return printable(from.name); }, Text{}, "as in the file")
          .required(
              "type", [](const S& from) { return symbol_type_name(from.type()); }, Text{}, "its type")
          .required(
              "binding", [](const S& from) { return symbol_binding_name(from.binding()); }, Text{}, "its binding")
          .required("section", inherited<S>(&S::section), Integer{}, "index of its section; 0: undefined")
          .required("value", inherited<S>(&S::value), Integer{}, "st_value")
          .required("size", inherited<S>(&S::size), Integer{}, "bytes");
  return record;
}

const Record<InspectedRelocation>& relocation_record() {
  using R = InspectedRelocation;
  static const auto record =
      Record<R>("relocation", "a relocation of the container")
          .required(
              "section", [](const R& from) { return section_name(*from.elf, from.relocation->section); }, Text{},
              "the section that is patched")
          .required(
              "offset", [](const R& from) { return from.relocation->offset; }, Integer{}, "bytes")
          .required(
              "type", [](const R& from) { return relocation_type_text(from.relocation->type); }, Text{}, "its type")
          .required(
              "symbol", [](const R& from) { return symbol_name(*from.elf, from.relocation->symbol); }, Text{},
              "the symbol whose address is written")
          .optional("addend", [](const R& from) { return from.relocation->addend; }, kSigned, "added to the address");
  return record;
}

std::optional<std::vector<InspectedRelocation>> relocations_of(const InspectedInput& from) {
  const Elf* const elf = from.elf();
  if (!elf) return std::nullopt;
  std::vector<InspectedRelocation> relocations;
  for (const Relocation& relocation : elf->relocations) relocations.push_back({elf, &relocation});
  return relocations;
}

std::vector<InspectedSummary> summaries_of(const InspectedInput& from) {
  std::vector<InspectedSummary> summaries;
  for (const Kernel* kernel : chosen_kernels(*from.input, *from.options)) {
    summaries.push_back({summarize(*kernel, from.input->version(), from.input->target), {from.input, kernel}});
  }
  return summaries;
}

// The text as JSON.
struct ZeInfoText {
  bool present(const InspectedInput& from) const { return from.input->has_document; }
  void write(json::Writer& out, const InspectedInput& from) const {
    zeinfo::write_json(from.input->document, out, {.defaults = from.options->defaults});
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({ "type": "object" })"); }
};

const Record<InspectedInput>& input_record() {
  using I = InspectedInput;
  static constexpr std::string_view kFormats[] = {"zebin", "zeinfo"};
  static const auto record =
      Record<I>("input", "a zebin, or ZE Info text")
          .required(
              "format", [](const I& from) { return std::string_view(from.elf() ? "zebin" : "zeinfo"); },
              json::OneOf{kFormats}, "identifies the format")
          .required(
              "path", [](const I& from) { return printable(from.input->name); }, Text{}, "the file")
          .required(
              "size", [](const I& from) { return from.input->size; }, Integer{}, "bytes")
          .optional(
              "elf", [](const I& from) { return from.elf() ? &from.elf()->header : nullptr; }, Nested(elf_record()),
              "the ELF header, as the other parts of a zebin")
          .required(
              "target", [](const I& from) { return &from.input->target; }, Nested(target_record()), "the device")
          .optional(
              "notes", [](const I& from) { return from.elf() ? &from.elf()->notes : nullptr; },
              List{Nested(note_record())}, "the notes")
          .optional(
              "sections", [](const I& from) { return from.elf() ? &from.elf()->sections : nullptr; },
              List{Nested(elf_section_record())}, "the sections")
          .optional(
              "symbols", [](const I& from) { return from.elf() ? &from.elf()->symbols : nullptr; },
              List{Nested(symbol_record())}, "the symbols")
          .optional("relocations", relocations_of, List{Nested(relocation_record())}, "the relocations")
          .optional("ze_info", ZeInfoText{}, "the text as JSON (zeinfo.schema.json)")
          .required("summary", summaries_of, List{Nested(summary_record())}, "the kernels");
  return record;
}

const Record<MemberInfo>& member_record() {
  using M = MemberInfo;
  static const auto record = Record<M>("member", "a member of an archive")
                                 .required(
                                     "name", [](const M& from) { return printable(from.name); }, Text{}, "its name")
                                 .required("offset", &M::offset, Integer{}, "bytes")
                                 .required("size", &M::size, Integer{}, "bytes")
                                 .required("zebin", &M::is_zebin, Boolean{}, "whether it is an ELF file");
  return record;
}

std::vector<InspectedInput> inputs_of(const InspectedArchive& from) {
  std::vector<InspectedInput> inputs;
  for (const Input& input : from.inputs) inputs.push_back({&input, from.options});
  return inputs;
}

const Record<InspectedArchive>& archive_record() {
  using A = InspectedArchive;
  static const auto record =
      Record<A>("archive", "an archive of zebins")
          .required("format", json::Constant{R"("archive")"}, "identifies the format")
          .required(
              "path", [](const A& from) { return std::string_view(*from.path); }, Text{}, "the file")
          .required(
              "size", [](const A& from) { return from.archive.size(); }, Integer{}, "bytes")
          .required(
              "members", [](const A& from) { return members_of(from.archive); }, List{Nested(member_record())},
              "in the order of the file")
          .required("zebins", inputs_of, List{Nested(input_record())}, "the members that are zebins");
  return record;
}

}  // namespace

void write_input(json::Writer& out, const Input& input, const InspectOptions& options) {
  input_record().write(out, {&input, &options});
}

std::string archive_json(const std::string& path, Bytes archive, std::span<const Input> inputs,
                         const InspectOptions& options) {
  return json::object_text(archive_record(), {&path, archive, inputs, &options});
}

std::string inspect_schema() {
  return json::schema_text("slipway inspect --json of Intel GPU kernels", "",
                           {&input_record().table(), &archive_record().table()});
}

}  // namespace slipway::zebin
