// What only a cluster does to games, and what its runner makes of it.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/pods/pod_subject.hpp"
#include "tests/unit/worker/runner/runner_suite.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"

namespace fixkeep::worker {
namespace {

using test_pods::Json;
using test_pods::kubectl;
using testing::HasSubstr;

class ClusterTest : public RunnerSuite {};

TEST_P(ClusterTest, a_pod_says_whose_it_is_and_its_place_is_that_of_its_node) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1);
  auto pod = test_pods::pod_template();
  pod["spec"]["containers"][0]["ports"] = {{{"containerPort", 7777}, {"protocol", "UDP"}},
                                           {{"name", "query"}, {"protocol", "TCP"}}};
  launch.pod.pod_template = pod.dump();
  launch.pod.port_names = {"query"};
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1)) << worker.heard[1].end->how;
  const auto place = worker.heard[1].place.value();
  EXPECT_EQ(place.host, "10.77.0.1");
  ASSERT_EQ(place.ports.size(), 2U);
  EXPECT_EQ(place.ports[1].name, "query");
  const Json shown = test_pods::ask("GET", "pods/" + launch.object);
  const Json& metadata = shown.at("metadata");
  EXPECT_EQ(metadata.at("labels").at("fixkeep.io/worker"), "w1");
  EXPECT_EQ(metadata.at("labels").at("fixkeep.io/mode"), "duel");
  const Json& ports = shown.at("spec").at("containers").at(0).at("ports");
  EXPECT_EQ(ports.at(0).at("hostPort"), place.ports[0].number);
  EXPECT_EQ(ports.at(0).at("containerPort"), 7777);
  EXPECT_EQ(ports.at(1).at("containerPort"), place.ports[1].number);
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
}

TEST_P(ClusterTest, the_next_run_finds_what_a_killed_worker_has_left) {
  Launch kept = game(1);
  Launch forgotten = game(2);
  kept.note = forgotten.note = "first";
  {
    Worker worker{folder.string()};
    worker.call([](GameRunner& each) { each.end_others(); });
    worker.start(1, kept);
    worker.start(2, forgotten);
    ASSERT_TRUE(worker.begins(1)) << worker.heard[1].end->how;
    ASSERT_TRUE(worker.begins(2)) << worker.heard[2].end->how;
    worker.runner->traits().notes->note(RoomNumber{1}, "second");
    worker.left = true;
    worker.call([](GameRunner& each) { each.leave(); });
  }
  EXPECT_TRUE(exists(kept));
  kept.note.clear();
  Worker next{folder.string()};
  const RoomNotes& notes = *next.runner->traits().notes;
  EXPECT_EQ(notes.note_of(kept.name), "second");
  EXPECT_EQ(notes.note_of(forgotten.name), "first");
  next.adopt(1, kept);
  EXPECT_EQ(notes.note_of(kept.name), "second");
  EXPECT_EQ(notes.note_of(forgotten.name), std::nullopt);
  // The worker waits for it, and the node of a busy machine may take longer.
  EXPECT_TRUE(next.run_until([&] { return !exists(forgotten); })) << "nobody knows it";
  ASSERT_TRUE(next.run_until([&] { return next.heard[1].place.has_value(); }));
  EXPECT_FALSE(next.heard[1].begun) << "it had begun before";
  next.ask_to_end(1);
  ASSERT_TRUE(next.ends(1));
  EXPECT_NE(next.heard[1].end->how, "");
  EXPECT_EQ(notes.note_of(kept.name), std::nullopt);
}

TEST_P(ClusterTest, an_image_that_cannot_be_pulled_is_told_and_blamed) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1);
  auto pod = test_pods::pod_template();
  pod["spec"]["containers"][0]["image"] = "127.0.0.1:1/no/such:image";
  pod["spec"]["containers"][0]["imagePullPolicy"] = "Always";
  launch.pod.pod_template = pod.dump();
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_FALSE(worker.heard[1].end->blameless);
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("ErrImage"));
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("127.0.0.1:1/no/such"));
  expect_gone(worker, launch);
}

TEST_P(ClusterTest, what_the_server_does_not_take_is_told_and_blamed) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1);
  auto pod = test_pods::pod_template();
  pod["spec"]["containers"][0]["imagePullPolicy"] = "Sometimes";
  launch.pod.pod_template = pod.dump();
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_FALSE(worker.heard[1].end->blameless);
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("Sometimes"));
}

