// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cerrno>
#include <charconv>
#include <cstdlib>

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/base64.hpp"
#include "cli/content.hpp"
#include "cli/model/conversion.hpp"
#include "cli/model/import_options.hpp"
#include "cli/option_groups.hpp"
#include "launch/run.hpp"
#include "shader/compile.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kBespoke = "com.arm.bespoke";

template <class E>
struct WordOf {
  std::string_view word;
  E value;
};

constexpr WordOf<convert::TypeNarrowing> kNarrowings[] = {{"none", convert::TypeNarrowing::None},
                                                          {"partial", convert::TypeNarrowing::Partial},
                                                          {"full", convert::TypeNarrowing::Full},
                                                          {"full_preserve_io", convert::TypeNarrowing::FullPreserveIo}};
constexpr WordOf<Emit> kEmits[] = {{"vgf", Emit::Vgf},
                                   {"tosa", Emit::Tosa},
                                   {"tosa-text", Emit::TosaText},
                                   {"mlir", Emit::Mlir},
                                   {"spirv-asm", Emit::SpirvAssembly}};
constexpr WordOf<convert::PartitionOrder> kOrders[] = {{"bfs", convert::PartitionOrder::BreadthFirst},
                                                       {"program", convert::PartitionOrder::Program}};
constexpr WordOf<convert::ShaderCheck> kShaderChecks[] = {
    {"full", convert::ShaderCheck::Full}, {"magic", convert::ShaderCheck::Magic}, {"off", convert::ShaderCheck::Off}};
constexpr WordOf<convert::IoNames> kIoNames[] = {{"deserialized", convert::IoNames::Deserialized},
                                                 {"tensor", convert::IoNames::Tensor}};
constexpr WordOf<bool> kLogLevels[] = {{"debug", true}, {"info", false}, {"warning", false}, {"error", false}};

template <class E, std::size_t N>
void set_word(const std::string& word, const WordOf<E> (&words)[N], std::string_view option, E& to,
              Diagnostics& diagnostics) {
  std::string list;
  for (const WordOf<E>& each : words) {
    if (each.word == word) {
      to = each.value;
      return;
    }
    list += formatted("{}{}", list.empty() ? "" : ", ", each.word);
  }
  diagnostics.error(DiagnosticKind::Usage, {},
                    formatted("unknown value `{}` of {}; accepted are {}", word, option, list));
}

// A number in decimal, octal (0...) or hexadecimal (0x...).
std::optional<std::int32_t> parse_number(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  if (errno != 0 || text.empty() || *end != '\0' || value != static_cast<std::int32_t>(value)) return std::nullopt;
  return static_cast<std::int32_t>(value);
}

void read_shader(const std::string& name, const std::string& path,
                 std::map<std::string, convert::GivenCode, std::less<>>& given, Diagnostics& diagnostics) {
  protect_input(path);
  const auto file = diagnostics.take(map_file(path));
  if (!file) return;
  const auto language = shader::detect(path, file->bytes());
  if (!language) {
    diagnostics.error(DiagnosticKind::NotRecognised, SourceLocation::in_file(path),
                      "the shader language cannot be determined from the suffix");
  } else if (*language == shader::Language::Glsl || *language == shader::Language::Hlsl) {
    given[name] = {*language == shader::Language::Glsl ? convert::ShaderLanguage::Glsl : convert::ShaderLanguage::Hlsl,
                   std::string(text_of(file->bytes()))};
  } else {
    const auto compiled =
        diagnostics.take(shader::compile(make_source(path, std::string(text_of(file->bytes()))), *language));
    if (compiled) given[name] = {convert::ShaderLanguage::Spirv, to_base64(std::as_bytes(std::span(compiled->words)))};
  }
}

