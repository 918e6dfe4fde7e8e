// The folder in which a worker keeps what must outlive it. It belongs to one running worker.
// Thread rule: one owner. Bounds: one descriptor; `leave_limit` until another worker has left.
// Errors: a sentence that says what to change.
#pragma once

#include <chrono>
#include <string>

#include "common/base/ids.hpp"
#include "worker/backend/backend.hpp"

namespace fixkeep::worker {

// As configured, else $STATE_DIRECTORY if systemd has set it, else fixkeep-UID/CLUSTER/WORKER in
// the folder for temporary files. Absolute.
[[nodiscard]] std::string state_folder_of(const BackendOptions& options);

class StateFolder {
 public:
  static constexpr std::chrono::seconds leave_limit{10};

  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  // Makes the folder if need be, and locks it until the end of this process. A worker that has it
  // is asked to leave if `upgrade`, and waited for. Not empty: it cannot be made, or belongs to
  // another user, or to a worker that runs and goes on.
  [[nodiscard]] std::string take(bool upgrade);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string rooms() const { return path_ + "/rooms"; }

 private:
  [[nodiscard]] std::string take_over() const;
  void write_pid() const;

  std::string path_;
  int lock_ = -1;
};

}  // namespace fixkeep::worker
