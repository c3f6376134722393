// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiles with glslang and does nothing else, to compare a cold compilation with: bench_glslang SHADER.comp OUT.spv
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream stream(arguments[1]);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const char* texts[] = {text.c_str()};
  glslang::InitializeProcess();
  {
    glslang::TShader shader(EShLangCompute);
    shader.setStrings(texts, 1);
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
    const auto rules = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    if (!shader.parse(GetDefaultResources(), 460, false, rules)) {
      std::fputs(shader.getInfoLog(), stderr);
      return 3;
    }
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(rules)) return 3;
    std::vector<unsigned> words;
    glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words);
    std::ofstream(arguments[2], std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * 4));
  }
  glslang::FinalizeProcess();
}
