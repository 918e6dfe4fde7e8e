// fixkeep-bench-rw-spin-lock: RwSpinLock beside std::shared_mutex.
//
// For 95 % and 50 % reads and 1 to 8 threads: operations per second when a lock is held for a few
// loads or stores, with some work outside of it in between. The two locks take turns, several times
// a setting, and the median of each is told. Prints one line of JSON a setting.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "common/base/random.hpp"
#include "common/sync/rw_spin_lock.hpp"

namespace {

using namespace fixkeep;
using std::chrono::steady_clock;

// What is guarded: a row of numbers, all equal unless somebody writes.
using Row = std::array<std::uint64_t, 8>;

struct Spin {
  sync::RwSpinLock lock{{"bench", std::chrono::seconds{60}}};
  template <class Function>
  void read(Function function) {
    const auto guard = lock.read();
    if (guard) function();
  }
  template <class Function>
  void write(Function function) {
    const auto guard = lock.write();
    if (guard) function();
  }
};

struct Standard {
  std::shared_mutex lock;
  template <class Function>
  void read(Function function) {
    const std::shared_lock guard{lock};
    function();
  }
  template <class Function>
  void write(Function function) {
    const std::unique_lock guard{lock};
    function();
  }
};

// Operations per second of all threads together.
template <class Lock>
double measure(int threads, unsigned read_percent, std::chrono::milliseconds time) {
  Lock lock;
  Row row{};
  std::atomic<bool> go{false};
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> torn{0};
  std::vector<std::thread> all;
  all.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    all.emplace_back([&, i] {
      Random random{static_cast<std::uint64_t>(i)};
      std::uint64_t mine = 0;
      std::uint64_t bad = 0;
      while (!go) std::this_thread::yield();
      while (!stop.load(std::memory_order_relaxed)) {
        if (random.below(100) < read_percent) {
          lock.read([&] { bad += row.front() == row.back() ? 0 : 1; });
        } else {
          lock.write([&] {
            for (auto& number : row) ++number;
          });
        }
        ++mine;
      }
      done += mine;
      torn += bad;
    });
  }
  const auto began = steady_clock::now();
  go = true;
  std::this_thread::sleep_for(time);
  stop = true;
  for (auto& thread : all) thread.join();
  const std::chrono::duration<double> took = steady_clock::now() - began;
  if (torn != 0) std::fprintf(stderr, "a lock let a reader see a half-written row\n");
  return static_cast<double>(done) / took.count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The reader-writer spin lock beside std::shared_mutex"};
  int rounds = 5;
  int milliseconds = 200;
  app.add_option("--rounds", rounds, "of each lock and setting");
  app.add_option("--ms", milliseconds, "of a round");
  CLI11_PARSE(app, argc, argv);
  for (const unsigned read_percent : {95U, 50U}) {
    for (const int threads : {1, 2, 4, 8}) {
      std::vector<double> spin;
      std::vector<double> standard;
      for (int round = 0; round < rounds; ++round) {
        const std::chrono::milliseconds time{milliseconds};
        spin.push_back(measure<Spin>(threads, read_percent, time));
        standard.push_back(measure<Standard>(threads, read_percent, time));
      }
      const auto ours = median(spin);
      const auto theirs = median(standard);
      std::printf(
          "{\"read_percent\":%u,\"threads\":%d,\"rw_spin_lock_per_s\":%.0f,"
          "\"shared_mutex_per_s\":%.0f,\"ratio\":%.2f}\n",
          read_percent, threads, ours, theirs, ours / theirs);
      std::fflush(stdout);
    }
  }
  return 0;
}
