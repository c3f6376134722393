// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

constexpr std::int32_t kBatch = 2, kSteps = 3, kInputs = 4, kUnits = 5;

int weights(CaseBuilder& c, std::vector<std::int32_t> shape) {
  return c.random_constant(FileType::F32, std::move(shape), -1, 1);
}

// int8 weights of floats.
int bytes(CaseBuilder& c, std::vector<std::int32_t> shape) {
  return c.random_constant(FileType::I8, std::move(shape), -127, 127, {0.007F, 0});
}

// Reals of which no quantised number lies between two integers, where the last bit of a quotient would decide.
int wave(CaseBuilder& c, const std::vector<std::int32_t>& shape) {
  std::size_t count = 1;
  for (const std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = 0.8 * std::sin(0.5 + 2.3 * static_cast<double>(i));
  return c.given(FileType::F32, shape, numbers);
}

struct LstmForm {
  bool coupled = false, peephole = false, projection = false, norm = false;
  float clip = 0;
  bool hybrid = false, asymmetric = false;
};

// The operands 1 to 17 of one direction. Results have kUnits elements, and 3 with a projection.
std::vector<int> lstm_weights(CaseBuilder& c, const LstmForm& form) {
  const std::int32_t results = form.projection ? 3 : kUnits;
  const auto matrix = form.hybrid ? bytes : weights;
  std::vector<int> made;
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : matrix(c, {kUnits, kInputs}));
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : matrix(c, {kUnits, results}));
  for (int gate = 0; gate < 3; ++gate)
    made.push_back(!form.peephole || (gate == 0 && form.coupled) ? -1 : matrix(c, {kUnits}));
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits}));
  made.push_back(form.projection ? matrix(c, {results, kUnits}) : -1);
  made.push_back(form.projection ? weights(c, {results}) : -1);
  return made;
}

void add_lstms(OperatorCases& cases) {
  const LstmForm forms[] = {{},
                            {.coupled = true},
                            {.peephole = true},
                            {.projection = true, .clip = 0.4F},
                            {.peephole = true, .norm = true},
                            {.coupled = true, .peephole = true, .projection = true, .norm = true},
                            {.hybrid = true},
                            {.peephole = true, .projection = true, .hybrid = true, .asymmetric = true},
                            {.coupled = true, .hybrid = true, .asymmetric = true},
                            {.coupled = true, .peephole = true, .projection = true, .norm = true, .hybrid = true}};
  int number = 0;
  for (const LstmForm& form : forms) {
    ++number;
    const std::int32_t results = form.projection ? 3 : kUnits;
    const std::string_view kind = form.hybrid ? "hybrid " : "";
    const auto reals = [&](CaseBuilder& c, const std::vector<std::int32_t>& shape) {
      return form.hybrid ? wave(c, shape) : c.real(shape, -1, 1);
    };
    for (const bool time_major : {false, true}) {
      cases.add(
          formatted("UNIDIRECTIONAL_SEQUENCE_LSTM {}{} time first {}", kind, number, time_major), [&](CaseBuilder& c) {
            fb::UnidirectionalSequenceLSTMOptionsT options;
            options.time_major = time_major;
            options.fused_activation_function = fb::ActivationFunctionType::TANH;
            options.cell_clip = form.clip;
            options.proj_clip = form.clip;
            options.asymmetric_quantize_inputs = form.asymmetric;
            std::vector<int> inputs{
                reals(c, time_major ? std::vector{kSteps, kBatch, kInputs} : std::vector{kBatch, kSteps, kInputs})};
            for (const int each : lstm_weights(c, form)) inputs.push_back(each);
            inputs.push_back(c.variable(FileType::F32, {kBatch, results}));
            inputs.push_back(c.variable(FileType::F32, {kBatch, kUnits}));
            if (form.norm) {
              for (int gate = 0; gate < 4; ++gate)
                inputs.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits}));
            }
            c.op_with("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, {{}}, options);
          });
    }
    if (form.norm) continue;
    cases.add(formatted("LSTM {}{}", kind, number), [&](CaseBuilder& c) {
      fb::LSTMOptionsT options;
      options.fused_activation_function = fb::ActivationFunctionType::TANH;
      options.asymmetric_quantize_inputs = form.asymmetric;
      const std::vector<int> shared = lstm_weights(c, form);
      const int h = c.variable(FileType::F32, {kBatch, results}), state = c.variable(FileType::F32, {kBatch, kUnits});
      // Two steps, which share their state.
      for (int step = 0; step < 2; ++step) {
        std::vector<int> inputs{reals(c, {kBatch, kInputs})};
        inputs.insert(inputs.end(), shared.begin(), shared.end());
        inputs.insert(inputs.end(), {h, state});
        c.op_with("LSTM", inputs, {{}}, options);
      }
    });
    for (const bool merge : {false, true}) {
      cases.add(formatted("BIDIRECTIONAL_SEQUENCE_LSTM {}{} merge {}", kind, number, merge), [&](CaseBuilder& c) {
        fb::BidirectionalSequenceLSTMOptionsT options;
        options.fused_activation_function = fb::ActivationFunctionType::TANH;
        options.merge_outputs = merge;
        options.asymmetric_quantize_inputs = form.asymmetric;
        options.time_major = true;
        std::vector<int> inputs{reals(c, {kSteps, kBatch, kInputs})};
        for (int side = 0; side < 2; ++side) {
          for (const int each : lstm_weights(c, form)) inputs.push_back(each);
        }
        for (int side = 0; side < 2; ++side) {
          inputs.push_back(c.variable(FileType::F32, {kBatch, results}));
          inputs.push_back(c.variable(FileType::F32, {kBatch, kUnits}));
        }
        inputs.insert(inputs.end(), 9, -1);
        c.op_with("BIDIRECTIONAL_SEQUENCE_LSTM", inputs,
                  merge ? std::vector<OperatorResult>{{}} : std::vector<OperatorResult>{{}, {}}, options);
      });
    }
  }
}

