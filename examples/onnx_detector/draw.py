#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what the detector has found: python3 draw.py INPUTS.npz RESULTS.npz PICTURE.png"""
import pathlib
import sys

import numpy

import make_detector

inputs, results, picture = sys.argv[1:]
found = numpy.load(results)
image = numpy.load(inputs)["image"][0].tolist()
drawn = make_detector.drawn(image, found["boxes"].tolist(), found["scores"].tolist(), found["classes"].tolist())
pathlib.Path(picture).write_bytes(drawn)