// `1x8x8x3`
std::optional<tensor::Shape> parse_shape(std::string_view text) {
  tensor::Shape shape;
  while (true) {
    std::int64_t extent = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (failed != std::errc() || extent < 1) return std::nullopt;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return shape;
    if (text[0] != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
}

}  // namespace

std::map<std::string, convert::GivenCode, std::less<>> given_code(const std::vector<std::string>& shaders,
                                                                  Diagnostics& diagnostics) {
  std::map<std::string, convert::GivenCode, std::less<>> given;
  for (const std::string& text : shaders) {
    const std::size_t equals = text.find('=');
    read_shader(text.substr(0, equals), text.substr(equals + 1), given, diagnostics);
  }
  return given;
}

ConversionLine::ConversionLine(CommandLine& line, ConversionOptions& options, const std::string& input)
    : line_(line), options_(options) {
  line.add_option(input, options.input,
                  "the model: ONNX, TensorFlow Lite, `.tosa`, MLIR, a graph as text, or VGF; `-` is standard input");
  line.add_option("-o,--output", options.output, "the file to write; `-` is standard output");
  line.add_flag("--tosa-flatbuffer", flatbuffer_, "write `.tosa` instead of VGF");
  line.add_option("--tosa-flatbuffer-schema", options.json_schema,
                  "with --tosa-flatbuffer: write JSON; the file must exist, but the built-in schema is used");
  line.add_flag("--dump-mlir", options.dump_passes, "print the graph after each pass to standard error");
  line.add_flag("--emit-debug-info", options.settings.spirv.debug_info,
                "put the names of operators and tensors into the SPIR-V");
  line.add_flag("--disable-replicated-composites", no_replicate_,
                "do not use VK_EXT_shader_replicated_composites: write out constants of equal elements");
  line.add_flag("--require-static-shape", options.settings.require_static_shape,
                "refuse inputs with unknown dimensions");
  line.add_flag("--experimental-analysis", options.analysis,
                "report for each operator whether it can be converted, and convert if all can");
  line.add_option("--custom-op-domain-to-opcode", mappings_,
                  "DOMAIN:NUMBER: the opcode of custom operators of a domain");
  line.add_flag("--enable-bespoke", bespoke_, "the same as com.arm.bespoke:0");
  line.add_option("--type-narrowing", narrowing_, "convert float32 to float16: none, partial, full, full_preserve_io");
}

void ConversionLine::add_own_options() {
  line_.add_option("--emit", emit_, "the output: vgf, tosa, tosa-text, mlir, spirv-asm");
  line_.add_flag("--keep-shader-source", options_.settings.shader.keep_source, "store GLSL and HLSL as text");
  line_.add_option("--shader-check", shader_check_, "how much of given SPIR-V is checked: full, magic, off");
  line_.add_flag("--verify", options_.verify,
                 "run model and file through the reference interpreter and compare; shaders run on a device");
  line_.add_option("--timeout", timeout_, "with --verify: seconds for each run, after which the verb fails").positive();
  add_uncompared_option(line_, options_.allow_uncompared);
  line_.add_option("--device", options_.device,
                   "with --verify, a Vulkan device: index, part of its name, or UUID (else SLIPWAY_DEVICE)");
  line_.add_option("--verify-shape", verify_shapes_, "NAME=1x8x8x3: the shape of an input with unknown dimensions");
  add_read_model_options(line_, options_.model);
  line_.add_option("--io-names", io_names_, "names of a `.tosa` model's inputs and outputs: deserialized, tensor");
  line_.add_option("--partition-order", order_,
                   "the order in which operators are visited: bfs (breadth first), program");
  line_.add_flag(
      "--rematerialize-rescale", options_.settings.rematerialize_rescale,
      "repeat widening RESCALEs in each segment that needs them, so that tensors between segments stay narrow");
  line_.add_flag("--no-fold", no_fold_, "keep operators that fold: on constants, without effect, PAD before windows");
  line_.add_flag("--allow-overflow", options_.settings.narrow.allow_overflow,
                 "let constants beyond the range of float16 become infinite");
  line_.add_option("--log-level", log_level_, "debug, info, warning, error");
  line_.add_flag("--explain-partitions", options_.explain, "FILE",
                 "print which operators run together, and why; with FILE also write a page (.html) or a diagram for "
                 "Graphviz");
  line_.add_option("--report", options_.report, "write the requirements on a device as JSON; `-` is standard output");
}

void ConversionLine::parse_rest(Diagnostics& diagnostics) {
  options_.settings.spirv.replicate = !no_replicate_;
  options_.settings.shader.debug_info = options_.settings.spirv.debug_info;
  options_.settings.simplify.fold = !no_fold_;
  set_word(narrowing_, kNarrowings, "--type-narrowing", options_.settings.narrow.mode, diagnostics);
  options_.verification.narrowed = options_.settings.narrow.mode != convert::TypeNarrowing::None;
  set_word(emit_, kEmits, "--emit", options_.emit, diagnostics);
  set_word(order_, kOrders, "--partition-order", options_.settings.order, diagnostics);
  set_word(shader_check_, kShaderChecks, "--shader-check", options_.settings.shader.check, diagnostics);
  options_.read = read_model_options(options_.model, diagnostics);
  options_.read.io_names = convert::IoNames::Deserialized;
  set_word(io_names_, kIoNames, "--io-names", options_.read.io_names, diagnostics);
  set_word(log_level_, kLogLevels, "--log-level", options_.debug_log, diagnostics);
  if (flatbuffer_) options_.emit = Emit::Tosa;
  const auto usage = [&](std::string text) { diagnostics.error(DiagnosticKind::Usage, {}, std::move(text)); };
  if (!options_.json_schema.empty() && options_.emit != Emit::Tosa)
    usage("--tosa-flatbuffer-schema is for --tosa-flatbuffer");
  if (timeout_ && !options_.verify) usage("--timeout needs --verify");
  if (timeout_) options_.verification.time_out = launch::time_out_of(*timeout_);
  if (options_.allow_uncompared && !options_.verify) usage("--allow-uncompared needs --verify");
  for (const std::string& text : verify_shapes_) {
    const std::size_t equals = text.find('=');
    auto shape = equals == text.npos ? std::nullopt : parse_shape(std::string_view(text).substr(equals + 1));
    if (!shape)
      usage(formatted("`{}` is not of the form NAME=1x8x8x3", text));
    else
      options_.verification.shapes[text.substr(0, equals)] = std::move(*shape);
  }
  auto& opcodes = options_.settings.spirv.custom_opcodes;
  if (bespoke_) opcodes[std::string(kBespoke)] = 0;
  for (const std::string& mapping : mappings_) {
    const std::size_t colon = mapping.rfind(':');
    const auto number = colon == mapping.npos ? std::nullopt : parse_number(mapping.substr(colon + 1));
    if (colon == mapping.npos || colon == 0 || !number) {
      usage(formatted("Bad custom op domain mapping: {}", mapping));
    } else if (mapping.substr(0, colon) == kBespoke) {
      usage(
          formatted("Bad custom op domain mapping: com.arm.bespoke is reserved. Use --enable-bespoke instead of "
                    "--custom-op-domain-to-opcode {}",
                    mapping));
    } else {
      opcodes[mapping.substr(0, colon)] = static_cast<std::uint32_t>(*number);
    }
  }
}

}  // namespace slipway::cli
