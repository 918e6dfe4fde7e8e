// Acquires, holds and releases random keys in a loop while other nodes do the same. The log has the
// time of each grant. From the log, the test harness computes which nodes overtook other nodes.
//
// The log: one line per acquire in the order of their ends. A line has six words with blanks
// between them:
//   OUTCOME KEY COUNTER ASKED ENDED RELEASED
// OUTCOME is granted, lost (while waiting) or abandoned (at the end of the time). KEY is the number
// of the key. COUNTER is the token's counter. Times are nanoseconds of CLOCK_MONOTONIC, which all
// processes of a machine share. The clock is read for RELEASED before the release is sent, and for
// ENDED after the grant has arrived. Thus, if the holds of two nodes overlap in the logs, there
// were two holders. COUNTER and RELEASED are 0 without a grant.
//
// Invariants: 1. At most `in_flight` keys are wanted or held, each by one slot.
// Thread rule: see Loop. Bounds: after most_acquires acquires the loop ends early and reports its
// time.
// Errors: a log that cannot be written.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <vector>

#include "common/base/random.hpp"
#include "lock/node/commands.hpp"
#include "lock/node/loop.hpp"
#include "lock/node/participant.hpp"

namespace fixkeep::lock_node {

class ContendLoop : public Loop {
 public:
  static constexpr std::size_t most_acquires = 300'000;

  ContendLoop(boost::asio::io_context& context, Participant& participant, const Contend& wanted,
              Done done);

  void begin() override;
  [[nodiscard]] bool owns(const GroupKey& key) const override;
  void granted(const lock::KeyGranted& grant) override;
  void lost(const GroupKey& key, lock::LostReason reason) override;
  void echoed() override {}
  void peer_gone(MasterId) override {}  // a lost peer may be part of the measurement
  void stop() override { ended_ = true; }

 private:
  using Clock = std::chrono::steady_clock;
  enum class Outcome : std::uint8_t { granted, lost, abandoned };

  struct Entry {
    Outcome outcome = Outcome::granted;
    std::uint32_t key = 0;
    std::uint64_t counter = 0;
    Clock::time_point asked;
    Clock::time_point ended;
    Clock::time_point released;
  };
  struct Slot {
    explicit Slot(boost::asio::io_context& context) : timer(context) {}
    Entry entry;
    bool busy = false;  // wants or holds a key
    bool held = false;
    std::uint64_t holds = 0;  // counts the holds; the timer of an earlier hold does nothing
    boost::asio::steady_timer timer;
  };

  void start_slots();
  void ask(Slot& slot);
  void hold(std::size_t slot);
  void release(Slot& slot);
  void keep(Slot& slot);
  void finish();
  [[nodiscard]] std::size_t slot_of(const GroupKey& key) const;
  [[nodiscard]] bool write_log() const;

  boost::asio::io_context& context_;
  Participant& participant_;
  Contend wanted_;
  Done done_;
  Random random_;
  boost::asio::steady_timer timer_;  // wait for the start, then for the end
  TimePoint start_;
  std::vector<GroupKey> names_;
  std::vector<std::uint32_t> free_;  // keys without a slot
  std::vector<Slot> slots_;
  std::vector<Entry> log_;
  std::uint64_t granted_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t abandoned_ = 0;
  bool ended_ = false;
};

}  // namespace fixkeep::lock_node
