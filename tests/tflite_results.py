#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs TensorFlow Lite on models of one operator: tflite_results.py DIRECTORY PROGRAM OUTPUT (tests/data/tflite/README.md)"""
import pathlib
import struct
import subprocess
import sys

# By the numbers of TfLiteType.
LETTERS = {1: "f", 2: "i", 3: "B", 4: "q", 6: "B", 7: "h", 9: "b", 10: "e", 11: "d", 16: "I", 17: "H"}
# The reference kernel is not the definition.
DEFAULT_ONLY = ("LOCAL_RESPONSE_NORMALIZATION",)
NO_OPERATOR = 4


def results(program, model, inputs, name):
    """The lines of a case, or None if the library refuses the model."""
    for kernels in ["default"] if name in DEFAULT_ONLY else ["reference", "default"]:
        run = subprocess.run([program, kernels, model, *inputs], text=True, capture_output=True)
        if run.returncode != NO_OPERATOR:
            break
    if run.returncode != 0:
        return None
    lines = []
    for line in run.stdout.splitlines():
        words = line.split()
        if words[:1] != ["output"]:
            continue
        letter = LETTERS[int(words[words.index("type") + 1])]
        data = pathlib.Path(f"{model}.out{words[1]}").read_bytes()
        numbers = struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data)
        lines.append(" ".join(number.hex() if letter in "fed" else str(number) for number in numbers))
    return lines


def main():
    directory, program, output = sys.argv[1:]
    refused = []
    with open(output, "w") as file:
        for line in (pathlib.Path(directory) / "cases.txt").read_text().splitlines():
            number, inputs, name = line.split("\t")
            model = f"{directory}/{number}.tflite"
            lines = results(program, model, [f"{directory}/{number}.in{i}" for i in range(int(inputs))], name)
            if lines is None:
                refused.append(name)
                continue
            file.write("\n".join([f"= {name}", *lines]) + "\n")
    for name in refused:
        print(f"refused: {name}")
    sys.exit(1 if refused else 0)


if __name__ == "__main__":
    main()
