// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_ARM_tensors : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The maximum of each 3 x 3 window of an image in NHWC order, with stride 2 and one element of padding. A compute shader
// that takes tensors does not know their shapes or their layout in memory.
layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0) uniform readonly tensorARM<int8_t, 4> picture;
layout(set = 0, binding = 1) uniform writeonly tensorARM<int8_t, 4> pooled;

const uint kChannels = 4;

void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    int8_t largest[kChannels] = int8_t[](int8_t(-128), int8_t(-128), int8_t(-128), int8_t(-128));
    for (uint dy = 0; dy < 3; ++dy) {
        for (uint dx = 0; dx < 3; ++dx) {
            // Reads all channels at once. Texels outside the image are -128, so they never change the maximum; the
            // coordinate 0 - 1 wraps around, so it is outside too.
            int8_t texel[kChannels];
            tensorReadARM(picture, uint[](0, 2 * y + dy - 1, 2 * x + dx - 1, 0), texel,
                          gl_TensorOperandsOutOfBoundsValueARM, int8_t(-128));
            for (uint c = 0; c < kChannels; ++c) largest[c] = max(largest[c], texel[c]);
        }
    }
    // Invocations beyond the result write nothing.
    tensorWriteARM(pooled, uint[](0, y, x, 0), largest);
}
