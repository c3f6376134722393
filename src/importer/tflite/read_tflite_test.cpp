// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/tflite/read_tflite.hpp"

#include <flatbuffers/flexbuffers.h>
#include <gtest/gtest.h>

#include <random>

#include "importer/tflite/model_metadata.hpp"
#include "importer/tflite/testing.hpp"
#include "testing/messages.hpp"
#include "testing/scratch_directory.hpp"
#include "tflite_metadata_generated.h"

namespace slipway::importer {
namespace {

using Integers = std::vector<std::int64_t>;

// What is read, and the file that it refers to.
struct ReadNet {
  std::vector<std::byte> bytes;
  std::optional<Net> net;
  std::string messages;
  std::vector<Diagnostic> diagnostics;

  const NetGraph& main() const { return net->main(); }
  const NetNode& node(std::size_t i = 0) const { return net->main().nodes.at(i); }
  std::int64_t integer(const std::string& attribute) const {
    return std::get<std::int64_t>(node().attributes.at(attribute));
  }
};

ReadNet read_bytes(std::vector<std::byte> bytes, const ReadOptions& options = {}) {
  ReadNet read{.bytes = std::move(bytes)};
  Diagnostics diagnostics;
  read.net = read_tflite(read.bytes, "net.tflite", options, diagnostics);
  read.messages = testing::messages(diagnostics);
  read.diagnostics = diagnostics.all();
  EXPECT_EQ(read.net.has_value(), !diagnostics.has_errors());
  return read;
}

ReadNet read(const TfliteModel& model) { return read_bytes(model.bytes()); }

ReadNet read_valid(const TfliteModel& model) {
  ReadNet net = read(model);
  EXPECT_EQ(net.messages, "");
  return net;
}

// x, w -> CONV_2D -> y
TfliteModel convolution() {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {1, 4, 4, 2}});
  const int w = model.constant({.name = "w", .shape = {3, 1, 1, 2}}, {1, 2, 3, 4, 5, 6});
  const int y = model.result({.name = "y", .shape = {1, 4, 2, 3}});
  fb::Conv2DOptionsT options;
  options.padding = fb::Padding::VALID;
  options.stride_w = 2;
  options.stride_h = 1;
  options.fused_activation_function = fb::ActivationFunctionType::RELU6;
  model.add("CONV_2D", {x, w, -1}, {y}, 5).builtin_options.Set(options);
  model.output(y);
  return model;
}

// x -> RELU -> y, both of a type.
TfliteModel relu(const TestTensor& x = {.name = "x", .shape = {4}}) {
  TfliteModel model;
  const int input = model.input(x);
  const int y = model.result({.name = "y", .shape = {4}});
  model.add("RELU", {input}, {y});
  model.output(y);
  return model;
}

// A constant that is the output.
TfliteModel constant_model(const TestTensor& from, std::vector<std::uint8_t> data) {
  TfliteModel model;
  model.output(model.constant_of_bytes(from, std::move(data)));
  return model;
}

TEST(ReadTflite, ReadsAConvolution) {
  const ReadNet net = read_valid(convolution());
  EXPECT_EQ(net.net->format, NetFormat::Tflite);
  EXPECT_EQ(net.net->producer, "test");
  EXPECT_EQ(net.net->versions, (std::vector<std::pair<std::string, std::int64_t>>{{"tflite", 3}}));
  ASSERT_EQ(net.net->graphs.size(), 1U);
  EXPECT_EQ(net.main().name, "main");
  EXPECT_EQ(net.main().inputs, (std::vector<NetValueId>{0}));
  EXPECT_EQ(net.main().outputs, (std::vector<NetValueId>{2}));
  ASSERT_EQ(net.main().nodes.size(), 1U);
  EXPECT_EQ(net.node().label(), "`CONV_2D #0` (`y`)");
  EXPECT_EQ(net.node().version, 5);
  EXPECT_EQ(net.node().inputs, (std::vector<NetValueId>{0, 1, kAbsent}));
  EXPECT_EQ(net.node().outputs, (std::vector<NetValueId>{2}));
  EXPECT_EQ(net.integer("padding"), 1);
  EXPECT_EQ(net.integer("stride_w"), 2);
  EXPECT_EQ(net.integer("stride_h"), 1);
  EXPECT_EQ(net.integer("fused_activation_function"), 3);
  EXPECT_EQ(net.integer("dilation_w_factor"), 1);
  EXPECT_EQ(net.integer("dilation_h_factor"), 1);
  const NetValue& x = net.main().values[0];
  EXPECT_EQ(x.name, "x");
  EXPECT_EQ(x.type, FileType::F32);
  ASSERT_TRUE(x.shape);
  EXPECT_EQ(x.shape->size(), 4U);
  EXPECT_EQ((*x.shape)[3].extent, 2);
  EXPECT_FALSE(x.constant);
}

