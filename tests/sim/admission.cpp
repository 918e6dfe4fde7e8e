#include "tests/sim/admission.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// The quartz of worker and master may differ by 400 ppm, and reservations are told in milliseconds.
Duration clock_error(Duration reserved_for) {
  return reserved_for / 2'000 + Duration{1'000};
}

// How much later than its seat a token may end where the exact end is not judged: the news of a
// worker may be under way for so long, and a master may sleep before it reads them.
constexpr Duration news_under_way{2'500'000};

std::string seconds(Duration duration) {
  return std::to_string(duration.count() / 1'000) + " ms";
}

}  // namespace

void Admission::asked(const wire::Claim& claim, const GroupKey& group, SimTime now) {
  askings_[claim.player].push_back({group, now});
  for (const PlayerId& other : claim.party) askings_[other].push_back({group, now});
}

void Admission::worker_stepped(WorkerNode& worker, const worker::Actions& actions, SimTime now) {
  for (const worker::Action& action : actions) {
    const auto* const kill = std::get_if<worker::KillProcess>(&action);
    if (kill != nullptr && kill->silence) {
      game_crashed({worker.id, worker.incarnation, kill->room});
    }
    const auto* const send = std::get_if<worker::SendToMaster>(&action);
    if (send == nullptr) continue;
    const RoomId id{worker.id, worker.incarnation, {}};
    if (const auto* const seats = std::get_if<wire::SeatReply>(&send->message)) {
      const auto process = worker.processes.find(seats->room);
      if (process == worker.processes.end()) continue;
      seated({id.worker, id.incarnation, seats->room}, process->second.group, seats->seated, now);
    } else if (const auto* const made = std::get_if<wire::SpawnReply>(&send->message)) {
      if (made->granted.empty()) continue;
      const wire::RoomInfo& room = made->room;
      seated({id.worker, id.incarnation, room.number}, room.group, room.players, now);
    }
  }
}

void Admission::seated(const RoomId& room, const GroupKey& group,
                       const std::vector<PlayerId>& players, SimTime now) {
  for (const PlayerId& player : players) seatings_[player].push_back({room, group, now});
}

void Admission::player_left(const RoomId& room, const PlayerId& player, SimTime now) {
  left_[{room, player}] = now;
}

SimTime Admission::left_at(const RoomId& room, const PlayerId& player) const {
  const auto left = left_.find({room, player});
  return left == left_.end() ? SimTime{} : left->second;
}

bool Admission::expired(const SeatAnswer& answer, const PlayerId& player, SimTime now) const {
  const SimTime from = answer.kept ? left_at(answer.room, player) : answer.answered_at;
  Duration lasts = answer.reserved_for - clock_error(answer.reserved_for);
  if (!options_.checks.exact_expiry) lasts -= news_under_way + options_.faults.longest_nap();
  return now - from >= lasts;
}

bool Admission::moved_on(const SeatAnswer& answer, const PlayerId& player) const {
  const auto seatings = seatings_.find(player);
  const auto askings = askings_.find(player);
  if (seatings == seatings_.end() || askings == askings_.end()) return false;
  return std::any_of(seatings->second.begin(), seatings->second.end(), [&](const Seating& seat) {
    if (seat.room == answer.room || seat.at < answer.asked_at) return false;
    if (options_.mode_of(seat.group) != options_.mode_of(answer.group)) return false;
    return std::any_of(askings->second.begin(), askings->second.end(), [&](const Asking& asking) {
      return asking.at > answer.asked_at && asking.at <= seat.at && asking.group == seat.group;
    });
  });
}

std::string Admission::text_of(const SeatAnswer& answer, const PlayerId& player,
                               SimTime now) const {
  return fmt::format("{} of {} comes to {} #{} {} after the answer, which reserved {}",
                     player.text(), answer.group.text(), answer.room.worker.text(),
                     answer.room.number.number(), seconds(now - answer.answered_at),
                     seconds(answer.reserved_for));
}

bool Admission::excused(const SeatAnswer& answer, const PlayerId& player, SimTime now) const {
  if (!options_.checks.admission || expired(answer, player, now)) return true;
  if (crashed_.contains(answer.room) || moved_on(answer, player)) return true;
  if (answer.kept) return false;
  const auto left = left_.find({answer.room, player});
  return left != left_.end() && left->second + options_.busy.longest_lag() >= answer.asked_at;
}

void Admission::turned_away(const SeatAnswer& answer, const PlayerId& player, SimTime now) const {
  if (excused(answer, player, now)) return;
  throw Violation::safety(text_of(answer, player, now) + ", and is turned away");
}

void Admission::no_game(const SeatAnswer& answer, const PlayerId& player, SimTime now) const {
  if (excused(answer, player, now)) return;
  throw Violation::safety(text_of(answer, player, now) + ", and its worker has ended the game");
}

}  // namespace fixkeep::sim
