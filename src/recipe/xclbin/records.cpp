// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON of xclbin files: one table for writing it and for its schema.
#include "base/format.hpp"
#include "recipe/printable.hpp"
#include "recipe/uuid_text.hpp"
#include "recipe/xclbin/names.hpp"
#include "recipe/xclbin/print.hpp"

namespace slipway::recipe::xclbin {
namespace {

using json::Integer, json::List, json::Nested, json::Record, json::Text;

constexpr Integer kSigned{.min = std::numeric_limits<std::int32_t>::min()};

// A text of the file, as UTF-8.
template <auto kMember>
auto utf8_of() {
  return [](const auto& from) { return utf8(from.*kMember); };
}

const Record<XclbinSection>& section_record() {
  using S = XclbinSection;
  static const auto record =
      Record<S>("section", "a part of the file")
          .required("kind", &S::kind, Integer{}, "the number of the kind")
          .required(
              "kind_name", [](const S& from) { return named(section_kind_name(from.kind), from.kind); }, Text{},
              "the number for a kind without a name")
          .required("name", utf8_of<&S::name>(), Text{}, "as in the file")
          .required("offset", &S::offset, Integer{}, "bytes")
          .required("size", &S::size, Integer{}, "bytes");
  return record;
}

const Record<XclbinArgument>& argument_record() {
  using A = XclbinArgument;
  static const auto record =
      Record<A>("argument", "an argument of a kernel")
          .required("index", &A::index, Integer{}, "a recipe's `argidx`")
          .required("name", utf8_of<&A::name>(), Text{}, "as in the file")
          .required(
              "qualifier", [](const A& from) { return named(qualifier_name(from.qualifier), from.qualifier); }, Text{},
              "scalar, global, constant, local, stream")
          .required("size", &A::size, Integer{}, "bytes")
          .required("offset", &A::offset, Integer{}, "bytes in the register map")
          .required("type", utf8_of<&A::type>(), Text{}, "the C type");
  return record;
}

std::vector<std::string> instance_names(const XclbinKernel& kernel) {
  std::vector<std::string> names;
  for (const std::string& instance : kernel.instances) names.push_back(utf8(instance));
  return names;
}

const Record<XclbinKernel>& kernel_record() {
  using K = XclbinKernel;
  static const auto record = Record<K>("kernel", "a kernel of the design")
                                 .required("name", utf8_of<&K::name>(), Text{}, "what a recipe's `instance` names")
                                 .required("type", utf8_of<&K::type>(), Text{}, "dpu, ps, pl")
                                 .required("instances", instance_names, List{Text{}}, "the names of its instances")
                                 .required("args", &K::arguments, List{Nested(argument_record())}, "its arguments");
  return record;
}

const Record<Ip>& ip_record() {
  using I = Ip;
  static const auto record =
      Record<I>("compute_unit", "a compute unit")
          .required("type", &I::type, Integer{}, "the number of the type")
          .required(
              "type_name", [](const I& from) { return ip_type_name(from.type); }, Text{}, "empty: unknown")
          .required("properties", &I::properties, Integer{}, "bits, by type")
          .required("base", &I::base, Integer{}, "address")
          .required("name", utf8_of<&I::name>(), Text{}, "kernel:instance");
  return record;
}

const Record<Memory>& memory_record() {
  using M = Memory;
  static const auto record =
      Record<M>("memory", "a memory of the platform")
          .required("type", &M::type, Integer{}, "the number of the type")
          .required(
              "type_name", [](const M& from) { return memory_type_name(from.type); }, Text{}, "empty: unknown")
          .required(
              "used", [](const M& from) { return from.used ? 1 : 0; }, Integer{.max = 1}, "1: used")
          .required("size_kb", &M::size_kib, Integer{}, "KiB")
          .required("base", &M::base, Integer{}, "address")
          .required("tag", utf8_of<&M::tag>(), Text{}, "its name");
  return record;
}

const Record<Connection>& connection_record() {
  using C = Connection;
  static const auto record = Record<C>("connection", "the memory of an argument")
                                 .required("arg", &C::argument, kSigned, "index of the argument")
                                 .required("ip", &C::ip, kSigned, "index into ip_layout")
                                 .required("mem", &C::memory, kSigned, "index into memory");
  return record;
}

const Record<CdoGroup>& cdo_group_record() {
  using G = CdoGroup;
  static const auto record =
      Record<G>("cdo_group", "a group of configuration objects")
          .required("name", utf8_of<&G::name>(), Text{}, "as in the file")
          .required("type", &G::type, Integer{}, "the number of the type")
          .required(
              "type_name", [](const G& from) { return cdo_type_name(from.type); }, Text{},
              "unknown, primary, lite, prepost")
          .required("pdi_id", &G::pdi_id, Integer{}, "as in the file")
          .required("dpu_kernel_ids", &G::kernel_ids, List{Integer{}}, "kernels that need the group")
          .required("pre_cdo_groups", &G::pre_groups, List{Integer{}}, "groups that are loaded before");
  return record;
}

const Record<Pdi>& pdi_record() {
  using P = Pdi;
  static const auto record =
      Record<P>("pdi", "a device image")
          .required(
              "uuid", [](const P& from) { return uuid_text(from.uuid); }, UuidText{}, "as in the file")
          .required("image_size", &P::image_size, Integer{}, "bytes")
          .required("cdo_groups", &P::cdo_groups, List{Nested(cdo_group_record())}, "its configuration objects");
  return record;
}

const Record<AiePartition>& partition_record() {
  using A = AiePartition;
  static const auto record =
      Record<A>("aie_partition", "the columns of the AI engine that the design uses")
          .required("schema_version", &A::schema_version, Integer{}, "of the section")
          .required("name", utf8_of<&A::name>(), Text{}, "as in the file")
          .required("operations_per_cycle", &A::operations_per_cycle, Integer{}, "as in the file")
          .required("inference_fingerprint", &A::inference_fingerprint, Integer{}, "as in the file")
          .required("pre_post_fingerprint", &A::pre_post_fingerprint, Integer{}, "as in the file")
          .required("column_width", &A::column_width, Integer{}, "columns")
          .required("start_columns", &A::start_columns, List{Integer{}}, "where the partition may start")
          .required("kernel_commit_id", utf8_of<&A::kernel_commit_id>(), Text{}, "as in the file")
          .required("pdis", &A::pdis, List{Nested(pdi_record())}, "device images");
  return record;
}

std::string version_of(const Xclbin& file) {
  return formatted("{}.{}.{}", file.version_major, file.version_minor, file.version_patch);
}

const Record<Xclbin>& xclbin_record() {
  using X = Xclbin;
  static const auto record =
      Record<X>("xclbin", "an xclbin file")
          .required("format", json::Constant{R"("xclbin")"}, "identifies the format")
          .required("size", &X::size, Integer{}, "bytes of the file")
          .required("length", &X::length, Integer{}, "bytes of the file as its header says")
          .required("signature_length", &X::signature_length, kSigned, "bytes; -1: none")
          .required("unique_id", &X::unique_id, Integer{}, "as in the file")
          .required("timestamp", &X::timestamp, Integer{}, "seconds since 1970")
          .required("version", version_of, Text{}, "of the tool that wrote the file, MAJOR.MINOR.PATCH")
          .required("mode", &X::mode, Integer{}, "the number of the mode")
          .required(
              "mode_name", [](const X& from) { return mode_name(from.mode); }, Text{},
              "empty for a number without a name")
          .required("action_mask", &X::action_mask, Integer{}, "1: load AIE, 2: load PDI")
          .required("platform", utf8_of<&X::platform>(), Text{}, "as in the file")
          .required(
              "uuid", [](const X& from) { return uuid_text(from.uuid); }, UuidText{}, "of the design")
          .required(
              "interface_uuid", [](const X& from) { return uuid_text(from.interface_uuid); }, UuidText{},
              "of the platform")
          .required("sections", &X::sections, List{Nested(section_record())}, "in the order of the file")
          .required("kernels", &X::kernels, List{Nested(kernel_record())}, "in the order of the file")
          .required("ip_layout", &X::ip_layout, List{Nested(ip_record())}, "compute units")
          .required("memory", &X::memory, List{Nested(memory_record())}, "memories")
          .required("connectivity", &X::connectivity, List{Nested(connection_record())}, "memories of arguments")
          .optional("aie_partition", &X::partition, Nested(partition_record()), "of designs for the AI engine");
  return record;
}

}  // namespace

void write_xclbin(const Xclbin& file, json::Writer& out) { xclbin_record().write(out, file); }

std::string xclbin_schema() {
  return json::schema_text("what `slipway inspect --json` prints for an xclbin file", "", {&xclbin_record().table()});
}

}  // namespace slipway::recipe::xclbin
