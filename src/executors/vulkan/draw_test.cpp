// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws on a device: every state of the fixed function, by the pixels that it makes.
#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "base/format.hpp"
#include "executors/vulkan/pipelines/pipelines.hpp"
#include "executors/vulkan/test_shaders/color_frag.hpp"
#include "executors/vulkan/test_shaders/color_vert.hpp"
#include "executors/vulkan/test_shaders/discard_frag.hpp"
#include "executors/vulkan/test_shaders/pass_float_frag.hpp"
#include "executors/vulkan/test_shaders/pass_float_vert.hpp"
#include "executors/vulkan/test_shaders/pass_sint_frag.hpp"
#include "executors/vulkan/test_shaders/pass_sint_vert.hpp"
#include "executors/vulkan/test_shaders/pass_uint_frag.hpp"
#include "executors/vulkan/test_shaders/pass_uint_vert.hpp"
#include "executors/vulkan/test_shaders/two_frag.hpp"
#include "launch/plan/explain.hpp"
#include "testing/launch_fixture.hpp"

namespace slipway::launch {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using vk::BlendFactor;
using vk::BlendOperation;
using vk::ColorBlend;
using vk::CompareOperation;
using vk::CullMode;
using vk::FrontFace;
using vk::GraphicsState;
using vk::StencilOperation;
using vk::Topology;
using Color = std::array<float, 4>;

constexpr Color kBlack = {0, 0, 0, 0}, kWhite = {1, 1, 1, 1}, kRed = {1, 0, 0, 1};

struct Vertex {
  std::array<float, 3> position;
  Color color;
};

// Two triangles over a rectangle, clockwise on the screen (y goes down).
std::vector<Vertex> rectangle(float left, float top, float right, float bottom, float z, Color color) {
  const Vertex a{{left, top, z}, color}, b{{right, top, z}, color}, c{{left, bottom, z}, color},
      d{{right, bottom, z}, color};
  return {a, b, c, b, d, c};
}
std::vector<Vertex> everything(Color color, float z = 0.5) { return rectangle(-1, -1, 1, 1, z, color); }

std::vector<Vertex> operator+(std::vector<Vertex> a, const std::vector<Vertex>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The state of all draws with `Vertex`.
GraphicsState with_vertices(GraphicsState state = {}) {
  state.vertex_bindings = {{.binding = 0, .stride = sizeof(Vertex)}};
  state.vertex_attributes = {{.location = 0, .format = vk::Format::R32G32B32_SFLOAT, .name = "position"},
                             {.location = 1, .format = vk::Format::R32G32B32A32_SFLOAT, .offset = 12, .name = "color"}};
  return state;
}

class DrawTest : public LaunchTest {
 protected:
  DrawTest() {
    vertex_ = add_shader(plan_, "vertex", color_vert, spirv::Stage::Vertex);
    fragment_ = add_shader(plan_, "fragment", color_frag, spirv::Stage::Fragment);
  }

  ResourceIndex add_target(std::uint32_t width, std::uint32_t height,
                           vk::Format format = vk::Format::R32G32B32A32_SFLOAT) {
    const std::string name = formatted("t{}", plan_.resources.size());
    const ResourceIndex i =
        add_image(plan_, name, {.format = format, .extent = {width, height, 1}, .color_attachment = true});
    plan_.resources[i].outputs = {raw_output(directory_ / name)};
    return i;
  }
  ResourceIndex add_depth(std::uint32_t width, std::uint32_t height, vk::Format format = vk::Format::D32_SFLOAT) {
    const std::string name = formatted("d{}", plan_.resources.size());
    const ResourceIndex i =
        add_image(plan_, name, {.format = format, .extent = {width, height, 1}, .depth_attachment = true});
    if (format == vk::Format::D32_SFLOAT) plan_.resources[i].outputs = {raw_output(directory_ / name)};
    return i;
  }
  ResourceIndex add_multisampled(ResourceIndex like) {
    Image image = std::get<Image>(plan_.resources[like].kind);
    image.samples = 4;
    return add_image(plan_, "multisampled", image);
  }
  template <class T>
  ResourceIndex add_vertices(const std::vector<T>& values) {
    const Bytes bytes = std::as_bytes(std::span(values));
    const ResourceIndex i = add_buffer(plan_, "vertices", bytes.size());
    plan_.resources[i].initial = {contents_of(std::vector<std::byte>(bytes.begin(), bytes.end()))};
    std::get<Buffer>(plan_.resources[i].kind).vertices = true;
    return i;
  }

  static std::array<std::uint32_t, 4> bits(Color color) { return std::bit_cast<std::array<std::uint32_t, 4>>(color); }

  // A draw of the vertices over a target that is cleared before. The reference is valid until the next step is added.
  Draw& add_draw(ResourceIndex target, const std::vector<Vertex>& vertices, GraphicsState state = {},
                 Color clear = kBlack) {
    const ResourceIndex buffer = add_vertices(vertices);
    const auto& extent = std::get<Image>(plan_.resources[target].kind).extent;
    Draw draw{.vertex_shader = vertex_,
              .fragment_shader = fragment_,
              .state = with_vertices(std::move(state)),
              .extent = {extent[0], extent[1]},
              .color_attachments = {{.image = target, .load = vk::Load::Clear, .clear = bits(clear)}},
              .vertex_buffers = {{.buffer = buffer}},
              .count = static_cast<std::uint32_t>(vertices.size())};
    plan_.steps.push_back({.name = "draw", .action = std::move(draw), .origin = origin("/draw")});
    return get_boxed<Draw>(plan_.steps.back().action);
  }

  template <class T = Color>
  std::vector<T> pixels(ResourceIndex target) {
    return read_raw<T>(directory_ / plan_.resources[target].name);
  }
  // One letter a pixel: `.` black, `W` white, `R` red, `?` another.
  std::string picture(ResourceIndex target) {
    std::string text;
    const std::vector<Color> all = pixels(target);
    const std::uint32_t width = std::get<Image>(plan_.resources[target].kind).extent[0];
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0 && i % width == 0) text += '/';
      text += all[i] == kBlack ? '.' : all[i] == kWhite ? 'W' : all[i] == kRed ? 'R' : '?';
    }
    return text;
  }

