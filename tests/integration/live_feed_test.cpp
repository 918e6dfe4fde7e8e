// The live feed of real masters: what it tells is what the pages show, whatever happens meanwhile.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/integration/checks.hpp"
#include "tests/support/feed_reader.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::FeedReader;
using support::LocalCluster;
using support::wait_until;

// What a reader knows that does as docs/api.md says.
struct Watcher {
  explicit Watcher(std::uint16_t port) : reader(port) {}

  bool read() {
    const auto event = reader.next();
    if (event.name == "snapshot") rooms.clear();
    if (event.name != "snapshot" && event.name != "change") return false;
    for (const auto& room : event.data.value("rooms", json::array())) rooms[room["room_id"]] = room;
    for (const auto& id : event.data.value("rooms_gone", json::array())) rooms.erase(id);
    for (const char* key : {"workers", "masters", "counts"}) {
      if (event.data.contains(key)) known[key] = event.data[key];
    }
    for (const auto& each : event.data.value("events", json::array())) {
      happened.insert(each["event"].get<std::string>());
    }
    return true;
  }
  void read_until(const std::string& what, const std::function<bool()>& condition) {
    for (int events = 0; !condition() && events < 200; ++events) ASSERT_TRUE(read()) << what;
    EXPECT_TRUE(condition()) << what;
  }

  FeedReader reader;
  std::map<std::string, json> rooms;
  json known;
  std::set<std::string> happened;
};

json listed_rooms(const LocalCluster& cluster, std::size_t master) {
  json rooms = json::object();
  for (const auto& room : cluster.rooms(master)) rooms[room["room_id"]] = room;
  return rooms;
}

TEST(LiveFeed, tells_what_the_pages_show_while_rooms_come_and_a_worker_goes) {
  LocalCluster cluster{{.masters = 2, .workers = 2, .capacity = 2, .boot_ms = 0}};
  cluster.start();
  Watcher near{cluster.admin(0).port};
  Watcher far{cluster.admin(1).port};
  ASSERT_TRUE(near.read() && far.read());
  EXPECT_EQ(near.known["workers"].size(), 2U);
  EXPECT_EQ(near.known["masters"].size(), 2U);

  for (int player = 0; player < 6; ++player) {
    const auto reply = support::ask_for_seat(cluster.http(0), "p" + std::to_string(player), "eu");
    ASSERT_TRUE(reply && reply->status == 200) << reply->body;
  }
  const auto three_full = [](const Watcher& watcher) {
    std::size_t reserved = 0;
    for (const auto& [id, room] : watcher.rooms) reserved += room["reserved"].get<std::size_t>();
    return watcher.rooms.size() == 3 && reserved == 6;
  };
  for (Watcher* watcher : {&near, &far}) {
    watcher->read_until("three full rooms", [&] { return three_full(*watcher); });
  }
  EXPECT_EQ(json(near.rooms), listed_rooms(cluster, 0));
  EXPECT_EQ(json(far.rooms), listed_rooms(cluster, 1));
  near.read_until("six seats", [&] { return near.known["counts"]["seated"] == 6; });
  EXPECT_THAT(near.happened, ::testing::IsSupersetOf({"match-asked", "match-answered",
                                                      "lock-wanted", "lock-granted", "lock-left",
                                                      "room-ordered", "order-answered"}));
  EXPECT_THAT(far.happened, ::testing::Not(::testing::Contains("lock-granted")));

  cluster.worker(0).kill();
  for (Watcher* watcher : {&near, &far}) {
    watcher->read_until("one worker", [&] { return watcher->known["workers"].size() == 1; });
    watcher->read_until("its rooms", [&] {
      return std::all_of(watcher->rooms.begin(), watcher->rooms.end(),
                         [](const auto& row) { return row.second["worker"] == "w2"; });
    });
  }
  EXPECT_EQ(json(near.rooms), listed_rooms(cluster, 0));
}

}  // namespace
}  // namespace fixkeep::integration
