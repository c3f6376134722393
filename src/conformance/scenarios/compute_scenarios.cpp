// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios of compute shaders: tensors, barriers, push constants, specialization constants.
#include <algorithm>
#include <cstdint>
#include <span>

#include "base/format.hpp"
#include "conformance/scenarios/scenarios.hpp"

namespace slipway::conformance {
namespace {

std::vector<double> numbers(std::size_t count, double first = 0) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<double>(i);
  return values;
}

// --- tensors ---------------------------------------------------------------------------------------------------------

struct TensorFormat {
  std::string_view format, type;
};
constexpr TensorFormat kTensorFormats[] = {
    {"R8_SINT", "int8_t"},       {"R8_UINT", "uint8_t"},  {"R16_SINT", "int16_t"}, {"R16_UINT", "uint16_t"},
    {"R32_SINT", "int"},         {"R32_UINT", "uint"},    {"R64_SINT", "int64_t"}, {"R64_UINT", "uint64_t"},
    {"R16_SFLOAT", "float16_t"}, {"R32_SFLOAT", "float"}, {"R64_SFLOAT", "double"}};

std::string tensor_resource(std::string_view uid, std::string_view format, const std::string& dims,
                            std::string_view more = "") {
  return formatted(
      R"({{"tensor": {{"uid": "{}", "dims": [{}], "format": "VK_FORMAT_{}", "shader_access": "readwrite"{}}}}})", uid,
      dims, format, more);
}

// The elements of a tensor of each rank, copied in reverse order.
ScenarioCase reversed_tensor(const TensorFormat& of, std::size_t rank) {
  constexpr std::size_t kExtents[] = {3, 1, 2, 1, 2, 2};  // from the innermost one
  std::string dims, loops, at, reversed;
  std::size_t count = 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t extent = kExtents[rank - 1 - d];
    count *= extent;
    const std::string_view comma = d == 0 ? "" : ", ";
    append_formatted(dims, "{}{}", comma, extent);
    append_formatted(loops, "for (uint i{0} = 0; i{0} < tensorSizeARM(from, {0}); ++i{0}) ", d);
    append_formatted(at, "{}i{}", comma, d);
    append_formatted(reversed, "{0}tensorSizeARM(from, {1}) - 1 - i{1}", comma, d);
  }
  const std::string code = formatted(
      "#extension GL_ARM_tensors : require\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
      "layout(set = 0, binding = 0) uniform tensorARM<{0}, {1}> from;\n"
      "layout(set = 0, binding = 1) uniform tensorARM<{0}, {1}> to;\n"
      "void main() {{ {2} {{ {0} v; tensorReadARM(from, uint[]({3}), v); tensorWriteARM(to, uint[]({4}), v); }} }}\n",
      of.type, rank, loops, at, reversed);
  std::vector<double> values = numbers(count, 1);
  const std::string data = formatted(R"(, "data": {})", number_list(values));
  std::ranges::reverse(values);
  const std::string expect = formatted(R"(, "expect": {{"data": {}}})", number_list(values));
  return {formatted("rank {}", rank), scenario_of({compute_shader(code), tensor_resource("from", of.format, dims, data),
                                                   tensor_resource("to", of.format, dims, expect)},
                                                  {dispatch({"from", "to"})})};
}

// --- barriers --------------------------------------------------------------------------------------------------------

constexpr std::string_view kImplicit = "implicit", kMemory = "memory", kBuffer = "buffer", kImage = "image";
constexpr std::size_t kSteps = 16, kElements = 4096;

std::string barrier_resource(std::string_view kind) {
  const std::string_view more = kind == kBuffer ? R"("buffer_resource": "x", "size": 16384, )"
                                : kind == kImage
                                    ? R"("image_resource": "x", "old_layout": "general", "new_layout": "general", )"
                                    : "";
  return formatted(R"({{"{}_barrier": {{"uid": "barrier", {}"src_access": "compute_shader_write", )"
                   R"("dst_access": "compute_shader_read", "src_stage": ["compute"], "dst_stage": ["compute"]}}}})",
                   kind, more);
}

