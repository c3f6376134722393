// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "foreign/recognise.hpp"

#include <algorithm>
#include <cctype>

#include "base/elf.hpp"
#include "base/format.hpp"
#include "base/mlir_bytecode.hpp"
#include "foreign/containers.hpp"

namespace slipway::foreign {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kSearched = 1 << 16;  // of a text; files may be large

std::string_view beginning(const ForeignFile& file) { return file.text().substr(0, kSearched); }

// Whether the file has text at an offset.
bool has_at(const ForeignFile& file, std::size_t offset, std::string_view magic) {
  return file.bytes.size() >= offset && file.text().substr(offset).starts_with(magic);
}

bool is_text(const ForeignFile& file) { return !file.bytes.empty() && !beginning(file).contains('\0'); }

// Text in a language other than JSON, whose strings may hold anything.
bool is_code(const ForeignFile& file) {
  const std::size_t first = beginning(file).find_first_not_of(" \t\r\n");
  return is_text(file) && first != std::string_view::npos && beginning(file)[first] != '{';
}

bool zip_has(const ForeignFile& file, bool (*matches)(std::string_view name)) {
  return is_zip(file.bytes) && std::ranges::any_of(zip_names(file.bytes), matches);
}

// --- models as protocol buffers --------------------------------------------------------------------------------------

// Message Model of Core ML: a version, a description, and one field of 200 or more, the kind of model.
bool is_core_ml(const ForeignFile& file) {
  if (file.directory) {
    return file_exists(file.path / "Manifest.json") && directory_exists(file.path / "Data" / "com.apple.CoreML");
  }
  if (zip_has(file, [](std::string_view name) { return name.contains("com.apple.CoreML"); })) return true;
  const auto fields = proto_fields(file.bytes);
  return !fields.empty() && fields.front().number == 1 && !fields.front().is_message &&
         std::ranges::any_of(fields, [](const ProtoField& field) {
           return field.number >= 200 && field.number <= 3000 && field.is_message;
         });
}

// Message SavedModel: a version (1) and graphs (2), each of which begins with its own description (1).
bool is_saved_model(const ForeignFile& file) {
  if (file.directory) return file_exists(file.path / "saved_model.pb") || file_exists(file.path / "saved_model.pbtxt");
  const auto fields = proto_fields(file.bytes);
  return fields.size() >= 2 && fields[0].number == 1 && !fields[0].is_message &&
         std::ranges::all_of(fields.begin() + 1, fields.end(), [](const ProtoField& field) {
           return field.number == 2 && text_of(field.contents).starts_with('\x0a') &&
                  !proto_fields(field.contents).empty();
         });
}

// Message GraphDef of TensorFlow: nodes (1), each with a name (1) and an operator (2).
bool is_tensorflow_graph(const ForeignFile& file) {
  const auto fields = proto_fields(file.bytes);
  if (fields.empty() || fields.front().number != 1 || !fields.front().is_message) return false;
  const auto node = proto_fields(fields.front().contents);
  return node.size() >= 2 && node[0].number == 1 && node[0].is_message && node[1].number == 2 && node[1].is_message &&
         std::ranges::all_of(fields, [](const ProtoField& field) { return field.number <= 4; });
}

// --- PyTorch, Keras and other archives -------------------------------------------------------------------------------

bool is_exported_program(const ForeignFile& file) {
  return zip_has(file, [](std::string_view name) {
    return name.ends_with("archive_format") || name.ends_with("serialized_exported_program.json");
  });
}

bool is_torch_script(const ForeignFile& file) {
  return zip_has(file, [](std::string_view name) { return name.ends_with("/constants.pkl"); });
}

bool is_torch_pickle(const ForeignFile& file) {
  // The number that torch.save writes first in files that are not archives.
  constexpr auto kMagic = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
  if (file.text().starts_with(kMagic)) return true;
  return zip_has(file, [](std::string_view name) { return name.ends_with("data.pkl"); });
}

// A pickle of any program: PROTO with a version, and STOP at the end.
bool is_pickle(const ForeignFile& file) {
  return file.bytes.size() > 2 && file.text()[0] == '\x80' && file.text()[1] >= 2 && file.text()[1] <= 5 &&
         file.text().ends_with('.');
}

bool is_keras(const ForeignFile& file) {
  return zip_has(file, [](std::string_view name) { return name == "model.weights.h5"; });
}

bool is_npz(const ForeignFile& file) {
  return zip_has(file, [](std::string_view name) { return name.ends_with(".npy"); });
}

bool is_iree(const ForeignFile& file) {
  return has_at(file, 4, "IREE") || zip_has(file, [](std::string_view name) { return name == "module.fb"; });
}

bool is_any_zip(const ForeignFile& file) { return is_zip(file.bytes); }

// A table of tensors as JSON after its size in bytes.
bool is_safetensors(const ForeignFile& file) {
  if (file.bytes.size() < 10) return false;
  const auto size = load<std::uint64_t>(file.bytes.data());
  return size >= 2 && size <= file.bytes.size() - 8 && file.text()[8] == '{' && beginning(file).contains("\"dtype\"");
}

// --- MLIR of other dialects ------------------------------------------------------------------------------------------

// MLIR that names an operator of a dialect and no operator of TOSA. What bytecode names is in its table of dialects;
// its weights may contain any letters.
bool has_dialect(const ForeignFile& file, std::string_view dialect) {
  if (const auto bytecode = read_mlir_bytecode(file.bytes)) {
    const std::vector<std::string_view> dialects = dialects_of(*bytecode);
    return std::ranges::contains(dialects, dialect) && !std::ranges::contains(dialects, "tosa");
  }
  const std::string_view text = beginning(file);
  return is_text(file) && text.contains("func") && text.contains('%') && !text.contains("tosa.") &&
         std::ranges::any_of(std::string_view(" \"!"),
                             [&](char before) { return text.contains(formatted("{}{}.", before, dialect)); });
}

bool is_stable_hlo(const ForeignFile& file) {
  const auto bytecode = read_mlir_bytecode(file.bytes);
  return (bytecode && bytecode->producer.starts_with("StableHLO_v")) || has_dialect(file, "stablehlo") ||
         has_dialect(file, "vhlo") || has_dialect(file, "mhlo");
}
bool is_torch_mlir(const ForeignFile& file) { return has_dialect(file, "torch"); }
bool is_tensorflow_mlir(const ForeignFile& file) { return has_dialect(file, "tfl") || has_dialect(file, "tf"); }
bool is_linalg(const ForeignFile& file) { return has_dialect(file, "linalg"); }

bool is_tosa_json(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  return is_text(file) && text.contains("\"regions\"") && text.contains("\"blocks\"") && text.contains("\"operators\"");
}

// The keys are in alphabetical order, and constants come first.
bool is_vgf_listing(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  const bool has_constants = text.contains("\"mrt_index\"") && text.contains("\"sparsity_dimension\"");
  return is_text(file) && !is_code(file) &&
         ((text.contains("\"model_sequence\"") && text.contains("\"header\"")) || has_constants);
}

// --- shaders ---------------------------------------------------------------------------------------------------------

bool is_wgsl(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  return is_code(file) && text.contains("fn ") &&
         (text.contains("@compute") || text.contains("@vertex") || text.contains("@fragment") ||
          text.contains("@group("));
}

bool is_slang(const ForeignFile& file) {
  return is_code(file) && (beginning(file).contains("[shader(\"") || file.has_suffix(".slang"));
}

// Scripts of tests, which have shaders in them.
bool is_amber(const ForeignFile& file) { return file.text().starts_with("#!amber"); }

bool is_shader_test(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  return is_code(file) && (file.has_suffix(".shader_test") || file.has_suffix(".vk_shader_test") ||
                           (text.contains("[test]\n") && text.contains(" shader")));
}

bool is_metal(const ForeignFile& file) {
  return file.text().starts_with("MTLB") || (is_code(file) && beginning(file).contains("#include <metal_stdlib>"));
}

bool is_open_cl(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  return is_code(file) && (text.contains("__kernel ") || (file.has_suffix(".cl") && text.contains("kernel ")));
}

bool is_cuda(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  constexpr std::uint16_t kCuda = 190;  // machine of ELF
  if (is_elf(file.bytes)) return file.bytes.size() >= 20 && load<std::uint16_t>(&file.bytes[18]) == kCuda;
  return is_code(file) && (text.contains("__global__ ") || (text.contains(".target sm_") && text.contains(".version")));
}

// --- archives and others ---------------------------------------------------------------------------------------------

bool is_compressed(const ForeignFile& file) {
  constexpr std::array kMagic = {"\x1f\x8b"sv,
                                 "BZh"sv,
                                 "\xfd"
                                 "7zXZ\0"sv,
                                 "\x28\xb5\x2f\xfd"sv,
                                 "7z\xbc\xaf\x27\x1c"sv,
                                 "Rar!\x1a\x07"sv};
  return std::ranges::any_of(kMagic, [&](std::string_view magic) { return file.text().starts_with(magic); });
}

bool is_tar(const ForeignFile& file) { return has_at(file, 257, "ustar"); }

bool is_npu_archive(const ForeignFile& file) { return is_recipe_archive(file.bytes); }

bool is_program(const ForeignFile& file) {
  constexpr std::array kMagic = {
      "\x7f"
      "ELF"sv,
      "MZ"sv,
      "\xcf\xfa\xed\xfe"sv,
      "\xca\xfe\xba\xbe"sv,
      "\0asm"sv,
      "!<arch>\n"sv};
  return std::ranges::any_of(kMagic, [&](std::string_view magic) { return file.text().starts_with(magic); });
}

bool is_other_picture(const ForeignFile& file) {
  constexpr std::array kMagic = {"\xff\xd8\xff"sv, "GIF8"sv, "II*\0"sv, "MM\0*"sv, "#?RADIANCE"sv, "qoif"sv};
  if (has_at(file, 0, "RIFF") && has_at(file, 8, "WEBP")) return true;
  if (has_at(file, 0, "BM") && file.bytes.size() >= 6 && load<std::uint32_t>(&file.bytes[2]) == file.bytes.size())
    return true;
  return std::ranges::any_of(kMagic, [&](std::string_view magic) { return file.text().starts_with(magic); });
}

bool is_gltf(const ForeignFile& file) {
  return file.text().starts_with("glTF") ||
         (is_text(file) && beginning(file).contains("\"asset\"") && beginning(file).contains("\"accessors\""));
}

bool is_open_vino(const ForeignFile& file) {
  const std::string_view text = beginning(file);
  return is_text(file) && text.contains("<net name=") && text.contains("<layer");
}

// Magic numbers that no other format has.
constexpr char kPng[] = "\x89PNG\r\n\x1a\n", kHdf5[] = "\x89HDF\r\n\x1a\n", kKtx2[] = "\xabKTX 20\xbb\r\n\x1a\n",
               kKtx1[] = "\xabKTX 11\xbb\r\n\x1a\n";
template <const auto& magic>
bool starts_with(const ForeignFile& file) {
  return file.text().starts_with(std::string_view(magic));
}
constexpr char kNumpy[] = "\x93NUMPY", kDds[] = "DDS ", kExr[] = "\x76\x2f\x31\x01", kPdf[] = "%PDF-", kGguf[] = "GGUF",
               kDxbc[] = "DXBC", kLlvm[] = "BC\xc0\xde", kRenderDoc[] = "RDOC", kGfxr[] = "GFXR",
               kBundle[] = "__CLANG_OFFLOAD_BUNDLE__", kCompressedBundle[] = "CCOB", kOffload[] = "\x10\xff\x10\xad";
bool is_onnx_runtime(const ForeignFile& file) { return has_at(file, 4, "ORTM"); }

constexpr std::string_view kRunMlir = "slipway run {stem}.mlir";

// Specific formats come before those that contain them: archives, programs and texts last.
constexpr ForeignFormat kForeignFormats[] = {
    // models
    {"onnx-runtime",
     "a model in the format of ONNX Runtime",
     "start from the .onnx file that it was made from",
     {"slipway run {stem}.onnx"},
     is_onnx_runtime},
    {"core-ml",
     "a Core ML model",
     "export the model that it was made from: from PyTorch as ONNX, from TensorFlow as TensorFlow Lite",
     {},
     is_core_ml},
    {"saved-model",
     "a TensorFlow SavedModel",
     "convert it to TensorFlow Lite",
     {"tflite_convert --saved_model_dir=DIRECTORY --output_file={stem}.tflite", "slipway run {stem}.tflite"},
     is_saved_model},
    {"tensorflow-graph",
     "a TensorFlow graph",
     "export the model as a SavedModel, and convert that to TensorFlow Lite",
     {"tflite_convert --saved_model_dir=DIRECTORY --output_file={stem}.tflite", "slipway run {stem}.tflite"},
     is_tensorflow_graph},
    {"keras",
     "a Keras model",
     "convert it to TensorFlow Lite",
     {"python3 -c \"import keras; keras.saving.load_model('{file}').export('{stem}.tflite', format='litert')\"",
      "slipway run {stem}.tflite"},
     is_keras},
    {"hdf5",
     "an HDF5 file, which holds a Keras model or arrays",
     "convert a Keras model to TensorFlow Lite",
     {"tflite_convert --keras_model_file={file} --output_file={stem}.tflite", "slipway run {stem}.tflite"},
     starts_with<kHdf5>},
    {"exported-program",
     "a PyTorch program (torch.export)",
     "lower it to TOSA with torch-mlir",
     {"python3 -c \"import torch, torch_mlir.fx as fx; open('{stem}.mlir', 'w').write("
      "str(fx.export_and_import(torch.export.load('{file}'), output_type='tosa')))\"",
      kRunMlir},
     is_exported_program},
    {"torch-script",
     "a TorchScript module",
     "export the PyTorch model with torch.export instead, and lower it to TOSA with torch-mlir",
     {"python3 -c \"import torch, torch_mlir.fx as fx; open('{stem}.mlir', 'w').write("
      "str(fx.export_and_import(torch.export.load('{stem}.pt2'), output_type='tosa')))\"",
      kRunMlir},
     is_torch_script},
    {"torch-pickle",
     "a PyTorch checkpoint: weights without a graph",
     "load it into its model, export that with torch.export, and lower it to TOSA with torch-mlir",
     {"python3 -c \"import torch, torch_mlir.fx as fx; open('{stem}.mlir', 'w').write("
      "str(fx.export_and_import(torch.export.load('{stem}.pt2'), output_type='tosa')))\"",
      kRunMlir},
     is_torch_pickle},
    {"iree", "a module that IREE compiled", "start from the MLIR that it was compiled from", {kRunMlir}, is_iree},
    {"open-vino",
     "an OpenVINO model",
     "start from the ONNX or TensorFlow model that it was made from",
     {},
     is_open_vino},
    {"stablehlo",
     "a StableHLO program",
     "lower it to TOSA",
     {"stablehlo-opt --stablehlo-legalize-to-tosa {file} -o {stem}.tosa.mlir", "slipway run {stem}.tosa.mlir"},
     is_stable_hlo},
    {"torch-mlir",
     "MLIR of torch-mlir",
     "lower it to TOSA",
     {"torch-mlir-opt --torch-backend-to-tosa-backend-pipeline {file} -o {stem}.tosa.mlir",
      "slipway run {stem}.tosa.mlir"},
     is_torch_mlir},
    {"tensorflow-mlir",
     "MLIR of TensorFlow",
     "lower it to TOSA",
     {"tf-opt --tfl-to-tosa-pipeline {file} -o {stem}.tosa.mlir", "slipway run {stem}.tosa.mlir"},
     is_tensorflow_mlir},
    {"linalg",
     "MLIR that is lowered too far: it has operators of linalg and none of TOSA",
     "stop the lowering at TOSA",
     {},
     is_linalg},
    {"tosa-json",
     "a TOSA model as JSON",
     "encode it with flatc and the schema of TOSA",
     {"flatc --binary tosa.fbs {file}", "slipway run {stem}.tosa"},
     is_tosa_json},
    {"vgf-listing",
     "the listing of a VGF file that vgf_dump prints",
     "run or inspect the VGF file",
     {"slipway run {model}", "slipway inspect {model}"},
     is_vgf_listing},
    // weights and arrays
    {"gguf",
     "a GGUF file: weights of a language model without a graph",
     "Slipway runs graphs; export the model that uses the weights as TOSA",
     {},
     starts_with<kGguf>},
    {"safetensors",
     "a safetensors file: weights without a graph",
     "export the model that uses them as TOSA; as inputs, save its tensors as .npy files",
     {"python3 -c \"import numpy as np; from safetensors.numpy import load_file; "
      "[np.save(name + '.npy', values) for name, values in load_file('{file}').items()]\""},
     is_safetensors},
    {"npz",
     "a NumPy archive of arrays",
     "save its arrays as .npy files, which scenarios and models take as inputs",
     {"python3 -c \"import numpy as np; [np.save(name + '.npy', values) for name, values in "
      "np.load('{file}').items()]\"",
      "slipway run MODEL --input NAME=NAME.npy"},
     is_npz},
    {"npy",
     "a NumPy array",
     "name it as the input of a model, or as `src` of a resource in a scenario",
     {"slipway run MODEL --input NAME={file}"},
     starts_with<kNumpy>,
     true},
    {"pickle",
     "a Python pickle",
     "save its arrays as .npy files in Python; load a pickle only if you trust its origin",
     {},
     is_pickle},
    // pictures
    {"png",
     "a PNG picture",
     "name it as `src` of an image in a scenario; examples/blur/scenario.json does",
     {"slipway check --describe image.src"},
     starts_with<kPng>,
     true},
    {"dds",
     "a DDS picture",
     "name it as `src` of an image in a scenario",
     {"slipway check --describe image.src"},
     starts_with<kDds>,
     true},
    {"ktx2",
     "a KTX2 texture",
     "name it as `src` of an image in a scenario",
     {"slipway check --describe image.src"},
     starts_with<kKtx2>,
     true},
    {"ktx",
     "a KTX texture of version 1",
     "convert it to KTX2, and name that as `src` of an image in a scenario",
     {"ktx2ktx2 {file}", "slipway check --describe image.src"},
     starts_with<kKtx1>},
    {"exr",
     "an OpenEXR picture",
     "name it as `src` of an image in a scenario",
     {"slipway check --describe image.src"},
     starts_with<kExr>,
     true},
    {"picture",
     "a picture in a format that Slipway does not read",
     "convert it to PNG, which images of scenarios take",
     {"magick {file} {stem}.png"},
     is_other_picture},
    // shaders
    {"dxil",
     "a shader that was compiled for Direct3D (DXBC or DXIL)",
     "compile its HLSL source to SPIR-V, or let Slipway compile it",
     {"slipway new {stem}.hlsl -o scenario.json", "slipway run scenario.json"},
     starts_with<kDxbc>},
    {"metal",
     "a shader for Metal",
     "write it in GLSL or HLSL",
     {"slipway new {stem}.comp -o scenario.json", "slipway run scenario.json"},
     is_metal},
    {"wgsl",
     "a WGSL shader",
     "compile it to SPIR-V",
     {"naga {file} {stem}.spv", "slipway new {stem}.spv -o scenario.json", "slipway run scenario.json"},
     is_wgsl},
    {"slang",
     "a Slang shader",
     "compile it to SPIR-V",
     {"slangc {file} -target spirv -o {stem}.spv", "slipway new {stem}.spv -o scenario.json",
      "slipway run scenario.json"},
     is_slang},
    {"amber",
     "a script of Amber",
     "copy its shader into a file; `slipway new` makes a scenario that runs it, to which the buffers are added",
     {"slipway new {stem}.comp -o scenario.json", "slipway run scenario.json"},
     is_amber},
    {"shader-test",
     "a script of a shader runner (VkRunner or Piglit)",
     "copy its shader into a file; `slipway new` makes a scenario that runs it, to which the buffers are added",
     {"slipway new {stem}.comp -o scenario.json", "slipway run scenario.json"},
     is_shader_test},
    {"cuda", "a CUDA program", "write its kernels in GLSL, HLSL or OpenCL C", {}, is_cuda},
    {"offload-bundle",
     "an offload bundle of clang (HIP, OpenMP or SYCL) without kernels for Intel GPUs",
     "Slipway inspects kernels for Intel GPUs; to run kernels, write them in GLSL, HLSL or OpenCL C",
     {"clang-offload-bundler --list --type=o --input={file}"},
     starts_with<kBundle>},
    {"compressed-offload-bundle",
     "a compressed offload bundle of clang",
     "unpack it, then inspect the kernels in it",
     {"clang-offload-bundler --list --type=o --input={file}",
      "clang-offload-bundler --unbundle --type=o --input={file} --targets=TARGET --output={stem}.o",
      "slipway inspect {stem}.o"},
     starts_with<kCompressedBundle>},
    {"offload-binary",
     "an offload binary of LLVM without kernels for Intel GPUs",
     "Slipway inspects kernels for Intel GPUs; to run kernels, write them in GLSL, HLSL or OpenCL C",
     {"llvm-offload-binary {file}"},
     starts_with<kOffload>},
    {"opencl-c",
     "an OpenCL C program",
     "name it in a kernel of a run recipe; examples/opencl does",
     {"slipway run recipe.json --backend opencl"},
     is_open_cl},
    {"llvm",
     "LLVM bitcode",
     "compile its source to SPIR-V",
     {"slipway new {stem}.spv -o scenario.json", "slipway run scenario.json"},
     starts_with<kLlvm>},
    // captures, scenes, documents, archives, programs
    {"renderdoc",
     "a capture of RenderDoc",
     "save its shaders as SPIR-V in RenderDoc",
     {"slipway new SHADER.spv -o scenario.json", "slipway run scenario.json"},
     starts_with<kRenderDoc>},
    {"gfxreconstruct",
     "a capture of GFXReconstruct",
     "extract its shaders",
     {"gfxrecon-extract {file}", "slipway new SHADER.spv -o scenario.json", "slipway run scenario.json"},
     starts_with<kGfxr>},
    {"gltf",
     "a glTF scene",
     "Slipway runs shaders and draws with vertices from buffers; examples/triangle shows a draw",
     {"slipway run examples/triangle/scenario.json"},
     is_gltf},
    {"pdf", "a PDF document", "the pages of Slipway list what it runs", {"slipway --help"}, starts_with<kPdf>},
    {"zip", "a ZIP archive", "unpack it", {"unzip {file}"}, is_any_zip},
    {"tar", "a tar archive", "unpack it", {"tar -xf {file}"}, is_tar},
    {"compressed", "a compressed file or archive", "unpack it", {"tar -xf {file}", "7z x {file}"}, is_compressed},
    {"recipe-archive",
     "an archive with a run recipe for an NPU",
     "`slipway validate` runs those of validation tests; unpack others, and run the recipe with its profile",
     {"slipway validate {file}", "ar x {file}", "slipway run RECIPE.json --profile PROFILE.json"},
     is_npu_archive},
    {"program",
     "a program or library for a CPU",
     "of ELF files Slipway reads Intel GPU kernels, files that contain them, and NPU control code; CPU libraries are "
     "functions of run recipes "
     "(docs/cpu_functions.md)",
     {},
     is_program},
};

// Replaces the placeholders of a command.
std::string filled_in(std::string_view command, const std::string& file) {
  const Path path = file == "<stdin>" ? Path("FILE") : Path(file);
  std::string text(command);
  const auto replace = [&](std::string_view placeholder, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += by.size())
      text.replace(at, placeholder.size(), by);
  };
  const std::string whole = path.string(), stem = path.stem().string();
  replace("{file}", whole);
  replace("{stem}", stem);
  // (The separators stay as they are.)
  const std::string directory = whole.substr(0, whole.size() - path.filename().string().size());
  replace("{model}", directory + (stem.ends_with(".vgf") ? stem : stem + ".vgf"));
  return text;
}

}  // namespace

