// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/project/build.hpp"

#include <gmock/gmock.h>

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "rpl/project/live_project.hpp"

namespace slipway::rpl {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr std::string_view kForward = R"(set_pass uniform_buffer view { f4x4 projection_view; };
vertex_attribute_container vertex { f3 position; };
color_output_container target { f4 color; };
global fog: flag off;
void vertex_main (void)
{
    vertex_stage_output_position (view.projection_view * f4 {vertex.position, 1.0});
}
)";
constexpr std::string_view kShadow = R"(set_pass uniform_buffer view { f4x4 projection_view; };
vertex_attribute_container vertex { f3 position; };
color_output_container shadow_target { f4 moments; };
void vertex_main (void)
{
    vertex_stage_output_position (view.projection_view * f4 {vertex.position, 1.0});
}
)";
constexpr std::string_view kBrick = R"(set_material uniform_buffer material { f4 color; };
instance rough: flag off;
void fragment_main (void)
{
    target.color = material.color;
    conditional (rough) { target.color = material.color * 0.5; }
}
void shadow_fragment_main (void) { shadow_target.moments = f4 {1.0}; }
)";
constexpr std::string_view kGlass = R"(set_material uniform_buffer material { f4 color; f4 tint; };
void fragment_main (void) { target.color = material.color + material.tint; }
)";
constexpr std::string_view kProject = R"({
  "passes": [
    {"name": "forward", "sources": ["passes/forward.rpl"],
     "entry_points": {"vertex": "vertex_main", "fragment": "fragment_main"}},
    {"name": "shadow", "sources": ["passes/shadow.rpl"], "materials": ["brick"],
     "entry_points": {"vertex": "vertex_main", "fragment": "shadow_fragment_main"}}
  ],
  "materials": [
    {"name": "brick", "sources": ["brick.rpl"]},
    {"name": "glass", "sources": ["glass.rpl"]}
  ],
  "options": {"fog": [true, false]}
})";

// A project file and its sources in memory.
class ProjectTest : public ::testing::Test {
 protected:
  std::optional<Project> read(std::string_view text) {
    return read_project(make_source("game.rplproject.json", std::string(text)), "dir", diagnostics);
  }
  std::vector<BuiltProgram> build(std::string_view text, bool emit = false) {
    project = read(text);
    if (!project) return {};
    const std::vector<ProjectProgram> programs = programs_of(*project);
    return build_project(*project, programs, {.compile = {.resolve = {.check_unused = true}}, .emit = emit, .jobs = 3},
                         reader(), diagnostics);
  }
  ReadSource reader() {
    return [this](const Path& path) -> Result<SourcePtr> {
      ++reads;
      const auto found = files.find(path.generic_string());
      if (found == files.end()) {
        return fail(DiagnosticKind::FileNotFound, SourceLocation::in_file(path.generic_string()), "no such file");
      }
      return make_source(path.generic_string(), found->second);
    };
  }
  std::string messages() { return format_diagnostics(diagnostics.all()); }

  std::map<std::string, std::string> files = {{"dir/passes/forward.rpl", std::string(kForward)},
                                              {"dir/passes/shadow.rpl", std::string(kShadow)},
                                              {"dir/brick.rpl", std::string(kBrick)},
                                              {"dir/glass.rpl", std::string(kGlass)}};
  std::optional<Project> project;
  Diagnostics diagnostics;
  int reads = 0;
};

TEST_F(ProjectTest, ListsPassesTimesMaterials) {
  const std::optional<Project> of = read(kProject);
  ASSERT_TRUE(of) << messages();
  std::vector<std::string> names;
  for (const ProjectProgram& program : programs_of(*of)) names.push_back(program.name());
  EXPECT_THAT(names, ElementsAre("forward/brick", "forward/glass", "shadow/brick"));
  EXPECT_THAT(files_of(*of, programs_of(*of)[2]), ElementsAre("dir/passes/shadow.rpl", "dir/brick.rpl"));
  const std::optional<Project> alone = read(R"({"passes": [{"name": "blur", "sources": ["b.rpl"], "materials": []}],
               "materials": [{"name": "m", "sources": ["m.rpl"]}]})");
  ASSERT_TRUE(alone) << messages();
  ASSERT_THAT(programs_of(*alone), SizeIs(1));
  EXPECT_EQ(programs_of(*alone)[0].name(), "blur");
}