TEST(ReadTflite, ConstantsAreViewsOfTheFile) {
  const ReadNet net = read_valid(convolution());
  const Array& weights = *net.main().values[1].constant;
  EXPECT_EQ(weights.shape, (tensor::Shape{3, 1, 1, 2}));
  EXPECT_EQ(weights.reals(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_GE(weights.data.data(), net.bytes.data());
  EXPECT_LE(weights.data.data() + weights.data.size(), net.bytes.data() + net.bytes.size());
  EXPECT_EQ(weights.owner, nullptr);
}

TEST(ReadTflite, OperatorsHaveTheirRangeOfBytes) {
  const ReadNet net = read_valid(convolution());
  EXPECT_EQ(net.node().location.kind, SourceLocation::Kind::Bytes);
  EXPECT_EQ(net.node().location.file, "net.tflite");
  const Span range = net.node().location.span;
  EXPECT_LT(range.begin, range.end);
  EXPECT_LE(range.end, net.bytes.size());
  const auto* table = reinterpret_cast<const fb::Operator*>(net.bytes.data() + range.begin);
  EXPECT_EQ(table->inputs()->size(), 3U);
}

TEST(ReadTflite, AbsentOptionsHaveTheDefaultsOfTheirTables) {
  TfliteModel model = convolution();
  model.graph().operators[0]->builtin_options.Reset();
  EXPECT_EQ(read_valid(model).integer("dilation_w_factor"), 1);
  EXPECT_EQ(read_valid(model).integer("stride_w"), 0);
  EXPECT_EQ(read_valid(model).integer("padding"), 0);

  TfliteModel add = relu();
  add.tables.operator_codes[0]->builtin_code = 0;
  add.tables.operator_codes[0]->deprecated_builtin_code = 0;
  EXPECT_EQ(read_valid(add).node().kind, "ADD");
  EXPECT_EQ(read_valid(add).integer("pot_scale_int16"), 1);

  TfliteModel lstm = relu();
  lstm.tables.operator_codes[0]->builtin_code = 52;
  EXPECT_EQ(read_valid(lstm).node().kind, "BIDIRECTIONAL_SEQUENCE_LSTM");
  EXPECT_EQ(read_valid(lstm).integer("time_major"), 1);
  EXPECT_EQ(std::get<double>(read_valid(lstm).node().attributes.at("cell_clip")), 0.0);
}

TEST(ReadTflite, OptionsHaveTheTypesOfTheSchema) {
  TfliteModel reshape = relu();
  reshape.tables.operator_codes[0]->builtin_code = 22;
  EXPECT_FALSE(read_valid(reshape).node().attributes.contains("new_shape"));
  fb::ReshapeOptionsT options;
  options.new_shape = {2, -1};
  reshape.graph().operators[0]->builtin_options.Set(options);
  EXPECT_EQ(std::get<Integers>(read_valid(reshape).node().attributes.at("new_shape")), (Integers{2, -1}));

  TfliteModel softmax = relu();
  softmax.tables.operator_codes[0]->builtin_code = 25;
  fb::SoftmaxOptionsT beta;
  beta.beta = 0.5F;
  softmax.graph().operators[0]->builtin_options.Set(beta);
  EXPECT_EQ(std::get<double>(read_valid(softmax).node().attributes.at("beta")), 0.5);

  TfliteModel resize = relu();
  resize.tables.operator_codes[0]->builtin_code = 23;
  fb::ResizeBilinearOptionsT half;
  half.half_pixel_centers = true;
  resize.graph().operators[0]->builtin_options.Set(half);
  EXPECT_EQ(read_valid(resize).integer("half_pixel_centers"), 1);
  EXPECT_EQ(read_valid(resize).integer("align_corners"), 0);
  EXPECT_EQ(read_valid(resize).node().attributes.size(), 2U);  // without the sizes of old files

  TfliteModel handle = relu();
  handle.tables.operator_codes[0]->builtin_code = 142;
  fb::VarHandleOptionsT names;
  names.shared_name = "counter";
  handle.graph().operators[0]->builtin_options.Set(names);
  EXPECT_EQ(std::get<std::string>(read_valid(handle).node().attributes.at("shared_name")), "counter");

  TfliteModel bucketize = relu();
  bucketize.tables.operator_codes[0]->builtin_code = 147;
  fb::BucketizeOptionsT boundaries;
  boundaries.boundaries = {0.25F, 1};
  bucketize.graph().operators[0]->builtin_options.Set(boundaries);
  EXPECT_EQ(std::get<std::vector<double>>(read_valid(bucketize).node().attributes.at("boundaries")),
            (std::vector<double>{0.25, 1}));
}

TEST(ReadTflite, KnowsEveryBuiltinOperator) {
  std::size_t known = 0;
  for (std::int32_t code = 0; code <= 209; ++code) {
    if (code == 127 || code == kCustomOperator) continue;  // 127 means that the code is in the newer field
    TfliteModel model = relu();
    model.tables.operator_codes[0]->builtin_code = code;
    model.tables.operator_codes[0]->deprecated_builtin_code = static_cast<std::int8_t>(std::min(code, 127));
    const ReadNet net = read_valid(model);
    ASSERT_TRUE(net.net);
    const BuiltinOperator* const builtin = builtin_operator(net.node().kind);
    ASSERT_NE(builtin, nullptr);
    EXPECT_EQ(builtin->code, code);
    ++known;
  }
  EXPECT_EQ(known, 208U);
}

TEST(ReadTflite, OldFilesHaveTheOldCodeOnly) {
  TfliteModel model = convolution();
  model.tables.operator_codes[0]->builtin_code = 0;
  EXPECT_EQ(read_valid(model).node().kind, "CONV_2D");
}

TEST(ReadTflite, OptionsOfAnotherOperatorAreRefused) {
  TfliteModel model = convolution();
  model.graph().operators[0]->builtin_options.Set(fb::Pool2DOptionsT());
  EXPECT_EQ(read(model).messages,
            "`CONV_2D #0` (`y`) has options of the type `Pool2DOptions`; it has to be `Conv2DOptions` [file-format]\n");
}

TEST(ReadTflite, CustomOperatorsHaveTheirOptions) {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", 10);
    builder.Float("x_scale", 2.5F);
  });
  builder.Finish();
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {4}});
  const int y = model.result({.name = "y", .shape = {4}});
  fb::OperatorT& node = model.add_custom("Detect", {x}, {y});
  node.custom_options = builder.GetBuffer();
  model.output(y);
  const ReadNet net = read_valid(model);
  EXPECT_EQ(net.node().label(), "`custom.Detect #0` (`y`)");
  EXPECT_EQ(net.integer("max_detections"), 10);
  EXPECT_EQ(std::get<double>(net.node().attributes.at("x_scale")), 2.5);
  EXPECT_EQ(std::get<Array>(net.node().attributes.at("custom_options")).data.size(), builder.GetBuffer().size());

  node.custom_options = {1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0};
  const ReadNet raw = read_valid(model);
  EXPECT_EQ(raw.node().attributes.size(), 1U);
  EXPECT_EQ(std::get<Array>(raw.node().attributes.at("custom_options")).integer(4), 2);

  model.tables.operator_codes[0]->custom_code = "";
  EXPECT_EQ(read(model).messages, "operator 0 of subgraph 0 is a custom operator without a name [unsupported]\n");
}