  Plan plan_;
  ShaderIndex vertex_ = 0, fragment_ = 0;
};

// --- vertex input and assembly ---------------------------------------------------------------------------------------

TEST_F(DrawTest, TrianglesCoverTheCentresThatTheyHold) {
  const ResourceIndex t = add_target(4, 4);
  // The upper left half; the diagonal is not a top or left edge of a triangle.
  add_draw(t, {{{-1, -1, 0}, kWhite}, {{1, -1, 0}, kWhite}, {{-1, 1, 0}, kWhite}});
  run_it(plan_);
  EXPECT_EQ(picture(t), "WWW./WW../W.../....");
}

TEST_F(DrawTest, AttributesAreInterpolated) {
  const ResourceIndex t = add_target(4, 2);
  std::vector<Vertex> all = everything(kBlack);
  for (Vertex& vertex : all) vertex.color = {(vertex.position[0] + 1) * 2, (vertex.position[1] + 1), 0.5, 1};
  add_draw(t, all);
  run_it(plan_);
  const std::vector<Color> seen = pixels(t);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::size_t row = i / 4, column = i % 4;
    EXPECT_NEAR(seen[i][0], static_cast<float>(column) + 0.5f, 1e-5);
    EXPECT_NEAR(seen[i][1], static_cast<float>(row) + 0.5f, 1e-5);
    EXPECT_EQ(seen[i][2], 0.5f);
  }
}

TEST_F(DrawTest, Topologies) {
  const auto corner = [](float x, float y) { return Vertex{{x, y, 0}, kWhite}; };
  const std::vector<Vertex> points = {corner(-0.75, -0.75), corner(0.75, 0.75)};
  // Along the middles of the first row and the last column.
  const std::vector<Vertex> lines = {corner(-1, -0.75), corner(0.75, -0.75), corner(0.75, 1)};
  const std::vector<Vertex> fan = {corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)};
  const std::vector<Vertex> strip = {corner(-1, -1), corner(0, -1), corner(-1, 1), corner(0, 1)};
  struct Case {
    Topology topology;
    const std::vector<Vertex>& vertices;
    std::string picture;
    ResourceIndex target = 0;
  };
  std::vector<Case> cases = {
      {Topology::PointList, points, "W.../..../..../...W"}, {Topology::LineList, lines, "WWW./..../..../...."},
      {Topology::LineStrip, lines, "WWWW/...W/...W/...W"},  {Topology::TriangleStrip, strip, "WW../WW../WW../WW.."},
      {Topology::TriangleFan, fan, "WWWW/WWWW/WWWW/WWWW"},
  };
  for (Case& one : cases) {
    one.target = add_target(4, 4);
    add_draw(one.target, one.vertices, {.topology = one.topology});
    if (one.topology == Topology::LineList) get_boxed<Draw>(plan_.steps.back().action).count = 2;
  }
  run_it(plan_);
  for (const Case& one : cases) EXPECT_EQ(picture(one.target), one.picture) << vk::word_of(one.topology);
}

