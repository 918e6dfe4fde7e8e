#include "master/core/master_core.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "master/core/directory/directory.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::master {
namespace {

// Carries messages between one master and one worker until both are quiet.
void carry(MasterCore& master, worker::RoomHost& host, Actions& todo, Actions& answers,
           TimePoint now) {
  for (std::size_t i = 0; i < todo.size(); ++i) {
    auto* send = std::get_if<SendToWorker>(&todo[i]);
    if (send == nullptr) {
      answers.push_back(todo[i]);
      continue;
    }
    worker::Actions out;
    host.step(worker::MasterSaid{MasterId{1}, send->message}, now, out);
    host.step(worker::BatchEnded{}, now, out);
    for (std::size_t k = 0; k < out.size(); ++k) {
      const worker::Action action = out[k];
      if (const auto* start = std::get_if<worker::StartProcess>(&action)) {
        host.step(worker::ProcessReady{start->room}, now, out);
        host.step(worker::BatchEnded{}, now, out);
      } else if (const auto* said = std::get_if<worker::SendToMaster>(&action)) {
        master.step(WorkerSaid{WorkerId{"w"}, said->message}, now, todo);
      }
    }
  }
  todo.clear();
}

TEST(MasterCore, a_lone_master_takes_its_own_lock_and_seats_a_player) {
  TimePoint now{std::chrono::seconds{10}};
  MasterOptions options;
  options.await_workers = Duration{0};
  options.self = MasterId{1};
  options.locks.self = MasterId{1};
  options.record_events = true;
  MasterCore master{options, now};
  worker::RoomHostOptions rooms;
  rooms.self = WorkerId{"w"};
  rooms.address = "10.0.0.1";
  rooms.modes.resize(1);
  rooms.modes[0].name = ModeName{"duel"};
  worker::RoomHost host{rooms, now};
  Actions todo;
  Actions answers;
  worker::Actions hello;
  master.step(WorkerConnected{WorkerId{"w"}, rooms.incarnation}, now, todo);
  host.step(worker::MasterConnected{MasterId{1}}, now, hello);
  for (const auto& action : hello) {
    const auto& said = std::get<worker::SendToMaster>(action);
    master.step(WorkerSaid{WorkerId{"w"}, said.message}, now, todo);
  }
  MatchRequested request;
  request.ticket = TicketId{1};
  request.groups = GroupChoice{GroupKey{"g"}};
  request.mode = ModeName{"duel"};
  request.capacity = 8;
  request.claim.player = PlayerId{"ann"};
  request.deadline = now + std::chrono::seconds{30};
  master.step(std::move(request), now, todo);
  carry(master, host, todo, answers, now);
  for (int i = 0; i < 20 && answers.empty(); ++i) {
    now += std::chrono::seconds{1};
    master.step(TimePassed{}, now, todo);
    carry(master, host, todo, answers, now);
  }
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(std::get<Seated>(answers[0]).address, "10.0.0.1");
  EXPECT_EQ(master.directory().rooms_of(GroupKey{"g"}).size(), 1U);
  EXPECT_EQ(master.waiting(), 0U);

  std::vector<std::string> told;
  for (const events::What& what : master.take_events()) {
    if (std::holds_alternative<events::MatchAsked>(what)) told.emplace_back("asked");
    if (std::holds_alternative<events::LockWanted>(what)) told.emplace_back("lock wanted");
    if (std::holds_alternative<events::LockGranted>(what)) told.emplace_back("lock granted");
    if (std::holds_alternative<events::FenceAsked>(what)) told.emplace_back("fence asked");
    if (std::holds_alternative<events::RoomOrdered>(what)) told.emplace_back("room ordered");
    if (std::holds_alternative<events::LockLeft>(what)) told.emplace_back("lock left");
    if (std::holds_alternative<events::MatchAnswered>(what)) told.emplace_back("answered");
  }
  EXPECT_EQ(told, (std::vector<std::string>{"asked", "lock wanted", "lock granted", "fence asked",
                                            "room ordered", "lock left", "answered"}));
}

TEST(MasterCore, a_worker_that_says_what_only_masters_say_is_not_recorded) {
  const TimePoint now{std::chrono::seconds{10}};
  MasterOptions options;
  options.self = MasterId{1};
  options.locks.self = MasterId{1};
  options.record_events = true;
  MasterCore master{options, now};
  Actions todo;
  const WorkerId worker{"w"};
  wire::SpawnRoom order;
  order.group = GroupKey{"g"};
  order.claims.resize(1);
  for (const wire::Message& message :
       {wire::Message{order}, wire::Message{wire::SeatRequest{.claims = order.claims}},
        wire::Message{wire::PrepareSpawn{.group = order.group}}}) {
    master.step(WorkerConnected{worker, Incarnation{1}}, now, todo);
    master.step(WorkerSaid{worker, message}, now, todo);
  }
  EXPECT_TRUE(master.take_events().empty());
}

}  // namespace
}  // namespace fixkeep::master