TEST(ReadTflite, CompositesHaveTheirAttributes) {
  flexbuffers::Builder builder;
  builder.Map([&] { builder.Float("epsilon", 0.5F); });
  builder.Finish();
  TfliteModel model = relu();
  model.tables.operator_codes[0]->builtin_code = 206;
  fb::StableHLOCompositeOptionsT options;
  options.name = "odml.rms_norm";
  options.decomposition_subgraph_index = 1;
  options.composite_attributes = builder.GetBuffer();
  model.graph().operators[0]->builtin_options_2.Set(options);
  EXPECT_EQ(read(model).messages,
            "`decomposition_subgraph_index` of `STABLEHLO_COMPOSITE #0` (`y`) is subgraph 1; the file has 1 subgraphs "
            "[unknown-reference]\n");
  model.begin_graph("inner");
  const ReadNet net = read_valid(model);
  EXPECT_EQ(net.net->graphs.size(), 2U);
  EXPECT_EQ(net.integer("decomposition_subgraph_index"), 1);
  EXPECT_EQ(std::get<std::string>(net.node().attributes.at("name")), "odml.rms_norm");
  EXPECT_EQ(std::get<double>(net.node().attributes.at("composite.epsilon")), 0.5);
}

TEST(ReadTflite, UnpacksSmallTypes) {
  struct Case {
    FileType type;
    std::vector<double> values;
    std::vector<std::uint8_t> packed;
  };
  const Case cases[] = {
      {FileType::I4, {-8, 7, -1}, {0x78, 0x0f}},
      {FileType::U4, {15, 1, 8}, {0x1f, 0x08}},
      {FileType::I2, {-2, 1, -1, 0, 1}, {0x36, 0x01}},
  };
  for (const Case& each : cases) {
    TfliteModel model;
    const TestTensor tensor{.name = "w", .type = each.type, .shape = {static_cast<std::int32_t>(each.values.size())}};
    model.output(model.constant(tensor, each.values));
    EXPECT_EQ(model.tables.buffers[1]->data, each.packed);
    const ReadNet net = read_valid(model);
    EXPECT_EQ(net.main().values[0].constant->reals(), each.values);
    EXPECT_EQ(net.main().values[0].constant->type, each.type);
  }
}

TEST(ReadTflite, TensorsMayShareABuffer) {
  TfliteModel model;
  const int a = model.constant({.name = "a", .type = FileType::I4, .shape = {2, 2}}, {1, 2, 3, 4});
  const int b = model.tensor({.name = "b", .type = FileType::I4, .shape = {4}}, model.tensor_at(a).buffer);
  model.output(a);
  model.output(b);
  const ReadNet net = read_valid(model);
  EXPECT_EQ(net.main().values[0].constant->data.data(), net.main().values[1].constant->data.data());
  EXPECT_EQ(net.main().values[0].constant->shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(net.main().values[1].constant->shape, (tensor::Shape{4}));
}

TEST(ReadTflite, ListsWithoutElementsAreConstants) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {1}});
  const int shape = model.tensor({.name = "shape", .type = FileType::I32, .shape = {0}});
  const int y = model.result({.name = "y"});
  model.add("RESHAPE", {x, shape}, {y});
  model.output(y);
  const ReadNet net = read_valid(model);
  ASSERT_TRUE(net.main().values[1].constant);
  EXPECT_EQ(net.main().values[1].constant->count(), 0U);
}

