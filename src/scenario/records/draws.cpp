// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphics commands: dispatch_fragment, and draw with an RPL pipeline.
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder, json::Record, json::Schema, json::Value;

constexpr std::string_view kExtent = "width and height; those of the first attachment when absent";
constexpr auto kExtentCodec = json::List{json::Integer{.min = 1}, 2, 2};

const Record<ColorAttachment>& fragment_attachment_record() {
  static const auto record = Record<ColorAttachment>("attachment", "an image that fragments are written to")
                                 .required("resource_ref", &ColorAttachment::image, Uid{}, "the uid of the image")
                                 .optional("lod", &ColorAttachment::lod, json::Integer{}, "the level; 0 when absent");
  return record;
}

const Record<ColorAttachment>& draw_attachment_record() {
  static const auto record =
      Record<ColorAttachment>("color_attachment", "an image that fragments are written to")
          .required("resource_ref", &ColorAttachment::image, Uid{}, "the uid of the image")
          .optional("lod", &ColorAttachment::lod, json::Integer{}, "the level; 0 when absent")
          .optional("output", &ColorAttachment::output, json::kNotEmpty,
                    "the colour output of the shader, `container.field`; the one at this index when absent")
          .optional("clear", &ColorAttachment::clear, json::List{json::Real{}, 4, 4},
                    "red, green, blue, alpha to clear the image with; when absent its contents are kept");
  return record;
}

const Record<DepthAttachment>& depth_attachment_record() {
  static const auto record =
      Record<DepthAttachment>("depth_attachment", "an image for depth and stencil")
          .required("resource_ref", &DepthAttachment::image, Uid{}, "the uid of the image")
          .optional("clear", &DepthAttachment::clear, json::Real{}, "the depth to clear the image with")
          .optional("stencil_clear", &DepthAttachment::stencil_clear, json::Integer{.max = 255},
                    "the stencil value to clear the image with");
  return record;
}

// A uid, or an object with more properties of the attachment.
template <class T>
struct Attachment {
  const Record<T>* record;

  bool read(Decoder& decoder, Value value, T& to) const {
    if (value.is(json::Type::String)) return Uid{}.read(decoder, value, to.image);
    if (value.is(json::Type::Object)) return record->read(decoder, value, to);
    return decoder.wrong_type(value, "a uid, or an object with `resource_ref`");
  }
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        Uid{}.schema(schema);
        json::Nested(*record).schema(schema);
      });
    });
  }
};

// {attribute source: uid of a buffer}
struct Attributes {
  bool read(Decoder& decoder, Value value, std::vector<VertexAttribute>& to) const {
    std::vector<NamedValue> named;
    if (!NamedValues{}.read(decoder, value, named)) return false;
    bool ok = true;
    for (const NamedValue& one : named) {
      VertexAttribute& attribute = to.emplace_back();
      attribute.source = one.name;
      ok &= Uid{}.read(decoder, one.value, attribute.buffer);
    }
    return ok;
  }
  void schema(Schema& schema) const { NamedValues{R"({"type": "string", "minLength": 1})"}.schema(schema); }
};

// {"buffer.field": value or array}
struct Parameters {
  static constexpr NamedValues kNames{R"({"type": ["number", "boolean", "array"]})"};

  bool read(Decoder& decoder, Value value, std::vector<NamedValue>& to) const {
    if (!kNames.read(decoder, value, to)) return false;
    bool ok = true;
    for (const NamedValue& one : to) {
      using enum json::Type;
      const json::Type type = one.value.type();
      ok &= type == Number || type == Bool || type == Array ||
            decoder.wrong_type(one.value, "a number, a boolean or an array of them");
    }
    return ok;
  }
  void schema(Schema& schema) const { kNames.schema(schema); }
};

}  // namespace

