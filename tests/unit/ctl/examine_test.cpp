// What cannot be planted in a real cluster of one machine: clocks, versions, certificates, other
// machines, and nodes that say anything. The rest is in tests/integration/ctl_test.cpp.
#include "ctl/doctor/examine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

constexpr std::int64_t now = 1'800'000'000'000;
constexpr std::int64_t day = 86'400'000;

Examined master(int id) {
  json members = json::array();
  for (int each = 1; each <= 2; ++each) {
    members.push_back({{"id", each}, {"address", "127.0.0.1:710" + std::to_string(each)}});
  }
  Examined seen;
  seen.url = "http://m" + std::to_string(id);
  seen.node = {{"node", "m" + std::to_string(id)},
               {"role", "master"},
               {"cluster", "local"},
               {"version", "1"},
               {"at_ms", now},
               {"masters", json::array()},
               {"certificates", json::array()},
               {"configuration",
                {{"mesh", {{"masters", members}}},
                 {"lock", {{"strategy", "multiphase"}}},
                 {"modes", {{{"name", "duel"}, {"capacity", 8}}}}}}};
  seen.ready = {{"reasons", json::array()}};
  const json worker{{"worker", "w1"},
                    {"modes", {"duel"}},
                    {"headroom", 3},
                    {"paused", json::array()},
                    {"not_ready", json::array()}};
  seen.workers = {{"workers", {worker}}, {"quarantined", json::array()}};
  seen.asked_at_ms = now;
  seen.error_ms = 1;
  return seen;
}

Examined worker() {
  Examined seen = master(1);
  seen.url = "http://w1";
  seen.node["node"] = "w1";
  seen.node["role"] = "worker";
  seen.node["configuration"] = {
      {"masters", seen.node["configuration"]["mesh"]["masters"]},
      {"games", {{{"mode", "duel"}}}},
      {"worker", {{"address", "127.0.0.1"}}},
      {"rooms", {{"limit", 10}, {"ports", {{"first", 1}, {"last", 10}}}}}};
  seen.workers = nullptr;
  return seen;
}

class ExamineTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::set<std::string> found() const {
    std::set<std::string> all;
    for (const Finding& each : examine(nodes, now)) all.insert(each.code + " " + each.where);
    return all;
  }
  [[nodiscard]] bool has(const char* finding) const { return found().contains(finding); }

  std::vector<Examined> nodes{master(1), master(2), worker()};
};

TEST_F(ExamineTest, finds_nothing_where_all_fits) {
  EXPECT_EQ(found(), std::set<std::string>{});
}

TEST_F(ExamineTest, names_a_clock_that_differs_from_most_but_not_what_may_be_the_wires) {
  nodes[1].node["at_ms"] = now + 1'001;
  EXPECT_FALSE(has("clock-differs m2")) << "the answer may have taken that millisecond";
  nodes[1].node["at_ms"] = now + 1'002;
  EXPECT_EQ(found(), std::set<std::string>{"clock-differs m2"});
  nodes[1].node["at_ms"] = now - 5'000;
  EXPECT_EQ(found(), std::set<std::string>{"clock-differs m2"});
}

TEST_F(ExamineTest, names_another_version) {
  nodes[2].node["version"] = "2";
  EXPECT_EQ(found(), std::set<std::string>{"other-version w1"});
}

TEST_F(ExamineTest, names_certificates_that_end_within_thirty_days) {
  const auto ends_in = [&](std::int64_t time) {
    nodes[0].node["certificates"] = {{{"of", "links"}, {"ends_ms", now + time}}};
    const auto all = examine(nodes, now);
    return all.empty() ? "" : std::string{to_string(all[0].weight)} + ": " + all[0].text;
  };
  EXPECT_EQ(ends_in(31 * day), "");
  EXPECT_EQ(ends_in(3 * day), "warning: its certificate for links ends in 3 days");
  EXPECT_EQ(ends_in(-1), "problem: its certificate for links has ended");
}

TEST_F(ExamineTest, names_a_worker_that_sends_players_to_themselves) {
  auto& members = nodes[0].node["configuration"]["mesh"]["masters"];
  members[0]["address"] = "10.0.0.1:7101";
  nodes[1].node["configuration"]["mesh"]["masters"] = members;
  EXPECT_EQ(found(), std::set<std::string>{"loopback-address w1"});
  nodes[2].node["configuration"]["worker"]["address"] = "10.0.0.3";
  EXPECT_EQ(found(), std::set<std::string>{});
}

