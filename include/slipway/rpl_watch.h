// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Live editing: an application that draws with the pipelines of a pack gets those that changed, while it runs. `slipway serve`
 * compiles what a saved file touches and replaces the pack, or sends packs over a socket. C99, in the library rpl_runtime.
 *
 *   rpl_watch* watch = rpl_watch_open("game.rplpack");
 *   rpl_watched brick = {.program = "forward/brick", .user = &material};
 *   rpl_watch_add(watch, &brick);
 *   for each frame:
 *     rpl_watched* changed;
 *     while ((changed = rpl_watch_next(watch)) != NULL) make_pipeline(changed->user, changed->pipeline);
 *
 * Each change is reported once. A pipeline that a new pack lacks, or that a damaged pack would have, stays what it was, and the same
 * file is not tried twice. The memory is that of malloc. One thread uses a watch; the pipelines are read by any.
 */
#ifndef SLIPWAY_RPL_WATCH_H
#define SLIPWAY_RPL_WATCH_H

#include "slipway/rpl_pack.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rpl_watch rpl_watch;

/* A pipeline that an application uses, in memory of the application. It is zero but for what the application sets. */
typedef struct rpl_watched {
  /* Of the application, and unchanged while it is watched. */
  const char* program;             /* as rpl_pack_find_program takes it */
  const rpl_option_value* options; /* others have their defaults */
  size_t option_count;
  void* user;
  /* Of the library. */
  const rpl_pipeline* pipeline; /* of the newest pack that has it; NULL: none had it */
  const rpl_pipeline* previous; /* the one before, until the next call of rpl_watch_next */
  rpl_status status;            /* of the newest pack: what rpl_pack_find_program, rpl_pack_find_variant or rpl_pack_pipeline returned;
                                 * RPL_LACKS before there is a pack */
  void* internal;
  struct rpl_watched* next;
} rpl_watched;

/* `path`: a pack, or the socket of `slipway serve --socket`. It need not exist yet. NULL: there is no memory, or the system lacks
 * what this needs. */
RPL_API rpl_watch* rpl_watch_open(const char* path);
/* Removes all pipelines. */
RPL_API void rpl_watch_close(rpl_watch* watch);

/* The next call of rpl_watch_next reports it, once there is a pack that has it. */
RPL_API void rpl_watch_add(rpl_watch* watch, rpl_watched* watched);
/* Releases its structures. */
RPL_API void rpl_watch_remove(rpl_watch* watch, rpl_watched* watched);

/* A pipeline that is another one than when it was last reported; NULL: nothing has changed. It asks for the state of the file alone while
 * that does not change, so it may be called for each frame. It never waits. */
RPL_API rpl_watched* rpl_watch_next(rpl_watch* watch);
/* RPL_OK: the newest pack is in use. RPL_LACKS: no pack was read yet. RPL_BAD_INPUT: it is damaged, and the one before is in use.
 * RPL_FAILED: it cannot be read. */
RPL_API rpl_status rpl_watch_status(const rpl_watch* watch);
/* The pack in use, until the next call of rpl_watch_next; NULL: none yet. */
RPL_API const rpl_pack* rpl_watch_pack(const rpl_watch* watch);

#ifdef __cplusplus
}
#endif
#endif
