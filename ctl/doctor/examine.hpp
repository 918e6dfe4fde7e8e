// fixkeepctl doctor finds mistakes in a cluster from its nodes' reports.
//
// It changes nothing and trusts no node: an answer may be any JSON. Each finding has a stable code,
// the place, the mistake and the remedy. docs/watch.md lists the codes.
//
// Thread rule: free functions of values. Bounds: the caller limits the answers. Errors: none.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::ctl {

enum class Weight : std::uint8_t {
  problem,  // does harm now
  warning,  // may do harm
  advice
};
[[nodiscard]] std::string_view to_string(Weight weight);

struct Finding {
  Weight weight = Weight::problem;
  std::string code;    // "master-away"
  std::string where;   // node, "m1"; empty: the cluster
  std::string text;    // one sentence
  std::string remedy;  // advice for the operator
};

// The answers of one node.
struct Examined {
  std::string url;
  std::string trouble_code;  // empty: the node answered and the other members are set
  std::string trouble;
  nlohmann::json node;           // GET /v1/node
  nlohmann::json ready;          // GET /readyz
  nlohmann::json workers;        // GET /v1/workers at a master
  std::int64_t asked_at_ms = 0;  // by our clock, since 1970; midway between question and answer
  std::int64_t error_ms = 0;     // half the time between question and answer
};

// Problems come first, then warnings, then advice.
[[nodiscard]] std::vector<Finding> examine(const std::vector<Examined>& nodes, std::int64_t now_ms);

}  // namespace fixkeep::ctl