TEST_F(ExamineTest, names_a_worker_whose_rooms_take_more_ports_than_there_are) {
  auto& configuration = nodes[2].node["configuration"];
  configuration["games"] = {{{"mode", "duel"}, {"ports", {"query"}}}};
  EXPECT_EQ(found(), std::set<std::string>{"ports-too-few w1"});
  EXPECT_EQ(examine(nodes, now)[0].text, "may have 10 rooms, and has ports for 5");
  configuration["games"][0] = {{"mode", "duel"}, {"neighbour_ports", 1}};
  EXPECT_EQ(examine(nodes, now)[0].text, "may have 10 rooms, and has ports for 5");
  configuration["rooms"]["ports"]["last"] = 20;
  EXPECT_EQ(found(), std::set<std::string>{});
}

TEST_F(ExamineTest, names_a_worker_that_cannot_write_its_journal) {
  nodes[2].node["journal_is_whole"] = false;
  EXPECT_EQ(found(), std::set<std::string>{"journal-not-written w1"});
}

// A stranger takes a seat at the open one.
TEST_F(ExamineTest, names_what_differs_in_who_may_ask) {
  json closed{{"open", "on-loopback"},
              {"tokens", {{"issuer", "studio"}, {"key_files", {"a.jwks"}}}},
              {"keys", {{{"name", "back-end"}, {"hash", "0"}}, {{"name", "b"}, {"hash", "1"}}}}};
  for (auto& node : nodes) node.node["configuration"]["identity"] = closed;
  EXPECT_FALSE(has("identity-differs m2"));
  closed["open"] = "anybody-may-name-any-player";
  closed["keys"].erase(1);
  nodes[1].node["configuration"]["identity"] = closed;
  const auto all = examine(nodes, now);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].code, "identity-differs");
  EXPECT_EQ(all[0].text,
            "identity.keys[b], identity.open differ from m1's: a player refused at one master is "
            "taken at the other");
}

TEST_F(ExamineTest, names_what_differs_in_modes_and_origins) {
  auto& other = nodes[1].node["configuration"];
  other["modes"][0]["capacity"] = 5;
  other["modes"].push_back({{"name", "arena"}, {"capacity", 2}});
  other["http"]["allowed_origins"] = {"https://play.example"};
  const auto all = examine(nodes, now);
  const auto differ = std::ranges::find(all, "modes-differ", &Finding::code);
  ASSERT_NE(differ, all.end());
  EXPECT_THAT(differ->text, testing::StartsWith("modes[arena], modes[duel].capacity differ "));
  EXPECT_TRUE(has("setting-differs m2"));
}

TEST_F(ExamineTest, names_modes_that_wait_and_the_masters_that_lack_them) {
  json next = nodes[0].node["configuration"]["modes"];
  next[0]["capacity"] = 5;
  nodes[0].node["next_modes"] = {{"modes", next}, {"missing", {"m2", "m3"}}};
  const auto all = examine(nodes, now);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].code, "modes-wait");
  EXPECT_EQ(all[0].text, "modes: not in effect until these masters have read the same: m2, m3");
}

TEST_F(ExamineTest, names_ports_that_a_machine_gives_to_connections) {
  nodes[1].node["ports_given_to_connections"] = {"http.port"};
  nodes[2].node["ports_given_to_connections"] = {"rooms.ports"};
  EXPECT_TRUE(has("port-of-connections m2"));
  EXPECT_TRUE(has("port-of-connections w1"));
  EXPECT_EQ(examine(nodes, now).size(), 2U);
}

TEST_F(ExamineTest, names_a_node_that_was_copied) {
  nodes[0].node["refused_copies"] = {{{"node", "w1"}, {"host", "10.0.0.7"}, {"times", 3}}};
  EXPECT_EQ(found(), std::set<std::string>{"copied-node m1"});
  EXPECT_EQ(examine(nodes, now)[0].text,
            "refuses another w1 at 10.0.0.7, since one has a link: 3 times");
}

