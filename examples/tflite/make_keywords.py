#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a network that knows four whistled words: python3 make_keywords.py [DIRECTORY]

  keywords.tflite         the network: int8 `sound` [4, 1024]; a filter for each band, their energy, and a score for each word
  keywords_input.npz      four sounds with noise, of 1,024 samples each
  keywords_expected.npz   the energies, `spectrogram` [4, 31, 16], and the index of the word, `word` [4], computed here
  keywords.png            the spectrograms, with a mark in the colour of the word
"""
import math
import pathlib
import sys

from formats import ARG_MAX, CONV_2D, FULLY_CONNECTED, INT32, INT64, INT8, MUL, RESHAPE, Model, clamped, f32, npz, png, rescaled

WORDS = ("up", "down", "low", "high")
SAMPLES, WINDOW, STEP, BANDS = 1024, 64, 32, 16
FRAMES = (SAMPLES - WINDOW) // STEP + 1
SOUND, TAP = f32(1 / 128), f32(1 / 127)  # scales of samples and of filters
WAVE, POWER, WEIGHT, SCORE = f32(16 / 127), f32(1.0), f32(1 / 64), f32(16.0)
COLOURS = [(224, 96, 64), (64, 128, 224), (160, 160, 64), (96, 192, 160)]


def frequency(word, t):
    """In cycles for each sample, at the share t of the sound."""
    low, high = 3 / WINDOW, 13 / WINDOW
    return {"up": low + (high - low) * t, "down": high + (low - high) * t, "low": low, "high": high}[word]


def sound(word, noise, seed):
    phase, state, made = 0.0, seed, []
    for i in range(SAMPLES):
        phase += 2 * math.pi * frequency(word, i / SAMPLES)
        state = (state * 1103515245 + 12345) % 2**31
        made.append(clamped(round(70 * math.sin(phase) + noise * ((state >> 16) % 101 - 50) / 50), -128, 127))
    return made


def filters():
    """Windowed cosines and sines, one after the other for each band."""
    rows = []
    for band in range(BANDS):
        for wave in (math.cos, math.sin):
            rows.append([round(127 * (0.5 - 0.5 * math.cos(2 * math.pi * (i + 0.5) / WINDOW)) * wave(2 * math.pi * (band + 0.5) * i / WINDOW))
                         for i in range(WINDOW)])
    return rows


def spectrogram(samples, rows):
    """Numbers of int8 with the zero point -128, by frames."""
    made = []
    for frame in range(FRAMES):
        piece = samples[frame * STEP:frame * STEP + WINDOW]
        waves = [clamped(rescaled(sum(a * b for a, b in zip(piece, row)), SOUND * TAP / WAVE), -128, 127) for row in rows]
        squares = [clamped(rescaled(wave * wave, WAVE * WAVE / POWER) - 128, -128, 127) for wave in waves]
        for band in range(BANDS):
            total = sum(64 * (square + 128) for square in squares[2 * band:2 * band + 2])
            made.append(clamped(rescaled(total, POWER * WEIGHT / POWER) - 128, -128, 127))
    return made


def templates(rows):
    """The spectrogram of each word without noise, as weights whose sum is about 0."""
    made = []
    for word in WORDS:
        clean = [each + 128 for each in spectrogram(sound(word, 0, 1), rows)]
        mean, largest = sum(clean) / len(clean), max(clean)
        made.append([round(100 * (each - mean) / largest) for each in clean])
    return made


def model(rows, words):
    m = Model()
    cells = FRAMES * BANDS
    given = m.tensor("sound", INT8, [4, SAMPLES], SOUND)
    shapes = [m.tensor(f"shape{i}", INT32, [len(shape)], None, 0, shape) for i, shape in
              enumerate([[4, 1, SAMPLES, 1], [4, FRAMES, BANDS], [4, cells]])]
    line = m.tensor("line", INT8, [4, 1, SAMPLES, 1], SOUND)
    taps = m.tensor("filters", INT8, [2 * BANDS, 1, WINDOW, 1], TAP, 0, [tap for row in rows for tap in row])
    none = m.tensor("none", INT32, [2 * BANDS], SOUND * TAP, 0, [0] * (2 * BANDS))
    waves = m.tensor("waves", INT8, [4, 1, FRAMES, 2 * BANDS], WAVE)
    squares = m.tensor("squares", INT8, [4, 1, FRAMES, 2 * BANDS], POWER, -128)
    pairs = [64 if i // 2 == band else 0 for band in range(BANDS) for i in range(2 * BANDS)]
    sums = m.tensor("pairs", INT8, [BANDS, 1, 1, 2 * BANDS], WEIGHT, 0, pairs)
    nothing = m.tensor("nothing", INT32, [BANDS], POWER * WEIGHT, 0, [0] * BANDS)
    energy = m.tensor("energy", INT8, [4, 1, FRAMES, BANDS], POWER, -128)
    picture = m.tensor("spectrogram", INT8, [4, FRAMES, BANDS], POWER, -128)
    flat = m.tensor("flat", INT8, [4, cells], POWER, -128)
    weights = m.tensor("templates", INT8, [4, cells], WEIGHT, 0, [each for word in words for each in word])
    bias = m.tensor("bias", INT32, [4], POWER * WEIGHT, 0, [0] * 4)
    scores = m.tensor("scores", INT8, [4, 4], SCORE)
    axis, word = m.tensor("axis", INT32, [], None, 0, [1]), m.tensor("word", INT64, [4])
    m.add(RESHAPE, [given, shapes[0]], [line])
    m.add(CONV_2D, [line, taps, none], [waves], 1, f0=("b", 1), f1=("i", STEP), f2=("i", 1))  # padding VALID, strides
    m.add(MUL, [waves, waves], [squares])
    m.add(CONV_2D, [squares, sums, nothing], [energy], 1, f0=("b", 1), f1=("i", 1), f2=("i", 1))
    m.add(RESHAPE, [energy, shapes[1]], [picture])
    m.add(RESHAPE, [energy, shapes[2]], [flat])
    m.add(FULLY_CONNECTED, [flat, weights, bias], [scores])
    m.add(ARG_MAX, [scores, axis], [word], 40, f0=("b", INT64))
    return m.file([given], [picture, word])


def known(picture, words):
    scores = [clamped(rescaled(sum(w * (v + 128) for w, v in zip(word, picture)), POWER * WEIGHT / SCORE), -128, 127) for word in words]
    return scores.index(max(scores))


def drawn(pictures, found):
    """A row of pixels of 3 x 3 for each band, high ones at the top; the sounds one below the other."""
    lines = []
    for picture, word in zip(pictures, found):
        for band in reversed(range(BANDS)):
            values = [min(2 * (picture[frame * BANDS + band] + 128), 255) for frame in range(FRAMES)]
            lines += [[part for pixel in [COLOURS[word]] + [(v, v, v) for v in values] for part in list(pixel) * 3]] * 3
        lines += [[0, 0, 0] * 3 * (FRAMES + 1)] * 3
    return png(3 * (FRAMES + 1), lines)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    rows = filters()
    words = templates(rows)
    sounds = [sound(word, 40, i + 7) for i, word in enumerate(WORDS)]
    pictures = [spectrogram(each, rows) for each in sounds]
    found = [known(picture, words) for picture in pictures]
    samples, cells = [v for each in sounds for v in each], [v for each in pictures for v in each]
    (directory / "keywords.tflite").write_bytes(model(rows, words))
    (directory / "keywords_input.npz").write_bytes(npz(sound=("|i1", "b", (4, SAMPLES), samples)))
    (directory / "keywords_expected.npz").write_bytes(npz(spectrogram=("|i1", "b", (4, FRAMES, BANDS), cells), word=("<i8", "q", (4,), found)))
    (directory / "keywords.png").write_bytes(drawn(pictures, found))


if __name__ == "__main__":
    main()
