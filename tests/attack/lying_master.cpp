#include "tests/attack/lying_master.hpp"

#include <algorithm>

#include "common/wire/counter_bounds.hpp"
#include "common/wire/limits.hpp"
#include "lock/core/mesh/multiphase.hpp"

namespace fixkeep::attack {
namespace {

using lock::MultiphaseKind;

const MasterId liar_id{3};

lock::LockMessage message_of(const GroupKey& group, MultiphaseKind kind, std::uint64_t round) {
  lock::LockMessage message;
  message.key = group;
  message.kind = static_cast<std::uint8_t>(kind);
  message.round = round;
  return message;
}

}  // namespace

LyingMaster::LyingMaster(const nlohmann::json& config, std::uint16_t mesh_port,
                         const std::vector<Liar::Target>& dialled, Tale tale)
    : tale_(tale) {
  auto options = identity(config, net::Role::master, "m3");
  options.listen_address = "127.0.0.1";
  options.listen_port = mesh_port;
  options.heartbeat_timeout = std::chrono::seconds{5};
  options.handshake_timeout = std::chrono::seconds{5};
  liar_ = std::make_unique<Liar>(
      options,
      Liar::Script{.met = [this](Liar& liar, const net::Peer& peer) { met(liar, peer); },
                   .peer_said =
                       [this](Liar& liar, const net::Peer& peer, wire::BetweenMasters&& message) {
                         heard(liar, peer, std::move(message));
                       }},
      dialled);
}

void LyingMaster::met(Liar& liar, const net::Peer& peer) {
  if (peer.role != net::Role::master) return;
  masters_[peer.name] = peer;
  liar.say(peer, lock::MeshHello{{}, {}, true});
}

void LyingMaster::heard(Liar& liar, const net::Peer& peer, wire::BetweenMasters&& message) {
  const auto* lock = std::get_if<lock::LockMessage>(std::get_if<lock::MeshMessage>(&message));
  if (lock == nullptr) return;
  switch (static_cast<MultiphaseKind>(lock->kind)) {
    case MultiphaseKind::my_lock: {
      // Whoever asks hears the tale before the true holder has written anything.
      auto grant = message_of(lock->key, MultiphaseKind::your_lock, lock->round);
      grant.value = value_after(*lock, net::master_of(peer));
      grant.token = std::max(lock->token, grant.value.stamp);
      liar.say(peer, grant);
      ++told_;
      return;
    }
    case MultiphaseKind::lock_reset: tell(liar, *lock); return;
    case MultiphaseKind::your_lock: return;
  }
}

void LyingMaster::tell(Liar& liar, const lock::LockMessage& heard) {
  for (const auto& [name, peer] : masters_) {
    auto message = message_of(heard.key, MultiphaseKind::lock_reset, 1);
    message.value = value_after(heard, net::master_of(peer));
    message.token = message.value.stamp;
    liar.say(peer, message);
  }
  ++told_;
}

lock::LockValue LyingMaster::value_after(const lock::LockMessage& heard, MasterId listener) const {
  // m1 is served before m2: what m2 hears is to be later than what m1 is about to write.
  const std::uint64_t next = heard.token.counter + 1000 * listener.number() * listener.number();
  switch (tale_) {
    case Tale::no_rooms: return {{next, liar_id}, {}};
    case Tale::no_rooms_fenced: return {{next, liar_id}, {next, liar_id}};
    case Tale::of_others: {
      const MasterId other{static_cast<std::uint16_t>(3 - listener.number())};
      return {{next, other}, {next, other}};
    }
    case Tale::beyond_all: {
      const FencingToken last{wire::limits::counter, liar_id};
      return {{last.counter - 1, liar_id}, last};
    }
    case Tale::highest_believed: {
      const auto bounds = wire::counter_bounds(std::chrono::system_clock::now());
      const FencingToken last{bounds.said_by_master - 1'000'000'000, liar_id};
      return {last, last};
    }
  }
  return {};
}

}  // namespace fixkeep::attack
