// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

constexpr std::int32_t kBatch = 2, kSteps = 3, kInputs = 4, kUnits = 5;

int weights(CaseBuilder& c, std::vector<std::int32_t> shape) {
  return c.random_constant(FileType::F32, std::move(shape), -1, 1);
}

struct LstmForm {
  bool coupled = false, peephole = false, projection = false, norm = false;
  float clip = 0;
};

// The operands 1 to 17 of one direction. Results have kUnits elements, and 3 with a projection.
std::vector<int> lstm_weights(CaseBuilder& c, const LstmForm& form) {
  const std::int32_t results = form.projection ? 3 : kUnits;
  std::vector<int> made;
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits, kInputs}));
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits, results}));
  for (int gate = 0; gate < 3; ++gate)
    made.push_back(!form.peephole || (gate == 0 && form.coupled) ? -1 : weights(c, {kUnits}));
  for (int gate = 0; gate < 4; ++gate) made.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits}));
  made.push_back(form.projection ? weights(c, {results, kUnits}) : -1);
  made.push_back(form.projection ? weights(c, {results}) : -1);
  return made;
}

void add_lstms(OperatorCases& cases) {
  const LstmForm forms[] = {{},
                            {.coupled = true},
                            {.peephole = true},
                            {.projection = true, .clip = 0.4F},
                            {.peephole = true, .norm = true},
                            {.coupled = true, .peephole = true, .projection = true, .norm = true}};
  int number = 0;
  for (const LstmForm& form : forms) {
    ++number;
    const std::int32_t results = form.projection ? 3 : kUnits;
    for (const bool time_major : {false, true}) {
      cases.add(formatted("UNIDIRECTIONAL_SEQUENCE_LSTM {} time first {}", number, time_major), [&](CaseBuilder& c) {
        fb::UnidirectionalSequenceLSTMOptionsT options;
        options.time_major = time_major;
        options.fused_activation_function = fb::ActivationFunctionType::TANH;
        options.cell_clip = form.clip;
        options.proj_clip = form.clip;
        std::vector<int> inputs{
            c.real(time_major ? std::vector{kSteps, kBatch, kInputs} : std::vector{kBatch, kSteps, kInputs}, -1, 1)};
        for (const int each : lstm_weights(c, form)) inputs.push_back(each);
        inputs.push_back(c.variable(FileType::F32, {kBatch, results}));
        inputs.push_back(c.variable(FileType::F32, {kBatch, kUnits}));
        if (form.norm) {
          for (int gate = 0; gate < 4; ++gate) inputs.push_back(gate == 0 && form.coupled ? -1 : weights(c, {kUnits}));
        }
        c.op_with("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, {{}}, options);
      });
    }
    if (form.norm) continue;
    cases.add(formatted("LSTM {}", number), [&](CaseBuilder& c) {
      fb::LSTMOptionsT options;
      options.fused_activation_function = fb::ActivationFunctionType::TANH;
      const std::vector<int> shared = lstm_weights(c, form);
      const int h = c.variable(FileType::F32, {kBatch, results}), state = c.variable(FileType::F32, {kBatch, kUnits});
      // Two steps, which share their state.
      for (int step = 0; step < 2; ++step) {
        std::vector<int> inputs{c.real({kBatch, kInputs}, -1, 1)};
        inputs.insert(inputs.end(), shared.begin(), shared.end());
        inputs.insert(inputs.end(), {h, state});
        c.op_with("LSTM", inputs, {{}}, options);
      }
    });
    for (const bool merge : {false, true}) {
      cases.add(formatted("BIDIRECTIONAL_SEQUENCE_LSTM {} merge {}", number, merge), [&](CaseBuilder& c) {
        fb::BidirectionalSequenceLSTMOptionsT options;
        options.fused_activation_function = fb::ActivationFunctionType::TANH;
        options.merge_outputs = merge;
        options.time_major = true;
        std::vector<int> inputs{c.real({kSteps, kBatch, kInputs}, -1, 1)};
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
  add_rnns(cases);
  add_svdfs(cases);
}

}  // namespace slipway::importer
