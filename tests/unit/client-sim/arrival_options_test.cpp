#include "client-sim/arrival_options.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "client-sim/options.hpp"

namespace fixkeep::client_sim {
namespace {

std::string mistake_in(const std::string& names, double duration_s = 0) {
  std::vector<Arrival> arrivals;
  return read_arrivals({.names = names, .duration_s = duration_s}, arrivals);
}

TEST(Arrivals, are_one_or_a_list) {
  std::vector<Arrival> arrivals;
  EXPECT_EQ(read_arrivals({.names = "poisson"}, arrivals), "");
  EXPECT_EQ(arrivals, std::vector{Arrival::poisson});
  EXPECT_EQ(read_arrivals({.names = "burst,churn"}, arrivals), "");
  EXPECT_EQ(arrivals, (std::vector{Arrival::burst, Arrival::churn}));
}

TEST(Arrivals, that_are_mistyped_are_named_with_what_to_write_instead) {
  EXPECT_EQ(mistake_in("burst,chrun"),
            "--arrival: \"chrun\" is not one of burst, poisson, churn; write for example "
            "burst,churn");
  for (const auto* text : {"", "burst,", ",churn", "burst;churn", "burst, churn", "Burst"}) {
    EXPECT_NE(mistake_in(text).find("is not one of"), std::string::npos) << text;
  }
  EXPECT_EQ(mistake_in("churn,burst,churn"), "--arrival: churn is given twice");
}

TEST(Arrivals, of_a_burst_alone_have_no_duration) {
  EXPECT_EQ(mistake_in("burst", 5), "--duration-s needs --arrival poisson or churn");
  EXPECT_EQ(mistake_in("burst,churn", 5), "");
}

std::variant<Options, ExitCode> parse(std::vector<const char*> arguments, std::ostream& err) {
  arguments.insert(arguments.begin(), "fixkeep-client-sim");
  std::ostringstream out;
  return parse_options(static_cast<int>(arguments.size()), arguments.data(), out, err);
}

TEST(Arrivals, each_have_their_own_players_and_rooms) {
  std::ostringstream err;
  const auto parsed = parse({"compare", "--arrival", "churn,burst", "--players", "64",
                             "--duration-s", "10", "--rate", "50"},
                            err);
  ASSERT_TRUE(std::holds_alternative<Options>(parsed)) << err.str();
  const auto& options = std::get<Options>(parsed);
  EXPECT_EQ(options.workload.arrival, Arrival::churn) << "the first";
  EXPECT_EQ(options.workload.players, 500U);
  EXPECT_EQ(options.cluster.close_empty_after_ms, 2000U);
  const auto burst = with_arrival(options, Arrival::burst);
  EXPECT_EQ(burst.workload.players, 64U);
  EXPECT_EQ(burst.cluster.players, 64U);
  EXPECT_EQ(burst.cluster.close_empty_after_ms, 60'000U);
}

TEST(Arrivals, that_are_wrong_end_the_command) {
  std::ostringstream err;
  const auto parsed = parse({"compare", "--arrival", "burst,chrun"}, err);
  ASSERT_TRUE(std::holds_alternative<ExitCode>(parsed));
  EXPECT_EQ(std::get<ExitCode>(parsed).code, exit_usage);
  EXPECT_NE(err.str().find("\"chrun\" is not one of"), std::string::npos) << err.str();
  std::ostringstream of_locks;
  EXPECT_TRUE(
      std::holds_alternative<ExitCode>(parse({"locks", "--arrival", "burst,churn"}, of_locks)));
}

}  // namespace
}  // namespace fixkeep::client_sim
