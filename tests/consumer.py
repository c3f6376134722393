#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs Slipway into a scratch directory and builds and runs the project of docs/library.md with it, through the CMake package and
through pkg-config: consumer.py TOP BUILD"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

top, build = pathlib.Path(sys.argv[1]), sys.argv[2]
with tempfile.TemporaryDirectory() as name:
    directory = pathlib.Path(name)
    for file, body in re.findall(r"^```\w+ file=(\S+)\n(.*?)^```", (top / "docs/library.md").read_text(), re.M | re.S):
        (directory / file).parent.mkdir(exist_ok=True)
        (directory / file).write_text(body)

    def run(*command, **environment):
        print("$", *command, flush=True)
        subprocess.run([str(word) for word in command], check=True, env={**os.environ, **environment})

    (directory / "net.txt").write_text('graph net {\n  %0 = input i32[2] "x"\n  %1 = ADD(%0, %0) i32[2]\n  output %1\n}\n')
    # The installation is moved: its packages find themselves.
    run("cmake", "--install", build, "--prefix", directory / "installed")
    (directory / "installed").rename(directory / "prefix")
    run("cmake", "-G", "Ninja", "-S", directory / "consumer", "-B", directory / "build", f"-DCMAKE_PREFIX_PATH={directory / 'prefix'}",
        "-DCMAKE_CXX_STANDARD=17", "-DCMAKE_CXX_EXTENSIONS=OFF", "-DCMAKE_C_STANDARD=99", "-DCMAKE_C_EXTENSIONS=OFF")
    run("cmake", "--build", directory / "build")
    run(directory / "build/consumer", top / "examples/hello/scenario.json")
    run(directory / "build/consumer_c", top / "examples/hello/scenario.json")
    run(directory / "build/consumer_recipe", top / "examples/saxpy_recipe/recipe.json")
    run(directory / "build/consumer_c_model", directory / "net.txt")
    kernels = subprocess.run([directory / "build/consumer_kernels", top / "examples/kernel_info/saxpy.ze_info"], check=True, capture_output=True, text=True)
    assert kernels.stdout.startswith("saxpy: SIMD 16, 64 bytes of arguments\n"), kernels.stdout
    run(directory / "build/consumer_model", directory / "net.txt")
    run(directory / "prefix/bin/slipway", "--version")

    # A shader that takes gigabytes is an error, because the library uses the installed program as its sandbox.
    macros = "".join(f"#define M{i} M{i - 1} M{i - 1}\n" for i in range(1, 41))
    bomb = f"#version 460\n#define M0 +1\n{macros}layout(set=0,binding=0) buffer B {{ int b[]; }};\nvoid main() {{ b[0] = 0 M40; }}\n"
    (directory / "bomb.json").write_text(json.dumps({"resources": [{"shader": {"uid": "s", "type": "GLSL", "source": bomb}}, {
        "buffer": {"uid": "b", "size": 8, "shader_access": "readwrite"}}], "commands": [{"dispatch_compute": {
            "shader_ref": "s", "rangeND": [1], "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]}))
    refused = subprocess.run([directory / "build/consumer", directory / "bomb.json"], capture_output=True, text=True, timeout=900)
    assert refused.returncode > 0 and "the shader compiler needs more memory" in refused.stdout + refused.stderr, refused
    shutil.copytree(top / "examples/rpl_engine", directory / "rpl_engine")
    run("cmake", "-G", "Ninja", "-S", directory / "rpl_engine", "-B", directory / "engine", f"-DCMAKE_PREFIX_PATH={directory / 'prefix'}")
    run("cmake", "--build", directory / "engine")
    run(directory / "engine/rpl_engine", top / "examples/rpl_engine/tint.rpl")
    run(directory / "engine/deferred", directory / "rpl_engine/deferred", directory / "engine/deferred.rplpack")
    # slipway_compile_rpl compiles again when a source changes, and an error stops the build.
    tint = directory / "rpl_engine/tint.rpl"
    embedded = next((directory / "engine").rglob("dimmed.rpl.h"))
    before = embedded.read_text()
    tint.write_text(tint.read_text().replace("0.5", "0.25"))
    run("cmake", "--build", directory / "engine")
    assert embedded.read_text() != before, "the pipeline was not compiled again"
    tint.write_text("nonsense")
    broken = subprocess.run(["cmake", "--build", directory / "engine"], capture_output=True, text=True)
    assert broken.returncode != 0 and "tint.rpl:1:1: error" in broken.stdout, broken

    def pkg_config(*options):
        path = next((directory / "prefix").rglob("slipway.pc")).parent
        return subprocess.run(["pkg-config", *options, "slipway"], check=True, capture_output=True, text=True,
                              env={**os.environ, "PKG_CONFIG_PATH": str(path)}).stdout.split()

    version = re.search(r"project\(slipway VERSION (\S+)", (top / "CMakeLists.txt").read_text())[1]
    assert pkg_config("--modversion") == [version], pkg_config("--modversion")
    libraries = pkg_config("--variable=libdir")[0]
    warnings = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    run("c++", "-std=c++17", *warnings, directory / "consumer/main.cpp", "-o", directory / "consumer_pc", *pkg_config("--cflags", "--libs"))
    # A model from C99: the bytes of the inputs are 0 to 6 in turn, so each output is two times that of one input.
    run("cc", "-std=c99", *warnings, top / "examples/c_model/model.c", "-o", directory / "c_model", *pkg_config("--cflags", "--libs"))
    for device in ([], ["cpu"]):
        command = [str(directory / "c_model"), str(directory / "net.txt"), *device]
        shown = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": libraries}).stdout
        assert shown == "input x: i32[2], 8 bytes\noutput output_0: i32[2], 8 bytes, sum 42\n", shown
    # Without the program, MLIR is not read in the host's process unless that is allowed.
    (directory / "abs.mlir").write_text("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                                        "  %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n")
    program = directory / "prefix/bin/slipway"

    def read_mlir(**environment):
        ran = subprocess.run([directory / "c_model", directory / "abs.mlir", "cpu"], capture_output=True, text=True,
                             env={**os.environ, "LD_LIBRARY_PATH": libraries, **environment})
        return ran.returncode, ran.stderr

    program.rename(program.with_name("away"))
    status, errors = read_mlir()
    assert status == 5 and "which belongs to this library, is missing" in errors, (status, errors)
    assert read_mlir(SLIPWAY_SANDBOX="off")[0] == 0
    program.with_name("away").rename(program)
    assert read_mlir()[0] == 0
    missing = subprocess.run([directory / "c_model", "missing.vgf"], capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": libraries})
    assert missing.returncode == 3 and "[file-not-found]" in missing.stderr, missing
    run("c++", "-std=c++17", *warnings, top / "tests/rpl_structures.cpp", "-o", directory / "rpl_structures", *pkg_config("--cflags", "--libs"))
    run(directory / "rpl_structures", top / "tests/corpus/rpl_tools/layouts.rpl", top / "examples/rpl_compute/scale.rpl", LD_LIBRARY_PATH=libraries)
    # All headers compile in each version of the language, without warnings.
    headers = [f"slipway/{header.name}" for header in sorted((directory / "prefix/include/slipway").glob("*.hpp"))]
    (directory / "headers.cpp").write_text("".join(f"#include <{header}>\n" for header in headers) + "int main() {}\n")
    for standard in ("17", "20", "23"):
        run("c++", f"-std=c++{standard}", *warnings, "-fsyntax-only", directory / "headers.cpp", *pkg_config("--cflags"))
    # The comment of each class says what threads may do.
    classes = 0
    for header in (directory / "prefix/include/slipway").glob("*.hpp"):
        for comment, name in re.findall(r"((?:^ *//.*\n)*)(?:^template.*\n)?^ *class (?:\[\[nodiscard\]\] )?(?:SLIPWAY_API )?(\w+)(?: final)?(?: :.*)? \{$",
                                        header.read_text(), re.M):
            classes += 1
            assert "thread" in comment.lower(), f"{header.name}: the comment of {name} has no contract for threads"
    assert classes > 10, classes
    # The library exports what its headers declare, and nothing of its modules or of other libraries.
    symbols = subprocess.run(["nm", "-D", "--defined-only", "-C", f"{libraries}/libslipway.so"], check=True, capture_output=True, text=True)
    names = [line.split(maxsplit=2)[2] for line in symbols.stdout.splitlines()]
    public = re.compile(r"(typeinfo (name )?for |vtable for )?slipway::(Device|Scenario|Model|PreparedModel|convert_model|convert_model_file|set_sandbox|KernelBinary|device|artifacts|"
                        r"runner|list_devices|slipway_make_buffer|slipway_adopt_xrt_device)\b|(slipway|rpl)_\w+$")
    foreign = [name for name in names if not public.match(name)]
    assert not foreign, f"{len(foreign)} symbols are exported that no header declares: {foreign[:10]}"
    assert len(names) > 40, names
    def declared(*headers):
        texts = [(directory / "prefix/include/slipway" / header).read_text() for header in headers]
        return {name for text in texts for name in re.findall(r"^(?:SLIPWAY_C_API|RPL_API) .*?\b((?:slipway|rpl)_\w+)\(", text, re.M)}

    for headers, exported in ((("slipway.h",), {name for name in names if name.startswith("slipway_")}),
                              (("rpl.h", "rpl_json.h", "rpl_pack.h", "rpl_watch.h"), {name for name in names if name.startswith("rpl_")})):
        assert exported and declared(*headers) == exported, f"of {headers} alone: {declared(*headers) - exported}; of the library alone: {exported - declared(*headers)}"
    run(directory / "consumer_pc", top / "examples/hello/scenario.json", LD_LIBRARY_PATH=libraries)
