// Converts an exit code from an engine into the end of a game.
// Thread rule: free functions. Bounds: none. Errors: none.
#pragma once

#include <string>
#include <utility>

#include "common/process/self.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker {

// For an end by signal N, the exit code is 128 + N.
[[nodiscard]] inline GameEnd container_end(int exit_code) {
  constexpr int signal_base = 128;
  constexpr int last_signal = 64;
  const int signal = exit_code - signal_base;
  GameEnd end;
  if (signal > 0 && signal <= last_signal) {
    end.kind = GameEnd::Kind::signalled;
    end.number = signal;
    end.how = "signal " + process::signal_name(signal);
  } else {
    end.kind = GameEnd::Kind::exited;
    end.number = exit_code;
    end.how = "exit code " + std::to_string(exit_code);
  }
  return end;
}

[[nodiscard]] inline GameEnd unseen_end(std::string how) {
  GameEnd end;
  end.how = std::move(how);
  return end;
}

}  // namespace fixkeep::worker
