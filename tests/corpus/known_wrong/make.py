#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the cases of this directory: NAME.graph with NAME.in.npz and NAME.out.npz, scenarios NAME.json, and recipes NAME.json with
NAME.profile.json and NAME.bin in `recipes`."""
import json
import pathlib

import numpy as np

import graphs
import recipes
import shaders

here = pathlib.Path(__file__).parent
for old in [*here.glob("*.graph"), *here.glob("*.npz"), *here.glob("*.json"),
            *here.glob("recipes/*.json"), *here.glob("recipes/*.bin")]:
    old.unlink()
for name, case in graphs.CASES.items():
    (here / f"{name}.graph").write_text(case.graph())
    np.savez_compressed(here / f"{name}.in.npz", **case.inputs)
    np.savez_compressed(here / f"{name}.out.npz", **case.outputs)
for name, (_, scenario) in shaders.CASES.items():
    (here / f"{name}.json").write_text(json.dumps(scenario, indent=1) + "\n")
for name, (about, recipe, profile, data) in recipes.CASES.items():
    (here / f"recipes/{name}.json").write_text(json.dumps({"comment": about, **recipe}, indent=1) + "\n")
    (here / f"recipes/{name}.profile.json").write_text(json.dumps(profile, indent=1) + "\n")
    (here / f"recipes/{name}.bin").write_bytes(data)
