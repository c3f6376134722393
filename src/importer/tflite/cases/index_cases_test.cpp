// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

void add_gathers(OperatorCases& cases) {
  cases.add("GATHER batch", [](CaseBuilder& c) {
    fb::GatherOptionsT options;
    options.axis = 2;
    options.batch_dims = 1;
    c.op_with("GATHER", {c.real({2, 3, 4, 2}), c.given(FileType::I32, {2, 2}, {3, 0, 1, 2})}, {{}}, options);
  });
  cases.add("GATHER_ND", [](CaseBuilder& c) {
    c.op("GATHER_ND", {c.real({3, 4, 2}), c.given(FileType::I32, {2, 2}, {0, 3, 2, 1})}, {{}});
  });
  cases.add("SCATTER_ND", [](CaseBuilder& c) {
    c.op("SCATTER_ND", {c.given(FileType::I32, {3, 1}, {3, 0, 3}), c.real({3, 2}), c.list({5, 2})}, {{}});
  });
  cases.add("SCATTER_ND int32", [](CaseBuilder& c) {
    c.op("SCATTER_ND",
         {c.given(FileType::I32, {3, 1}, {3, 0, 3}), c.whole(FileType::I32, {3, 2}, -9, 9), c.list({5, 2})},
         {{FileType::I32}});
  });
  cases.add("EMBEDDING_LOOKUP float32", [](CaseBuilder& c) {
    c.op("EMBEDDING_LOOKUP", {c.given(FileType::I32, {3}, {2, 0, 2}), c.random_constant(FileType::F32, {4, 3}, -1, 1)},
         {{}});
  });
  cases.add("EMBEDDING_LOOKUP hybrid", [](CaseBuilder& c) {
    c.op("EMBEDDING_LOOKUP", {c.given(FileType::I32, {3}, {2, 0, 2}), c.channel_weights({4, 3}, {0.013F}, 0)}, {{}});
  });
  for (const int axis : {-1, 0}) {
    cases.add(formatted("ONE_HOT axis {}", axis), [&](CaseBuilder& c) {
      fb::OneHotOptionsT options;
      options.axis = axis;
      c.op_with("ONE_HOT",
                {c.given(FileType::I32, {2, 2}, {3, -1, 0, 9}), c.number(4), c.given(FileType::F32, {}, {2.5}),
                 c.given(FileType::F32, {}, {-1})},
                {{}}, options);
    });
  }
  for (const FileType type : {FileType::F32, FileType::I8, FileType::U8, FileType::I32}) {
    cases.add(formatted("TOPK_V2 {}", name_of(type)), [&](CaseBuilder& c) {
      c.op("TOPK_V2", {c.input(type, {3, 9}, is_unsigned(type) ? 0 : -20, 20), c.number(4)},
           {{type, {}}, {FileType::I32}});
    });
    for (const std::string_view kind : {"ARG_MAX", "ARG_MIN"}) {
      cases.add(formatted("{} {}", kind, name_of(type)), [&](CaseBuilder& c) {
        const int x = c.input(type, {3, 4, 5}, is_unsigned(type) ? 0 : -5, 5), axis = c.number(1);
        if (kind == "ARG_MAX") {
          fb::ArgMaxOptionsT options;
          options.output_type = 4;
          return c.op_with(kind, {x, axis}, {{FileType::I64}}, options);
        }
        fb::ArgMinOptionsT options;
        options.output_type = 2;
        c.op_with(kind, {x, axis}, {{FileType::I32}}, options);
      });
    }
  }
}

