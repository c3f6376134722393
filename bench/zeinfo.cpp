// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading ZE Info: this project's typed reader beside the general YAML libraries that people use for it.
//
//   bench_zeinfo text ordinary|long BYTES OUT    makes metadata as the compiler writes it; long: names of 380
//   characters bench_zeinfo zebin TEXT OUT                  a zebin with that text and a kernel's code for each of its
//   kernels bench_zeinfo read WHAT FILE REPEATS          WHAT: nothing, ours, checked, ryml, yaml-cpp; prints ms of
//   each repeat
//
// A process reads one file in one way, so that its peak memory is that way's.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "base/diagnostic.hpp"
#include "base/format.hpp"
#include "zeinfo/check/check.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/zebin/image.hpp"

#ifdef SLIPWAY_BENCH_RYML
#ifndef C4CORE_NO_FAST_FLOAT
#define C4CORE_NO_FAST_FLOAT
#endif
#include <ryml.hpp>
#include <ryml_std.hpp>
#endif
#ifdef SLIPWAY_BENCH_YAML_CPP
#include <yaml-cpp/yaml.h>
#endif

namespace {

using namespace slipway;

// Kernel number `i`, in canonical form, at 1.73; about 2 kB with a short name.
std::string kernel_text(std::size_t i, std::size_t name_length) {
  std::string name = formatted("gemm_f16_tile{}x{}_stage{}_{}", 16 << i % 4, 8 << i % 3, i % 5, i);
  if (name.size() < name_length)
    name += "_" + std::string(name_length - name.size() - 1, static_cast<char>('a' + i % 26));
  std::string text = formatted(
      "  - name:            {}\n    user_attributes:\n      intel_reqd_workgroup_walk_order: [ 0, 1, 2 ]\n"
      "    execution_env:\n      barrier_count:   1\n      disable_mid_thread_preemption: true\n"
      "      grf_count:       128\n      has_no_stateless_write: true\n      inline_data_payload_size: 32\n"
      "      offset_to_skip_per_thread_data_load: 192\n      simd_size:       16\n      slm_size:        {}\n"
      "      subgroup_independent_forward_progress: true\n      eu_thread_count: 8\n    payload_arguments:\n"
      "      - arg_type:        global_id_offset\n        offset:          0\n        size:            12\n"
      "      - arg_type:        enqueued_local_size\n        offset:          12\n        size:            12\n",
      name, 1024 * (i % 64));
  for (int argument = 0; argument < 4; ++argument) {
    text += formatted(
        "      - arg_type:        arg_bypointer\n        offset:          {}\n        size:            8\n"
        "        arg_index:       {}\n        addrmode:        stateless\n        addrspace:       global\n"
        "        access_type:     {}\n",
        24 + 8 * argument, argument, argument == 3 ? "readwrite" : "readonly");
  }
  for (int argument = 4; argument < 6; ++argument) {
    text += formatted(
        "      - arg_type:        arg_byvalue\n        offset:          {}\n        size:            4\n"
        "        arg_index:       {}\n",
        40 + 4 * argument, argument);
  }
  return text +
         "    per_thread_payload_arguments:\n      - arg_type:        local_id\n        offset:          0\n        "
         "size:            96\n";
}

std::string misc_text(std::size_t i, const std::string& kernel) {
  const std::size_t begin = kernel.find(':') + 1;
  std::string text = formatted("  - name:{}    args_info:\n", kernel.substr(begin, kernel.find('\n') - begin + 1));
  for (int argument = 0; argument < 6; ++argument) {
    const bool pointer = argument < 4;
    text += formatted(
        "      - index:           {}\n        name:            {}{}\n        address_qualifier: {}\n"
        "        access_qualifier: NONE\n        type_name:       '{}'\n        type_qualifiers: {}\n",
        argument, pointer ? "buffer" : "count", i % 10, pointer ? "__global" : "__private",
        pointer ? "half*;8" : "int;4", argument % 2 ? "const" : "NONE");
  }
  return text;
}

std::string make_text(bool long_names, std::size_t size) {
  std::string kernels, misc;
  for (std::size_t i = 0; kernels.size() + misc.size() < size; ++i) {
    const std::string kernel = kernel_text(i, long_names ? 380 : 0);
    kernels += kernel;
    misc += misc_text(i, kernel);
  }
  return "---\nversion:         '1.73'\nkernels:\n" + kernels + "kernels_misc_info:\n" + misc + "...\n";
}

std::string read_file(const char* path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  std::string text(static_cast<std::size_t>(stream.tellg()), '\0');
  stream.seekg(0);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

void write_out(const char* path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<std::byte> make_zebin(const std::string& text) {
  Diagnostics diagnostics;
  zeinfo::TextDiagnostics problems("text", text, diagnostics);
  const zeinfo::Document document = zeinfo::parse(text, problems);
  zebin::Image image;
  const unsigned char ident[] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 1};
  std::memcpy(image.header.ident, ident, sizeof ident);
  image.header.type = zebin::kRelocatable;
  image.header.machine = zebin::kIntelMachine;
  image.header.version = 1;
  image.header.ehsize = 64;
  image.parts.push_back({});
  std::uint32_t id = 0;
  image.symbols.push_back({});
  for (const zeinfo::Kernel& kernel : document.kernels) {
    const std::string name = formatted(".text.{}", kernel.name);
    image.parts.push_back(
        {.id = ++id, .name = name, .type = zebin::kProgbits, .flags = 6, .bytes = std::vector<std::byte>(4096)});
    image.symbols.push_back({.id = id, .name = std::string(kernel.name), .info = 2, .section = id, .size = 4000});
  }
  const Bytes bytes = bytes_of(text);
  image.symbol_table = ++id;
  image.parts.push_back({.id = id, .name = ".symtab", .type = zebin::kSymtab, .link = id + 2, .entry_size = 24});
  image.parts.push_back(
      {.id = ++id, .name = ".ze_info", .type = zebin::kZeInfo, .bytes = {bytes.begin(), bytes.end()}});
  image.names = ++id;
  image.parts.push_back({.id = id, .name = ".strtab", .type = zebin::kStrtab});
  return write_image(image);
}

// Gives something that depends on the result.
std::size_t read_ours(const std::string& text, bool checking) {
  Diagnostics diagnostics;
  zeinfo::TextDiagnostics problems("text", text, diagnostics);
  const zeinfo::Document document = zeinfo::parse(text, problems);
  if (checking) {
    const auto target = zeinfo::Target::of_product("dg2-g10");
    zeinfo::check(document, *target, {}, problems);
  }
  if (problems.errors() != 0) {
    std::fprintf(stderr, "%s\n", diagnostics.all().front().message.c_str());
    std::exit(1);
  }
  return document.kernels.size();
}

std::size_t read_once(const std::string& what, std::string& text) {
  if (what == "ours" || what == "checked") return read_ours(text, what == "checked");
#ifdef SLIPWAY_BENCH_RYML
  if (what == "ryml") {
    ryml::Tree tree;
    ryml::parse_in_place(ryml::to_substr(text), &tree);
    return tree.size();
  }
#endif
#ifdef SLIPWAY_BENCH_YAML_CPP
  if (what == "yaml-cpp") return YAML::Load(text)["kernels"].size();
#endif
  if (what != "nothing") std::exit(4);  // not in this build
  return text.size();
}

int read(const std::string& what, const char* path, int repeats) {
  const std::string original = read_file(path);
  for (int i = 0; i < repeats; ++i) {
    // Reading in place needs a fresh copy each time; only that reader pays for one.
    std::string copy = what == "ryml" ? original : std::string();
    std::string& text = what == "ryml" ? copy : const_cast<std::string&>(original);
    const auto start = std::chrono::steady_clock::now();
    const std::size_t result = read_once(what, text);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    std::printf("%.4f\n", result == 0 ? -1.0 : ms);
  }
  // The system's own account of child processes begins with what the parent had.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) std::printf("%s\n", line.substr(6, line.rfind(' ') - 6).c_str());
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const auto is = [&](int words, const char* first) { return count == words && std::strcmp(arguments[1], first) == 0; };
  if (is(5, "text")) {
    const std::string text = make_text(std::strcmp(arguments[2], "long") == 0, std::stoull(arguments[3]));
    write_out(arguments[4], bytes_of(text));
    return 0;
  }
  if (is(4, "zebin")) {
    write_out(arguments[3], make_zebin(read_file(arguments[2])));
    return 0;
  }
  if (is(5, "read")) return read(arguments[2], arguments[3], std::atoi(arguments[4]));
  std::fputs("bench_zeinfo text|zebin|read ...: see the source\n", stderr);
  return 2;
}