TEST_F(DrawTest, IndicesOfBothTypesAndRestart) {
  const std::vector<Vertex> corners = {
      {{-1, -1, 0}, kWhite}, {{0, -1, 0}, kWhite}, {{-1, 1, 0}, kWhite},  // left
      {{0, -1, 0}, kRed},    {{1, -1, 0}, kRed},   {{0, 1, 0}, kRed},    {{1, 1, 0}, kRed},
  };
  const auto add = [&](std::vector<std::uint32_t> wide, vk::IndexType type, std::uint32_t first, GraphicsState state) {
    const ResourceIndex t = add_target(4, 2);
    const std::vector<std::uint16_t> narrow(wide.begin(), wide.end());
    const ResourceIndex i = type == vk::IndexType::U16 ? add_vertices(narrow) : add_vertices(wide);
    std::get<Buffer>(plan_.resources[i].kind) = {.size = std::get<Buffer>(plan_.resources[i].kind).size,
                                                 .indices = true};
    Draw& draw = add_draw(t, corners, std::move(state));
    draw.indices = IndexBuffer{.buffer = i, .type = type};
    draw.count = static_cast<std::uint32_t>(wide.size());
    draw.first_vertex = first;
    return t;
  };
  const ResourceIndex narrow = add({3, 4, 5, 4, 6, 5}, vk::IndexType::U16, 0, {});
  const ResourceIndex wide = add({0, 1, 2, 1, 3, 2}, vk::IndexType::U32, 3, {});
  const ResourceIndex restart = add({0, 1, 2, 0xffff, 3, 4, 5, 6}, vk::IndexType::U16, 0,
                                    {.topology = Topology::TriangleStrip, .primitive_restart = true});
  run_it(plan_);
  EXPECT_EQ(picture(narrow), "..RR/..RR");
  EXPECT_EQ(picture(wide), "..RR/..RR");
  EXPECT_EQ(picture(restart), "W.RR/..RR");
}

TEST_F(DrawTest, InstancesHaveAttributesOfTheirOwn) {
  const ResourceIndex t = add_target(2, 1);
  // The same rectangle for both instances, but the colour is the instance's; the later one is drawn over the earlier.
  Draw& draw = add_draw(t, rectangle(-1, -1, 0, 1, 0, kBlack) + rectangle(0, -1, 1, 1, 0, kBlack));
  draw.state.vertex_bindings.push_back({.binding = 3, .stride = 20, .rate = vk::VertexRate::Instance});
  draw.state.vertex_attributes[1] = {
      .location = 1, .binding = 3, .format = vk::Format::R32G32B32A32_SFLOAT, .offset = 4};
  draw.vertex_buffers.push_back(
      {.binding = 3, .buffer = add_vertices(std::vector<float>{9, 1, 1, 1, 1, 9, 1, 0, 0, 1})});
  auto& again = get_boxed<Draw>(plan_.steps.back().action);
  again.instances = 2;
  const ResourceIndex one = add_target(2, 1);
  Draw first = again;
  first.instances = 1;
  first.color_attachments[0].image = one;
  plan_.steps.push_back({.name = "first", .action = std::move(first)});
  run_it(plan_);
  EXPECT_EQ(picture(t), "RR");
  EXPECT_EQ(picture(one), "WW");
}

// Every format of docs/spec/rpl.md#containers: what is stored in it comes out of the vertex shader.
struct PackCase {
  vk::Format first;  // of one item; those of 2, 3, 4 items are each `step` numbers on
  std::uint32_t step;
  std::vector<std::byte> bytes;  // of four items
  std::array<double, 4> values;
};

template <class T>
PackCase pack_case(vk::Format first, std::uint32_t step, std::array<T, 4> stored, std::array<double, 4> values) {
  const Bytes bytes = std::as_bytes(std::span(stored));
  return {first, step, {bytes.begin(), bytes.end()}, values};
}

