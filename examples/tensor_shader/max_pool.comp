// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
#extension GL_ARM_tensors : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

// The largest of each 3 x 3 window of a picture in NHWC order, two elements apart, with one element of padding: an
// ordinary compute shader that takes tensors. It knows neither their shapes nor how they lie in memory.
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
            // All channels at once. What is outside of the picture never is the largest: 0 - 1 wraps around, and is
            // outside as well.
            int8_t texel[kChannels];
            tensorReadARM(picture, uint[](0, 2 * y + dy - 1, 2 * x + dx - 1, 0), texel,
                          gl_TensorOperandsOutOfBoundsValueARM, int8_t(-128));
            for (uint c = 0; c < kChannels; ++c) largest[c] = max(largest[c], texel[c]);
        }
    }
    // Invocations beyond the result write nothing.
    tensorWriteARM(pooled, uint[](0, y, x, 0), largest);
}
