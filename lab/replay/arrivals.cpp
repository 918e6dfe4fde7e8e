#include "lab/replay/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace fixkeep::client_sim::replay {
namespace {

using master::plan::Rules;
using master::plan::Ticket;
using Json = nlohmann::json;

// The sum of twelve uniform draws is nearly normally distributed, with standard deviation 1.
double bell(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

// Draws the times of arrival in hours, sorted. More players come in the evening.
std::vector<double> made_times(const MadeDay& day, Random& random) {
  static constexpr double evening = 20;
  std::vector<double> hours;
  while (hours.size() < day.tickets) {
    const double hour = day.hours * random.unit();
    const double busy = (1 + 0.8 * std::cos(2 * std::numbers::pi * (hour - evening) / 24)) / 1.8;
    if (random.chance(busy)) hours.push_back(hour);
  }
  std::sort(hours.begin(), hours.end());
  return hours;
}

std::uint32_t made_party(const Rules& rules, Random& random) {
  static constexpr std::array<double, 5> shares{0.7, 0.15, 0.08, 0.04, 0.03};
  double draw = random.unit();
  for (std::uint32_t size = 1; size <= shares.size() && size <= rules.party; ++size) {
    draw -= shares[size - 1];
    if (draw < 0) return size;
  }
  return 1;
}

void add_made_latencies(const Rules& rules, Ticket& ticket, Random& random) {
  ticket.latency_ms.fill(master::plan::unmeasured);
  if (!rules.latency) return;
  const std::size_t regions = rules.latency->regions.size();
  const double home = random.unit();
  for (std::size_t r = 0; r < regions; ++r) {
    double apart = std::abs(home - static_cast<double>(r) / static_cast<double>(regions));
    apart = std::min(apart, 1 - apart);
    ticket.latency_ms[r] = static_cast<std::uint16_t>(12 + 300 * apart + 10 * random.unit());
  }
}

// Returns the place of `name` in `names`. Throws the mistake; the caller adds the number of the
// line.
std::size_t index_of(const std::vector<std::string>& names, const std::string& name,
                     const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw std::runtime_error{fmt::format("{} \"{}\" is not in the rules", what, name)};
  return static_cast<std::size_t>(found - names.begin());
}

void read_player(const Json& player, const Rules& rules, Ticket& ticket) {
  master::plan::Member member{PlayerHash{ticket.id.number() * 1024 + ticket.members.size()}, 0};
  for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
    const double number = player.at(rules.numbers[n]).get<double>();
    if (!(std::abs(number) <= static_cast<double>(master::plan::number_most))) {
      throw std::runtime_error{rules.numbers[n] + " is too large"};
    }
    ticket.sums[n] += static_cast<std::int64_t>(std::floor(number));
  }
  if (!rules.roles.empty()) {
    std::vector<std::string> names;
    for (const auto& role : rules.roles) names.push_back(role.name);
    for (const Json& role : player.at("roles")) {
      member.roles |=
          static_cast<std::uint8_t>(1U << index_of(names, role.get<std::string>(), "the role"));
    }
  }
  ticket.members.push_back(member);
}

Arrival read_arrival(const Json& line, std::size_t index, const master::Mode& mode) {
  Arrival arrival;
  arrival.at = std::chrono::milliseconds{line.at("at_ms").get<std::int64_t>()};
  arrival.ticket.id = TicketId{index + 1};
  arrival.ticket.latency_ms.fill(master::plan::unmeasured);
  for (const Json& player : line.at("party")) read_player(player, *mode.rules, arrival.ticket);
  if (arrival.ticket.members.empty() || arrival.ticket.members.size() > master::plan::seats_most) {
    throw std::runtime_error{"party must have 1 to 1024 players"};
  }
  for (const std::string& name : mode.attributes) {
    arrival.pool += line.at("attributes").at(name).dump() + '/';
  }
  if (!mode.rules->latency) return arrival;
  for (const auto& [region, ms] : line.at("latency_ms").items()) {
    const auto& regions = mode.rules->latency->regions;
    const auto found = std::find(regions.begin(), regions.end(), region);
    if (found == regions.end()) continue;  // a client may measure more regions than the mode has
    arrival.ticket.latency_ms[static_cast<std::size_t>(found - regions.begin())] =
        static_cast<std::uint16_t>(std::clamp(ms.get<double>(), 0.0, 65'534.0));
  }
  return arrival;
}

}  // namespace

std::variant<Bells::value_type, std::string> parse_bell(const std::string& text) {
  const auto equals = text.find('=');
  const auto comma = text.find(',', equals == std::string::npos ? text.size() : equals);
  const auto number = [&](std::size_t from, std::size_t to, std::int64_t& value) {
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
    return from < to && error == std::errc{} && end == text.data() + to &&
           std::abs(value) <= 1'000'000;
  };
  Bell bell;
  if (equals == 0 || comma == std::string::npos || !number(equals + 1, comma, bell.mean) ||
      !number(comma + 1, text.size(), bell.deviation) || bell.deviation < 0) {
    return "--number must be NAME=MEAN,DEVIATION, like level=30,10, is " + text;
  }
  return Bells::value_type{text.substr(0, equals), bell};
}

Ticket made_ticket(TicketId id, const Rules& rules, const Bell& usual, const Bells& own,
                   Random& random) {
  Ticket ticket;
  ticket.id = id;
  for (std::uint32_t m = made_party(rules, random); m > 0; --m) {
    master::plan::Member member{PlayerHash{id.number() * 1024 + m}, 0};
    for (std::size_t n = 0; n < rules.numbers.size(); ++n) {
      const auto named = own.find(rules.numbers[n]);
      const Bell& spread = named == own.end() ? usual : named->second;
      ticket.sums[n] += spread.mean + static_cast<std::int64_t>(
                                          bell(random) * static_cast<double>(spread.deviation));
    }
    for (int roles = 0; !rules.roles.empty() && roles < 2; ++roles) {
      member.roles |= static_cast<std::uint8_t>(1U << random.below(rules.roles.size()));
    }
    ticket.members.push_back(member);
  }
  add_made_latencies(rules, ticket, random);
  return ticket;
}

std::vector<Arrival> made_arrivals(const Rules& rules, const MadeDay& day) {
  Random random{day.seed};
  std::vector<Arrival> arrivals;
  for (const double hour : made_times(day, random)) {
    Arrival arrival;
    arrival.at = std::chrono::milliseconds{static_cast<std::int64_t>(hour * 3.6e6)};
    arrival.ticket = made_ticket(TicketId{arrivals.size() + 1}, rules, {day.mean, day.deviation},
                                 day.own, random);
    arrivals.push_back(std::move(arrival));
  }
  return arrivals;
}

std::variant<std::vector<Arrival>, std::string> read_arrivals(const std::string& path,
                                                              const master::Mode& mode) {
  std::ifstream file{path};
  if (!file) return path + " cannot be read";
  std::vector<Arrival> arrivals;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty()) continue;
    if (arrivals.size() == arrivals_most) {
      return fmt::format("{}:{}: a replay takes {} arrivals at most", path, number, arrivals_most);
    }
    try {
      Arrival arrival = read_arrival(Json::parse(line), arrivals.size(), mode);
      if (arrival.at < (arrivals.empty() ? Duration{0} : arrivals.back().at)) {
        return fmt::format("{}:{}: at_ms must not be less than in the line before", path, number);
      }
      arrivals.push_back(std::move(arrival));
    } catch (const std::exception& problem) {
      return fmt::format("{}:{}: {}", path, number, problem.what());
    }
  }
  return arrivals;
}

}  // namespace fixkeep::client_sim::replay
