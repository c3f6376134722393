// Submits the steps of a plan and waits for them, iteration by iteration (scenario page 3.8, 3.15).
#pragma once

#include "gpu/device.hpp"
#include "launch/record.hpp"
#include "launch/report.hpp"
#include "launch/run.hpp"

namespace slipway::launch {

// Adds counters and, when `options` asks for them, the times of the commands to the report. On a dry run everything is
// recorded once and nothing submitted. Errors: timed-out, after which the device is lost.
Result<> execute(const Plan& plan, const gpu::Device& device, const Resources& resources, const Pipelines& pipelines,
                 const StepBindings& bindings, const RunOptions& options, const Log& log, Report& report);

}  // namespace slipway::launch
