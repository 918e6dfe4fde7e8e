// ToldSeats keeps what a holder has told other masters of the seats of their claims. A link that
// breaks may lose such a message: the lender takes its claim back then and places it anew, and no
// player would come for the seats. So when the link is back, the holder repeats what it told
// shortly before the break. The lender gives back the seats of which it hears for the first time,
// and ignores the others (pools/lending.hpp).
//
// Assumes: messages over one link arrive in order. Thread rule: a value. Bounds: `most` messages;
// beyond them seats end with their reservations. Errors: none.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/pool_messages.hpp"

namespace fixkeep::master {

class ToldSeats {
 public:
  // Longer than any link is silent before it breaks.
  static constexpr Duration may_be_lost = std::chrono::seconds{30};
  // A reservation lasts no longer, the boot of its room included.
  static constexpr Duration kept = std::chrono::minutes{15};
  static constexpr std::size_t most = 10'000;

  void told(MasterId lender, const wire::ClaimsSeated& seated, TimePoint now) {
    std::erase_if(told_, [&](const Told& each) { return each.until <= now; });
    if (told_.size() < most) told_.push_back({lender, seated, now + may_be_lost, false});
  }

  void link_broke(MasterId lender, TimePoint now) {
    for (Told& each : told_) {
      if (each.lender != lender || each.until <= now || each.lost) continue;
      each.until = now + kept;
      each.lost = true;
    }
  }

  // The link is new: what may have been lost with the one before.
  [[nodiscard]] std::vector<wire::ClaimsSeated> to_repeat(MasterId lender, TimePoint now) {
    std::vector<wire::ClaimsSeated> repeated;
    for (Told& each : told_) {
      if (each.lender != lender || each.until <= now || !each.lost) continue;
      repeated.push_back(each.seated);
      each.until = now + may_be_lost;
      each.lost = false;
    }
    return repeated;
  }

 private:
  struct Told {
    MasterId lender;
    wire::ClaimsSeated seated;
    TimePoint until;
    bool lost = false;
  };

  std::deque<Told> told_;
};

}  // namespace fixkeep::master
