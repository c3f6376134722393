# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shaders that compilers and drivers of other projects have compiled wrongly without an error, as scenarios. The expected values are
computed here, with NumPy and plain loops."""
import math

import numpy as np

CASES = {}  # by name: (about, scenario)
TYPES = {"float32": "f32", "int32": "i32", "uint32": "u32", "float16": "f16", "int8": "i8", "uint8": "u8", "int64": "i64", "uint64": "u64", "int16": "i16"}


def values_of(array):
    def one(value):
        if isinstance(value, float) and not math.isfinite(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        return value
    return [one(value) for value in np.asarray(array).reshape(-1).tolist()]


def buffer(uid, data=None, expected=None, size=None, **tolerance):
    body = {"uid": uid, "size": size or np.asarray(data if data is not None else expected).nbytes,
            "shader_access": "readonly" if expected is None else "readwrite"}
    if data is not None:
        data = np.asarray(data)
        body["data"] = {"type": TYPES[str(data.dtype)], "values": values_of(data)}
    if expected is not None:
        expected = np.asarray(expected)
        body["expect"] = {"type": TYPES[str(expected.dtype)], "data": values_of(expected), **tolerance}
    return {"buffer": body}


def scenario(name, about, source, resources, groups=(1,), shader=None, bindings=None, push=None):
    lines = source.strip().split("\n")
    resources = [{"shader": {"uid": "shader", "type": "GLSL", "source": lines, **(shader or {})}}, *resources]
    uids = [next(iter(one.values()))["uid"] for one in resources[1:]]
    command = {"shader_ref": "shader", "rangeND": list(groups),
               "bindings": bindings or [{"set": 0, "id": i, "resource_ref": uid} for i, uid in enumerate(uids)]}
    if push is not None:
        resources.append({"raw_data": {"uid": "push", "data": {"values": push}}})
        command["push_data_ref"] = "push"
    assert name not in CASES
    CASES[name] = (about, {"comment": about, "resources": resources, "commands": [{"dispatch_compute": command}]})


def glsl(name, about, body, inputs, expected, head="", size=0, groups=(1,), shader=None, **tolerance):
    """A shader that reads `x0[]`, `x1[]`... and writes `y[]`, with `i` as its invocation."""
    names = {"f32": "float", "i32": "int", "u32": "uint", "f16": "float16_t", "i8": "int8_t", "u8": "uint8_t", "i64": "int64_t", "u64": "uint64_t", "i16": "int16_t"}
    blocks, resources = [], []
    for number, array in enumerate(inputs):
        kind = names[TYPES[str(np.asarray(array).dtype)]]
        blocks.append(f"layout(set = 0, binding = {number}) readonly buffer X{number} {{ {kind} x{number}[]; }};")
        resources.append(buffer(f"x{number}", array))
    expected = np.asarray(expected)
    kind = names[TYPES[str(expected.dtype)]]
    blocks.append(f"layout(set = 0, binding = {len(inputs)}) buffer Y {{ {kind} y[]; }};")
    resources.append(buffer("y", None, expected, **tolerance))
    extensions = "\n".join(f"#extension {one} : require" for one in ("GL_EXT_shader_explicit_arithmetic_types", "GL_EXT_shader_16bit_storage", "GL_EXT_shader_8bit_storage"))
    needs = any(text.endswith("_t") or "_t " in text for text in blocks)
    source = f"#version 460\n{extensions if needs else ''}\nlayout(local_size_x = {size or expected.size}) in;\n" + "\n".join(blocks)
    source += f"\n{head.strip()}\nvoid main() {{\n  uint i = gl_GlobalInvocationID.x;\n{body}\n}}"
    scenario(name, about, "\n".join(line for line in source.split("\n") if line.strip()), resources, groups, shader)


def f32(*values):
    return np.array(values, np.float32)


def i32(*values):
    return np.array(values, np.int64).astype(np.int32)


def u32(*values):
    return np.array(values, np.int64).astype(np.uint32)


def nested_loops(skipped):
    total = 0
    for a in range(6):
        if a == skipped:
            continue
        total += sum(10 * a + b for b in range(4) if b != 2)
        if a > 3 + skipped:
            break
    return total


# --- control flow --------------------------------------------------------------------------------------------------------------------

glsl("loop_continue", "`continue` skips the increment of a loop, or the rest of the wrong loop.", """
  int sum = 0;
  for (int a = 0; a < 6; ++a) {
    if (a == x0[i]) continue;
    for (int b = 0; b < 4; ++b) { if (b == 2) continue; sum += 10 * a + b; }
    if (a > 3 + x0[i]) break;
  }
  y[i] = sum;""", [i32(0, 1, 2, 9)], i32(*map(nested_loops, (0, 1, 2, 9))))

glsl("loop_with_two_exits", "A value that is computed before one of two exits of a loop is that of the other exit.", """
  int found = -1, steps = 0;
  while (true) {
    if (steps >= 5) { found = 100 + steps; break; }
    if (x0[steps] == int(i)) { found = steps; break; }
    ++steps;
  }
  y[i] = found * 10 + steps;""", [i32(3, 0, 2, 7, 1)], i32(11, 44, 22, 0, 1055), size=5)

glsl("do_while_once", "The condition of a do-while loop is tested before its first turn.", """
  int n = 0;
  do { ++n; if (n == x0[i]) continue; n += 10; } while (n < 3);
  y[i] = n;""", [i32(1, 2, 0)], i32(12, 11, 11))

glsl("switch_falls_through", "A case without a break, or a default in the middle, runs the wrong cases.", """
  int r = 0;
  switch (x0[i]) {
    case 1: r += 1;
    default: r += 10;
    case 2: r += 100; break;
    case 3: r += 1000;
  }
  y[i] = r;""", [i32(1, 2, 3, 4)], i32(111, 100, 1000, 110))

glsl("early_return_in_loop", "A return inside of nested loops ends the inner loop only.",
     "  y[i] = find(x0[i]);", [i32(5, 12, 99)], i32(105, 112, -1), head="""
