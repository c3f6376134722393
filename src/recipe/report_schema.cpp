// The JSON Schema of reports (recipe page 3.7). `report.cpp` writes them; a test holds both together over real runs.
#include "recipe/session.hpp"

namespace slipway::recipe {

std::string report_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "report of recipes",
  "description": "what ran and how long it took: `slipway run FILE --report FILE` of a recipe or a script of jobs, and `report()` of the library",
  "anyOf": [
    { "$ref": "#/$defs/report" },
    {
      "description": "of a script of jobs",
      "type": "object",
      "properties": {
        "jobs": { "description": "by id", "type": "object", "additionalProperties": { "$ref": "#/$defs/report" } },
        "system": { "$ref": "#/$defs/system" }
      },
      "additionalProperties": false,
      "required": [ "jobs" ]
    }
  ],
  "$defs": {
    "report": {
      "type": "object",
      "properties": {
        "xclbin": {
          "description": "of the recipe's header",
          "type": "object",
          "properties": { "uuid": { "$ref": "#/$defs/uuid" } },
          "additionalProperties": false
        },
        "hwctxs_detail": {
          "description": "hardware contexts by name: what their xclbin or configuration ELF calls itself",
          "type": "object",
          "additionalProperties": {
            "type": "object",
            "properties": { "uuid": { "$ref": "#/$defs/uuid" }, "elf_uid": { "$ref": "#/$defs/uuid" } },
            "additionalProperties": false
          }
        },
        "execution": { "description": "of a profile with `execution`, or of none", "allOf": [ { "$ref": "#/$defs/execution" } ] },
        "executions": { "description": "of a profile with `executions`", "type": "array", "items": { "$ref": "#/$defs/execution" } },
        "resources": {
          "type": "object",
          "properties": {
            "buffers": { "$ref": "#/$defs/count" },
            "hwctxs": { "$ref": "#/$defs/count" },
            "kernels": { "$ref": "#/$defs/count" },
            "cpus": { "$ref": "#/$defs/count" },
            "runs": { "$ref": "#/$defs/count" },
            "total_buffer_size": { "description": "bytes of buffers that the runner made", "type": "integer", "minimum": 0 },
            "runlists": {
              "type": "array",
              "items": {
                "type": "object",
                "properties": {
                  "kind": { "$ref": "#/$defs/backend" },
                  "runs": { "$ref": "#/$defs/count" },
                  "chained": { "description": "given to the device as one object", "type": "boolean" }
                },
                "additionalProperties": false,
                "required": [ "kind", "runs", "chained" ]
              }
            },
            "runlist_threshold": { "$ref": "#/$defs/count" }
          },
          "additionalProperties": false,
          "required": [ "buffers", "hwctxs", "kernels", "runs", "total_buffer_size" ]
        },
        "runs": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "index": { "$ref": "#/$defs/count" },
              "id": { "type": "string" },
              "kernel": { "description": "the kernel or CPU function", "type": "string" },
              "where": { "enum": [ "cpu", "npu" ] },
              "backend": { "$ref": "#/$defs/backend" },
              "status": { "description": "of the last execution", "enum": [ "ok", "failed", "skipped" ] },
              "count": { "description": "completed runs, of all copies", "type": "integer", "minimum": 0 },
              "total_us": { "description": "null where nothing is measured", "type": [ "number", "null" ] },
              "mean_us": { "type": [ "number", "null" ] }
            },
            "additionalProperties": false,
            "required": [ "index", "id", "kernel", "where", "backend", "status", "count", "total_us", "mean_us" ]
          }
        },
        "backends": {
          "type": "object",
          "additionalProperties": {
            "type": "object",
            "properties": { "device": { "type": "string" }, "driver": { "type": "string" } },
            "required": [ "device", "driver" ]
          }
        },
        "validation": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "buffer": { "type": "string" },
              "ok": { "type": "boolean" },
              "mismatches": { "type": "integer", "minimum": 0 },
              "first": { "description": "index of the first mismatch, in bytes or elements", "type": [ "integer", "null" ] }
            },
            "additionalProperties": false,
            "required": [ "buffer", "ok", "mismatches", "first" ]
          }
        },
        "error": {
          "description": "the first thing that went wrong",
          "type": "object",
          "properties": { "kind": { "type": "string" }, "message": { "type": "string" }, "pointer": { "type": "string" } },
          "additionalProperties": false,
          "required": [ "kind", "message" ]
        },
        "slipway": {
          "type": "object",
          "properties": { "version": { "type": "string" }, "report_schema": { "const": 1 } },
          "required": [ "version", "report_schema" ]
        },
        "system": { "$ref": "#/$defs/system" }
      },
      "additionalProperties": false,
      "required": [ "slipway" ]
    },
    "system": {
      "description": "of the process: seconds, and MiB of its largest resident set",
      "type": "object",
      "properties": {
        "real": { "type": "number" },
        "user": { "type": "number" },
        "kernel": { "type": "number" },
        "peak_memory_mb": { "type": "number" }
      },
      "additionalProperties": false,
      "required": [ "real", "user", "kernel", "peak_memory_mb" ]
    },
    "uuid": { "type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" },
    "count": { "type": "integer", "minimum": 0 },
    "backend": { "enum": [ "cpu", "vulkan", "opencl", "xrt" ] },
    "execution": {
      "type": "object",
      "properties": {
        "cpu": {
          "type": "object",
          "properties": {
            "elapsed": { "description": "us", "type": "integer", "minimum": 0 },
            "latency": { "description": "us", "type": "integer", "minimum": 0 },
            "throughput": { "description": "operations a second", "type": "integer", "minimum": 0 }
          },
          "additionalProperties": false,
          "required": [ "elapsed" ]
        },
        "depth": { "type": "integer", "minimum": 1 },
        "iterations": { "type": "integer", "minimum": 1 },
        "mode": { "enum": [ "default", "latency", "throughput", "validate" ] },
        "name": { "type": "string" },
        "poll": { "type": "boolean" },
        "samples": {
          "type": "object",
          "properties": {
            "unit": { "const": "us" },
            "count": { "type": "integer", "minimum": 0 },
            "min": { "type": "number" },
            "mean": { "type": "number" },
            "stddev": { "type": "number" },
            "p50": { "type": "number" },
            "p90": { "type": "number" },
            "p95": { "type": "number" },
            "p99": { "type": "number" },
            "max": { "type": "number" }
          },
          "additionalProperties": false,
          "required": [ "unit", "count", "min", "mean", "stddev", "p50", "p90", "p95", "p99", "max" ]
        }
      },
      "additionalProperties": false,
      "required": [ "cpu", "iterations", "name", "samples" ]
    }
  }
}
)json";
}

}  // namespace slipway::recipe
