// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

template <class Options>
Options window_options(bool same, int stride, int dilation, int activation) {
  Options options;
  options.padding = same ? fb::Padding::SAME : fb::Padding::VALID;
  options.stride_w = stride;
  options.stride_h = stride;
  options.fused_activation_function = static_cast<fb::ActivationFunctionType>(activation);
  if constexpr (requires { options.dilation_w_factor; }) {
    options.dilation_w_factor = dilation;
    options.dilation_h_factor = dilation;
  }
  return options;
}

struct WindowForm {
  bool same;
  int stride, dilation, activation;
};
constexpr WindowForm kForms[] = {{true, 1, 1, 0}, {true, 2, 1, 3}, {false, 1, 2, 0}, {false, 2, 1, 1}, {true, 1, 2, 2}};

std::string text(const WindowForm& form) {
  return formatted("{} stride {} dilation {} act {}", form.same ? "same" : "valid", form.stride, form.dilation,
                   form.activation);
}

void add_float_convolutions(OperatorCases& cases) {
  for (const WindowForm& form : kForms) {
    cases.add("CONV_2D float32 " + text(form), [&](CaseBuilder& c) {
      c.op_with("CONV_2D",
                {c.real({2, 8, 7, 3}), c.random_constant(FileType::F32, {4, 3, 2, 3}, -1, 1),
                 c.random_constant(FileType::F32, {4}, -1, 1)},
                {{}}, window_options<fb::Conv2DOptionsT>(form.same, form.stride, form.dilation, form.activation));
    });
    cases.add("DEPTHWISE_CONV_2D float32 " + text(form), [&](CaseBuilder& c) {
      auto options =
          window_options<fb::DepthwiseConv2DOptionsT>(form.same, form.stride, form.dilation, form.activation);
      options.depth_multiplier = 2;
      c.op_with("DEPTHWISE_CONV_2D",
                {c.real({2, 8, 7, 3}), c.random_constant(FileType::F32, {1, 3, 2, 6}, -1, 1),
                 c.random_constant(FileType::F32, {6}, -1, 1)},
                {{}}, options);
    });
  }
  cases.add("CONV_2D float32 groups", [](CaseBuilder& c) {
    c.op_with("CONV_2D",
              {c.real({1, 5, 5, 4}), c.random_constant(FileType::F32, {6, 2, 2, 2}, -1, 1),
               c.random_constant(FileType::F32, {6}, -1, 1)},
              {{}}, window_options<fb::Conv2DOptionsT>(true, 1, 1, 0));
  });
  for (const bool same : {true, false}) {
    for (const int stride : {1, 2, 3}) {
      cases.add(formatted("TRANSPOSE_CONV float32 {} stride {}", same ? "same" : "valid", stride), [&](CaseBuilder& c) {
        const int extent = same ? 4 * stride : 3 * stride + 3;
        c.op_with("TRANSPOSE_CONV",
                  {c.list({1.0, static_cast<double>(extent), static_cast<double>(extent), 3}),
                   c.random_constant(FileType::F32, {3, 3, 3, 2}, -1, 1), c.real({1, 4, 4, 2}),
                   c.random_constant(FileType::F32, {3}, -1, 1)},
                  {{}}, window_options<fb::TransposeConvOptionsT>(same, stride, 1, 0));
      });
    }
  }
  cases.add("CONV_3D float32", [](CaseBuilder& c) {
    auto options = window_options<fb::Conv3DOptionsT>(true, 2, 1, 1);
    options.stride_d = 1;
    c.op_with("CONV_3D",
              {c.real({1, 4, 5, 6, 2}), c.random_constant(FileType::F32, {2, 3, 2, 2, 3}, -1, 1),
               c.random_constant(FileType::F32, {3}, -1, 1)},
              {{}}, options);
  });
  cases.add("CONV_3D_TRANSPOSE float32", [](CaseBuilder& c) {
    auto options = window_options<fb::Conv3DOptionsT>(true, 2, 1, 0);
    options.stride_d = 1;
    c.op_with(
        "CONV_3D_TRANSPOSE",
        {c.list({1, 3, 6, 8, 2}), c.random_constant(FileType::F32, {2, 3, 2, 2, 3}, -1, 1), c.real({1, 3, 3, 4, 3})},
        {{}}, options);
  });
  for (const bool keep : {false, true}) {
    cases.add(formatted("FULLY_CONNECTED float32 keep {}", keep), [&](CaseBuilder& c) {
      fb::FullyConnectedOptionsT options;
      options.keep_num_dims = keep;
      options.fused_activation_function = fb::ActivationFunctionType::RELU;
      c.op_with("FULLY_CONNECTED",
                {c.real({2, 3, 8}), c.random_constant(FileType::F32, {5, 8}, -1, 1),
                 c.random_constant(FileType::F32, {5}, -1, 1)},
                {{}}, options);
    });
  }
  for (const bool x : {false, true}) {
    for (const bool y : {false, true}) {
      cases.add(formatted("BATCH_MATMUL float32 {} {}", x, y), [&](CaseBuilder& c) {
        fb::BatchMatMulOptionsT options;
        options.adj_x = x;
        options.adj_y = y;
        using Shape = std::vector<std::int32_t>;
        c.op_with("BATCH_MATMUL",
                  {c.real(x ? Shape{2, 3, 5, 4} : Shape{2, 3, 4, 5}), c.real(y ? Shape{3, 6, 5} : Shape{3, 5, 6})},
                  {{}}, options);
      });
    }
  }
}

