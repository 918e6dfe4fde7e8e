// Keeps the journal of a running worker: goes on with an earlier run's and writes each batch before
// it is answered. Makes a snapshot when the file has grown or could not be written.
//
// Thread rule: the shell's thread. A write takes microseconds as nothing is forced to the disk.
// Bounds: one try a second while the disk fails. Errors: logged. A journal that cannot be written
// is never fatal: the next run then knows that something is missing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "worker/core/room_host.hpp"
#include "worker/journal/journal.hpp"
#include "worker/shell/settings.hpp"

namespace fixkeep::worker {

class JournalKeeper {
 public:
  // `fresh`: the worker's identity for a first life that begins at its epoch.
  JournalKeeper(const std::string& folder, journal::Identity fresh, journal::Games games);

  // The worker's identity.
  [[nodiscard]] const journal::Identity& identity() const { return identity_; }
  // Returns the memory that the worker goes on with. Nullopt: its first life or the old memory is
  // of no use.
  [[nodiscard]] std::optional<Recovered> take_recovered() { return std::move(recovered_); }

  // Begins after the recovered memory was stepped.
  void begin(RoomHost& core, TimePoint now);
  // A batch has ended and its actions were not performed yet.
  void note(RoomHost& core, TimePoint now);

 private:
  void go_on_with(journal::Reading&& found);
  void make_snapshot(const RoomHost& core, TimePoint now);

  std::string path_;
  journal::Identity identity_;
  std::optional<Recovered> recovered_;
  std::unique_ptr<journal::Journal> journal_;
  bool complains_ = true;  // the next failure is logged
  TimePoint next_try_ = TimePoint::min();
};

// Nullopt if the games do not outlive their worker; `games`: as its runner says. From here on the
// worker of `settings` has the identity in the folder's journal.
[[nodiscard]] std::optional<JournalKeeper> keep_journal(Settings& settings,
                                                        const std::string& folder,
                                                        journal::Games games);

}  // namespace fixkeep::worker
