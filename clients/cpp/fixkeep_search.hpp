// SPDX-License-Identifier: MIT
// One call of the client: asks one master after the other, with the pauses of docs/clients.md.
// Private: a game includes fixkeep_client.hpp.
//
// Thread rule: one thread runs a search; any thread may request a stop. Bounds: Options::limit for
// run() with all its pauses; 64 KiB of an answer. Errors: Result; std::invalid_argument if a token
// has other characters than a token may have.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fixkeep_client.hpp>

namespace fixkeep::client {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Request {
  std::string method;
  std::string path;
  std::optional<std::string> body{};
  std::vector<std::pair<std::string, std::string>> fields{};
  Clock::duration answer_time{};
};

struct Answer {
  unsigned status = 0;
  std::optional<Seconds> after{};  // Retry-After
  std::string tag{};               // ETag
  boost::json::object object{};    // empty if it is none: answers of balancers are anything
};

struct Trouble {
  std::string type{};
  std::string detail{};
  unsigned status = 0;
};

// Each returns an empty text if the object has none: a member that is a text, and the type of a
// master's problem.
[[nodiscard]] std::string_view text_of(const boost::json::object& object, std::string_view name);
[[nodiscard]] std::string type_of(const boost::json::object& object);
[[nodiscard]] double draw();  // 0 <= x < 1

class Search {
 public:
  // `options` outlives the object.
  Search(std::vector<Endpoint> order, const Options& options, std::stop_token cancel);
  virtual ~Search() = default;
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  [[nodiscard]] Result run();

 protected:
  // `no`: the answer is not the wanted one. `end`: the result is set.
  enum class Taken : std::uint8_t { no, go_on, end };

  [[nodiscard]] virtual Request request(std::size_t at) = 0;
  [[nodiscard]] virtual Taken take(std::size_t at, const Answer& answer) = 0;

  // Asks this master again, at `from` or after the time that the master named.
  void go_on(std::size_t at, Clock::time_point from, std::optional<Seconds> after);
  void end(Outcome outcome, const Trouble& trouble);
  void end(Result&& result) { result_ = std::move(result); }
  [[nodiscard]] static Result cancelled() {
    return {.outcome = Outcome::cancelled, .detail = "cancelled"};
  }
  // Returns the master's answer, or the reason why there is none.
  std::pair<std::optional<Answer>, std::string> ask(std::size_t at, const Request& request,
                                                    const std::stop_token& cancel,
                                                    Clock::time_point end);

 private:
  bool consider(std::size_t at, const Answer& answer);
  std::optional<std::size_t> await_a_master();
  void pause_for(std::size_t at, bool elsewhere, Trouble trouble, std::optional<Seconds> after);
  Clock::duration spread(Seconds pause);
  Clock::duration pause_after(Seconds after);

  const std::vector<Endpoint> order_;
  const Options& options_;
  const std::stop_token cancel_;
  std::vector<Clock::time_point> ready_;  // when each master may be asked again
  const Clock::time_point end_;
  std::string token_;
  std::size_t tries_ = 0;
  std::size_t next_ = 0;
  Trouble last_{.detail = "no master was asked"};
  Result result_;
};

}  // namespace fixkeep::client
