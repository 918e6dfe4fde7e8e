// The holder of a pool's lock, for tests: a MasterCore to which the test is the lock, the other
// masters and the one worker.
//
// Thread rule: one owner. Errors: a promise that nobody has asked for fails the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "master/core/master_core.hpp"
#include "master/core/orders/pool_orders.hpp"

namespace fixkeep::master {

struct PoolHolder : testing::Test {
  static constexpr MasterId self{1};
  static constexpr MasterId m2{2};
  static constexpr MasterId m3{3};
  static constexpr FencingToken our_hold{7, self};
  static constexpr Duration out_of_sight = std::chrono::seconds{5};

  // MasterOptions have the same names.
  explicit PoolHolder(bool alone = false, ShadowRules shadows = {});

  // --- what happens
  void connect(std::vector<wire::RoomInfo> rooms = {});
  void connect(const WorkerId& worker, std::vector<wire::RoomInfo> rooms = {});
  void say(wire::Report report) { core.step(WorkerSaid{w, std::move(report)}, now, actions); }
  void say(MasterId peer, wire::PoolMessage message) {
    core.step(PeerSaid{peer, std::move(message)}, now, actions);
  }
  void match(const std::string& player, int rating, std::vector<PlayerId> party = {});
  void grant(FencingToken token = our_hold);
  void lose_lock() { core.lost({{battle, lock::LostReason::lease_timeout}}, now, actions); }
  void pass(Duration time) {
    now += time;
    core.step(TimePassed{}, now, actions);
  }

  // --- what others say
  static std::string brings(int rating) { return "0 " + std::to_string(rating); }
  static wire::LentClaim lent(std::uint64_t number, const std::string& player, int rating) {
    return {
        number, {PlayerId{player}, {}, {}, brings(rating)}, std::chrono::milliseconds{0}, 0, {}};
  }
  void lend(std::vector<wire::LentClaim> claims, FencingToken to = our_hold, MasterId from = m2) {
    say(from, wire::ClaimsPart{battle, to, 0, true, std::move(claims)});
  }
  wire::RoomInfo room(std::uint32_t number,
                      const std::vector<std::pair<std::string, std::string>>& players) const;
  // Answers the newest PrepareSpawn.
  void promise(std::vector<wire::RoomInfo> rooms = {});
  void seat(const wire::SeatRequest& request, std::vector<std::uint32_t> granted);
  void start(const wire::SpawnRoom& order);
  void refuse(const wire::SpawnRoom& order, wire::SpawnOutcome outcome);

  // --- what has been sent
  template <class Message>
  std::vector<Message> to_worker() const {
    std::vector<Message> found;
    for (const Action& action : actions) {
      const auto* sent = std::get_if<SendToWorker>(&action);
      const auto* message = sent ? std::get_if<Message>(&sent->message) : nullptr;
      if (message != nullptr) found.push_back(*message);
    }
    return found;
  }
  template <class Message>
  std::vector<Message> to_peer(MasterId peer) const {
    std::vector<Message> found;
    for (const Action& action : actions) {
      const auto* sent = std::get_if<SendToPeer>(&action);
      if (sent == nullptr || sent->peer != peer) continue;
      const auto* pool = std::get_if<wire::PoolMessage>(&sent->message);
      const auto* message = pool ? std::get_if<Message>(pool) : nullptr;
      if (message != nullptr) found.push_back(*message);
    }
    return found;
  }
  [[nodiscard]] bool closed_link(MasterId peer) const {
    return std::any_of(actions.begin(), actions.end(), [&](const Action& action) {
      const auto* closed = std::get_if<ClosePeerLink>(&action);
      return closed != nullptr && closed->peer == peer;
    });
  }
  template <class Order>
  [[nodiscard]] bool asked_lock() const {
    return std::any_of(locks.begin(), locks.end(),
                       [](const LockOrder& order) { return std::holds_alternative<Order>(order); });
  }
  static std::vector<std::string> players(const std::vector<wire::Claim>& claims) {
    std::vector<std::string> found;
    for (const wire::Claim& claim : claims) found.push_back(claim.player.text());
    return found;
  }
  void forget_sent() {
    actions.clear();
    locks.clear();
  }

  // The holder has ordered a room for ann, who waits here, and for bob and cid of m2.
  wire::SpawnRoom ordered_for_three();

  const WorkerId w{"w"};
  const GroupKey battle{"battle"};
  const ModeName duel{"duel"};
  ZoneName zone;  // of the worker
  // Three make a room, two of them after ten seconds.
  std::shared_ptr<const plan::Rules> rules;
  TimePoint now{std::chrono::minutes{10}};
  Actions actions;
  LockOrders locks;
  MasterCore core;
  std::uint64_t tickets = 0;
};

}  // namespace fixkeep::master
