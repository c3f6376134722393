// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/bodies/body_cache.hpp"

namespace slipway::rpl {

void BodyCache::store(std::uint32_t function) {
  if (!active_) return;
  const FunctionState& state = functions_[function];
  Body& made = tables_.bodies[state.body];
  made.signature = state.consulted;
  made.signature_lookups = state.lookups;
  const std::size_t first_relocation = relocations_.size();
  for (std::uint32_t i = made.lvalues.first; i < made.lvalues.first + made.lvalues.count; ++i) {
    const LValue& lvalue = out_.lvalues[i];
    switch (lvalue.root) {
      case LValueRoot::Local:
      case LValueRoot::Argument:
        break;
      case LValueRoot::Buffer:
        relocations_.push_back({i, out_.buffers[lvalue.index].item});
        break;
      case LValueRoot::Sampler:
        relocations_.push_back({i, out_.samplers[lvalue.index].item});
        break;
      case LValueRoot::Image:
        relocations_.push_back({i, out_.images[lvalue.index].item});
        break;
      default:
        relocations_.push_back({i, out_.container_fields[lvalue.index].field});
    }
  }
  made.relocations = list_from(first_relocation, relocations_);
  versions_.add(tables_.bodies, state.body, made.item);
}

void BodyCache::reuse_signature(FunctionState& state) {
  const Body& stored = tables_.bodies[state.body];
  functions_.repeat(stored.signature_lookups);
  state.result = stored.result;
  state.arguments = stored.arguments;
  state.consulted = stored.signature;
}

void BodyCache::reuse_body(std::uint32_t function) {
  const Body& stored = tables_.bodies[functions_[function].body];
  functions_.repeat(stored.lookups);
  for (const Relocation& relocation : part(relocations_, stored.relocations)) {
    LValue& lvalue = out_.lvalues[relocation.lvalue];
    const bool declared =
        lvalue.root == LValueRoot::Buffer || lvalue.root == LValueRoot::Sampler || lvalue.root == LValueRoot::Image;
    lvalue.index = declared ? declarations_.index_of(relocation.root) : declarations_.field_index(relocation.root);
  }
  for (CallEdge& edge : part(tables_.edges, stored.edges)) {
    edge.caller = function;
    edge.callee = functions_.index_of(edge.item);
    if (edge.code != kNoRef) out_.code[edge.code].a = edge.callee;
  }
}

void CachedBodies::resolve(std::uint32_t function) {
  const ReadScope scope(log_, log_.unrecorded, functions_[function].item);
  if (functions_[function].body != kNone) {
    cache_.reuse_body(function);
  } else {
    const LookupWindow window = log_.open_window();
    bodies_.resolve(function);
    FunctionState& state = functions_[function];
    tables_.bodies[state.body].lookups = log_.close_window(window);
    if (state.clean && log_.is_clean(window)) cache_.store(function);
  }
  FunctionState& state = functions_[function];
  const Body& made = tables_.bodies[state.body];
  Function& result = context_.out.functions[function];
  result.locals = made.locals;
  result.code = made.code;
  result.lvalues = made.lvalues;
  state.consulted.merge(made.consulted);
}

}  // namespace slipway::rpl