// Each step reads what another invocation of the step before has written.
std::string steps_with(std::string_view kind) {
  const bool is_image = kind == kImage;
  const std::string code = formatted(
      "layout(local_size_x = 64) in;\n{}\nvoid main() {{ int i = int(gl_GlobalInvocationID.x), from = (i + 1021) % "
      "{};\n  {} }}\n",
      is_image ? "layout(set = 0, binding = 0, r32i) readonly uniform iimage2D a;\n"
                 "layout(set = 0, binding = 1, r32i) writeonly uniform iimage2D b;"
               : "layout(set = 0, binding = 0) readonly buffer A { int a[]; };\n"
                 "layout(set = 0, binding = 1) writeonly buffer B { int b[]; };",
      kElements, is_image ? "imageStore(b, ivec2(i, 0), imageLoad(a, ivec2(from, 0)) + 1);" : "b[i] = a[from] + 1;");
  const std::vector<double> first = numbers(kElements);
  std::vector<double> last(kElements);
  for (std::size_t i = 0; i < kElements; ++i) last[i] = static_cast<double>((i + 1021 * kSteps) % kElements + kSteps);
  // `values` as contents, and as what is expected.
  const auto contents = [&](const std::vector<double>& values) {
    const std::string list = number_list(values);
    return is_image ? formatted(R"("data": {})", list) : formatted(R"("data": {{"type": "i32", "values": {}}})", list);
  };
  const auto resource = [&](std::string_view uid, const std::string& more) {
    return is_image ? formatted(R"({{"image": {{"uid": "{}", "dims": [{}, 1], "format": "VK_FORMAT_R32_SINT", )"
                                R"("shader_access": "readwrite", "tiling": "OPTIMAL", {}}}}})",
                                uid, kElements, more)
                    : formatted(R"({{"buffer": {{"uid": "{}", "size": {}, "shader_access": "readwrite", {}}}}})", uid,
                                4 * kElements, more);
  };
  std::vector<std::string> commands;
  const std::string groups = formatted("[{}]", kElements / 64);
  for (std::size_t step = 0; step < kSteps; ++step) {
    const bool even = step % 2 == 0, last_step = step + 1 == kSteps;
    commands.push_back(dispatch({even ? "x" : "y", even ? "y" : "x"}, groups,
                                kind == kImplicit ? "" : R"(, "implicit_barrier": false)"));
    if (kind == kImplicit || last_step) continue;
    commands.push_back(formatted(R"({{"dispatch_barrier": {{"{}_barrier_refs": ["{}"]}}}})", kind,
                                 kind == kMemory || !even ? "barrier" : "other"));
  }
  std::vector<std::string> resources = {compute_shader(code)};
  // The last step writes `x`.
  resources.push_back(resource("x", formatted(R"({}, "expect": {{{}}})", contents(first), contents(last))));
  resources.push_back(resource("y", contents(first)));
  if (kind != kImplicit) {
    resources.push_back(barrier_resource(kind));
    if (kind != kMemory) {
      std::string other = barrier_resource(kind);
      other.replace(other.find("\"barrier\""), 9, "\"other\"");
      const std::size_t of = other.find("\"x\"");
      resources.push_back(other.replace(of, 3, "\"y\""));
    }
  }
  return scenario_of(resources, commands);
}

// --- constants -------------------------------------------------------------------------------------------------------

constexpr std::size_t kPushSizes[] = {4, 8, 12, 16, 32, 64, 124, 128, 256};

struct SpecializedType {
  std::string_view name, type, extension;
  std::vector<std::pair<std::string_view, double>> values;  // in JSON, and as a float
};
const std::vector<SpecializedType>& specialized() {
  constexpr std::string_view kExplicit = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
  static const std::vector<SpecializedType> types = {
      {"bool", "bool", "", {{"true", 1}, {"false", 0}}},
      {"int", "int", "", {{"-7", -7}, {"2147483647", 2147483647}, {"-2147483648", -2147483648.0}}},
      {"uint", "uint", "", {{"0", 0}, {"16777216", 16777216}}},
      {"float", "float", "", {{"1", 1}, {"-0.375", -0.375}}},
      {"double", "double", "", {{"1", 1}, {"-0.375", -0.375}}},
      {"int8", "int8_t", kExplicit, {{"-128", -128}, {"127", 127}}},
      {"uint16", "uint16_t", kExplicit, {{"65535", 65535}}},
      {"int64", "int64_t", kExplicit, {{"-1099511627776", -1099511627776.0}}},
      {"half", "float16_t", kExplicit, {{"-0.375", -0.375}, {"2048", 2048}}}};
  return types;
}
constexpr std::string_view kGroupSize = "group_size", kArrayLength = "array_length";

}  // namespace

