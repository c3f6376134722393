// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/reduce/delta.hpp"
#include "cli/reduce/reducer.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"

namespace slipway::cli {
namespace {

// Longer arrays of numbers and strings stay as they are: their lengths follow from sizes.
constexpr std::size_t kMaxScalars = 16;
// Strings with code, or lists of its lines.
constexpr std::string_view kCode = "source";
// Shorter strings have nothing to leave out.
constexpr std::size_t kMinCode = 40;

struct JsonNode {
  json::Type type = json::Type::Null;
  std::string key;   // of a member
  std::string text;  // of a scalar, as in the file
  std::vector<std::unique_ptr<JsonNode>> children;
};
using JsonNodePtr = std::unique_ptr<JsonNode>;

JsonNodePtr tree_of(json::Value value) {
  auto node = std::make_unique<JsonNode>(JsonNode{.type = value.type(), .key = {}, .text = {}, .children = {}});
  if (value.is(json::Type::Object)) {
    for (const json::Value member : value) node->children.emplace_back(tree_of(member))->key = member.key();
  } else if (value.is(json::Type::Array)) {
    for (const json::Value element : value) node->children.push_back(tree_of(element));
  } else {
    node->text = value.text();
  }
  return node;
}

void write(json::Writer& out, const JsonNode& node) {
  if (node.type == json::Type::Object) {
    out.object([&] {
      for (const JsonNodePtr& child : node.children) write(out.key(child->key), *child);
    });
  } else if (node.type == json::Type::Array) {
    out.array([&] {
      for (const JsonNodePtr& child : node.children) write(out, *child);
    });
  } else {
    out.raw(node.text);
  }
}

std::string text_of_tree(const JsonNode& root) {
  json::Writer out;
  write(out, root);
  return out.text();
}

// The value of a string of the tree.
std::string string_of(const JsonNode& node) {
  const auto parsed = json::parse(make_source("string", "[" + node.text + "]"));
  return parsed ? (*parsed)->root()[0].string() : "";
}

JsonNode* member(JsonNode& object, std::string_view key) {
  const auto found = std::ranges::find(object.children, key, &JsonNode::key);
  return found == object.children.end() ? nullptr : found->get();
}

bool is_scalar(const JsonNodePtr& node) { return node->type != json::Type::Object && node->type != json::Type::Array; }

class JsonReducer {
 public:
  JsonReducer(JsonNodePtr root, const std::function<bool(const std::string&)>& fails, const ReduceNotes& notes)
      : root_(std::move(root)), fails_(fails), notes_(notes) {}

  std::string run() {
    std::string text = text_of_tree(*root_);
    for (std::size_t before = 0; before != text.size();) {
      before = text.size();
      leave_out_of("commands");
      leave_out_unused();
      leave_out_of("resources");
      for (std::size_t level = 1; leave_out_level(level); ++level) {
      }
      reduce_code(*root_);
      text = text_of_tree(*root_);
    }
    return text;
  }

 private:
  struct Slot {
    JsonNode* parent = nullptr;
    std::size_t index = 0;
  };

  // Leaves out as many of these children as possible.
  void leave_out(std::string_view pass, const std::vector<Slot>& slots) {
    if (slots.empty()) return;
    std::map<JsonNode*, std::vector<JsonNodePtr>> originals;
    for (const Slot& slot : slots) originals[slot.parent];
    for (auto& [parent, children] : originals) children = std::move(parent->children);
    const auto set = [&](const std::vector<std::size_t>& kept, bool for_good) {
      std::map<JsonNode*, std::vector<bool>> gone;
      for (auto& [parent, children] : originals) gone[parent].resize(children.size());
      for (std::size_t i = 0; i < slots.size(); ++i)
        gone[slots[i].parent][slots[i].index] = !std::ranges::binary_search(kept, i);
      for (auto& [parent, children] : originals) {
        parent->children.clear();
        for (std::size_t i = 0; i < children.size(); ++i) {
          if (!gone[parent][i]) parent->children.push_back(std::move(children[i]));
        }
      }
      if (for_good) return;
      const std::string text = text_of_tree(*root_);
      for (auto& [parent, children] : originals) {
        std::size_t next = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
          if (!gone[parent][i]) children[i] = std::move(parent->children[next++]);
        }
      }
      candidate_ = text;
    };
    const auto kept = minimise(slots.size(), [&](const auto& some) {
      set(some, false);
      return fails_(candidate_);
    });
    set(kept, true);
    if (kept.size() < slots.size()) notes_(pass, size_of_json(text_of_tree(*root_)));
  }

  void leave_out_of(std::string_view key) {
    JsonNode* const list = root_->type == json::Type::Object ? member(*root_, key) : nullptr;
    if (!list || list->type != json::Type::Array) return;
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < list->children.size(); ++i) slots.push_back({list, i});
    leave_out(key, slots);
  }

