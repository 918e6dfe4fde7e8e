// The coordinator lock: the live master with the highest priority grants the lock.
//
// Source: the centralised algorithm of every textbook, with the leases of Gray and Cheriton (1989)
// and the succession of the bully algorithm (Garcia-Molina, 1982). Links make the bully algorithm's
// elections unnecessary: the coordinator is the lowest MasterId among us and our connected peers. A
// master sends REQUEST to the coordinator. The coordinator answers with GRANT. RELEASE ends the
// hold. Grants are first come, first served. A grant is valid for one lease. A holder renews the
// grant after half a lease (RENEW, RENEWED). If the grant is no longer valid, the coordinator
// answers REVOKED.
//
// These rules ensure that there is only one holder, even while coordinators change:
//   - hello() returns REQUEST or HOLDING. A master that starts with the lowest MasterId knows all
//     holders as soon as it has the Hello of every other master. A coordinator steps back as soon
//     as it is connected to a lower master. It does not wait for that master's Hello. Hellos repeat
//     the requests and holds of earlier messages.
//   - A GRANT is valid only from our own coordinator and for our present round. Any other GRANT is
//     answered with RELEASE.
//   - When the coordinator goes down, every other master reports its request or hold to the next
//     coordinator. The next coordinator grants nothing for one and a half leases.
//   - If the link to a holder breaks, the coordinator still counts this master as the holder until
//     its lease has passed or its next Hello arrives.
//   - A coordinator waits one and a half leases for the end of another master's lease, because a
//     message on a link that is up takes at most half a lease. (Otherwise heartbeats would report
//     this link as down.)
//
// Fault model: masters crash and restart; any delay; clocks that run at about the same rate. As
// long as links between live masters stay up and no grace lapses, there are never two holders. A
// broken link between two live masters can make two coordinators. Then grants have `needs_fence`
// and the workers' promises prevent a second room. The stale coordinator is fenced out. A master
// cannot get the lock if it reaches other masters but not their coordinator.
//
// Invariants: 1. A coordinator grants only while it knows of no holder and has joined. If it took
//                over from a coordinator that went down, it has waited one and a half leases since
//                then. If its table was full, it may have missed a holder, so it also waits one and
//                a half leases before it grants.
//             2. Tokens and fences follow membership.hpp. A vanished holder makes the value
//                uncertain: the next holder fences. A holder also fences if its coordinator's
//                machine has not received any release yet.
// Fairness: first come, first served, as seen by the coordinator.
// Cost: 3 messages and one round trip without contention. The coordinator itself needs no message.
// Bounds: state O(masters). Thread rule: a value, one owner. Errors: Lost{lease_timeout} after
// REVOKED.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"

namespace fixkeep::lock {

enum class CoordinatorKind : std::uint8_t {
  request = 1,
  grant = 2,
  release = 3,
  holding = 4,  // "I hold the lock by another coordinator's grant"
  renew = 5,
  renewed = 6,
  revoked = 7,
};

class Coordinator {
 public:
  explicit Coordinator(const MeshView& mesh);

  void step(const LockEvent& event, TimePoint now, LockActions& out);
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 4> names{"idle", "joining", "asking", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const {
    return state_ == State::none && queue_.empty() && holders_.empty() && !took_over_;
  }
  [[nodiscard]] std::uint64_t round() const { return round_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);
  [[nodiscard]] MasterId coordinator() const;  // the coordinator in our view

  friend bool operator==(const Coordinator&, const Coordinator&) = default;
  void append_bytes(std::string& out) const {
    mesh_.append_bytes(out);
    MachineBytes{out}.put(state_, round_, queue_, holders_, knows_holders_, remembers_, took_over_,
                          lease_ends_, renew_at_);
  }

 private:
  enum class State : std::uint8_t { none, joining, asking, acquired };

  void on(const Acquire&, TimePoint now, LockActions& out);
  void on(const Abandon&, TimePoint now, LockActions& out);
  void on(const Release& release, TimePoint now, LockActions& out);
  void on(const Receive& receive, TimePoint now, LockActions& out);
  void on(const PeerConnected& connected, TimePoint now, LockActions& out);
  void on(const PeerUp& up, TimePoint now, LockActions& out);
  void on(const PeerDown& down, TimePoint now, LockActions& out);
  void on(const JoinGraceLapsed& lapsed, TimePoint now, LockActions& out);
  void on(const MastersListed& listed, TimePoint now, LockActions& out);
  void on(const Tick&, TimePoint now, LockActions& out);

  // --- as a master that wants the lock
  void ask_if_joined(LockActions& out);
  void tell_coordinator(LockActions& out);
  void granted_by(MasterId from, const LockMessage& message, TimePoint now, LockActions& out);
  void acquire(bool uncertain, TimePoint now, LockActions& out);
  void give_up(LockActions& out);

  // --- as the coordinator
  void asked(MasterId peer, std::uint64_t round);
  void holds(MasterId peer, std::uint64_t round, TimePoint now);
  void released_by(MasterId peer, std::uint64_t round);
  void vanished(MasterId peer);
  void forget_question(MasterId peer);
  void serve(TimePoint now, LockActions& out);

  [[nodiscard]] bool coordinates() const { return coordinator() == mesh_.self; }
  [[nodiscard]] TimePoint next_timer() const;
  void send(MasterId to, CoordinatorKind kind, std::uint64_t round, LockActions& out) const;

  Membership mesh_;
  Duration lease_;           // longest time of our own hold, from its grant
  Duration patience_;        // a coordinator's wait: a lease plus the longest delay of a message
  Duration take_over_wait_;  // wait after the first request; shorter if the last loss was long ago
  State state_ = State::none;
  std::uint64_t round_ = 0;
  std::vector<std::pair<MasterId, std::uint64_t>> queue_;  // masters that wait, and their rounds
  std::map<MasterId, std::uint64_t>
      holders_;                          // holders and their rounds; several only after a split
  bool knows_holders_;                   // all holders are known
  bool remembers_ = false;               // the value is known: this machine has received a release
  std::optional<TimePoint> took_over_;   // end of the longest lease; then we know all holders
  std::optional<TimePoint> lease_ends_;  // end of another holder's lease
  std::optional<TimePoint> renew_at_;    // renewal of our own hold
  TimePoint timer_ = TimePoint::max();   // time of the last SetTimer
};

static_assert(LockMachine<Coordinator>);

}  // namespace fixkeep::lock
