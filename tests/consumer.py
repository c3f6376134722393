#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs Slipway into a scratch directory and builds and runs the project of docs/library.md with it, through the CMake package and
through pkg-config: consumer.py TOP BUILD"""
import json
import os
import pathlib
import re
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
    run("cmake", "-G", "Ninja", "-S", directory / "consumer", "-B", directory / "build", f"-DCMAKE_PREFIX_PATH={directory / 'prefix'}")
    run("cmake", "--build", directory / "build")
    run(directory / "build/consumer", top / "examples/hello/scenario.json")
    run(directory / "build/consumer_c", top / "examples/hello/scenario.json")
    run(directory / "build/consumer_recipe", top / "examples/saxpy_recipe/recipe.json")
    run(directory / "build/consumer_c_model", directory / "net.txt")
    run(directory / "build/consumer_kernels", top / "examples/kernel_info/saxpy.ze_info")
    run(directory / "build/consumer_model", directory / "net.txt")
    run(directory / "prefix/bin/slipway", "--version")

    # A shader that takes gigabytes is an error, because the library uses the installed program as its sandbox.
    macros = "".join(f"#define M{i} M{i - 1} M{i - 1}\n" for i in range(1, 41))
    bomb = f"#version 460\n#define M0 +1\n{macros}layout(set=0,binding=0) buffer B {{ int b[]; }};\nvoid main() {{ b[0] = 0 M40; }}\n"
    (directory / "bomb.json").write_text(json.dumps({"resources": [{"shader": {"uid": "s", "type": "GLSL", "source": bomb}}, {
        "buffer": {"uid": "b", "size": 8, "shader_access": "readwrite"}}], "commands": [{"dispatch_compute": {
            "shader_ref": "s", "rangeND": [1], "bindings": [{"set": 0, "id": 0, "resource_ref": "b"}]}}]}))
    refused = subprocess.run([directory / "build/consumer", directory / "bomb.json"], capture_output=True, text=True, timeout=120)
    assert refused.returncode > 0 and "the shader compiler needs more memory" in refused.stdout + refused.stderr, refused
    run("cmake", "-G", "Ninja", "-S", top / "examples/rpl_engine", "-B", directory / "engine", f"-DCMAKE_PREFIX_PATH={directory / 'prefix'}")
    run("cmake", "--build", directory / "engine")
    run(directory / "engine/rpl_engine", top / "examples/rpl_engine/tint.rpl")

    def pkg_config(*options):
        path = next((directory / "prefix").rglob("slipway.pc")).parent
        return subprocess.run(["pkg-config", *options, "slipway"], check=True, capture_output=True, text=True,
                              env={**os.environ, "PKG_CONFIG_PATH": str(path)}).stdout.split()

    version = re.search(r"project\(slipway VERSION (\S+)", (top / "CMakeLists.txt").read_text())[1]
    assert pkg_config("--modversion") == [version], pkg_config("--modversion")
    run("c++", directory / "consumer/main.cpp", "-o", directory / "consumer_pc", *pkg_config("--cflags", "--libs"))
    libraries = pkg_config("--variable=libdir")[0]
    # All headers compile in each version of the language, without warnings.
    headers = [f"slipway/{header.name}" for header in sorted((directory / "prefix/include/slipway").glob("*.hpp"))]
    (directory / "headers.cpp").write_text("".join(f"#include <{header}>\n" for header in headers) + "int main() {}\n")
    for standard in ("17", "20", "23"):
        run("c++", f"-std=c++{standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", directory / "headers.cpp",
            *pkg_config("--cflags"))
    # The library exports what its headers declare, and nothing of its modules or of other libraries.
    symbols = subprocess.run(["nm", "-D", "--defined-only", "-C", f"{libraries}/libslipway.so"], check=True, capture_output=True, text=True)
    names = [line.split(maxsplit=2)[2] for line in symbols.stdout.splitlines()]
    public = re.compile(r"(typeinfo (name )?for |vtable for )?slipway::(Device|Scenario|Model|PreparedModel|convert_model|convert_model_file|KernelBinary|RplProgram|RplPipeline|device|artifacts|"
                        r"runner|list_devices|slipway_make_buffer|slipway_adopt_xrt_device)\b|slipway_\w+$")
    foreign = [name for name in names if not public.match(name)]
    assert not foreign, f"{len(foreign)} symbols are exported that no header declares: {foreign[:10]}"
    assert len(names) > 40, names
    run(directory / "consumer_pc", top / "examples/hello/scenario.json", LD_LIBRARY_PATH=libraries)
