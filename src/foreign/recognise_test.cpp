// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "foreign/recognise.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <random>
#include <set>

#include "base/print_diagnostic.hpp"
#include "foreign/containers.hpp"
#include "testing/scratch_directory.hpp"

namespace slipway::foreign {
namespace {

using namespace std::string_literals;

template <class T>
std::string little(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A ZIP archive of empty members.
std::string zip(const std::vector<std::string>& names) {
  std::string text, directory;
  for (const std::string& name : names) {
    directory += "PK\x01\x02"s + std::string(24, '\0') +
                 little<std::uint16_t>(static_cast<std::uint16_t>(name.size())) + std::string(12, '\0') +
                 little<std::uint32_t>(static_cast<std::uint32_t>(text.size())) + name;
    text += "PK\x03\x04"s + std::string(22, '\0') + little<std::uint16_t>(static_cast<std::uint16_t>(name.size())) +
            std::string(2, '\0') + name;
  }
  const auto count = static_cast<std::uint16_t>(names.size());
  const std::string end = "PK\x05\x06"s + std::string(4, '\0') + little(count) + little(count) +
                          little<std::uint32_t>(static_cast<std::uint32_t>(directory.size())) +
                          little<std::uint32_t>(static_cast<std::uint32_t>(text.size())) + std::string(2, '\0');
  return text + directory + end;
}

// An `ar` archive of members without names.
std::string ar(const std::vector<std::string>& members) {
  std::string text = "!<arch>\n";
  for (const std::string& member : members) {
    std::string size = std::to_string(member.size());
    size.resize(10, ' ');
    text += std::string(48, ' ') + size + "`\n" + member + std::string(member.size() % 2, '\n');
  }
  return text;
}

// A length-delimited field of a protocol buffer.
std::string field(unsigned number, const std::string& contents) {
  std::string tag;
  for (unsigned value = number << 3 | 2; value != 0; value >>= 7)
    tag += static_cast<char>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
  return tag + static_cast<char>(contents.size()) + contents;
}

std::string elf(std::uint16_t machine) {
  return "\x7f"
         "ELF\x02\x01\x01"s +
         std::string(11, '\0') + little(machine);
}

struct Sample {
  std::string format, path, contents;
};

std::vector<Sample> samples() {
  const std::string version = "\x08\x08"s;  // field 1, a varint
  const std::string node = field(1, field(1, "x") + field(2, "Placeholder"));
  return {
      {"onnx-runtime", "m.ort", "\x1c\0\0\0ORTM\x14\0"s},
      {"core-ml", "m.mlmodel", version + field(2, "about") + field(500, "layers")},
      {"core-ml", "m.zip", zip({"m.mlpackage/Data/com.apple.CoreML/model.mlmodel"})},
      {"saved-model", "saved_model.pb", "\x08\x01"s + field(2, field(1, "about"))},
      {"tensorflow-graph", "frozen.pb", node + node},
      {"keras", "m.keras", zip({"metadata.json", "config.json", "model.weights.h5"})},
      {"hdf5", "m.h5", "\x89HDF\r\n\x1a\n\0"s},
      {"exported-program", "m.pt2", zip({"m/archive_format", "m/models/model.json"})},
      {"torch-script", "m.pt", zip({"m/data.pkl", "m/code/__torch__.py", "m/constants.pkl"})},
      {"torch-pickle", "m.pth", zip({"m/data.pkl", "m/data/0"})},
      {"torch-pickle", "old.pt", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s},
      {"iree", "m.vmfb", zip({"module.fb"})},
      {"open-vino", "m.xml", "<?xml version=\"1.0\"?>\n<net name=\"m\" version=\"11\"><layers><layer id=\"0\"/>"},
      {"stablehlo", "m.mlir",
       "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %a, %a : tensor<4xf32>\n"},
      {"stablehlo", "m.mlirbc", "ML\xEFR\x0dStableHLO_v1.0.0\0"s},
      {"torch-mlir", "m.mlir", "func.func @f(%a: !torch.vtensor<[4],f32>) {\n  %0 = torch.aten.relu %a\n"},
      {"tensorflow-mlir", "m.mlir", "func.func @f(%a: tensor<4xf32>) {\n  %0 = \"tfl.add\"(%a, %a)\n"},
      {"linalg", "m.mlir", "func.func @f(%a: tensor<4xf32>) {\n  %0 = linalg.generic {\n"},
      {"tosa-json", "m.json", R"({"version": {}, "regions": [{"blocks": [{"operators": []}]}]})"},
      {"vgf-listing", "m.json",
       R"({"constants": [], "header": {"major": 0}, "model_sequence": {}, "modules": [], "resources": []})"},
      // Many constants, so that the other keys are far away.
      {"vgf-listing", "m.vgf.json", R"({"constants": [{"index": 0, "mrt_index": 4, "sparsity_dimension": -1},)"},
      {"gguf", "m.gguf", "GGUF\x03\0\0\0"s},
      {"safetensors", "m.safetensors", little<std::uint64_t>(17) + R"({"a":{"dtype":1}})" + "...."},
      {"npz", "a.npz", zip({"a.npy"})},
      {"npy", "a.npy", "\x93NUMPY\x01\0"s},
      {"pickle", "a.pkl", "\x80\x04\x95\x01."s},
      {"png", "a.png", "\x89PNG\r\n\x1a\n"s},
      {"dds", "a.dds", "DDS |\0\0\0"s},
      {"ktx2", "a.ktx2", "\xabKTX 20\xbb\r\n\x1a\n"s},
      {"ktx", "a.ktx", "\xabKTX 11\xbb\r\n\x1a\n"s},
      {"exr", "a.exr", "\x76\x2f\x31\x01\x02\0\0\0"s},
      {"picture", "a.jpg", "\xff\xd8\xff\xe0\0\x10JFIF"s},
      {"picture", "a.webp", "RIFF\x24\0\0\0WEBPVP8 "s},
      {"picture", "a.bmp", "BM\x0a\0\0\0\0\0\0\0"s},
      {"dxil", "a.dxil", "DXBC\0\0\0\0"s},
      {"metal", "a.metal", "#include <metal_stdlib>\nkernel void f() {}\n"},
      {"wgsl", "a.wgsl", "@compute @workgroup_size(64)\nfn main() {}\n"},
      {"slang", "a.slang", "[shader(\"compute\")]\nvoid main() {}\n"},
      {"cuda", "a.cu", "__global__ void add(float* a) {}\n"},
      {"cuda", "a.ptx", ".version 8.0\n.target sm_80\n"},
      {"cuda", "a.cubin", elf(190)},
      {"offload-bundle", "a.hsaco", "__CLANG_OFFLOAD_BUNDLE__\0"s},
      {"compressed-offload-bundle", "a.hsaco", "CCOB\2\0\1\0"s},
      {"offload-binary", "a.o", "\x10\xff\x10\xad\1\0\0\0"s},
      {"amber", "a.amber", "#!amber\nSHADER compute s GLSL\n#version 430\nvoid main() {}\nEND\n"},
      {"shader-test", "a.shader_test", "[compute shader]\n#version 450\nvoid main() {}\n\n[test]\ncompute 1 1 1\n"},
      {"opencl-c", "a.cl", "__kernel void add(__global float* a) {}\n"},
      {"llvm", "a.bc", "BC\xc0\xde\x35"s},
      {"renderdoc", "a.rdc", "RDOC\0\0\0\0"s},
      {"gfxreconstruct", "a.gfxr", "GFXR\0\0\0\0"s},
      {"gltf", "a.glb", "glTF\x02\0\0\0"s},
      {"gltf", "a.gltf", R"({"asset": {"version": "2.0"}, "accessors": []})"},
      {"pdf", "a.pdf", "%PDF-1.7\n"},
      {"zip", "a.zip", zip({"readme.txt"})},
      {"tar", "a.tar", std::string(257, 'a') + "ustar\0"s},
      {"compressed", "a.gz", "\x1f\x8b\x08\0"s},
      {"compressed", "a.zst", "\x28\xb5\x2f\xfd\0"s},
      {"recipe-archive", "a.a", ar({"xclbin2\0\0\0"s})},
      {"recipe-archive", "b.a", ar({"not aligned"s, R"( {"version": "1.0", "resources": {}})"})},
      {"recipe-archive", "c.a", ar({R"({"bindings": []})"})},
      {"program", "lib.a", ar({elf(62)})},
      {"program", "a.so", elf(62)},
      {"program", "a.exe", "MZ\x90\0"s},
  };
}

std::string_view name_of(const std::string& contents, const Path& path) {
  const ForeignFormat* format = recognise({.bytes = bytes_of(contents), .path = path});
  return format ? format->name : "unknown";
}

TEST(Recognise, EveryFormatByItsContents) {
  std::set<std::string_view> seen;
  for (const Sample& sample : samples()) {
    EXPECT_EQ(name_of(sample.contents, sample.path), sample.format) << sample.path;
    seen.insert(recognise({.bytes = bytes_of(sample.contents), .path = sample.path})->name);
  }
  ASSERT_FALSE(foreign_formats().empty());
  for (const ForeignFormat& format : foreign_formats()) EXPECT_TRUE(seen.contains(format.name)) << format.name;
}

// Magic numbers decide, so a name without a suffix changes nothing, except for what only the suffix shows.
TEST(Recognise, TheNameDoesNotDecide) {
  for (const Sample& sample : samples()) EXPECT_EQ(name_of(sample.contents, "x"), sample.format) << sample.path;
  EXPECT_EQ(name_of("GGUF\x03", "model.onnx"), "gguf");
  EXPECT_EQ(name_of("float f() { return 1.0; }\n", "a.slang"), "slang");
  EXPECT_EQ(name_of("kernel void f(global int* a) {}\n", "a.cl"), "opencl-c");
}

// A varint of MLIR bytecode of two bytes.
std::string number(unsigned value) { return little(static_cast<std::uint16_t>((value << 1 | 1) << 1)); }

// MLIR bytecode of a dialect, with weights in its attributes.
std::string bytecode(const std::string& dialect, const std::string& weights) {
  const auto section = [](char id, const std::string& contents) {
    return std::string(1, id) + number(static_cast<unsigned>(contents.size())) + contents;
  };
  const std::string strings = "builtin\0func\0"s + dialect + "\0"s;
  return "ML\xEFR\x0dMLIR22\0"s +
         section(0, number(3) + number(static_cast<unsigned>(dialect.size()) + 1) + number(5) + number(8) + strings) +
         section(1, number(3) + number(0) + number(2) + number(4)) + section(2, weights);
}

TEST(Recognise, BytecodeByItsTableOfDialects) {
  EXPECT_EQ(name_of(bytecode("tfl", "tosa"), "x"), "tensorflow-mlir");
  EXPECT_EQ(name_of(bytecode("tf", ""), "x"), "tensorflow-mlir");
  EXPECT_EQ(name_of(bytecode("linalg", "tosa"), "x"), "linalg");
  EXPECT_EQ(name_of(bytecode("torch", "tosa"), "x"), "torch-mlir");
  EXPECT_EQ(name_of(bytecode("stablehlo", "tosa"), "x"), "stablehlo");
  EXPECT_EQ(name_of(bytecode("tosa", "tf tfl torch linalg stablehlo vhlo StableHLO_v"), "x"), "unknown");
  const std::string whole = bytecode("tfl", "");
  for (std::size_t size = 0; size < whole.size(); ++size)
    recognise({.bytes = bytes_of(whole).first(size), .path = "x"});
}

// Weights contain any letters.
TEST(Recognise, RandomWeightsAreNotAnotherDialect) {
  std::mt19937 random(41);
  for (int i = 0; i < 10000; ++i) {
    std::string weights(400, '\0');
    for (char& each : weights) each = static_cast<char>(random());
    // One file in ten has the names in its weights for certain.
    if (i % 10 == 0) weights.replace(random() % 380, 9, i % 20 == 0 ? "tf. tfl \0"s : "linalg\0tf"s);
    ASSERT_EQ(name_of(bytecode("tosa", weights), i % 2 == 0 ? "m.mlirbc" : "m.bin"), "unknown") << i;
  }
}

TEST(Recognise, ShowsTheErrorOfTheReader) {
  const ForeignFormat* format = recognise({.bytes = bytes_of(bytecode("tfl", "")), .path = "m.mlirbc"});
  ASSERT_TRUE(format);
  const Failure own = {{.severity = Severity::Warning, .kind = DiagnosticKind::TextSyntax, .message = "first"},
                       {.kind = DiagnosticKind::TextSyntax, .message = "dialect 'tfl' is unknown"}};
  EXPECT_EQ(explain(*format, "m.mlirbc", own).notes.back().message, "the reader: dialect 'tfl' is unknown");
}

TEST(Recognise, NothingElse) {
  for (const std::string& contents :
       {""s, "\1\2"s, "hello"s, "{\"greeting\": \"@compute fn __kernel \"}"s, "#version 460\nvoid main() {}\n"s, "PK"s,
        "\x08"s, "\x80"s, "func.func @compute(%a: tensor<1xf32>) { tosa.add }\n// stablehlo.add"s}) {
    EXPECT_EQ(name_of(contents, "file"), "unknown") << contents;
  }
}

// Each entry says what to do, and a command names only placeholders that exist.
TEST(Recognise, EveryFormatHasAdvice) {
  for (const ForeignFormat& format : foreign_formats()) {
    EXPECT_FALSE(format.what.empty() || format.hint.empty()) << format.name;
    const Diagnostic problem = explain(format, "directory/net.x");
    EXPECT_EQ(problem.kind, DiagnosticKind::NotRecognised);
    for (const DiagnosticNote& note : problem.notes) {
      EXPECT_FALSE(note.message.contains("{file}") || note.message.contains("{stem}") ||
                   note.message.contains("{model}"))
          << note.message;
    }
  }
}

TEST(Recognise, ExplainsWithCommands) {
  const ForeignFormat* format = recognise({.bytes = bytes_of("\x1c\0\0\0ORTM"s), .path = "models/net.ort"});
  ASSERT_TRUE(format);
  const Diagnostic problem = explain(*format, "models/net.ort");
  EXPECT_EQ(format_diagnostics({&problem, 1}, {}),
            "models/net.ort: error: the file is a model in the format of ONNX Runtime, which Slipway does not read; "
            "start from the .onnx file that it was made from [not-recognised]\n"
            "  note: `slipway run net.onnx`\n");
  const Diagnostic piped = explain(*format, "<stdin>");
  EXPECT_EQ(piped.notes.front().message, "`slipway run FILE.onnx`");
}

TEST(Recognise, NamesTheModelOfAListing) {
  const std::string text = R"({"header": {}, "model_sequence": {}})";
  const ForeignFormat* format = recognise({.bytes = bytes_of(text), .path = "a.json"});
  ASSERT_TRUE(format);
  EXPECT_EQ(explain(*format, "out/a.json").notes.front().message, "`slipway run out/a.vgf`");
  EXPECT_EQ(explain(*format, "out/a.vgf.json").notes.front().message, "`slipway run out/a.vgf`");
  EXPECT_EQ(explain(*format, "net.v2.json").notes.front().message, "`slipway run net.v2.vgf`");
  EXPECT_EQ(explain(*format, "<stdin>").notes.front().message, "`slipway run FILE.vgf`");
}

TEST(Recognise, Directories) {
  const testing::ScratchDirectory scratch;
  const Path& top = scratch.path();
  const auto name = [](const Path& path) -> std::string_view {
    const ForeignFormat* format = recognise({.path = path, .directory = true});
    return format ? format->name : "unknown";
  };
  EXPECT_EQ(name(top), "unknown");
  std::filesystem::create_directories(top / "m.mlpackage/Data/com.apple.CoreML");
  std::ofstream(top / "m.mlpackage/Manifest.json") << "{}";
  std::ofstream(top / "saved_model.pb") << "x";
  EXPECT_EQ(name(top / "m.mlpackage"), "core-ml");
  EXPECT_EQ(name(top), "saved-model");
}

TEST(Containers, ZipNamesAreBounded) {
  const std::string archive = zip({"a", "b/c"});
  EXPECT_THAT(zip_names(bytes_of(archive)), ::testing::ElementsAre("a", "b/c"));
  for (std::size_t size = 0; size < archive.size(); ++size) zip_names(bytes_of(archive).first(size));
  EXPECT_EQ(zip_names(bytes_of(zip(std::vector<std::string>(2000, "x")))).size(), 1000);
}

TEST(Containers, ProtoFields) {
  const std::string message = "\x08\x96\x01"s + field(2, "text") + field(500, "") +
                              "\x1d"
                              "1234"s;
  const auto fields = proto_fields(bytes_of(message));
  ASSERT_EQ(fields.size(), 4);
  EXPECT_EQ(fields[0].value, 150);
  EXPECT_EQ(text_of(fields[1].contents), "text");
  EXPECT_EQ(fields[2].number, 500);
  EXPECT_EQ(fields[3].number, 3);
  for (std::size_t size = 1; size < message.size(); ++size) proto_fields(bytes_of(message).first(size));
  EXPECT_TRUE(proto_fields(bytes_of("\x0b")).empty());
}

}  // namespace
}  // namespace slipway::foreign
