// Starts a thread that receives no signals: the main thread receives all signals of the process.
//
// Thread rule: a free function. Errors: std::system_error if the system has no more threads.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace fixkeep::obs {

[[nodiscard]] std::thread start_without_signals(auto run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread{std::move(run)};
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace fixkeep::obs
