// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON of control-code and configuration ELF files: one table for writing it and for its schema.
#include "base/format.hpp"
#include "recipe/control_code/print.hpp"
#include "recipe/printable.hpp"
#include "recipe/uuid_text.hpp"

namespace slipway::recipe::control_code {
namespace {

using json::Boolean, json::Integer, json::List, json::Nested, json::OrNull, json::Record, json::Text;

template <auto kMember>
auto text_of_file() {
  return [](const auto& from) { return utf8(from.*kMember); };
}

const Record<ControlSection>& section_record() {
  using S = ControlSection;
  static const auto record =
      Record<S>("section", "a section of the file")
          .required("index", &S::index, Integer{}, "index in the section table")
          .required("name", text_of_file<&S::name>(), Text{}, "as in the file")
          .required("type", &S::type, Integer{}, "sh_type")
          .required("flags", &S::flags, Integer{}, "sh_flags")
          .required("offset", &S::offset, Integer{}, "bytes")
          .required("size", &S::size, Integer{}, "bytes")
          .required("link", &S::link, Integer{}, "sh_link")
          .required("info", &S::info, Integer{}, "sh_info")
          .required("compressed", &S::compressed, Boolean{}, "whether its contents are compressed");
  return record;
}

const Record<Instance>& instance_record() {
  using I = Instance;
  static const auto record =
      Record<I>("instance", "a variant of a kernel with its own code")
          .required("name", text_of_file<&I::name>(), Text{}, "the part of a recipe's `instance` after the colon")
          .required("group_section", &I::group_section, Integer{}, "the section that lists its sections")
          .required("members", &I::members, List{Integer{}}, "indices of its sections");
  return record;
}

const Record<ControlKernel>& kernel_record() {
  using K = ControlKernel;
  static const auto record =
      Record<K>("kernel", "a kernel of a configuration ELF")
          .required("name", text_of_file<&K::name>(), Text{}, "as in the file")
          .required("args", &K::arguments, List{Text{}}, "the C types of its arguments")
          .required("instances", &K::instances, List{Nested(instance_record())}, "its instances");
  return record;
}

const Record<ControlPatch>& patch_record() {
  using P = ControlPatch;
  static const auto record =
      Record<P>("patch", "a location in the code that an address is written to before it runs")
          .required("symbol", text_of_file<&P::symbol>(), Text{}, "a kernel argument's index in decimal, or a name")
          .required("section", &P::section, Integer{}, "index of the section patched")
          .required("offset", &P::offset, Integer{}, "bytes in that section")
          .required("scheme", &P::scheme, Integer{}, "the number of the scheme")
          .required(
              "scheme_name", [](const P& from) { return scheme_text(from.scheme); }, Text{},
              "the number for a scheme without a name")
          .required("addend", &P::addend, Integer{}, "added to the address")
          .required("symbol_size", &P::symbol_size, Integer{}, "as in the file");
  return record;
}

std::optional<std::string> uid_of(const ControlCode& file) { return file.uid.transform(xclbin::uuid_text); }

const Record<ControlCode>& control_code_record() {
  using C = ControlCode;
  static constexpr std::string_view kPlatforms[] = {"aie2p", "aie2ps", "aie2ps_legacy", "aie4", "aie4a", "aie4z"};
  static const auto record =
      Record<C>("control_code", "a control-code or configuration ELF file")
          .required("format", json::Constant{R"("xrt-elf")"}, "identifies the format")
          .required("size", &C::size, Integer{}, "bytes of the file")
          .required(
              "platform", [](const C& from) { return platform_name(from.os_abi); }, json::OneOf{kPlatforms},
              "the generation of the NPU")
          .required("osabi", &C::os_abi, Integer{}, "e_ident[EI_OSABI]")
          .required("abi_version", abi_text, Text{}, "MAJOR.MINOR")
          .required("full", &C::full, Boolean{}, "whether it is a configuration ELF")
          .required("uid", uid_of, OrNull{UuidText{}}, "identifies the build")
          .required("partition_columns", &C::partition_columns, OrNull{Integer{}}, "columns that the design needs")
          .required("sections", &C::sections, List{Nested(section_record())}, "without the empty section 0")
          .required("kernels", &C::kernels, List{Nested(kernel_record())}, "of a configuration ELF")
          .required("patches", &C::patches, List{Nested(patch_record())}, "where addresses are written to")
          .required("opcode", command_opcode, Integer{}, "of the command that XRT starts the code with");
  return record;
}

}  // namespace

void write_control_code(const ControlCode& file, json::Writer& out) { control_code_record().write(out, file); }

std::string control_code_schema() {
  return json::schema_text("what `slipway inspect --json` prints for a control-code or configuration ELF file", "",
                           {&control_code_record().table()});
}

}  // namespace slipway::recipe::control_code