TEST_F(DrawTest, AttributesOfEveryFormat) {
  using enum vk::Format;
  const std::vector<PackCase> cases = {
      pack_case<std::uint8_t>(R8_UNORM, 7, {0, 51, 255, 102}, {0, 0.2, 1, 0.4}),
      pack_case<std::int8_t>(R8_SNORM, 7, {127, -127, 0, -127}, {1, -1, 0, -1}),
      pack_case<std::uint8_t>(R8_UINT, 7, {0, 1, 200, 255}, {0, 1, 200, 255}),
      pack_case<std::int8_t>(R8_SINT, 7, {-128, -1, 5, 127}, {-128, -1, 5, 127}),
      pack_case<std::uint16_t>(R16_UNORM, 7, {0, 65535, 13107, 39321}, {0, 1, 0.2, 0.6}),
      pack_case<std::int16_t>(R16_SNORM, 7, {32767, -32767, 0, -32767}, {1, -1, 0, -1}),
      pack_case<std::uint16_t>(R16_UINT, 7, {1, 2, 65535, 300}, {1, 2, 65535, 300}),
      pack_case<std::int16_t>(R16_SINT, 7, {-32768, 32767, -2, 3}, {-32768, 32767, -2, 3}),
      pack_case<std::uint16_t>(R16_SFLOAT, 7, {0x3c00, 0xc000, 0x3800, 0x7bff}, {1, -2, 0.5, 65504}),
      pack_case<std::uint32_t>(R32_UINT, 3, {1, 0x80000000, 7, 0xffffffff}, {1, 2147483648., 7, 4294967295.}),
      pack_case<std::int32_t>(R32_SINT, 3, {-1, 2, -2147483647 - 1, 7}, {-1, 2, -2147483648., 7}),
      pack_case<float>(R32_SFLOAT, 3, {1.5, -2.25, 1e30f, 0}, {1.5, -2.25, 1e30f, 0}),
  };
  const std::array shaders = {
      std::pair{add_shader(plan_, "fv", pass_float_vert, spirv::Stage::Vertex),
                add_shader(plan_, "ff", pass_float_frag, spirv::Stage::Fragment)},
      std::pair{add_shader(plan_, "uv", pass_uint_vert, spirv::Stage::Vertex),
                add_shader(plan_, "uf", pass_uint_frag, spirv::Stage::Fragment)},
      std::pair{add_shader(plan_, "sv", pass_sint_vert, spirv::Stage::Vertex),
                add_shader(plan_, "sf", pass_sint_frag, spirv::Stage::Fragment)},
  };
  struct Drawn {
    const PackCase* of;
    std::uint32_t items;
    vk::Format format, shown;
    ResourceIndex target;
  };
  std::vector<Drawn> drawn;
  for (const PackCase& one : cases) {
    for (std::uint32_t items = 1; items <= 4; ++items) {
      // The formats in the order B, G, R follow those of three 8-bit items.
      const std::uint32_t steps = items == 4 && one.bytes.size() == 4 ? 4 : items - 1;
      const auto format = static_cast<vk::Format>(static_cast<std::uint32_t>(one.first) + one.step * steps);
      // Formats of three items of 8 or 16 bits need not be there.
      if (!(snapshot().format_features(format).buffer & vk::format_feature::kVertexBuffer)) {
        EXPECT_EQ(items, 3u) << vk::name_of(format);
        continue;
      }
      const std::string name = vk::name_of(format);
      const std::size_t kind = name.ends_with("UINT") ? 1 : name.ends_with("SINT") ? 2 : 0;
      const vk::Format shown = std::array{R32G32B32A32_SFLOAT, R32G32B32A32_UINT, R32G32B32A32_SINT}[kind];
      const ResourceIndex target = add_target(1, 1, shown);
      std::vector<std::byte> bytes(one.bytes.begin(),
                                   one.bytes.begin() + static_cast<int>(one.bytes.size() / 4 * items));
      bytes.resize(16);
      const ResourceIndex buffer = add_vertices(bytes);
      plan_.steps.push_back(
          {.name = name,
           .action = Draw{.vertex_shader = shaders[kind].first,
                          .fragment_shader = shaders[kind].second,
                          .state = {.vertex_bindings = {{.stride = 16, .rate = vk::VertexRate::Instance}},
                                    .vertex_attributes = {{.format = format}}},
                          .color_attachments = {{.image = target}},
                          .vertex_buffers = {{.buffer = buffer}}}});
      drawn.push_back({&one, items, format, shown, target});
    }
  }
  run_it(plan_);
  EXPECT_GE(drawn.size(), 40u);
  for (const Drawn& one : drawn) {
    SCOPED_TRACE(vk::name_of(one.format));
    const std::array<std::uint32_t, 4> raw = pixels<std::array<std::uint32_t, 4>>(one.target)[0];
    for (std::uint32_t i = 0; i < 4; ++i) {
      const double expected = i < one.items ? one.of->values[i] : i == 3 ? 1 : 0;
      const double seen = one.shown == R32G32B32A32_SFLOAT ? std::bit_cast<float>(raw[i])
                          : one.shown == R32G32B32A32_UINT ? static_cast<double>(raw[i])
                                                           : static_cast<double>(static_cast<std::int32_t>(raw[i]));
      EXPECT_NEAR(seen, expected, std::abs(expected) * 1e-6) << i;
    }
  }
}

// --- rasterization ---------------------------------------------------------------------------------------------------

TEST_F(DrawTest, FacesAreCulledByTheirWinding) {
  const std::vector<Vertex> clockwise = {{{-1, -1, 0}, kWhite}, {{3, -1, 0}, kWhite}, {{-1, 3, 0}, kWhite}};
  const std::vector<Vertex> counter = {clockwise[0], clockwise[2], clockwise[1]};
  struct Case {
    CullMode cull;
    FrontFace front;
    bool is_clockwise;
    ResourceIndex target;
  };
  std::vector<Case> cases;
  for (const CullMode cull : {CullMode::None, CullMode::Front, CullMode::Back}) {
    for (const FrontFace front : {FrontFace::Clockwise, FrontFace::CounterClockwise}) {
      for (const bool is_clockwise : {false, true}) {
        cases.push_back({cull, front, is_clockwise, add_target(1, 1)});
        add_draw(cases.back().target, is_clockwise ? clockwise : counter, {.cull_mode = cull, .front_face = front});
      }
    }
  }
  run_it(plan_);
  for (const Case& one : cases) {
    const bool is_front = one.is_clockwise == (one.front == FrontFace::Clockwise);
    const bool culled = one.cull == (is_front ? CullMode::Front : CullMode::Back);
    EXPECT_EQ(picture(one.target), culled ? "." : "W")
        << vk::word_of(one.cull) << " " << vk::word_of(one.front) << " " << one.is_clockwise;
  }
}