TEST_P(ClusterTest, a_used_up_quota_is_no_fault_of_the_game_and_takes_its_places_for_a_while) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  EXPECT_GT(worker.runner->places().value(), 0U);
  ASSERT_TRUE(kubectl("-n games create quota none --hard=pods=0"));
  // The controllers have to count before a quota is held to.
  ASSERT_TRUE(worker.run_until(
      [] { return kubectl("-n games get quota none -o json | grep -q '\"used\"'"); }));
  const Launch launch = game(1);
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  ASSERT_TRUE(kubectl("-n games delete quota none"));
  EXPECT_TRUE(worker.heard[1].end->blameless);
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("exceeded quota"));
  EXPECT_EQ(worker.runner->places(), 0U);
  EXPECT_TRUE(worker.run_until([&] { return worker.runner->places() != 0U; }));
}

Launch too_large(Launch launch) {
  auto pod = test_pods::pod_template();
  pod["spec"]["containers"][0]["resources"] = {{"requests", {{"cpu", "1000"}}}};
  launch.pod.pod_template = pod.dump();
  return launch;
}

TEST_P(ClusterTest, one_that_no_node_has_room_for_takes_the_places_until_it_is_given_up) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  worker.start(1, too_large(game(1)));
  ASSERT_TRUE(worker.run_until([&] { return worker.runner->places() == 0U; }));
  EXPECT_FALSE(worker.heard[1].begun);
  worker.kill(1);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_TRUE(worker.heard[1].end->blameless);
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("Unschedulable"));
  EXPECT_NE(worker.runner->places(), 0U);
}

TEST_P(ClusterTest, one_that_no_node_has_room_for_is_given_up_and_the_worker_rests) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = too_large(game(1));
  launch.boot_timeout = std::chrono::seconds{1};
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_FALSE(worker.heard[1].begun);
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_TRUE(worker.heard[1].end->blameless);
  EXPECT_THAT(worker.heard[1].end->how, HasSubstr("no node has room for a pod: Unschedulable"));
  EXPECT_EQ(worker.runner->places(), 0U);
  EXPECT_EQ(worker.runner->why_no_places(), worker.heard[1].end->how);
  expect_gone(worker, launch);
  EXPECT_TRUE(worker.run_until([&] { return worker.runner->places() != 0U; }));
}

TEST_P(ClusterTest, a_game_that_ends_by_itself_says_how) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  worker.start(1, game(1, "sleep 1; exit 3"));
  worker.start(2, game(2, "sleep 1; kill -SEGV $$"));
  ASSERT_TRUE(worker.ends(1));
  ASSERT_TRUE(worker.ends(2));
  EXPECT_EQ(worker.heard[1].end->kind, GameEnd::Kind::exited);
  EXPECT_EQ(worker.heard[1].end->number, 3);
  EXPECT_EQ(worker.heard[2].end->kind, GameEnd::Kind::signalled);
  EXPECT_EQ(worker.heard[2].end->number, SIGSEGV);
}

TEST_P(ClusterTest, a_drain_ends_a_game_and_is_told) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  const Launch launch = game(1);
  worker.start(1, launch);
  ASSERT_TRUE(worker.begins(1));
  ASSERT_TRUE(kubectl("-n games delete pod --wait=false " + launch.object));
  ASSERT_TRUE(worker.ends(1));
  EXPECT_NE(worker.heard[1].end->kind, GameEnd::Kind::not_started);
  EXPECT_NE(worker.heard[1].end->how, "") << "kubelets do not always tell the exit code";
  expect_gone(worker, launch);
}

TEST_P(ClusterTest, what_a_game_has_written_is_kept) {
  Worker worker{folder.string()};
  worker.call([](GameRunner& each) { each.end_others(); });
  Launch launch = game(1, "echo hello; sleep 1; echo goodbye; exit 3");
  launch.follow = true;
  worker.start(1, launch);
  ASSERT_TRUE(worker.ends(1));
  EXPECT_EQ(worker.heard[1].end->last_lines, "hello\ngoodbye\n");
  EXPECT_EQ(worker.runner->traits().outputs->output_of(launch.name, 8), "goodbye\n");
}

TEST_P(ClusterTest, one_who_may_nothing_is_told_what_he_lacks) {
  auto options = test_pods::options_in(folder.string());
  options.kubernetes.kubeconfig = test_pods::cluster_folder() + "/stranger.json";
  boost::asio::io_context context;
  const auto runner = make_kubernetes_runner(context, options);
  EXPECT_THAT(runner->open(), HasSubstr("needs the right to list pods in namespace games"));
}

INSTANTIATE_TEST_SUITE_P(Every, ClusterTest, testing::ValuesIn(runner_subjects()),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fixkeep::worker