  // Resources whose uid is the value of nothing else, all at once.
  void leave_out_unused() {
    JsonNode* const list = root_->type == json::Type::Object ? member(*root_, "resources") : nullptr;
    if (!list || list->type != json::Type::Array) return;
    std::map<std::string, std::size_t, std::less<>> uses;
    count_strings(*root_, uses);
    const auto is_used = [&](const JsonNodePtr& resource) {
      JsonNode* const body = resource->children.size() == 1 ? resource->children[0].get() : nullptr;
      JsonNode* const uid = body && body->type == json::Type::Object ? member(*body, "uid") : nullptr;
      return !uid || uses[uid->text] > 1;
    };
    if (std::ranges::all_of(list->children, is_used)) return;
    std::vector<JsonNodePtr> all = std::move(list->children);
    std::vector<JsonNodePtr*> used;
    for (JsonNodePtr& one : all) {
      if (is_used(one)) used.push_back(&one);
    }
    list->children.clear();
    for (JsonNodePtr* one : used) list->children.push_back(std::move(*one));
    if (fails_(text_of_tree(*root_))) return notes_("unused resources", size_of_json(text_of_tree(*root_)));
    for (std::size_t i = 0; i < used.size(); ++i) *used[i] = std::move(list->children[i]);
    list->children = std::move(all);
  }

  static void count_strings(const JsonNode& node, std::map<std::string, std::size_t, std::less<>>& uses) {
    if (node.type == json::Type::String) ++uses[node.text];
    for (const JsonNodePtr& child : node.children) count_strings(*child, uses);
  }

  // Members and elements at this depth. Returns whether there are any.
  bool leave_out_level(std::size_t level) {
    std::vector<Slot> slots;
    collect(*root_, level, slots);
    leave_out(formatted("members of level {}", level), slots);
    return !slots.empty();
  }

  static void collect(JsonNode& node, std::size_t level, std::vector<Slot>& slots) {
    if (node.type == json::Type::Array && node.children.size() > kMaxScalars && node.key != kCode &&
        std::ranges::all_of(node.children, is_scalar))
      return;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      // Without it, what the file of a shader is has to be guessed, with a warning that the failure does not have.
      if (node.key == "shader" && node.children[i]->key == "type") continue;
      if (level == 1)
        slots.push_back({&node, i});
      else
        collect(*node.children[i], level - 1, slots);
    }
  }

  void reduce_code(JsonNode& node) {
    for (const JsonNodePtr& child : node.children) reduce_code(*child);
    if (node.type != json::Type::String || node.key != kCode || node.text.size() < kMinCode) return;
    const std::string code = string_of(node);
    const std::string whole = node.text;
    const auto with = [&](const std::string& changed) {
      node.text = json::quoted(changed);
      return text_of_tree(*root_);
    };
    const std::string smaller = reduce_text(
        code, [&](const std::string& changed) { return fails_(with(changed)); }, [](std::string_view, const auto&) {});
    node.text = whole;
    if (smaller.size() < code.size()) notes_("code", size_of_json(with(smaller)));
  }

  JsonNodePtr root_;
  std::string candidate_;
  const std::function<bool(const std::string&)>& fails_;
  const ReduceNotes& notes_;
};

// Changes the strings that are paths of input files.
void move_paths(JsonNode& node, const Path& from, const std::string& to, bool is_path) {
  if (node.type == json::Type::String && is_path) {
    const std::string path = string_of(node);
    std::error_code error;
    if (path.empty() || Path(path).is_absolute() || !std::filesystem::exists(from / path, error)) return;
    const Path whole = std::filesystem::absolute(from / path, error).lexically_normal();
    const Path target = std::filesystem::absolute(to, error).lexically_normal();
    node.text = json::quoted((to.empty() ? whole : whole.lexically_proximate(target)).string());
    return;
  }
  constexpr std::string_view kPaths[] = {"src", "include_dirs", "modules"};
  for (const JsonNodePtr& child : node.children) {
    const bool in_list = node.type == json::Type::Array && is_path;
    move_paths(*child, from, to, in_list || std::ranges::contains(kPaths, child->key));
  }
}

}  // namespace

std::string reduce_json(const std::string& text, const std::function<bool(const std::string&)>& fails,
                        const ReduceNotes& notes) {
  const auto document = json::parse(make_source("candidate", text));
  return document ? JsonReducer(tree_of((*document)->root()), fails, notes).run() : text;
}

std::string size_of_json(std::string_view text) {
  const auto document = json::parse(make_source("candidate", std::string(text)));
  if (!document) return size_of_text(text);
  const json::Value commands = (*document)->root()["commands"], resources = (*document)->root()["resources"];
  return formatted("{} command{}, {} resource{}, {} bytes", commands.size(), commands.size() == 1 ? "" : "s",
                   resources.size(), resources.size() == 1 ? "" : "s", text.size());
}

std::string move_json(const std::string& text, const std::string& from, const std::string& to) {
  const auto document = json::parse(make_source("candidate", text));
  if (!document) return text;
  const JsonNodePtr root = tree_of((*document)->root());
  move_paths(*root, from.empty() ? Path(".") : Path(from), to, false);
  return text_of_tree(*root);
}

}  // namespace slipway::cli