TEST_F(DrawTest, WireframeDrawsEdges) {
  if (!snapshot().has_feature("fillModeNonSolid")) GTEST_SKIP() << "no wireframe here";
  const ResourceIndex t = add_target(8, 8);
  add_draw(t, {{{-0.9f, -0.9f, 0}, kWhite}, {{0.9f, -0.9f, 0}, kWhite}, {{-0.9f, 0.9f, 0}, kWhite}},
           {.polygon_mode = vk::PolygonMode::Wireframe});
  run_it(plan_);
  const std::vector<Color> seen = pixels(t);
  EXPECT_EQ(seen[3], kWhite);          // the upper edge
  EXPECT_EQ(seen[3 * 8], kWhite);      // the left edge
  EXPECT_EQ(seen[2 * 8 + 2], kBlack);  // inside
}

TEST_F(DrawTest, DiscardLeavesWhatIsThere) {
  const ResourceIndex t = add_target(2, 1);
  add_draw(t, rectangle(-1, -1, 0, 1, 0, {0.25, 1, 1, 1}) + rectangle(0, -1, 1, 1, 0, kRed), {}, kWhite)
      .fragment_shader = add_shader(plan_, "discard", discard_frag, spirv::Stage::Fragment);
  run_it(plan_);
  EXPECT_EQ(picture(t), "WR");
}

// --- depth and stencil -----------------------------------------------------------------------------------------------

std::vector<Vertex> three_depths() {
  const float third = 1.f / 3;
  return rectangle(-1, -1, -third, 1, 0.25, kWhite) + rectangle(-third, -1, third, 1, 0.5, kWhite) +
         rectangle(third, -1, 1, 1, 0.75, kWhite);
}

TEST_F(DrawTest, EveryDepthComparison) {
  struct Case {
    CompareOperation compare;
    std::string picture;
    std::array<float, 3> depth;
    ResourceIndex color = 0, stored = 0;
  };
  using enum CompareOperation;
  std::vector<Case> cases = {{Never, "...", {.5, .5, .5}},           {Less, "W..", {.25, .5, .5}},
                             {Equal, ".W.", {.5, .5, .5}},           {LessOrEqual, "WW.", {.25, .5, .5}},
                             {Greater, "..W", {.5, .5, .75}},        {NotEqual, "W.W", {.25, .5, .75}},
                             {GreaterOrEqual, ".WW", {.5, .5, .75}}, {Always, "WWW", {.25, .5, .75}}};
  for (Case& one : cases) {
    one.color = add_target(3, 1);
    one.stored = add_depth(3, 1);
    add_draw(one.color, three_depths(), {.depth_test = true, .depth_write = true, .depth_compare = one.compare})
        .depth_attachment = DepthAttachment{.image = one.stored, .depth_load = vk::Load::Clear, .clear_depth = 0.5};
  }
  run_it(plan_);
  for (const Case& one : cases) {
    EXPECT_EQ(picture(one.color), one.picture) << vk::word_of(one.compare);
    EXPECT_THAT(pixels<float>(one.stored), ElementsAreArray(one.depth)) << vk::word_of(one.compare);
  }
}

TEST_F(DrawTest, DepthIsLoadedAndMayBeOnlyRead) {
  const ResourceIndex t = add_target(3, 1), d = add_depth(3, 1);
  plan_.resources[d].initial = {contents_of<float>({0.3f, 0.3f, 0.9f})};
  add_draw(t, three_depths(), {.depth_test = true}).depth_attachment =
      DepthAttachment{.image = d, .depth_load = vk::Load::Contents};
  run_it(plan_);
  EXPECT_EQ(picture(t), "W.W");
  EXPECT_THAT(pixels<float>(d), ElementsAre(0.3f, 0.3f, 0.9f));
}

TEST_F(DrawTest, DepthAloneWithoutAFragmentShader) {
  const ResourceIndex t = add_target(3, 1), d = add_depth(3, 1);
  Draw& draw = add_draw(t, three_depths(), {.depth_test = true, .depth_write = true});
  draw.fragment_shader.reset();
  draw.color_attachments.clear();
  draw.depth_attachment = DepthAttachment{.image = d, .depth_load = vk::Load::Clear, .clear_depth = 0.6f};
  run_it(plan_);
  EXPECT_THAT(pixels<float>(d), ElementsAre(0.25, 0.5, 0.6f));
}

TEST_F(DrawTest, DepthBiasAndClamp) {
  const ResourceIndex biased = add_depth(1, 1), t1 = add_target(1, 1), clamped = add_depth(1, 1), t2 = add_target(1, 1);
  const ResourceIndex clipped = add_depth(1, 1), t3 = add_target(1, 1);
  GraphicsState state{.depth_bias = true, .depth_bias_constant = 1 << 16, .depth_test = true, .depth_write = true};
  state.depth_compare = CompareOperation::Always;
  const auto depth = [](ResourceIndex image) {
    return DepthAttachment{.image = image, .depth_load = vk::Load::Clear, .clear_depth = 0.125};
  };
  add_draw(t1, everything(kWhite, 0.5), state).depth_attachment = depth(biased);
  state.depth_bias = false;
  add_draw(t3, everything(kWhite, 2), state).depth_attachment = depth(clipped);
  state.depth_clamp = snapshot().has_feature("depthClamp");
  if (state.depth_clamp) add_draw(t2, everything(kWhite, 2), state).depth_attachment = depth(clamped);
  run_it(plan_);
  EXPECT_GT(pixels<float>(biased)[0], 0.5f);
  EXPECT_LT(pixels<float>(biased)[0], 0.51f);
  EXPECT_EQ(pixels<float>(clipped)[0], 0.125f);  // beyond the far plane: clipped
  if (state.depth_clamp) {
    EXPECT_EQ(pixels<float>(clamped)[0], 1.f);
  }
}