TEST(ReadTflite, VariablesAndResultsAreNotConstants) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {2}});
  const int state = model.constant({.name = "state", .shape = {2}}, {1, 2});
  const int y = model.constant({.name = "y", .shape = {2}}, {3, 4});
  model.tensor_at(state).is_variable = true;
  model.add("ADD", {x, state}, {y});
  model.output(y);
  const ReadNet net = read_valid(model);
  EXPECT_TRUE(net.main().values[1].is_variable);
  EXPECT_FALSE(net.main().values[1].constant);
  EXPECT_FALSE(net.main().values[2].constant);
}

TEST(ReadTflite, OpenDimensionsKeepTheUsualExtent) {
  TfliteModel model = relu();
  model.tensor_at(0).shape = {1, 8};
  model.tensor_at(0).shape_signature = {-1, 8};
  const ReadNet net = read_valid(model);
  const std::vector<Dimension>& shape = *net.main().values[0].shape;
  EXPECT_EQ(shape[0].extent, -1);
  EXPECT_EQ(shape[0].usual, 1);
  EXPECT_EQ(shape[1].extent, 8);
  EXPECT_EQ(shape[1].usual, -1);
}

TEST(ReadTflite, ResultsWithoutDimensionsAreNotDeclared) {
  TfliteModel model = relu({.name = "x"});
  model.tensor_at(0).has_rank = false;
  model.tensor_at(1).shape = {};
  EXPECT_TRUE(read_valid(model).main().values[0].shape);
  EXPECT_TRUE(read_valid(model).main().values[1].shape);
  model.tensor_at(1).has_rank = false;
  EXPECT_FALSE(read_valid(model).main().values[1].shape);
}

TEST(ReadTflite, WrongShapesAreRefused) {
  TfliteModel model = relu();
  model.tensor_at(0).shape = {1, -8};
  EXPECT_EQ(
      read(model).messages,
      "tensor `x` has the shape [1, -8]; open dimensions are negative in `shape_signature` only [out-of-range]\n");
  model.tensor_at(0).shape = {1, 8};
  model.tensor_at(0).shape_signature = {8};
  EXPECT_EQ(read(model).messages, "tensor `x` has 2 dimensions in `shape` and 1 in `shape_signature` [file-format]\n");
  model.tensor_at(0).shape_signature = {1, -2};
  EXPECT_EQ(read(model).messages,
            "dimension 1 of tensor `x` is 8 in `shape` and -2 in `shape_signature`; they have to be equal, or -1 in "
            "`shape_signature` [out-of-range]\n");
  model.tensor_at(0).shape_signature = {};
  model.tensor_at(0).shape.assign(65, 1);
  EXPECT_EQ(read(model).messages, "tensor `x` has 65 dimensions; the limit is 64 [out-of-range]\n");
  model.tensor_at(0).type = 23;
  EXPECT_EQ(read(model).messages, "tensor `x` has the unknown type 23 [unsupported]\n");
}

