// What a master tells of the end of its orders: each once, however the worker says it.
#include <gmock/gmock.h>

#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using testing::ElementsAre;
using testing::IsEmpty;
using How = OrderDone::How;

MasterOptions lone() {
  MasterOptions options;
  options.self = MasterId{1};
  options.await_workers = Duration{0};
  options.out_of_sight = Duration{0};
  return options;
}

struct OrderDoneTest : testing::Test {
  OrderDoneTest() {
    connect();
    const GroupKey group{"g"};
    core.step(MatchRequested{TicketId{1},
                             group,
                             ModeName{"duel"},
                             8,
                             {PlayerId{"ann"}, {}, {"r1", TraceContext{{1, 2}, 3, true}}},
                             now + minutes{10}},
              now, actions);
    LockGranted grant;
    grant.group = group;
    grant.token = {7, MasterId{1}};
    core.granted(std::move(grant), now, actions);
    for (const Action& action : actions) {
      const auto* sent = std::get_if<SendToWorker>(&action);
      const auto* spawn = sent == nullptr ? nullptr : std::get_if<wire::SpawnRoom>(&sent->message);
      if (spawn != nullptr) order = *spawn;
    }
    EXPECT_EQ(order.group, group);
    EXPECT_THAT(told(), IsEmpty()) << "it has no end yet";
  }

  void connect(std::uint64_t run = 1) {
    core.step(WorkerConnected{w, Incarnation{run}}, now, actions);
    wire::WorkerState state;
    state.room_limit = 10;
    state.headroom = 10;
    state.modes.known = {ModeName{"duel"}};
    say(state);
  }
  void say(wire::Report report) { core.step(WorkerSaid{w, std::move(report)}, now, actions); }
  [[nodiscard]] wire::RoomInfo room(wire::RoomPhase phase) const {
    wire::RoomInfo room;
    room.number = RoomNumber{3};
    room.group = order.group;
    room.mode = order.mode;
    room.creation = order.creation;
    room.capacity = order.capacity;
    room.phase = phase;
    room.place = wire::at_port(20'000);
    return room;
  }
  void answer(wire::SpawnOutcome outcome, wire::RoomPhase phase = wire::RoomPhase::starting) {
    wire::SpawnReply reply;
    reply.request = order.request;
    reply.outcome = outcome;
    reply.headroom = 9;
    if (outcome == wire::SpawnOutcome::accepted) {
      reply.room = room(phase);
      reply.granted = {0};
    }
    now += milliseconds{1};
    say(reply);
  }
  void change(wire::RoomPhase phase, wire::CloseReason reason = wire::CloseReason::none) {
    wire::RoomsChanged news;
    news.headroom = 9;
    wire::RoomChange change;
    change.number = RoomNumber{3};
    change.phase = phase;
    change.reason = reason;
    news.changed = {change};
    now += milliseconds{1500};
    say(news);
  }
  // Since this was asked the last time.
  std::vector<OrderDone> told() {
    std::vector<OrderDone> found;
    for (const Action& action : std::exchange(actions, {})) {
      if (const auto* done = std::get_if<OrderDone>(&action)) found.push_back(*done);
    }
    return found;
  }

  const WorkerId w{"w"};
  const TimePoint begin{minutes{10}};
  TimePoint now = begin;
  Actions actions;
  LockOrders locks;
  MasterCore core{lone(), locks, now};
  wire::SpawnRoom order;
};

auto is(How how, const std::string& why = {}) {
  return testing::AllOf(testing::Field(&OrderDone::how, how), testing::Field(&OrderDone::why, why));
}

TEST_F(OrderDoneTest, is_told_with_its_cause_when_its_room_is_open) {
  answer(wire::SpawnOutcome::accepted);
  EXPECT_THAT(told(), IsEmpty());
  change(wire::RoomPhase::open);
  const auto done = told();
  ASSERT_THAT(done, ElementsAre(is(How::opened)));
  EXPECT_EQ(done[0].cause.request_id, "r1");
  EXPECT_EQ(done[0].cause.trace->trace, (TraceId{1, 2}));
  EXPECT_EQ(done[0].ordered_at, begin);
  EXPECT_EQ(done[0].creation, order.creation);
  EXPECT_EQ(done[0].room, (RoomId{w, Incarnation{1}, RoomNumber{3}}));
  change(wire::RoomPhase::closed, wire::CloseReason::empty);
  EXPECT_THAT(told(), IsEmpty()) << "once";
}

TEST_F(OrderDoneTest, is_told_with_the_reason_when_its_room_does_not_open) {
  answer(wire::SpawnOutcome::accepted);
  change(wire::RoomPhase::closed, wire::CloseReason::boot_failed);
  EXPECT_THAT(told(), ElementsAre(is(How::failed, "boot-failed")));
}

TEST_F(OrderDoneTest, is_told_when_it_is_refused) {
  answer(wire::SpawnOutcome::no_capacity);
  EXPECT_THAT(told(), ElementsAre(is(How::refused, "no-capacity")));
  answer(wire::SpawnOutcome::no_capacity);
  EXPECT_THAT(told(), IsEmpty()) << "nobody asked that";
}

TEST_F(OrderDoneTest, is_told_when_it_is_given_a_warm_room) {
  answer(wire::SpawnOutcome::accepted, wire::RoomPhase::open);
  EXPECT_THAT(told(), ElementsAre(is(How::given)));
}

TEST_F(OrderDoneTest, is_out_of_sight_when_its_worker_goes_before_it_answers) {
  core.step(WorkerDisconnected{w}, now, actions);
  EXPECT_THAT(told(), ElementsAre(is(How::out_of_sight)));
}

TEST_F(OrderDoneTest, is_out_of_sight_once_when_its_worker_goes_while_the_room_starts) {
  answer(wire::SpawnOutcome::accepted);
  connect(1);  // a newer connection
  EXPECT_THAT(told(), ElementsAre(is(How::out_of_sight)));
  change(wire::RoomPhase::open);
  core.step(WorkerDisconnected{w}, now, actions);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(OrderDoneTest, is_told_of_a_room_that_never_opens) {
  answer(wire::SpawnOutcome::accepted);
  now += minutes{60};
  core.step(TimePassed{}, now, actions);
  EXPECT_THAT(told(), ElementsAre(is(How::out_of_sight))) << "its link is closed";
}

TEST_F(OrderDoneTest, is_told_when_the_answer_contradicts_it) {
  order.creation.index += 1;
  answer(wire::SpawnOutcome::accepted);
  EXPECT_THAT(told(), ElementsAre(is(How::out_of_sight)));
}

}  // namespace
}  // namespace fixkeep::master
