#include "tests/sim/ghost_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "common/wire/warm_pool.hpp"
#include "master/core/directory/directory.hpp"
#include "master/core/seam/each_player.hpp"
#include "worker/core/room.hpp"

namespace fixkeep::sim {
namespace {

// An order of a master that has crashed may be under way for so long.
constexpr Duration order_under_way{15'000'000};

}  // namespace

void GhostJudge::answered(const master::Seated& seated) {
  for (const PlayerId& player : seated.players) {
    answered_.insert({{seated.room.worker, seated.room.number}, player});
  }
}

void GhostJudge::master_takes(const MasterNode& master, const master::Event& event) {
  const auto* const request = std::get_if<master::MatchRequested>(&event);
  if (request == nullptr) return;
  master::each_player(request->claim,
                      [&](const PlayerId& player) { asked_[player].insert(master.id); });
}

void GhostJudge::reserved(const Room& room, const wire::Claim& claim, MasterId by) {
  master::each_player(claim, [&](const PlayerId& player) {
    asked_[player].insert(by);  // for others, if it holds a pool
    const Seat seat{room, player};
    Reserved& reserved = reserved_[seat];
    reserved.last = scheduler_.now();
    if (++reserved.times > worker::Reservations::most) excused_.insert(seat);
    for (const MasterId master : asked_[player]) {
      const auto at = crashed_at_.find(master);
      const bool gone = at != crashed_at_.end() && scheduler_.now() < at->second + order_under_way;
      if (gone) excused_.insert(seat);
    }
  });
}

void GhostJudge::worker_stepped(const WorkerNode& worker, const worker::Actions& actions) {
  for (const worker::Action& action : actions) {
    const auto* const sent = std::get_if<worker::SendToMaster>(&action);
    if (sent == nullptr || !sent->answered) continue;
    if (const auto* const seats = std::get_if<wire::SeatReply>(&sent->message)) {
      const auto& asked = std::get<wire::SeatRequest>(*sent->answered);
      for (const std::uint32_t each : seats->granted) {
        reserved({worker.id, seats->room}, asked.claims.at(each), sent->master);
      }
    } else if (const auto* const made = std::get_if<wire::SpawnReply>(&sent->message)) {
      const auto& order = std::get<wire::SpawnRoom>(*sent->answered);
      for (const std::uint32_t each : made->granted) {
        reserved({worker.id, made->room.number}, order.claims.at(each), sent->master);
      }
    }
  }
}

void GhostJudge::master_crashed(const MasterNode& master) {
  crashed_at_[master.id] = scheduler_.now();
  for (const auto& [seat, reserved] : reserved_) {
    if (asked_[seat.second].contains(master.id)) excused_.insert(seat);
  }
}

bool GhostJudge::is_known_to_all(const WorkerNode& worker) const {
  const auto& masters = cluster_->masters();
  return std::all_of(masters.begin(), masters.end(), [&](const auto& master) {
    const master::Worker* known = master->core->directory().find(worker.id);
    return known != nullptr && known->known;
  });
}

std::string GhostJudge::ghost(SimTime before) const {
  for (const auto& worker : cluster_->workers()) {
    if (!worker->core || !is_known_to_all(*worker)) continue;
    for (const wire::RoomInfo& room : worker->rooms) {
      if (room.phase == wire::RoomPhase::closed || wire::is_warm_pool(room.group)) continue;
      for (const PlayerId& player : room.players) {
        const Seat seat{{worker->id, room.number}, player};
        const auto at = reserved_.find(seat);
        if (at == reserved_.end() || at->second.last >= before) continue;
        if (answered_.contains(seat) || excused_.contains(seat)) continue;
        return fmt::format("the seat of {} in {} #{} is a ghost: nobody was told of it",
                           player.text(), worker->id.text(), room.number.number());
      }
    }
  }
  return {};
}

}  // namespace fixkeep::sim
