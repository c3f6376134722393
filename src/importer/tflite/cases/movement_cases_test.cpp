// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/format.hpp"
#include "importer/tflite/cases/operator_case.hpp"

namespace slipway::importer {
namespace {

using Shape = std::vector<std::int32_t>;

int tensor_of(CaseBuilder& c, FileType type, Shape shape) {
  const Scale scale = type == FileType::I8 || type == FileType::U8 ? Scale{0.1F, 7}
                      : type == FileType::I16                      ? Scale{0.1F, 0}
                                                                   : Scale{};
  return c.input(type, std::move(shape), type == FileType::U8 || type == FileType::Bool ? 0 : -50,
                 type == FileType::Bool ? 1 : 50, scale);
}

OperatorResult result_of(FileType type) {
  return {type, type == FileType::I8 || type == FileType::U8 ? Scale{0.1F, 7}
                : type == FileType::I16                      ? Scale{0.1F, 0}
                                                             : Scale{}};
}

void add_of_type(OperatorCases& cases, FileType type) {
  const OperatorResult y = result_of(type);
  const auto add = [&](std::string_view name, const std::function<void(CaseBuilder&)>& build) {
    cases.add(formatted("{} {}", name, name_of(type)), build);
  };
  const auto x = [type](CaseBuilder& c, Shape shape) { return tensor_of(c, type, std::move(shape)); };
  add("RESHAPE", [&](CaseBuilder& c) { c.op("RESHAPE", {x(c, {2, 3, 4}), c.list({4, -1})}, {y}); });
  add("RESHAPE options", [&](CaseBuilder& c) {
    fb::ReshapeOptionsT options;
    options.new_shape = {-1, 6};
    c.op_with("RESHAPE", {x(c, {2, 3, 4})}, {y}, options);
  });
  add("SQUEEZE", [&](CaseBuilder& c) {
    fb::SqueezeOptionsT options;
    options.squeeze_dims = {-1, 0};
    c.op_with("SQUEEZE", {x(c, {1, 3, 1, 1})}, {y}, options);
  });
  add("EXPAND_DIMS", [&](CaseBuilder& c) { c.op("EXPAND_DIMS", {x(c, {2, 3}), c.number(-1)}, {y}); });
  add("TRANSPOSE", [&](CaseBuilder& c) { c.op("TRANSPOSE", {x(c, {2, 3, 4}), c.list({2, 0, 1})}, {y}); });
  if (type != FileType::Bool)
    add("PACK", [&](CaseBuilder& c) {
      fb::PackOptionsT options;
      options.values_count = 2;
      options.axis = -1;
      c.op_with("PACK", {x(c, {2, 3}), x(c, {2, 3})}, {y}, options);
    });
  if (type != FileType::I64)
    add("UNPACK", [&](CaseBuilder& c) {
      fb::UnpackOptionsT options;
      options.num = 3;
      options.axis = 1;
      c.op_with("UNPACK", {x(c, {2, 3})}, {y, y, y}, options);
    });
  add("CONCATENATION", [&](CaseBuilder& c) {
    fb::ConcatenationOptionsT options;
    options.axis = -2;
    c.op_with("CONCATENATION", {x(c, {2, 3, 2}), x(c, {2, 1, 2}), x(c, {2, 2, 2})}, {y}, options);
  });
  add("SLICE", [&](CaseBuilder& c) { c.op("SLICE", {x(c, {3, 4, 5}), c.list({1, 0, 2}), c.list({2, -1, 2})}, {y}); });
  add("GATHER", [&](CaseBuilder& c) {
    fb::GatherOptionsT options;
    options.axis = 1;
    c.op_with("GATHER", {x(c, {2, 4, 3}), c.given(FileType::I32, {2, 2}, {3, 0, 1, 3})}, {y}, options);
  });
  if (type == FileType::Bool) return;
  if (type != FileType::I64)
    add("SPLIT", [&](CaseBuilder& c) {
      fb::SplitOptionsT options;
      options.num_splits = 2;
      c.op_with("SPLIT", {c.number(-1), x(c, {2, 4})}, {y, y}, options);
    });
  add("SPLIT_V", [&](CaseBuilder& c) {
    fb::SplitVOptionsT options;
    options.num_splits = 3;
    c.op_with("SPLIT_V", {x(c, {2, 7}), c.list({2, -1, 1}), c.number(1)}, {y, y, y}, options);
  });
  add("PAD", [&](CaseBuilder& c) {
    c.op("PAD", {x(c, {2, 3, 2}), c.constant(FileType::I32, {3, 2}, {0, 1, 2, 0, 1, 1})}, {y});
  });
  add("PADV2", [&](CaseBuilder& c) {
    c.op("PADV2",
         {x(c, {2, 3, 2}), c.constant(FileType::I32, {3, 2}, {0, 1, 2, 0, 1, 1}), c.constant(type, {}, {9}, y.scale)},
         {y});
  });
  for (const fb::MirrorPadMode mode : {fb::MirrorPadMode::REFLECT, fb::MirrorPadMode::SYMMETRIC}) {
    if (type == FileType::I16) continue;
    add(formatted("MIRROR_PAD {}", static_cast<int>(mode)), [&](CaseBuilder& c) {
      fb::MirrorPadOptionsT options;
      options.mode = mode;
      c.op_with("MIRROR_PAD", {x(c, {3, 4}), c.constant(FileType::I32, {2, 2}, {2, 1, 0, 3})}, {y}, options);
    });
  }
  add("SELECT_V2", [&](CaseBuilder& c) {
    c.op("SELECT_V2", {c.whole(FileType::Bool, {3, 1}, 0, 1), x(c, {2, 3, 4}), x(c, {4})}, {y});
  });
  add("SELECT",
      [&](CaseBuilder& c) { c.op("SELECT", {c.whole(FileType::Bool, {3}, 0, 1), x(c, {3, 4}), x(c, {3, 4})}, {y}); });
  const bool is_wide = type == FileType::F32 || type == FileType::I32 || type == FileType::I64;
  if (is_wide) add("ZEROS_LIKE", [&](CaseBuilder& c) { c.op("ZEROS_LIKE", {x(c, {2, 2})}, {y}); });
  if (type == FileType::I16) return;
  add("TILE", [&](CaseBuilder& c) { c.op("TILE", {x(c, {2, 3}), c.list({2, 3})}, {y}); });
  add("BROADCAST_TO", [&](CaseBuilder& c) { c.op("BROADCAST_TO", {x(c, {3, 1}), c.list({2, 3, 4})}, {y}, 2); });
  add("DEPTH_TO_SPACE", [&](CaseBuilder& c) {
    fb::DepthToSpaceOptionsT options;
    options.block_size = 2;
    c.op_with("DEPTH_TO_SPACE", {x(c, {1, 2, 3, 8})}, {y}, options);
  });
  add("SPACE_TO_DEPTH", [&](CaseBuilder& c) {
    fb::SpaceToDepthOptionsT options;
    options.block_size = 2;
    c.op_with("SPACE_TO_DEPTH", {x(c, {1, 4, 6, 2})}, {y}, options);
  });
  add("SPACE_TO_BATCH_ND", [&](CaseBuilder& c) {
    c.op("SPACE_TO_BATCH_ND", {x(c, {2, 5, 4, 2}), c.list({2, 3}), c.constant(FileType::I32, {2, 2}, {0, 1, 1, 1})},
         {y});
  });
  add("BATCH_TO_SPACE_ND", [&](CaseBuilder& c) {
    c.op("BATCH_TO_SPACE_ND", {x(c, {12, 3, 2, 2}), c.list({2, 3}), c.constant(FileType::I32, {2, 2}, {1, 0, 2, 1})},
         {y});
  });
  if (type != FileType::I8)
    add("REVERSE_V2", [&](CaseBuilder& c) { c.op("REVERSE_V2", {x(c, {2, 3, 4}), c.list({1})}, {y}); });
}

struct Stride {
  std::vector<double> begin, end, step;
  int begin_mask = 0, end_mask = 0, ellipsis = 0, insert = 0, shrink = 0;
};

void add_strided_slices(OperatorCases& cases) {
  const Stride forms[] = {{{0, 1, 1}, {2, 4, 5}, {1, 2, 1}},
                          {{-1, 3, 4}, {-4, 0, 0}, {-1, -1, -2}},
                          {{0, 0, 4}, {0, 0, 0}, {1, -2, -1}, 3, 7},
                          {{1, 0}, {2, 3}, {1, 1}, 0, 0, 0, 0, 1},
                          {{0, -2}, {0, 5}, {1, 1}, 0, 0, 1},
                          {{0, 0, 1}, {0, 0, 3}, {1, 1, 1}, 0, 0, 1, 2},
                          {{-2, 0, 1}, {100, 100, -1}, {1, 1, 1}, 0, 0, 0, 0, 0}};
  int number = 0;
  for (const Stride& form : forms) {
    cases.add(formatted("STRIDED_SLICE {}", ++number), [&](CaseBuilder& c) {
      fb::StridedSliceOptionsT options;
      options.begin_mask = form.begin_mask;
      options.end_mask = form.end_mask;
      options.ellipsis_mask = form.ellipsis;
      options.new_axis_mask = form.insert;
      options.shrink_axis_mask = form.shrink;
      c.op_with("STRIDED_SLICE", {c.real({3, 4, 5}), c.list(form.begin), c.list(form.end), c.list(form.step)}, {{}},
                options);
    });
  }
}

void add_shapes(OperatorCases& cases) {
  cases.add("SHAPE", [](CaseBuilder& c) {
    fb::ShapeOptionsT options;
    options.out_type = 2;
    c.op_with("SHAPE", {c.real({2, 3, 4})}, {{FileType::I32}}, options);
  });
  cases.add("RANK", [](CaseBuilder& c) { c.op("RANK", {c.real({2, 3, 4})}, {{FileType::I32}}); });
  cases.add("FILL", [](CaseBuilder& c) { c.op("FILL", {c.list({2, 3}), c.given(FileType::F32, {}, {1.5})}, {{}}); });
  cases.add("FILL int32",
            [](CaseBuilder& c) { c.op("FILL", {c.list({2, 3}), c.given(FileType::I32, {}, {7})}, {{FileType::I32}}); });
  cases.add("BROADCAST_ARGS",
            [](CaseBuilder& c) { c.op("BROADCAST_ARGS", {c.list({3, 1}), c.list({2, 1, 4})}, {{FileType::I32}}); });
  cases.add("RANGE int32",
            [](CaseBuilder& c) { c.op("RANGE", {c.number(10), c.number(-1), c.number(-3)}, {{FileType::I32}}); });
  cases.add("RANGE float32", [](CaseBuilder& c) {
    c.op("RANGE",
         {c.constant(FileType::F32, {}, {0.5}), c.constant(FileType::F32, {}, {3}),
          c.constant(FileType::F32, {}, {0.3})},
         {{}});
  });
  cases.add("REVERSE_SEQUENCE", [](CaseBuilder& c) {
    fb::ReverseSequenceOptionsT options;
    options.seq_dim = 1;
    options.batch_dim = 0;
    c.op_with("REVERSE_SEQUENCE", {c.real({3, 4, 2}), c.given(FileType::I32, {3}, {4, 1, 3})}, {{}}, options);
  });
  cases.add("CONCATENATION uint8 scales", [](CaseBuilder& c) {
    fb::ConcatenationOptionsT options;
    options.axis = 0;
    c.op_with("CONCATENATION",
              {c.quantised(FileType::U8, {2, 40}, {0.1F, 7}), c.quantised(FileType::U8, {2, 40}, {0.07F, 200})},
              {{FileType::U8, {0.13F, 100}}}, options);
  });
}

void add_resizes(OperatorCases& cases) {
  for (const FileType type : {FileType::F32, FileType::I8, FileType::U8, FileType::I16}) {
    for (const int mode : {0, 1, 2}) {
      for (const auto& size : std::vector<std::vector<double>>{{10, 8}, {3, 7}, {1, 2}}) {
        const std::string end = formatted("{} mode {} to {} {}", name_of(type), mode, size[0], size[1]);
        const OperatorResult y = result_of(type);
        cases.add("RESIZE_BILINEAR " + end, [&](CaseBuilder& c) {
          fb::ResizeBilinearOptionsT options;
          options.align_corners = mode == 1;
          options.half_pixel_centers = mode == 2;
          c.op_with("RESIZE_BILINEAR", {tensor_of(c, type, {1, 5, 4, 3}), c.list(size)}, {y}, options);
        });
        cases.add("RESIZE_NEAREST_NEIGHBOR " + end, [&](CaseBuilder& c) {
          fb::ResizeNearestNeighborOptionsT options;
          options.align_corners = mode == 1;
          options.half_pixel_centers = mode == 2;
          c.op_with("RESIZE_NEAREST_NEIGHBOR", {tensor_of(c, type, {1, 5, 4, 3}), c.list(size)}, {y}, options);
        });
      }
    }
  }
}

}  // namespace

void add_movement_cases(OperatorCases& cases) {
  for (const FileType type :
       {FileType::F32, FileType::I8, FileType::U8, FileType::I16, FileType::I32, FileType::I64, FileType::Bool})
    add_of_type(cases, type);
  add_strided_slices(cases);
  add_shapes(cases);
  add_resizes(cases);
}

}  // namespace slipway::importer
