// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/compare/normal_form.hpp"

#include "spirv/testing.hpp"

namespace slipway::spirv {
namespace {

struct Parts {
  std::string capabilities = "OpCapability Shader\nOpCapability Int8\n";
  std::string mode = "8 1 1";
  std::string annotations = "OpDecorate %x Binding 0\nOpDecorate %y Binding 1\n";
  std::string pointers = "%x = OpVariable %to_i Private\n%y = OpVariable %to_i Private\n";
  std::string body;
};

Words form(const Parts& parts) {
  const Words words =
      words_of(parts.capabilities +
               "%glsl = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
               "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize " +
               parts.mode + "\n" + parts.annotations +
               "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n%i = OpTypeInt 32 1\n"
               "%to_i = OpTypePointer Private %i\n%local = OpTypePointer Function %i\n"
               "%c1 = OpConstant %i 1\n%c2 = OpConstant %i 2\n%yes = OpConstantTrue %bool\n" +
               parts.pointers + "%main = OpFunction %void None %fn\n%entry = OpLabel\n" + parts.body +
               "OpReturn\nOpFunctionEnd\n");
  const auto module = read_module(words, "t.spv");
  EXPECT_TRUE(module);
  return module ? normal_form(*module) : Words();
}

Words form_of(std::string body) { return form({.body = std::move(body)}); }

constexpr const char* kSumOfProducts =
    "%a = OpLoad %i %x\n%p = OpIMul %i %a %c1\n%b = OpLoad %i %y\n%q = OpIMul %i %b %c2\n"
    "%s = OpIAdd %i %p %q\nOpStore %x %s\n";

TEST(NormalForm, DoesNotDependOnTheOrderOfWhatOnlyComputes) {
  EXPECT_EQ(form_of(kSumOfProducts),
            form_of("%b = OpLoad %i %y\n%q = OpIMul %i %b %c2\n%a = OpLoad %i %x\n%p = OpIMul %i %a %c1\n"
                    "%s = OpIAdd %i %p %q\nOpStore %x %s\n"));
  // Nor on results that nothing needs, names, and the order of what is declared.
  EXPECT_EQ(form_of(kSumOfProducts), form_of("%unused = OpIAdd %i %c1 %c1\n" + std::string(kSumOfProducts)));
  EXPECT_EQ(form_of(kSumOfProducts),
            form({.capabilities = "OpCapability Int8\nOpCapability Shader\n",
                  .annotations = "OpName %x \"sum\"\nOpDecorate %y Binding 1\nOpDecorate %x Binding 0\n",
                  .pointers = "%y = OpVariable %to_i Private\n%x = OpVariable %to_i Private\n",
                  .body = kSumOfProducts}));
}

TEST(NormalForm, DiffersWhereResultsMay) {
  const Words expected = form_of(kSumOfProducts);
  const auto changed = [](std::string_view from, std::string_view to) {
    std::string body = kSumOfProducts;
    const std::size_t at = body.find(from);
    EXPECT_NE(at, body.npos) << from;
    return form_of(body.replace(at, from.size(), to));
  };
  EXPECT_NE(expected, changed("%i %p %q", "%i %q %p"));
  EXPECT_NE(expected, changed("%b %c2", "%b %c1"));
  EXPECT_NE(expected, changed("OpIAdd", "OpISub"));
  EXPECT_NE(expected, changed("OpLoad %i %y", "OpLoad %i %x"));
  EXPECT_NE(expected, changed("OpStore %x", "OpStore %y"));
  EXPECT_NE(expected, form({.mode = "4 1 1", .body = kSumOfProducts}));
  EXPECT_NE(expected, form({.capabilities = "OpCapability Shader\n", .body = kSumOfProducts}));
  EXPECT_NE(expected,
            form({.annotations = "OpDecorate %x Binding 1\nOpDecorate %y Binding 0\n", .body = kSumOfProducts}));
}

TEST(NormalForm, KeepsTheOrderOfMemoryAndControl) {
  EXPECT_NE(form_of("OpStore %x %c1\nOpStore %y %c2\n"), form_of("OpStore %y %c2\nOpStore %x %c1\n"));
  // A load before a store is not one after it, wherever its result is used.
  EXPECT_NE(form_of("%a = OpLoad %i %x\nOpStore %x %c1\nOpStore %y %a\n"),
            form_of("OpStore %x %c1\n%a = OpLoad %i %x\nOpStore %y %a\n"));
  // Of two branches each has its own block.
  const auto branches = [](const std::string& first, const std::string& second) {
    return form_of("OpSelectionMerge %end None\nOpBranchConditional %yes %then %else\n%then = OpLabel\nOpStore %x " +
                   first + "\nOpBranch %end\n%else = OpLabel\nOpStore %x " + second +
                   "\nOpBranch %end\n%end = OpLabel\n");
  };
  EXPECT_EQ(branches("%c1", "%c2"), branches("%c1", "%c2"));
  EXPECT_NE(branches("%c1", "%c2"), branches("%c2", "%c1"));
  // Functions of GLSL that write through a pointer are in order, others not.
  const auto twice = [](const std::string& first, const std::string& second) {
    return form_of("%u = OpExtInst %i %glsl " + first + "\n%v = OpExtInst %i %glsl " + second +
                   "\n%s = OpIAdd %i %u %v\nOpStore %x %s\n");
  };
  EXPECT_NE(twice("SAbs %c1", "SAbs %c2"), twice("SAbs %c2", "SAbs %c1"));  // other operands of the sum
  EXPECT_EQ(
      form_of(
          "%u = OpExtInst %i %glsl SAbs %c1\n%v = OpExtInst %i %glsl SSign %c2\n%s = OpIAdd %i %u %v\nOpStore %x %s\n"),
      form_of("%v = OpExtInst %i %glsl SSign %c2\n%u = OpExtInst %i %glsl SAbs %c1\n%s = OpIAdd %i %u %v\nOpStore %x "
              "%s\n"));
  EXPECT_NE(form_of("%u = OpExtInst %i %glsl Frexp %c1 %x\n%v = OpLoad %i %x\nOpStore %y %v\n"),
            form_of("%v = OpLoad %i %x\n%u = OpExtInst %i %glsl Frexp %c1 %x\nOpStore %y %v\n"));
}

// Two variables of one type are not each other.
TEST(NormalForm, KnowsVariablesApart) {
  const auto swapped = [](const std::string& first, const std::string& second) {
    return form({.annotations = "",
                 .body = "OpStore %x %c1\nOpStore %y %c2\n%a = OpLoad %i " + first + "\n%b = OpLoad %i " + second +
                         "\n%s = OpISub %i %a %b\nOpStore %x %s\n"});
  };
  EXPECT_EQ(swapped("%x", "%y"), swapped("%x", "%y"));
  EXPECT_NE(swapped("%x", "%y"), swapped("%y", "%x"));
}

TEST(NormalForm, OfOtherModulesIsTheirWords) {
  const Module none = module_of("OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n");
  EXPECT_TRUE(std::ranges::equal(normal_form(none), none.words()));
}

TEST(NormalForm, AnyModuleIsHarmless) {
  const Words words = words_of(compute_shader("", "", "OpReturn\n"));
  std::size_t read = 0;
  for (std::size_t i = kHeaderWords; i < words.size(); ++i) {
    for (const std::uint32_t word : {0u, 1u, 0xffffffffu}) {
      Words changed = words;
      changed[i] = word;
      const auto module = read_module(changed, "t.spv");
      if (!module) continue;
      ++read;
      EXPECT_FALSE(normal_form(*module).empty());
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace slipway::spirv
