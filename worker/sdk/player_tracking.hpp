// The players in one room as its game says and its worker admits.
//
// A game asks whether a player may come in. The player is waited for until the worker decides.
// Invariants: 1. `in()` are the admitted players that have not left: in the order of their coming
//                and each once.
//             2. Players that are in or waited for never exceed the capacity unless the capacity
//                was lowered below them.
// Thread rule: one owner. Bounds: the capacity and the players that the worker admits; waiting ones
// are bounded by the open questions that the transports let a game have. Errors: SdkCode::unknown
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

  // Returns a question for admitted() or refused(); `none`: the player is in or waited for already.
  // Errors: no place is free.
  [[nodiscard]] SdkResult<Question> arrives(const PlayerId& player);
  // True: the player is in now. False: it has left again meanwhile.
  [[nodiscard]] bool admitted(const PlayerId& player, Question question);
  void refused(const PlayerId& player, Question question);
  // True: the player was in.
  [[nodiscard]] bool leaves(const PlayerId& player);

  // Takes any number as Agones does: players that are in stay.
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
