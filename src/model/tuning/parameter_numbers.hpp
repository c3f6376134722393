// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The codec of the parameters of kernels in JSON: an object of whole numbers.
#pragma once

#include "json/record.hpp"
#include "lower/tuning.hpp"

namespace slipway::model {

struct ParameterNumbers {
  bool read(json::Decoder& decoder, json::Value value, lower::Parameters& to) const {
    if (!value.is(json::Type::Object)) return decoder.wrong_type(value, "an object");
    bool ok = true;
    for (const json::Value member : value) ok &= kNumber.read(decoder, member, to[member.key()]);
    return ok;
  }
  void write(json::Writer& out, const lower::Parameters& from) const {
    out.object([&] {
      for (const auto& [name, value] : from) kNumber.write(out.key(name), value);
    });
  }
  void schema(json::Schema& schema) const { json::map_schema(schema, json::handle_of<std::int64_t>(kNumber)); }

 private:
  static constexpr json::Integer kNumber{};
};

}  // namespace slipway::model