TEST(ReadTflite, QuantisationIsKept) {
  TfliteModel model =
      relu({.name = "x", .type = FileType::I8, .shape = {2, 3}, .scales = {0.5F}, .zero_points = {-128}, .axis = 7});
  model.tensor_at(1) = fb::TensorT();
  model.graph().tensors[1]->type = 2;
  model.graph().tensors[1]->shape = {2, 3};
  model.graph().tensors[1]->quantization = std::make_unique<fb::QuantizationParametersT>();
  model.graph().tensors[1]->quantization->scale = {1, 2, 3};
  model.graph().tensors[1]->quantization->zero_point = {0, 0, 0};
  model.graph().tensors[1]->quantization->quantized_dimension = 1;
  const ReadNet net = read_valid(model);
  const Quantization& x = *net.main().values[0].quantization;
  EXPECT_EQ(x.scale(), 0.5F);
  EXPECT_EQ(x.zero_point(), -128);
  EXPECT_EQ(x.axis, 0);
  const Quantization& y = *net.main().values[1].quantization;
  EXPECT_EQ(y.scales, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(y.axis, 1);
}

TEST(ReadTflite, QuantisationOfFloatsAndRangesAloneAreIgnored) {
  TfliteModel model = relu({.name = "x", .shape = {4}, .scales = {0}, .zero_points = {0}});
  model.tensor_at(1).type = 9;
  model.tensor_at(1).quantization = std::make_unique<fb::QuantizationParametersT>();
  model.tensor_at(1).quantization->min = {-1};
  model.tensor_at(1).quantization->max = {1};
  const ReadNet net = read_valid(model);
  EXPECT_EQ(net.main().values[0].quantization, nullptr);
  EXPECT_EQ(net.main().values[1].quantization, nullptr);
}

TEST(ReadTflite, WrongQuantisationIsRefused) {
  struct Case {
    FileType type;
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;
    std::int32_t axis;
    std::string message;
  };
  const float inf = std::numeric_limits<float>::infinity();
  const Case cases[] = {
      {FileType::I8, {0}, {0}, 0, "the scale 0; it has to be finite and above 0 [out-of-range]"},
      {FileType::I8, {-1}, {0}, 0, "the scale -1; it has to be finite and above 0 [out-of-range]"},
      {FileType::I8, {inf}, {0}, 0, "the scale inf; it has to be finite and above 0 [out-of-range]"},
      {FileType::I8, {1}, {128}, 0, "the zero point 128; int8 holds -128 to 127 [out-of-range]"},
      {FileType::U8, {1}, {-1}, 0, "the zero point -1; uint8 holds 0 to 255 [out-of-range]"},
      {FileType::I16, {1}, {40000}, 0, "the zero point 40000; int16 holds -32768 to 32767 [out-of-range]"},
      {FileType::I4, {1}, {8}, 0, "the zero point 8; int4 holds -8 to 7 [out-of-range]"},
      {FileType::I8, {1, 1}, {0}, 0, "2 scales and 1 zero point; they have to be as many [file-format]"},
      {FileType::I8, {1}, {}, 0, "1 scale and 0 zero points; they have to be as many [file-format]"},
      {FileType::I8, {1, 1}, {0, 0}, 1, "2 scales for dimension 1, whose extent is 3 [file-format]"},
      {FileType::I8, {1, 1}, {0, 0}, 2, "one scale for each index of dimension 2, and the shape [2, 3] [out-of-range]"},
      {FileType::I8,
       {1, 1},
       {0, 0},
       -1,
       "one scale for each index of dimension -1, and the shape [2, 3] [out-of-range]"},
      {FileType::I8,
       {1, 1},
       {0, 5},
       0,
       "the zero point 5; it has to be 0 where int8 has several scales [out-of-range]"},
  };
  for (const Case& each : cases) {
    const TfliteModel model = relu({.name = "x",
                                    .type = each.type,
                                    .shape = {2, 3},
                                    .scales = each.scales,
                                    .zero_points = each.zero_points,
                                    .axis = each.axis});
    EXPECT_EQ(read(model).messages, "tensor `x` has " + each.message + "\n");
  }
  TfliteModel blocks = relu({.name = "x", .type = FileType::I8, .shape = {2, 3}, .scales = {1}, .zero_points = {0}});
  blocks.tensor_at(0).quantization->details.Set(fb::BlockwiseQuantizationT());
  EXPECT_EQ(read(blocks).messages,
            "tensor `x` has quantisation of the form 2, which is not supported; supported are one scale, and one for "
            "each index of a dimension [unsupported]\n");
}

TEST(ReadTflite, WrongDataAreRefused) {
  EXPECT_EQ(read(constant_model({.name = "w", .shape = {2, 2}}, std::vector<std::uint8_t>(12))).messages,
            "tensor `w` has 12 bytes of data; float32 [2, 2] needs 16 [file-format]\n");
  EXPECT_EQ(read(constant_model({.name = "w", .type = FileType::I4, .shape = {3}}, {1})).messages,
            "tensor `w` has 1 byte of data; int4 [3] needs 2 [file-format]\n");
  const std::int32_t large = 0x7fffffff;
  EXPECT_EQ(read(constant_model({.name = "w", .shape = {large, large, large}}, {1})).messages,
            "tensor `w` has 1 byte of data; float32 [2147483647, 2147483647, 2147483647] needs more than memory holds "
            "[file-format]\n");
  TfliteModel missing = constant_model({.name = "w", .shape = {1}}, {0, 0, 0, 0});
  missing.tensor_at(0).buffer = 7;
  EXPECT_EQ(read(missing).messages, "tensor `w` has buffer 7; the file has 2 buffers [unknown-reference]\n");
}

TEST(ReadTflite, DataMayBeInAnotherFile) {
  const testing::ScratchDirectory scratch;
  const std::vector<float> weights = {1, 2, 3, 4};
  ASSERT_TRUE(write_file(scratch / "w.bin", std::as_bytes(std::span(weights))));
  TfliteModel model = constant_model({.name = "w", .shape = {2}}, {});
  model.tensor_at(0).external_buffer = 7;
  EXPECT_EQ(read(model).messages, "tensor `w` has the external buffer 7, which the file lacks [unknown-reference]\n");
  model.tables.external_buffers.push_back(std::make_unique<fb::ExternalBufferT>());
  fb::ExternalBufferT& buffer = *model.tables.external_buffers.back();
  buffer.id = 7;
  buffer.offset = 8;
  buffer.length = 8;
  EXPECT_EQ(read(model).messages,
            "the data of tensor `w` are in file 0; the model names 0 files [unknown-reference]\n");
  model.tables.external_buffer_groups.push_back(std::make_unique<fb::ExternalBufferGroupT>());
  model.tables.external_buffer_groups.back()->name = "w.bin";
  const ReadNet net = read_bytes(model.bytes(), {.directory = scratch.path()});
  EXPECT_EQ(net.messages, "");
  EXPECT_EQ(net.main().values.at(0).constant->reals(), (std::vector<double>{3, 4}));
  buffer.length = 12;
  EXPECT_EQ(read_bytes(model.bytes(), {.directory = scratch.path()}).messages,
            "tensor `w` has 12 bytes from 8 of `w.bin`, which has 16 bytes [file-truncated]\n");
  model.tables.external_buffer_groups.back()->name = "../w.bin";
  EXPECT_EQ(read_bytes(model.bytes(), {.directory = scratch.path()}).messages,
            "tensor `w` is in `../w.bin`, which is outside the directory of the model [path-outside]\n");
  buffer.packing = "zip";
  EXPECT_EQ(read(model).messages, "the data of tensor `w` are packed as `zip` [unsupported]\n");
}

TEST(ReadTflite, DataMayFollowTheTables) {
  TfliteModel model = constant_model({.name = "w", .shape = {2}}, {});
  model.tables.buffers[1]->offset = 2;  // the size of the file does not depend on it
  model.tables.buffers[1]->size = 8;
  const std::size_t at = model.bytes().size();
  model.tables.buffers[1]->offset = at;
  std::vector<std::byte> bytes = model.bytes();
  ASSERT_EQ(bytes.size(), at);
  const float values[] = {1.5F, -2};
  const Bytes data = std::as_bytes(std::span(values));
  bytes.insert(bytes.end(), data.begin(), data.end());
  const ReadNet net = read_bytes(bytes);
  ASSERT_EQ(net.messages, "");
  EXPECT_EQ(net.main().values[0].constant->reals(), (std::vector<double>{1.5, -2}));

  bytes.resize(bytes.size() - 4);
  EXPECT_EQ(read_bytes(bytes).messages,
            formatted("the data of tensor `w` are at {:#x}, 8 bytes, and the file has {} bytes [file-truncated]\n", at,
                      at + 4));
  model.tables.buffers[1]->data = {1};
  EXPECT_EQ(read(model).messages, "the data of tensor `w` are both inside and after the tables [file-format]\n");
}

TEST(ReadTflite, LargeOptionsMayFollowTheTables) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {4}});
  const int y = model.result({.name = "y", .shape = {4}});
  fb::OperatorT& node = model.add_custom("Other", {x}, {y});
  model.output(y);
  node.large_custom_options_offset = 2;
  node.large_custom_options_size = 3;
  const std::size_t at = model.bytes().size();
  node.large_custom_options_offset = at;
  std::vector<std::byte> bytes = model.bytes();
  for (const int value : {7, 8, 9}) bytes.push_back(static_cast<std::byte>(value));
  const ReadNet net = read_bytes(bytes);
  ASSERT_EQ(net.messages, "");
  EXPECT_EQ(std::get<Array>(net.node().attributes.at("custom_options")).integers(), (Integers{7, 8, 9}));
  EXPECT_EQ(read(model).messages,
            formatted("the options of `custom.Other #0` (`y`) are at {:#x}, 3 bytes, and the file has {} bytes "
                      "[file-truncated]\n",
                      at, at));
}

