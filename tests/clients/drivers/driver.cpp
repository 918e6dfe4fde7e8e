// Drives clients/cpp for tests/clients/run.py, whose head says what FIXKEEP_CALL has.
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_to.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <thread>

#include <fixkeep_client.hpp>

namespace {

namespace json = boost::json;
using fixkeep::client::MatchClient;
using fixkeep::client::Options;
using fixkeep::client::Outcome;
using fixkeep::client::Result;

Options options_of(const json::object& call) {
  Options options;
  options.limit = std::chrono::milliseconds{call.at("limit_ms").as_int64()};
  options.keep_order = call.at("keep_order").as_bool();
  if (const auto* const random = call.if_contains("random")) {
    options.random = [drawn = random->to_number<double>()] { return drawn; };
  }
  if (const auto* const tokens = call.if_contains("tokens")) {
    options.token = [left = json::value_to<std::vector<std::string>>(*tokens)](bool) mutable {
      const auto token = left.front();
      if (left.size() > 1) left.erase(left.begin());
      return token;
    };
  }
  return options;
}

Result result_of(const MatchClient& client, const json::object& call, const std::stop_token& cancel,
                 json::array& told) {
  const auto hear = [&told](const json::object& news) { told.push_back(news); };
  if (const auto* const ticket = call.if_contains("resume")) {
    return client.resume(json::value_to<std::string>(*ticket), cancel, hear);
  }
  const auto& wanted = call.at("wanted").as_object();
  if (call.contains("ticket")) return client.find_seat_by_ticket(wanted, cancel, hear);
  return client.find_seat(wanted, cancel);
}

json::object outcome_of(const json::object& call, const std::stop_token& cancel,
                        json::array& told) {
  try {
    const MatchClient client{json::value_to<std::vector<std::string>>(call.at("masters")),
                             options_of(call)};
    const auto result = result_of(client, call, cancel, told);
    switch (result.outcome) {
      case Outcome::seat: return {{"outcome", "seat"}, {"seat", result.seat}};
      case Outcome::cancelled: return {{"outcome", "cancelled"}};
      case Outcome::refused:
      case Outcome::too_late: break;
    }
    return {{"outcome", result.outcome == Outcome::refused ? "refused" : "too-late"},
            {"type", result.type},
            {"detail", result.detail},
            {"status", result.status}};
  } catch (const std::invalid_argument& error) {
    return {{"outcome", "wrong-use"}, {"detail", error.what()}};
  }
}

}  // namespace

int main() {
  const auto call = json::parse(std::getenv("FIXKEEP_CALL")).as_object();
  std::stop_source cancel;
  std::jthread watch{[&](const std::stop_token& over) {
    const auto* const file = call.if_contains("cancel_file");
    while (file != nullptr && !over.stop_requested()) {
      if (std::filesystem::exists(std::string{file->as_string()})) cancel.request_stop();
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  }};
  for (std::int64_t i = 0; i < call.at("calls").as_int64(); ++i) {
    const auto began = std::chrono::steady_clock::now();
    json::array heard;
    auto told = outcome_of(call, cancel.get_token(), heard);
    told["told"] = std::move(heard);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    told["took_ms"] = took.count();
    std::cout << json::serialize(told) << std::endl;
  }
  if (const auto* const linger = call.if_contains("linger_ms")) {
    std::this_thread::sleep_for(std::chrono::milliseconds{linger->as_int64()});
  }
}
