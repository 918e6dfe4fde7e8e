// fixkeepctl doctor says what is wrong with a cluster by its nodes' reports about themselves.
//
// It changes nothing and trusts no node: an answer may be any JSON. Each finding has a code that
// does not change. It says where and what is wrong and what to do. The codes are listed in
// docs/watch.md.
//
// Thread rule: free functions of values. Bounds: the caller's. Errors: none.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::ctl {

enum class Weight : std::uint8_t {
  problem,  // players, rooms or operators suffer from it
  warning,  // players, rooms or operators may suffer from it
  advice
};
[[nodiscard]] std::string_view to_string(Weight weight);

struct Finding {
  Weight weight = Weight::problem;
  std::string code;    // "master-away"
  std::string where;   // the node, "m1"; empty: the cluster
  std::string text;    // one sentence
  std::string remedy;  // advice for the operator
};

// The answers of one node.
struct Examined {
  std::string url;
  std::string trouble_code;  // empty: it answered, and the rest is filled in
  std::string trouble;
  nlohmann::json node;           // GET /v1/node
  nlohmann::json ready;          // GET /readyz
  nlohmann::json workers;        // GET /v1/workers at a master
  std::int64_t asked_at_ms = 0;  // our clock since 1970, half way between question and answer
  std::int64_t error_ms = 0;     // half of the time between question and answer
};

// Problems first; within one weight in the order of the nodes.
[[nodiscard]] std::vector<Finding> examine(const std::vector<Examined>& nodes, std::int64_t now_ms);

}  // namespace fixkeep::ctl
