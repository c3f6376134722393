// Variants that differ in settings only. `conditional (wireframe) setting polygon_mode = "wireframe";` and the like
// make many of the variants of a pipeline, and such options reach neither its interface nor its code. So when every
// option that changed since the last resolve was read by settings alone, only these are resolved again. Nothing is kept
// of a resolve that had something to say, as it would have to be said again.
#include "rpl/resolve/context.hpp"

namespace slipway::rpl {

// Whether declarations and code come out as they are in `out`.
bool Resolver::State::keeps_code(std::span<const EntryPointName> entry_points) const {
  // Sources do not change, so the same ones in the same modules are the same program.
  const auto same_source = [](const ProgramSource& a, const ProgramSource& b) {
    return a.text == b.text && a.module == b.module;
  };
  if (!last.valid || !std::ranges::equal(last.sources, program->sources, same_source) || last.settings != *settings ||
      !std::ranges::equal(last.entry_points, entry_points)) {
    return false;
  }
  for (OptionId id = 0; id < program->options.size(); ++id) {
    if ((reading_parts[id] & ~(1u << SettingReads)) != 0 && value_in_force(id) != out.options[id]) return false;
  }
  return true;
}

// False where the settings have something to report.
bool Resolver::State::resolve_settings_again() {
  out.program = program;
  for (OptionId id = 0; id < program->options.size(); ++id) {
    out.options[id] = value_in_force(id);
    reading_parts[id] &= static_cast<std::uint8_t>(~(1u << SettingReads));
  }
  reads[SettingReads].clear();
  for (const ItemId id : program->settings) {
    activity[id] = Activity::Unknown;
    item_consulted[id].clear();
  }
  out.consulted.settings.clear();
  read_part = SettingReads;
  resolve_settings();
  record_settings();
  list_read_order();
  return diagnostics->empty();
}

void Resolver::State::remember(std::span<const EntryPointName> entry_points, bool clean) {
  // The size of a workgroup is part of the code, and a check of what is unused leaves traces.
  last.valid = clean && settings->pipeline == PipelineKind::Graphics && !settings->check_unused;
  if (!last.valid) return;
  last.sources = program->sources;  // held, so that no other source can come to stand at the same address
  last.entry_points.assign(entry_points.begin(), entry_points.end());
  last.settings = *settings;
}

}  // namespace slipway::rpl