TEST_F(DrawTest, DepthBounds) {
  if (!snapshot().has_feature("depthBounds")) GTEST_SKIP() << "no depth bounds here";
  const ResourceIndex t = add_target(3, 1), d = add_depth(3, 1);
  plan_.resources[d].initial = {contents_of<float>({0.1f, 0.5f, 0.9f})};
  add_draw(t, everything(kWhite), {.depth_bounds_test = true, .depth_bounds_min = 0.25, .depth_bounds_max = 0.75})
      .depth_attachment = DepthAttachment{.image = d, .depth_load = vk::Load::Contents};
  run_it(plan_);
  EXPECT_EQ(picture(t), ".W.");
}

TEST_F(DrawTest, EveryStencilOperation) {
  struct Case {
    StencilOperation operation;
    std::uint32_t before, after;
    ResourceIndex target = 0;
  };
  using enum StencilOperation;
  std::vector<Case> cases = {{Keep, 3, 3},
                             {Zero, 3, 0},
                             {Replace, 3, 77},
                             {IncrementAndClamp, 3, 4},
                             {IncrementAndClamp, 255, 255},
                             {DecrementAndClamp, 3, 2},
                             {DecrementAndClamp, 0, 0},
                             {Invert, 0x0f, 0xf0},
                             {IncrementAndWrap, 255, 0},
                             {DecrementAndWrap, 0, 255}};
  for (Case& one : cases) {
    one.target = add_target(1, 1);
    const ResourceIndex d = add_depth(1, 1, vk::Format::D32_SFLOAT_S8_UINT);
    const vk::StencilFace change{.on_pass = one.operation,
                                 .compare = CompareOperation::Always,
                                 .compare_mask = 0xff,
                                 .write_mask = 0xff,
                                 .reference = 77};
    add_draw(one.target, everything(kRed), {.stencil_test = true, .stencil_front = change, .stencil_back = change})
        .depth_attachment = DepthAttachment{
        .image = d, .depth_load = vk::Load::Clear, .stencil_load = vk::Load::Clear, .clear_stencil = one.before};
    const vk::StencilFace look{.compare = CompareOperation::Equal, .compare_mask = 0xff, .reference = one.after};
    Draw& second =
        add_draw(one.target, everything(kWhite), {.stencil_test = true, .stencil_front = look, .stencil_back = look});
    second.color_attachments[0].load = vk::Load::Contents;
    second.depth_attachment =
        DepthAttachment{.image = d, .depth_load = vk::Load::Contents, .stencil_load = vk::Load::Contents};
  }
  run_it(plan_);
  for (const Case& one : cases) {
    EXPECT_EQ(picture(one.target), "W") << vk::word_of(one.operation) << " of " << one.before;
  }
}

TEST_F(DrawTest, StencilFacesMasksAndFailures) {
  const ResourceIndex t = add_target(1, 1), d = add_depth(1, 1, vk::Format::D32_SFLOAT_S8_UINT);
  // Front faces fail under the mask; back faces pass the stencil test and fail that of the depth.
  const vk::StencilFace front{.on_fail = StencilOperation::Replace,
                              .compare = CompareOperation::Equal,
                              .compare_mask = 0x0f,
                              .write_mask = 0xf0,
                              .reference = 0x5a};
  const vk::StencilFace back{.on_depth_fail = StencilOperation::IncrementAndClamp,
                             .compare = CompareOperation::Always,
                             .compare_mask = 0xff,
                             .write_mask = 0xff};
  std::vector<Vertex> clockwise = {{{-1, -1, 0.9f}, kRed}, {{3, -1, 0.9f}, kRed}, {{-1, 3, 0.9f}, kRed}};
  const std::vector<Vertex> counter = {clockwise[0], clockwise[2], clockwise[1]};
  add_draw(t, clockwise + counter,
           {.front_face = FrontFace::Clockwise,
            .depth_test = true,
            .stencil_test = true,
            .stencil_front = front,
            .stencil_back = back})
      .depth_attachment = DepthAttachment{.image = d,
                                          .depth_load = vk::Load::Clear,
                                          .stencil_load = vk::Load::Clear,
                                          .clear_depth = 0.5,
                                          .clear_stencil = 0x03};
  const vk::StencilFace look{.compare = CompareOperation::Equal, .compare_mask = 0xff, .reference = 0x54};
  Draw& second = add_draw(t, everything(kWhite), {.stencil_test = true, .stencil_front = look, .stencil_back = look});
  second.color_attachments[0].load = vk::Load::Contents;
  second.depth_attachment =
      DepthAttachment{.image = d, .depth_load = vk::Load::Contents, .stencil_load = vk::Load::Contents};
  run_it(plan_);
  EXPECT_EQ(picture(t), "W");  // 0x03, with 0x50 put in above, plus one
}

