// The tickets of a pool as one call of the planner sees them: in order of age with their present
// limits. Lists by region, size of party and roles are ordered by the first distance. Without a
// distance they are ordered by the number of the teams' sums.
//
// A list names only tickets not yet offered to an older one. The next candidate of a ticket is
// found in almost constant time even if many are gone. Thread rule: one owner. Bounds: entries of
// the lists are tickets times the regions each may play in. Memory is kept from call to call.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "master/rules/plan/rules.hpp"
#include "master/rules/plan/ticket.hpp"

namespace fixkeep::master::plan {

using Rank = std::uint32_t;  // place in the order of age, which is that of (since, id)

struct Entry {
  const Ticket* ticket = nullptr;
  std::uint32_t size = 0;
  std::uint32_t size_class = 0;
  std::uint32_t kind = 0;     // its list: size and `roles`
  std::uint8_t roles = 1;     // bit i: a member plays role i; without roles all play one
  std::uint32_t regions = 0;  // bit r: it may play in r now, in a new room
  std::uint32_t reach = 0;    // bit r: it may play in r now, in a room that is there
  bool listed = false;        // a younger ticket that may be offered to older ones
  bool taken = false;         // it has a room, or is refused
  bool roomless = false;      // no room takes it, which is sure for this call
  bool seatable = false;      // a room takes it, and a later call gives it the seat
  bool heeds = false;         // its list of players to avoid counts
  std::array<std::int64_t, numbers_most> means{};   // index: number
  std::array<std::int64_t, numbers_most> limits{};  // index: distance rule
};

class Waiting {
 public:
  void load(const Rules& rules, const TicketPool& pool, TimePoint now);
  // Makes the lists of all tickets that are not taken, from `first` on.
  void list(const Rules& rules, Rank first);
  void unlist(Rank rank) { entries_[rank].listed = false; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Entry& operator[](Rank rank) const { return entries_[rank]; }
  [[nodiscard]] const auto& role_seats() const { return role_seats_; }  // index: set of roles
  void take(Rank rank);
  void set_roomless(Rank rank, bool is) { entries_[rank].roomless = is; }
  // It is no candidate any more.
  void set_seatable(Rank rank);
  void give_back(Rank rank) { entries_[rank].taken = false; }
  [[nodiscard]] bool can_arrange_size(Rank rank) const {
    return arrangeable_[entries_[rank].size_class];
  }

  // From now on tickets may only play in these regions: bit r.
  void keep_regions(std::uint32_t regions);
  struct Gathered {
    std::uint64_t looks = 0;
    bool all = true;  // no ticket was one too many
  };
  // Puts the nearest candidates of `anchor` in a region behind each other: listed tickets that no
  // rule of two tickets keeps apart from it. Only they count. Each size has enough to fill two
  // rooms. Each role has a few, times `times`.
  Gathered gather(const Rules& rules, Rank anchor, std::uint32_t region, std::uint32_t times,
                  std::vector<Rank>& out);

 private:
  struct List {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  struct Hand {               // place of a gathering in the list of one size
    std::uint32_t left = 0;   // the place behind the next one to the left
    std::uint32_t right = 0;  // the place of the next one to the right
    std::uint32_t size_class = 0;
    std::uint8_t roles = 1;
    List list;
    // Its nearest ticket.
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
  // Finds the nearest ticket of the hand. False: no ticket.
  [[nodiscard]] bool aim(const Rules& rules, std::int64_t place, Hand& hand) const;
  void drop(Hand& hand) {
    hand = hands_.back();
    hands_.pop_back();
  }
  // Whether `other` may share a room with the anchor of the gathering by all rules of two tickets.
  [[nodiscard]] bool may_meet(const Rules& rules, const Entry& anchor, const Entry& other) const;
  [[nodiscard]] bool has_enough(const Rules& rules, const Hand& hand, std::uint32_t times) const;

  std::vector<Entry> entries_;
  std::array<std::uint32_t, std::size_t{1} << roles_most> role_seats_{};  // seats of a team
  std::vector<std::uint32_t> sizes_;  // size of each class, ascending
  std::vector<char> arrangeable_;     // index: class; its tickets fit into a whole room
  std::vector<Rank> by_place_;
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;  // index: size class and roles
  std::vector<List> lists_;             // region times kind
  std::vector<Rank> listed_;
  std::vector<std::uint32_t> next_;  // skips what is not listed any more
  std::vector<std::uint32_t> prev_;
  std::vector<Hand> hands_;
  std::vector<Counts> counts_;  // index: size class
};

}  // namespace fixkeep::master::plan
