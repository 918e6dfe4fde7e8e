#include "worker/runner/process/starter_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <utility>

#include "common/obs/log.hpp"
#include "common/process/process_group.hpp"
#include "common/process/program.hpp"
#include "common/process/spawn.hpp"
#include "worker/keeper/passing.hpp"
#include "worker/keeper/starter.hpp"

namespace fixkeep::worker {
namespace {

constexpr auto starter_program = "fixkeep-room-keeper";
// When the worker leaves: time limit for the starter to read the orders in its socket. After the
// limit, the starter (it may be stopped by SIGSTOP) is left alone with its orders.
constexpr std::chrono::milliseconds last_orders_limit{100};

// Writes the plan's text into a memory file. A plan may be longer than a packet, and the secrets in
// the plan must not be on a disk or in an environment.
Result<process::Descriptor> in_memory(const std::string& text) {
  process::Descriptor file{::memfd_create("fixkeep-plan", MFD_CLOEXEC)};
  if (!file) return process::last_error();
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return process::last_error();
  }
  return file;
}

}  // namespace

std::string StarterLink::ready() {
  if (process_ != 0) return {};
  const auto program = process::find_program(starter_program, folders_);
  if (program.path.empty()) {
    return std::string{"cannot execute "} + starter_program + ": " + program.problem;
  }
  const auto started = start(program.path);
  return started ? "" : "cannot start a keeper: " + started.error().message();
}

// Blocks the worker's only thread until the program is executed. This happens for the first
// starter, and again after each killed starter.
Result<void> StarterLink::start(const std::string& program) {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return process::last_error();
  }
  process::Descriptor ours{ends[0]};
  const process::Descriptor its{ends[1]};
  const process::Descriptor null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  if (!null) return process::last_error();
  const auto child = process::spawn({.program = program,
                                     .arguments = {starter_program},
                                     .environment = {},
                                     .input = null.get(),
                                     .output = null.get(),
                                     .inherited = {its.get()}});
  if (!child) return child.error();
  const auto watched = process::open_watch(*child);
  if (!watched) {
    process::end_group(*child);
    return watched.error();
  }
  process_ = *child;
  watch_ = std::make_shared<Stream>(context_, *watched);
  socket_ = std::make_shared<Stream>(context_, ours.release());
  watch();
  return {};
}

void StarterLink::watch() {
  watch_->async_wait(Stream::wait_read, [this, known = std::weak_ptr{watch_}](
                                            boost::system::error_code error) {
    if (error || known.expired() || known.lock() != watch_) return;
    if (!process::has_ended(watch_->native_handle())) return watch();
    obs::log_warning("the starter of keepers was killed; there will be another one for the next",
                     {{"process", process_}});
    collect();
  });
}

void StarterLink::collect() {
  process::reap(process_);
  process_ = 0;
  watch_.reset();
  socket_.reset();
}

Result<void> StarterLink::hand_over(const std::string& plan, const Descriptors& descriptors) {
  if (socket_ == nullptr) return make_error_code(boost::system::errc::broken_pipe);
  const auto file = in_memory(plan);
  if (!file) return file.error();
  const auto& [connection, note, listeners] = descriptors;
  std::vector<int> all{file->get(), connection};
  if (note >= 0) all.push_back(note);
  all.insert(all.end(), listeners.begin(), listeners.end());
  const auto order = note >= 0 ? keeper::with_note : keeper::without_note;
  if (keeper::send_with(socket_->native_handle(), order, all) < 0) return process::last_error();
  return {};
}

void StarterLink::when_it_takes_more(std::function<void()> handler) {
  if (socket_ == nullptr) return;
  socket_->async_wait(Stream::wait_write,
                      [handler = std::move(handler),
                       known = std::weak_ptr{socket_}](boost::system::error_code error) {
                        if (!error && !known.expired()) handler();
                      });
}

void StarterLink::end() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  collect();
}

void StarterLink::leave() {
  if (process_ == 0) return;
  socket_.reset();  // the starter reads its remaining orders, then ends
  pollfd ended{.fd = watch_->native_handle(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, static_cast<int>(last_orders_limit.count())) == 1) return collect();
  process_ = 0;
  watch_.reset();
}

}  // namespace fixkeep::worker
