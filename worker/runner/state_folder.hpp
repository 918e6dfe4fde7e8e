// The folder for data that must outlive a worker. Only one running worker owns the folder.
// Thread rule: one owner. Bounds: one descriptor; take() waits at most `leave_limit` for the end of
// another worker or of the half-started program of a killed worker. Errors: a sentence that names
// the necessary change.
#pragma once

#include <chrono>
#include <string>

#include "common/base/ids.hpp"
#include "worker/runner/runner_options.hpp"

namespace fixkeep::worker {

// Returns the configured folder. If none is configured, returns $STATE_DIRECTORY from systemd. If
// this is not set, returns CLUSTER/WORKER below one of these folders: /var/lib/fixkeep for root;
// fixkeep in $XDG_STATE_HOME or in ~/.local/state for another user; /tmp/fixkeep-UID for a user
// without a home. The path is absolute.
[[nodiscard]] std::string state_folder_of(const RunnerOptions& options);

class StateFolder {
 public:
  static constexpr std::chrono::seconds leave_limit{10};

  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  // Returns the problem with the folder. Makes no folder, and ignores a worker that may own the
  // folder now.
  [[nodiscard]] std::string refusal() const;
  // Makes the folder if needed and locks it until this process ends. With `upgrade`, asks a worker
  // that owns the folder to leave and waits. Returns the error; empty: none. Errors: the folder
  // cannot be made; another user may change the folder, its journal or a folder above it; or its
  // worker does not leave.
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
