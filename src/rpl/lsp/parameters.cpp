// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/lsp/parameters.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "rpl/lsp/params.hpp"

namespace slipway::rpl::lsp {

std::expected<SourceView, RequestError> Parameters::view_of(json::Value params) const {
  const std::string uri = string_of(member_of(params, "textDocument"), "uri");
  if (!workspace.text_of(uri)) {
    return std::unexpected(RequestError{kInvalidParams, formatted("no document `{}` is open", uri)});
  }
  const std::vector<SourceView> views = workspace.views(uri);
  if (!views.empty()) return views.front();
  return std::unexpected(RequestError{kNoProgram, ""});
}

std::expected<std::uint64_t, RequestError> Parameters::offset_in(const Source& source, json::Value position) const {
  const json::Value line = member_of(position, "line"), character = member_of(position, "character");
  if (line.is(json::Type::Number) && character.is(json::Type::Number) && line.unsigned_integer() &&
      character.unsigned_integer()) {
    const auto limited = [](std::uint64_t number) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xFFFFFFF0));
    };
    return offset_of(source, {limited(*line.unsigned_integer()), limited(*character.unsigned_integer())}, encoding);
  }
  return std::unexpected(
      RequestError{kInvalidParams, "a position needs a `line` and a `character`, which count from 0"});
}

std::expected<Parameters::At, RequestError> Parameters::position(json::Value params) const {
  auto view = view_of(params);
  if (!view) return std::unexpected(view.error());
  const auto offset = offset_in(*view->source->text, member_of(params, "position"));
  if (!offset) return std::unexpected(offset.error());
  const auto at = view->source->base + *offset;
  return At{*std::move(view), at};
}

std::expected<Range, RequestError> Parameters::range(const SourceView& view, json::Value range) const {
  const auto begin = offset_in(*view.source->text, member_of(range, "start"));
  const auto end = offset_in(*view.source->text, member_of(range, "end"));
  if (!begin) return std::unexpected(begin.error());
  if (!end) return std::unexpected(end.error());
  return Range{view.source->base + static_cast<std::uint32_t>(*begin),
               view.source->base + static_cast<std::uint32_t>(*end)};
}

std::string written(const std::function<void(json::Writer&)>& write) {
  json::Writer out(json::kCompact);
  write(out);
  return out.text();
}

}  // namespace slipway::rpl::lsp
