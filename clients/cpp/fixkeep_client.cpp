// SPDX-License-Identifier: MIT
#include <fixkeep_client.hpp>
#include <fixkeep_search.hpp>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace fixkeep::client {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;

constexpr std::chrono::seconds answer_time{35};  // where the request has no wait_ms
constexpr std::chrono::seconds grace{5};         // what an answer may take beyond its wait
constexpr std::chrono::seconds ticket_time{10};  // to make a ticket
constexpr std::chrono::seconds poll_time{25};    // how long a master holds a poll
constexpr std::chrono::seconds poll_pause{1};    // after a poll that ended early, without news
constexpr std::size_t ticket_letters = 4000;

Endpoint parse_endpoint(const std::string& address) {
  static const std::regex form{
      R"(^(https?)://(\[[0-9A-Fa-f:.]+\]|[^/:?#@\[\]\s]+)(?::([0-9]{1,5}))?(/[^?#\s]*)?$)"};
  std::smatch parts;
  if (!std::regex_match(address, parts, form)) {
    throw std::invalid_argument{"a master is http://HOST:PORT or https://HOST:PORT, not " +
                                address};
  }
  Endpoint endpoint{.address = address, .host = parts[2], .port = parts[3], .target = parts[4]};
  endpoint.secure = parts[1] == "https";
  if (endpoint.port.empty()) endpoint.port = endpoint.secure ? "443" : "80";
  while (endpoint.target.ends_with('/')) endpoint.target.pop_back();
  return endpoint;
}

std::shared_ptr<asio::ssl::context> trust_of_the_system() {
  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_client);
  context->set_default_verify_paths();
  context->set_verify_mode(asio::ssl::verify_peer);
  return context;
}

bool is_seat(const json::object& answer) {
  for (const auto* const name : {"room_id", "address", "seat_token"}) {
    const auto* const value = answer.if_contains(name);
    if (value == nullptr || !value->is_string()) return false;
  }
  const auto* const port = answer.if_contains("port");
  return port != nullptr && port->is_int64() && port->get_int64() > 0 && port->get_int64() < 65536;
}

// Returns whether the text can stand in a path as it is.
bool is_ticket(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"-._~"}.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= ticket_letters &&
         std::all_of(text.begin(), text.end(), fits);
}

json::object member_of(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_object() ? value->get_object() : json::object{};
}

// One call of find_seat.
class MatchSearch : public Search {
 public:
  MatchSearch(std::vector<Endpoint> order, const Options& options, const json::object& wanted,
              std::stop_token cancel)
      : Search(std::move(order), options, std::move(cancel)),
        asked_{.method = "POST",
               .path = "/v1/match",
               .body = json::serialize(wanted),
               .answer_time = answer_time} {
    const auto* const wait = wanted.if_contains("wait_ms");
    if (wait != nullptr && wait->is_number()) {
      const std::chrono::milliseconds said{wait->to_number<std::int64_t>()};
      asked_.answer_time =
          std::clamp<std::chrono::milliseconds>(said, {}, std::chrono::hours{1}) + grace;
    }
  }

 protected:
  Request request(std::size_t) override { return asked_; }

  Taken take(std::size_t, const Answer& answer) override {
    if (answer.status != 200 || !is_seat(answer.object)) return Taken::no;
    end({.outcome = Outcome::seat, .seat = answer.object});
    return Taken::end;
  }

 private:
  Request asked_;
};

// One call of find_seat_by_ticket or resume. Makes a ticket if it has none, and polls it, at one
// master as long as that master answers.
class TicketSearch : public Search {
 public:
  TicketSearch(std::vector<Endpoint> order, const Options& options, std::string body,
               std::string ticket, const OnChange& on_change, std::stop_token cancel)
      : Search(std::move(order), options, std::move(cancel)),
        body_(std::move(body)),
        ticket_(std::move(ticket)),
        on_change_(on_change) {}

  Result run() {
    auto result = Search::run();
    if (result.outcome == Outcome::cancelled && !ticket_.empty()) {
      // If this fails, the ticket ends by itself.
      const Request request{.method = "DELETE", .path = path(), .answer_time = grace};
      ask(holder_, request, {}, Clock::time_point::max());
    }
    return result;
  }

 protected:
  Request request(std::size_t at) override {
    holder_ = at;
    asked_at_ = Clock::now();
    if (ticket_.empty()) {
      return {.method = "POST", .path = "/v1/tickets", .body = body_, .answer_time = ticket_time};
    }
    Request poll{.method = "GET", .path = path(), .answer_time = poll_time + grace};
    // The master answers the first poll of a resumed ticket immediately, with the state.
    if (!state_.empty()) poll.fields.emplace_back("Prefer", wait_);
    if (!tag_.empty()) poll.fields.emplace_back("If-None-Match", tag_);
    return poll;
  }

