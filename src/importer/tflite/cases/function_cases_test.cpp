// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

// All numbers of 8 bits, or many of 16.
int every_number(CaseBuilder& c, FileType type, Scale scale) {
  const auto [low, high] = CaseBuilder::limits(type);
  std::vector<double> numbers;
  const double step = type == FileType::I16 ? 199 : 1;
  for (double value = low; value <= high; value += step) numbers.push_back(value);
  return c.given(type, {static_cast<std::int32_t>(numbers.size())}, numbers, scale);
}

void add_floats(OperatorCases& cases) {
  for (const std::string_view kind :
       {"ABS", "CEIL", "FLOOR", "ROUND", "NEG", "SIGN", "SIN", "COS", "EXP", "SQUARE", "RELU", "RELU6", "RELU_N1_TO_1",
        "RELU_0_TO_1", "LOGISTIC", "TANH", "ELU", "HARD_SWISH"}) {
    cases.add(formatted("{} float32", kind), [&](CaseBuilder& c) { c.op(kind, {c.real({3, 40}, -8, 8)}, {{}}); });
  }
  for (const std::string_view kind : {"LOG", "SQRT", "RSQRT"})
    cases.add(formatted("{} float32", kind), [&](CaseBuilder& c) { c.op(kind, {c.real({3, 40}, 0.25, 90)}, {{}}); });
  for (const std::string_view kind : {"ABS", "NEG", "SIGN"})
    cases.add(formatted("{} int32", kind),
              [&](CaseBuilder& c) { c.op(kind, {c.whole(FileType::I32, {3, 4}, -9, 9)}, {{FileType::I32}}); });
  for (const bool approximate : {false, true}) {
    cases.add(formatted("GELU float32 {}", approximate), [&](CaseBuilder& c) {
      fb::GeluOptionsT options;
      options.approximate = approximate;
      c.op_with("GELU", {c.real({3, 40}, -8, 8)}, {{}}, options);
    });
  }
  cases.add("LEAKY_RELU float32", [](CaseBuilder& c) {
    fb::LeakyReluOptionsT options;
    options.alpha = 0.3F;
    c.op_with("LEAKY_RELU", {c.real({3, 40})}, {{}}, options);
  });
  cases.add("PRELU float32", [](CaseBuilder& c) {
    c.op("PRELU", {c.real({2, 3, 4}), c.random_constant(FileType::F32, {1, 1, 4}, -1, 1)}, {{}});
  });
  for (const std::string_view kind : {"LOGICAL_NOT"})
    cases.add(formatted("{} bool", kind),
              [&](CaseBuilder& c) { c.op(kind, {c.whole(FileType::Bool, {3, 4}, 0, 1)}, {{FileType::Bool}}); });
  for (const float beta : {1.0F, 0.5F}) {
    cases.add(formatted("SOFTMAX float32 {}", beta), [&](CaseBuilder& c) {
      fb::SoftmaxOptionsT options;
      options.beta = beta;
      c.op_with("SOFTMAX", {c.real({3, 10})}, {{}}, options);
    });
  }
  cases.add("LOG_SOFTMAX float32", [](CaseBuilder& c) { c.op("LOG_SOFTMAX", {c.real({3, 10})}, {{}}); });
}

std::vector<std::pair<Scale, Scale>> pairs_of(FileType type) {
  if (type == FileType::I16) return {{{0.00031F, 0}, {0.00047F, 0}}, {{0.0013F, 0}, {0.00013F, 0}}};
  const std::int64_t zero = type == FileType::U8 ? 128 : 0;
  return {{{0.031F, zero - 128}, {0.047F, zero + 127}},
          {{0.05F, zero + 20}, {0.013F, zero - 5}},
          {{0.1F, zero}, {0.1F, zero}},
          {{0.02F, zero + 127}, {0.3F, zero - 128}}};
}

void add_function(OperatorCases& cases, std::string_view kind, FileType type,
                  const std::function<Scale(Scale, Scale)>& result) {
  int number = 0;
  for (const auto& [from, to] : pairs_of(type)) {
    cases.add(formatted("{} {} quantised {}", kind, name_of(type), ++number), [&](CaseBuilder& c) {
      const int x = every_number(c, type, from);
      const std::vector<OperatorResult> results{{type, result(from, to)}};
      if (kind == "LEAKY_RELU") {
        fb::LeakyReluOptionsT options;
        options.alpha = 0.3F;
        return c.op_with(kind, {x}, results, options);
      }
      if (kind == "GELU") {
        fb::GeluOptionsT options;
        options.approximate = number % 2 == 0;
        return c.op_with(kind, {x}, results, options);
      }
      c.op(kind, {x}, results);
    });
  }
}

