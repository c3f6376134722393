// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a plan without a device: one that consists of functions of the host and copies between buffers, as those of
// models that the CPU engine runs.
#pragma once

#include "launch/execute/run.hpp"

namespace slipway::launch {

// Empty, or why the plan needs a device: "the step `blur` is a shader".
std::string why_not_on_host(const Plan& plan);

// As launch::run (run.hpp); `device` is what reports call it. The plan must be one that runs on the host. Options of
// pipelines do not count. A time-out ends the run at the next part of a function.
Result<Report> run_on_host(const Plan& plan, const std::string& device, RunOptions options, const Log& log);

}  // namespace slipway::launch
