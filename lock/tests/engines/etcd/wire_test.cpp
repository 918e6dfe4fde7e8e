#include "lock/engines/etcd/wire.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/base/base64.hpp"
#include "common/base/random.hpp"
#include "lock/engines/etcd/releases.hpp"

namespace fixkeep::engine {
namespace {

using Json = nlohmann::json;

const EtcdNames names{"fixkeep/c/"};
const GroupKey group{"g/1"};
const EtcdEntry entry{"1f-3", 31, 32};

TEST(EtcdWireTest, every_body_is_json) {
  for (const auto& body :
       {enter_body(names, group, entry), look_body(names, group, entry, 9),
        leave_body(names, group, entry, 9, 0), leave_body(names, group, entry, 9, 5),
        release_body(names, group, entry, {}), void_body(names, entry), grant_lease_body(5),
        lease_body(31), authenticate_body("u\"", "p\\"), watch_body(names)}) {
    EXPECT_FALSE(Json::parse(body, nullptr, false).is_discarded()) << body;
  }
}

TEST(EtcdWireTest, entering_is_one_transaction_on_the_entry) {
  const auto body = Json::parse(enter_body(names, group, entry));
  ASSERT_EQ(body["compare"].size(), 2U);
  EXPECT_EQ(body["compare"][0]["key"], to_base64("fixkeep/c/lock/g%2F1/1f-3"));
  EXPECT_EQ(body["compare"][0]["create_revision"], "0");
  EXPECT_EQ(body["compare"][1]["key"], to_base64("fixkeep/c/gone/1f-3"));
  EXPECT_EQ(body["success"][0]["request_put"]["lease"], "31");
  EXPECT_EQ(body["success"][1]["request_range"]["range_end"], to_base64("fixkeep/c/lock/g%2F10"));
  EXPECT_EQ(body["success"][2]["request_put"]["lease"], "32");
}

std::string entered_answer(const std::string& ahead, const std::string& last,
                           const std::string& record) {
  Json kvs = Json::array({{{"key", to_base64("mine")}, {"create_revision", "9"}}});
  if (!ahead.empty()) kvs.push_back({{"key", to_base64(ahead)}, {"create_revision", "8"}});
  Json put = Json::object();
  if (last != "none") {
    put["prev_kv"] = {{"mod_revision", "6"}};
    if (!last.empty()) put["prev_kv"]["value"] = to_base64(last);
  }
  Json range = Json::object();
  if (!record.empty()) range["kvs"] = Json::array({{{"value", to_base64(record)}}});
  return Json{{"header", {{"revision", "9"}}},
              {"succeeded", true},
              {"responses", Json::array({{{"response_put", Json::object()}},
                                         {{"response_range", {{"kvs", kvs}}}},
                                         {{"response_put", put}},
                                         {{"response_range", range}}})}}
      .dump();
}

TEST(EtcdWireTest, reads_how_the_entry_stands) {
  const auto first = read_entered(entered_answer("", "none", ""));
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->standing.oldest);
  EXPECT_EQ(first->standing.number, 9U);
  EXPECT_EQ(first->standing.before, 0U);
  EXPECT_FALSE(first->standing.record);

  lock::LockRecord record{.ticket = 6};
  record.value.bytes = "v";
  const auto second = read_entered(entered_answer("q/8", "", lock::encode_record(record)));
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->standing.oldest);
  EXPECT_EQ(second->ahead, "q/8");
  EXPECT_EQ(second->standing.before, 6U) << "the revision at which the last one entered";
  EXPECT_EQ(second->standing.record, record);

  const auto third = read_entered(entered_answer("", "4", ""));
  ASSERT_TRUE(third);
  EXPECT_EQ(third->standing.before, 4U) << "all who came later have left without holding it";
}

