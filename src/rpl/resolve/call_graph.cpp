// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/call_graph.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace slipway::rpl {

namespace {

std::string_view describe(StageUse kind) {
  switch (kind) {
    case StageUse::Attribute:
      return "attributes can be read in the vertex stage only";
    case StageUse::StateRead:
      return "state can be read in the fragment stage only";
    case StageUse::StateWrite:
      return "state can be written in the vertex stage only";
    case StageUse::ColorWrite:
      return "color outputs can be written in the fragment stage only";
    case StageUse::BufferWrite:
      return "buffers can be written in the compute stage only";
    case StageUse::Workgroup:
      return "workgroup buffers exist in the compute stage only";
    case StageUse::Builtin:
      return "this function does not exist in this stage";
  }
  return "";
}

}  // namespace

// Depth first with an explicit stack, because call chains may be long.
void CallGraph::check_recursion() {
  marks_.assign(functions_.size(), Mark::New);
  auto& stack = call_stack_;
  stack.clear();
  for (std::uint32_t root = 0; root < functions_.size(); ++root) {
    if (marks_[root] != Mark::New || body_of(root).edges.count == 0) continue;
    marks_[root] = Mark::Open;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      const List calls = body_of(at).edges;
      if (next == calls.count) {
        marks_[at] = Mark::Done;
        stack.pop_back();
        continue;
      }
      const CallEdge& edge = tables_.edges[calls.first + next++];
      if (marks_[edge.callee] == Mark::New) {
        marks_[edge.callee] = Mark::Open;
        stack.emplace_back(edge.callee, 0);
        continue;
      }
      if (marks_[edge.callee] != Mark::Open) continue;
      const auto from = std::ranges::find(stack, edge.callee, &std::pair<std::uint32_t, std::uint32_t>::first);
      std::string cycle;
      for (auto link = from; link != stack.end() && link - from < 16; ++link)
        cycle += formatted("`{}` -> ", functions_.name(link->first));
      if (stack.end() - from > 16) cycle += "... -> ";
      context_.error(DiagnosticKind::RplRecursion, edge.at,
                     formatted("functions cannot call themselves: {}`{}`", cycle, functions_.name(edge.callee)));
    }
  }
}

// --- stages --------------------------------------------------------------------------------------------------------

void CallGraph::reach(const EntryPoint& entry) {
  const StageMask bit = mask_of(entry.stage);
  parents_.assign(functions_.size(), kNone);
  std::vector<std::uint32_t>& order = reached_;
  order.clear();
  order.push_back(entry.function);
  functions_[entry.function].stages |= bit;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const List calls = body_of(order[i]).edges;
    for (std::uint32_t e = calls.first; e < calls.first + calls.count; ++e) {
      const CallEdge& edge = tables_.edges[e];
      if (edge.dead || (functions_[edge.callee].stages & bit) != 0) continue;
      functions_[edge.callee].stages |= bit;
      parents_[edge.callee] = e;
      order.push_back(edge.callee);
    }
  }
  for (const std::uint32_t index : order) {
    if ((body_of(index).allowed & bit) == 0) check_stage(entry.stage, index);
  }
}

void CallGraph::check_stage(Stage stage, std::uint32_t index) {
  const Body& state = body_of(index);
  for (std::uint32_t i = 0; i < kStageUseCount; ++i) {
    const auto kind = static_cast<StageUse>(i);
    if ((state.stage_use_stages[i] & mask_of(stage)) != 0) continue;
    const bool direct = parents_[index] == kNone;
    DiagnosticKind code = DiagnosticKind::RplStage;
    if (direct && kind == StageUse::StateRead) code = DiagnosticKind::RplNotReadable;
    if (direct && (kind == StageUse::StateWrite || kind == StageUse::BufferWrite || kind == StageUse::ColorWrite)) {
      code = DiagnosticKind::RplNotWritable;
    }
    std::string what(describe(kind));
    if (kind == StageUse::Builtin) {
      const SourceLocation call = context_.location(state.stage_uses[i]);
      const std::string_view written = call.source->text(call.span);
      what = formatted("`{}` is not a function of this stage", written.substr(0, written.find_first_of(" \t\r\n(/")));
    }
    Diagnostic& problem =
        context_.error(code, state.stage_uses[i],
                       formatted("{}, and `{}` is used in the {} stage", what,
                                 context_.text(context_.program->items[state.item].name), name_of(stage)));
    std::uint32_t at = index;
    for (std::uint32_t steps = 0; steps < 8 && parents_[at] != kNone; ++steps) {
      const CallEdge& edge = tables_.edges[parents_[at]];
      problem.note(formatted("`{}` is called by `{}`", context_.text(context_.program->items[functions_[at].item].name),
                             context_.text(context_.program->items[functions_[edge.caller].item].name)),
                   context_.location(edge.at));
      at = edge.caller;
    }
  }
}

