// The loop measures what an uncontended lock costs beside raw round trips over the same links.
//
// The blocks alternate: a change of the machine's speed hits all of them alike.
//   round trip      a framed message to one peer and back
//   to all          one to every peer, until the last one is back: no lock that asks all is faster
//   lock            acquire() to granted, then release(), at once again
// With a `count` of 0 locks it only echoes.
// Thread rule: as Loop. Bounds: `count` samples of each. Errors: a link that goes down or a lost
// lock ends it.
#pragma once

#include <cstdint>

#include "lock/node/commands.hpp"
#include "lock/node/loop.hpp"
#include "lock/node/participant.hpp"
#include "lock/node/samples.hpp"

namespace fixkeep::lock_node {

class TurnsLoop : public Loop {
 public:
  TurnsLoop(Participant& participant, const MeasureUncontended& wanted, Done done);
  TurnsLoop(Participant& participant, const MeasureEcho& wanted, Done done);

  void begin() override;
  [[nodiscard]] bool owns(const GroupKey& key) const override;
  void granted(const lock::KeyGranted& grant) override;
  void lost(const GroupKey& key, lock::LostReason reason) override;
  void echoed() override;
  void peer_gone(MasterId peer) override;
  void stop() override { ended_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Turn : std::uint8_t { warm_up, one, all, lock };

  void next();
  void begin_sample();
  void end_turn();
  void fail(const std::string& why);
  void finish();

  Participant& participant_;
  GroupKey key_;
  MasterId peer_;
  bool locks_ = true;
  std::uint32_t block_samples_;
  std::uint32_t blocks_;
  std::uint32_t warm_up_;
  Duration time_{};
  Done done_;
  Turn turn_ = Turn::warm_up;
  std::uint32_t left_ = 0;  // samples left in this turn
  std::uint32_t block_ = 0;
  std::size_t awaited_ = 0;  // echoes
  bool ended_ = false;
  Clock::time_point begun_;
  Clock::time_point started_;  // the sample
  Samples one_;
  Samples all_;
  Samples acquire_;
  Samples lock_;
};

}  // namespace fixkeep::lock_node