bool ForeignFile::has_suffix(std::string_view suffix) const {
  std::string own = path.extension().string();
  std::ranges::transform(own, own.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return own == suffix;
}

std::span<const ForeignFormat> foreign_formats() { return kForeignFormats; }

const ForeignFormat* recognise(const ForeignFile& file) {
  const auto found =
      std::ranges::find_if(kForeignFormats, [&](const ForeignFormat& format) { return format.detect(file); });
  return found == std::end(kForeignFormats) ? nullptr : found;
}

Diagnostic explain(const ForeignFormat& format, const std::string& name, const Failure& own) {
  Diagnostic problem{.kind = DiagnosticKind::NotRecognised,
                     .message = formatted("the file is {}, {}", format.what,
                                          format.is_data ? "which is data for a workload and not a workload"
                                                         : "which Slipway does not read"),
                     .location = SourceLocation::in_file(name)};
  problem.hint(std::string(format.hint));
  for (const std::string_view command : format.commands) {
    if (!command.empty()) problem.note(formatted("`{}`", filled_in(command, name)));
  }
  const auto error = std::ranges::find(own, Severity::Error, &Diagnostic::severity);
  if (error != own.end()) {
    const std::string_view message = error->message;
    problem.note(formatted("the reader: {}", message.substr(0, message.find_last_not_of(' ') + 1)), error->location);
  }
  return problem;
}

}  // namespace slipway::foreign
