// The folder in which a worker keeps what must outlive it. It belongs to one running worker.
// Thread rule: one owner. Bounds: one descriptor; `leave_limit` until another worker has left, or
// until what a killed one was starting has let go of it.
// Errors: a sentence that says what to change.
#pragma once

#include <chrono>
#include <string>

#include "common/base/ids.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// The folder is the configured one, or else $STATE_DIRECTORY if systemd has set it, or else
// CLUSTER/WORKER in /var/lib/fixkeep for root, in fixkeep of $XDG_STATE_HOME or of ~/.local/state
// for another user, and in /tmp/fixkeep-UID for one without a home. Absolute.
[[nodiscard]] std::string state_folder_of(const RunnerOptions& options);

class StateFolder {
 public:
  static constexpr std::chrono::seconds leave_limit{10};

  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  // Says what speaks against the folder, and makes nothing. Whether a worker runs with it is not
  // said.
  [[nodiscard]] std::string refusal() const;
  // Makes the folder if need be, and locks it until the end of this process. A worker that has it
  // is asked to leave if `upgrade`, and waited for. Not empty: it cannot be made; it, its journal
  // or a folder on the way may be changed by another user; or a worker has it and goes on.
  [[nodiscard]] std::string take(bool upgrade);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string rooms() const { return path_ + "/rooms"; }

 private:
  [[nodiscard]] bool locked() const;
  [[nodiscard]] std::string lock_it(bool upgrade) const;
  void write_pid() const;

  std::string path_;
  int lock_ = -1;
};

}  // namespace fixkeep::worker
