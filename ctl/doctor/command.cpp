#include "ctl/doctor/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "common/base/printable.hpp"
#include "ctl/doctor/examine.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

struct DoctorOptions {
  Access access;
};

std::int64_t now_ms() {
  using namespace std::chrono;
  return floor<milliseconds>(system_clock::now()).time_since_epoch().count();
}

json page(const NodeClient& node, const std::string& target) {
  const auto answered = node.get(target);
  const auto* const answer = std::get_if<NodeAnswer>(&answered);
  return answer == nullptr ? json{} : json::parse(answer->body, nullptr, false);
}

Examined asked(const NodeClient& node) {
  constexpr unsigned ok = 200;
  constexpr unsigned unauthorized = 401;
  Examined seen;
  seen.url = to_string(node.url());
  const auto before = now_ms();
  const auto answered = node.get("/v1/node");
  const auto after = now_ms();
  seen.asked_at_ms = (before + after) / 2;
  seen.error_ms = (after - before) / 2 + 1;
  if (const auto* const trouble = std::get_if<std::string>(&answered)) {
    seen.trouble_code = "unreachable";
    seen.trouble = *trouble;
    return seen;
  }
  const auto& answer = std::get<NodeAnswer>(answered);
  if (answer.status == unauthorized) {
    seen.trouble_code = "token-refused";
    seen.trouble = "it wants another token than it was given";
    return seen;
  }
  seen.node = json::parse(answer.body, nullptr, false);
  if (answer.status != ok || !seen.node.is_object() || !seen.node.contains("role")) {
    seen.trouble_code = "not-a-node";
    seen.trouble =
        fmt::format("the answer there ({}) is not from a listener for operators", answer.status);
    return seen;
  }
  seen.ready = page(node, "/readyz");
  if (seen.node["role"] == "master") seen.workers = page(node, "/v1/workers");
  return seen;
}

json to_json(const std::vector<Finding>& found) {
  json all = json::array();
  for (const Finding& each : found) {
    all.push_back({{"weight", to_string(each.weight)},
                   {"code", each.code},
                   {"where", each.where},
                   {"text", each.text},
                   {"remedy", each.remedy}});
  }
  return all;
}

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void print(const std::vector<Examined>& nodes, const std::vector<Finding>& found,
           std::ostream& out) {
  for (const Finding& each : found) {
    const auto where = each.where.empty() ? "" : printable(each.where) + ": ";
    out << fmt::format("{:<8} {}\n         {}{}\n         -> {}\n\n", to_string(each.weight),
                       each.code, where, printable(each.text), printable(each.remedy));
  }
  const auto of_weight = [&](Weight weight) {
    return static_cast<std::size_t>(std::ranges::count(found, weight, &Finding::weight));
  };
  out << fmt::format("{} asked: {}, {}\n", counted(nodes.size(), "node"),
                     counted(of_weight(Weight::problem), "problem"),
                     counted(of_weight(Weight::warning), "warning"));
}

int doctor(const DoctorOptions& options, std::ostream& out, std::ostream& err) {
  const auto nodes = nodes_of(options.access);
  if (const auto* const problem = std::get_if<std::string>(&nodes)) return fail(err, *problem);
  std::vector<Examined> seen;
  for (const NodeClient& node : std::get<0>(nodes)) seen.push_back(asked(node));
  const auto found = examine(seen, now_ms());
  if (options.access.json) {
    const json shown{{"asked", seen.size()}, {"findings", to_json(found)}};
    out << shown.dump(2, ' ', false, json::error_handler_t::replace) << '\n';
  } else {
    print(seen, found, out);
  }
  const bool ill = std::ranges::count(found, Weight::problem, &Finding::weight) > 0;
  return ill ? exit_failed : 0;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  add_command(app, run, std::make_shared<DoctorOptions>(), "doctor",
              "says what is wrong with a cluster, and what to do", doctor,
              "on all nodes, masters and workers");
}

}  // namespace fixkeep::ctl
