#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inspects the shared object of the Vulkan layer: layer_file.py FILE

It is loaded into programs of others: it exports the loader's entry point alone, needs the C library alone, and none of the
project's code runs when it is loaded.
"""
import re
import subprocess
import sys

EXPORTED = ["vkNegotiateLoaderLayerInterfaceVersion"]
# Of the C++ library.
FOREIGN_INITIALISERS = {"cxx11_locale_inst.cc", "cxx11_wlocale_inst.cc", "eh_alloc.cc", "locale_inst.cc", "wlocale_inst.cc"}
LARGEST = 7.2  # MB of code and data: what the layer uses, without glslang and the optimizer of SPIRV-Tools
NEEDED = re.compile(r"(libc|libm|ld-linux-.*)\.so\.\d+$")

path = sys.argv[1]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


problems = []
exported = [line.split()[-1].split("@")[0] for line in output("nm", "-D", "--defined-only", path).splitlines()]
if exported != EXPORTED:
    problems.append(f"exports {', '.join(exported) or 'nothing'}")
needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))
if not needed:
    problems.append("needs no library at all; was it read?")
problems += [f"needs {name}" for name in needed if not NEEDED.match(name)]
# Initialisers are named after files, or after the first function of a file.
problems += [f"runs code when it is loaded: {name}" for name in re.findall(r"_GLOBAL__sub_I_(\S+)", output("nm", path))
             if name not in FOREIGN_INITIALISERS]
size = int(output("size", path).splitlines()[1].split()[3]) / 1e6
if size > LARGEST:
    problems.append(f"has {size:.1f} MB of code and data, more than {LARGEST}: does it link what it does not use?")
print("\n".join(f"{path}: {problem}" for problem in problems) or f"{path}: ok")
sys.exit(bool(problems))
