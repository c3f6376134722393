# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that runtimes and drivers of other projects have computed wrongly without an error. The expected values are computed here,
with NumPy and plain loops, from the text of TOSA 1.0."""
import itertools
import math

import numpy as np

KINDS = {"float32": "f32", "float16": "f16", "int8": "i8", "int16": "i16", "int32": "i32", "bool": "bool"}
CASES = {}  # by name


def text_of(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value)
    return str(value)


class Case:
    def __init__(self, name, about, atol=0.0):
        self.name, self.about, self.atol = name, about, atol
        self.lines, self.inputs, self.outputs, self.count = [], {}, {}, 0
        assert name not in CASES
        CASES[name] = self

    def value(self, text, name=""):
        self.lines.append(f"  %{self.count} = {text}" + (f' "{name}"' if name else ""))
        self.count += 1
        return f"%{self.count - 1}"

    def input(self, name, array):
        array = np.asarray(array)
        self.inputs[name] = array
        return self.value(f"input {KINDS[str(array.dtype)]}{list(array.shape)}", name)

    def const(self, array, kind=""):
        array = np.asarray(array)
        elements = ", ".join(text_of(one) for one in array.reshape(-1))
        return self.value(f"const {kind or KINDS[str(array.dtype)]}{list(array.shape)} [{elements}]")

    def op(self, name, operands, kind, shape, attributes="", label=""):
        return self.value(f"{name}({', '.join(operands)}) {kind}{list(shape)}" + (f" {attributes}" if attributes else ""), label)

    def output(self, value, array):
        """By its position, which is its name too."""
        name = f"output_{len(self.outputs)}"
        at = next(i for i, line in enumerate(self.lines) if line.startswith(f"  {value} = "))
        if not self.lines[at].endswith('"'):
            self.lines[at] += f' "{name}"'
        self.outputs[name] = np.asarray(array)
        self.lines.append(f"  output {value}")

    def graph(self):
        tolerance = f"// --atol {self.atol}\n" if self.atol else ""
        return f"// {self.about}\n{tolerance}graph main {{\n" + "\n".join(self.lines) + "\n}\n"


def f32(*values):
    return np.array(values, np.float32)


def numbers(shape, seed, low=-8, high=8, kind=np.float32):
    """Small whole numbers and halves, with which sums are exact."""
    draw = np.random.default_rng(seed).integers(low, high + 1, shape)
    return (draw * (0.5 if kind in (np.float32, np.float16) else 1)).astype(kind)


# --- attention ---------------------------------------------------------------------------------------------------------------------

def attention(name, mask_shape, about):
    heads, rows, size = 2, 5, 4
    case = Case(name, about, atol=2e-6)
    draw = np.random.default_rng(len(mask_shape) + sum(mask_shape))
    q, k, v = (draw.normal(size=(heads, rows, size)).astype(np.float32) for _ in range(3))
    mask = np.where(draw.random(mask_shape) < 0.4, np.float32(-1e9), np.float32(0))
    mask[..., 0] = 0
    ids = [case.input(label, array) for label, array in (("q", q), ("k", k), ("v", v), ("mask", mask))]
    scores = [heads, rows, rows]
    turned = case.op("TRANSPOSE", [ids[1]], "f32", [heads, size, rows], "perms=[0, 2, 1]")
    score = case.op("MATMUL", [ids[0], turned], "f32", scores, "A_zp=0 B_zp=0")
    scale = case.const(np.full((1, 1, 1), 0.5, np.float32))
    score = case.op("MUL", [score, scale], "f32", scores, "shift=0")
    score = case.op("ADD", [score, ids[3]], "f32", scores)
    top = case.op("REDUCE_MAX", [score], "f32", [heads, rows, 1], "axis=2 nan_mode=PROPAGATE")
    power = case.op("EXP", [case.op("SUB", [score, top], "f32", scores)], "f32", scores)
    total = case.op("RECIPROCAL", [case.op("REDUCE_SUM", [power], "f32", [heads, rows, 1], "axis=2")], "f32", [heads, rows, 1])
    weight = case.op("MUL", [power, total], "f32", scores, "shift=0")
    result = case.op("MATMUL", [weight, ids[2]], "f32", [heads, rows, size], "A_zp=0 B_zp=0")
    exact = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) * 0.5 + mask
    exact = np.exp(exact - exact.max(-1, keepdims=True))
    exact = exact / exact.sum(-1, keepdims=True) @ v.astype(np.float64)
    case.output(result, exact.astype(np.float32))


attention("attention_mask_keys", [1, 1, 5], "A mask of the keys, for all heads and rows, is applied to the wrong axis.")
attention("attention_mask_rows", [1, 5, 5], "A mask that is the same for all heads is read with the stride of a head.")
attention("attention_mask_heads", [2, 1, 5], "A mask of each head is read as one of each row.")
attention("attention_mask_full", [2, 5, 5], "A full mask is ignored in a fused attention.")


# --- elementwise, broadcasts, several uses -------------------------------------------------------------------------------------------

case = Case("add_is_also_output", "A sum that is an output and an input of the next operator is not stored, because it is fused.")
x, y = numbers((2, 5), 1), numbers((2, 5), 2)
total = case.op("ADD", [case.input("x", x), case.input("y", y)], "f32", [2, 5])
case.output(total, x + y)
top = case.op("CLAMP", [total], "f32", [2, 5], "min_val=0.0 max_val=3.0 nan_mode=PROPAGATE")
case.output(top, np.clip(x + y, 0, 3))

case = Case("value_used_twice", "The result of an operator is written over an input that is still needed.")
x = numbers((3, 7), 3)
a = case.input("x", x)
low = case.op("CLAMP", [a], "f32", [3, 7], "min_val=0.0 max_val=100.0 nan_mode=PROPAGATE")
square = case.op("MUL", [low, low], "f32", [3, 7], "shift=0")
case.output(case.op("ADD", [a, square], "f32", [3, 7]), x + np.maximum(x, 0) ** 2)
case.output(case.op("SUB", [low, a], "f32", [3, 7]), np.maximum(x, 0) - x)

case = Case("broadcast_reshaped_bias", "A bias of lower rank is broadcast along the first axis instead of the last one.")
x, b = numbers((4, 3, 4), 4), numbers((4,), 5)
bias = case.op("RESHAPE", [case.input("b", b)], "f32", [1, 1, 4], "shape=[1, 1, 4]")
case.output(case.op("ADD", [case.input("x", x), bias], "f32", [4, 3, 4]), x + b)

case = Case("broadcast_both_sides", "Two operands that are both broadcast, along different axes: the result has the size of one of them.")
x, y = numbers((1, 5, 1, 3), 6), numbers((2, 1, 4, 1), 7)
case.output(case.op("SUB", [case.input("a", x), case.input("b", y)], "f32", [2, 5, 4, 3]), x - y)

case = Case("select_ignores_nan", "A selection is computed as a weighted sum, so that NaN and infinity of the other branch get into the result.")
c = np.array([True, False, True, False])
picked, other = f32(1, math.nan, 3, math.inf), f32(math.nan, 2, math.inf, 4)
case.output(case.op("SELECT", [case.input("c", c), case.input("a", picked), case.input("b", other)], "f32", [4]), np.where(c, picked, other))

case = Case("select_broadcast_condition", "The condition of a selection is not broadcast.")
c, x, y = np.array([[[True]], [[False]]]), numbers((1, 3, 2), 8), numbers((2, 1, 2), 9)
case.output(case.op("SELECT", [case.input("c", c), case.input("a", x), case.input("b", y)], "f32", [2, 3, 2]), np.where(c, x, y))

for length in (1, 3, 17, 1025):
    case = Case(f"odd_length_{length}", "The last elements of a length that is not a multiple of the width of vectors are not computed.")
    x = numbers((length,), length)
    case.output(case.op("ADD", [case.input("x", x), case.const(f32(0.25))], "f32", [length]), x + np.float32(0.25))


# --- NaN, infinities, signs of zero --------------------------------------------------------------------------------------------------

SPECIAL = f32(math.nan, 1, -2, math.inf, -math.inf, 0.5)
for mode in ("PROPAGATE", "IGNORE"):
    keep = mode == "PROPAGATE"
    case = Case(f"min_max_nan_{mode.lower()}", "Minimum and maximum return the other operand, or NaN, against the mode of the operator.")
    y = f32(3, math.nan, math.nan, 0, 0, math.nan)
    a, b = case.input("x", SPECIAL), case.input("y", y)
    case.output(case.op("MAXIMUM", [a, b], "f32", [6], f"nan_mode={mode}"), (np.maximum if keep else np.fmax)(SPECIAL, y))
    case.output(case.op("MINIMUM", [a, b], "f32", [6], f"nan_mode={mode}"), (np.minimum if keep else np.fmin)(SPECIAL, y))

    case = Case(f"clamp_nan_{mode.lower()}", "A clamp turns NaN into a bound, or keeps it, against its mode.")
    expected = np.clip(SPECIAL, -1, 1)
    expected = expected if keep else np.where(np.isnan(SPECIAL), np.float32(-1), expected)
    case.output(case.op("CLAMP", [case.input("x", SPECIAL)], "f32", [6], f"min_val=-1.0 max_val=1.0 nan_mode={mode}"), expected)

    case = Case(f"reduce_max_nan_{mode.lower()}", "A maximum over an axis loses NaN, or keeps it, depending on its position.")
    x = np.array([[math.nan, 1, 2], [1, math.nan, 2], [1, 2, math.nan], [3, 2, 1]], np.float32)
    expected = (np.max if keep else np.nanmax)(x, axis=1, keepdims=True)
    case.output(case.op("REDUCE_MAX", [case.input("x", x)], "f32", [4, 1], f"axis=1 nan_mode={mode}"), expected)

    case = Case(f"max_pool_nan_{mode.lower()}", "A maximum of a window loses NaN, or keeps it, against its mode.")
    x = np.array([math.nan, 1, 2, 5, 4, math.nan], np.float32).reshape(1, 1, 6, 1)
    expected = (np.max if keep else np.nanmax)(x.reshape(3, 2), axis=1).reshape(1, 1, 3, 1)
    case.output(case.op("MAX_POOL2D", [case.input("x", x)], "f32", [1, 1, 3, 1], f"kernel=[1, 2] stride=[1, 2] pad=[0, 0, 0, 0] nan_mode={mode}"), expected)

case = Case("compare_nan", "A comparison with NaN is true, because it is computed as the negation of another one.")
x, y = f32(math.nan, 1, math.nan, 2), f32(1, math.nan, math.nan, 2)
a, b = case.input("x", x), case.input("y", y)
case.output(case.op("EQUAL", [a, b], "bool", [4]), x == y)
case.output(case.op("GREATER", [a, b], "bool", [4]), x > y)
case.output(case.op("GREATER_EQUAL", [a, b], "bool", [4]), x >= y)
case.output(case.op("LOGICAL_NOT", [case.op("EQUAL", [a, b], "bool", [4])], "bool", [4]), x != y)

case = Case("zero_has_a_sign", "The sign of zero is lost. A reciprocal shows it.")
x = f32(-0.5, -0.0, 0.0, 0.25)
a = case.input("x", x)
up = case.op("RECIPROCAL", [case.op("CEIL", [a], "f32", [4])], "f32", [4])
with np.errstate(divide="ignore"):
    case.output(up, np.float32(1) / np.ceil(x))
    product = case.op("MUL", [a, case.const(f32(-0.0))], "f32", [4], "shift=0")
    case.output(case.op("RECIPROCAL", [product], "f32", [4]), np.float32(1) / (x * np.float32(-0.0)))

case = Case("functions_at_their_ends", "Functions overflow inside: sigmoid and tanh of large numbers are NaN.", atol=1e-6)
x = f32(-100, -89, 0, 89, 100, -math.inf, math.inf)
a = case.input("x", x)
with np.errstate(over="ignore"):
    case.output(case.op("SIGMOID", [a], "f32", [7]), (1 / (1 + np.exp(-x.astype(np.float64)))).astype(np.float32))
case.output(case.op("TANH", [a], "f32", [7]), np.tanh(x))
case.output(case.op("ERF", [a], "f32", [7]), np.sign(x))

case = Case("poles", "Poles return large numbers, or NaN, instead of infinities.")
x = f32(0, 1, 4)
a = case.input("x", x)
with np.errstate(divide="ignore"):
    case.output(case.op("LOG", [a], "f32", [3]), np.log(x))
    case.output(case.op("RSQRT", [a], "f32", [3]), 1 / np.sqrt(x))
case.atol = 1e-6
case.output(case.op("EXP", [case.input("e", f32(-math.inf, 200, -200))], "f32", [3]), f32(0, math.inf, 0))

case = Case("softmax_of_large_numbers", "A softmax overflows, because the maximum is not subtracted, or subtracted after a fusion.", atol=1e-6)
x = np.array([[1000, 1001, 999], [-1000, -1000, -1000], [0, 88, 89]], np.float32)
a = case.input("x", x)
top = case.op("REDUCE_MAX", [a], "f32", [3, 1], "axis=1 nan_mode=PROPAGATE")
power = case.op("EXP", [case.op("SUB", [a, top], "f32", [3, 3])], "f32", [3, 3])
total = case.op("RECIPROCAL", [case.op("REDUCE_SUM", [power], "f32", [3, 1], "axis=1")], "f32", [3, 1])
exact = np.exp((x - x.max(1, keepdims=True)).astype(np.float64))
case.output(case.op("MUL", [power, total], "f32", [3, 3], "shift=0"), (exact / exact.sum(1, keepdims=True)).astype(np.float32))


# --- integers ------------------------------------------------------------------------------------------------------------------------

case = Case("division_rounds_to_zero", "A division of negative integers rounds down.")
x, y = np.array([-7, 7, -7, 7, -1, 2147483647], np.int32), np.array([2, -2, -2, 2, 3, 7], np.int32)
quotient = np.array([int(math.trunc(int(a) / int(b))) for a, b in zip(x, y)], np.int32)
case.output(case.op("INTDIV", [case.input("x", x), case.input("y", y)], "i32", [6]), quotient)

case = Case("integer_overflow_wraps", "A sum of integers saturates, or is computed as floats.")
x, y = np.array([16777217, -16777217, 123456789], np.int32), np.array([1, -1, 3], np.int32)
a, b = case.input("x", x), case.input("y", y)
case.output(case.op("ADD", [a, b], "i32", [3]), x + y)
case.output(case.op("MUL", [a, b], "i32", [3], "shift=0"), x * y)

case = Case("multiply_with_shift", "The shift of a product is applied to its lower 32 bits, or rounds to zero.")
x, y = np.array([1 << 30, -(1 << 30), 12345678, -3, 3], np.int32), np.array([1 << 30, 1 << 30, 87654321, 1 << 29, 1 << 29], np.int32)
exact = np.array([(int(a) * int(b) + (1 << 29)) >> 30 for a, b in zip(x, y)], np.int32)
case.output(case.op("MUL", [case.input("x", x), case.input("y", y)], "i32", [5], "shift=30"), exact)

case = Case("shift_of_small_types", "A shift of 8-bit and 16-bit integers works on the extended sign.")
x, s = np.array([-128, -1, 127, -77], np.int8), np.array([7, 1, 3, 2], np.int8)
a, b = case.input("x", x), case.input("s", s)
case.output(case.op("LOGICAL_RIGHT_SHIFT", [a, b], "i8", [4]), (x.view(np.uint8) >> s.view(np.uint8)).view(np.int8))
case.output(case.op("LOGICAL_LEFT_SHIFT", [a, b], "i8", [4]), (x.view(np.uint8) << s.view(np.uint8)).view(np.int8))
rounded = np.array([(int(v) >> int(n)) + ((int(v) >> (int(n) - 1)) & 1) for v, n in zip(x, s)], np.int8)
case.output(case.op("ARITHMETIC_RIGHT_SHIFT", [a, b], "i8", [4], "round=true"), rounded)

case = Case("shift_by_31", "A shift by the width minus one, and by zero with rounding.")
x, s = np.array([-(1 << 31), -1, 1, 5], np.int32), np.array([31, 31, 31, 0], np.int32)
a, b = case.input("x", x), case.input("s", s)
case.output(case.op("LOGICAL_RIGHT_SHIFT", [a, b], "i32", [4]), np.array([1, 1, 0, 5], np.int32))
case.output(case.op("ARITHMETIC_RIGHT_SHIFT", [a, b], "i32", [4], "round=true"), np.array([-1, 0, 0, 5], np.int32))
case.output(case.op("LOGICAL_LEFT_SHIFT", [a, b], "i32", [4]), np.array([0, -(1 << 31), -(1 << 31), 5], np.int32))

case = Case("leading_zeros", "The leading zeros of zero and of negative numbers.")
case.output(case.op("CLZ", [case.input("x", np.array([0, -1, 1, 1 << 30, 65536], np.int32))], "i32", [5]), np.array([32, 0, 31, 1, 15], np.int32))


# --- casts ---------------------------------------------------------------------------------------------------------------------------

case = Case("cast_to_integer_rounds_to_even", "A cast of floats to integers truncates, rounds halves away from zero, or wraps.")
x = f32(0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 126.5, 127.5, 300, -300, math.inf, -math.inf)
a = case.input("x", x)
case.output(case.op("CAST", [a], "i8", [12]), np.clip(np.rint(x), -128, 127).astype(np.int8))
wide = np.clip(np.rint(x.astype(np.float64)), -(1 << 31), (1 << 31) - 1).astype(np.int64).astype(np.int32)
case.output(case.op("CAST", [a], "i32", [12]), wide)

case = Case("cast_saturates_32_bits", "Floats near the ends of 32 bits: the bound itself is not a float.")
x = f32(2147483520, 2147483648, 3e9, -2147483648, -3e9, 16777217)
wide = np.clip(x.astype(np.float64), -(1 << 31), (1 << 31) - 1).astype(np.int64).astype(np.int32)
case.output(case.op("CAST", [case.input("x", x)], "i32", [6]), wide)

case = Case("cast_of_large_integers", "Integers beyond 24 bits are truncated instead of rounded to even.")
x = np.array([16777217, 16777219, -16777217, 2147483647, -2147483647], np.int32)
case.output(case.op("CAST", [case.input("x", x)], "f32", [5]), x.astype(np.float32))

case = Case("cast_to_half", "A cast to 16-bit floats truncates, flushes small numbers, or does not become infinite.")
x = f32(1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 65520, -1e6, 2 ** -24, 2 ** -25, 3 * 2 ** -25, 6.1e-5)
with np.errstate(over="ignore"):
    half = x.astype(np.float16)
case.output(case.op("CAST", [case.input("x", x)], "f16", [9]), half)

case = Case("cast_from_half", "Small 16-bit floats become zero when they are widened.")
x = np.array([2 ** -24, 2 ** -15, -(2 ** -20), 65504, math.inf, 1.5], np.float16)
case.output(case.op("CAST", [case.input("x", x)], "f32", [6]), x.astype(np.float32))

case = Case("cast_through_bfloat", "A cast to bfloat16 truncates instead of rounding to even.")
x = f32(1 + 2 ** -8, 1 + 3 * 2 ** -8, -(1 + 2 ** -7 + 2 ** -9), 3.3895314e38, 1 / 3, math.inf)
bits = x.view(np.uint32)
rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
rounded[-1] = bits[-1]
narrow = case.op("CAST", [case.input("x", x)], "bf16", [6])
case.output(case.op("CAST", [narrow], "f32", [6]), rounded.view(np.float32))

case = Case("cast_of_booleans", "A cast to booleans takes the lowest bit.")
x = np.array([0, 2, -128, 256, 1 << 31], np.int64).astype(np.int32)
truth = case.op("CAST", [case.input("x", x)], "bool", [5])
case.output(case.op("CAST", [truth], "i32", [5]), (x != 0).astype(np.int32))


# --- requantisation --------------------------------------------------------------------------------------------------------------------

def scaled(value, multiplier, shift, double=False):
    value, rounding = int(value), 1 << (shift - 1)
    if double and shift > 31:
        rounding += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * int(multiplier) + rounding) >> shift


def rescale(name, about, x, multipliers, shifts, kind, input_zp=0, output_zp=0, mode="SINGLE_ROUND", unsigned=False):
    case = Case(name, about)
    x = np.asarray(x)
    per_channel = len(multipliers) > 1
    out = np.empty(x.shape, np.int64)
    for at in itertools.product(*map(range, x.shape)):
        channel = at[-1] if per_channel else 0
        value = int(x[at]) & 0xFF if unsigned else int(x[at])
        out[at] = scaled(value - input_zp, multipliers[channel], shifts[channel], mode == "DOUBLE_ROUND") + output_zp
    bounds = np.iinfo({"i8": np.int8, "i16": np.int16, "i32": np.int32}[kind])
    operands = [case.input("x", x), case.const(np.array(multipliers, np.int32)), case.const(np.array(shifts, np.int8))]
    flags = f"scale32=true rounding_mode={mode} per_channel={text_of(per_channel)} input_unsigned={text_of(unsigned)} output_unsigned=false"
    result = case.op("RESCALE", operands, kind, x.shape, f"{flags} input_zp={input_zp} output_zp={output_zp}")
    if unsigned:
        case.inputs["x"] = x.view(np.uint8)
    case.output(result, np.clip(out, bounds.min, bounds.max).astype(bounds.dtype))


rescale("rescale_rounds_halves_up", "Requantisation rounds halves away from zero, or truncates.", np.array([-5, -3, -1, 0, 1, 3, 5], np.int32), [1 << 30], [31], "i8")
rescale("rescale_saturates", "Requantisation wraps, or clamps before the zero point is added.", np.array([100000, -100000, 250, -250, 0], np.int32), [1 << 30], [30], "i8", 0, -20)
rescale("rescale_of_large_sums", "The product of a sum and a multiplier is computed in 32 bits.", np.array([2147483647, -2147483648, 1 << 29], np.int32), [2147483647], [40], "i32")
rescale("rescale_double_round", "Double rounding is computed as single rounding.", np.array([-3, 3, -1000001, 1000001, -65537], np.int32), [1431655766], [33], "i32", mode="DOUBLE_ROUND")
rescale("rescale_per_channel", "The multiplier of the first channel is used for all.", np.array([[100, 100, 100], [-77, -77, -77]], np.int32), [1 << 30, 1500000000, 1100000000], [31, 33, 30], "i8")
rescale("rescale_zero_point_at_end", "A zero point at the end of the type overflows.", np.array([-128, -127, 0, 127], np.int8), [1 << 30], [30], "i8", -128, -128)
rescale("rescale_unsigned_input", "Unsigned input is read with its sign.", np.array([-1, -128, 0, 127], np.int8), [1 << 30], [31], "i8", 128, 0, unsigned=True)


# --- reductions and pools -----------------------------------------------------------------------------------------------------------------

case = Case("argmax_first_of_equal", "Of several maxima, the index of the last one is returned, or one that depends on the width of a subgroup.")
x = np.zeros((3, 70), np.float32)
x[0, [5, 40, 69]] = 1
x[1, :] = -7
x[2, [64, 65]] = 2
case.output(case.op("ARGMAX", [case.input("x", x)], "i32", [3], "axis=1 nan_mode=PROPAGATE"), x.argmax(1).astype(np.int32))

case = Case("argmax_ignores_nan", "NaN is the maximum although the mode ignores it.")
x = np.array([[math.nan, 1, 3, 2], [4, math.nan, 4, 1]], np.float32)
case.output(case.op("ARGMAX", [case.input("x", x)], "i32", [2], "axis=1 nan_mode=IGNORE"), np.nanargmax(x, 1).astype(np.int32))

case = Case("argmax_first_axis", "An argmax along an outer axis is computed along the inner one.")
x = numbers((5, 3, 2), 11, kind=np.int8)
case.output(case.op("ARGMAX", [case.input("x", x)], "i32", [3, 2], "axis=0 nan_mode=PROPAGATE"), x.argmax(0).astype(np.int32))

case = Case("reduce_axis_of_one", "A reduction over an axis of one element is removed, with the axis.")
x = numbers((2, 1, 3), 12)
a = case.input("x", x)
case.output(case.op("REDUCE_SUM", [a], "f32", [2, 1, 3], "axis=1"), x)
case.output(case.op("REDUCE_MAX", [a], "f32", [2, 1, 3], "axis=1 nan_mode=PROPAGATE"), x)

case = Case("reduce_middle_axis", "A reduction over a middle axis of an odd length.")
x = numbers((3, 33, 5), 13)
a = case.input("x", x)
case.output(case.op("REDUCE_SUM", [a], "f32", [3, 1, 5], "axis=1"), x.sum(1, keepdims=True))
case.output(case.op("REDUCE_MIN", [a], "f32", [3, 1, 5], "axis=1 nan_mode=PROPAGATE"), x.min(1, keepdims=True))

case = Case("reduce_negative_maximum", "The maximum of negative numbers is 0, because it starts with 0, or a padded lane takes part.")
x = -1 - np.abs(numbers((2, 37), 14, kind=np.int8))
case.output(case.op("REDUCE_MAX", [case.input("x", x)], "i8", [2, 1], "axis=1 nan_mode=PROPAGATE"), x.max(1, keepdims=True))

case = Case("reduce_long_axis", "A sum of many elements loses the last ones, or loses precision with one running sum.")
ones = case.op("TILE", [case.input("x", np.ones((1, 1000), np.float32))], "f32", [1, 100000], "multiples=[1, 100]")
case.output(case.op("REDUCE_SUM", [ones], "f32", [1, 1], "axis=1"), np.full((1, 1), 100000, np.float32))

case = Case("reduce_booleans", "Reductions of booleans that are stored as other numbers than 0 and 1.")
x = np.array([[True] * 35, [True] * 34 + [False], [False] * 35])
a = case.input("x", x)
case.output(case.op("REDUCE_ALL", [a], "bool", [3, 1], "axis=1"), x.all(1, keepdims=True))
case.output(case.op("REDUCE_ANY", [a], "bool", [3, 1], "axis=1"), x.any(1, keepdims=True))

case = Case("reduce_product_signs", "A product with zeros and negative numbers.")
x = np.array([[-1, 2, -3, 4], [5, 0, -1, 2], [-2, -2, -2, 0.5]], np.float32)
case.output(case.op("REDUCE_PRODUCT", [case.input("x", x)], "f32", [3, 1], "axis=1"), x.prod(1, keepdims=True))


def reciprocal_scale(count):
    bits = (count - 1).bit_length()
    return (((1 << 30) + 1) << bits) // count, 30 + bits


case = Case("average_pool_of_integers", "An average counts the padding, or rounds to zero.")
x = np.array([-3, 0, 5, -128, 127, 1, -2, -1, 7], np.int8).reshape(1, 3, 3, 1)
zp, out_zp = -3, 5
expected = np.empty((1, 4, 4, 1), np.int8)
for oy, ox in itertools.product(range(4), range(4)):
    window = [int(x[0, y, c, 0]) - zp for y in (oy - 1, oy) for c in (ox - 1, ox) if 0 <= y < 3 and 0 <= c < 3]
    expected[0, oy, ox, 0] = np.clip(scaled(sum(window), *reciprocal_scale(len(window))) + out_zp, -128, 127)
case.output(case.op("AVG_POOL2D", [case.input("x", x)], "i8", [1, 4, 4, 1], f"kernel=[2, 2] stride=[1, 1] pad=[1, 1, 1, 1] acc_type=INT32 input_zp={zp} output_zp={out_zp}"), expected)

case = Case("average_pool_half_overflow", "The sum of a window of 16-bit floats overflows although the accumulator has 32 bits.")
x = np.full((1, 2, 2, 1), 60000, np.float16)
case.output(case.op("AVG_POOL2D", [case.input("x", x)], "f16", [1, 1, 1, 1], "kernel=[2, 2] stride=[2, 2] pad=[0, 0, 0, 0] acc_type=FP32 input_zp=0 output_zp=0"), np.full((1, 1, 1, 1), 60000, np.float16))

case = Case("max_pool_padding", "The padding of a maximum is 0, which is above negative inputs.")
x = np.array([-5, -9, -128, -3], np.int8).reshape(1, 2, 2, 1)
expected = np.array([-5, -5, -9, -5, -3, -3, -128, -3, -3], np.int8).reshape(1, 3, 3, 1)
case.output(case.op("MAX_POOL2D", [case.input("x", x)], "i8", [1, 3, 3, 1], "kernel=[2, 2] stride=[1, 1] pad=[1, 1, 1, 1] nan_mode=PROPAGATE"), expected)


# --- products and convolutions --------------------------------------------------------------------------------------------------------------

case = Case("matmul_zero_points", "The zero points of a product of 8-bit integers are added to the wrong operand, or overflow.")
x, y = np.array([[[-128, 127, 5], [0, -1, 127]]], np.int8), numbers((1, 3, 4), 15, -128, 127, np.int8)
exact = (x.astype(np.int64) + 128) @ (y.astype(np.int64) - 127)
case.output(case.op("MATMUL", [case.input("x", x), case.input("y", y)], "i32", [1, 2, 4], "A_zp=-128 B_zp=127"), exact.astype(np.int32))

for rows, depth, columns in ((1, 1, 1), (1, 7, 5), (3, 1, 4), (17, 5, 1), (5, 67, 33)):
    case = Case(f"matmul_{rows}_{depth}_{columns}", "A product whose sizes are not multiples of a tile.")
    x, y = numbers((2, rows, depth), 16), numbers((2, depth, columns), 17)
    case.output(case.op("MATMUL", [case.input("x", x), case.input("y", y)], "f32", [2, rows, columns], "A_zp=0 B_zp=0"), x @ y)

case = Case("matmul_many_rows", "A product of more than 65535 rows: a workgroup count or an index of 16 bits wraps.")
x, y = numbers((1, 1000, 2), 18, kind=np.int8), numbers((1, 2, 3), 19, kind=np.int8)
many = case.op("TILE", [case.input("x", x)], "i8", [1, 70000, 2], "multiples=[1, 70, 1]")
product = case.op("MATMUL", [many, case.input("y", y)], "i32", [1, 70000, 3], "A_zp=0 B_zp=0")
exact = np.tile(x.astype(np.int32), (1, 70, 1)) @ y.astype(np.int32)
total = case.op("REDUCE_SUM", [product], "i32", [1, 1, 3], "axis=1")
case.output(case.op("SLICE", [product], "i32", [1, 40, 3], "start=[0, 65520, 0] size=[1, 40, 3]"), exact[:, 65520:65560])
case.output(total, exact.sum(1, keepdims=True).astype(np.int32))

case = Case("matmul_half_products", "Products of 16-bit floats overflow although the result has 32 bits.")
x = np.array([[[60000, 60000, 2]]], np.float16)
y = np.array([[[2], [2], [0.5]]], np.float16)
case.output(case.op("MATMUL", [case.input("x", x), case.input("y", y)], "f32", [1, 1, 1], "A_zp=0 B_zp=0"), np.full((1, 1, 1), 240001, np.float32))

case = Case("matmul_of_itself", "A product of a tensor with itself.")
x = numbers((1, 6, 6), 20)
a = case.input("x", x)
case.output(case.op("MATMUL", [a, a], "f32", [1, 6, 6], "A_zp=0 B_zp=0"), x @ x)


def convolution(x, w, b, pad, stride, dilation, input_zp=0, weight_zp=0):
    """x [N, H, W, C], w [O, KH, KW, C]; pad top, bottom, left, right."""
    n, h, width, _ = x.shape
    oc, kh, kw, _ = w.shape
    oh = (h - 1 + pad[0] + pad[1] - (kh - 1) * dilation[0]) // stride[0] + 1
    ow = (width - 1 + pad[2] + pad[3] - (kw - 1) * dilation[1]) // stride[1] + 1
    out = np.zeros((n, oh, ow, oc), np.float64) + b
    for i, oy, ox, ky, kx in itertools.product(range(n), range(oh), range(ow), range(kh), range(kw)):
        y, c = oy * stride[0] - pad[0] + ky * dilation[0], ox * stride[1] - pad[2] + kx * dilation[1]
        if 0 <= y < h and 0 <= c < width:
            out[i, oy, ox] += (w[:, ky, kx].astype(np.float64) - weight_zp) @ (x[i, y, c].astype(np.float64) - input_zp)
    return out


def conv_case(name, about, x, w, b, pad, stride, dilation, input_zp=0, weight_kind=""):
    case = Case(name, about)
    exact = convolution(x, w, b, pad, stride, dilation, input_zp)
    integers = x.dtype == np.int8
    kind, acc = ("i32", "INT32") if integers else ("f32", "FP32")
    operands = [case.input("x", x), case.const(w, weight_kind), case.const(b)]
    result = case.op("CONV2D", operands, kind, exact.shape, f"pad={list(pad)} stride={list(stride)} dilation={list(dilation)} acc_type={acc} local_bound=false input_zp={input_zp} weight_zp=0")
    case.output(result, exact.astype(np.int32 if integers else np.float32))


conv_case("conv_zero_point_padding", "The padding of a quantised convolution is 0 instead of the zero point.", numbers((1, 3, 4, 2), 21, -128, 127, np.int8), numbers((3, 3, 3, 2), 22, -127, 127, np.int8), numbers((3,), 23, -99, 99, np.int32), (1, 1, 1, 1), (1, 1), (1, 1), -128)
conv_case("conv_uneven_padding", "Uneven padding is applied on the other side.", numbers((1, 5, 6, 3), 24), numbers((4, 3, 2, 3), 25), numbers((4,), 26), (0, 2, 2, 0), (1, 2), (1, 1))
conv_case("conv_dilation", "Dilation and stride together.", numbers((2, 11, 11, 4), 27), numbers((5, 2, 3, 4), 28), numbers((5,), 29), (0, 0, 2, 2), (2, 2), (2, 3))
conv_case("conv_kernel_beyond_input", "A kernel that is larger than the input.", numbers((1, 2, 2, 3), 30), numbers((2, 5, 5, 3), 31), numbers((2,), 32), (2, 2, 2, 2), (1, 1), (1, 1))
conv_case("conv_pointwise_stride", "A 1x1 convolution with a stride becomes a product over all pixels.", numbers((1, 5, 5, 8), 33), numbers((6, 1, 1, 8), 34), numbers((6,), 35), (0, 0, 0, 0), (2, 2), (1, 1))
conv_case("conv_one_channel", "A convolution of one channel to one.", numbers((1, 7, 9, 1), 36), numbers((1, 3, 3, 1), 37), numbers((1,), 38), (1, 1, 1, 1), (1, 1), (1, 1))
conv_case("conv_4_bit_weights", "Weights of 4 bits are read without their sign, or in the other order of two.", numbers((1, 3, 3, 4), 39, -128, 127, np.int8), numbers((3, 2, 2, 4), 40, -7, 7, np.int8), numbers((3,), 41, -9, 9, np.int32), (0, 0, 0, 0), (1, 1), (1, 1), 3, "i4")

case = Case("depthwise_multiplier", "A depthwise convolution with several results for each channel interleaves them.")
x, w, b = numbers((1, 4, 5, 3), 42), numbers((3, 3, 3, 2), 43), numbers((6,), 44)
exact = np.zeros((1, 4, 5, 6)) + b
for oy, ox, ky, kx in itertools.product(range(4), range(5), range(3), range(3)):
    y, c = oy + ky - 1, ox + kx - 1
    if 0 <= y < 4 and 0 <= c < 5:
        exact[0, oy, ox] += (x[0, y, c][:, None] * w[ky, kx]).reshape(-1)
result = case.op("DEPTHWISE_CONV2D", [case.input("x", x), case.const(w), case.const(b)], "f32", [1, 4, 5, 6], "pad=[1, 1, 1, 1] stride=[1, 1] dilation=[1, 1] acc_type=FP32 local_bound=false input_zp=0 weight_zp=0")
case.output(result, exact.astype(np.float32))


def transposed(name, about, kernel, stride, out_pad):
    case = Case(name, about)
    x, w, b = numbers((1, 3, 2, 2), 45), numbers((3, *kernel, 2), 46), numbers((3,), 47)
    h = 2 * stride[0] + out_pad[0] + out_pad[1] + kernel[0]
    width = 1 * stride[1] + out_pad[2] + out_pad[3] + kernel[1]
    exact = np.zeros((1, h, width, 3)) + b
    for iy, ix, ky, kx in itertools.product(range(3), range(2), range(kernel[0]), range(kernel[1])):
        y, c = iy * stride[0] + out_pad[0] + ky, ix * stride[1] + out_pad[2] + kx
        if 0 <= y < h and 0 <= c < width:
            exact[0, y, c] += w[:, ky, kx] @ x[0, iy, ix]
    result = case.op("TRANSPOSE_CONV2D", [case.input("x", x), case.const(w), case.const(b)], "f32", exact.shape, f"out_pad={list(out_pad)} stride={list(stride)} acc_type=FP32 local_bound=false input_zp=0 weight_zp=0")
    case.output(result, exact.astype(np.float32))


transposed("transposed_conv_gaps", "A transposed convolution whose stride is larger than its kernel: the gaps hold no bias, or old data.", (2, 2), (3, 4), (0, 0, 0, 0))
transposed("transposed_conv_overlap", "Windows of a transposed convolution overlap, with uneven padding.", (3, 3), (2, 1), (1, 0, 0, 2))
transposed("transposed_conv_negative_pad", "Negative padding of a transposed convolution cuts the wrong side.", (3, 3), (2, 2), (-1, 0, 0, -2))


# --- resize -----------------------------------------------------------------------------------------------------------------------------------

def resize(name, about, x, mode, scale, offset, border):
    case = Case(name, about, atol=0 if x.dtype == np.int8 or mode.startswith("N") else 1e-5)
    _, h, w, channels = x.shape
    sizes = [((size - 1) * scale[2 * i] - offset[i] + border[i]) // scale[2 * i + 1] + 1 for i, size in enumerate((h, w))]
    integers = x.dtype == np.int8
    out = np.zeros((1, *sizes, channels))
    for oy, ox in itertools.product(*map(range, sizes)):
        at = []
        for o, size, n, d, shift in ((oy, h, scale[0], scale[1], offset[0]), (ox, w, scale[2], scale[3], offset[1])):
            place = o * d + shift
            whole = place // n
            at.append((min(max(whole, 0), size - 1), min(max(whole + 1, 0), size - 1), place - whole * n, n))
        (y0, y1, ry, ny), (x0, x1, rx, nx) = at
        if mode == "NEAREST_NEIGHBOR":
            out[0, oy, ox] = x[0, y1 if 2 * ry >= ny else y0, x1 if 2 * rx >= nx else x0]
        else:
            unit_y, unit_x = (1, 1) if integers else (ny, nx)
            wy, wx = ((ny - ry) / unit_y, ry / unit_y), ((nx - rx) / unit_x, rx / unit_x)
            out[0, oy, ox] = sum(wy[i] * wx[j] * x[0, (y0, y1)[i], (x0, x1)[j]].astype(np.float64) for i in (0, 1) for j in (0, 1))
    kind = "f32" if not integers else "i8" if mode.startswith("N") else "i32"
    result = case.op("RESIZE", [case.input("x", x)], kind, out.shape, f"mode={mode} scale={list(scale)} offset={list(offset)} border={list(border)}")
    case.output(result, out.astype({"f32": np.float32, "i8": np.int8, "i32": np.int32}[kind]))


image = numbers((1, 3, 4, 2), 48)
bytes_image = numbers((1, 3, 4, 2), 49, -128, 127, np.int8)
resize("resize_bilinear_half_pixel", "Half-pixel centres are off by half a pixel, or the edge is extrapolated.", image, "BILINEAR", (4, 2, 4, 2), (-1, -1), (1, 1))
resize("resize_bilinear_corners", "Aligned corners are scaled by the size instead of the size minus one.", image, "BILINEAR", (4, 2, 6, 2), (0, 0), (0, 0))
resize("resize_nearest_half_pixel", "The nearest pixel of a centre between two is the lower one.", image, "NEAREST_NEIGHBOR", (4, 2, 4, 2), (-1, -1), (1, 1))
resize("resize_nearest_down", "Shrinking by a fraction takes other pixels.", numbers((1, 7, 9, 1), 50), "NEAREST_NEIGHBOR", (4, 6, 4, 10), (1, 3), (1, 1))
resize("resize_bilinear_integers", "A bilinear resize of 8-bit integers is scaled or rounded, although its result has 32 bits.", bytes_image, "BILINEAR", (4, 2, 4, 2), (-1, -1), (1, 1))
resize("resize_nearest_integers", "A resize of negative offsets rounds them to zero.", bytes_image, "NEAREST_NEIGHBOR", (6, 2, 4, 2), (-2, -1), (2, 1))


# --- layout -------------------------------------------------------------------------------------------------------------------------------------

case = Case("pad_rank_3", "Padding of a tensor of rank 3 is applied to the axes of one of rank 4.")
x = numbers((2, 3, 4), 51)
case.output(case.op("PAD", [case.input("x", x)], "f32", [3, 6, 6], "padding=[1, 0, 0, 3, 2, 0] pad_const=-2.5"), np.pad(x, ((1, 0), (0, 3), (2, 0)), constant_values=-2.5))

case = Case("concat_of_40", "A concatenation of more inputs than a kernel has bindings loses the last ones.")
parts = [numbers((2, 1 + i % 3), 60 + i) for i in range(40)]
joined = np.concatenate(parts, 1)
ids = [case.input(f"x{i}", part) for i, part in enumerate(parts)]
case.output(case.op("CONCAT", ids, "f32", joined.shape, "axis=1"), joined)

case = Case("concat_with_itself", "The same tensor twice in a concatenation, which is also an output.")
x = numbers((2, 3), 101)
a = case.op("ABS", [case.input("x", x)], "f32", [2, 3])
case.output(a, np.abs(x))
case.output(case.op("CONCAT", [a, a], "f32", [2, 6], "axis=1"), np.concatenate([np.abs(x)] * 2, 1))

case = Case("transpose_then_reshape", "A reshape after a transpose takes the elements in their order before it.")
x = numbers((2, 3, 4), 102)
turned = case.op("TRANSPOSE", [case.input("x", x)], "f32", [4, 2, 3], "perms=[2, 0, 1]")
case.output(case.op("RESHAPE", [turned], "f32", [6, 4], "shape=[6, 4]"), x.transpose(2, 0, 1).reshape(6, 4))

case = Case("transpose_rank_6", "A transpose of rank 6.")
x = numbers((2, 3, 1, 2, 3, 2), 103)
perms = [5, 0, 3, 1, 4, 2]
case.output(case.op("TRANSPOSE", [case.input("x", x)], "f32", x.transpose(perms).shape, f"perms={perms}"), x.transpose(perms))

case = Case("transposed_operands", "A product of two transposed tensors: one of them is read in its old order.")
x, y = numbers((2, 5, 3), 104), numbers((2, 4, 5), 105)
a = case.op("TRANSPOSE", [case.input("x", x)], "f32", [2, 3, 5], "perms=[0, 2, 1]")
b = case.op("TRANSPOSE", [case.input("y", y)], "f32", [2, 5, 4], "perms=[0, 2, 1]")
case.output(case.op("MATMUL", [a, b], "f32", [2, 3, 4], "A_zp=0 B_zp=0"), x.transpose(0, 2, 1) @ y.transpose(0, 2, 1))

case = Case("slices_of_one_tensor", "Slices that overlap share memory, and one is overwritten.")
x = numbers((4, 6), 106)
a = case.op("ABS", [case.input("x", x)], "f32", [4, 6])
left = case.op("SLICE", [a], "f32", [3, 4], "start=[0, 0] size=[3, 4]")
right = case.op("SLICE", [a], "f32", [3, 4], "start=[1, 2] size=[3, 4]")
case.output(case.op("ADD", [left, right], "f32", [3, 4]), np.abs(x)[:3, :4] + np.abs(x)[1:, 2:])
case.output(right, np.abs(x)[1:, 2:])

case = Case("reverse_middle", "A reversal of a middle axis reverses the last one.")
x = numbers((2, 5, 3), 107, kind=np.int8)
case.output(case.op("REVERSE", [case.input("x", x)], "i8", [2, 5, 3], "axis=1"), x[:, ::-1])

case = Case("tile_two_axes", "A repetition along two axes repeats elements instead of the tensor.")
x = numbers((2, 3), 108)
case.output(case.op("TILE", [case.input("x", x)], "f32", [4, 9], "multiples=[2, 3]"), np.tile(x, (2, 3)))

case = Case("gather_large_table", "A table of more than 65535 rows is read with an index of 16 bits.")
x = numbers((1, 1000, 3), 109, -128, 127, np.int8)
table = case.op("TILE", [case.input("x", x)], "i8", [1, 70000, 3], "multiples=[1, 70, 1]")
ids = np.array([[0, 65535, 65536, 69999, 4464, 66000]], np.int32)
case.output(case.op("GATHER", [table, case.input("ids", ids)], "i8", [1, 6, 3]), np.tile(x, (1, 70, 1))[:, ids[0]])

case = Case("gather_of_batches", "The indices of the first batch are used for all, and repeated indices are dropped.")
x, ids = numbers((2, 5, 3), 110), np.array([[4, 0, 0, 2], [1, 1, 3, 4]], np.int32)
case.output(case.op("GATHER", [case.input("x", x), case.input("ids", ids)], "f32", [2, 4, 3]), np.take_along_axis(x, ids[..., None], 1))

case = Case("scatter_keeps_the_rest", "Rows that no index names lose their values.")
x, ids, rows = numbers((2, 5, 3), 111), np.array([[4, 0], [1, 3]], np.int32), numbers((2, 2, 3), 112)
expected = x.copy()
for n, w in itertools.product(range(2), range(2)):
    expected[n, ids[n, w]] = rows[n, w]
a = case.input("x", x)
case.output(case.op("SCATTER", [a, case.input("ids", ids), case.input("rows", rows)], "f32", [2, 5, 3]), expected)
case.output(case.op("ADD", [a, a], "f32", [2, 5, 3]), x + x)


# --- tables and transforms -----------------------------------------------------------------------------------------------------------------------

case = Case("table_of_bytes", "A table is read with the unsigned value of a signed byte.")
x, table = np.array([-128, -1, 0, 1, 127], np.int8), (np.arange(256) * 37 % 251 - 125).astype(np.int8)
case.output(case.op("TABLE", [case.input("x", x), case.const(table)], "i8", [5]), table[x.astype(np.int32) + 128])

case = Case("table_interpolates", "A table of 16 bits interpolates with the wrong neighbour at its ends, or rounds.")
x, table = np.array([-32768, -32767, -1, 0, 127, 32767], np.int16), (np.arange(513) * 113 % 4001 - 2000).astype(np.int16)
index, part = (x.astype(np.int32) + 32768) >> 7, x.astype(np.int32) & 127
low, high = table[index].astype(np.int32), table[index + 1].astype(np.int32)
case.output(case.op("TABLE", [case.input("x", x), case.const(table)], "i32", [6]), low * 128 + (high - low) * part)

case = Case("fourier_transform", "A transform of a rectangle takes height for width, or the inverse has the other sign.", atol=2e-4)
real, imag = numbers((1, 4, 8), 113), numbers((1, 4, 8), 114)
a, b = case.input("real", real), case.input("imag", imag)
for inverse in (False, True):
    exact = np.fft.fft2(real + 1j * imag) if not inverse else np.fft.ifft2(real + 1j * imag) * 32
    first, second = f"%{case.count}", f"%{case.count + 1}"
    case.lines.append(f"  {first}, {second} = FFT2D({a}, {b}) f32[1, 4, 8], f32[1, 4, 8] inverse={text_of(inverse)} local_bound=false")
    case.count += 2
    for part, value, array in (("real", first, exact.real), ("imag", second, exact.imag)):
        one = case.op("ADD", [value, case.const(np.zeros((1, 1, 1), np.float32))], "f32", [1, 4, 8])
        case.output(one, array.astype(np.float32))


# --- outputs that no operator makes --------------------------------------------------------------------------------------------------------------

case = Case("output_is_input", "An output that is an input is never written.")
x = numbers((2, 3), 115)
a = case.input("x", x)
case.output(case.op("ABS", [a], "f32", [2, 3]), np.abs(x))
case.output(a, x)

case = Case("output_is_constant", "An output that is a constant is never written.")
x, c = numbers((2, 3), 116), numbers((4,), 117)
case.output(case.op("ABS", [case.input("x", x)], "f32", [2, 3]), np.abs(x))
case.output(case.const(c), c)

case = Case("output_is_a_view", "An output that is a reshaped or sliced input, or another output, is never written, or written over.")
x = numbers((4, 6), 118)
a = case.input("x", x)
top = case.op("ABS", [a], "f32", [4, 6])
case.output(top, np.abs(x))
case.output(case.op("RESHAPE", [top], "f32", [24], "shape=[24]"), np.abs(x).reshape(-1))
case.output(case.op("RESHAPE", [a], "f32", [8, 3], "shape=[8, 3]"), x.reshape(8, 3))
case.output(case.op("SLICE", [a], "f32", [2, 2], "start=[1, 3] size=[2, 2]"), x[1:3, 3:5])
case.output(case.op("TRANSPOSE", [a], "f32", [6, 4], "perms=[1, 0]"), x.T)


# --- simplifications -----------------------------------------------------------------------------------------------------------------------------

case = Case("infinity_times_zero", "A product with zero, or a difference of equal operands, is simplified to zero.")
x = f32(1, math.inf, -math.inf, math.nan)
a = case.input("x", x)
with np.errstate(invalid="ignore"):
    case.output(case.op("MUL", [a, case.const(f32(0))], "f32", [4], "shift=0"), x * np.float32(0))
    case.output(case.op("SUB", [a, a], "f32", [4]), x - x)

case = Case("zero_is_added", "An addition of zero is removed, although it changes the sign of a negative zero.")
x = f32(-0.0, 0.0, -2)
with np.errstate(divide="ignore"):
    total = case.op("ADD", [case.input("x", x), case.const(f32(0))], "f32", [3])
    case.output(case.op("RECIPROCAL", [total], "f32", [3]), np.float32(1) / (x + np.float32(0)))

case = Case("casts_lose_precision", "A cast and its inverse are removed, although the type between them is narrower.")
x = f32(1 / 3, 2.5, 300.25, -7.75)
a = case.input("x", x)
case.output(case.op("CAST", [case.op("CAST", [a], "f16", [4])], "f32", [4]), x.astype(np.float16).astype(np.float32))
case.output(case.op("CAST", [case.op("CAST", [a], "i8", [4])], "f32", [4]), np.clip(np.rint(x), -128, 127).astype(np.float32))

case = Case("transposes_do_not_cancel", "Two equal transposes are removed, which only a swap allows.")
x = numbers((2, 3, 4), 119)
once = case.op("TRANSPOSE", [case.input("x", x)], "f32", [3, 4, 2], "perms=[1, 2, 0]")
case.output(case.op("TRANSPOSE", [once], "f32", [4, 2, 3], "perms=[1, 2, 0]"), x.transpose(1, 2, 0).transpose(1, 2, 0))

case = Case("clamps_in_sequence", "Two clamps are merged to one with the wrong bounds.")
x = numbers((17,), 120, -20, 20)
first = case.op("CLAMP", [case.input("x", x)], "f32", [17], "min_val=0.0 max_val=6.0 nan_mode=PROPAGATE")
case.output(case.op("CLAMP", [first], "f32", [17], "min_val=-1.0 max_val=3.0 nan_mode=PROPAGATE"), np.clip(np.clip(x, 0, 6), -1, 3))
case.output(case.op("CLAMP", [first], "f32", [17], "min_val=7.0 max_val=9.0 nan_mode=PROPAGATE"), np.full(17, 7, np.float32))

case = Case("scalars", "Tensors of rank 0.")
x, y = np.array(2.5, np.float32), np.array(-4, np.float32)
a, b = case.input("x", x), case.input("y", y)
case.output(case.op("MUL", [a, b], "f32", [], "shift=0"), x * y)
case.output(case.op("RESHAPE", [b], "f32", [1, 1], "shape=[1, 1]"), y.reshape(1, 1))

case = Case("normalisation_of_a_large_mean", "A variance is computed as a difference of large squares.", atol=2e-3)
x = (1000 + np.arange(8, dtype=np.float32).reshape(1, 8) * np.float32(0.25)).astype(np.float32)
a = case.input("x", x)
eighth = case.const(np.full((1, 1), 0.125, np.float32))
mean = case.op("MUL", [case.op("REDUCE_SUM", [a], "f32", [1, 1], "axis=1"), eighth], "f32", [1, 1], "shift=0")
centred = case.op("SUB", [a, mean], "f32", [1, 8])
square = case.op("MUL", [centred, centred], "f32", [1, 8], "shift=0")
variance = case.op("MUL", [case.op("REDUCE_SUM", [square], "f32", [1, 1], "axis=1"), eighth], "f32", [1, 1], "shift=0")
inverse = case.op("RSQRT", [case.op("ADD", [variance, case.const(np.full((1, 1), 1e-5, np.float32))], "f32", [1, 1])], "f32", [1, 1])
wide = x.astype(np.float64)
expected = (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)
case.output(case.op("MUL", [centred, inverse], "f32", [1, 8], "shift=0"), expected.astype(np.float32))

case = Case("gelu_of_large_numbers", "A GELU is NaN or not zero for large negative numbers.", atol=2e-6)
x = f32(-1e30, -20, -1, 0, 1, 20)
a = case.input("x", x)
inner = case.op("ERF", [case.op("MUL", [a, case.const(f32(0.70710678))], "f32", [6], "shift=0")], "f32", [6])
half = case.op("MUL", [a, case.const(f32(0.5))], "f32", [6], "shift=0")
wide = np.array([0.5 * v * (1 + math.erf(v * 0.70710678)) for v in x.tolist()])
case.output(case.op("MUL", [half, case.op("ADD", [inner, case.const(f32(1))], "f32", [6])], "f32", [6], "shift=0"), wide.astype(np.float32))

case = Case("sums_beyond_32_bits", "The accumulator of 16-bit convolutions, which has 48 bits, wraps at 32.")
x, w = np.full((1, 1, 1, 1000), 32767, np.int16), np.full((2, 1, 1, 1000), 127, np.int8)
w[1] = -127
b = case.value("const i48[2] [5, -5]")
wide = case.op("CONV2D", [case.input("x", x), case.const(w), b], "i48", [1, 1, 1, 2], "pad=[0, 0, 0, 0] stride=[1, 1] dilation=[1, 1] acc_type=INT48 local_bound=false input_zp=0 weight_zp=0")
sums = [32767 * 127 * 1000 + 5, -32767 * 127 * 1000 - 5]
result = case.op("RESCALE", [wide, case.const(np.array([16384], np.int16)), case.const(np.array([20], np.int8))], "i32", [1, 1, 1, 2], "scale32=false rounding_mode=SINGLE_ROUND per_channel=false input_unsigned=false output_unsigned=false input_zp=0 output_zp=0")
case.output(result, np.array([scaled(v, 16384, 20) for v in sums], np.int32).reshape(1, 1, 1, 2))

case = Case("depthwise_integers", "A quantised depthwise convolution pads with 0, with a stride and a dilation.")
x, w, b = numbers((1, 5, 5, 3), 121, -128, 127, np.int8), numbers((2, 2, 3, 1), 122, -127, 127, np.int8), numbers((3,), 123, -50, 50, np.int32)
exact = np.zeros((1, 3, 3, 3)) + b
for oy, ox, ky, kx in itertools.product(range(3), range(3), range(2), range(2)):
    y, c = oy * 2 - 1 + 2 * ky, ox * 2 - 1 + 2 * kx
    if 0 <= y < 5 and 0 <= c < 5:
        exact[0, oy, ox] += (x[0, y, c].astype(np.int64) - 7) * w[ky, kx, :, 0].astype(np.int64)
result = case.op("DEPTHWISE_CONV2D", [case.input("x", x), case.const(w), case.const(b)], "i32", [1, 3, 3, 3], "pad=[1, 1, 1, 1] stride=[2, 2] dilation=[2, 2] acc_type=INT32 local_bound=false input_zp=7 weight_zp=0")
case.output(result, exact.astype(np.int32))
