#include "worker/runner/hook/hook_commands.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

#include "common/process/descriptor.hpp"
#include "common/process/process_group.hpp"
#include "common/process/spawn.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t block_bytes = 4096;
constexpr std::size_t most_blocks = most_answer_bytes / block_bytes;

struct Pipe {
  process::Descriptor read;
  process::Descriptor write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return process::last_error();
  return Pipe{process::Descriptor{ends[0]}, process::Descriptor{ends[1]}};
}

std::string in_words(std::chrono::milliseconds limit) {
  return std::to_string(limit.count()) + " ms";
}

}  // namespace

class HookCommands::Run : public std::enable_shared_from_this<Run> {
 public:
  Run(asio::io_context& context, HookCommands& owner, Done done)
      : owner_(&owner),
        done_(std::move(done)),
        output_(context),
        complaints_(context),
        watch_(context),
        timer_(context) {}

  // Returns why the command does not run. Empty: it runs.
  std::string begin(const HookCommand& command) {
    auto output = open_pipe();
    auto complaints = open_pipe();
    const process::Descriptor input{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    if (!output || !complaints || !input) {
      return "cannot run " + command.program + ": " + process::last_error().message();
    }
    auto process = process::spawn({.program = command.program,
                                   .arguments = command.words,
                                   .environment = command.environment,
                                   .input = input.get(),
                                   .output = output->write.get(),
                                   .error = complaints->write.get(),
                                   .inherited = {},
                                   .ends_with_us = true});
    if (!process) return "cannot execute " + command.program + ": " + process.error().message();
    process_ = *process;
    const auto watch = process::open_watch(process_);
    if (!watch) {
      process::end_group(std::exchange(process_, 0));
      return "cannot watch " + command.program + ": " + watch.error().message();
    }
    watch_.assign(*watch);
    output_.assign(output->read.release());
    complaints_.assign(complaints->read.release());
    wait(command.limit);
    hear(output_, output_text_);
    hear(complaints_, complaints_text_);
    return {};
  }

  void end(const std::string& problem) {
    const int status = problem.empty() ? process::reap(process_) : process::end_group(process_);
    std::string why = problem;
    if (why.empty() && status != 0) why = process::how_it_ended(status);
    drain(output_, output_text_);
    drain(complaints_, complaints_text_);
    if (why.empty() && too_much_) why = "it writes too much";
    if (why.empty()) return close({.problem = {}, .output = std::move(output_text_)});
    auto last = last_line(complaints_text_);
    if (last.empty()) last = last_line(output_text_);
    close({.problem = last.empty() ? why : last + " (" + why + ")", .output = {}});
  }

  // Kills the command, and does not call `done`.
  void let_go() {
    owner_ = nullptr;
    if (process_ != 0) process::end_group(process_);
    timer_.cancel();
    close_all();
  }

 private:
  using Stream = asio::posix::stream_descriptor;

  void wait(std::chrono::milliseconds limit) {
    wait_for_its_end();
    timer_.expires_after(limit);
    timer_.async_wait([this, limit, self = shared_from_this()](error_code error) {
      if (!error && owner_ != nullptr) end("it took longer than " + in_words(limit));
    });
  }

  void wait_for_its_end() {
    watch_.async_wait(Stream::wait_read, [this, self = shared_from_this()](error_code error) {
      if (error || owner_ == nullptr) return;
      if (process::has_ended(watch_.native_handle())) return end({});
      wait_for_its_end();
    });
  }

  // Reads only when data has arrived, so no read is under way when the command ends.
  void hear(Stream& from, std::string& into) {
    from.non_blocking(true);
    from.async_wait(Stream::wait_read,
                    [this, &from, &into, self = shared_from_this()](error_code error) {
                      if (error || owner_ == nullptr) return;
                      const auto problem = read(from, into);
                      if (!problem || problem == asio::error::would_block) hear(from, into);
                    });
  }

  error_code read(Stream& from, std::string& into) {
    std::array<char, block_bytes> block{};
    error_code error;
    const auto count = from.read_some(asio::buffer(block), error);
    if (error) return error;
    into.append(block.data(), count);
    if (&from == &complaints_ && into.size() > most_complaint_bytes) {
      into.erase(0, into.size() - most_complaint_bytes);
    } else if (into.size() > most_answer_bytes) {
      too_much_ = true;
      into.clear();
    }
    return {};
  }

  // The end of the process may be noticed before its last output. This function reads the rest. It
  // does not wait for output of other processes.
  void drain(Stream& from, std::string& into) {
    for (std::size_t i = 0; i < most_blocks && !too_much_ && !read(from, into); ++i) continue;
  }

  void close(const HookAnswer& answer) {
    const auto self = shared_from_this();
    HookCommands* const owner = std::exchange(owner_, nullptr);
    timer_.cancel();
    close_all();
    owner->runs_.erase(self);
    done_(answer);
  }

  void close_all() {
    error_code ignored;
    for (Stream* const each : {&watch_, &output_, &complaints_}) each->close(ignored);
  }

  HookCommands* owner_;  // null: `done` is no longer called
  Done done_;
  Stream output_;
  Stream complaints_;
  Stream watch_;
  asio::steady_timer timer_;
  pid_t process_ = 0;
  std::string output_text_;
  std::string complaints_text_;
  bool too_much_ = false;
};

HookCommands::HookCommands(asio::io_context& context) : context_(context) {}

HookCommands::~HookCommands() {
  for (const auto& run : runs_) run->let_go();
}

void HookCommands::run(const HookCommand& command, Done done) {
  const auto run = std::make_shared<Run>(context_, *this, done);
  auto problem = run->begin(command);
  if (problem.empty()) {
    runs_.insert(run);
  } else {
    run->let_go();
    asio::post(context_, [done = std::move(done), problem = std::move(problem)] {
      done({.problem = problem, .output = {}});
    });
  }
}

}  // namespace fixkeep::worker
