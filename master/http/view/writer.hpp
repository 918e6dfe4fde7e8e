// Brings the directory's news into the view in a bounded piece a turn. Never waits.
//
// News are the names of changed things, once each (coalesced). Their rows are made from the
// directory when their turn comes. If a reader is looking at the view at that moment the names are
// kept for the next turn. The view is then behind by one look. rows_a_turn bounds the cost of a
// turn.
//
// Invariants: 1. All that is not pending is in the view as in the directory.
//             2. Workers come before rooms: no room is put before its worker.
// Thread rule: the master's thread. Bounds: a name for each worker and room, and `most_pending` of
// rooms closed meanwhile. Beyond that everything is brought again.
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
  // Writes one piece. Rows that the view drops go into `trash`.
  void publish(const Directory& directory, DirectoryView::Trash& trash);

  [[nodiscard]] bool current() const { return workers_.empty() && rooms_.empty(); }
  [[nodiscard]] std::size_t pending() const { return workers_.size() + rooms_.size(); }
  // Turns in which a reader was looking.
  [[nodiscard]] std::uint64_t put_off() const { return put_off_; }

 private:
  void bring_everything(const Directory& directory);

  DirectoryView& view_;
  std::set<WorkerId> workers_;
  std::set<RoomId> rooms_;
  std::set<WorkerId> shown_;          // the workers in the view
  std::set<WorkerId> again_;          // workers of `shown_` to take out and bring again
  std::size_t bound_ = most_pending;  // limit of pending()
  std::uint64_t put_off_ = 0;
};

}  // namespace fixkeep::master