TEST_F(ProjectTest, BuildsTheMatrix) {
  const std::vector<BuiltProgram> built = build(kProject, true);
  EXPECT_EQ(messages(), "");
  EXPECT_EQ(build_summary(built),
            "forward/brick: assignments: 4, variants: 2\n"
            "forward/glass: assignments: 2, variants: 1\n"
            "shadow/brick: assignments: 2, variants: 1\n");
  ASSERT_TRUE(built[0].variants);
  EXPECT_THAT(built[0].variants->modules, SizeIs(2));
}

TEST_F(ProjectTest, FixesAndListsValues) {
  files["dir/brick.rpl"] =
      "instance joints: uint 4; constant total = joints * 2u; set_material uniform_buffer m { f4 c; };"
      "void fragment_main (void) { target.color = m.c * f1 {total}; }"
      "void shadow_fragment_main (void) { shadow_target.moments = m.c; }";
  std::string text(kProject);
  text.replace(text.find(R"("fog": [true, false])"), 20, R"("fog": true, "joints": [4, 8, 8])");
  const std::vector<BuiltProgram> built = build(text);
  EXPECT_EQ(messages(), "");
  EXPECT_THAT(build_summary(built), HasSubstr("forward/brick: assignments: 2, variants: 2\n"));
  EXPECT_THAT(first_value_texts(*project, programs_of(*project)[0]),
              ElementsAre(Pair("fog", "true"), Pair("joints", "4")));
}

// A mode of one source, which each pass uses for itself.
TEST_F(ProjectTest, PassesAndMaterialsHaveOptionsOfTheirOwn) {
  files = {{"dir/o.rpl",
            "instance mode: enum \"none\" \"shadow\" \"light\"; instance fog: flag off;"
            "color_output_container t { f4 c; };"
            "void fragment_main (void) { t.c = f4 {0.0}; conditional (mode == \"light\") { t.c = f4 {1.0}; }"
            " conditional (fog) { t.c = f4 {0.5}; } }"},
           {"dir/m.rpl", "constant unused = 1u;"}};
  std::string text = R"({"passes": [
    {"name": "shadow", "sources": ["o.rpl"], "entry_points": {"fragment": "fragment_main"}, "options": {"mode": "shadow"}},
    {"name": "light", "sources": ["o.rpl"], "entry_points": {"fragment": "fragment_main"}, "options": {"mode": ["none", "light"]}}],
    "materials": [{"name": "plain", "sources": ["m.rpl"]},
                  {"name": "clear", "sources": ["m.rpl"], "options": {"fog": false, "mode": "light"}}]})";
  EXPECT_EQ(build_summary(build(text)),
            "shadow/plain: assignments: 2, variants: 2\n"
            "shadow/clear: assignments: 1, variants: 1\n"
            "light/plain: assignments: 4, variants: 4\n"
            "light/clear: assignments: 1, variants: 1\n");
  EXPECT_EQ(messages(), "");
  EXPECT_THAT(first_value_texts(*project, programs_of(*project)[2]), ElementsAre(Pair("mode", "none")));
  EXPECT_THAT(first_value_texts(*project, programs_of(*project)[3]),
              ElementsAre(Pair("fog", "false"), Pair("mode", "light")));
  text.replace(text.find("\"fog\": false"), 5, "\"fogg\"");
  build(text);
  EXPECT_THAT(messages(), HasSubstr("no program of the project has an option `fogg`; did you mean `fog`?"));
}

TEST_F(ProjectTest, ReportsAnErrorOnceAndUnusedCodeNever) {
  std::string& forward = files["dir/passes/forward.rpl"];
  forward.replace(forward.find("vertex.position, 1.0"), 15, "vertex.positoin");
  build(kProject);
  EXPECT_THAT(diagnostics.all(), SizeIs(::testing::Ge(1)));
  const std::string text = messages();
  EXPECT_THAT(text, AllOf(HasSubstr("did you mean `position`?"), HasSubstr("in program `forward/brick`"),
                          Not(HasSubstr("shadow_target"))));
  EXPECT_EQ(text.find("positoin`"), text.rfind("positoin`"));
}