void add_pools(OperatorCases& cases) {
  for (const std::string_view kind : {"AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"}) {
    for (const FileType type : {FileType::F32, FileType::I8, FileType::U8, FileType::I16}) {
      if (kind == "L2_POOL_2D" && type != FileType::F32) continue;
      for (const bool same : {true, false}) {
        for (const int activation : {0, 1, 3}) {
          cases.add(formatted("{} {} {} act {}", kind, name_of(type), same, activation), [&](CaseBuilder& c) {
            auto options = window_options<fb::Pool2DOptionsT>(same, 2, 1, activation);
            options.filter_height = 3;
            options.filter_width = 2;
            const bool is_real_type = type == FileType::F32;
            const Scale scale = is_real_type            ? Scale{}
                                : type == FileType::I16 ? Scale{0.0004F, 0}
                                                        : Scale{0.05F, type == FileType::U8 ? 100 : -40};
            const int x = is_real_type ? c.real({2, 7, 8, 3}) : c.quantised(type, {2, 7, 8, 3}, scale);
            c.op_with(kind, {x}, {{type, scale}}, options);
          });
        }
      }
    }
  }
}

void add_quantised_convolutions(OperatorCases& cases) {
  const std::vector<float> scales{0.011F, 0.0023F, 0.031F, 0.0071F},
      six{0.011F, 0.0023F, 0.031F, 0.0071F, 0.0007F, 0.02F};
  for (const Scale x : {Scale{0.05F, -128}, Scale{0.031F, 127}, Scale{0.02F, 9}}) {
    for (const WindowForm& form : kForms) {
      cases.add(formatted("CONV_2D int8 zero {} {}", x.zero, text(form)), [&](CaseBuilder& c) {
        c.op_with("CONV_2D",
                  {c.quantised(FileType::I8, {1, 7, 6, 3}, x), c.channel_weights({4, 3, 2, 3}, scales, 0),
                   c.channel_bias(FileType::I32, x.scale, scales)},
                  {{FileType::I8, {0.09F, -x.zero / 2}}},
                  window_options<fb::Conv2DOptionsT>(form.same, form.stride, form.dilation, form.activation));
      });
      cases.add(formatted("DEPTHWISE_CONV_2D int8 zero {} {}", x.zero, text(form)), [&](CaseBuilder& c) {
        auto options =
            window_options<fb::DepthwiseConv2DOptionsT>(form.same, form.stride, form.dilation, form.activation);
        options.depth_multiplier = 2;
        c.op_with("DEPTHWISE_CONV_2D",
                  {c.quantised(FileType::I8, {1, 7, 6, 3}, x), c.channel_weights({1, 3, 2, 6}, six, 3),
                   c.channel_bias(FileType::I32, x.scale, six)},
                  {{FileType::I8, {0.04F, -x.zero / 2}}}, options);
      });
    }
    cases.add(formatted("CONV_2D int8 per tensor zero {}", x.zero), [&](CaseBuilder& c) {
      c.op_with("CONV_2D",
                {c.quantised(FileType::I8, {1, 7, 6, 3}, x), c.channel_weights({4, 3, 2, 3}, {0.013F}, 0),
                 c.random_constant(FileType::I32, {4}, -900, 900, {x.scale * 0.013F, 0})},
                {{FileType::I8, {0.09F, 5}}}, window_options<fb::Conv2DOptionsT>(true, 1, 1, 0));
    });
    const Scale u{x.scale, x.zero + 128};
    for (const std::int64_t zero : {0, 120, 255}) {
      const Scale w{0.013F, zero};
      cases.add(formatted("CONV_2D uint8 zeros {} {}", u.zero, zero), [&](CaseBuilder& c) {
        c.op_with("CONV_2D",
                  {c.quantised(FileType::U8, {1, 7, 6, 3}, u), c.random_constant(FileType::U8, {4, 3, 2, 3}, 0, 255, w),
                   c.random_constant(FileType::I32, {4}, -900, 900, {u.scale * w.scale, 0})},
                  {{FileType::U8, {0.21F, 100}}}, window_options<fb::Conv2DOptionsT>(true, 2, 1, 1));
      });
      cases.add(formatted("DEPTHWISE_CONV_2D uint8 zeros {} {}", u.zero, zero), [&](CaseBuilder& c) {
        auto options = window_options<fb::DepthwiseConv2DOptionsT>(true, 1, 1, 0);
        options.depth_multiplier = 2;
        c.op_with("DEPTHWISE_CONV_2D",
                  {c.quantised(FileType::U8, {1, 7, 6, 3}, u), c.random_constant(FileType::U8, {1, 3, 2, 6}, 0, 255, w),
                   c.random_constant(FileType::I32, {6}, -900, 900, {u.scale * w.scale, 0})},
                  {{FileType::U8, {0.11F, 100}}}, options);
      });
      cases.add(formatted("FULLY_CONNECTED uint8 zeros {} {}", u.zero, zero), [&](CaseBuilder& c) {
        c.op_with("FULLY_CONNECTED",
                  {c.quantised(FileType::U8, {6, 16}, u), c.random_constant(FileType::U8, {5, 16}, 0, 255, w),
                   c.random_constant(FileType::I32, {5}, -900, 900, {u.scale * w.scale, 0})},
                  {{FileType::U8, {0.13F, 100}}}, fb::FullyConnectedOptionsT());
      });
      cases.add(formatted("TRANSPOSE_CONV uint8 zeros {} {}", u.zero, zero), [&](CaseBuilder& c) {
        c.op_with("TRANSPOSE_CONV",
                  {c.list({1, 8, 8, 3}), c.random_constant(FileType::U8, {3, 3, 3, 2}, 0, 255, w),
                   c.quantised(FileType::U8, {1, 4, 4, 2}, u)},
                  {{FileType::U8, {0.13F, 100}}}, window_options<fb::TransposeConvOptionsT>(true, 2, 1, 0));
      });
    }
    cases.add(formatted("FULLY_CONNECTED int8 zero {}", x.zero), [&](CaseBuilder& c) {
      fb::FullyConnectedOptionsT options;
      options.fused_activation_function = fb::ActivationFunctionType::RELU;
      c.op_with("FULLY_CONNECTED",
                {c.quantised(FileType::I8, {6, 16}, x), c.channel_weights({5, 16}, {0.013F}, 0),
                 c.random_constant(FileType::I32, {5}, -900, 900, {x.scale * 0.013F, 0})},
                {{FileType::I8, {0.07F, -30}}}, options);
    });
    cases.add(formatted("TRANSPOSE_CONV int8 zero {}", x.zero), [&](CaseBuilder& c) {
      const std::vector<float> three{0.011F, 0.0023F, 0.031F};
      c.op_with("TRANSPOSE_CONV",
                {c.list({1, 8, 8, 3}), c.channel_weights({3, 3, 3, 2}, three, 0),
                 c.quantised(FileType::I8, {1, 4, 4, 2}, x), c.channel_bias(FileType::I32, x.scale, three)},
                {{FileType::I8, {0.07F, -30}}}, window_options<fb::TransposeConvOptionsT>(true, 2, 1, 0));
    });
    for (const bool y : {false, true}) {
      cases.add(formatted("BATCH_MATMUL int8 zero {} {}", x.zero, y), [&](CaseBuilder& c) {
        fb::BatchMatMulOptionsT options;
        options.adj_y = y;
        using Shape = std::vector<std::int32_t>;
        c.op_with("BATCH_MATMUL",
                  {c.quantised(FileType::I8, {2, 4, 5}, x),
                   c.quantised(FileType::I8, y ? Shape{2, 6, 5} : Shape{2, 5, 6}, {0.03F, 17})},
                  {{FileType::I8, {0.09F, 3}}}, options);
      });
    }
  }
}

