// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vk/useful.hpp"

#include <array>

namespace slipway::vk {
namespace {

constexpr std::array kUseful = {
    UsefulFeature{"VK_KHR_cooperative_matrix", "matrix units", "matrix products of models run on the ordinary units"},
    UsefulFeature{"shaderFloat16", "half-precision arithmetic", "shaders with `float16_t` do not run"},
    UsefulFeature{"shaderInt8", "8-bit integer arithmetic", "shaders with `int8_t` do not run"},
    UsefulFeature{"shaderInt16", "16-bit integer arithmetic", "shaders with `int16_t` do not run"},
    UsefulFeature{"shaderInt64", "64-bit integer arithmetic", "shaders with `int64_t` do not run"},
    UsefulFeature{"storageBuffer8BitAccess", "8-bit elements in buffers", "shaders with them do not run"},
    UsefulFeature{"storageBuffer16BitAccess", "16-bit elements in buffers", "shaders with them do not run"},
    UsefulFeature{"subgroupSizeControl", "the choice of the subgroup size",
                  "kernels of models use the driver's choice"},
    UsefulFeature{"dynamicRendering", "drawing without render passes", "fragment dispatches and draws do not run"},
    UsefulFeature{"customBorderColors", "border colours of samplers", "samplers with custom ones do not run"},
    UsefulFeature{"frameBoundary", "marks of frames for tools", "`mark_boundary` only submits and waits"},
    UsefulFeature{"robustBufferAccess2", "strict bounds checks",
                  "`--enable-robustness-features` uses weaker bounds checks"},
};

}  // namespace

std::vector<UsefulFinding> useful_features(const Snapshot& snapshot) {
  std::vector<UsefulFinding> findings;
  for (const UsefulFeature& feature : kUseful) {
    findings.push_back({&feature, feature.name.starts_with("VK_") ? snapshot.has_extension(feature.name)
                                                                  : snapshot.has_feature(feature.name)});
  }
  return findings;
}

}  // namespace slipway::vk
