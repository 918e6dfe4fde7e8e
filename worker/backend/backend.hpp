// What runs games: the seam between a worker and processes, containers or machines.
//
// The worker knows a game by the number of its room. It says when a game starts, is asked to end
// and is killed; the backend says when the game has ended and how.
//
// Contract, for every implementation:
//   1. Every start() ends in exactly one call of its Exited handler, also if the game could not be
//      started, and never from within start(). Only stop() cuts that short.
//   2. When Exited is called nothing of the game runs any more, so its port is free.
//   3. No game outlives its worker, however the worker ends.
//   4. What Exited returns is called at most once, with the last lines that the game wrote: from
//      any thread, at once or later. It is not called if they cannot be had.
// Fault model: a game may ignore that it is asked to end, leave children behind, write without end
// or not at all, and end at any moment, also while it is asked to. A full or forbidden disk costs
// output, never a game.
// Thread rule: one thread, which makes the backend, calls it, and is the one that Exited is called
// on; it lives as long as the worker. No call blocks, but for stop().
// Bounds: those of the options. Errors: in the words that Exited gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

// What is kept of what games write; see worker/backend/process/game_output.hpp.
struct GameOutputOptions {
  std::string folder;  // made when the first game writes something; empty: default_output_folder()
  std::uint32_t file_bytes = 1U << 20U;  // 0: what games write is thrown away
  std::uint32_t kept_rooms = 200;        // that have ended

  friend bool operator==(const GameOutputOptions&, const GameOutputOptions&) = default;
};

struct BackendOptions {
  WorkerId worker;
  GameOutputOptions output;
};

struct Launch {
  std::string name;                      // of the room, in all runs of all workers
  std::vector<std::string> command;      // the program, then its arguments; never a shell
  std::vector<std::string> environment;  // "NAME=value", all there will be
};

class Backend {
 public:
  using LastLines = std::function<void(const std::string& text)>;
  // `how` is for the log: "exit code 3", "signal SIGSEGV", "cannot execute …". Returns a function.
  using Exited = std::function<LastLines(const std::string& how)>;

  Backend() = default;
  virtual ~Backend() = default;  // as stop()
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // REQUIRES: the room has no game.
  virtual void start(RoomNumber room, const Launch& launch, Exited exited) = 0;
  // To all that belongs to the game. Nothing happens if the game has ended already.
  virtual void ask_to_end(RoomNumber room) = 0;
  virtual void kill(RoomNumber room) = 0;
  [[nodiscard]] virtual std::size_t running() const = 0;

  // Why a game of this command could not be started now; empty: nothing speaks against it.
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>& command) const = 0;
  // Where the output of games is kept; empty: nowhere.
  [[nodiscard]] virtual std::string output_folder() const = 0;

  // Kills what still runs; no Exited is called any more. What was written is kept before this
  // returns, within a second.
  virtual void stop() = 0;
};

}  // namespace fixkeep::worker
