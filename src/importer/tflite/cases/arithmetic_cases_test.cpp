// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

template <class Options>
Options with_activation(int activation) {
  Options options;
  options.fused_activation_function = static_cast<fb::ActivationFunctionType>(activation);
  return options;
}

template <class Options>
void add_binary(OperatorCases& cases, std::string_view kind, FileType type, double low, double high, int activation) {
  cases.add(formatted("{} {} act {}", kind, name_of(type), activation), [&](CaseBuilder& c) {
    c.op_with(kind,
              {c.input(type, {2, 3, 4}, low, high), c.input(type, {3, 1}, low < 1 && kind == "DIV" ? 1 : low, high)},
              {{type, {}}}, with_activation<Options>(activation));
  });
}

void add_plain_arithmetic(OperatorCases& cases) {
  for (const int activation : {0, 1, 2, 3}) {
    add_binary<fb::AddOptionsT>(cases, "ADD", FileType::F32, -4, 4, activation);
    add_binary<fb::SubOptionsT>(cases, "SUB", FileType::F32, -4, 4, activation);
    add_binary<fb::MulOptionsT>(cases, "MUL", FileType::F32, -4, 4, activation);
    add_binary<fb::DivOptionsT>(cases, "DIV", FileType::F32, -4, 4, activation);
    add_binary<fb::AddOptionsT>(cases, "ADD", FileType::I32, -9, 9, activation);
    add_binary<fb::SubOptionsT>(cases, "SUB", FileType::I32, -9, 9, activation);
    add_binary<fb::MulOptionsT>(cases, "MUL", FileType::I32, -9, 9, activation);
    add_binary<fb::DivOptionsT>(cases, "DIV", FileType::I32, -90, 90, activation);
  }
  add_binary<fb::AddOptionsT>(cases, "ADD", FileType::I64, -900, 900, 0);
  add_binary<fb::SubOptionsT>(cases, "SUB", FileType::I64, -900, 900, 0);
  add_binary<fb::MulOptionsT>(cases, "MUL", FileType::I64, -900, 900, 0);
  for (const std::string_view kind :
       {"MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD", "POW", "ATAN2"}) {
    cases.add(formatted("{} float32", kind), [&](CaseBuilder& c) {
      const bool bounded = kind == "POW";
      c.op(kind,
           {c.real({2, 3, 4}, bounded ? 0.25 : -4, 4),
            c.real(kind == "ATAN2" ? std::vector<std::int32_t>{2, 3, 4} : std::vector<std::int32_t>{4},
                   kind == "FLOOR_DIV" || kind == "FLOOR_MOD" ? 0.5 : -3, 3)},
           {{}});
    });
  }
  for (const std::string_view kind : {"MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "FLOOR_DIV", "FLOOR_MOD"}) {
    cases.add(formatted("{} int32", kind), [&](CaseBuilder& c) {
      c.op(kind, {c.whole(FileType::I32, {2, 3, 4}, -50, 50), c.whole(FileType::I32, {4}, -7, -1)}, {{FileType::I32}});
    });
  }
  for (const FileType type : {FileType::F32, FileType::I32, FileType::I64}) {
    for (const std::string_view kind : {"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"}) {
      cases.add(formatted("{} {}", kind, name_of(type)), [&](CaseBuilder& c) {
        c.op(kind, {c.input(type, {2, 3, 4}, -2, 2), c.input(type, {3, 1}, -2, 2)}, {{FileType::Bool}});
      });
    }
  }
  cases.add("ADD_N float32",
            [](CaseBuilder& c) { c.op("ADD_N", {c.real({2, 3}), c.real({2, 3}), c.real({2, 3})}, {{}}); });
  cases.add("ADD_N int32", [](CaseBuilder& c) {
    c.op("ADD_N", {c.whole(FileType::I32, {2, 3}, -9, 9), c.whole(FileType::I32, {2, 3}, -9, 9)}, {{FileType::I32}});
  });
  for (const std::string_view kind : {"LOGICAL_AND", "LOGICAL_OR"}) {
    cases.add(formatted("{} bool", kind), [&](CaseBuilder& c) {
      c.op(kind, {c.whole(FileType::Bool, {3, 4}, 0, 1), c.whole(FileType::Bool, {4}, 0, 1)}, {{FileType::Bool}});
    });
  }
}

struct BinaryScales {
  Scale a, b, y;
};

std::vector<BinaryScales> binary_scales(FileType type) {
  if (type == FileType::I16)
    return {{{0.00031F, 0}, {0.00047F, 0}, {0.00071F, 0}}, {{0.0013F, 0}, {0.00013F, 0}, {0.0011F, 0}}};
  const std::int64_t zero = type == FileType::U8 ? 128 : 0;
  return {{{0.031F, zero - 128}, {0.047F, zero + 127}, {0.071F, zero + 3}},
          {{0.5F, zero + 10}, {0.013F, zero - 5}, {0.37F, zero - 128}},
          {{0.1F, zero}, {0.1F, zero}, {0.1F, zero + 127}}};
}

template <class Options>
void add_quantised_binary(OperatorCases& cases, std::string_view kind, FileType type, int activation, float widen = 1,
                          bool nonzero = false) {
  int number = 0;
  for (BinaryScales scales : binary_scales(type)) {
    scales.y.scale *= widen;
    cases.add(formatted("{} {} quantised {} act {}", kind, name_of(type), ++number, activation), [&](CaseBuilder& c) {
      const auto [low, high] = CaseBuilder::limits(type);
      const int a = c.quantised(type, {2, 8, 16}, scales.a);
      const double least = nonzero ? std::min(static_cast<double>(scales.b.zero) + 1, high) : low;
      const int b = nonzero && least >= high ? c.input(type, {8, 16}, low, high - 1, scales.b)
                                             : c.input(type, {8, 16}, least, high, scales.b);
      auto options = with_activation<Options>(activation);
      c.op_with(kind, {a, b}, {{type, scales.y}}, options);
    });
  }
}

void add_quantised_arithmetic(OperatorCases& cases) {
  for (const FileType type : {FileType::I8, FileType::U8, FileType::I16}) {
    for (const int activation : {0, 1, 3}) {
      add_quantised_binary<fb::AddOptionsT>(cases, "ADD", type, activation);
      add_quantised_binary<fb::SubOptionsT>(cases, "SUB", type, activation);
      add_quantised_binary<fb::MulOptionsT>(cases, "MUL", type, activation);
    }
    if (type == FileType::U8) {
      for (const int activation : {0, 1, 3})
        add_quantised_binary<fb::DivOptionsT>(cases, "DIV", type, activation, 0.3F, true);
    }
    for (const std::string_view kind : {"EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"}) {
      if (type == FileType::I16) continue;
      int number = 0;
      for (const BinaryScales& scales : binary_scales(type)) {
        cases.add(formatted("{} {} quantised {}", kind, name_of(type), ++number), [&](CaseBuilder& c) {
          c.op(kind, {c.quantised(type, {2, 4, 16}, scales.a), c.quantised(type, {16}, scales.b)}, {{FileType::Bool}});
        });
      }
    }
    for (const std::string_view kind : {"MAXIMUM", "MINIMUM"}) {
      cases.add(formatted("{} {} quantised", kind, name_of(type)), [&](CaseBuilder& c) {
        const Scale scale{0.1F, type == FileType::I16 ? 0 : 7};
        c.op(kind, {c.quantised(type, {2, 4, 16}, scale), c.quantised(type, {16}, scale)}, {{type, scale}});
      });
    }
  }
  int number = 0;
  for (const BinaryScales& scales : binary_scales(FileType::I8)) {
    cases.add(formatted("SQUARED_DIFFERENCE int8 quantised {}", ++number), [&](CaseBuilder& c) {
      c.op("SQUARED_DIFFERENCE",
           {c.quantised(FileType::I8, {2, 8, 16}, scales.a), c.quantised(FileType::I8, {8, 16}, scales.b)},
           {{FileType::I8, {scales.y.scale * 4, scales.y.zero}}});
    });
  }
  for (const std::string_view kind : {"ADD", "SUB"}) {
    cases.add(formatted("{} int16 powers of two", kind), [&](CaseBuilder& c) {
      const int a = c.quantised(FileType::I16, {4, 16}, {1.0F / 8192, 0}),
                b = c.quantised(FileType::I16, {4, 16}, {1.0F / 1024, 0});
      if (kind == "ADD")
        return c.op_with(kind, {a, b}, {{FileType::I16, {1.0F / 1024, 0}}}, with_activation<fb::AddOptionsT>(1));
      c.op_with(kind, {a, b}, {{FileType::I16, {1.0F / 1024, 0}}}, with_activation<fb::SubOptionsT>(1));
    });
  }
}

}  // namespace

void add_arithmetic_cases(OperatorCases& cases) {
  add_plain_arithmetic(cases);
  add_quantised_arithmetic(cases);
}

}  // namespace slipway::importer
