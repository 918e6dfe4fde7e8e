#include "client-sim/interruption.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

using namespace fixkeep::client_sim;
using namespace std::chrono_literals;

TEST(InterruptionTest, a_signal_that_comes_between_two_waits_is_kept_for_the_next) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Interruption interruption;
    EXPECT_FALSE(interruption.wait(1ms));
    ASSERT_EQ(std::raise(signal), 0);
    EXPECT_TRUE(interruption.wait(0ms));
    EXPECT_TRUE(interruption.came()) << "It has been forgotten.";
  }
}

TEST(InterruptionTest, a_signal_that_somebody_else_waits_for_is_told_as_well) {
  Interruption interruption;
  Interruption other;
  ASSERT_EQ(std::raise(SIGTERM), 0);
  EXPECT_TRUE(other.wait(10s));
  EXPECT_TRUE(interruption.wait(10s));
}

TEST(InterruptionTest, a_wait_ends_when_a_signal_comes) {
  Interruption interruption;
  const auto self = ::pthread_self();
  std::thread sender{[self] {
    std::this_thread::sleep_for(20ms);
    ::pthread_kill(self, SIGTERM);
  }};
  EXPECT_TRUE(interruption.wait(60s));
  sender.join();
}