TEST_F(ProjectTest, ReportsWrongProjects) {
  const auto wrong = [&](std::string_view text) {
    diagnostics = {};
    EXPECT_FALSE(read(text));
    return messages();
  };
  EXPECT_THAT(wrong("{}"), HasSubstr("passes"));
  EXPECT_THAT(wrong(R"({"passes": []})"), HasSubstr("[out-of-range]"));
  EXPECT_THAT(wrong(R"({"passes": [{"name": "a/b", "sources": ["x"]}]})"), HasSubstr("cannot be that of a directory"));
  EXPECT_THAT(wrong(R"({"passes": [{"name": "a", "sources": ["x"]}, {"name": "a", "sources": ["x"]}]})"),
              AllOf(HasSubstr("two passes have the name `a`"), HasSubstr("the first one is here")));
  EXPECT_THAT(wrong(R"({"passes": [{"name": "a", "sources": ["x"], "materials": ["brik"]}],
                        "materials": [{"name": "brick", "sources": ["b"]}]})"),
              HasSubstr("which does not exist; did you mean `brick`?"));
  EXPECT_THAT(wrong(R"({"passes": [{"name": "a", "sources": ["x"], "entry_points": {"compute": "c"}}]})"),
              HasSubstr("a graphics pipeline has no compute stage"));
  EXPECT_THAT(wrong(R"({"passes": [{"name": "a", "sources": ["x"]}], "options": {"o": []}})"),
              HasSubstr("option `o` takes"));
}

TEST_F(ProjectTest, ReportsMissingFilesAndUnknownOptions) {
  files.erase("dir/glass.rpl");
  build(kProject);
  EXPECT_THAT(messages(),
              AllOf(HasSubstr("dir/glass.rpl: error: no such file"), HasSubstr("the project names it here")));
  files["dir/glass.rpl"] = kGlass;
  diagnostics = {};
  std::string text(kProject);
  text.replace(text.find("\"fog\""), 5, "\"fogg\"");
  build(text);
  EXPECT_THAT(messages(), HasSubstr("no program of the project has an option `fogg`; did you mean `fog`?"));
  diagnostics = {};
  text.replace(text.find("\"fogg\": [true, false]"), 21, "\"fog\": [\"dense\", true]");
  build(text);
  EXPECT_THAT(messages(), HasSubstr("[rpl-option-type]"));
}

TEST_F(ProjectTest, PartOfTheProgramsDoesNotCheckUnusedCode) {
  project = read(kProject);
  ASSERT_TRUE(project);
  std::vector<ProjectProgram> programs = programs_of(*project);
  programs.resize(1);  // `brick` has a function for the other pass
  const auto read_file = [&](const Path& path) -> Result<SourcePtr> {
    return make_source(path.generic_string(), files.at(path.generic_string()));
  };
  const auto built =
      build_project(*project, programs, {.compile = {.resolve = {.check_unused = true}}}, read_file, diagnostics);
  EXPECT_EQ(messages(), "");
  EXPECT_TRUE(built[0].variants);
}

TEST_F(ProjectTest, StopsAtTheLimitOfVariants) {
  project = read(kProject);
  ASSERT_TRUE(project);
  const std::vector<ProjectProgram> programs = programs_of(*project);
  const auto built = build_project(
      *project, programs, {.max_variants = 1},
      [&](const Path& path) -> Result<SourcePtr> {
        return make_source(path.generic_string(), files.at(path.generic_string()));
      },
      diagnostics);
  EXPECT_THAT(messages(), HasSubstr("[rpl-variant-limit]"));
  EXPECT_FALSE(built[0].variants);
  EXPECT_TRUE(built[1].variants);
}

TEST(ProjectSchema, DescribesWhatIsRead) {
  EXPECT_THAT(project_schema_text(), AllOf(HasSubstr("\"passes\""), HasSubstr("\"entry_points\"")));
}

// A project whose files are edited.
class LiveProjectTest : public ProjectTest {
 protected:
  void SetUp() override { files["dir/game.rplproject.json"] = kProject; }
  std::vector<std::string> save(const std::string& file, std::string_view text) {
    files[file] = text;
    return live.update({file}, diagnostics);
  }
  std::map<std::string, std::string> metadata() {
    std::map<std::string, std::string> texts;
    for (const LiveProject::Named& each : live.programs()) texts[each.name] = each.built->variants->classes[0].metadata;
    return texts;
  }

  LiveProject live{"dir/game.rplproject.json", {}, reader()};
};