TEST(EtcdWireTest, a_repetition_finds_its_entry) {
  const auto found =
      read_entered(R"({"header":{"revision":"12"},"responses":[{"response_range":{"kvs":[)"
                   R"({"key":"bWluZQ==","create_revision":"9"}],"count":"1"}}]})");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->look_first);
  EXPECT_EQ(found->standing.ticket, 9U);
  const auto voided = read_entered(R"({"header":{"revision":"12"},"responses":[{}]})");
  ASSERT_TRUE(voided);
  EXPECT_FALSE(voided->look_first);
  EXPECT_FALSE(voided->standing.present);
}

TEST(EtcdWireTest, reads_leases_and_the_watch) {
  const auto over = read_lease(R"({"result":{"header":{},"ID":"123"}})");
  ASSERT_TRUE(over);
  EXPECT_EQ(over->ttl_s, 0);
  EXPECT_EQ(read_lease(R"({"ID":"5","TTL":"7"})")->ttl_s, 7);
  EXPECT_FALSE(read_lease(R"({"error":"etcdserver: no leader"})"));

  const auto opened = read_watch(R"({"result":{"header":{"revision":"2"},"created":true}})");
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->opened);
  EXPECT_EQ(opened->revision, 2U);
  const auto gone =
      read_watch(R"({"result":{"header":{"revision":"3"},"events":[)"
                 R"({"type":"DELETE","kv":{"key":"cS9nLzE=","mod_revision":"3"}}]}})");
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->deleted, (std::vector<std::string>{"q/g/1"}));
  EXPECT_FALSE(read_watch(R"({"error":{"grpc_code":16}})"));
}

TEST(EtcdWireTest, knows_when_its_token_is_not_good_any_more) {
  EXPECT_TRUE(wants_another_token(401, R"({"error":"etcdserver: invalid auth token"})"));
  EXPECT_TRUE(wants_another_token(
      400, R"({"error":"etcdserver: revision of auth store is old","code":3})"));
  EXPECT_FALSE(
      wants_another_token(400, R"({"error":"etcdserver: mvcc: database space exceeded"})"));
  EXPECT_FALSE(wants_another_token(200, "auth store is old"));
}

TEST(EtcdWireTest, rubbish_is_no_answer) {
  const auto good = entered_answer("q/8", "", lock::encode_record({}));
  Random random{3};
  for (int i = 0; i < 3000; ++i) {
    auto bad = good;
    for (int j = 0; j < 3; ++j)
      bad[random.below(bad.size())] = static_cast<char>(random.below(256));
    bad.resize(random.below(bad.size() + 1));
    (void)read_entered(bad);
    (void)read_looked(bad, 9);
    (void)read_lease(bad);
    (void)read_watch(bad);
  }
  for (const std::string bad : {"", "null", "[]", "{}", "3", R"({"header":3})"}) {
    EXPECT_FALSE(read_entered(bad)) << bad;
    EXPECT_FALSE(read_looked(bad, 9)) << bad;
  }
}

TEST(EtcdReleasesTest, a_release_tells_its_waiter_before_or_after) {
  EtcdReleases releases;
  EXPECT_TRUE(releases.opened(10).empty());
  EXPECT_TRUE(releases.wait(group, "a", 11));
  EXPECT_EQ(releases.released({"x", "a"}, 12), (std::vector<GroupKey>{group}));
  releases.forget("a");
  EXPECT_TRUE(releases.idle());
  EXPECT_FALSE(releases.wait(group, "a", 11)) << "it is gone already";
  EXPECT_TRUE(releases.wait(group, "a", 12)) << "it was there after that";
}

TEST(EtcdReleasesTest, whoever_may_have_missed_something_looks_again) {
  EtcdReleases releases;
  EXPECT_TRUE(releases.wait(group, "a", 5)) << "not open yet";
  EXPECT_EQ(releases.opened(6), (std::vector<GroupKey>{group}));
  EXPECT_FALSE(releases.wait(group, "b", 5)) << "older than the watch";
  for (std::uint64_t i = 0; i <= EtcdReleases::remembered; ++i) {
    (void)releases.released({"x"}, 100 + i);
  }
  EXPECT_FALSE(releases.wait(group, "b", 99)) << "older than the memory";
  EXPECT_TRUE(releases.wait(group, "b", 100));
}

}  // namespace
}  // namespace fixkeep::engine
