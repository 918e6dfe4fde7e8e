// What game processes write to standard output and standard error: a file of its own for each room.
//
//   FOLDER/w1-5f3a9c0211d2e4b7-12.log     and .log.1, what was in it before it was full
//
// Each game gets the end of a pipe: an ordinary, blocking descriptor. A thread of our own empties
// the pipes, whatever the worker is busy with, and throws away what exceeds the bounds, so that a
// game waits neither for us nor for a full disk. Files as the game's own descriptors, the
// alternative, would have no bound, and a full disk would fail the game's writes.
// Invariants: 1. no file is larger than `file_bytes`, and a room has at most two.
//             2. at most `kept_rooms` rooms that have ended have files in the folder, those of
//                earlier runs of the worker included; the oldest ones are removed.
//             3. at most `file_bytes` a second of one room are written; the file says what is left
//                out.
// Fault model: a game may write without end, or leave a process behind that does; the folder may be
// missing, full or forbidden, which is logged and costs output, never a game.
// Thread rule: the thread that makes it; `told` is called from the thread of this class. Bounds:
// above; one descriptor for each game that runs. Errors: logged, at a limited rate.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/ids.hpp"
#include "worker/backend/backend.hpp"

namespace fixkeep::worker {

// $STATE_DIRECTORY/rooms if systemd has set it, else fixkeep-UID/WORKER in the folder for temporary
// files.
[[nodiscard]] std::string default_output_folder(const WorkerId& worker);

class GameOutput {
 public:
  using Told = std::function<void(const std::string& last_lines)>;

  GameOutput(GameOutputOptions options, const WorkerId& worker);
  ~GameOutput();  // as stop()
  GameOutput(const GameOutput&) = delete;
  GameOutput& operator=(const GameOutput&) = delete;

  [[nodiscard]] const std::string& folder() const;  // empty: nothing is kept

  // The game's end of a new pipe, to be closed once the game has it; -1: there is none, and the
  // game gets /dev/null. REQUIRES: the room is not open.
  [[nodiscard]] int open(RoomNumber room, const std::string& file_name);

  // The game has ended: takes what is still in the pipe, closes it, and tells the last lines, at
  // most 512 bytes, empty if there are none. Told at once, from within, if the room is not open.
  void finish(RoomNumber room, Told told);

  // Ends the thread when it has done what was asked of it. Gives up on a disk that is stuck.
  void stop();

 private:
  class Reader;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