// --- blending --------------------------------------------------------------------------------------------------------

constexpr Color kSource = {0.5, 0.25, 0.75, 0.5}, kDestination = {0.25, 1, 0.5, 0.75},
                kConstant = {0.1f, 0.2f, 0.3f, 0.4f};

float factor(BlendFactor factor, std::size_t i) {
  using enum BlendFactor;
  switch (factor) {
    case Zero:
      return 0;
    case One:
      return 1;
    case SourceColor:
      return kSource[i];
    case OneMinusSourceColor:
      return 1 - kSource[i];
    case DestinationColor:
      return kDestination[i];
    case OneMinusDestinationColor:
      return 1 - kDestination[i];
    case SourceAlpha:
      return kSource[3];
    case OneMinusSourceAlpha:
      return 1 - kSource[3];
    case DestinationAlpha:
      return kDestination[3];
    case OneMinusDestinationAlpha:
      return 1 - kDestination[3];
    case ConstantColor:
      return kConstant[i];
    case OneMinusConstantColor:
      return 1 - kConstant[i];
    case ConstantAlpha:
      return kConstant[3];
    case OneMinusConstantAlpha:
      return 1 - kConstant[3];
    case SourceAlphaSaturate:
      return i == 3 ? 1 : std::min(kSource[3], 1 - kDestination[3]);
  }
  return -1;
}

float blended(const ColorBlend& blend, std::size_t i) {
  const float s = kSource[i] * factor(i == 3 ? blend.source_alpha : blend.source_color, i);
  const float d = kDestination[i] * factor(i == 3 ? blend.destination_alpha : blend.destination_color, i);
  switch (i == 3 ? blend.alpha : blend.color) {
    case BlendOperation::Add:
      return s + d;
    case BlendOperation::Subtract:
      return s - d;
    case BlendOperation::ReverseSubtract:
      return d - s;
    case BlendOperation::Min:
      return std::min(kSource[i], kDestination[i]);
    case BlendOperation::Max:
      return std::max(kSource[i], kDestination[i]);
  }
  return -1;
}

TEST_F(DrawTest, EveryBlendFactorAndOperation) {
  std::vector<std::pair<ColorBlend, ResourceIndex>> cases;
  const auto add = [&](ColorBlend blend) {
    blend.enabled = true;
    cases.emplace_back(blend, add_target(1, 1));
    add_draw(cases.back().second, everything(kSource), {.blends = {blend}, .blend_constants = kConstant}, kDestination);
  };
  for (const vk::StateWord& word : vk::words_of<BlendFactor>()) {
    const auto one = static_cast<BlendFactor>(word.value);
    add({.source_color = one, .source_alpha = one});
    add({.destination_color = one, .destination_alpha = one});
  }
  for (const vk::StateWord& word : vk::words_of<BlendOperation>()) {
    const auto one = static_cast<BlendOperation>(word.value);
    add({.destination_color = BlendFactor::One, .color = one, .destination_alpha = BlendFactor::One});
    add({.destination_color = BlendFactor::One, .destination_alpha = BlendFactor::One, .alpha = one});
  }
  run_it(plan_);
  EXPECT_EQ(cases.size(), 2 * (15 + 5));
  for (const auto& [blend, target] : cases) {
    const Color seen = pixels(target)[0];
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(seen[i], blended(blend, i), 1e-6)
          << vk::print_graphics_state({.blends = {blend}}, "") << "component " << i;
    }
  }
}

TEST_F(DrawTest, WriteMasksKeepComponents) {
  std::vector<ResourceIndex> targets;
  for (std::uint32_t mask = 0; mask < 16; ++mask) {
    targets.push_back(add_target(1, 1));
    add_draw(targets.back(), everything(kSource), {.blends = {{.write_mask = mask}}}, kDestination);
  }
  run_it(plan_);
  for (std::uint32_t mask = 0; mask < 16; ++mask) {
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(pixels(targets[mask])[0][i], mask >> i & 1 ? kSource[i] : kDestination[i]) << mask << " " << i;
    }
  }
}

TEST_F(DrawTest, AttachmentsBlendEachInItsOwnWay) {
  const ResourceIndex first = add_target(1, 1), second = add_target(1, 1);
  Draw& draw = add_draw(first, everything(kSource),
                        {.blends = {{}, {.enabled = true, .destination_color = BlendFactor::One}}}, kDestination);
  draw.color_attachments.push_back({.image = second, .load = vk::Load::Clear, .clear = bits(kDestination)});
  draw.fragment_shader = add_shader(plan_, "two", two_frag, spirv::Stage::Fragment);
  EXPECT_THAT(vk::features_of(draw.state, 2), ElementsAre("independentBlend"));
  run_it(plan_);
  EXPECT_EQ(pixels(first)[0], kSource);
  EXPECT_EQ(pixels(second)[0], (Color{0.75, 1.75, 0.75, 0.5}));
}

