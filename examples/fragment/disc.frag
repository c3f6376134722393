// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#version 460
layout(push_constant) uniform Parameters { vec4 colour; };
layout(location = 0) out vec4 result;

void main() {
  vec2 from_centre = gl_FragCoord.xy - vec2(32.0);
  result = dot(from_centre, from_centre) < 24.0 * 24.0 ? colour : vec4(0.0, 0.0, 0.0, 1.0);
}