void add_other_indices(OperatorCases& cases) {
  cases.add("DYNAMIC_UPDATE_SLICE", [](CaseBuilder& c) {
    c.op("DYNAMIC_UPDATE_SLICE", {c.real({4, 5}), c.real({2, 3}), c.given(FileType::I32, {2}, {-1, 4})}, {{}});
  });
  cases.add("SPARSE_TO_DENSE", [](CaseBuilder& c) {
    c.op_with("SPARSE_TO_DENSE",
              {c.given(FileType::I32, {3, 2}, {0, 1, 1, 2, 2, 0}), c.list({3, 4}), c.real({3}),
               c.given(FileType::F32, {}, {-1})},
              {{}}, fb::SparseToDenseOptionsT());
  });
  cases.add("MATRIX_DIAG", [](CaseBuilder& c) { c.op("MATRIX_DIAG", {c.real({2, 3})}, {{}}); });
  cases.add("MATRIX_SET_DIAG",
            [](CaseBuilder& c) { c.op("MATRIX_SET_DIAG", {c.real({2, 3, 4}), c.real({2, 3})}, {{}}); });
  for (const std::string_view kind : {"SUM", "PROD", "MAX", "MIN"}) {
    cases.add(formatted("UNSORTED_SEGMENT_{}", kind), [&](CaseBuilder& c) {
      c.op(formatted("UNSORTED_SEGMENT_{}", kind),
           {c.real({5, 2}), c.constant(FileType::I32, {5}, {3, 0, 1, 3, 0}), c.number(5)}, {{}});
    });
  }
  cases.add("BUCKETIZE float32", [](CaseBuilder& c) {
    fb::BucketizeOptionsT options;
    options.boundaries = {-2, 0.5, 3};
    c.op_with("BUCKETIZE", {c.real({4, 5})}, {{FileType::I32}}, options);
  });
  cases.add("BUCKETIZE int32", [](CaseBuilder& c) {
    fb::BucketizeOptionsT options;
    options.boundaries = {-2, 0.5, 3};
    c.op_with("BUCKETIZE", {c.whole(FileType::I32, {4, 5}, -5, 5)}, {{FileType::I32}}, options);
  });
  cases.add("BITCAST",
            [](CaseBuilder& c) { c.op("BITCAST", {c.constant(FileType::F32, {3}, {1, 2, -0.5})}, {{FileType::I32}}); });
  cases.add("BITWISE_XOR", [](CaseBuilder& c) {
    c.op("BITWISE_XOR", {c.whole(FileType::I32, {3, 4}, -99, 99), c.whole(FileType::I32, {4}, -99, 99)},
         {{FileType::I32}});
  });
  cases.add("RIGHT_SHIFT", [](CaseBuilder& c) {
    c.op("RIGHT_SHIFT", {c.whole(FileType::I32, {3, 4}, -99, 99), c.whole(FileType::I32, {3, 4}, 0, 6)},
         {{FileType::I32}});
  });
  cases.add("WHERE", [](CaseBuilder& c) {
    c.op("WHERE", {c.constant(FileType::Bool, {2, 3}, {1, 0, 1, 0, 0, 1})}, {{FileType::I64}});
  });
  cases.add("UNIQUE", [](CaseBuilder& c) {
    fb::UniqueOptionsT options;
    options.idx_out_type = 2;
    c.op_with("UNIQUE", {c.constant(FileType::I32, {6}, {3, 1, 3, 7, 1, 0})}, {{FileType::I32}, {FileType::I32}},
              options);
  });
}

// Boxes that overlap in pairs, some with the larger corner first.
void add_suppressions(OperatorCases& cases) {
  const auto operands = [](CaseBuilder& c, double results, double overlap) {
    const std::vector<double> boxes{0, 0, 2, 2,   0, 0.25, 2,  2.25, 2, 2, 0, 1.75, 5, 5, 7, 8,
                                    5, 5, 7, 7.5, 9, 9,    10, 10,   4, 9, 6, 10.5, 1, 1, 3, 3};
    return std::vector<int>{c.given(FileType::F32, {8, 4}, boxes),
                            c.given(FileType::F32, {8}, {0.5, 0.9, 0.3, 0.7, 0.8, 0.05, 0.6, 0.4}), c.number(results),
                            c.constant(FileType::F32, {}, {overlap}), c.constant(FileType::F32, {}, {0.1})};
  };
  for (const double overlap : {0.5, 0.1}) {
    cases.add(formatted("NON_MAX_SUPPRESSION_V4 {}", overlap), [&](CaseBuilder& c) {
      c.op("NON_MAX_SUPPRESSION_V4", operands(c, 6, overlap), {{FileType::I32}, {FileType::I32}});
    });
  }
  for (const double sigma : {0.0, 0.5}) {
    cases.add(formatted("NON_MAX_SUPPRESSION_V5 {}", sigma), [&](CaseBuilder& c) {
      std::vector<int> all = operands(c, 7, sigma == 0 ? 0.4 : 1);
      all.push_back(c.constant(FileType::F32, {}, {sigma}));
      c.op("NON_MAX_SUPPRESSION_V5", all, {{FileType::I32}, {FileType::F32}, {FileType::I32}});
    });
  }
}

}  // namespace

void add_index_cases(OperatorCases& cases) {
  add_suppressions(cases);
  add_gathers(cases);
  add_other_indices(cases);
}

}  // namespace slipway::importer
