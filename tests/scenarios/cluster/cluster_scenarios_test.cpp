// Every scenario in tests/scenarios/cluster, each a case FILE.NAME of its own; the runner is tested
// on itself below. `--rewrite` fills in what is seen, of the scenarios that the filter chooses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/scenarios/cluster/scenario.hpp"
#include "tests/scenarios/cluster/words.hpp"

namespace fixkeep::scenarios {
namespace {

bool rewrites = false;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class ClusterScenario : public testing::Test {
 public:
  ClusterScenario(std::filesystem::path path, std::string name)
      : path_(std::move(path)), name_(std::move(name)) {}

  void TestBody() override {
    const std::string text = content_of(path_);  // anew: a rewrite before has moved the lines
    for (const Scenario& scenario : scenarios_of(text)) {
      if (scenario.name != name_) continue;
      Seen seen;
      const auto failure = run(scenario, rewrites ? &seen : nullptr);
      if (failure) {
        std::string before;
        for (const std::string& each : failure->before) before += "  " + each + "\n";
        ADD_FAILURE_AT(path_.c_str(), failure->number)
            << failure->line << ": " << failure->why << "\nThe lines up to there:\n"
            << before;
      } else if (rewrites) {
        std::ofstream{path_} << rewritten(text, scenario, seen);
      }
      return;
    }
    FAIL() << "the scenario is gone";
  }

 private:
  std::filesystem::path path_;
  std::string name_;
};

void register_all() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{FIXKEEP_SCENARIOS}) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    for (const Scenario& scenario : scenarios_of(content_of(path))) {
      testing::RegisterTest(path.stem().c_str(), scenario.name.c_str(), nullptr, nullptr,
                            path.c_str(), scenario.number, [path, name = scenario.name] {
                              return new ClusterScenario{path, name};
                            });
    }
  }
}

std::string run_text(const std::string& lines) {
  const auto all = scenarios_of("scenario x\n" + lines);
  const auto failure = run(all.at(0));
  return failure ? std::to_string(failure->number) + ", " + failure->line + ": " + failure->why
                 : "holds";
}

TEST(ClusterScenarioRunner, says_which_line_fails_and_what_was_seen) {
  const std::string asks = "master\nw1 connects\nclaim p1\n  m1 acquires g\n";
  EXPECT_EQ(run_text("master\nw1 connects\nclaim p1\n  -\n"),
            "4, claim p1: was seen:\n  m1 acquires g");
  EXPECT_EQ(run_text(asks + "lose\n  m1 releases g\n"), "6, lose: was seen:\n  -");
  EXPECT_EQ(run_text(asks + "jump m1\n"), "6, jump m1: no such command: m1");
  EXPECT_EQ(run_text(asks + "cancel p1 p2\n"), "6, cancel p1 p2: there is no claim p2");
  EXPECT_EQ(run_text(asks + "lose m1 twice\n"), "6, lose m1 twice: what does `twice` mean here?");
  EXPECT_EQ(run_text("master\nclaim p1\n"), "1, x: it expects nothing");
  EXPECT_EQ(run_text(asks), "holds");
}

// What a scenario says of itself is what makes an invariant fail here.
TEST(ClusterScenarioRunner, holds_the_invariants_against_every_line) {
  const std::string world = "master served-lock\nworker w1\nclaim p1\n";
  EXPECT_EQ(run_text(world + "deliver 1\n  -\n"), "holds");
  EXPECT_EQ(run_text(world + "run\nm9 connects\n  ?\n").substr(0, 23), "6, m9 connects: was see");
  EXPECT_EQ(run_text(world + "run\nm9 connects w1\nm9 > w1 SeatRequest #1 p9\n"
                             "  w1 > m9 SeatReply #1 starting granted=p9 for=15s r=2\n"),
            "7, (end): w1#1 keeps a seat for p9, who was not told of it");
}

TEST(ClusterScenarioRunner, runs_every_variant_and_stops_at_every_step) {
  EXPECT_EQ(run_text("for n in 1 2\nmaster capacity=$n\nw1 connects\nclaim p1..p2\ngrant\n"
                     "  m1 > w1 SpawnRoom 1.m1.0 p1 p2\n  m1 releases g w1/1(1.m1.0 0/2)\n"),
            "6, grant: was seen:\n  m1 > w1 SpawnRoom 1.m1.0 p1\n  m1 > w1 SpawnRoom 1.m1.1 p2\n"
            "  m1 releases g w1/1(1.m1.0 0/1) w1/1(1.m1.1 0/1) (with n=1)");
  EXPECT_EQ(run_text("master served-lock\nworker w1\nclaim p1\nsome\n  -\n"),
            "5, some: was seen:\n  w1#1 starts g by=1.m1.0 (with after 3 deliveries)");
  EXPECT_EQ(run_text("master\nworker w1\nrepeat i 1..3\nclaim p$i\nend\nwaiting\n  x\n"),
            "7, waiting: was seen:\n  m1 requests=3 groups=1");
}

TEST(ClusterScenarioRunner, fills_in_what_is_seen) {
  const std::string text =
      "scenario x\nmaster\nw1 connects\nclaim p1\n  ?\n  ?\n+1s\n  ?\nwaiting\n";
  const auto scenario = scenarios_of(text).at(0);
  Seen seen;
  EXPECT_FALSE(run(scenario, &seen).has_value());
  EXPECT_EQ(rewritten(text, scenario, seen),
            "scenario x\nmaster\nw1 connects\nclaim p1\n  m1 acquires g\n+1s\n  -\nwaiting\n");
}

}  // namespace
}  // namespace fixkeep::scenarios

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  fixkeep::scenarios::rewrites = argc > 1 && std::string_view{argv[1]} == "--rewrite";
  try {
    fixkeep::scenarios::register_all();
  } catch (const fixkeep::scenarios::ScenarioError& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return RUN_ALL_TESTS();
}
