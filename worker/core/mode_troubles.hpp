// ModeTroubles stores, for each mode, why its starting rooms are not ready, or (if the game was not
// at fault) why the worker could not start its rooms. Players that waited in vain receive the
// reason. A trouble does not pause its mode.
//
// Thread rule: one owner. Bounds: one entry for each mode. Errors: none.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"

namespace fixkeep::worker {

class ModeTroubles {
 public:
  // A trouble that is not repeated is forgotten after this time.
  static constexpr Duration lasting = std::chrono::seconds{60};

  void said(const ModeName& mode, std::string why, TimePoint now) {
    Trouble& trouble = troubles_[mode];
    trouble.until = now + lasting;
    if (trouble.why == why) return;
    trouble.why = std::move(why);
    changed_ = true;
  }
  void mended(const ModeName& mode) { changed_ = troubles_.erase(mode) > 0 || changed_; }
  void forget_all() {
    changed_ = !troubles_.empty() || changed_;
    troubles_.clear();
  }
  void tick(TimePoint now) {
    const auto over = [now](const auto& each) { return each.second.until <= now; };
    changed_ = std::erase_if(troubles_, over) > 0 || changed_;
  }

  [[nodiscard]] TimePoint next_tick() const {
    TimePoint next = TimePoint::max();
    for (const auto& [mode, trouble] : troubles_) next = std::min(next, trouble.until);
    return next;
  }
  [[nodiscard]] std::string why(const ModeName& mode) const {  // empty: no reason is known
    const auto found = troubles_.find(mode);
    return found == troubles_.end() ? std::string{} : found->second.why;
  }
  // Returns whether any trouble has changed since the last call.
  [[nodiscard]] bool take_changed() { return std::exchange(changed_, false); }

 private:
  struct Trouble {
    std::string why;
    TimePoint until{};
  };
  std::map<ModeName, Trouble> troubles_;
  bool changed_ = false;
};

}  // namespace fixkeep::worker
