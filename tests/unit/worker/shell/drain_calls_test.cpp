#include "worker/shell/drain_calls.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fixkeep::worker {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const MasterId asking{1};

// A worker with two rooms of "duel", one of which is full of a player, and one of "team duel".
struct DrainCallsTest : testing::Test {
  DrainCallsTest() {
    step(MasterConnected{asking});
    for (const char* mode : {"duel", "duel", "team duel"}) {
      wire::SpawnRoom order;
      order.group = GroupKey{"g"};
      order.mode = ModeName{mode};
      order.creation = {{++tokens, asking}, 0, {}};
      order.capacity = 1;
      order.claims = {{PlayerId{"p" + std::to_string(tokens)}, {}}};
      step(MasterSaid{asking, order});
      const RoomNumber room{static_cast<std::uint32_t>(tokens)};
      step(RoomPlaced{room, wire::at_port(20'000)});
      step(ProcessReady{room});
    }
  }
  static RoomHostOptions options() {
    RoomHostOptions made;
    made.self = WorkerId{"w1"};
    made.incarnation = Incarnation{5};
    made.modes = {{.name = ModeName{"duel"}}, {.name = ModeName{"team duel"}}};
    return made;
  }
  void step(Event&& event) {
    Actions ignored;
    core.step(std::move(event), now, ignored);
  }
  // Asks, and steps what the core was asked for.
  template <class Call>
  nlohmann::json ask(Call call, unsigned status, std::string_view parameter = {},
                     std::string_view body = {}) {
    const std::function<void(Event &&)> post = [this](Event&& event) { step(std::move(event)); };
    const net::PathParameters parameters{parameter, {}};
    const auto answer = call(DrainCall{core, post, body, parameters});
    EXPECT_EQ(answer.status, status) << answer.body;
    return nlohmann::json::parse(answer.body);
  }
  wire::RoomPhase phase_of(std::uint32_t number) const {
    for (const auto& room : core.rooms()) {
      if (room.number == RoomNumber{number}) return room.phase;
    }
    return wire::RoomPhase::closed;
  }

  TimePoint now{std::chrono::hours{1}};
  std::uint64_t tokens = 0;
  RoomHost core{options(), now};
};

TEST_F(DrainCallsTest, one_room_drains_and_the_others_go_on) {
  const auto name = to_string(RoomId{WorkerId{"w1"}, Incarnation{5}, RoomNumber{1}});
  EXPECT_EQ(ask(drain_room, 202, name), (nlohmann::json{{"room", name}}));
  EXPECT_EQ(phase_of(1), wire::RoomPhase::draining);
  EXPECT_EQ(phase_of(2), wire::RoomPhase::open);
}

TEST_F(DrainCallsTest, a_mode_drains_with_all_its_rooms_until_it_is_resumed) {
  EXPECT_EQ(ask(drain_mode, 202, "team%20duel"),
            (nlohmann::json{{"mode", "team duel"}, {"rooms", 1}}));
  EXPECT_EQ(phase_of(3), wire::RoomPhase::draining);
  EXPECT_EQ(phase_of(1), wire::RoomPhase::open);
  ASSERT_EQ(core.paused_modes().size(), 1U);
  EXPECT_EQ(core.paused_modes()[0].mode, ModeName{"team duel"});
  ask(resume_mode, 202, "team%20duel");
  EXPECT_TRUE(core.paused_modes().empty());
  EXPECT_EQ(phase_of(3), wire::RoomPhase::draining);
}

TEST_F(DrainCallsTest, all_rooms_drain_and_the_worker_stays) {
  EXPECT_EQ(ask(drain_all, 202), (nlohmann::json{{"rooms", 3}}));
  EXPECT_TRUE(core.draining());
  EXPECT_EQ(core.headroom(), 0U);
  EXPECT_EQ(ask(drain_all, 202), (nlohmann::json{{"rooms", 0}})) << "they drain already";
  ask(resume_all, 202);
  EXPECT_FALSE(core.draining());
}

TEST_F(DrainCallsTest, the_time_is_bounded_and_what_is_over_is_closed) {
  ask(drain_mode, 202, "duel", R"({"most_ms": 500})");
  now += milliseconds{499};
  step(TimePassed{});
  EXPECT_EQ(phase_of(1), wire::RoomPhase::draining);
  now += milliseconds{1};
  step(TimePassed{});
  EXPECT_EQ(phase_of(1), wire::RoomPhase::closed);
  ask(drain_all, 202, {}, R"({"most_ms": 86400000.0})");
  ask(drain_all, 202, {}, "{}");
}

TEST_F(DrainCallsTest, what_is_wrong_is_refused_and_nothing_happens) {
  for (const char* body :
       {"x", "[]", "7", R"({"most_ms": -1})", R"({"most_ms": "5"})", R"({"most_ms": 86400001})",
        R"({"most": 5})", R"({"most_ms": 5, "x": 1})", R"({"most_ms": 1.5})",
        R"({"most_ms": 1e300})", R"({"most_ms": -1.0})"}) {
    const auto problem = ask(drain_mode, 400, "duel", body);
    EXPECT_EQ(problem.at("type"), "urn:fixkeep:error:invalid-request") << body;
    ask(drain_all, 400, {}, body);
    ask(drain_room, 400, "w1-0000000000000005-1", body);
  }
  for (const char* room :
       {"", "%", "w1", "w1-0000000000000005-9", "w1-0000000000000006-1", "w2-0000000000000005-1"}) {
    EXPECT_THAT(ask(drain_room, 404, room).at("type").get<std::string>(), HasSubstr("not-found"));
  }
  for (const char* mode : {"", "royale", "%zz"}) {
    ask(drain_mode, 404, mode);
    ask(resume_mode, 404, mode);
  }
  EXPECT_TRUE(core.paused_modes().empty());
  for (const std::uint32_t room : {1U, 2U, 3U}) EXPECT_EQ(phase_of(room), wire::RoomPhase::open);
}

}  // namespace
}  // namespace fixkeep::worker
