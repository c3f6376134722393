#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what a network has found: python3 draw.py segments|keywords RESULTS.npz PICTURE.png"""
import pathlib
import sys

import numpy

import make_keywords
import make_segments

kind, results, picture = sys.argv[1:]
found = numpy.load(results)
if kind == "segments":
    drawn = make_segments.drawn(make_segments.picture(), found["classes"].flatten().tolist())
else:
    drawn = make_keywords.drawn([one.flatten().tolist() for one in found["spectrogram"]], found["word"].tolist())
pathlib.Path(picture).write_bytes(drawn)
