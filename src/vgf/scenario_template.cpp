// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cctype>

#include "base/format.hpp"
#include "json/writer.hpp"
#include "vgf/check.hpp"
#include "vgf/dump.hpp"
#include "vgf/printed_name.hpp"

namespace slipway::vgf {
namespace {

// The scenario that `vgf_dump --scenario-template` writes: keys sorted, placeholders for paths.
class Template {
 public:
  Template(const File& file, std::string_view file_name, bool boundaries)
      : file_(file), file_name_(file_name), boundaries_(boundaries) {}

  Result<std::string> text() {
    Diagnostics problems;
    check(problems);
    if (problems.has_errors()) return fail(problems.release());
    out_.object([&] {
      out_.key("commands").array([&] { commands(); });
      out_.key("resources").array([&] { resources(); });
    });
    std::string text = out_.text();
    text.pop_back();  // the existing tool writes no final line end
    return text;
  }

 private:
  enum class Use { Tensor, Buffer };

  void check(Diagnostics& problems) const {
    const auto check_list = [&](const std::vector<Slot>& slots, Category category, std::string_view what) {
      for (const Slot& slot : slots) {
        const Resource& resource = file_.resources[slot.resource];
        if (resource.category != category) {
          problems.error(DiagnosticKind::FileMismatch, file_.location(slot),
                         formatted("VGF {} has a mismatched ResourceCategory", what == "input" ? "Input" : "Output"));
        }
        const bool tensor =
            resource.descriptor_type.value_or(vk::DescriptorType::TENSOR_ARM) == vk::DescriptorType::TENSOR_ARM;
        if (!tensor && !is_buffer(resource)) {
          problems.error(
              DiagnosticKind::Unsupported, file_.location(slot),
              formatted("Not implemented descriptor type support {} for {} resource when creating the scenario",
                        printed_name(*resource.descriptor_type), what));
        }
        if (is_buffer(resource)) {
          const Size size = byte_count(resource);
          if (is_dynamic(resource) || !size || *size == 0 || *size > 0xffffffff) {
            problems.error(DiagnosticKind::OutOfRange, file_.location(resource.range),
                           formatted("resource {} with shape {} and format {} cannot be the size of a buffer",
                                     slot.resource, tensor::shape_text(resource.shape), printed_name(resource.format)));
          }
        }
      }
    };
    check_list(file_.inputs, Category::Input, "input");
    check_list(file_.outputs, Category::Output, "output");
  }

  void boundary(const std::vector<std::string>& uids) {
    out_.object([&] {
      out_.key("mark_boundary").object([&] {
        out_.key("resources").array([&] {
          for (const std::string& uid : uids) out_.value(uid);
        });
      });
    });
  }

  void commands() {
    if (boundaries_) boundary({});
    std::vector<std::string> outputs;
    out_.object([&] {
      out_.key("dispatch_graph").object([&] {
        out_.key("bindings").array([&] {
          const auto bind = [&](const Slot& slot, const std::string& uid) {
            out_.object([&] { out_.member("id", slot.binding).member("resource_ref", uid).member("set", 0); });
          };
          for (std::size_t i = 0; i < file_.inputs.size(); ++i) bind(file_.inputs[i], formatted("input_{}_ref", i));
          for (std::size_t i = 0; i < file_.outputs.size(); ++i) {
            outputs.push_back(formatted("output_{}_ref", i));
            bind(file_.outputs[i], outputs.back());
          }
        });
        out_.member("graph_ref", "vgf_graph_ref");
        out_.key("shader_substitutions").array([&] {
          for (std::size_t i = 0; i < file_.modules.size(); ++i) {
            if (file_.modules[i].kind != ModuleKind::Compute) continue;
            out_.object([&] {
              out_.member("shader_ref", formatted("shader_{}_ref", i)).member("target", file_.modules[i].name);
            });
          }
        });
      });
    });
    if (boundaries_) boundary(outputs);
  }

  void resources() {
    out_.object(
        [&] { out_.key("graph").object([&] { out_.member("src", file_name_).member("uid", "vgf_graph_ref"); }); });
    for (const Use use : {Use::Tensor, Use::Buffer}) {
      for (std::size_t i = 0; i < file_.inputs.size(); ++i) resource(file_.inputs[i], use, true, i);
      for (std::size_t i = 0; i < file_.outputs.size(); ++i) resource(file_.outputs[i], use, false, i);
    }
    for (std::size_t i = 0; i < file_.modules.size(); ++i) {
      const Module& module = file_.modules[i];
      if (module.kind != ModuleKind::Compute) continue;
      std::string kind(name_of(module.code));
      std::erase(kind, '-');
      out_.object([&] {
        out_.key("shader").object([&] {
          out_.member("entry", module.entry_point);
          for (char& c : kind) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
          out_.member("src", formatted("TEMPLATE_PATH_SHADER_{}_{}", kind, i));
          out_.member("type", name_of(module.code)).member("uid", formatted("shader_{}_ref", i));
        });
      });
    }
  }

  void resource(const Slot& slot, Use use, bool input, std::size_t index) {
    const Resource& resource = file_.resources[slot.resource];
    if (is_buffer(resource) != (use == Use::Buffer)) return;
    const std::string_view direction = input ? "INPUT" : "OUTPUT";
    out_.object([&] {
      out_.key(use == Use::Tensor ? "tensor" : "buffer").object([&] {
        const auto path = [&] {
          out_.member(input ? "src" : "dst",
                      formatted("TEMPLATE_PATH_{}_{}_{}", use == Use::Tensor ? "TENSOR" : "BUFFER", direction, index));
        };
        if (use == Use::Tensor) {
          out_.key("dims").array([&] {
            for (const std::int64_t dimension : resource.shape) out_.value(dimension < 0 ? -1 : dimension);
          });
          if (!input) path();
          out_.member("format", printed_name(resource.format));
          out_.member("shader_access", input ? "readonly" : "writeonly");
        } else {
          if (!input) path();
          out_.member("shader_access", input ? "readonly" : "writeonly").member("size", *byte_count(resource));
        }
        if (input) path();
        out_.member("uid", formatted("{}_{}_ref", input ? "input" : "output", index));
      });
    });
  }

  const File& file_;
  std::string_view file_name_;
  bool boundaries_;
  json::Writer out_{4};
};

}  // namespace

Result<std::string> scenario_template(const File& file, std::string_view file_name, bool add_boundaries) {
  return Template(file, file_name, add_boundaries).text();
}

}  // namespace slipway::vgf