TEST(ReadTflite, WrongReferencesAreRefused) {
  TfliteModel model = relu();
  model.graph().operators[0]->inputs = {5, -1, -2};
  EXPECT_EQ(read(model).messages,
            "operand 0 of `RELU #0` (`y`) is tensor 5; the subgraph has 2 tensors [unknown-reference]\n"
            "operand 2 of `RELU #0` (`y`) is tensor -2; the subgraph has 2 tensors [unknown-reference]\n");
  model = relu();
  model.graph().outputs = {2};
  EXPECT_EQ(read(model).messages,
            "an output of subgraph 0 is tensor 2; the subgraph has 2 tensors [unknown-reference]\n");
  model = relu();
  model.graph().operators[0]->opcode_index = 3;
  EXPECT_EQ(read(model).messages,
            "operator 0 of subgraph 0 has the operator code 3; the file has 1 [unknown-reference]\n");
  model = relu();
  model.tables.operator_codes[0]->builtin_code = 250;
  EXPECT_EQ(read(model).messages,
            "operator 0 of subgraph 0 is the builtin operator 250, which is unknown [unsupported]\n");
  model = relu();
  model.graph().operators[0]->intermediates = {1, 9};
  EXPECT_EQ(read(model).messages,
            "an intermediate of `RELU #0` (`y`) is tensor 9; the subgraph has 2 tensors [unknown-reference]\n");
}

