// The folder for data that must outlive a worker. It belongs to one running worker.
// Thread rule: one owner. Bounds: one descriptor; `leave_limit` until another worker has left or
// until a program that a killed worker was starting has let go of it. Errors: a sentence that says
// what to change.
#pragma once

#include <chrono>
#include <string>

#include "common/base/ids.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// The configured folder or else $STATE_DIRECTORY if systemd has set it. Else CLUSTER/WORKER: in
// /var/lib/fixkeep for root, in fixkeep of $XDG_STATE_HOME or ~/.local/state for another user, in
// /tmp/fixkeep-UID for a user without a home. Absolute.
[[nodiscard]] std::string state_folder_of(const RunnerOptions& options);

class StateFolder {
 public:
  static constexpr std::chrono::seconds leave_limit{10};

  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  // Says what is wrong with the folder and makes nothing. Does not say whether a worker runs with
  // it.
  [[nodiscard]] std::string refusal() const;
  // Makes the folder if needed and locks it until the end of this process. With `upgrade` it asks
  // the worker that has it to leave and waits. Not empty: it cannot be made; another user may
  // change it, its journal or a folder on the way; or a worker has it and goes on.
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