// LSTM of int8, whose cells are int16 with `cell_bits` bits before the point.
void add_integer_lstms(OperatorCases& cases) {
  struct Form {
    bool coupled = false, peephole = false, projection = false;
    float clip = 0;
    int cell_bits = 4;
    std::int64_t hidden_zero = 0;
  };
  const Form forms[] = {{},
                        {.coupled = true, .cell_bits = 3},
                        {.peephole = true, .hidden_zero = 5},
                        {.projection = true, .clip = 0.5F, .hidden_zero = -7},
                        {.coupled = true, .peephole = true},
                        {.cell_bits = 2},
                        {.coupled = true, .projection = true, .hidden_zero = 3}};
  int number = 0;
  for (const Form& form : forms) {
    ++number;
    const std::int32_t results = form.projection ? 3 : kUnits;
    const Scale x{0.013F, 6}, w{0.011F, 0}, r{0.009F, 0}, y{0.0079F, -4}, hidden{0.0075F, form.hidden_zero},
        cell{std::ldexp(1.0F, form.cell_bits - 15), 0}, p{0.0003F, 0};
    const auto matrix = [&](CaseBuilder& c, std::int32_t rows, std::int32_t columns, Scale scale) {
      return c.random_constant(FileType::I8, {rows, columns}, -127, 127, scale);
    };
    const auto operands = [&](CaseBuilder& c, int input) {
      std::vector<int> made{input};
      const auto gates = [&](int count, const auto& add) {
        for (int gate = 0; gate < count; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : add());
      };
      gates(4, [&] { return matrix(c, kUnits, kInputs, w); });
      gates(4, [&] { return matrix(c, kUnits, results, r); });
      gates(3, [&] { return form.peephole ? c.random_constant(FileType::I16, {kUnits}, -20000, 20000, p) : -1; });
      gates(4, [&] { return c.random_constant(FileType::I32, {kUnits}, -9000, 9000, {x.scale * w.scale, 0}); });
      made.push_back(form.projection ? matrix(c, results, kUnits, w) : -1);
      made.push_back(
          form.projection ? c.random_constant(FileType::I32, {results}, -3000, 3000, {w.scale * hidden.scale, 0}) : -1);
      made.push_back(c.variable(FileType::I8, {kBatch, results}, y));
      made.push_back(c.variable(FileType::I16, {kBatch, kUnits}, cell));
      return made;
    };
    const auto finish = [&](CaseBuilder& c, fb::OperatorT& op, auto options) {
      options.fused_activation_function = fb::ActivationFunctionType::TANH;
      options.cell_clip = options.proj_clip = form.clip;
      op.builtin_options.Set(std::move(options));
      for (int gate = 0; gate < 4; ++gate) op.intermediates.push_back(c.intermediate(FileType::I16, {0.0002F, 0}));
      op.intermediates.push_back(c.intermediate(FileType::I8, hidden));
    };
    cases.add(formatted("UNIDIRECTIONAL_SEQUENCE_LSTM int8 {}", number), [&](CaseBuilder& c) {
      const std::vector<int> inputs = operands(c, c.quantised(FileType::I8, {kBatch, kSteps, kInputs}, x));
      finish(c, c.op("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, {{FileType::I8, y}}),
             fb::UnidirectionalSequenceLSTMOptionsT());
    });
    cases.add(formatted("LSTM int8 {}", number), [&](CaseBuilder& c) {
      const std::vector<int> inputs = operands(c, c.quantised(FileType::I8, {kBatch, kInputs}, x));
      finish(c, c.op("LSTM", inputs, {{FileType::I8, y}}), fb::LSTMOptionsT());
    });
  }
}

void add_rnns(OperatorCases& cases) {
  cases.add("RNN", [](CaseBuilder& c) {
    fb::RNNOptionsT options;
    options.fused_activation_function = fb::ActivationFunctionType::TANH;
    const int w = weights(c, {kUnits, kInputs}), r = weights(c, {kUnits, kUnits}), bias = weights(c, {kUnits});
    const int h = c.variable(FileType::F32, {kBatch, kUnits});
    for (int step = 0; step < 2; ++step)
      c.op_with("RNN", {c.real({kBatch, kInputs}, -1, 1), w, r, bias, h}, {{}}, options);
  });
  for (const bool time_major : {false, true}) {
    cases.add(formatted("UNIDIRECTIONAL_SEQUENCE_RNN time first {}", time_major), [&](CaseBuilder& c) {
      fb::SequenceRNNOptionsT options;
      options.time_major = time_major;
      options.fused_activation_function = fb::ActivationFunctionType::RELU;
      const int x =
          c.real(time_major ? std::vector{kSteps, kBatch, kInputs} : std::vector{kBatch, kSteps, kInputs}, -1, 1);
      c.op_with("UNIDIRECTIONAL_SEQUENCE_RNN",
                {x, weights(c, {kUnits, kInputs}), weights(c, {kUnits, kUnits}), weights(c, {kUnits}),
                 c.variable(FileType::F32, {kBatch, kUnits})},
                {{}}, options);
    });
    cases.add(formatted("BIDIRECTIONAL_SEQUENCE_RNN merge {}", time_major), [&](CaseBuilder& c) {
      fb::BidirectionalSequenceRNNOptionsT options;
      options.merge_outputs = time_major;
      options.fused_activation_function = fb::ActivationFunctionType::TANH;
      std::vector<int> inputs{c.real({kBatch, kSteps, kInputs}, -1, 1)};
      for (int side = 0; side < 2; ++side) {
        for (const auto& shape : std::vector<std::vector<std::int32_t>>{{kUnits, kInputs}, {kUnits, kUnits}, {kUnits}})
          inputs.push_back(weights(c, shape));
        inputs.push_back(c.variable(FileType::F32, {kBatch, kUnits}));
      }
      inputs.insert(inputs.end(), 3, -1);
      c.op_with("BIDIRECTIONAL_SEQUENCE_RNN", inputs,
                time_major ? std::vector<OperatorResult>{{}} : std::vector<OperatorResult>{{}, {}}, options);
    });
  }
}

void add_hybrid_rnns(OperatorCases& cases) {
  for (const bool asymmetric : {false, true}) {
    cases.add(formatted("UNIDIRECTIONAL_SEQUENCE_RNN hybrid asymmetric {}", asymmetric), [&](CaseBuilder& c) {
      fb::SequenceRNNOptionsT options;
      options.time_major = true;
      options.asymmetric_quantize_inputs = asymmetric;
      options.fused_activation_function = fb::ActivationFunctionType::TANH;
      c.op_with("UNIDIRECTIONAL_SEQUENCE_RNN",
                {wave(c, {kSteps, kBatch, kInputs}), bytes(c, {kUnits, kInputs}), bytes(c, {kUnits, kUnits}),
                 weights(c, {kUnits}), c.variable(FileType::F32, {kBatch, kUnits})},
                {{}}, options);
    });
  }
}

void add_svdfs(OperatorCases& cases) {
  constexpr std::int32_t kMemory = 3, kRank = 2, kFilters = kRank * kUnits;
  cases.add("SVDF float32", [](CaseBuilder& c) {
    fb::SVDFOptionsT options;
    options.rank = kRank;
    options.fused_activation_function = fb::ActivationFunctionType::RELU;
    const int feature = weights(c, {kFilters, kInputs}), time = weights(c, {kFilters, kMemory}),
              bias = weights(c, {kUnits});
    const int state = c.variable(FileType::F32, {kBatch, kMemory * kFilters});
    for (int step = 0; step < 3; ++step)
      c.op_with("SVDF", {c.real({kBatch, kInputs}, -1, 1), feature, time, bias, state}, {{}}, options);
  });
  cases.add("SVDF int8", [](CaseBuilder& c) {
    fb::SVDFOptionsT options;
    options.rank = kRank;
    options.fused_activation_function = fb::ActivationFunctionType::RELU;
    const Scale x{0.02F, 7}, w{0.011F, 0}, s{0.0003F, 0}, t{0.00017F, 0}, y{0.05F, -20};
    const int feature = c.random_constant(FileType::I8, {kFilters, kInputs}, -127, 127, w);
    const int time = c.random_constant(FileType::I16, {kFilters, kMemory}, -9000, 9000, t);
    const int bias = c.random_constant(FileType::I32, {kUnits}, -90000, 90000, {s.scale * t.scale, 0});
    const int state = c.variable(FileType::I16, {kBatch, kMemory * kFilters}, s);
    for (int step = 0; step < 3; ++step)
      c.op_with("SVDF", {c.quantised(FileType::I8, {kBatch, kInputs}, x), feature, time, bias, state},
                {{FileType::I8, y}}, options);
  });
}

}  // namespace

void add_recurrent_cases(OperatorCases& cases) {
  add_lstms(cases);
  add_integer_lstms(cases);
  add_rnns(cases);
  add_hybrid_rnns(cases);
  add_svdfs(cases);
}

}  // namespace slipway::importer