TEST(ReadTflite, OperandsAreComputedBefore) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {4}});
  const int y = model.result({.name = "y", .shape = {4}});
  const int z = model.result({.name = "z", .shape = {4}});
  const int nothing = model.tensor({.name = "nothing", .shape = {4}});
  model.add("ADD", {x, y}, {z});
  model.add("ADD", {x, nothing}, {y});
  model.output(z);
  EXPECT_EQ(
      read(model).messages,
      "operand 1 of `ADD #0` (`z`) is tensor `y`, which a later operator computes [unknown-reference]\n"
      "operand 1 of `ADD #1` (`y`) is tensor `nothing`, which is not an input, a constant, a variable or a result "
      "[unknown-reference]\n");
  model.graph().operators.clear();
  model.add("ADD", {x, x}, {y});
  EXPECT_EQ(read(model).messages,
            "an output of subgraph 0 is tensor `z`, which is not an input, a constant, a variable or a result "
            "[unknown-reference]\n");
  model.add("ADD", {x, x}, {y});
  model.add("ADD", {x, x}, {x});
  model.graph().outputs = {y};
  EXPECT_EQ(read(model).messages,
            "tensor `y` is a result of `ADD #1` (`y`), and a result of another operator too [file-format]\n"
            "tensor `x` is a result of `ADD #2` (`x`), and an input of the graph too [file-format]\n");
}

// One mistake is one message.
TEST(ReadTflite, ConsequencesAreNotReported) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {4}});
  const int w = model.constant_of_bytes({.name = "w", .shape = {4}}, {1, 2});
  const int y = model.result({.name = "y", .shape = {4}});
  const int z = model.result({.name = "z", .shape = {4}});
  model.add_custom("", {x}, {y});
  model.add("ADD", {y, w}, {z});
  model.output(z);
  EXPECT_EQ(read(model).messages,
            "operator 0 of subgraph 0 is a custom operator without a name [unsupported]\n"
            "tensor `w` has 2 bytes of data; float32 [4] needs 16 [file-format]\n");
}

TEST(ReadTflite, InputsAndOutputsMayRepeat) {
  TfliteModel model;
  const int x = model.input({.name = "x", .shape = {1}});
  const int w = model.constant({.name = "w", .shape = {1}}, {3});
  model.graph().inputs.push_back(x);
  model.graph().outputs = {x, w, x};
  const ReadNet net = read_valid(model);
  EXPECT_EQ(net.main().inputs, (std::vector<NetValueId>{0, 0}));
  EXPECT_EQ(net.main().outputs, (std::vector<NetValueId>{0, 1, 0}));
}

TEST(ReadTflite, SignaturesNameTheEndsInTheOrderOfTheGraph) {
  TfliteModel model = convolution();
  model.graph().inputs = {0, 1};
  model.graph().outputs = {2, 0};
  auto signature = std::make_unique<fb::SignatureDefT>();
  signature->signature_key = "serving_default";
  const auto map = [](const char* name, std::uint32_t tensor) {
    auto made = std::make_unique<fb::TensorMapT>();
    made->name = name;
    made->tensor_index = tensor;
    return made;
  };
  signature->inputs.push_back(map("weights", 1));
  signature->inputs.push_back(map("image", 0));
  signature->outputs.push_back(map("scores", 2));
  signature->outputs.push_back(map("more", 2));
  model.tables.signature_defs.push_back(std::move(signature));
  const ReadNet net = read_valid(model);
  ASSERT_EQ(net.net->signatures.size(), 1U);
  using Names = std::vector<std::pair<std::string, NetValueId>>;
  EXPECT_EQ(net.net->signatures[0].key, "serving_default");
  EXPECT_EQ(net.net->signatures[0].inputs, (Names{{"image", 0}, {"weights", 1}}));
  EXPECT_EQ(net.net->signatures[0].outputs, (Names{{"scores", 2}, {"x", 0}, {"more", 2}}));

  model.tables.signature_defs[0]->outputs[1]->tensor_index = 1;
  EXPECT_EQ(read(model).messages,
            "output `more` of signature `serving_default` is tensor 1, which is not an output of subgraph 0 "
            "[unknown-reference]\n");
  model.tables.signature_defs[0]->subgraph_index = 4;
  EXPECT_EQ(read(model).messages,
            "signature `serving_default` is of subgraph 4; the file has 1 subgraphs [unknown-reference]\n");
}

TEST(ReadTflite, ModelMetadataAreTexts) {
  flatbuffers::FlatBufferBuilder builder;
  fb::metadata::ModelMetadataT about;
  about.name = "finder";
  about.author = "a person";
  about.subgraph_metadata.push_back(std::make_unique<fb::metadata::SubGraphMetadataT>());
  auto image = std::make_unique<fb::metadata::TensorMetadataT>();
  image->name = "image";
  image->description = "a photograph";
  image->process_units.push_back(std::make_unique<fb::metadata::ProcessUnitT>());
  fb::metadata::NormalizationOptionsT normal;
  normal.mean = {127.5F};
  normal.std = {128};
  image->process_units.back()->options.Set(normal);
  about.subgraph_metadata.back()->input_tensor_metadata.push_back(std::move(image));
  builder.Finish(fb::metadata::ModelMetadata::Pack(builder, &about), "M001");
  const std::span bytes = std::as_bytes(builder.GetBufferSpan());
  EXPECT_EQ(model_metadata(bytes),
            (MetadataTexts{
                {"name", "finder"}, {"author", "a person"}, {"input 0", "image: a photograph; mean 127.5, std 128"}}));
  EXPECT_FALSE(model_metadata(bytes.first(bytes.size() / 2)));
  EXPECT_FALSE(model_metadata({}));
}

