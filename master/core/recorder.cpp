#include "master/core/recorder.hpp"

#include <variant>
#include <vector>

namespace fixkeep::master {
namespace {

// Returns one player of each claim with `brings`. Only claims of pools have these texts.
std::vector<PlayerId> players_of_pool(const std::vector<wire::Claim>& claims) {
  std::vector<PlayerId> players;
  for (const wire::Claim& claim : claims) {
    if (!claim.brings.empty()) players.push_back(claim.player);
  }
  return players;
}

// Returns the team of each claim. Empty: no rules with teams have chosen the players. A party is in
// one team.
std::vector<std::string> teams_of_pool(const std::vector<wire::Claim>& claims) {
  std::vector<std::string> teams;
  for (const wire::Claim& claim : claims) {
    if (!claim.lineup.empty() && !claim.lineup.front().team.empty()) {
      teams.push_back(claim.lineup.front().team);
    }
  }
  return teams;
}

// Records a message to a worker.
struct Orders {
  events::Happenings& noted;
  const Recorder& recorder;
  const WorkerId& worker;

  template <class Other>
  void operator()(const Other&) {}

  void operator()(const wire::PrepareSpawn& message) {
    noted.emplace_back(events::FenceAsked{worker, message.request, message.group});
  }
  void operator()(const wire::SeatRequest& message) {
    std::uint32_t seats = 0;
    for (const wire::Claim& claim : message.claims) seats += claim.seats();
    noted.emplace_back(events::SeatsAsked{worker, message.request, message.room, seats,
                                          players_of_pool(message.claims)});
  }
  void operator()(const wire::SpawnRoom& message) {
    if (wire::is_warm_pool(message.group)) return;  // recorded when the room gets a group
    events::RoomOrdered order;
    order.worker = worker;
    order.request = message.request;
    order.group = message.group;
    order.creation = message.creation;
    order.capacity = message.capacity;
    order.kept_back = recorder.kept_back(message.group);
    for (const wire::Claim& claim : message.claims) order.claims.push_back(claim.seats());
    order.players = players_of_pool(message.claims);
    order.teams = teams_of_pool(message.claims);
    noted.emplace_back(std::move(order));
  }
};

// Records a message from a worker.
struct Answers {
  events::Happenings& noted;
  const WorkerId& worker;

  template <class Other>
  void operator()(const Other&) {}

  void operator()(const wire::PrepareReply& message) {
    noted.emplace_back(events::FenceAnswered{worker, message.request});
  }
  void operator()(const wire::SeatReply& message) {
    noted.emplace_back(events::SeatsAnswered{worker, message.request});
  }
  void operator()(const wire::SpawnReply& message) {
    noted.emplace_back(events::OrderAnswered{worker, message.request,
                                             message.outcome == wire::SpawnOutcome::accepted});
  }
};

// Records an event, or an order to the locks.
struct Notes {
  events::Happenings& noted;

  template <class Other>
  void operator()(const Other&) {}

  void operator()(const MatchRequested& event) {
    noted.emplace_back(events::MatchAsked{event.ticket, event.group, event.claim.seats(),
                                          event.rules ? event.claim.player : PlayerId{}});
  }
  void operator()(const WorkerSaid& event) {
    std::visit(Answers{noted, event.worker}, event.message);
  }
  void operator()(const AcquireLock& order) { noted.emplace_back(events::LockWanted{order.group}); }
  void operator()(const AbandonLock& order) { noted.emplace_back(events::LockLeft{order.group}); }
  void operator()(const ReleaseLock& order) { noted.emplace_back(events::LockLeft{order.group}); }
};

// Records an action.
struct Deeds {
  events::Happenings& noted;
  const Recorder& recorder;

  template <class Other>
  void operator()(const Other&) {}

  void operator()(const SendToWorker& action) {
    std::visit(Orders{noted, recorder, action.worker}, action.message);
  }
  void operator()(const LockTaken& action) {
    noted.emplace_back(events::LockGranted{action.group, action.token});
  }
  void operator()(const Seated& action) {
    noted.emplace_back(events::MatchAnswered{action.ticket, to_string(action.room)});
  }
  void operator()(const Refused& action) {
    noted.emplace_back(events::MatchAnswered{action.ticket, {}});
  }
};

}  // namespace

void Recorder::happened(const Event& event) {
  if (wanted_) std::visit(Notes{noted_}, event);
}

void Recorder::done(const Actions& actions, std::size_t from) {
  if (!wanted_) return;
  for (std::size_t i = from; i < actions.size(); ++i) std::visit(Deeds{noted_, *this}, actions[i]);
}

events::KeptBack Recorder::kept_back(const GroupKey& key) const {
  const Group* group = groups_.find(key);
  return group == nullptr ? events::KeptBack{} : need_.kept_back(*group);
}

void Recorder::note(const LockOrder& order) {
  if (wanted_) std::visit(Notes{noted_}, order);
}

void Recorder::lost(const GroupKey& group) {
  if (wanted_) noted_.emplace_back(events::LockLeft{group});
}

}  // namespace fixkeep::master
