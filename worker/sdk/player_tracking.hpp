// The players in one room, according to the game's reports and the worker's decisions.
//
// A game asks whether a player may enter. The player waits until the worker decides.
// Invariants: 1. in() contains the admitted players that have not left: in the order of arrival,
//                each once.
//             2. The players inside and the waiting players together never exceed the capacity.
//                Exception: the capacity was lowered later.
// Thread rule: one owner. Bounds: the capacity and the players that the worker admits. Waiting
// players are limited by the transports, which limit a game's open calls. Errors: SdkCode::unknown
// as in Agones.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

class PlayerTracking {
 public:
  using Question = std::uint64_t;
  static constexpr Question none = 0;

  explicit PlayerTracking(std::int64_t capacity, std::vector<PlayerId> in = {})
      : capacity_(capacity), in_(std::move(in)) {}

  // The worker answers the returned question by admitted() or refused(). `none`: the player already
  // waits or is inside. Errors: no place is free.
  [[nodiscard]] SdkResult<Question> arrives(const PlayerId& player);
  // Returns true if the player is inside now, false if it has already left.
  [[nodiscard]] bool admitted(const PlayerId& player, Question question);
  void refused(const PlayerId& player, Question question);
  // Returns whether the player was inside.
  [[nodiscard]] bool leaves(const PlayerId& player);

  // Accepts any number, as Agones does. The players inside stay.
  void set_capacity(std::int64_t capacity) { capacity_ = capacity; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] bool is_in(const PlayerId& player) const;
  [[nodiscard]] const std::vector<PlayerId>& in() const { return in_; }

 private:
  [[nodiscard]] bool waits(const PlayerId& player, Question question) const;

  std::int64_t capacity_;
  std::vector<PlayerId> in_;
  std::map<PlayerId, Question> waited_for_;
  Question last_question_ = none;
};

}  // namespace fixkeep::worker