TEST_F(ExamineTest, names_a_node_that_speaks_another_version_of_the_protocol) {
  nodes[0].node["speaks"] = 2;
  nodes[0].node["refused_versions"] = {
      {{"node", "w7"}, {"host", "10.0.0.7"}, {"times", 3}, {"speaks", 1}}};
  EXPECT_EQ(found(), std::set<std::string>{"other-protocol m1"});
  EXPECT_EQ(examine(nodes, now)[0].text,
            "refuses w7 at 10.0.0.7, which speaks version 1 of the protocol, and it version 2: "
            "3 times");
}

TEST_F(ExamineTest, names_workers_that_masters_leave_out_that_are_full_or_are_drained) {
  nodes[0].workers["quarantined"] = {
      {{"worker", "w1"}, {"reason", "does not answer"}, {"gets", "nothing"}}};
  EXPECT_TRUE(has("quarantined w1"));
  nodes[0].workers["workers"][0]["headroom"] = 0;
  EXPECT_TRUE(has("worker-full w1"));
  nodes[0].workers["workers"][0]["paused"] = {{{"mode", "duel"}, {"cause", "drained"}}};
  EXPECT_TRUE(has("mode-drained w1"));
  EXPECT_FALSE(has("worker-full w1")) << "it is no wonder";
}

TEST_F(ExamineTest, says_that_an_engine_is_silent_and_not_that_a_limit_is_low) {
  const auto of_full_worker = [&] {
    for (const Finding& each : examine(nodes, now)) {
      if (each.code == "worker-full") return each;
    }
    return Finding{};
  };
  auto& worker = nodes[0].workers["workers"][0];
  worker["headroom"] = 0;
  EXPECT_THAT(of_full_worker().remedy, testing::HasSubstr("raise rooms.limit"));
  worker["starts_queued"] = 32;
  EXPECT_THAT(of_full_worker().text, testing::HasSubstr("32 rooms wait to be started"));
  EXPECT_THAT(of_full_worker().remedy, testing::HasSubstr("its engine or API server answers"));
}

TEST_F(ExamineTest, names_modes_whose_rooms_are_not_ready) {
  nodes[0].workers["workers"][0]["not_ready"] = {
      {{"mode", "duel"}, {"reason", "not ready: it listens on 43950"}}};
  EXPECT_TRUE(has("not-ready w1"));
}

TEST_F(ExamineTest, names_wires_that_others_read) {
  nodes[0].node["configuration"]["admin"] = {{"port", 1}, {"address", "10.0.0.1"}};
  nodes[1].node["configuration"]["tls"] = {{"without", "on-a-network-that-i-trust"}};
  EXPECT_EQ(found(), (std::set<std::string>{"operators-without-https m1", "links-without-tls m2"}));
  nodes[0].node["configuration"]["admin"]["tls"] = {{"certificate", "a.pem"}};
  EXPECT_EQ(found(), std::set<std::string>{"links-without-tls m2"});
}

TEST_F(ExamineTest, names_what_a_master_says_of_itself) {
  nodes[0].ready["reasons"] = {{{"reason", "joining"}, {"detail", "m2 is missing"}},
                               {{"reason", "lock-server-away"}, {"detail", "no etcd"}}};
  EXPECT_EQ(found(), (std::set<std::string>{"joining m1", "lock-server-away m1"}));
}

TEST_F(ExamineTest, says_problems_first) {
  nodes[0].node["configuration"]["lock"]["strategy"] = "none";
  nodes[1].node["configuration"]["lock"]["strategy"] = "none";
  nodes[2].node["cluster"] = "another";
  const auto all = examine(nodes, now);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].code, "other-cluster");
  for (const Finding& each : all) EXPECT_FALSE(each.remedy.empty()) << each.code;
}

// Each value of a document, one after another, becomes something else.
void spoil(json& document, const std::function<void()>& look) {
  for (json& inner : document) {
    if (inner.is_structured()) spoil(inner, look);
    for (const json& odd : {json(nullptr), json(-1), json("x"), json::array({json::object(), 1}),
                            json{{"x", {1, nullptr}}}}) {
      const json kept = std::exchange(inner, odd);
      look();
      inner = kept;
    }
  }
}

TEST_F(ExamineTest, survives_whatever_nodes_say) {
  int looks = 0;
  const auto look = [&] {
    (void)examine(nodes, now);
    ++looks;
  };
  for (Examined& each : nodes) {
    spoil(each.node, look);
    spoil(each.ready, look);
    spoil(each.workers, look);
  }
  EXPECT_GT(looks, 300);
}

}  // namespace
}  // namespace fixkeep::ctl
