// What is told of pods to an API server, and what its objects come to.
//
//   pod JSON          what an object of a pod says
//   template JSON     what is wrong with a template of a game with the ports "query"
//   ports JSON        the ports of a room of a template, of a game with the port "query"
//   label TEXT
#include "worker/runner/kubernetes/pod_texts.hpp"

#include <gtest/gtest.h>

#include "tests/support/scripts.hpp"
#include "worker/runner/kubernetes/relay_container.hpp"

namespace fixkeep::worker::kubernetes {
namespace {

constexpr auto texts_file = "tests/unit/worker/runner/kubernetes/pod_texts.txt";

std::string to_text(const std::optional<Pod>& found) {
  if (!found) return "no pod";
  const Pod& pod = *found;
  std::string text =
      pod.name + " " + pod.uid + " of " + pod.room + " on " + pod.node + "/" + pod.host;
  for (const auto& port : pod.ports) text += " " + port.name + "=" + std::to_string(port.number);
  if (pod.runs) text += " runs";
  if (pod.ended) text += " ended";
  if (pod.over) text += " over";
  if (pod.deleting) text += " deleting";
  if (pod.knows_code) text += " code=" + std::to_string(pod.exit_code);
  if (pod.cannot_start) text += " cannot start";
  if (pod.unschedulable) text += " unschedulable";
  if (!pod.why_ended.empty()) text += " ended: " + pod.why_ended;
  if (!pod.why_waiting.empty()) text += " waits: " + pod.why_waiting;
  return text;
}

std::string answer(std::string_view command) {
  support::Words words{command};
  const std::string word = words.next();
  const Json json = Json::parse(words.rest(), nullptr, false);
  if (word == "pod") return to_text(parse_pod(json));
  if (word == "label") return label_value(words.rest());
  if (word == "template") {
    const auto problem = problem_of_template(json, {"query"});
    return problem.empty() ? "good" : problem;
  }
  std::string text;
  for (const auto& name : port_names(json, {"query"})) text += (text.empty() ? "" : " ") + name;
  return text;
}

const bool texts_registered = support::register_table(texts_file, answer);

PodOrder order_of(std::string pod_template) {
  return {.name = "fixkeep-c-1",
          .owner = {"c", "w1"},
          .room = "w1-1",
          .creation = "7.m1.0",
          .mode = "duel",
          .pod_template = std::move(pod_template),
          .ports = {{"default", 20000}, {"query", 20001}},
          .grace = std::chrono::seconds{5}};
}

TEST(PodBody, is_the_template_with_what_makes_it_one_room) {
  auto order = order_of(R"json({"metadata":{"name":"mine","generateName":"x-","namespace":"other",
    "labels":{"team":"a"}},"spec":{"nodeSelector":{"pool":"games"},"restartPolicy":"Never",
    "containers":[
    {"name":"proxy","image":"proxy:1"},
    {"name":"game","image":"game:1","args":["-x"],
     "env":[{"name":"A","value":"1"},{"name":"B","value":"$(A)"}],
     "ports":[{"containerPort":7777,"protocol":"UDP"},
              {"name":"tcp","containerPort":7777,"protocol":"TCP"},
              {"name":"query","protocol":"UDP"}]}]}})json");
  order.environment = {"A=2", "KEY=a=b$(A)$$(B)"};
  const Json pod = Json::parse(pod_body(order));
  const Json wanted = Json::parse(R"json({"apiVersion":"v1","kind":"Pod",
    "metadata":{"name":"fixkeep-c-1",
      "labels":{"team":"a","fixkeep.io/cluster":"c","fixkeep.io/worker":"w1",
                "fixkeep.io/room":"w1-1","fixkeep.io/mode":"duel"},
      "annotations":{"fixkeep.io/owner":"c w1 w1-1 7.m1.0",
                     "fixkeep.io/ports":"default=20000 query=20001"}},
    "spec":{"nodeSelector":{"pool":"games"},"restartPolicy":"Never",
      "automountServiceAccountToken":false,"enableServiceLinks":false,
      "terminationGracePeriodSeconds":5,"containers":[
      {"name":"proxy","image":"proxy:1"},
      {"name":"game","image":"game:1","args":["-x"],
       "env":[{"name":"A","value":"2"},{"name":"B","value":"$(A)"},
              {"name":"KEY","value":"a=b$$(A)$$$$(B)"}],
       "ports":[{"containerPort":7777,"hostPort":20000,"protocol":"UDP"},
                {"name":"tcp","containerPort":7777,"hostPort":20000,"protocol":"TCP"},
                {"name":"query","containerPort":20001,"hostPort":20001,"protocol":"UDP"}
               ]}]}})json");
  EXPECT_EQ(pod, wanted) << Json::diff(wanted, pod);
}