// --- samples ---------------------------------------------------------------------------------------------------------

TEST_F(DrawTest, SamplesAreResolved) {
  const ResourceIndex t = add_target(4, 4), d = add_depth(4, 4);
  const ResourceIndex color = add_multisampled(t), depth = add_multisampled(d);
  Draw& draw = add_draw(t, {{{-1, -1, 0.25}, kWhite}, {{1, -1, 0.25}, kWhite}, {{-1, 1, 0.25}, kWhite}},
                        {.samples = 4, .depth_test = true, .depth_write = true});
  draw.color_attachments[0].image = color;
  draw.color_attachments[0].resolve = Resolve{.image = t};
  draw.depth_attachment =
      DepthAttachment{.image = depth, .depth_load = vk::Load::Clear, .clear_depth = 1, .resolve = Resolve{.image = d}};
  run_it(plan_);
  const std::vector<Color> seen = pixels(t);
  EXPECT_EQ(seen[0], kWhite);
  EXPECT_EQ(seen[15], kBlack);
  for (const std::size_t diagonal : {3u, 6u, 9u, 12u}) {  // half of each is covered
    EXPECT_GE(seen[diagonal][0], 0.25f);
    EXPECT_LE(seen[diagonal][0], 0.75f);
  }
  EXPECT_EQ(pixels<float>(d)[0], 0.25f);
  EXPECT_EQ(pixels<float>(d)[15], 1.f);
}

// --- errors ----------------------------------------------------------------------------------------------------------

TEST_F(DrawTest, WhatTheDeviceLacksIsNamed) {
  const ResourceIndex t = add_target(1, 1);
  Draw& draw = add_draw(t, everything(kWhite), {.samples = 16});
  draw.state.vertex_attributes[0].format = vk::Format::R64_SFLOAT;
  draw.state.line_width = 1e9f;
  vk::Snapshot poor = snapshot();
  poor.limits_by_name["framebufferColorSampleCounts"] = 5;
  poor.formats[vk::Format::R64_SFLOAT] = {};
  poor.features.erase("wideLines");
  std::vector<std::string> messages;
  for (const Diagnostic& one : check_device(plan_, needs_of(plan_), poor).all()) messages.push_back(one.message);
  EXPECT_THAT(messages, ::testing::Contains(
                            "`draw`: vertex attribute `position` needs vertex buffers of `VK_FORMAT_R64_SFLOAT`"));
  EXPECT_THAT(messages, ::testing::Contains("`draw`: it needs the device feature `wideLines`"));
  EXPECT_THAT(messages, ::testing::Contains("`draw`: it needs 16 samples a pixel (`framebufferColorSampleCounts`)"));
}

TEST_F(DrawTest, DrawsAreExplained) {
  const ResourceIndex t = add_target(4, 4), d = add_depth(4, 4, vk::Format::D32_SFLOAT_S8_UINT);
  Draw& draw = add_draw(t, everything(kWhite), {.cull_mode = CullMode::Back, .depth_test = true});
  draw.depth_attachment = DepthAttachment{
      .image = d, .depth_load = vk::Load::Contents, .stencil_load = vk::Load::Clear, .clear_stencil = 3};
  draw.indices = IndexBuffer{.buffer = draw.vertex_buffers[0].buffer, .type = vk::IndexType::U32};
  draw.instances = 2;
  draw.first_vertex = 1;
  const std::string text = print_plan(plan_);
  EXPECT_EQ(text.substr(text.find("steps\n")),
            "steps\n"
            "  0 `draw`: draw `vertex` and `fragment`, 4x4, 6 indices from vertex 1, 2 instances\n"
            "      vertex binding 0: 28 bytes per vertex\n"
            "      location 0: VK_FORMAT_R32G32B32_SFLOAT at 0 of binding 0\n"
            "      location 1: VK_FORMAT_R32G32B32A32_SFLOAT at 12 of binding 0\n"
            "      cull: back\n"
            "      depth: passes when less\n"
            "      vertex binding 0: `vertices`\n"
            "      indices: `vertices`, u32\n"
            "      colour attachment: `t0` level 0, cleared to 0x0 0x0 0x0 0x0\n"
            "      depth attachment: `d1`, depth loaded, stencil cleared to 3\n"
            "      full barrier\n");
}

TEST_F(DrawTest, EveryStateHasAPipelineOfItsOwn) {
  const ResourceIndex t = add_target(1, 1);
  add_draw(t, everything(kWhite));
  add_draw(t, everything(kRed));
  add_draw(t, everything(kRed), {.cull_mode = CullMode::Back});
  const PipelinePlan wanted = plan_pipelines(plan_);
  EXPECT_EQ(wanted.requests.size(), 2u);
  EXPECT_EQ(wanted.by_step[0], wanted.by_step[1]);
  EXPECT_NE(wanted.by_step[0], wanted.by_step[2]);
}

}  // namespace
}  // namespace slipway::launch
