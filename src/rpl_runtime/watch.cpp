// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of slipway/rpl_watch.h: packs that are replaced, as files or over a socket. A pipeline keeps the pack
// alive that it was made of, so one that does not change stays where it is.
#include "slipway/rpl_watch.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "rpl_runtime/pack_format.hpp"

#ifndef _WIN32
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

namespace slipway::rpl_runtime {
namespace {

// Of a file that was read; another one has other contents.
struct Stamp {
  dev_t device;
  ino_t file;
  off_t size;
  timespec modified, changed;
};
bool equal(const Stamp& a, const Stamp& b) {
  return a.device == b.device && a.file == b.file && a.size == b.size && a.modified.tv_sec == b.modified.tv_sec &&
         a.modified.tv_nsec == b.modified.tv_nsec && a.changed.tv_sec == b.changed.tv_sec &&
         a.changed.tv_nsec == b.changed.tv_nsec;
}
Stamp stamp_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, status.st_size, status.st_mtim, status.st_ctim};
}

// A pack in memory, with its count of owners: the watch and the pipelines that were made of it.
struct SharedPack {
  rpl_pack pack;
  unsigned owners;
  void* bytes;
};
void release(SharedPack* shared) {
  if (!shared || --shared->owners != 0) return;
  free(shared->bytes);
  free(shared);
}

// The structures of a pipeline.
struct MadePipeline {
  SharedPack* pack;
  const rpl_pipeline* pipeline;
};
void release(MadePipeline* made) {
  if (!made) return;
  release(made->pack);
  free(made);
}

constexpr std::uint64_t kMaxPackBytes = 0xFFFFFFFF;

}  // namespace
}  // namespace slipway::rpl_runtime

using namespace slipway::rpl_runtime;

struct rpl_watch {
  char* path;
  SharedPack* current;
  rpl_watched* first;
  rpl_watched* reported;  // its previous pipeline is kept until the next call
  MadePipeline* previous;
  rpl_watched* next;  // to be compared with the current pack; those before it were
  rpl_status status;
  Stamp stamp;  // of the file at the last attempt to read it
  bool has_stamp;
  // Of a connection: what has arrived of the next pack.
  int connection;              // -1: none
  unsigned bad_count;          // consecutive packs that could not be used
  std::uint64_t connect_time;  // milliseconds: not before it
  char* received;
  std::size_t received_size, needed_size;
};