void add_wide_convolutions(OperatorCases& cases) {
  const std::vector<float> scales{0.011F, 0.0023F, 0.031F, 0.0071F},
      six{0.011F, 0.0023F, 0.031F, 0.0071F, 0.0007F, 0.02F};
  const Scale x{0.0003F, 0}, y{0.0011F, 0};
  for (const FileType bias : {FileType::I64, FileType::I32}) {
    const double range = bias == FileType::I64 ? 500000 : 90000;
    for (const WindowForm& form : kForms) {
      cases.add(formatted("CONV_2D int16 bias {} {}", name_of(bias), text(form)), [&](CaseBuilder& c) {
        c.op_with("CONV_2D",
                  {c.quantised(FileType::I16, {1, 7, 6, 3}, x), c.channel_weights({4, 3, 2, 3}, scales, 0),
                   c.channel_bias(bias, x.scale, scales, range)},
                  {{FileType::I16, y}},
                  window_options<fb::Conv2DOptionsT>(form.same, form.stride, form.dilation, form.activation));
      });
    }
    if (bias == FileType::I32) continue;
    cases.add(formatted("DEPTHWISE_CONV_2D int16 bias {}", name_of(bias)), [&](CaseBuilder& c) {
      auto options = window_options<fb::DepthwiseConv2DOptionsT>(true, 1, 1, 0);
      options.depth_multiplier = 2;
      c.op_with("DEPTHWISE_CONV_2D",
                {c.quantised(FileType::I16, {1, 7, 6, 3}, x), c.channel_weights({1, 3, 2, 6}, six, 3),
                 c.channel_bias(bias, x.scale, six, range)},
                {{FileType::I16, y}}, options);
    });
    cases.add(formatted("TRANSPOSE_CONV int16 bias {}", name_of(bias)), [&](CaseBuilder& c) {
      const std::vector<float> three{0.011F, 0.0023F, 0.031F};
      c.op_with("TRANSPOSE_CONV",
                {c.list({1, 8, 8, 3}), c.channel_weights({3, 3, 3, 2}, three, 0),
                 c.quantised(FileType::I16, {1, 4, 4, 2}, x), c.channel_bias(bias, x.scale, three, range)},
                {{FileType::I16, y}}, window_options<fb::TransposeConvOptionsT>(true, 2, 1, 0));
    });
  }
  for (const FileType bias : {FileType::I64, FileType::I32}) {
    cases.add(formatted("FULLY_CONNECTED int16 bias {}", name_of(bias)), [&](CaseBuilder& c) {
      c.op_with("FULLY_CONNECTED",
                {c.quantised(FileType::I16, {6, 16}, x), c.channel_weights({5, 16}, {0.013F}, 0),
                 c.random_constant(bias, {5}, -9000, 9000, {x.scale * 0.013F, 0})},
                {{FileType::I16, y}}, fb::FullyConnectedOptionsT());
    });
  }
  cases.add("BATCH_MATMUL int16", [&](CaseBuilder& c) {
    c.op_with("BATCH_MATMUL", {c.quantised(FileType::I16, {2, 4, 5}, x), c.quantised(FileType::I16, {2, 5, 6}, x)},
              {{FileType::I16, {0.0007F, 0}}}, fb::BatchMatMulOptionsT());
  });
  for (const bool asymmetric : {false, true}) {
    cases.add(formatted("FULLY_CONNECTED hybrid asymmetric {}", asymmetric), [&](CaseBuilder& c) {
      fb::FullyConnectedOptionsT options;
      options.asymmetric_quantize_inputs = asymmetric;
      c.op_with(
          "FULLY_CONNECTED",
          {c.real({6, 16}), c.channel_weights({5, 16}, {0.013F}, 0), c.random_constant(FileType::F32, {5}, -1, 1)},
          {{}}, options);
    });
  }
  cases.add("CONV_2D hybrid per tensor", [&](CaseBuilder& c) {
    c.op_with("CONV_2D",
              {c.real({2, 7, 6, 3}), c.channel_weights({4, 3, 2, 3}, {0.013F}, 0),
               c.random_constant(FileType::F32, {4}, -1, 1)},
              {{}}, window_options<fb::Conv2DOptionsT>(true, 1, 1, 0));
  });
  cases.add("CONV_2D hybrid", [&](CaseBuilder& c) {
    c.op_with("CONV_2D",
              {c.real({2, 7, 6, 3}), c.channel_weights({4, 3, 2, 3}, scales, 0),
               c.random_constant(FileType::F32, {4}, -1, 1)},
              {{}}, window_options<fb::Conv2DOptionsT>(true, 1, 1, 0));
  });
  cases.add("DEPTHWISE_CONV_2D hybrid", [&](CaseBuilder& c) {
    auto options = window_options<fb::DepthwiseConv2DOptionsT>(true, 1, 1, 0);
    options.depth_multiplier = 2;
    c.op_with(
        "DEPTHWISE_CONV_2D",
        {c.real({2, 7, 6, 3}), c.channel_weights({1, 3, 2, 6}, six, 3), c.random_constant(FileType::F32, {6}, -1, 1)},
        {{}}, options);
  });
}

}  // namespace

void add_weight_cases(OperatorCases& cases) {
  add_float_convolutions(cases);
  add_pools(cases);
  add_quantised_convolutions(cases);
  add_wide_convolutions(cases);
}

}  // namespace slipway::importer
