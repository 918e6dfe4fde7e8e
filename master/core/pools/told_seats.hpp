// ToldSeats stores a holder's messages to other masters about the seats of their claims. A breaking
// link may lose a message. Then the lender takes its claim back and places it again, and no player
// comes for the seats. When the link is back, the holder therefore repeats the messages sent
// shortly before the break. The lender gives back seats that are new to it, and ignores the other
// messages (pools/lending.hpp).
//
// Assumes: messages over one link arrive in order. Thread rule: a value. Bounds: stores at most
// `most` messages for each lender. The seats of other messages are free when their reservations
// end. Errors: none.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/pool_messages.hpp"
#include "master/core/claims/lost_seats.hpp"

namespace fixkeep::master {

class ToldSeats {
 public:
  static constexpr Duration may_be_lost = LostSeats::may_be_lost;
  static constexpr Duration kept = LostSeats::kept;
  static constexpr std::size_t most = 10'000;

  void told(MasterId lender, const wire::ClaimsSeated& seated, TimePoint now) {
    Told& recent = told_[lender];
    forget(recent, now - may_be_lost);
    if (recent.size() < most) recent.emplace_back(now, seated);
  }

  void link_broke(MasterId lender, TimePoint now) {
    const auto node = told_.extract(lender);
    if (node.empty()) return;
    Told& recent = node.mapped();
    forget(recent, now - may_be_lost);
    Told& lost = lost_[lender];
    forget(lost, now - kept);
    for (auto& each : recent) {
      if (lost.size() < most) lost.emplace_back(now, std::move(each.second));
    }
  }

  // Call when the link is new. Returns the messages that were perhaps lost with the last link.
  [[nodiscard]] std::vector<wire::ClaimsSeated> to_repeat(MasterId lender, TimePoint now) {
    std::vector<wire::ClaimsSeated> repeated;
    const auto node = lost_.extract(lender);
    if (node.empty()) return repeated;
    forget(node.mapped(), now - kept);
    for (auto& each : node.mapped()) {
      told(lender, each.second, now);
      repeated.push_back(std::move(each.second));
    }
    return repeated;
  }

 private:
  using Told = std::deque<std::pair<TimePoint, wire::ClaimsSeated>>;  // oldest first

  static void forget(Told& told, TimePoint until) {
    while (!told.empty() && told.front().first <= until) told.pop_front();
  }

  std::map<MasterId, Told> told_;  // messages over present links
  std::map<MasterId, Told> lost_;  // messages before the link broke
};

}  // namespace fixkeep::master