std::vector<std::string> tensor_formats() {
  std::vector<std::string> names;
  for (const TensorFormat& one : kTensorFormats) names.emplace_back(one.format);
  return names;
}

std::vector<ScenarioCase> tensor_scenarios(std::string_view format) {
  const TensorFormat& of = *std::ranges::find(kTensorFormats, format, &TensorFormat::format);
  std::vector<ScenarioCase> cases;
  for (std::size_t rank = 1; rank <= 6; ++rank) cases.push_back(reversed_tensor(of, rank));
  return cases;
}

std::vector<std::string> barrier_kinds() {
  return {std::string(kImplicit), std::string(kMemory), std::string(kBuffer), std::string(kImage)};
}

std::vector<ScenarioCase> barrier_scenarios(std::string_view kind) {
  return {{formatted("{} steps", kSteps), steps_with(kind)}};
}

std::vector<std::string> push_constant_sizes() {
  std::vector<std::string> names;
  for (const std::size_t size : kPushSizes) names.push_back(formatted("{}", size));
  return names;
}

std::vector<ScenarioCase> push_constant_scenarios(std::string_view size) {
  const std::size_t count = static_cast<std::size_t>(std::stoul(std::string(size))) / 4;
  const std::vector<double> values = numbers(count, 100);
  const std::string data =
      formatted(R"({{"raw_data": {{"uid": "pushed", "data": {{"type": "u32", "values": {}}}}}}})", number_list(values));
  const std::string code = formatted(
      "layout(push_constant) uniform P {{ uint p[{}]; }};\nlayout(set = 0, binding = 0) writeonly buffer Y {{ uint "
      "y[]; }};\n"
      "void main() {{ for (int i = 0; i < {}; ++i) y[i] = p[i]; }}\n",
      count, count);
  return {{"copied", scenario_of({compute_shader(code), data, buffer_expecting("y", "u32", values)},
                                 {dispatch({"y"}, "[1]", R"(, "push_data_ref": "pushed")")})}};
}

std::vector<std::string> specialized_types() {
  std::vector<std::string> names;
  for (const SpecializedType& type : specialized()) names.emplace_back(type.name);
  names.insert(names.end(), {std::string(kGroupSize), std::string(kArrayLength)});
  return names;
}

std::vector<ScenarioCase> specialization_scenarios(std::string_view type) {
  constexpr std::string_view kResult = "layout(set = 0, binding = 0) writeonly buffer Y { float y[]; };\n";
  const auto constants = [](std::string_view value) {
    return formatted(R"(, "specialization_constants": [{{"id": 5, "value": {}}}])", value);
  };
  const auto made = [&](std::string name, const std::string& code, std::string_view value,
                        const std::vector<double>& expected) {
    return ScenarioCase{std::move(name),
                        scenario_of({compute_shader(code, constants(value)), buffer_expecting("y", "f32", expected)},
                                    {dispatch({"y"})})};
  };
  if (type == kGroupSize) {
    return {made("of an id",
                 formatted("layout(local_size_x_id = 5) in;\n{}void main() {{ y[gl_LocalInvocationID.x] = "
                           "float(gl_WorkGroupSize.x + gl_LocalInvocationID.x); }}\n",
                           kResult),
                 "6", numbers(6, 6))};
  }
  if (type == kArrayLength) {
    return {made("of a constant",
                 formatted("layout(constant_id = 5) const int kLength = 2;\n{}void main() {{ float a[kLength];\n"
                           "  for (int i = 0; i < kLength; ++i) a[i] = float(i * a.length());\n"
                           "  for (int i = 0; i < kLength; ++i) y[i] = a[kLength - 1 - i]; }}\n",
                           kResult),
                 "5", {20, 15, 10, 5, 0})};
  }
  const SpecializedType& of = *std::ranges::find(specialized(), type, &SpecializedType::name);
  std::vector<ScenarioCase> cases;
  for (const auto& [value, expected] : of.values) {
    cases.push_back(made(std::string(value),
                         formatted("{}layout(constant_id = 5) const {} kValue = {}(0);\n{}void main() {{ y[0] = "
                                   "float(kValue); }}\n",
                                   of.extension, of.type, of.type, kResult),
                         value, {expected}));
  }
  return cases;
}

}  // namespace slipway::conformance