void CallGraph::record_stages() {
  for (const EntryPoint& entry : out_.entry_points) {
    reach(entry);
    Consulted& consulted = out_.consulted.stages[static_cast<std::size_t>(entry.stage)];
    std::uint32_t used = 0;
    for (const std::uint32_t index : reached_) {
      consulted.merge(functions_[index].consulted);
      used |= body_of(index).groups;
    }
    for (std::uint32_t group = 0; group < kGroupCount; ++group) {
      if ((used >> group & 1) != 0) consulted.merge(declarations_.consulted(static_cast<Group>(group)));
    }
    // The size of the workgroup is part of the code.
    if (entry.stage == Stage::Compute) consulted.merge(out_.consulted.settings);
  }
  for (const Group group :
       {Group::Attributes, Group::Pass, Group::Material, Group::Object, Group::Shared, Group::PushConstant}) {
    out_.consulted.interface.merge(declarations_.consulted(group));
  }
}

// --- fields that nothing writes ------------------------------------------------------------------------------------

void CallGraph::check_unwritten() {
  const EntryPoint* vertex = nullptr;
  const EntryPoint* fragment = nullptr;
  for (const EntryPoint& entry : out_.entry_points) {
    if (entry.stage == Stage::Vertex) vertex = &entry;
    if (entry.stage == Stage::Fragment) fragment = &entry;
  }
  if (!vertex && !fragment) return;
  first_reads_.assign(out_.container_fields.size(), {});
  written_fields_.assign(out_.container_fields.size(), false);
  bool position = false;
  for (std::uint32_t function = 0; function < functions_.size(); ++function) {
    if (functions_[function].stages == 0) continue;
    for (const FieldUse& use : part(tables_.uses, body_of(function).uses)) {
      if (use.field == kNone) {
        position = true;
      } else if (use.write) {
        written_fields_[declarations_.field_index(use.field)] = true;
      } else if (first_reads_[declarations_.field_index(use.field)].end == 0) {
        first_reads_[declarations_.field_index(use.field)] = use.at;
      }
    }
  }
  if (vertex && !position) {
    context_
        .warning(DiagnosticKind::RplPositionUnwritten,
                 context_.program->items[functions_[vertex->function].item].name_range,
                 "the vertex stage never writes its position")
        .hint("call `vertex_stage_output_position`");
  }
  for (std::uint32_t i = 0; i < out_.container_fields.size(); ++i) {
    const ContainerField& field = out_.container_fields[i];
    const ItemKind kind = out_.containers[field.container].kind;
    if (kind == ItemKind::StateContainer && vertex && fragment && first_reads_[i].end != 0 && !written_fields_[i]) {
      out_.unwritten_state.push_back(i);
      context_
          .warning(DiagnosticKind::RplStateUnwritten, first_reads_[i],
                   formatted("`{}` is read here, but the vertex stage never writes it", context_.text(field.name)))
          .hint("it is zero");
    }
    if (kind == ItemKind::ColorContainer && fragment && !written_fields_[i]) {
      context_.warning(DiagnosticKind::RplOutputUnwritten, context_.program->fields[field.field].name_range,
                       formatted("the fragment stage never writes the color output `{}`", context_.text(field.name)));
    }
  }
}

// --- unused functions ----------------------------------------------------------------------------------------------

void CallGraph::drop_unreached() {
  new_indices_.assign(functions_.size(), kNone);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].stages == 0) continue;
    out_.functions[i].stages = functions_[i].stages;
    new_indices_[i] = kept;
    if (kept != i) out_.functions[kept] = out_.functions[i];
    ++kept;
  }
  if (kept == functions_.size()) return;
  out_.functions.resize(kept);
  for (std::uint32_t i = 0; i < functions_.size(); ++i) {
    if (functions_[i].stages == 0) continue;
    for (const CallEdge& edge : part(tables_.edges, body_of(i).edges)) {
      if (edge.code != kNoRef) out_.code[edge.code].a = new_indices_[edge.callee];
    }
  }
  for (EntryPoint& entry : out_.entry_points) entry.function = new_indices_[entry.function];
}

}  // namespace slipway::rpl
