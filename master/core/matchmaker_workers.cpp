#include <algorithm>
#include <type_traits>

#include "master/core/matchmaker_internals.hpp"

namespace fixkeep::master {

void Matchmaker::Impl::worker_up(const WorkerId& worker, Incarnation incarnation, Step& step) {
  worker_down(worker, step);  // a newer connection replaces an older one
  directory_.connect(worker, incarnation);
  link_changed(worker, step);
  awaited_.connected({worker, incarnation}, step.now);
}

void Matchmaker::Impl::worker_down(const WorkerId& worker, Step& step) {
  const Worker* known = directory_.find(worker);
  if (known == nullptr) return;
  if (known->known) awaited_.went_down(worker, directory_.workers().size(), step.now);
  awaited_.disconnected(worker);
  for (const auto& [number, room] : known->rooms) { groups_.mark(room.group); }
  directory_.disconnect(worker);
  link_changed(worker, step);
  for (const Question& question : questions_.take_all(worker)) question_lost(question, step);
  for (const ClaimNumber number : claims_.reserved_on(worker)) requeue_lost(number, step);
}

void Matchmaker::Impl::link_changed(const WorkerId& worker, Step& step) {
  for (Group* group : groups_.holding()) {
    tell(*group, hold::LinkChanged{worker}, step);
    groups_.mark(*group);
  }
}

void Matchmaker::Impl::close_link(const WorkerId& worker, Step& step) {
  // `worker` may live in what is about to be dropped.
  const WorkerId id = worker;  // NOLINT(performance-unnecessary-copy-initialization)
  step.out.emplace_back(CloseWorkerLink{id});
  worker_down(id, step);
}

void Matchmaker::Impl::question_lost(const Question& question, Step& step) {
  std::visit([&](const auto& about) { lost(*question.group, question.worker, about, step); },
             question.about);
  groups_.mark(*question.group);
}

void Matchmaker::Impl::lost(Group&, const WorkerId&, const SeatQuestion& seats, Step& step) {
  for (const ClaimNumber number : seats.claims) requeue_lost(number, step);
}

void Matchmaker::Impl::lost(Group&, const WorkerId&, const PromiseQuestion&, Step&) {}

void Matchmaker::Impl::lost(Group& group, const WorkerId& worker, const OrderQuestion& order,
                            Step& step) {
  order_ended(group, worker, order, OrderFate::unknown, {}, step);
  for (const ClaimNumber number : order.claims) requeue_lost(number, step);
}

void Matchmaker::Impl::expire_questions(Step& step) {
  while (const WorkerId* silent = questions_.overdue(step.now)) close_link(*silent, step);
  for (const WorkerId& worker : awaited_.silent(step.now)) close_link(worker, step);
}

void Matchmaker::Impl::worker_said(const WorkerId& worker, wire::Message&& message, Step& step) {
  const Worker* known = directory_.find(worker);
  if (known == nullptr) return;  // its link was closed and this was on its way
  const bool first = std::holds_alternative<wire::WorkerState>(message);
  if (first == known->known) {  // the state comes first, and once
    close_link(worker, step);
    return;
  }
  std::visit(
      [&](auto& said) {
        using Said = std::decay_t<decltype(said)>;
        if constexpr (std::is_same_v<Said, wire::WorkerState>) {
          worker_state(worker, std::move(said), step);
        } else if constexpr (std::is_same_v<Said, wire::RoomsChanged>) {
          rooms_changed(worker, std::move(said), step);
        } else if constexpr (std::is_same_v<Said, wire::SeatReply>) {
          seat_reply(worker, said, step);
        } else if constexpr (std::is_same_v<Said, wire::PrepareReply>) {
          prepare_reply(worker, std::move(said), step);
        } else if constexpr (std::is_same_v<Said, wire::SpawnReply>) {
          spawn_reply(worker, std::move(said), step);
        } else {
          close_link(worker, step);  // what only masters say
        }
      },
      message);
}

void Matchmaker::Impl::worker_state(const WorkerId& worker, wire::WorkerState&& state, Step& step) {
  awaited_.introduced(worker);
  directory_.introduce(worker, state);
  used_counter_ = std::max(used_counter_, state.highest_counter);
  for (const wire::RoomInfo& info : state.rooms) {
    if (!learn_room(worker, info, step)) return;
  }
  const Incarnation run = directory_.find(worker)->incarnation;
  for (Group* group : groups_.holding()) {
    merge_absent(*group, {worker, run});
    tell(*group, hold::WorkerKnown{worker, run}, step);
    groups_.mark(*group);
  }
}

void Matchmaker::Impl::rooms_changed(const WorkerId& worker, wire::RoomsChanged&& news,
                                     Step& step) {
  directory_.set_headroom(worker, news.headroom);
  for (const wire::RoomInfo& info : news.opened) {
    if (!learn_room(worker, info, step)) return;
  }
  const Incarnation incarnation = directory_.find(worker)->incarnation;
  for (const wire::RoomChange& change : news.changed) {
    const RoomId id{worker, incarnation, change.number};
    const Room* room = directory_.find(id);
    if (room == nullptr) continue;
    if (change.reason == wire::CloseReason::boot_failed) ++counters_.boots_failed;
    groups_.mark(room->group);
    directory_.change(id, change);
    room = directory_.find(id);
    if (room != nullptr) players_seated(*room, change.seated, step);
    room_news(id, change.reason, step);
  }
  directory_.set_newest_room(worker, news.newest_room);
  for (const RoomId& id : directory_.overtaken_hints(worker)) {
    directory_.remove(id);
    room_news(id, wire::CloseReason::none, step);
  }
}

bool Matchmaker::Impl::learn_room(const WorkerId& worker, const wire::RoomInfo& info, Step& step) {
  if (!directory_.put(worker, info)) {
    close_link(worker, step);
    return false;
  }
  const RoomId id{worker, directory_.find(worker)->incarnation, info.number};
  if (const Room* room = directory_.find(id)) players_seated(*room, info.players, step);
  room_news(id, wire::CloseReason::none, step);
  return true;
}

}  // namespace fixkeep::master
