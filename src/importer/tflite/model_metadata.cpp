// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/model_metadata.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text/utf8.hpp"
#include "importer/tflite/tflite_file.hpp"
#include "tflite_metadata_generated.h"

namespace slipway::importer {
namespace {

using Tensors = flatbuffers::Vector<flatbuffers::Offset<fb::metadata::TensorMetadata>>;

void add(MetadataTexts& texts, std::string name, const flatbuffers::String* text) {
  if (text && text->size() != 0) texts.emplace_back(std::move(name), valid_utf8(string_of(text)));
}

std::string numbers(std::string_view name, const flatbuffers::Vector<float>* list) {
  std::string text;
  for (const float number : span_of(list)) append_formatted(text, "{}{}", text.empty() ? "" : " ", number);
  return text.empty() ? text : formatted("{} {}", name, text);
}

void add(MetadataTexts& texts, std::string_view role, const Tensors* tensors) {
  for (std::size_t i = 0; i < count_of(tensors); ++i) {
    const fb::metadata::TensorMetadata& from = *tensors->Get(static_cast<flatbuffers::uoffset_t>(i));
    std::string text;
    const auto append = [&](std::string_view separator, const std::string& part) {
      if (!part.empty()) text += (text.empty() ? "" : std::string(separator)) + part;
    };
    append("", valid_utf8(string_of(from.name())));
    append(": ", valid_utf8(string_of(from.description())));
    for (std::size_t k = 0; k < count_of(from.process_units()); ++k) {
      const auto* const by =
          from.process_units()->Get(static_cast<flatbuffers::uoffset_t>(k))->options_as_NormalizationOptions();
      if (!by) continue;
      append("; ", numbers("mean", by->mean()));
      append(", ", numbers("std", by->std()));
    }
    if (!text.empty()) texts.emplace_back(formatted("{} {}", role, i), std::move(text));
  }
}

}  // namespace

std::optional<MetadataTexts> model_metadata(Bytes data) {
  flatbuffers::Verifier::Options limits;
  limits.check_alignment = false;  // the data may begin anywhere
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(data.data()), data.size(), limits);
  if (!fb::metadata::VerifyModelMetadataBuffer(verifier)) return std::nullopt;
  const fb::metadata::ModelMetadata& from = *fb::metadata::GetModelMetadata(data.data());
  MetadataTexts texts;
  add(texts, "name", from.name());
  add(texts, "description", from.description());
  add(texts, "version", from.version());
  add(texts, "author", from.author());
  add(texts, "license", from.license());
  if (count_of(from.subgraph_metadata()) != 0) {
    const fb::metadata::SubGraphMetadata& graph = *from.subgraph_metadata()->Get(0);
    add(texts, "input", graph.input_tensor_metadata());
    add(texts, "output", graph.output_tensor_metadata());
  }
  return texts;
}

std::string metadata_text(Bytes data) {
  const std::string_view all = text_of(data);
  const std::string_view text = all.substr(0, all.find('\0'));
  const bool is_control =
      std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t'; });
  const bool is_text = all.find_first_not_of('\0', text.size()) == all.npos && !is_control && valid_utf8(text) == text;
  return is_text ? std::string(text) : formatted("{} {}", data.size(), data.size() == 1 ? "byte" : "bytes");
}

}  // namespace slipway::importer