const Record<DispatchFragment>& dispatch_fragment_record() {
  static const auto record =
      Record<DispatchFragment>("dispatch_fragment", "runs a fragment shader over an extent", &DispatchFragment::at)
          .required("vertex_shader_ref", &DispatchFragment::vertex_shader, Uid{}, "the uid of a shader of stage vertex")
          .required("fragment_shader_ref", &DispatchFragment::fragment_shader, Uid{},
                    "the uid of a shader of stage fragment")
          .required("bindings", &DispatchFragment::bindings, json::List{json::Nested(binding_record())},
                    "the resources it uses")
          .optional("color_attachment_refs", &DispatchFragment::color_attachments,
                    json::List{Attachment<ColorAttachment>{&fragment_attachment_record()}, 1},
                    "the images it writes to")
          .optional("render_extent", &DispatchFragment::render_extent, kExtentCodec, kExtent)
          .optional("push_data_ref", &DispatchFragment::push_data, Uid{.empty = true},
                    "the uid of the push constants; \"\": none")
          .optional("push_addresses", &DispatchFragment::push_addresses,
                    json::List{json::Nested(push_address_record())}, kPushAddresses)
          .optional("debug_name", &DispatchFragment::debug_name, json::Text{},
                    "its name in profiles; fragment_shader_ref when absent")
          .optional("implicit_barrier", &DispatchFragment::implicit_barrier, json::Boolean{}, kImplicitBarrier)
          .rule([](Decoder&, Value, DispatchFragment& command) {
            expand_bindings(command.bindings);
            if (command.debug_name.empty()) command.debug_name = command.fragment_shader.uid;
            return true;
          });
  return record;
}

const Record<Draw>& draw_record() {
  static const auto record =
      Record<Draw>("draw", "draws with an RPL graphics pipeline", &Draw::at)
          .required("shader_ref", &Draw::shader, Uid{}, "the uid of a shader of type RPL with `entry_points`")
          .optional("vertices", &Draw::vertices, json::Integer{.min = 1}, "their number")
          .optional("indices", &Draw::indices, Uid{.empty = true},
                    "instead of `vertices`: the uid of a buffer or of raw data with the indices")
          .optional("index_type", &Draw::index_type, words(kIndexType), "the type of an index")
          .optional("instances", &Draw::instances, json::Integer{.min = 1}, "their number; 1 when absent")
          .optional("first_vertex", &Draw::first_vertex, json::Integer{}, "0 when absent")
          .optional("attributes", &Draw::attributes, Attributes{},
                    "the uid of a buffer for each attribute source of the shader")
          .optional("bindings", &Draw::bindings, json::List{json::Nested(binding_record())},
                    "the resources it uses, by name")
          .optional("parameters", &Draw::parameters, Parameters{},
                    "values for fields of buffers without a binding, as in {\"buffer.field\": 1}")
          .optional("push_data_ref", &Draw::push_data, Uid{.empty = true}, "the uid of the push constants; \"\": none")
          .optional("color_attachments", &Draw::color_attachments,
                    json::List{Attachment<ColorAttachment>{&draw_attachment_record()}},
                    "the images it writes to, in the order of the shader's colour outputs")
          .optional("depth_attachment", &Draw::depth_attachment,
                    Attachment<DepthAttachment>{&depth_attachment_record()}, "the image for depth and stencil")
          .optional("render_extent", &Draw::render_extent, kExtentCodec, kExtent)
          .optional("debug_name", &Draw::debug_name, json::Text{}, "its name in profiles; shader_ref when absent")
          .optional("implicit_barrier", &Draw::implicit_barrier, json::Boolean{}, kImplicitBarrier)
          .rule([](Decoder& decoder, Value object, Draw& draw) {
            expand_bindings(draw.bindings);
            if (draw.debug_name.empty()) draw.debug_name = draw.shader.uid;
            if (draw.vertices && draw.indices) return exclusive(decoder, object, "vertices", "indices", "draw");
            if (draw.vertices) return true;
            if (!draw.indices) return decoder.missing(object, "vertices", "draw");
            return draw.index_type || decoder.missing(object, "index_type", "draw");
          });
  return record;
}

}  // namespace slipway::scenario
