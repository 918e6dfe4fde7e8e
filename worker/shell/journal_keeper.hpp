// JournalKeeper writes the journal of a running worker. It continues the journal of an earlier run,
// and writes each batch before the worker answers the batch. When the file has grown or a write has
// failed, it makes a snapshot.
//
// Thread rule: the shell's thread. A write takes microseconds, because nothing is forced to the
// disk.
// Bounds: one attempt a second while the disk fails. Errors: logged. A journal that cannot be
// written is never fatal: the next run detects that records are missing.
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
  // `fresh`: the identity if there is no earlier run. Its epoch is the beginning of this run.
  JournalKeeper(const std::string& folder, journal::Identity fresh, journal::Games games);

  [[nodiscard]] const journal::Identity& identity() const { return identity_; }
  // Returns the memory to continue from. Nullopt in a first run, or if the old memory is unusable.
  [[nodiscard]] std::optional<Recovered> take_recovered() { return std::move(recovered_); }

  // Call it after the core has handled the event Recovered.
  void begin(RoomHost& core, TimePoint now);
  // Call this when a batch has ended, before the actions of the batch are performed.
  // Returns whether the journal now has everything.
  [[nodiscard]] bool note(RoomHost& core, TimePoint now);

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

// Opens the journal in `folder`. Afterwards, `settings` has the identity from this journal. Returns
// nullopt if the games do not outlive their worker. `games`: from the worker's runner.
[[nodiscard]] std::optional<JournalKeeper> keep_journal(Settings& settings,
                                                        const std::string& folder,
                                                        journal::Games games);

}  // namespace fixkeep::worker
