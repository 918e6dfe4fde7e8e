// The tickets of a pool for one call of the planner: in order of age, with their present limits.
// The tickets are also in lists. A list contains the tickets for one region, size of party and set
// of roles. Inside a list, the tickets are sorted by their value of one number. This is the number
// of the first distance rule or, without distance rules, the number of the team rule.
//
// A list contains only tickets that were not yet offered to an older ticket. A ticket's next
// candidate is found in almost constant time, even if many tickets are gone. Thread rule: one
// owner. Bounds: the lists have an entry for each ticket and each region where it may play. Memory
// is reused.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master::plan {

using Rank = std::uint32_t;  // place in the order of age, by (since, id)

struct Entry {
  const Ticket* ticket = nullptr;
  std::uint32_t size = 0;
  std::uint32_t size_class = 0;
  std::uint32_t kind = 0;     // index of the ticket's list, by size and `roles`
  std::uint8_t roles = 1;     // bit i: a member plays role i; without roles: 1
  std::uint32_t regions = 0;  // bit r: may play in region r now, in a new room
  std::uint32_t reach = 0;    // bit r: may play in region r now, in a present room
  bool listed = false;        // may be offered to older tickets
  bool taken = false;         // has a room or is refused
  bool roomless = false;      // no room accepts it during this call
  bool seatable = false;      // a room accepts it; a later call gives it seats
  bool heeds = false;         // the ticket's list of players to avoid is valid
  std::array<std::int64_t, numbers_most> means{};   // index: number
  std::array<std::int64_t, numbers_most> limits{};  // index: distance rule
};

class Waiting {
 public:
  void load(const Rules& rules, const TicketPool& pool, TimePoint now);
  // Makes the lists. They contain the tickets from rank `first` on that may still be candidates:
  // not taken, not seatable, and of a size that can make a whole team.
  void list(const Rules& rules, Rank first);
  void unlist(Rank rank) { entries_[rank].listed = false; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Entry& operator[](Rank rank) const { return entries_[rank]; }
  [[nodiscard]] const auto& role_seats() const { return role_seats_; }  // index: set of roles
  void take(Rank rank);
  void set_roomless(Rank rank, bool is) { entries_[rank].roomless = is; }
  // Notes that a room accepts the ticket. A later call of the planner gives the ticket its seat, so
  // it is no candidate for a new room in this call.
  void set_seatable(Rank rank);
  void give_back(Rank rank) { entries_[rank].taken = false; }
  [[nodiscard]] bool can_arrange_size(Rank rank) const {
    return arrangeable_[entries_[rank].size_class];
  }

  // Restricts all tickets to these regions; bit r: region r.
  void keep_regions(std::uint32_t regions);
  struct Gathered {
    std::uint64_t looks = 0;
    bool all = true;  // no candidate was left out
  };
  // Writes the nearest candidates of `anchor` in a region to `out`, in order: listed tickets that
  // may meet `anchor` by all rules for two tickets. For each size and role there are at most enough
  // tickets for two rooms and a few more; `times` multiplies this number.
  Gathered gather(const Rules& rules, Rank anchor, std::uint32_t region, std::uint32_t times,
                  std::vector<Rank>& out);

 private:
  struct List {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct Hand {               // position of a gathering in one list
    std::uint32_t left = 0;   // index after the next ticket to the left
    std::uint32_t right = 0;  // index of the next ticket to the right
    std::uint32_t size_class = 0;
    std::uint8_t roles = 1;
    List list;
    // The next members describe the remaining ticket of the list that is nearest to the anchor.
    bool to_left = false;
    std::int64_t distance = no_limit;
    Rank rank = 0;
  };
  struct Kind {
    std::uint32_t size_class = 0;
    std::uint8_t roles = 1;
  };
  using Counts = std::array<std::uint32_t, roles_most>;  // gathered tickets by role

  void classify(const Rules& rules);
  void sort_kinds();
  [[nodiscard]] std::int64_t place_of(const Rules& rules, Rank rank) const;
  [[nodiscard]] std::uint32_t forward(std::uint32_t at, std::uint32_t end);
  [[nodiscard]] std::uint32_t backward(std::uint32_t at, std::uint32_t begin);
  void open_hands(const Rules& rules, Rank anchor, std::uint32_t region);
  // Finds the remaining ticket of the hand's list nearest to `place`. Returns false if none is
  // left.
  [[nodiscard]] bool aim(const Rules& rules, std::int64_t place, Hand& hand) const;
  void drop(Hand& hand) {
    hand = hands_.back();
    hands_.pop_back();
  }
  // Returns whether `other` may share a room with the anchor by all rules for two tickets.
  [[nodiscard]] bool may_meet(const Rules& rules, const Entry& anchor, const Entry& other) const;
  [[nodiscard]] bool has_enough(const Rules& rules, const Hand& hand, std::uint32_t times) const;

  std::vector<Entry> entries_;
  std::array<std::uint32_t, std::size_t{1} << roles_most> role_seats_{};  // seats of a team
  std::vector<std::uint32_t> sizes_;  // size of each class, ascending
  std::vector<char> arrangeable_;     // index: class; whether such tickets fit into a whole room
  std::vector<Rank> by_place_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  // index: size class and roles
  std::vector<List> lists_;             // index: region × number of kinds + kind
  std::vector<Rank> listed_;
  std::vector<std::uint32_t> next_;  // skips tickets that are no longer listed
  std::vector<std::uint32_t> prev_;
  std::vector<Hand> hands_;
  std::vector<Counts> counts_;  // index: size class
};

}  // namespace fixkeep::master::plan
