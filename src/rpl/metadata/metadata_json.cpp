// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/metadata_json.hpp"

#include "base/format.hpp"
#include "base/sha256.hpp"
#include "rpl/metadata/metadata_records.hpp"

namespace slipway::rpl {
namespace {

bool check_version(json::Value root, Diagnostics& diagnostics) {
  const json::Value format = root["format"], version = root["version"];
  if (format.is(json::Type::String) && format.string() != kMetadataFormat) {
    diagnostics.add(json::problem(format, DiagnosticKind::FileFormat,
                                  formatted("this is `{}`, not `{}`", format.string(), kMetadataFormat)));
    return false;
  }
  if (version.is(json::Type::Number) && version.unsigned_integer() != kMetadataVersion) {
    diagnostics.add(json::problem(version, DiagnosticKind::OutOfRange,
                                  formatted("version {} of the format is unknown; this program reads version {}",
                                            version.number_text(), kMetadataVersion)));
    return false;
  }
  return true;
}

}  // namespace

std::string interface_hash_of(const Metadata& metadata) {
  json::Writer interface(json::kCompact);
  interface_record().write(interface, metadata.pipeline_interface);
  return sha256_text(interface.text());
}

void seal(Metadata& metadata) { seal(metadata, interface_hash_of(metadata)); }

void seal(Metadata& metadata, std::string interface_hash) {
  metadata.hashes.interface_hash = std::move(interface_hash);
  json::Writer pipeline(json::kCompact);
  pipeline.object([&] {
    metadata_record().write_member(pipeline, "entry_points", metadata);
    pipeline.member("interface", metadata.hashes.interface_hash);
    for (const std::string_view key : {"settings", "color_outputs", "color_blend_constants"}) {
      metadata_record().write_member(pipeline, key, metadata);
    }
    pipeline.key("code").array([&] {
      for (const MetadataCode& code : metadata.code) pipeline.value(code.sha256);
    });
  });
  metadata.hashes.pipeline = sha256_text(pipeline.text());
}

std::string metadata_text(const Metadata& metadata) { return json::object_text(metadata_record(), metadata); }

std::optional<Metadata> read_metadata(const SourcePtr& source, Diagnostics& diagnostics) {
  const auto document = diagnostics.take(json::parse(source));
  if (!document || !check_version((*document)->root(), diagnostics)) return std::nullopt;
  json::Decoder decoder(diagnostics, Severity::Warning);
  return decoder.read(metadata_record(), (*document)->root());
}

std::string metadata_schema_text() {
  return json::schema_text("Metadata of a render pipeline", "", {&metadata_record().table()});
}

}  // namespace slipway::rpl
