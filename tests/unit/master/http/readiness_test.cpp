#include "master/http/readiness.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fixkeep::master {
namespace {

using nlohmann::json;

ReadinessFacts whole() {
  ReadinessFacts facts;
  facts.joined = true;
  facts.others = {{"m2", true, ""}, {"m3", true, ""}};
  facts.workers = 2;
  return facts;
}

ReadinessFacts cut_off() {
  auto facts = whole();
  facts.others = {{"m2", false, "link refused at 10.0.0.2:7100: wrong secret"}, {"m3", false, ""}};
  return facts;
}

std::vector<std::string> reasons(const net::HttpAnswer& answer) {
  std::vector<std::string> names;
  const auto document = json::parse(answer.body);
  for (const auto& reason : document.at("reasons")) { names.push_back(reason.at("reason")); }
  return names;
}

using Names = std::vector<std::string>;

TEST(Readiness, of_a_whole_master_has_no_reasons_against_it) {
  const auto answer = readiness(whole());
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(json::parse(answer.body).at("status"), "ready");
  EXPECT_EQ(reasons(answer), Names{});
}

TEST(Readiness, ends_before_the_master_does) {
  auto facts = whole();
  facts.ending = true;
  const auto answer = readiness(facts);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(json::parse(answer.body).at("type"), "urn:fixkeep:error:not-ready");
  EXPECT_EQ(reasons(answer), Names{"stopping"});
}

ReadinessFacts admitting(const std::string& own, const std::vector<std::string>& others) {
  auto facts = whole();
  facts.self = "m1";
  facts.admits = own;
  facts.others.clear();
  for (std::size_t i = 0; i < others.size(); ++i) {
    facts.others.push_back({"m" + std::to_string(i + 2), true, "", others[i]});
  }
  return facts;
}

// The weakest master decides who may ask for seats.
TEST(Readiness, is_not_of_a_master_that_takes_other_players_than_its_peers) {
  const auto status = [](const std::string& own, const std::vector<std::string>& others) {
    return readiness(admitting(own, others)).status;
  };
  EXPECT_EQ(status("open", {"open", "open"}), 200U);
  EXPECT_EQ(status("open", {"open", "a"}), 503U);
  EXPECT_EQ(status("a", {"open", "open"}), 200U) << "the open ones are wrong";
  EXPECT_EQ(status("a", {"b", "b"}), 503U);
  EXPECT_EQ(status("a", {"a", "b"}), 200U);
  EXPECT_EQ(status("a", {"", "b", "b"}), 503U);
  EXPECT_EQ(reasons(readiness(admitting("a", {"a", "open", "b"}))),
            (Names{"identity-differs", "identity-differs"}));
  auto away = admitting("open", {"a"});
  away.others[0].up = false;
  EXPECT_EQ(readiness(away).status, 200U);
}

// Players of two issuers would not meet, and one of the two is a mistake.
TEST(Readiness, is_of_the_side_with_the_lowest_master_if_two_sides_are_equally_strong) {
  const auto status_of = [](std::size_t self, const std::vector<std::string>& admits) {
    ReadinessFacts facts = admitting(admits[self], {});
    const auto name = [](std::size_t i) { return "m" + std::to_string(i + 2); };
    facts.self = name(self);
    for (std::size_t i = admits.size(); i-- > 0;) {  // in any order
      if (i != self) facts.others.push_back({name(i), true, "", admits[i]});
    }
    return readiness(facts).status;
  };
  const auto ready = [&](const std::vector<std::string>& admits) {
    std::string text;
    for (std::size_t i = 0; i < admits.size(); ++i) {
      text += status_of(i, admits) == 200 ? 'r' : '-';
    }
    return text;
  };
  EXPECT_EQ(ready({"a", "b"}), "r-");
  EXPECT_EQ(ready({"b", "a"}), "r-");
  EXPECT_EQ(ready({"b", "a", "a", "b"}), "r--r");
  EXPECT_EQ(ready({"c", "b", "a"}), "r--");
  EXPECT_EQ(ready({"open", "b", "a"}), "-r-");
  EXPECT_EQ(ready({"c", "b", "c", "c", "c", "c", "b", "b", "b", "b"}), "r-rrrr----") << "m2, m10";
}

TEST(Readiness, names_the_servers_of_the_lock_if_it_waits_for_them) {
  auto facts = whole();
  facts.joined = facts.locks_reachable = false;
  facts.awaits_lock_server = true;
  const auto answer = readiness(facts);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(reasons(answer), (Names{"joining", "lock-server-away"}));
  EXPECT_EQ(answer.body.find("configured master"), std::string::npos) << "it has met them all";
  EXPECT_NE(answer.body.find("(lock.servers)"), std::string::npos);
}

TEST(Readiness, tells_which_masters_are_away_and_why) {
  const auto answer = readiness(cut_off());
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(reasons(answer), (Names{"alone", "master-away", "master-away"}));
  const auto told = json::parse(answer.body).at("reasons");
  EXPECT_EQ(told[1].at("master"), "m2");
  EXPECT_EQ(told[1].at("detail"), "link refused at 10.0.0.2:7100: wrong secret");
}

TEST(Readiness, is_refused_to_a_master_without_peers_where_that_is_asked_for) {
  auto facts = cut_off();
  facts.required.mesh = true;
  const auto answer = readiness(facts);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(json::parse(answer.body).at("type"), "urn:fixkeep:error:not-ready");
  EXPECT_EQ(reasons(answer), (Names{"alone", "master-away", "master-away"}));
  facts.others[1].up = true;
  EXPECT_EQ(readiness(facts).status, 200U);
  facts.others.clear();  // the only one that is configured
  EXPECT_EQ(readiness(facts).status, 200U);
}

TEST(Readiness, is_refused_to_a_master_without_workers_where_that_is_asked_for) {
  auto facts = whole();
  facts.workers = 0;
  EXPECT_EQ(readiness(facts).status, 200U);
  EXPECT_EQ(reasons(readiness(facts)), Names{"no-worker"});
  facts.required.workers = true;
  EXPECT_EQ(readiness(facts).status, 503U);
}

TEST(Readiness, is_refused_to_a_master_that_still_joins) {
  auto facts = whole();
  facts.joined = false;
  const auto answer = readiness(facts);
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.retry_after_seconds, 1U);
  EXPECT_EQ(reasons(answer), Names{"joining"});
}

TEST(Readiness, tells_that_the_servers_of_the_lock_are_away) {
  auto facts = whole();
  facts.locks_reachable = false;
  facts.lock_trouble = "127.0.0.1:6379: connection refused";
  const auto answer = readiness(facts);
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(reasons(answer), Names{"lock-server-away"});
}

}  // namespace
}  // namespace fixkeep::master
