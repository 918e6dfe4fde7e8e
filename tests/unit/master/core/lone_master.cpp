#include "tests/unit/master/core/lone_master.hpp"

namespace fixkeep::master {

void LoneMaster::accept(const Sent& sent, std::uint32_t room, std::uint32_t headroom) {
  const auto& order = std::get<wire::SpawnRoom>(sent.message);
  wire::SpawnReply reply;
  reply.request = order.request;
  reply.outcome = wire::SpawnOutcome::accepted;
  reply.headroom = headroom;
  reply.room.number = RoomNumber{room};
  reply.room.group = order.group;
  reply.room.mode = order.mode;
  reply.room.capacity = order.capacity;
  reply.room.creation = order.creation;
  reply.reserved_for = std::chrono::seconds{15};
  for (std::uint32_t i = 0; i < order.claims.size(); ++i) {
    reply.granted.push_back(i);
    reply.room.players.push_back(hash_of(order.claims[i].player));
  }
  say(sent.worker.text(), reply);
}

void LoneMaster::refuse(const Sent& sent, wire::SpawnOutcome outcome, std::uint32_t headroom) {
  wire::SpawnReply reply;
  reply.request = std::get<wire::SpawnRoom>(sent.message).request;
  reply.outcome = outcome;
  reply.headroom = headroom;
  say(sent.worker.text(), reply);
}

void LoneMaster::promise(const Sent& sent, std::vector<wire::RoomInfo> rooms) {
  wire::PrepareReply reply;
  reply.rooms = std::move(rooms);
  reply.request = std::get<wire::PrepareSpawn>(sent.message).request;
  reply.promised = true;
  say(sent.worker.text(), reply);
}

}  // namespace fixkeep::master
