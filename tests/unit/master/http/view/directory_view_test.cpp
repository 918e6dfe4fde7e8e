#include "master/http/view/directory_view.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "common/base/random.hpp"
#include "master/http/match/modes_page.hpp"
#include "master/http/view/pages.hpp"
#include "master/http/view/writer.hpp"

namespace fixkeep::master {
namespace {

wire::RoomInfo room_info(std::uint32_t number, const std::string& group = "g") {
  wire::RoomInfo info;
  info.number = RoomNumber{number};
  info.group = GroupKey{group};
  info.mode = ModeName{"duel"};
  info.phase = wire::RoomPhase::open;
  info.place = wire::at_port(20'000);
  info.capacity = 8;
  return info;
}

wire::SeatReply seat_reply(const PlayerId& player) {
  wire::SeatReply reply;
  reply.phase = wire::RoomPhase::open;
  reply.seated = {player};
  return reply;
}

// A directory, its view, and the writer between them.
class DirectoryViewTest : public ::testing::Test {
 protected:
  void connect(const std::string& worker, std::uint64_t run = 1, const std::string& zone = "a",
               std::uint16_t ping_port = 0) {
    directory_.connect(WorkerId{worker}, Incarnation{run});
    wire::WorkerState state;
    state.zone = ZoneName{zone};
    state.address = "127.0.0.1";
    state.ping_port = ping_port;
    directory_.introduce(WorkerId{worker}, state);
  }
  void put(const std::string& worker, const wire::RoomInfo& info) {
    EXPECT_TRUE(directory_.put(WorkerId{worker}, info));
  }
  void turn() {
    DirectoryView::Trash trash;
    writer_.note(directory_.take_news(), directory_);
    writer_.publish(directory_, trash);
  }
  void turns() {
    turn();
    while (!writer_.current()) turn();
  }
  // Everything the view shows is what the directory says, seen through every way to look.
  void expect_equal() {
    const auto seen = view_.rooms({}, 100'000);
    ASSERT_TRUE(seen);
    std::size_t at = 0;
    ViewTotals totals;
    for (const auto& [id, worker] : directory_.workers()) {
      for (const auto& [number, room] : worker.rooms) {
        ASSERT_LT(at, seen->size());
        const auto& row = *(*seen)[at].room;
        ASSERT_EQ(row.id, room.id);
        EXPECT_EQ(row.phase, room.phase);
        EXPECT_EQ(row.taken, room.players.size());
        EXPECT_EQ(row.occupied, room.unknown ? std::nullopt : std::optional{room.occupied});
        EXPECT_EQ((*seen)[at].worker->headroom, worker.headroom);
        ModeTotals& of_mode = totals[room.mode];
        ++of_mode.rooms[static_cast<std::size_t>(room.phase)];
        if (wire::is_warm_pool(room.group)) ++of_mode.warm;
        of_mode.seats += room.capacity;
        if (room.unknown) {
          of_mode.unknown += room.players.size();
        } else {
          of_mode.reserved += room.players.size() - room.occupied;
          of_mode.occupied += room.occupied;
        }
        ++at;
      }
    }
    EXPECT_EQ(at, seen->size());
    const auto sum = view_.totals();
    ASSERT_TRUE(sum);
    EXPECT_EQ(sum->workers, directory_.workers().size());
    ViewTotals shown = sum->modes;
    std::erase_if(shown, [](const auto& of_mode) { return of_mode.second == ModeTotals{}; });
    EXPECT_EQ(shown, totals);
    ASSERT_EQ(view_.workers()->size(), directory_.workers().size());
  }

  [[nodiscard]] ModeTotals duels() const { return view_.totals()->modes.at(ModeName{"duel"}); }
  static constexpr auto open = static_cast<std::size_t>(wire::RoomPhase::open);

  Directory directory_{Placement::roomiest};
  DirectoryView view_;
  ViewWriter writer_{view_};
};

TEST_F(DirectoryViewTest, a_warm_room_has_no_group_and_is_counted_by_its_mode) {
  connect("w1");
  put("w1", room_info(1, "*duel/8"));
  put("w1", room_info(2));
  turns();
  const auto page = nlohmann::json::parse(*rooms_json(view_, {}));
  EXPECT_TRUE(page["rooms"][0]["group"].is_null());
  EXPECT_EQ(page["rooms"][1]["group"], "g");
  EXPECT_EQ(duels().warm, 1U);
  put("w1", room_info(1, "h"));
  turns();
  EXPECT_EQ(nlohmann::json::parse(*rooms_json(view_, {}))["rooms"][0]["group"], "h");
  EXPECT_EQ(duels().warm, 0U);
}

TEST_F(DirectoryViewTest, shows_what_the_directory_has) {
  turn();
  connect("w1");
  put("w1", room_info(1));
  put("w1", room_info(2));
  turn();
  expect_equal();
  directory_.seats_reserved({WorkerId{"w1"}, Incarnation{1}, RoomNumber{2}},
                            seat_reply(PlayerId{"ann"}));
  turn();
  expect_equal();
  EXPECT_EQ(duels().taken(), 1U);
  directory_.remove({WorkerId{"w1"}, Incarnation{1}, RoomNumber{1}});
  turn();
  expect_equal();
  directory_.disconnect(WorkerId{"w1"});
  turn();
  expect_equal();
}

TEST_F(DirectoryViewTest, news_before_the_first_call_are_brought_with_it) {
  connect("w1");
  put("w1", room_info(1));
  turn();
  EXPECT_EQ(duels().rooms[open], 1U);
}

TEST_F(DirectoryViewTest, a_worker_that_comes_back_keeps_none_of_its_old_rooms) {
  connect("w1");
  put("w1", room_info(1));
  put("w1", room_info(2));
  turn();
  directory_.disconnect(WorkerId{"w1"});
  connect("w1");  // within the same turn, the same run of the worker
  put("w1", room_info(2));
  turn();
  expect_equal();
}

TEST_F(DirectoryViewTest, a_turn_brings_a_bounded_number_of_rooms) {
  connect("w1");
  for (std::uint32_t i = 1; i <= 1000; ++i) put("w1", room_info(i));
  turn();
  EXPECT_EQ(duels().rooms[open], ViewWriter::rows_a_turn - 1) << "and one worker";
  EXPECT_FALSE(writer_.current());
  turns();
  expect_equal();
}

TEST_F(DirectoryViewTest, news_that_meet_a_reader_are_kept_and_coalesced) {
  connect("w1");
  put("w1", room_info(1));
  turn();
  const RoomId room{WorkerId{"w1"}, Incarnation{1}, RoomNumber{1}};
  std::thread reader;
  {
    std::atomic<bool> inside{false};
    std::atomic<bool> leave{false};
    reader = std::thread{[&] {
      const auto reading = view_.lock().read();
      inside = true;
      while (!leave) std::this_thread::yield();
    }};
    while (!inside) std::this_thread::yield();
    for (int i = 0; i < 5; ++i) {
      directory_.seats_reserved(room, seat_reply(PlayerId{"player" + std::to_string(i)}));
      turn();  // does not wait: the reader stays until we are through
    }
    EXPECT_EQ(writer_.pending(), 1U) << "five changes of one room are one";
    EXPECT_EQ(writer_.put_off(), 5U);
    leave = true;
    reader.join();
  }
  turn();
  EXPECT_TRUE(writer_.current());
  EXPECT_EQ(duels().taken(), 5U);
}

TEST_F(DirectoryViewTest, too_many_names_of_closed_rooms_bring_everything_again) {
  connect("w1");
  put("w1", room_info(1));
  turn();
  DirectoryNews news;
  for (std::uint32_t i = 0; i < ViewWriter::most_pending + 1; ++i) {
    news.rooms.push_back({WorkerId{"gone"}, Incarnation{1}, RoomNumber{i}});
  }
  directory_.remove({WorkerId{"w1"}, Incarnation{1}, RoomNumber{1}});
  put("w1", room_info(2));
  writer_.note(directory_.take_news(), directory_);
  writer_.note(std::move(news), directory_);
  EXPECT_LT(writer_.pending(), 10U);
  turns();
  expect_equal();
}

TEST_F(DirectoryViewTest, follows_random_changes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random{seed};
    for (int step = 0; step < 300; ++step) {
      const std::string worker = "w" + std::to_string(random.below(3));
      const auto* known = directory_.find(WorkerId{worker});
      if (known == nullptr) {
        connect(worker, 1 + random.below(2));
        continue;
      }
      const RoomId room{WorkerId{worker}, known->incarnation,
                        RoomNumber{static_cast<std::uint32_t>(1 + random.below(20))}};
      switch (random.below(8)) {
        case 0:
          if (random.chance(0.2)) directory_.disconnect(WorkerId{worker});
          break;
        case 1: directory_.remove(room); break;
        case 2:
          directory_.set_headroom(WorkerId{worker}, static_cast<std::uint32_t>(random.below(9)));
          break;
        case 3:
          directory_.change(room, {room.number,
                                   wire::RoomPhase::draining,
                                   wire::CloseReason::none,
                                   0,
                                   {},
                                   {PlayerId{std::to_string(random.below(5))}}});
          break;
        case 4:
        case 5:
          directory_.seats_reserved(room, seat_reply(PlayerId{std::to_string(random.below(5))}));
          break;
        default: (void)directory_.put(WorkerId{worker}, room_info(room.number.number())); break;
      }
      if (random.chance(0.3)) turn();
    }
    turns();
    expect_equal();
  }
}

TEST_F(DirectoryViewTest, pages_follow_each_other_without_gap_or_repeat) {
  for (const auto* worker : {"w1", "w2"}) {
    connect(worker);
    for (std::uint32_t i = 1; i <= 150; ++i) put(worker, room_info(i));
  }
  turns();
  std::set<std::string> listed;
  RoomPage page{.after = {}, .limit = 70};
  int pages = 0;
  while (true) {
    const auto text = rooms_json(view_, page);
    ASSERT_TRUE(text);
    const auto document = nlohmann::json::parse(*text);
    ++pages;
    for (const auto& room : document["rooms"]) {
      EXPECT_TRUE(listed.insert(room["room_id"].get<std::string>()).second);
    }
    if (document["next"].is_null()) break;
    EXPECT_EQ(document["rooms"].size(), 70U);
    page.after = parse_room_id(document["next"].get<std::string>());
  }
  EXPECT_EQ(listed.size(), 300U);
  EXPECT_EQ(pages, 5);
}

TEST_F(DirectoryViewTest, a_room_as_text) {
  connect("w1");
  auto info = room_info(7, "duel/region=eu");
  info.players = {PlayerId{"1"}, PlayerId{"2"}, PlayerId{"3"}};
  info.occupied = 1;
  info.creation = {{5, MasterId{2}}, 1, Incarnation{9}};
  info.wants = {{.team = "1", .role = "healer", .players = 2},
                {.team = "", .role = "", .players = 1}};
  put("w1", info);
  turn();
  const RoomId id{WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}};
  const auto room = nlohmann::json::parse(*room_json(view_, id));
  EXPECT_EQ(
      room,
      (nlohmann::json{
          {"room_id", to_string(id)},
          {"group", "duel/region=eu"},
          {"mode", "duel"},
          {"phase", "open"},
          {"worker", "w1"},
          {"zone", "a"},
          {"address", "127.0.0.1"},
          {"port", 20'000},
          {"ports", {{"default", 20'000}}},
          {"capacity", 8},
          {"reserved", 2},
          {"occupied", 1},
          {"creation_id", to_string(info.creation)},
          {"takes_newcomers", true},
          {"wants", {{{"team", "1"}, {"role", "healer"}, {"players", 2}}, {{"players", 1}}}}}));
  EXPECT_EQ(*room_json(view_, {id.worker, id.incarnation, RoomNumber{8}}), "");
}

TEST_F(DirectoryViewTest, a_room_is_where_its_place_is_and_nowhere_before) {
  connect("w1");
  auto info = room_info(7);
  info.phase = wire::RoomPhase::starting;
  info.place.reset();
  put("w1", info);
  turn();
  const RoomId id{WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}};
  auto room = nlohmann::json::parse(*room_json(view_, id));
  EXPECT_TRUE(room.at("port").is_null());
  EXPECT_EQ(room.at("ports"), nlohmann::json::object());
  info.place = {"games.example", {{"play", 7}, {"query", 8}}};
  put("w1", info);
  turn();
  room = nlohmann::json::parse(*room_json(view_, id));
  EXPECT_EQ(room.at("address"), "games.example");
  EXPECT_EQ(room.at("port"), 7);
  EXPECT_EQ(room.at("ports"), (nlohmann::json{{"play", 7}, {"query", 8}}));
}

TEST_F(DirectoryViewTest, of_a_room_whose_players_cannot_be_counted_the_taken_seats_are_unknown) {
  connect("w1");
  auto info = room_info(7, "duel/region=eu");
  info.players = {PlayerId{"1"}, PlayerId{"2"}, PlayerId{"3"}};
  info.occupied = 1;
  info.unknown = true;
  put("w1", info);
  turn();
  const RoomId id{WorkerId{"w1"}, Incarnation{1}, RoomNumber{7}};
  const auto room = nlohmann::json::parse(*room_json(view_, id));
  EXPECT_TRUE(room.at("occupied").is_null());
  EXPECT_EQ(room.at("reserved"), 3);
  EXPECT_EQ(duels().unknown, 3U);
  EXPECT_EQ(duels().occupied + duels().reserved, 0U);
  EXPECT_EQ(duels().free(), 5U);
  expect_equal();
}

TEST_F(DirectoryViewTest, players_are_told_of_few_workers_of_each_zone_that_answer_pings) {
  connect("w0");
  for (std::uint16_t i = 1; i <= pings_of_zone + 1; ++i) {
    connect("w" + std::to_string(i), 1, "a", 9000 + i);
  }
  connect("w9", 1, "b", 9009);
  turns();
  const auto page = modes_page(R"({"modes":[]})", view_);
  ASSERT_TRUE(page);
  EXPECT_EQ(*page, R"({"modes":[],"pings":[{"zone":"a","address":"127.0.0.1","port":9001},)"
                   R"({"zone":"a","address":"127.0.0.1","port":9002},)"
                   R"({"zone":"a","address":"127.0.0.1","port":9003},)"
                   R"({"zone":"b","address":"127.0.0.1","port":9009}]})");
}

}  // namespace
}  // namespace fixkeep::master