void add_quantised_functions(OperatorCases& cases) {
  const auto free = [](Scale, Scale to) { return to; };
  for (const FileType type : {FileType::I8, FileType::U8, FileType::I16}) {
    for (const std::string_view kind : {"RELU", "RELU6", "LEAKY_RELU"}) add_function(cases, kind, type, free);
    const std::int64_t middle = type == FileType::U8 ? 128 : 0;
    add_function(cases, "LOGISTIC", type, [&](Scale, Scale) {
      return type == FileType::I16 ? Scale{1.0F / 32768, 0} : Scale{1.0F / 256, middle - 128};
    });
    add_function(cases, "TANH", type, [&](Scale, Scale) {
      return type == FileType::I16 ? Scale{1.0F / 32768, 0} : Scale{1.0F / 128, middle};
    });
    if (type != FileType::U8) {
      for (const std::string_view kind : {"ABS", "EXP"}) add_function(cases, kind, type, free);
    }
    if (type != FileType::I16) {
      for (const std::string_view kind : {"RELU_N1_TO_1", "HARD_SWISH"}) add_function(cases, kind, type, free);
    }
  }
  for (const std::string_view kind : {"ELU", "GELU"}) add_function(cases, kind, FileType::I8, free);
  add_function(cases, "GELU", FileType::U8, free);
  for (const float scale : {1.0F / 4096, 1.0F / 2048, 0.0005F}) {
    for (const std::string_view kind : {"LOGISTIC", "TANH"}) {
      cases.add(formatted("{} int16 scale {}", kind, scale), [&](CaseBuilder& c) {
        c.op(kind, {every_number(c, FileType::I16, {scale, 0})}, {{FileType::I16, {1.0F / 32768, 0}}});
      });
    }
  }
  for (const float scale : {0.02F, 0.11F}) {
    cases.add(formatted("RSQRT int8 quantised {}", scale), [&](CaseBuilder& c) {
      c.op("RSQRT", {c.input(FileType::I8, {64}, -100, 127, {scale, -101})}, {{FileType::I8, {0.03F, -128}}});
    });
  }
}

void add_softmax(OperatorCases& cases) {
  for (const FileType type : {FileType::I8, FileType::U8, FileType::I16}) {
    for (const float scale : {0.02F, 0.3F, 1.5F}) {
      for (const std::int32_t depth : {3, 40}) {
        cases.add(formatted("SOFTMAX {} scale {} depth {}", name_of(type), scale, depth), [&](CaseBuilder& c) {
          fb::SoftmaxOptionsT options;
          options.beta = scale > 1 ? 0.7F : 1.0F;
          const bool is_wide = type == FileType::I16;
          const Scale from{is_wide ? scale / 256 : scale, is_wide ? 0 : 5};
          const Scale to = is_wide ? Scale{1.0F / 32768, 0} : Scale{1.0F / 256, type == FileType::U8 ? 0 : -128};
          c.op_with("SOFTMAX", {c.quantised(type, {6, depth}, from)}, {{type, to}}, options);
        });
      }
    }
    if (type == FileType::I16) continue;
    for (const float scale : {0.02F, 0.1F}) {
      cases.add(formatted("LOG_SOFTMAX {} scale {}", name_of(type), scale), [&](CaseBuilder& c) {
        c.op("LOG_SOFTMAX", {c.quantised(type, {6, 10}, {scale, 5})},
             {{type, {16.0F / 256, type == FileType::U8 ? 255 : 127}}});
      });
    }
  }
  for (const FileType type : {FileType::I8, FileType::U8}) {
    cases.add(formatted("PRELU {} quantised", name_of(type)), [&](CaseBuilder& c) {
      const std::int64_t zero = type == FileType::U8 ? 128 : 0;
      const auto [low, high] = CaseBuilder::limits(type);
      c.op("PRELU",
           {c.quantised(type, {4, 4, 16}, {0.05F, zero - 20}),
            c.random_constant(type, {1, 1, 16}, low, high, {0.01F, zero + 30})},
           {{type, {0.06F, zero + 11}}});
    });
  }
  for (const Scale scale : {Scale{0.05F, -128}, Scale{0.05F, 127}, Scale{0.01F, 3}}) {
    cases.add(formatted("L2_NORMALIZATION int8 zero {}", scale.zero), [&](CaseBuilder& c) {
      c.op_with("L2_NORMALIZATION", {c.quantised(FileType::I8, {6, 20}, scale)}, {{FileType::I8, {1.0F / 128, 0}}},
                fb::L2NormOptionsT());
    });
  }
  cases.add("L2_NORMALIZATION float32",
            [](CaseBuilder& c) { c.op_with("L2_NORMALIZATION", {c.real({6, 20})}, {{}}, fb::L2NormOptionsT()); });
}