  Taken take(std::size_t at, const Answer& answer) override {
    if (ticket_.empty()) return take_ticket(at, answer);
    if (answer.status == 304 && !tag_.empty()) return poll_again(at, answer, state_);
    const auto type = type_of(answer.object);
    if (type == "ticket-expired") {
      const std::string detail{text_of(answer.object, "detail")};
      end(Outcome::too_late, {.type = type, .detail = detail, .status = answer.status});
      return Taken::end;
    }
    return answer.status == 200 ? take_state(at, answer) : Taken::no;
  }

 private:
  [[nodiscard]] std::string path() const { return "/v1/tickets/" + ticket_; }

  Taken take_ticket(std::size_t at, const Answer& answer) {
    const auto ticket = text_of(answer.object, "ticket");
    if (!is_ticket(ticket)) return Taken::no;
    const bool told_again = type_of(answer.object) == "already-waiting";
    if (answer.status != 201 && !told_again) return Taken::no;
    ticket_ = ticket;
    if (!told_again) return take_state(at, answer);
    go_on(at, {}, {});  // the answer to an earlier POST was lost
    return Taken::go_on;
  }

  Taken take_state(std::size_t at, const Answer& answer) {
    const std::string state{text_of(answer.object, "state")};
    if (state == "cancelled") {
      ticket_.clear();
      end(cancelled());
      return Taken::end;
    }
    if (state == "expired" || state == "failed") return take_problem(state, answer);
    const auto seat = member_of(answer.object, "seat");
    const bool ready = state == "ready" && is_seat(seat);
    if (!ready && state != "waiting" && state != "matched") return Taken::no;
    if (state != state_ && on_change_) {
      auto news = answer.object;
      news["ticket"] = ticket_;
      on_change_(news);
    }
    if (ready) {
      end({.outcome = Outcome::seat, .seat = seat});
      return Taken::end;
    }
    tag_ = answer.tag;
    return poll_again(at, answer, state);
  }

  Taken take_problem(const std::string& state, const Answer& answer) {
    const auto problem = member_of(answer.object, "problem");
    Trouble trouble{.type = type_of(problem), .detail = std::string{text_of(problem, "detail")}};
    if (trouble.detail.empty()) trouble.detail = "the ticket is " + state;
    const auto* const status = problem.if_contains("status");
    if (status != nullptr && status->is_int64()) {
      trouble.status = static_cast<unsigned>(status->get_int64());
    }
    end(state == "expired" ? Outcome::too_late : Outcome::refused, trouble);
    return Taken::end;
  }

  Taken poll_again(std::size_t at, const Answer& answer, const std::string& state) {
    const auto now = Clock::now();
    const bool early = state == state_ && now < asked_at_ + poll_time / 2;
    state_ = state;
    go_on(at, early ? now + poll_pause : Clock::time_point{}, answer.after);
    return Taken::go_on;
  }

  const std::string wait_ = "wait=" + std::to_string(poll_time.count());
  const std::string body_;
  std::string ticket_;  // empty: it is not made yet
  const OnChange& on_change_;
  std::string state_;  // the last one that a master told
  std::string tag_;
  std::size_t holder_ = 0;
  Clock::time_point asked_at_;
};

}  // namespace

MatchClient::MatchClient(const std::vector<std::string>& masters, Options options)
    : options_(std::move(options)) {
  for (const auto& address : masters) masters_.push_back(parse_endpoint(address));
  if (masters_.empty()) throw std::invalid_argument{"there is no master to ask"};
  if (!options_.tls) options_.tls = trust_of_the_system();
}

Result MatchClient::find_seat(const json::object& wanted, const std::stop_token& cancel) const {
  return MatchSearch{order(), options_, wanted, cancel}.run();
}

Result MatchClient::find_seat_by_ticket(const json::object& wanted, const std::stop_token& cancel,
                                        const OnChange& on_change) const {
  return TicketSearch{order(), options_, json::serialize(wanted), {}, on_change, cancel}.run();
}

Result MatchClient::resume(const std::string& ticket, const std::stop_token& cancel,
                           const OnChange& on_change) const {
  if (!is_ticket(ticket)) {
    throw std::invalid_argument{"this is no ticket: give the text of news.at(\"ticket\")"};
  }
  return TicketSearch{order(), options_, {}, ticket, on_change, cancel}.run();
}

std::vector<Endpoint> MatchClient::order() const {
  auto order = masters_;
  for (std::size_t i = order.size() - 1; i > 0 && !options_.keep_order; --i) {
    const double drawn = options_.random ? options_.random() : draw();
    std::swap(order[i], order[static_cast<std::size_t>(drawn * static_cast<double>(i + 1))]);
  }
  return order;
}

}  // namespace fixkeep::client
