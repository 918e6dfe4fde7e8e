// Two processes that share a lock over TCP:
//
//   two_processes 1 7001 & two_processes 2 7001
//
// Master 1 listens on the port, and master 2 connects to it. Each master acquires the lock
// "counter" a hundred times and increments the number in its lock value. The last number is 200:
// the masters never hold the lock at the same time.
#include <array>
#include <boost/asio.hpp>
#include <deque>
#include <iostream>
#include <lock/core/codec.hpp>
#include <lock/core/limits.hpp>
#include <lock/core/lock_table.hpp>

namespace asio = boost::asio;
namespace lock = fixkeep::lock;
using asio::ip::tcp;
using boost::system::error_code;
using fixkeep::MasterId;
using std::chrono::steady_clock;

namespace {

constexpr int turns = 100;  // turns of each master

class Master {
 public:
  // The link is open already. If links can break, call disconnected(), then connected() for the new
  // link.
  Master(std::uint16_t id, tcp::socket&& link)
      : peer_{static_cast<std::uint16_t>(3 - id)},
        table_{{.self = MasterId{id}, .peers = {peer_}}, now()},
        link_{std::move(link)},
        timer_{link_.get_executor()} {
    link_.set_option(tcp::no_delay{true});
    table_.connected(peer_, {}, now(), wanted_);
    table_.acquire(counter_, now(), wanted_);
    perform();
    read();
  }
  [[nodiscard]] int counted() const { return counted_; }

 private:
  // The table has no clock. It needs the time of a monotonic clock.
  static fixkeep::TimePoint now() {
    return fixkeep::TimePoint{
        std::chrono::duration_cast<fixkeep::Duration>(steady_clock::now().time_since_epoch())};
  }

  // Performs the table's actions in their order. Sets a timer that does this again when the table
  // has work.
  void perform() {
    while (!wanted_.empty()) {  // an action may cause more actions
      for (const auto& action : std::exchange(wanted_, {})) {
        if (const auto* sent = std::get_if<lock::SendToPeer>(&action)) send(sent->message);
        if (const auto* granted = std::get_if<lock::KeyGranted>(&action)) hold(*granted);
        if (std::holds_alternative<lock::KeyLost>(action)) table_.acquire(counter_, now(), wanted_);
      }
    }
    // We are done, but the other master may still ask, so we answer for another second.
    if (counted_ == 2 * turns && table_.next_tick() > now() + std::chrono::seconds{1}) {
      timer_.expires_after(std::chrono::seconds{1});
      return timer_.async_wait([this](error_code error) {
        if (!error) end();
      });
    }
    timer_.expires_at(steady_clock::time_point{table_.next_tick().time_since_epoch()});
    timer_.async_wait([this](error_code error) {
      if (error) return;  // the timer was set again
      table_.tick(now(), wanted_);
      perform();
    });
  }

  void hold(const lock::KeyGranted& granted) {
    counted_ = granted.value.bytes.empty() ? 0 : std::stoi(granted.value.bytes);
    if (turns_ < turns) ++turns_, ++counted_;
    // If this grant needs a fence, the next grant needs a fence too: this example does not fence
    // (README.md).
    table_.release(
        counter_, granted.token,
        {granted.token, granted.value.fence, granted.needs_fence, std::to_string(counted_)}, now(),
        wanted_);
    if (counted_ < 2 * turns) table_.acquire(counter_, now(), wanted_);
  }

  // --- the link: four bytes with the length before each message

  void send(const lock::MeshMessage& message) {
    std::string body;
    lock::append(message, body);
    std::string frame;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      frame.push_back(static_cast<char>(body.size() >> shift & 0xFFU));
    }
    frames_.push_back(frame + body);
    if (frames_.size() == 1) write();
  }
  void write() {
    asio::async_write(link_, asio::buffer(frames_.front()), [this](error_code error, std::size_t) {
      if (error) return end();
      frames_.pop_front();
      if (!frames_.empty()) write();
    });
  }
  void read() {
    asio::async_read(link_, asio::buffer(length_), [this](error_code error, std::size_t) {
      std::size_t length = 0;
      for (const unsigned char byte : length_) length = length << 8U | byte;
      if (error || length > lock::limits::message_bytes) return end();
      body_.resize(length);
      asio::async_read(link_, asio::buffer(body_), [this](error_code failed, std::size_t) {
        lock::MeshMessage message;
        const bool heard = !failed && lock::parse(body_, message) &&
                           table_.receive(peer_, message, now(), wanted_);
        if (!heard) return end();
        perform();
        read();
      });
    });
  }
  void end() {
    timer_.cancel();
    error_code ignored;
    link_.close(ignored);
  }

  const fixkeep::GroupKey counter_{"counter"};
  MasterId peer_;
  lock::LockTable table_;
  lock::TableActions wanted_;
  tcp::socket link_;
  asio::steady_timer timer_;
  std::deque<std::string> frames_;
  std::array<unsigned char, 4> length_{};
  std::string body_;
  int turns_ = 0;
  int counted_ = 0;
};

}  // namespace

int main(int count, char** words) try {
  if (count != 3) throw std::invalid_argument{"usage: two_processes 1|2 PORT"};
  const int id = std::stoi(words[1]);
  const auto port = static_cast<std::uint16_t>(std::stoi(words[2]));
  const tcp::endpoint place{asio::ip::address_v4::loopback(), port};
  asio::io_context context;
  tcp::socket link{context};
  if (id == 1) link = tcp::acceptor{context, place}.accept();
  error_code error = asio::error::not_connected;
  for (int left = 100; id == 2 && error && left > 0; --left) {  // master 1 may start later
    link = tcp::socket{context};
    if (link.connect(place, error))
      asio::steady_timer{context, std::chrono::milliseconds{100}}.wait();
  }
  Master master{static_cast<std::uint16_t>(id), std::move(link)};
  context.run();
  std::cout << "master " << id << " counted to " << master.counted() << '\n';
  return master.counted() == 2 * turns ? 0 : 1;
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 2;
}