void add_conversions(OperatorCases& cases) {
  for (const FileType type : {FileType::I8, FileType::U8, FileType::I16}) {
    for (const auto& [from, to] : pairs_of(type)) {
      cases.add(formatted("QUANTIZE float32 to {} {} {}", name_of(type), to.scale, to.zero),
                [&](CaseBuilder& c) { c.op("QUANTIZE", {c.real({200}, -12, 12)}, {{type, to}}); });
      cases.add(formatted("DEQUANTIZE {} {} {}", name_of(type), from.scale, from.zero),
                [&](CaseBuilder& c) { c.op("DEQUANTIZE", {every_number(c, type, from)}, {{}}); });
      for (const FileType result : {FileType::I8, FileType::U8, FileType::I16}) {
        if (result == FileType::I16 && type != FileType::I16) continue;
        if (type == FileType::I16 && result == FileType::U8) continue;
        const Scale of =
            result == FileType::I16 ? Scale{to.scale / 200, 0} : Scale{to.scale, result == FileType::U8 ? 120 : -20};
        cases.add(formatted("QUANTIZE {} to {} {}", name_of(type), name_of(result), from.scale),
                  [&](CaseBuilder& c) { c.op("QUANTIZE", {every_number(c, type, from)}, {{result, of}}); });
      }
    }
  }
  for (const FileType from :
       {FileType::F32, FileType::I32, FileType::I64, FileType::U8, FileType::I8, FileType::I16, FileType::Bool}) {
    for (const FileType to :
         {FileType::F32, FileType::I32, FileType::I64, FileType::U8, FileType::I8, FileType::I16, FileType::Bool}) {
      if (from == to) continue;
      cases.add(formatted("CAST {} to {}", name_of(from), name_of(to)), [&](CaseBuilder& c) {
        const bool is_bool = from == FileType::Bool;
        fb::CastOptionsT options;
        options.in_data_type = static_cast<std::int8_t>(info_of(from).tflite);
        options.out_data_type = static_cast<std::int8_t>(info_of(to).tflite);
        const double low = is_bool || is_unsigned(from) || (is_real(from) && is_unsigned(to)) ? 0 : -100;
        c.op_with("CAST", {c.input(from, {40}, low, is_bool ? 1 : 100)}, {{to}}, options);
      });
    }
  }
  cases.add("FAKE_QUANT float32", [](CaseBuilder& c) {
    fb::FakeQuantOptionsT options;
    options.min = -1.3F;
    options.max = 2.7F;
    options.num_bits = 8;
    c.op_with("FAKE_QUANT", {c.real({60})}, {{}}, options);
  });
}

void add_spectra(OperatorCases& cases) {
  for (const std::int32_t height : {1, 4}) {
    for (const std::string_view part : {"REAL", "IMAG", "COMPLEX_ABS"}) {
      cases.add(formatted("RFFT2D {} {}", part, height), [&](CaseBuilder& c) {
        const int spectrum = c.model().result({.name = "spectrum", .type = FileType::Complex64, .shape = {}});
        // The picture is padded to the lengths, or truncated.
        c.model().add("RFFT2D", {c.real({2, 3, 10}), c.list({static_cast<double>(height), 8})}, {spectrum});
        c.op(part, {spectrum}, {{}});
      });
    }
  }
}

}  // namespace

void add_function_cases(OperatorCases& cases) {
  add_floats(cases);
  add_quantised_functions(cases);
  add_softmax(cases);
  add_conversions(cases);
  add_spectra(cases);
}

}  // namespace slipway::importer