namespace slipway::rpl_runtime {
namespace {

// Takes over the bytes. Returns whether they are a pack.
bool use_bytes(rpl_watch& watch, void* bytes, std::size_t size) {
  auto* const shared = static_cast<SharedPack*>(malloc(sizeof(SharedPack)));
  watch.status = shared ? rpl_pack_open(bytes, size, &shared->pack) : RPL_FAILED;
  if (watch.status != RPL_OK) {
    free(bytes);
    free(shared);
    return false;
  }
  shared->owners = 1;
  shared->bytes = bytes;
  release(watch.current);
  watch.current = shared;
  watch.next = watch.first;
  return true;
}

// --- files -----------------------------------------------------------------------------------------------------------

bool read_all(int file, char* to, std::size_t size) {
  while (size != 0) {
    const ssize_t got = ::read(file, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void read_file(rpl_watch& watch) {
  const int file = ::open(watch.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe would wait for its writer
  struct stat status;
  // What was read is what the stamp is of, also if the file is replaced now.
  if (file < 0 || ::fstat(file, &status) != 0) {
    watch.status = RPL_FAILED;
    if (file >= 0) ::close(file);
    return;
  }
  watch.stamp = stamp_of(status);
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool fits = static_cast<std::uint64_t>(status.st_size) <= kMaxPackBytes;
  auto* const bytes = fits ? static_cast<char*>(malloc(size == 0 ? 1 : size)) : nullptr;
  if (bytes && read_all(file, bytes, size)) {
    use_bytes(watch, bytes, size);
  } else {
    watch.status = RPL_FAILED;
    free(bytes);
  }
  ::close(file);
}

// --- connections -----------------------------------------------------------------------------------------------------

void disconnect(rpl_watch& watch) {
  if (watch.connection >= 0) ::close(watch.connection);
  free(watch.received);
  watch.connection = -1;
  watch.received = nullptr;
  watch.received_size = watch.needed_size = 0;
}

std::uint64_t milliseconds() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

// What follows a pack that cannot be used may begin anywhere. A new connection gets the newest pack again: at once for
// the first time, and then less and less often, because it may be the same.
void disconnect_from_bad(rpl_watch& watch) {
  constexpr unsigned kMaxShift = 6;
  disconnect(watch);
  const unsigned count = watch.bad_count++;
  watch.connect_time = count == 0 ? 0 : milliseconds() + (std::uint64_t{50} << (count < kMaxShift ? count : kMaxShift));
}

bool connect_to(rpl_watch& watch) {
  if (watch.connect_time != 0 && milliseconds() < watch.connect_time) return false;
  sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  if (strlen(watch.path) >= sizeof address.sun_path) return false;
  strcpy(address.sun_path, watch.path);
  watch.connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (watch.connection < 0) return false;
  if (::connect(watch.connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
  disconnect(watch);
  return false;
}

// Packs follow one another; each states its size. False: nothing has arrived.
bool receive(rpl_watch& watch) {
  for (;;) {
    if (!watch.received) {
      watch.needed_size = sizeof(PackHeader);
      watch.received = static_cast<char*>(malloc(sizeof(PackHeader)));
      if (!watch.received) return false;
    }
    const ssize_t got =
        ::recv(watch.connection, watch.received + watch.received_size, watch.needed_size - watch.received_size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (got <= 0) {
      disconnect(watch);
      return false;
    }
    watch.received_size += static_cast<std::size_t>(got);
    if (watch.received_size < watch.needed_size) continue;
    if (watch.needed_size == sizeof(PackHeader)) {
      PackHeader header;
      memcpy(&header, watch.received, sizeof header);
      const std::uint64_t bytes = std::uint64_t{header.word_count} * sizeof(std::uint32_t);
      const bool is_pack =
          memcmp(header.magic, kPackMagic, sizeof kPackMagic) == 0 && bytes > sizeof header && bytes <= kMaxPackBytes;
      const auto size = static_cast<std::size_t>(bytes);
      auto* const whole = is_pack ? static_cast<char*>(realloc(watch.received, size)) : nullptr;
      if (!whole) {
        watch.status = is_pack ? RPL_FAILED : RPL_BAD_INPUT;
        disconnect_from_bad(watch);
        return false;
      }
      watch.received = whole;
      watch.needed_size = size;
      continue;
    }
    char* const bytes = watch.received;
    watch.received = nullptr;
    watch.received_size = 0;
    if (!use_bytes(watch, bytes, watch.needed_size)) {
      disconnect_from_bad(watch);
      return false;
    }
    watch.bad_count = 0;
    return true;
  }
}

// Looks for another pack.
void poll(rpl_watch& watch) {
  if (watch.connection >= 0) {
    while (receive(watch)) {
    }
    return;
  }
  struct stat status;
  if (::stat(watch.path, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) {
    if (connect_to(watch)) poll(watch);
    return;
  }
  if (watch.has_stamp && equal(watch.stamp, stamp_of(status))) return;
  watch.has_stamp = true;
  watch.stamp = stamp_of(status);
  read_file(watch);
}

// --- pipelines -------------------------------------------------------------------------------------------------------

bool equal(rpl_text a, rpl_text b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

MadePipeline* make_pipeline(SharedPack& shared, const rpl_watched& watched, rpl_status& status) {
  std::uint32_t program = 0, variant = 0;
  status = rpl_pack_find_program(&shared.pack, watched.program, &program);
  if (status == RPL_OK) {
    status = rpl_pack_find_variant(&shared.pack, program, watched.options, watched.option_count, &variant);
  }
  if (status != RPL_OK) return nullptr;
  constexpr std::size_t kAlignment = alignof(max_align_t);
  constexpr std::size_t kOwn = (sizeof(MadePipeline) + kAlignment - 1) / kAlignment * kAlignment;
  const std::size_t size = rpl_pack_pipeline_size(&shared.pack, program, variant);
  auto* const made = static_cast<MadePipeline*>(malloc(kOwn + size));
  const rpl_pipeline* pipeline = nullptr;
  status =
      made ? rpl_pack_pipeline(&shared.pack, program, variant, reinterpret_cast<char*>(made) + kOwn, size, &pipeline)
           : RPL_FAILED;
  if (status != RPL_OK) {
    free(made);
    return nullptr;
  }
  *made = {&shared, pipeline};
  ++shared.owners;
  return made;
}

// Whether the pipeline is another one in the current pack.
bool update(rpl_watch& watch, rpl_watched& watched) {
  MadePipeline* const made = make_pipeline(*watch.current, watched, watched.status);
  if (!made) return false;
  if (watched.pipeline && equal(watched.pipeline->metadata.hashes.pipeline, made->pipeline->metadata.hashes.pipeline)) {
    release(made);
    return false;
  }
  watch.reported = &watched;
  watch.previous = static_cast<MadePipeline*>(watched.internal);
  watched.previous = watched.pipeline;
  watched.pipeline = made->pipeline;
  watched.internal = made;
  return true;
}

void forget_previous(rpl_watch& watch) {
  release(watch.previous);
  watch.previous = nullptr;
  if (watch.reported) watch.reported->previous = nullptr;
  watch.reported = nullptr;
}

}  // namespace
}  // namespace slipway::rpl_runtime

rpl_watch* rpl_watch_open(const char* path) {
  if (!path) return nullptr;
  auto* const watch = static_cast<rpl_watch*>(calloc(1, sizeof(rpl_watch)));
  const std::size_t size = strlen(path) + 1;
  auto* const copy = static_cast<char*>(malloc(size));
  if (!watch || !copy) {
    free(watch);
    free(copy);
    return nullptr;
  }
  memcpy(copy, path, size);
  watch->path = copy;
  watch->connection = -1;
  watch->status = RPL_LACKS;
  return watch;
}

void rpl_watch_close(rpl_watch* watch) {
  if (!watch) return;
  while (watch->first) rpl_watch_remove(watch, watch->first);
  disconnect(*watch);
  release(watch->current);
  free(watch->path);
  free(watch);
}

void rpl_watch_add(rpl_watch* watch, rpl_watched* watched) {
  if (!watch || !watched || !watched->program) return;
  // The ones that are still to be compared are a part of the list from its beginning or from `next`: this one is in
  // both.
  watched->pipeline = watched->previous = nullptr;
  watched->internal = nullptr;
  watched->status = RPL_LACKS;
  watched->next = nullptr;
  rpl_watched** last = &watch->first;
  while (*last) last = &(*last)->next;
  *last = watched;
  if (!watch->next) watch->next = watched;
}

void rpl_watch_remove(rpl_watch* watch, rpl_watched* watched) {
  if (!watch || !watched) return;
  rpl_watched** at = &watch->first;
  while (*at && *at != watched) at = &(*at)->next;
  if (!*at) return;
  *at = watched->next;
  if (watch->next == watched) watch->next = watched->next;
  if (watch->reported == watched) forget_previous(*watch);
  release(static_cast<MadePipeline*>(watched->internal));
  watched->pipeline = nullptr;
  watched->internal = nullptr;
  watched->next = nullptr;
}

rpl_watched* rpl_watch_next(rpl_watch* watch) {
  if (!watch) return nullptr;
  forget_previous(*watch);
  if (!watch->next || !watch->current) poll(*watch);
  if (!watch->current) return nullptr;
  while (watch->next) {
    rpl_watched& watched = *watch->next;
    watch->next = watched.next;
    if (update(*watch, watched)) return &watched;
  }
  return nullptr;
}

rpl_status rpl_watch_status(const rpl_watch* watch) { return watch ? watch->status : RPL_WRONG_CALL; }

const rpl_pack* rpl_watch_pack(const rpl_watch* watch) {
  return watch && watch->current ? &watch->current->pack : nullptr;
}

#else

rpl_watch* rpl_watch_open(const char*) { return nullptr; }
void rpl_watch_close(rpl_watch*) {}
void rpl_watch_add(rpl_watch*, rpl_watched*) {}
void rpl_watch_remove(rpl_watch*, rpl_watched*) {}
rpl_watched* rpl_watch_next(rpl_watch*) { return nullptr; }
rpl_status rpl_watch_status(const rpl_watch*) { return RPL_LACKS; }
const rpl_pack* rpl_watch_pack(const rpl_watch*) { return nullptr; }

#endif
