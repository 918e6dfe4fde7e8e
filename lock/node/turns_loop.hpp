// The loop compares the cost of an uncontended lock with raw round trips over the same links.
//
// Blocks of three kinds alternate, so a change of the machine's speed affects all three kinds in
// the same way.
//   round trip      a framed message to one peer and back
//   to all          a message to every peer, until the last echo is back: no lock that asks all
//                   peers is faster
//   lock            from acquire() to granted; then release() and immediately the next acquire()
// For MeasureEcho there is only one block of round trips and one block of messages to all. Thread
// rule: see Loop. Bounds: `count` samples of each kind. Errors: a broken link or a lost lock ends
// the loop.
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
  std::uint32_t left_ = 0;  // samples left in this block
  std::uint32_t block_ = 0;
  std::size_t awaited_ = 0;  // missing echoes
  bool ended_ = false;
  Clock::time_point begun_;
  Clock::time_point started_;  // start of the sample
  Samples one_;
  Samples all_;
  Samples acquire_;
  Samples lock_;
};

}  // namespace fixkeep::lock_node
