// Matches that were made elsewhere, from the call of a service to the answer. The worker is the
// test.
#include "master/http/matches/desk.hpp"

#include "tests/unit/master/http/tickets/ticket_master.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

const WorkerId w1{"w1"};
const std::string final_match = "/v1/matches/final";
const std::string duel_order =
    R"({"mode":"duel","players":[{"player_id":"ann"},{"player_id":"bob"}],"wait_ms":0})";

struct MatchesTest : testing::Test {
  [[nodiscard]] std::string ask(const std::string& method, const std::string& text = {}) const {
    return master.ask(method + " " + final_match, TicketMaster::service_key(), text);
  }
  void step(Event&& event) {
    master.server.on_thread([&] {
      Actions done;
      master.core.step(std::move(event), master.now(), done);
      for (const Action& action : done) {
        if (const auto* seated = std::get_if<Seated>(&action)) {
          master.matches.answer(*seated, master.now(), auth::WallTime{});
        } else if (const auto* refused = std::get_if<Refused>(&action)) {
          master.matches.answer(*refused, master.now());
        }
      }
    });
  }
  // The core hears of all requests since the last call.
  void hear() {
    const auto requested = master.requested();
    for (; heard < requested.size(); ++heard) step(MatchRequested{requested[heard]});
  }
  void connect(std::uint32_t headroom, std::vector<wire::RoomInfo> rooms = {}) {
    wire::WorkerState state;
    state.address = "10.0.0.7";
    state.room_limit = 10;
    state.headroom = headroom;
    state.modes.known = {ModeName{"duel"}};
    state.rooms = std::move(rooms);
    state.keeps_matches = true;
    step(WorkerConnected{w1, Incarnation{1}});
    step(WorkerSaid{w1, state});
  }
  // The room of the match, which was made for the order above.
  static wire::RoomInfo room(std::uint32_t capacity = 4) {
    const std::vector<Mode> modes{{.name = ModeName{"duel"}, .capacity = 4}};
    auto order = parse_match_order(duel_order, modes, seconds{30});
    wire::RoomInfo made;
    made.number = RoomNumber{3};
    made.group = wire::match_group_of("final");
    made.mode = ModeName{"duel"};
    made.phase = wire::RoomPhase::open;
    made.place = wire::RoomPlace{"", {{"default", 20'000}}};
    made.capacity = capacity;
    made.creation = {{7, MasterId{1}}, 0, Incarnation{7}};
    made.players = {PlayerId{"ann"}, PlayerId{"bob"}};
    made.match = std::get<MatchOrder>(order).facts;
    return made;
  }
  // Answers the last call, as the worker with fresh reservations does.
  void seat() {
    const auto requested = master.requested();
    ASSERT_THAT(requested, Not(IsEmpty()));
    const auto& last = requested.back();
    master.server.on_thread([&] {
      Seated seated{.ticket = last.ticket,
                    .room = {w1, Incarnation{1}, RoomNumber{3}},
                    .group = last.group,
                    .place = {"10.0.0.7", {{"default", 20'000}}},
                    .players = {PlayerId{"ann"}, PlayerId{"bob"}},
                    .reserved_for = seconds{15}};
      EXPECT_TRUE(master.matches.answer(seated, master.now(), auth::WallTime{}));
    });
  }
  // A call that waits for the worker's answer. It has arrived when this returns.
  [[nodiscard]] TicketMaster::Client begin(const std::string& method,
                                           const std::string& text = {}) {
    const auto before = master.requested().size();
    auto client = master.send(method + " " + final_match, TicketMaster::service_key(), text);
    EXPECT_TRUE(net::test::eventually([&] { return master.requested().size() > before; }));
    return client;
  }

  TicketMaster master;
  std::size_t heard = 0;
};

TEST_F(MatchesTest, are_looked_at_without_seats_when_the_first_reservations_are_over) {
  connect(5, {room()});
  auto first = begin("PUT", duel_order);
  seat();
  EXPECT_THAT(first->read_answer(), HasSubstr("seat_token"));
  master.pass(seconds{14});
  auto again = begin("GET");
  seat();
  EXPECT_THAT(again->read_answer(), HasSubstr("seat_token")) << "an answer may be lost";
  master.pass(seconds{1});
  const auto before = master.requested().size();
  const std::string seen = ask("GET");
  EXPECT_THAT(master.requested(), SizeIs(before)) << "or a room lives as long as it is looked at";
  EXPECT_EQ(TicketMaster::status_of(seen), "200");
  const auto page = TicketMaster::json_of(seen);
  EXPECT_EQ(page.at("state"), "ready");
  EXPECT_EQ(page.at("address"), "10.0.0.7");
  EXPECT_EQ(page.at("port"), 20'000);
  EXPECT_THAT(page.at("players"), SizeIs(2));
  EXPECT_THAT(seen, Not(HasSubstr("seat_token")));
  EXPECT_THAT(seen, Not(HasSubstr("expires_at")));
  auto asked = begin("PUT", duel_order);
  seat();
  EXPECT_THAT(asked->read_answer(), HasSubstr("seat_token"));
  wire::RoomInfo left = room();
  left.match->players.clear();
  connect(5, {left});
  EXPECT_EQ(TicketMaster::json_of(ask("GET")).at("state"), "empty");
}

TEST_F(MatchesTest, say_that_a_late_player_makes_them_too_large) {
  auto nearly = room();
  nearly.match->metadata.assign(wire::limits::match_bytes - nearly.match->bytes() - 20, 'x');
  connect(5, {nearly});
  const std::string answer =
      master.ask("POST " + final_match + "/players", TicketMaster::service_key(),
                 R"({"players":[{"player_id":"a player with a long name"}]})");
  EXPECT_EQ(TicketMaster::status_of(answer), "400");
  EXPECT_THAT(answer, HasSubstr("more than 49152 bytes"));
  EXPECT_THAT(master.requested(), IsEmpty());
}

TEST_F(MatchesTest, that_wait_for_a_worker_are_cancelled_with_all_their_calls) {
  EXPECT_EQ(TicketMaster::status_of(ask("PUT", duel_order)), "202");
  ASSERT_THAT(master.requested(), SizeIs(1));
  auto waits =
      begin("PUT", R"({"mode":"duel","players":[{"player_id":"ann"},{"player_id":"bob"}]})");
  EXPECT_EQ(TicketMaster::status_of(ask("DELETE")), "204");
  EXPECT_THAT(master.cancelled(), SizeIs(2));
  const std::string ended = waits->read_answer();
  EXPECT_EQ(TicketMaster::status_of(ended), "404");
  EXPECT_THAT(ended, HasSubstr("urn:fixkeep:error:match-unknown"));
  EXPECT_EQ(TicketMaster::status_of(ask("DELETE")), "404");
  EXPECT_EQ(TicketMaster::status_of(ask("PUT", duel_order)), "202") << "the id may be used again";
  EXPECT_THAT(master.requested(), SizeIs(3));
}

TEST_F(MatchesTest, say_why_their_room_does_not_start) {
  connect(0);
  EXPECT_THAT(ask("PUT", duel_order), Not(HasSubstr("no_capacity")));
  hear();
  for (int i = 0; i < 50; ++i) {
    master.pass(milliseconds{100});
    step(TimePassed{});
  }
  const std::string waits = ask("PUT", duel_order);
  EXPECT_EQ(TicketMaster::status_of(waits), "202");
  EXPECT_EQ(TicketMaster::json_of(waits).at("state"), "starting");
  EXPECT_EQ(TicketMaster::json_of(waits).value("no_capacity", ""), "workers-full");
}

TEST_F(MatchesTest, with_a_room_are_found_by_the_body_of_an_earlier_mode) {
  connect(5, {room()});
  for (Mode changed : {Mode{.name = ModeName{"duel"}, .capacity = 1},
                       Mode{.name = ModeName{"duel"}, .capacity = 4, .attributes = {"region"}},
                       Mode{.name = ModeName{"other"}, .capacity = 4}}) {
    master.server.on_thread([&] { master.desk.renew({changed}, master.now()); });
    auto again = begin("PUT", duel_order.substr(0, duel_order.find(",\"wait_ms\"")) + "}");
    seat();
    EXPECT_EQ(TicketMaster::status_of(again->read_answer()), "200") << changed.capacity;
    const std::string other = ask("PUT", R"({"mode":"duel","players":[{"player_id":"eve"}]})");
    EXPECT_THAT(other, Not(HasSubstr(" 200 "))) << other;
  }
}

TEST_F(MatchesTest, with_a_room_are_found_by_a_body_with_a_wait_that_was_allowed_then) {
  connect(5, {room()});
  std::string longer = duel_order;
  longer.replace(longer.find("\"wait_ms\":0"), 11, "\"wait_ms\":60000");
  auto again = begin("PUT", longer);
  EXPECT_LE(master.requested().back().deadline, master.now() + TicketMaster::wait);
  seat();
  EXPECT_EQ(TicketMaster::status_of(again->read_answer()), "200");
}

TEST_F(MatchesTest, that_failed_are_forgotten_when_they_are_ended) {
  EXPECT_EQ(TicketMaster::status_of(ask("PUT", duel_order)), "202");
  const Refused refused{master.requested().back().ticket, Refusal::no_capacity, seconds{1}};
  master.server.on_thread([&] { (void)master.matches.answer(refused, master.now()); });
  EXPECT_THAT(ask("GET"), HasSubstr("urn:fixkeep:error:no-capacity"));
  EXPECT_EQ(TicketMaster::status_of(ask("DELETE")), "204");
  EXPECT_EQ(TicketMaster::status_of(ask("GET")), "404");
}

TEST_F(MatchesTest, that_wait_are_found_by_the_body_of_an_earlier_mode) {
  const Mode before{.name = ModeName{"duel"}, .capacity = 4, .attributes = {"a b", "region"}};
  master.server.on_thread([&] { master.desk.renew({before}, master.now()); });
  const std::string named =
      R"({"mode":"duel","attributes":{"a b":"=/","region":3},"players":[{"player_id":"ann"}],)"
      R"("wait_ms":0})";
  EXPECT_EQ(TicketMaster::status_of(ask("PUT", named)), "202");
  const Mode after{.name = ModeName{"duel"}, .capacity = 4, .attributes = {"map"}};
  master.server.on_thread([&] { master.desk.renew({after}, master.now()); });
  EXPECT_EQ(TicketMaster::status_of(ask("PUT", named)), "202");
  EXPECT_THAT(ask("PUT", duel_order), HasSubstr("attributes.map is required by mode duel"));
}

}  // namespace
}  // namespace fixkeep::master
