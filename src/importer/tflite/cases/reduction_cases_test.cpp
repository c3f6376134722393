// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

void add_plain_reductions(OperatorCases& cases) {
  for (const bool keep : {false, true}) {
    fb::ReducerOptionsT options;
    options.keep_dims = keep;
    for (const std::string_view kind : {"MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"}) {
      for (const FileType type : {FileType::F32, FileType::I32}) {
        cases.add(formatted("{} {} keep {}", kind, name_of(type), keep), [&](CaseBuilder& c) {
          c.op_with(kind, {c.input(type, {3, 4, 5}, -3, 3), c.list({-1, 0, 2})}, {{type}}, options);
        });
      }
    }
    for (const std::string_view kind : {"REDUCE_ANY", "REDUCE_ALL"}) {
      cases.add(formatted("{} bool keep {}", kind, keep), [&](CaseBuilder& c) {
        c.op_with(kind, {c.whole(FileType::Bool, {3, 4, 2}, 0, 1), c.list({2})}, {{FileType::Bool}}, options);
      });
    }
  }
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      fb::CumsumOptionsT options;
      options.exclusive = exclusive;
      options.reverse = reverse;
      for (const FileType type : {FileType::F32, FileType::I32}) {
        cases.add(formatted("CUMSUM {} {} {}", name_of(type), exclusive, reverse), [&](CaseBuilder& c) {
          c.op_with("CUMSUM", {c.input(type, {3, 6, 2}, -3, 3), c.number(1)}, {{type}}, options);
        });
      }
    }
  }
  cases.add("LOCAL_RESPONSE_NORMALIZATION", [](CaseBuilder& c) {
    fb::LocalResponseNormalizationOptionsT options;
    options.radius = 2;
    options.bias = 1.5F;
    options.alpha = 0.3F;
    options.beta = 0.75F;
    c.op_with("LOCAL_RESPONSE_NORMALIZATION", {c.real({1, 2, 3, 7})}, {{}}, options);
  });
}

void add_quantised_reductions(OperatorCases& cases) {
  struct Pair {
    Scale x, y;
  };
  for (const FileType type : {FileType::I8, FileType::U8, FileType::I16}) {
    const std::int64_t zero = type == FileType::U8 ? 128 : 0;
    std::vector<Pair> pairs{{{0.05F, zero - 128}, {0.043F, zero + 127}},
                            {{0.02F, zero + 127}, {0.07F, zero - 20}},
                            {{0.1F, zero + 3}, {0.1F, zero + 3}}};
    if (type == FileType::I16) pairs = {{{0.0003F, 0}, {0.0002F, 0}}, {{0.001F, 0}, {0.001F, 0}}};
    int number = 0;
    for (const Pair& pair : pairs) {
      ++number;
      for (const std::string_view kind : {"MEAN", "SUM", "REDUCE_PROD"}) {
        if (kind == "REDUCE_PROD" && type == FileType::U8) continue;
        // Its kernel for int8 takes the numbers for uint8, and int16 has no kernel.
        if (kind == "SUM" && type != FileType::U8) continue;
        for (const auto& axes : std::vector<std::vector<double>>{{1, 2}, {0}, {-1}}) {
          fb::ReducerOptionsT options;
          options.keep_dims = number == 2;
          const Scale y{kind == "SUM" ? pair.y.scale * 8 : pair.y.scale, pair.y.zero};
          cases.add(formatted("{} {} quantised {} axis {}", kind, name_of(type), number, axes[0]), [&](CaseBuilder& c) {
            c.op_with(kind, {c.quantised(type, {2, 3, 5, 4}, pair.x), c.list(axes)}, {{type, y}}, options);
          });
        }
      }
      for (const std::string_view kind : {"REDUCE_MAX", "REDUCE_MIN"}) {
        cases.add(formatted("{} {} quantised {}", kind, name_of(type), number), [&](CaseBuilder& c) {
          c.op_with(kind, {c.quantised(type, {2, 3, 5, 4}, pair.x), c.list({1, 2})}, {{type, pair.x}},
                    fb::ReducerOptionsT());
        });
      }
    }
  }
}

}  // namespace

void add_reduction_cases(OperatorCases& cases) {
  add_plain_reductions(cases);
  add_quantised_reductions(cases);
}

}  // namespace slipway::importer
