// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The commands between dispatches: barriers and frame boundaries.
#include <charconv>

#include "base/format.hpp"
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder;
using json::Value;

// A number, or a string with a decimal number (docs/spec/scenario.md#decision-19).
struct FrameId {
  bool read(Decoder& decoder, Value value, std::uint64_t& to) const {
    if (!value.is(json::Type::String)) return json::Integer{}.read(decoder, value, to);
    const std::string& text = value.string();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
      return decoder.error(value, DiagnosticKind::WrongType,
                           formatted("`frame_id` takes an integer, but here is `{}`", text));
    }
    decoder.warning(value, DiagnosticKind::DeprecatedForm,
                    formatted("`frame_id` is a number; write {} without quotes", to));
    return true;
  }
  void schema(json::Schema& schema) const {
    schema.out().raw(
        R"({"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]+$", "deprecated": true}]})");
  }
};

}  // namespace

const json::Record<DispatchBarrier>& dispatch_barrier_record() {
  const auto uids = json::List{Uid{}};
  static const auto record =
      json::Record<DispatchBarrier>("dispatch_barrier", "orders the commands before it and after it",
                                    &DispatchBarrier::at)
          .optional("image_barrier_refs", &DispatchBarrier::image_barriers, uids, "uids of image barriers")
          .optional("tensor_barrier_refs", &DispatchBarrier::tensor_barriers, uids, "uids of tensor barriers")
          .optional("memory_barrier_refs", &DispatchBarrier::memory_barriers, uids, "uids of memory barriers")
          .optional("buffer_barrier_refs", &DispatchBarrier::buffer_barriers, uids, "uids of buffer barriers");
  return record;
}

const json::Record<MarkBoundary>& mark_boundary_record() {
  static const auto record =
      json::Record<MarkBoundary>("mark_boundary", "ends a frame: submits the commands and waits", &MarkBoundary::at)
          .required("resources", &MarkBoundary::resources, json::List{Uid{}},
                    "uids of the buffers, images and tensors of the frame")
          .optional("frame_id", &MarkBoundary::frame_id, FrameId{},
                    "the number of the frame; counts from the previous one when absent");
  return record;
}

}  // namespace slipway::scenario
