// Applies the directory's news to the view, a bounded piece each turn. Never waits.
//
// The news is a list of the changed workers and rooms: each name once (coalesced). When a name is
// applied, its row is made from the directory. If a reader has the lock at that moment, the names
// wait for the next turn, and the view is out of date until then. rows_a_turn bounds the cost of a
// turn.
//
// Invariants: 1. Everything that is not pending is equal in the view and the directory.
//             2. Workers are applied before rooms: no room precedes its worker.
// Thread rule: the master's thread. Bounds: a name for each worker and room, and `most_pending`
// names of rooms that have closed. Beyond this bound the view is filled anew.
#pragma once

#include <set>

#include "master/http/view/directory_view.hpp"

namespace fixkeep::master {

class ViewWriter {
 public:
  static constexpr std::size_t rows_a_turn = 256;
  static constexpr std::size_t most_pending = 200'000;

  explicit ViewWriter(DirectoryView& view) : view_(view) {}

  void note(DirectoryNews&& news, const Directory& directory);
  // Applies one piece of the pending news. Replaced rows go into `trash`.
  void publish(const Directory& directory, DirectoryView::Trash& trash);

  [[nodiscard]] bool current() const { return workers_.empty() && rooms_.empty(); }
  [[nodiscard]] std::size_t pending() const { return workers_.size() + rooms_.size(); }
  // Returns how many turns failed because a reader had the lock.
  [[nodiscard]] std::uint64_t put_off() const { return put_off_; }

 private:
  void bring_everything(const Directory& directory);

  DirectoryView& view_;
  std::set<WorkerId> workers_;
  std::set<RoomId> rooms_;
  std::set<WorkerId> shown_;          // the workers in the view
  std::set<WorkerId> again_;          // workers of `shown_` to remove and add again
  std::size_t bound_ = most_pending;  // limit of pending()
  std::uint64_t put_off_ = 0;
};

}  // namespace fixkeep::master