TEST(PodBody, has_ports_for_both_protocols_where_the_template_says_none) {
  auto order = order_of(R"({"spec":{"containers":[{"image":"game:1","args":["a"]}]}})");
  order.command = {"/game", "kill $$ $(A)"};
  const Json pod = Json::parse(pod_body(order));
  const Json& game = pod["spec"]["containers"][0];
  EXPECT_EQ(game["name"], "game");
  EXPECT_EQ(game["command"], Json({"/game", "kill $$$$ $$(A)"}));
  EXPECT_FALSE(game.contains("args"));
  EXPECT_EQ(game["ports"].dump(), R"([{"containerPort":20000,"hostPort":20000,"protocol":"TCP"},)"
                                  R"({"containerPort":20000,"hostPort":20000,"protocol":"UDP"},)"
                                  R"({"containerPort":20001,"hostPort":20001,"protocol":"TCP"},)"
                                  R"({"containerPort":20001,"hostPort":20001,"protocol":"UDP"}])");
}

TEST(PodBody, has_a_relay_beside_the_game_that_shows_the_token_for_it) {
  auto order = order_of(R"({"spec":{"containers":[{"name":"mine","image":"game:1"}]}})");
  order.environment = {"AGONES_SDK_HTTP_PORT=9358"};
  order.sdk = {.image = "fixkeep:1",
               .host = "w1.workers",
               .port = 9359,
               .token = "abc",
               .alone = std::chrono::milliseconds{5000}};
  Json pod = Json::parse(pod_body(order));
  const Json& containers = pod["spec"]["containers"];
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers[1]["name"], "mine");
  EXPECT_EQ(containers[1]["env"].dump(), R"([{"name":"AGONES_SDK_HTTP_PORT","value":"9358"}])");
  const Json& relay = containers[0];
  EXPECT_EQ(relay["image"], "fixkeep:1");
  EXPECT_EQ(
      relay["env"].dump(),
      R"([{"name":"FIXKEEP_SDK_HOST","value":"w1.workers"},)"
      R"({"name":"FIXKEEP_SDK_PORT","value":"9359"},{"name":"FIXKEEP_SDK_TOKEN","value":"abc"},)"
      R"({"name":"FIXKEEP_SDK_ALONE_MS","value":"5000"},)"
      R"({"name":"FIXKEEP_ROOM_ID","value":"w1-1"}])");
  // The cluster shows it, and its game is still the game.
  pod["metadata"]["uid"] = "u";
  pod["status"] = {{"phase", "Running"},
                   {"containerStatuses",
                    {{{"name", relay_name}, {"state", {{"running", Json::object()}}}},
                     {{"name", "mine"}, {"state", {{"terminated", {{"exitCode", 3}}}}}}}}};
  const auto shown = parse_pod(pod);
  ASSERT_TRUE(shown);
  EXPECT_TRUE(shown->ended);
  EXPECT_EQ(shown->exit_code, 3);
}

TEST(PodBody, limits_the_processor_of_its_relay_only_where_each_container_has_such_a_limit) {
  const auto resources_of_relay = [](std::string_view of_the_second) {
    auto order = order_of(R"({"spec":{"containers":[
        {"name":"game","image":"game:1","resources":{"limits":{"cpu":"1"}}},
        {"name":"log","image":"log:1")" +
                          std::string{of_the_second} + "}]}}");
    order.sdk = {.image = "fixkeep:1", .host = "w1.workers", .port = 9359, .token = "abc"};
    return Json::parse(pod_body(order))["spec"]["containers"][0]["resources"];
  };
  const Json limited = resources_of_relay(R"(,"resources":{"limits":{"cpu":"50m"}})");
  EXPECT_EQ(limited["limits"], limited["requests"]);
  EXPECT_TRUE(limited["limits"].contains("cpu"));
  const Json free = resources_of_relay("");
  EXPECT_EQ(free["limits"].dump(), R"({"memory":"32Mi"})");
  EXPECT_TRUE(free["requests"].contains("cpu"));
}

TEST(PodBody, leaves_what_a_template_says_of_its_account_and_its_end) {
  const Json pod = Json::parse(pod_body(order_of(
      R"({"spec":{"automountServiceAccountToken":true,"enableServiceLinks":true,
          "terminationGracePeriodSeconds":90,"containers":[{"image":"game:1"}]}})")));
  EXPECT_EQ(pod["spec"]["automountServiceAccountToken"], true);
  EXPECT_EQ(pod["spec"]["enableServiceLinks"], true);
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"], 90);
}

TEST(DeleteBody, names_the_very_pod) {
  EXPECT_EQ(delete_body("u1", std::chrono::seconds{3}),
            R"({"apiVersion":"v1","gracePeriodSeconds":3,"kind":"DeleteOptions",)"
            R"("preconditions":{"uid":"u1"}})");
}

TEST(Labels, select_the_pods_of_a_worker) {
  EXPECT_EQ(labels_of({"c", "w1"}), "fixkeep.io/cluster=c,fixkeep.io/worker=w1");
}

}  // namespace
}  // namespace fixkeep::worker::kubernetes
