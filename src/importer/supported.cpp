// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/supported.hpp"

#include <algorithm>
#include <tuple>

#include "importer/emit/node_context.hpp"

namespace slipway::importer {
namespace {

constexpr std::string_view kNotYet = "not yet";
constexpr std::string_view kMicrosoft = "com.microsoft";

constexpr std::string_view domain_of_table(std::string_view table) { return table == "microsoft" ? kMicrosoft : ""; }

constexpr OperatorSupport kOnnx[] = {
#define ONNX_OPERATOR(of, name) {domain_of_table(#of), #name, {}},
#include "importer/onnx/operators.def"
#undef ONNX_OPERATOR
#define ONNX_NOT_CONVERTED(domain, name, reason) {domain, #name, reason},
#include "importer/onnx/not_converted.def"
#undef ONNX_NOT_CONVERTED
};

constexpr std::string_view kTflite[] = {
#define TFLITE_OPERATOR(code, name, options, options_2) #name,
#include "importer/tflite/operators.def"
#undef TFLITE_OPERATOR
};

constexpr OperatorSupport kTfliteReasons[] = {
#define TFLITE_NOT_CONVERTED(name, reason) {{}, #name, reason},
#include "importer/tflite/not_converted.def"
#undef TFLITE_NOT_CONVERTED
};

std::string_view tflite_obstacle(std::string_view name) {
  if (find_tflite_operator({}, name)) return {};
  const auto* const reason = std::ranges::find(kTfliteReasons, name, &OperatorSupport::name);
  return reason == std::end(kTfliteReasons) ? kNotYet : reason->obstacle;
}

}  // namespace

std::vector<OperatorSupport> operators_of(NetFormat format) {
  std::vector<OperatorSupport> list;
  if (format == NetFormat::Onnx)
    list.assign(std::begin(kOnnx), std::end(kOnnx));
  else
    for (const std::string_view name : kTflite) list.push_back({{}, name, tflite_obstacle(name)});
  std::ranges::sort(list, {}, [](const OperatorSupport& each) { return std::tuple(each.domain, each.name); });
  return list;
}

std::string_view obstacle_of(NetFormat format, std::string_view domain, std::string_view name) {
  if (format == NetFormat::Onnx) {
    if (find_onnx_operator(domain, name)) return {};
    for (const OperatorSupport& each : kOnnx) {
      if (each.domain == domain && each.name == name) return each.obstacle;
    }
    return domain.empty() ? "unknown operator" : "unknown domain or operator";
  }
  if (!domain.empty()) return "custom operator";
  return std::ranges::contains(kTflite, name) ? tflite_obstacle(name) : "unknown operator";
}

}  // namespace slipway::importer