int find(int what) {
  for (int a = 0; a < 4; ++a) { for (int b = 0; b < 4; ++b) { if (4 * a + b == what) return 100 + what; } }
  return -1;
}""")

glsl("short_circuit", "Both sides of `&&` and `||` are evaluated.", """
  count = 0;
  bool a = x0[i] != 0 && touch(), b = x0[i] != 0 || touch();
  int c = x0[i] != 0 ? count : (touch() ? 50 : 60);
  y[i] = count * 1000 + c * 10 + int(a) * 2 + int(b);""", [i32(0, 1)], i32(2503 - 2, 1013),
     head="int count;\nbool touch() { ++count; return true; }")

glsl("inout_aliases", "Two inout parameters for one variable: they are copied in and out, and are not references.", """
  int v = x0[i];
  step_both(v, v);
  y[i] = v;""", [i32(1, 7)], i32(11, 17), head="void step_both(inout int a, inout int b) { a += 100; b += 10; }")

glsl("divergent_barrier_free_loop", "Invocations of one subgroup leave a loop at different turns, and the last one's count is used for all.", """
  uint n = 0;
  for (uint k = x0[i]; k > 1; k = (k & 1) == 0 ? k / 2 : 3 * k + 1) ++n;
  y[i] = n;""", [u32(1, 2, 3, 7, 9, 27, 6, 97)], u32(0, 1, 7, 16, 19, 111, 8, 118))


# --- integers ------------------------------------------------------------------------------------------------------------------------

glsl("division_of_negative_integers", "A signed division by a constant rounds down, or a modulus is that of a float.", """
  int v = x0[i];
  y[i] = v / 7 * 100000 + v / -4 * 100 + v / 1;""", [i32(-50, -1, 6, 50, -7)], i32(*[int(v / 7) * 100000 + int(v / -4) * 100 + v for v in (-50, -1, 6, 50, -7)]))

glsl("unsigned_division_by_constant", "A division by a constant becomes a product that is wrong for large numbers.", """
  uint v = x0[i];
  y[i] = (v / 7u) ^ (v / 641u) ^ (v % 10u) ^ (v / 0x80000001u);""", [u32(4294967295, 2147483648, 6, 4294967290)],
     u32(*[(v // 7) ^ (v // 641) ^ (v % 10) ^ (v // 0x80000001) for v in (4294967295, 2147483648, 6, 4294967290)]))

glsl("arithmetic_shift", "A shift of a signed number fills with zeros.", "  y[i] = (x0[i] >> 31) + (x0[i] >> 1) * 4;", [i32(-1, -5, 5, -2147483648)],
     i32(*[((v >> 31) + (v >> 1) * 4 + 2 ** 31) % 2 ** 32 - 2 ** 31 for v in (-1, -5, 5, -2147483648)]))

glsl("bits_of_integers", "Positions of the highest bit of negative numbers and zero, and counts of bits.", """
  int v = x0[i];
  y[4 * i] = findMSB(v); y[4 * i + 1] = findLSB(v); y[4 * i + 2] = bitCount(v); y[4 * i + 3] = findMSB(uint(v));""", [i32(0, -1, 8, -9)],
     i32(-1, -1, 0, -1, -1, 0, 32, 31, 3, 3, 1, 3, 3, 0, 31, 31), size=4)

glsl("bitfields", "A bit field of no bits or all bits is undefined by the machine's shift, and a signed one is not extended.", """
  int v = x0[i];
  y[4 * i] = bitfieldExtract(v, 0, 0); y[4 * i + 1] = bitfieldExtract(v, 4, 4);
  y[4 * i + 2] = bitfieldExtract(v, 0, 32); y[4 * i + 3] = bitfieldInsert(v, -1, 0, 0);""", [i32(0xF0, -1, 0x70)],
     i32(0, -1, 0xF0, 0xF0, 0, -1, -1, -1, 0, 7, 0x70, 0x70), size=3)

glsl("carry_and_extended_product", "The carry of an addition and the upper half of a product.", """
  uint carry, borrow, high, low;
  uint sum = uaddCarry(x0[i], x1[i], carry), difference = usubBorrow(x0[i], x1[i], borrow);
  umulExtended(x0[i], x1[i], high, low);
  y[4 * i] = sum; y[4 * i + 1] = carry * 2 + borrow; y[4 * i + 2] = high; y[4 * i + 3] = low + 0 * difference;""",
     [u32(4294967295, 5, 0), u32(2, 4294967295, 0)],
     u32(1, 2, 1, 4294967294, 4, 3, 4, 4294967291, 0, 0, 0, 0), size=3)

glsl("wrap_around", "Sums of integers that wrap are taken as sums that cannot.", "  y[i] = (x0[i] + 1 > x0[i]) ? 1 : 0;", [u32(4294967295, 0, 2147483647)], i32(0, 1, 1))

glsl("bytes_and_shorts", "8-bit and 16-bit storage: the sign is not extended, or a neighbour is overwritten.", """
  y[i] = int8_t(int(x0[i]) + int(x1[i]) / 256);""", [np.array([-128, 127, -1, 5], np.int8), np.array([256, -512, -32768, 32767], np.int16)], np.array([-127, 125, 127, -124], np.int8), size=4)

glsl("integers_of_64_bits", "Products, shifts and comparisons of 64-bit integers use 32 bits.", """
  int64_t a = x0[i];
  y[i] = (a * 4294967297l) ^ (a >> 33) ^ (a > 4294967295l ? 1l : 0l);""", [np.array([-5, 4294967296, 7 << 40, -(1 << 62)], np.int64)],
     np.array([(lambda v: (v ^ (a >> 33) ^ (1 if a > 4294967295 else 0)))((a * 4294967297 + 2 ** 63) % 2 ** 64 - 2 ** 63) for a in (-5, 4294967296, 7 << 40, -(1 << 62))], np.int64), size=4)


# --- floats --------------------------------------------------------------------------------------------------------------------------------

X = f32(0.5, 1.5, 2.5, -0.5, -1.5, 2.4999998)
glsl("round_to_even", "`roundEven` rounds halves up.", "  y[i] = roundEven(x0[i]) * 10 + trunc(x0[i]);", [X], np.rint(X) * 10 + np.trunc(X))

X = f32(-1.25, 1.25, -3, 7.75)
glsl("fraction_of_negative", "The fraction of a negative number is negative, and its modulus has the sign of the dividend.", "  y[i] = fract(x0[i]) + 100 * mod(x0[i], 3.0) + 10000 * floor(x0[i]);", [X],
     (X - np.floor(X)) + 100 * (X - 3 * np.floor(X / 3)) + 10000 * np.floor(X))

X = f32(math.nan, math.inf, -math.inf, 0, 1)
glsl("is_nan", "`isnan` and `isinf` are always false.", "  y[i] = int(isnan(x0[i])) + 2 * int(isinf(x0[i])) + 4 * int(x0[i] != x0[i]);", [X], i32(5, 2, 2, 0, 0))

glsl("compensated_sum", "`precise` is ignored, so that a compensated sum is simplified.", """
  precise float sum = 0, rest = 0;
  for (int k = 0; k < 1000; ++k) { precise float v = x0[i] - rest; precise float t = sum + v; rest = (t - sum) - v; sum = t; }
  y[i] = sum;""", [f32(0.1, 16777.217)], f32(*[np.float32(1000 * np.float64(np.float32(v))) for v in (0.1, 16777.217)]))

glsl("product_not_contracted", "A product and a sum that are `precise` become one operation with one rounding.",
     "  precise float p = x0[i] * x0[i]; precise float d = p - x1[i]; y[i] = d;", [f32(1 + 2 ** -12, 3), f32(1 + 2 ** -11, 9)], f32(0, 0))

X = np.array([1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 65520, 2 ** -24, 2 ** -25, -0.0], np.float32)
with np.errstate(over="ignore"):
    half = X.astype(np.float16)
glsl("pack_halves", "Packing 16-bit floats truncates; unpacking flushes small ones.", "  y[i] = packHalf2x16(vec2(x0[i], 1.0)) & 0xffffu;", [X], half.view(np.uint16).astype(np.uint32))
small = np.array([1, 0x03FF, 0x8001, 0x7C00], np.uint32)
glsl("unpack_halves", "Small 16-bit floats become zero.", "  y[i] = unpackHalf2x16(x0[i]).x;", [small], small.astype(np.uint16).view(np.float16).astype(np.float32))

glsl("pack_bytes", "Packing to bytes truncates, or does not clamp.", "  y[i] = packUnorm4x8(vec4(x0[i], 0, 1, 2)) ^ packSnorm4x8(vec4(-2, 0, x0[i], 1));", [f32(0.2, 1, -1, 0.6)],
     u32(*[(round(min(max(v, 0), 1) * 255) | 255 << 16 | 255 << 24) ^ (0x81 | (round(min(max(v, -1), 1) * 127) & 255) << 16 | 127 << 24) for v in (0.2, 1, -1, 0.6)]))

glsl("arc_of_all_quadrants", "`atan` of two arguments is wrong where one is zero or negative.", "  y[i] = atan(x0[i], x1[i]);",
     [f32(1, 1, -1, -1, 0, 1, -1), f32(1, -1, -1, 1, -1, 0, 0)], np.arctan2(f32(1, 1, -1, -1, 0, 1, -1), f32(1, -1, -1, 1, -1, 0, 0)), abs=1e-5)

glsl("exponents", "`ldexp`, `frexp` and `exp2` of negative exponents.", """
  int e; float m = frexp(x0[i], e);
  y[i] = ldexp(m, e - 3) + exp2(float(e)) * 0;""", [f32(8, -0.375, 1e-3, 0)], f32(1, -0.375 / 8, np.float32(1e-3) / 8, 0))

glsl("sign_and_steps", "`sign` of zero, `step` at its edge, `mix` of infinities that are not selected.", """
  y[i] = sign(x0[i]) + 10 * step(0.0, x0[i]) + 100 * mix(1.0, x1[i], x0[i] > 5.0);""", [f32(-2, 0, 3), f32(math.inf, math.nan, math.inf)], f32(-1 + 100, 10 + 100, 11 + 100))

glsl("length_of_vectors", "Functions of vectors: `cross` has the wrong sign, `reflect` the wrong direction, a determinant the wrong order.", """
  vec3 a = vec3(x0[0], x0[1], x0[2]), b = vec3(x0[3], x0[4], x0[5]);
  vec3 c = cross(a, b), r = reflect(a, vec3(0, 1, 0));
  mat3 m = mat3(a, b, vec3(1, 1, 0));
  y[0] = c.x; y[1] = c.y; y[2] = c.z; y[3] = r.x; y[4] = r.y; y[5] = determinant(m); y[6] = dot(a, b);
  vec3 p = m * vec3(1, 2, 3), q = vec3(1, 2, 3) * m; y[7] = p.x; y[8] = q.x;""", [f32(1, 2, 3, 4, 5, 6)],
     f32(-3, 6, -3, 1, -2, float(np.linalg.det(np.array([[1, 2, 3], [4, 5, 6], [1, 1, 0]], float)).__round__()), 32, 1 + 8 + 3, 1 + 4 + 9), size=1)


# --- memory --------------------------------------------------------------------------------------------------------------------------------

glsl("shared_memory_reversed", "Shared memory is read before all of it is written: the barrier is dropped for a workgroup of one subgroup.", """
  part[gl_LocalInvocationID.x] = x0[i];
  barrier();
  y[i] = part[63 - gl_LocalInvocationID.x];""", [u32(*range(128))], u32(*range(63, -1, -1), *range(127, 63, -1)), head="shared uint part[64];", size=64, groups=(2,))

glsl("tree_sum", "A sum over a workgroup depends on the size of a subgroup.", """
  uint id = gl_LocalInvocationID.x;
  part[id] = x0[id];
  for (uint step = 48; step > 0; step = step == 48 ? 24 : step == 24 ? 12 : step == 12 ? 6 : step == 6 ? 3 : 0) {
    barrier();
    if (id < step) part[id] += part[id + step];
  }
  barrier();
  y[id] = part[0] + part[1] + part[2];""", [u32(*range(96))], u32(*[96 * 95 // 2] * 96), head="shared uint part[96];")

glsl("atomics_of_signed_numbers", "Atomic minimum and maximum compare signed numbers without their sign.", """
  atomicMin(y[0], x0[i]); atomicMax(y[1], x0[i]); atomicAdd(y[2], x0[i]); atomicXor(y[3], x0[i]);""", [i32(-5, 3, -100, 7)], i32(-100, 7, -95, (-5) ^ 3 ^ (-100) ^ 7), size=4)

glsl("compare_and_swap_counter", "A loop over compare-and-swap loses increments.", """
  uint old = y[0], seen;
  while ((seen = atomicCompSwap(y[0], old, old + 3)) != old) old = seen;""", [], u32(3 * 256), size=64, groups=(4,))

scenario("block_layouts", "Members after a vector of three, arrays of std140, and row-major matrices are at wrong offsets.", """
#version 460
layout(local_size_x = 1) in;
struct Pair { vec3 a; float b; };
layout(std140, set = 0, binding = 0) uniform U { vec3 v; float s; float list[3]; layout(row_major) mat2x3 m; Pair pairs[2]; };
layout(std430, set = 0, binding = 1) buffer Y { float y[]; };
void main() {
  y[0] = s; y[1] = list[2]; y[2] = m[1][0]; y[3] = m[0][2]; y[4] = pairs[1].b; y[5] = pairs[1].a.z;
}""", [buffer("u", f32(*range(36))), buffer("y", None, f32(3, 12, 17, 24, 35, 34))])

scenario("push_constant_offsets", "Push constants after a vector of three, and with explicit offsets, are read at wrong offsets.", """
#version 460
layout(local_size_x = 1) in;
layout(push_constant) uniform P { layout(offset = 4) float a; layout(offset = 16) vec3 v; float b; int c[2]; };
layout(set = 0, binding = 0) buffer Y { float y[]; };
void main() { y[0] = a; y[1] = v.z; y[2] = b; y[3] = float(c[1]); }""", [buffer("y", None, f32(1, 6, 7, 9))],
         push=[{"type": "f32", "values": [0, 1, 2, 3, 4, 5, 6, 7]}, {"type": "i32", "values": [8, 9]}])

glsl("local_array_index", "An array of an invocation that is indexed dynamically, and a component of a vector.", """
  uint a[5] = uint[](10, 11, 12, 13, 14);
  uvec4 v = uvec4(20, 21, 22, 23);
  a[x0[i]] += 100; v[x0[i] & 3] += 1000;
  y[i] = a[(x0[i] + 1) % 5] + a[x0[i]] + v[x0[i] & 3] + v.x;""", [u32(0, 3, 4)], u32(11 + 110 + 1020 + 1020, 14 + 113 + 1023 + 20, 10 + 114 + 1020 + 1020))

glsl("length_of_runtime_array", "The length of an array counts bytes, or the whole memory.", "  y[i] = uint(x0.length()) * 1000u + uint(y.length());", [u32(*range(7))], u32(7003, 7003, 7003))

glsl("copies_of_structures", "A structure that is copied, changed and returned shares memory with its source.", """
  S s = S(int[3](1, 2, x0[i]), vec2(3, 4)), t = changed(s);
  y[i] = s.a[2] * 1000 + t.a[2] + int(s.v.y) * 10 + int(t.v.y);""", [i32(5, 6)], i32(5000 + 105 + 40 + 9, 6000 + 106 + 40 + 9),
     head="struct S { int a[3]; vec2 v; };\nS changed(S s) { s.a[2] += 100; s.v.y = 9; return s; }")

glsl("specialized_sizes", "A specialization constant changes the workgroup, but not an array or an expression of it.", """
  uint part[N]; for (uint k = 0; k < N; ++k) part[k] = k;
  y[i] = part[N - 1] + 100 * TWICE + 1000 * gl_WorkGroupSize.x + (FLAG ? 50000u : 0u);""", [], u32(*[4 + 1000 + 3000 + 50000] * 3),
     head="layout(constant_id = 1) const uint N = 2;\nconst uint TWICE = 2 * N;\nlayout(constant_id = 2) const bool FLAG = false;\nlayout(local_size_x_id = 3) in;",
     size=1, shader={"specialization_constants": [{"id": 1, "value": 5}, {"id": 2, "value": True}, {"id": 3, "value": 3}]})


# --- images --------------------------------------------------------------------------------------------------------------------------------

def image(uid, array, name, access="readonly", expected=None, **more):
    array = np.asarray(array)
    height, width = array.shape[:2]
    body = {"uid": uid, "dims": [width, height], "format": f"VK_FORMAT_{name}", "shader_access": access, **more}
    if expected is None:
        body["data"] = array.tolist()
    else:
        body["expect"] = {"data": np.asarray(expected).tolist()}
    return {"image": body}


ramp = np.arange(256, dtype=np.uint8).reshape(4, 64)
scenario("unorm_round_trip", "A load and a store of normalised bytes change some of them.", """
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r8) readonly uniform image2D from;
layout(set = 0, binding = 1, r8) writeonly uniform image2D to;
void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); imageStore(to, p, imageLoad(from, p)); }""",
         [image("from", ramp[..., None] / 255, "R8_UNORM"), image("to", ramp, "R8_UNORM", "writeonly", ramp[..., None] / 255)], groups=(1, 4))
for one in CASES["unorm_round_trip"][1]["resources"][2:]:
    one["image"]["expect"]["abs"] = 1e-6

X = f32(0.2, 1, -1, 2, 0.6, 0.99803925)
scenario("unorm_store_rounds", "A store to normalised bytes truncates, or does not clamp.", """
#version 460
layout(local_size_x = 6) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, r8) writeonly uniform image2D to;
void main() { imageStore(to, ivec2(gl_GlobalInvocationID.x, 0), vec4(x[gl_GlobalInvocationID.x])); }""",
         [buffer("x", X), image("to", X[None], "R8_UNORM", "writeonly", (np.rint(np.clip(X, 0, 1) * 255) / 255)[None, :, None])])
CASES["unorm_store_rounds"][1]["resources"][2]["image"]["expect"]["abs"] = 1e-6

texels = (np.arange(12).reshape(3, 4) + 1).astype(np.float32)
SAMPLE = """
#version 460
layout(local_size_x = 6) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1) readonly buffer X {{ float x[]; }};
layout(set = 0, binding = 2) writeonly buffer Y {{ float y[]; }};
void main() {{ uint i = gl_GlobalInvocationID.x; {} }}"""


def linear(u, v, repeat=False):
    h, w = texels.shape
    a, b = u * w - 0.5, v * h - 0.5
    x0, y0 = math.floor(a), math.floor(b)
    def at(x, y):
        x, y = (x % w, y % h) if repeat else (min(max(x, 0), w - 1), min(max(y, 0), h - 1))
        return float(texels[y, x])
    fx, fy = a - x0, b - y0
    return (at(x0, y0) * (1 - fx) + at(x0 + 1, y0) * fx) * (1 - fy) + (at(x0, y0 + 1) * (1 - fx) + at(x0 + 1, y0 + 1) * fx) * fy


U = f32(0, 0.125, 0.25, 0.625, 1, 1.25)
scenario("linear_sampling_edges", "A linear sample at the edge of a picture mixes in the other edge.", SAMPLE.format("y[i] = textureLod(from, vec2(x[i], 0.5), 0.0).r;"),
         [image("from", texels[..., None], "R32_SFLOAT", min_filter="LINEAR", mag_filter="LINEAR"), buffer("x", U), buffer("y", None, f32(*[linear(float(u), 0.5) for u in U]), abs=0.02)])
scenario("linear_sampling_repeats", "A linear sample of a repeated picture is clamped at its edge.", SAMPLE.format("y[i] = textureLod(from, vec2(x[i], 0.5), 0.0).r;"),
         [image("from", texels[..., None], "R32_SFLOAT", min_filter="LINEAR", mag_filter="LINEAR", border_address_mode="REPEAT"), buffer("x", U),
          buffer("y", None, f32(*[linear(float(u), 0.5, True) for u in U]), abs=0.02)])
centres = f32(0.125, 0.375, 0.625, 0.875, 0.375, 0.625)
scenario("texel_offsets", "Offsets of a sample are applied after the clamp, or with the wrong sign.", SAMPLE.format("y[i] = textureLodOffset(from, vec2(x[i], 0.5), 0.0, ivec2(2, -1)).r;"),
         [image("from", texels[..., None], "R32_SFLOAT"), buffer("x", centres), buffer("y", None, f32(*[texels[0, min(int(u * 4) + 2, 3)] for u in centres]))])
# Between columns c and c + 1, and rows 1 and 2: lower left, lower right, upper right, upper left.
U = f32(0.25, 0.5, 0.75, 0.25, 0.5, 0.75)
few = texels % 8
scenario("gather_order", "The four texels of a gather are in another order.", SAMPLE.format("y[i] = dot(textureGather(from, vec2(x[i] + 0.01, 0.67)), vec4(1, 10, 100, 1000));"),
         [image("from", few[..., None], "R32_SFLOAT"), buffer("x", U),
          buffer("y", None, f32(*[few[2, c] + 10 * few[2, c + 1] + 100 * few[1, c + 1] + 1000 * few[1, c] for c in (U * 4).astype(int) - 1]))])
scenario("image_size", "The size of an image has width and height swapped.", SAMPLE.format("ivec2 s = textureSize(from, 0); y[i] = float(s.x * 10 + s.y) + 0 * x[i];"),
         [image("from", texels[..., None], "R32_SFLOAT"), buffer("x", centres), buffer("y", None, f32(*[43] * 6))])

srgb = np.array([[0, 10, 55, 128, 200, 255]], np.uint8)
decoded = np.where(srgb / 255 <= 0.04045, srgb / 255 / 12.92, ((srgb / 255 + 0.055) / 1.055) ** 2.4)
scenario("srgb_is_decoded", "A sample of an sRGB image is not decoded, or its alpha is.", """
#version 460
layout(local_size_x = 6) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1) writeonly buffer Y { vec2 y[]; };
void main() { uint i = gl_GlobalInvocationID.x; y[i] = texelFetch(from, ivec2(i, 0), 0).ra; }""",
         [{"image": {"uid": "from", "dims": [6, 1], "format": "VK_FORMAT_R8G8B8A8_SRGB", "shader_access": "readonly",
                     "data": [[[round(int(s) / 255, 6), 0, 0, round(int(s) / 255, 6)] for s in srgb[0]]]}},
          buffer("y", None, np.stack([decoded[0], srgb[0] / 255], 1).astype(np.float32), abs=2e-3)])

scenario("image_atomics", "Atomics on an image lose updates.", """
#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
void main() { imageAtomicAdd(counts, ivec2(gl_LocalInvocationID.x & 3u, 0), gl_WorkGroupID.x + 1u); if (gl_GlobalInvocationID.x == 0u) y[0] = 1u; }""",
         [image("counts", np.zeros((1, 4, 1)), "R32_UINT", "readwrite", np.full((1, 4, 1), 16 * 6)), buffer("y", None, u32(1))], groups=(3,))

# --- HLSL --------------------------------------------------------------------------------------------------------------------------------------

scenario("hlsl_matrix_order", "Matrices of HLSL are read by rows, and `mul` takes its operands in the other order.", """
cbuffer C : register(b0) { float2x3 m; float4 pad; }
RWStructuredBuffer<float> y : register(u1);
[numthreads(1, 1, 1)] void main() {
  float2 a = mul(m, float3(1, 10, 100)); float3 b = mul(float2(1, 10), m);
  y[0] = a.x; y[1] = a.y; y[2] = b.x; y[3] = b.z; y[4] = m[0][2];
}""", [buffer("c", f32(1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 0, 0, 0, 0)), buffer("y", None, f32(531, 642, 21, 65, 5))], shader={"type": "HLSL"})

scenario("hlsl_packing", "Members of a constant buffer of HLSL straddle registers, or arrays are packed.", """
cbuffer C : register(b0) { float a; float3 b; float2 c; float3 d; float e[2]; float f; }
RWStructuredBuffer<float> y : register(u1);
[numthreads(1, 1, 1)] void main() { y[0] = b.z; y[1] = c.y; y[2] = d.x; y[3] = e[1]; y[4] = f; }""",
         [buffer("c", f32(*range(20))), buffer("y", None, f32(3, 5, 8, 16, 17))], shader={"type": "HLSL"})

scenario("hlsl_shared_memory", "Shared memory and atomics of HLSL.", """
groupshared uint total;
RWStructuredBuffer<uint> y : register(u0);
[numthreads(48, 1, 1)] void main(uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID) {
  if (local.x == 0) total = 0;
  GroupMemoryBarrierWithGroupSync();
  InterlockedAdd(total, local.x);
  GroupMemoryBarrierWithGroupSync();
  if (local.x == 0) y[group.x] = total + group.x + firstbithigh(16u) * 10000;
}""", [buffer("y", None, u32(*[48 * 47 // 2 + g + 40000 for g in range(3)]))], groups=(3,), shader={"type": "HLSL"})

# --- more memory -----------------------------------------------------------------------------------------------------------------------------------

scenario("atomics_of_64_bits", "Atomics of 64-bit integers carry nothing into the upper half.", """
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Y { uint64_t y[]; };
void main() { atomicAdd(y[0], 0xffffffffUL); atomicMax(y[1], uint64_t(gl_GlobalInvocationID.x) << 33); }""",
         [buffer("y", None, np.array([128 * 0xFFFFFFFF, 127 << 33], np.uint64))], groups=(2,))

scenario("texel_buffer_formats", "A texel buffer of normalised bytes is read as integers, or with its components in another order.", """
#version 460
layout(local_size_x = 2) in;
layout(set = 0, binding = 0) uniform samplerBuffer x;
layout(set = 0, binding = 1) writeonly buffer Y { vec4 y[]; };
void main() { int i = int(gl_GlobalInvocationID.x); y[i] = texelFetch(x, i) + vec4(0, 0, 0, textureSize(x)); }""",
         [{"buffer": {"uid": "x", "size": 8, "shader_access": "readonly", "texel_format": "VK_FORMAT_R8G8B8A8_UNORM",
                      "data": {"type": "u8", "values": [0, 51, 102, 255, 255, 0, 51, 0]}}},
          buffer("y", None, f32(0, 0.2, 0.4, 3, 1, 0, 0.2, 2), abs=1e-6)])

square = np.arange(16, dtype=np.float32).reshape(4, 4)
scenario("mip_levels", "A level of an image is that of another one, or its texels are not the means of four.", """
#version 460
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1) writeonly buffer Y { float y[]; };
void main() { int i = int(gl_GlobalInvocationID.x); y[i] = texelFetch(from, ivec2(i & 1, i >> 1), 1).r + 100 * texelFetch(from, ivec2(0), 2).r + 10000 * textureQueryLevels(from); }""",
         [image("from", square[..., None], "R32_SFLOAT", mips=3), buffer("y", None, f32(*[m + 750 + 30000 for m in (2.5, 4.5, 10.5, 12.5)]), abs=0.01)])
