// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/pack_json.hpp"

#include "rpl/metadata/metadata_records.hpp"

namespace slipway::rpl_c {
namespace {

const json::Record<ListedVariant>& variant_record() {
  using V = ListedVariant;
  static const auto record =
      json::Record<V>("variant", "a pipeline that differs from the others of the program")
          .required("reason", &V::reason, json::Text{}, "what differs from the first variant, and by which options")
          .required("metadata", &V::metadata, json::Nested(rpl::metadata_record()),
                    "as `slipway compile` writes it, without modules");
  return record;
}

const json::Record<ListedProgram>& program_record() {
  using P = ListedProgram;
  static const auto record =
      json::Record<P>("program", "a pass, or a pass with a material")
          .required("name", &P::name, json::Text{}, "pass/material")
          .required("options", &P::options, json::List{json::Nested(rpl::option_record())}, "with their defaults")
          .required("variants", &P::variants, json::List{json::Nested(variant_record())},
                    "in the order of their indices");
  return record;
}

}  // namespace

const json::Record<ListedPack>& pack_record() {
  static const auto record = json::Record<ListedPack>("pack", "all variants of all programs")
                                 .required("programs", &ListedPack::programs,
                                           json::List{json::Nested(program_record())}, "in the order of the project");
  return record;
}

std::string pack_schema_text() {
  return json::schema_text("Pack of render pipelines", "what `slipway inspect --json` prints of a pack",
                           {&pack_record().table()});
}

}  // namespace slipway::rpl_c
