// What pods, and the answers of an API server, mean for the life of an object.
#include "worker/runner/kubernetes/pod_sights.hpp"

#include <gmock/gmock.h>

namespace fixkeep::worker::kubernetes {
namespace {

using engine::Answer;
using engine::Ask;
using engine::Sight;
using fixkeep::kubernetes::ApiAnswer;
using fixkeep::kubernetes::ApiCall;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

Answer said(Ask ask, unsigned status, const std::string& body = "") {
  const ApiAnswer answer{.status = status, .body = body};
  const char* const method = ask == Ask::make ? "POST" : ask == Ask::look ? "GET" : "DELETE";
  const ApiCall call{.method = method, .target = "/api/v1/namespaces/g/pods"};
  return answer_to(ask, answer, judge(call, answer));
}

TEST(PodAnswers, a_quota_that_is_used_up_is_no_fault_of_the_game_and_leaves_no_place) {
  const auto answer =
      said(Ask::make, 403,
           R"({"message":"pods \"p\" is forbidden: exceeded quota: few","reason":"Forbidden"})");
  EXPECT_EQ(answer.kind, Answer::Kind::refused);
  EXPECT_TRUE(answer.blameless);
  EXPECT_TRUE(answer.no_place);
  EXPECT_EQ(answer.why, R"(cannot create its pod: pods "p" is forbidden: exceeded quota: few)");
}

TEST(PodAnswers, a_missing_right_a_namespace_or_a_token_is_no_fault_of_the_game) {
  for (const auto& [status, body] : {
           std::pair{403U, R"({"message":"User \"u\" cannot create","reason":"Forbidden"})"},
           {404U, R"({"message":"namespaces \"g\" not found","reason":"NotFound"})"},
           {401U, R"({"message":"Unauthorized","reason":"Unauthorized"})"},
       }) {
    const auto answer = said(Ask::make, status, body);
    EXPECT_EQ(answer.kind, Answer::Kind::refused) << status;
    EXPECT_TRUE(answer.blameless && answer.no_place) << status;
  }
}

TEST(PodAnswers, what_a_server_or_a_policy_does_not_take_is_the_fault_of_the_template) {
  for (const auto& [status, body] : {
           std::pair{422U, R"({"message":"spec.containers[0].image: Required value"})"},
           {403U, R"({"message":"pods \"p\" is forbidden: violates PodSecurity"})"},
       }) {
    const auto answer = said(Ask::make, status, body);
    EXPECT_EQ(answer.kind, Answer::Kind::refused) << status;
    EXPECT_FALSE(answer.blameless || answer.no_place) << status;
  }
}

TEST(PodAnswers, a_name_that_is_taken_is_looked_at) {
  EXPECT_EQ(said(Ask::make, 409, R"({"reason":"AlreadyExists"})").kind, Answer::Kind::lost);
  EXPECT_EQ(said(Ask::make, 0).kind, Answer::Kind::lost);
  EXPECT_EQ(said(Ask::make, 201, "no pod").kind, Answer::Kind::lost);
}

TEST(PodAnswers, a_busy_server_may_do_it_later) {
  EXPECT_EQ(said(Ask::make, 429).kind, Answer::Kind::busy);
}

TEST(PodAnswers, a_pod_that_is_not_there_or_another_one_is_none) {
  for (const Ask ask : {Ask::look, Ask::end, Ask::remove}) {
    ASSERT_TRUE(said(ask, 404).sight);
    EXPECT_EQ(said(ask, 404).sight->state, Sight::State::none);
  }
  ASSERT_TRUE(said(Ask::remove, 409).sight);
  EXPECT_EQ(said(Ask::remove, 409).sight->state, Sight::State::none);
  EXPECT_FALSE(said(Ask::remove, 200).sight);
  EXPECT_EQ(said(Ask::remove, 200).kind, Answer::Kind::done);
}

TEST(PodSights, of_a_pod_that_its_node_cannot_start_need_no_node) {
  const auto sight = sight_of({.host = "h", .why_waiting = "ErrImagePull", .cannot_start = true});
  EXPECT_EQ(sight.state, Sight::State::broken);
  EXPECT_TRUE(sight.is_dead);
  EXPECT_EQ(sight.why, "ErrImagePull");
}

TEST(PodSights, of_a_pod_whose_program_is_not_there_say_so_although_it_has_ended) {
  const auto sight = sight_of({.host = "h",
                               .ended = true,
                               .exit_code = 128,
                               .knows_code = true,
                               .why_waiting = "StartError: no such file",
                               .cannot_start = true});
  EXPECT_EQ(sight.state, Sight::State::broken);
  EXPECT_TRUE(sight.end);
}

TEST(PodSights, of_a_pod_without_a_host_are_of_one_that_waits) {
  EXPECT_EQ(sight_of({.runs = true}).state, Sight::State::waiting);
  EXPECT_EQ(sight_of({.host = "h", .runs = true}).state, Sight::State::running);
}

TEST(PodSights, of_an_end_have_its_code_and_its_reason) {
  const auto killed =
      sight_of({.ended = true, .exit_code = 137, .knows_code = true, .why_ended = "OOMKilled"});
  ASSERT_TRUE(killed.end);
  EXPECT_EQ(killed.end->kind, GameEnd::Kind::signalled);
  EXPECT_THAT(killed.end->how, HasSubstr("OOMKilled"));
  const auto evicted = sight_of({.ended = true, .why_ended = "Evicted"});
  ASSERT_TRUE(evicted.end);
  EXPECT_EQ(evicted.end->kind, GameEnd::Kind::unknown);
}

TEST(PodSights, have_patience_for_a_large_image_or_a_long_boot) {
  EXPECT_EQ(pod_traits({}, "", 30s).node_patience, 30s);
  EXPECT_EQ(pod_traits({}, "", 30s).start_patience, 5min);
  EXPECT_EQ(pod_traits({}, "", 10min).start_patience, 10min);
}

}  // namespace
}  // namespace fixkeep::worker::kubernetes