TEST(ReadTflite, MetadataAreRead) {
  TfliteModel model = relu();
  const auto add = [&](const char* name, std::vector<std::uint8_t> data) {
    auto made = std::make_unique<fb::MetadataT>();
    made->name = name;
    made->buffer = model.buffer(std::move(data));
    model.tables.metadata.push_back(std::move(made));
  };
  add("min_runtime_version", {'1', '.', '5', 0, 0, 0, 0});
  add("binary", {1, 0, 2, 0});
  const ReadNet net = read_valid(model);
  using Texts = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(net.net->metadata, (Texts{{"min_runtime_version", "1.5"}, {"binary", "4 bytes"}}));
  model.tables.metadata[1]->buffer = 9;
  EXPECT_EQ(read(model).messages, "metadata `binary` has buffer 9; the file has 3 buffers [unknown-reference]\n");
}

TEST(ReadTflite, SubgraphsOfControlFlowAreChecked) {
  TfliteModel model = relu();
  model.tables.operator_codes[0]->builtin_code = 118;
  fb::IfOptionsT options;
  options.then_subgraph_index = 1;
  options.else_subgraph_index = -1;
  model.graph().operators[0]->builtin_options.Set(options);
  model.begin_graph("then");
  EXPECT_EQ(read(model).messages,
            "`else_subgraph_index` of `IF #0` (`y`) is subgraph -1; the file has 2 subgraphs [unknown-reference]\n");
}

TEST(ReadTflite, OtherFilesAreRefused) {
  EXPECT_FALSE(is_tflite(bytes_of("short")));
  EXPECT_TRUE(is_tflite(relu().bytes()));
  std::vector<std::byte> bytes = relu().bytes();
  bytes[7] = std::byte{'2'};
  EXPECT_EQ(
      read_bytes(bytes).messages,
      "the TensorFlow Lite file has no identifier `TFL3`; it was written before schema version 3 [file-format]\n");
  bytes = relu().bytes();
  bytes.resize(bytes.size() / 2);
  EXPECT_EQ(read_bytes(bytes).messages, "the tables of the file are invalid or truncated [file-format]\n");
  TfliteModel model = relu();
  model.tables.version = 4;
  EXPECT_EQ(read(model).messages, "the file has version 4 of TensorFlow Lite's format; supported is 3 [unsupported]\n");
  model.tables.version = 3;
  model.tables.subgraphs.clear();
  EXPECT_EQ(read(model).messages, "the file has no subgraphs [file-format]\n");
}

TEST(ReadTflite, ErrorsAreLimited) {
  TfliteModel model = relu();
  for (int i = 0; i < 5000; ++i) model.add("RELU", {-5}, {-5});
  const ReadNet net = read(model);
  EXPECT_GE(net.diagnostics.size(), 1000U);
  EXPECT_LE(net.diagnostics.size(), 1002U);
}

// A hundred thousand operators that share a list of a hundred thousand operands would be 40 GB.
TEST(ReadTflite, SharedListsAreLimited) {
  constexpr std::size_t kMany = 100'000;
  flatbuffers::FlatBufferBuilder builder;
  const auto shape = builder.CreateVector(std::vector<std::int32_t>{1});
  const auto list = builder.CreateVector(std::vector<std::int32_t>(kMany, 0));
  const std::vector tensors = {fb::CreateTensor(builder, shape)};
  const std::vector codes = {fb::CreateOperatorCode(builder, 106)};
  std::vector<flatbuffers::Offset<fb::Operator>> operators(kMany, fb::CreateOperator(builder, 0, list));
  const auto ends = builder.CreateVector(std::vector<std::int32_t>{0});
  const std::vector graphs = {
      fb::CreateSubGraph(builder, builder.CreateVector(tensors), ends, ends, builder.CreateVector(operators))};
  builder.Finish(fb::CreateModel(builder, 3, builder.CreateVector(codes), builder.CreateVector(graphs)), "TFL3");
  const auto* begin = reinterpret_cast<const std::byte*>(builder.GetBufferPointer());
  const ReadNet net = read_bytes({begin, begin + builder.GetSize()});
  EXPECT_EQ(net.messages, formatted("the file of {} bytes becomes more than {} bytes, the limit for its size, because "
                                    "its tables are used many times [out-of-range]\n",
                                    builder.GetSize(), builder.GetSize() * 16 + (64 << 20)));
}

TEST(ReadTflite, DamagedFilesDoNotHarm) {
  TfliteModel model = convolution();
  model.tensor_at(1).quantization = std::make_unique<fb::QuantizationParametersT>();
  const std::vector<std::byte> bytes = model.bytes();
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> damaged = bytes;
    for (int changes = 0; changes < 1 + i % 4; ++changes)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (i % 5 == 0) damaged.resize(random() % damaged.size());
    refused += read_bytes(damaged).net ? 0 : 1;
  }
  EXPECT_GT(refused, 4000U);
  EXPECT_LT(refused, 20000U);
}

}  // namespace
}  // namespace slipway::importer
