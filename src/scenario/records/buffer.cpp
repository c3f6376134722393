// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {

const json::Record<Buffer>& buffer_record() {
  static const auto record = json::Record<Buffer>("buffer", "a storage buffer", &Buffer::at)
                                 .required("uid", &Buffer::uid, json::kNotEmpty,
                                           "the name by which other objects refer to it; unique in the file")
                                 .required("size", &Buffer::size, json::Integer{.min = 1}, "in bytes")
                                 .required("shader_access", &Buffer::access, words(kAccess), "how shaders access it")
                                 .synonym("access")
                                 .optional("texel_format", &Buffer::texel_format, FormatText{},
                                           "the VkFormat of its texels, where a shader declares a texel buffer; when "
                                           "absent, the format that the shader declares")
                                 .part(&Buffer::contents, untyped_contents_record())
                                 .part(&Buffer::results, results_record())
                                 .optional("memory_group", &Buffer::memory_group, json::Nested(memory_group_record()),
                                           "shares memory with others")
                                 .rule([](json::Decoder& decoder, json::Value object, Buffer& buffer) {
                                   if (buffer.access == Access::ImageRead) {  // docs/spec/scenario.md#resources
                                     decoder.warning(object["shader_access"], DiagnosticKind::DeprecatedForm,
                                                     "`image_read` is for images; a buffer with it is `readonly`");
                                     buffer.access = Access::ReadOnly;
                                   }
                                   return true;
                                 });
  return record;
}

const json::Record<RawData>& raw_data_record() {
  static const auto record = json::Record<RawData>("raw_data", "data of the host, for push constants", &RawData::at)
                                 .required("uid", &RawData::uid, json::kNotEmpty,
                                           "the name by which other objects refer to it; unique in the file")
                                 .part(&RawData::contents, untyped_contents_record())
                                 .rule([](json::Decoder& decoder, json::Value object, RawData& raw) {
                                   return need_contents(decoder, object, raw.contents, "raw_data");
                                 });
  return record;
}

}  // namespace slipway::scenario
