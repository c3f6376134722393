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
# The names of initialisers of files; those of the C++ library have others.
for name in re.findall(r"_GLOBAL__sub_I_(\S+)", output("nm", path)):
    if "slipway" in name or "unity_" in name:
        problems.append(f"runs code when it is loaded: {name}")
print("\n".join(f"{path}: {problem}" for problem in problems) or f"{path}: ok")
sys.exit(bool(problems))