TEST_F(LiveProjectTest, CompilesWhatASavedFileTouches) {
  EXPECT_THAT(live.update({}, diagnostics), ElementsAre("forward/brick", "forward/glass", "shadow/brick"));
  EXPECT_EQ(messages(), "");
  EXPECT_THAT(live.files(), SizeIs(5));
  EXPECT_EQ(reads, 5) << "each file once";
  const auto before = metadata();
  EXPECT_THAT(save("dir/glass.rpl", kGlass), ElementsAre()) << "the same contents";
  EXPECT_THAT(save("dir/glass.rpl", std::string(kGlass) + "// more\n"), ElementsAre("forward/glass"));
  EXPECT_THAT(save("dir/brick.rpl", std::string(kBrick) + "// more\n"), ElementsAre("forward/brick", "shadow/brick"));
  EXPECT_EQ(metadata(), before) << "comments are not in the metadata";
  EXPECT_THAT(live.update({"dir/elsewhere.rpl"}, diagnostics), ElementsAre());
  EXPECT_EQ(messages(), "");
}

TEST_F(LiveProjectTest, KeepsWhatHadNoErrors) {
  live.update({}, diagnostics);
  const auto before = metadata();
  EXPECT_THAT(save("dir/brick.rpl", "broken"), ElementsAre());
  EXPECT_THAT(messages(), ::testing::HasSubstr("dir/brick.rpl:1:1: error"));
  EXPECT_EQ(live.failing().size(), 2);
  EXPECT_EQ(metadata(), before);
  const std::string first = messages();
  EXPECT_THAT(save("dir/brick.rpl", "broken"), ElementsAre());
  EXPECT_EQ(messages(), first) << "the same contents are not tried twice";
  EXPECT_THAT(save("dir/glass.rpl", std::string(kGlass) + "// more\n"), ElementsAre("forward/glass"))
      << "of other files";
  EXPECT_EQ(messages(), first);
  EXPECT_THAT(save("dir/brick.rpl", kBrick), ElementsAre("forward/brick", "shadow/brick"));
  EXPECT_EQ(live.failing().size(), 0);
  files.erase("dir/brick.rpl");
  EXPECT_THAT(live.update({"dir/brick.rpl"}, diagnostics), ElementsAre()) << "a file that is missing";
  EXPECT_EQ(metadata(), before);
  EXPECT_EQ(live.failing().size(), 2);
}

TEST_F(LiveProjectTest, FollowsTheProjectFile) {
  live.update({}, diagnostics);
  EXPECT_THAT(save("dir/game.rplproject.json", "{"), ElementsAre());
  EXPECT_NE(messages(), "");
  EXPECT_THAT(live.programs(), SizeIs(3));
  std::string text(kProject);
  text.replace(text.find("\"name\": \"glass\""), 15, "\"name\": \"ice\"");
  EXPECT_THAT(save("dir/game.rplproject.json", text), ElementsAre("forward/brick", "forward/ice", "shadow/brick"));
  EXPECT_THAT(live.programs(), SizeIs(3)) << "the material that the project does not name any more is gone";
  EXPECT_EQ(live.programs()[1].name, "forward/ice");
}

TEST_F(LiveProjectTest, SourcesThatChangedMeanwhileAreReadAgain) {
  live.update({}, diagnostics);
  files["dir/glass.rpl"] = std::string(kGlass) + "broken";
  files["dir/game.rplproject.json"] = "{";
  EXPECT_THAT(live.update({"dir/game.rplproject.json", "dir/glass.rpl"}, diagnostics), ElementsAre());
  EXPECT_EQ(live.failing().size(), 1) << "saved together with a project file that has an error";
  EXPECT_THAT(save("dir/game.rplproject.json", kProject), ElementsAre("forward/brick", "shadow/brick"));
  EXPECT_THAT(save("dir/glass.rpl", kGlass), ElementsAre("forward/glass"));

  std::string without(kProject);
  const std::size_t at = without.find("glass.rpl");
  ASSERT_NE(at, without.npos);
  without.replace(at, 9, "brick.rpl");
  save("dir/game.rplproject.json", without);
  files["dir/glass.rpl"] = std::string(kGlass) + "broken";  // while the project does not name it
  live.update({"dir/glass.rpl"}, diagnostics);
  save("dir/game.rplproject.json", kProject);
  EXPECT_EQ(live.failing().size(), 1);
}

}  // namespace
}  // namespace slipway::rpl
