// What answers of an API server mean, recorded from a real one (1.20.2).
//
//   right METHOD TARGET          what RBAC has to allow
//   STATUS [?SECONDS] BODY       what is wrong, of a call that creates a pod
#include "common/net/kubernetes/core/api_call.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/scripts.hpp"

namespace fixkeep::kubernetes {
namespace {

constexpr auto calls_file = "tests/unit/common/net/kubernetes/api_call.txt";

const Resource pods{"/api/v1", "games", "pods"};

std::string answer(std::string_view command) {
  constexpr std::array<const char*, 12> problems{
      "none",           "lost",     "unauthorized", "forbidden", "exceeded_quota", "not_found",
      "already_exists", "conflict", "gone",         "invalid",   "too_many",       "refused"};
  support::Words words{command};
  const std::string word = words.next();
  if (word == "right") {
    ApiCall call;
    call.method = words.next();
    call.target = words.rest();
    return right_for(call);
  }
  ApiAnswer said;
  said.status = static_cast<unsigned>(std::stoul(word));
  said.body = words.rest();
  if (said.body.starts_with('?')) {
    said.retry_after = words.next().substr(1);
    said.body = words.rest();
  }
  ApiCall call;
  call.method = "POST";
  call.target = pods.collection();
  const Verdict verdict = judge(call, said);
  return std::string{problems.at(static_cast<std::size_t>(verdict.problem))} +
         (verdict.pause.count() > 0 ? " after " + std::to_string(verdict.pause.count()) : "") +
         (verdict.words.empty() ? "" : ": " + verdict.words);
}

const bool calls_registered = support::register_table(calls_file, answer);

TEST(Resource, has_paths_that_no_name_leaves) {
  EXPECT_EQ(pods.collection(), "/api/v1/namespaces/games/pods");
  EXPECT_EQ(pods.item("a-1", "log"), "/api/v1/namespaces/games/pods/a-1/log");
  EXPECT_EQ(pods.item("../../nodes?x"), "/api/v1/namespaces/games/pods/..%2F..%2Fnodes%3Fx");
  EXPECT_EQ(query({{"labelSelector", "a=b,c in (d)"}, {"limit", "5"}}),
            "?labelSelector=a%3Db%2Cc%20in%20%28d%29&limit=5");
  EXPECT_EQ(query({}), "");
}

TEST(Verdict, words_are_bounded_and_printable) {
  ApiAnswer said;
  said.status = 502;
  said.body = "\x1b[31m<html>" + std::string(100'000, 'x');
  const Verdict verdict = judge({}, said);
  EXPECT_EQ(verdict.problem, ApiProblem::lost);
  EXPECT_LE(verdict.words.size(), most_words * 6);
  EXPECT_EQ(verdict.words.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace fixkeep::kubernetes
