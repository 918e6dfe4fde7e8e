// The examined nodes by role, and the parts of the examination.
// Thread rule: values and free functions. Errors: none.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ctl/doctor/examine.hpp"

namespace fixkeep::ctl {

// Returns the value at a place ("/configuration/lock/strategy") or null.
[[nodiscard]] const nlohmann::json& at(const nlohmann::json& document, const char* place);
// Returns the value as text: a string as it is, other values as JSON. Empty if the value is
// missing.
[[nodiscard]] std::string text_at(const nlohmann::json& document, const char* place);
// The elements of a list; empty if there is no list.
[[nodiscard]] const nlohmann::json& list_at(const nlohmann::json& document, const char* place);
[[nodiscard]] std::int64_t number_at(const nlohmann::json& document, const char* place);

struct Patient {
  std::string name;  // "m1"
  const Examined* seen;
};

struct Cluster {
  std::vector<Patient> masters;
  std::vector<Patient> workers;

  [[nodiscard]] std::vector<Patient> all() const;
};

// The name ("m3") and the address of each entry in a list of masters.
[[nodiscard]] std::map<std::string, std::string> masters_in(const nlohmann::json& list);
// For example "\"duel\", \"arena\"".
[[nodiscard]] std::string quoted(const std::set<std::string>& words);
// True if `host` is a loopback address, "localhost" or empty; false for other names.
[[nodiscard]] bool is_loopback(const std::string& host);

// Adds to `all` each place where two documents differ, for example "lock.lease_ms".
void differing(const nlohmann::json& a, const nlohmann::json& b, const std::string& place,
               std::set<std::string>& all);
// Returns the first five words and the number of the remaining words.
[[nodiscard]] std::string first_of(const std::set<std::string>& words);

void examine_masters(const Cluster& cluster, std::vector<Finding>& found);
void examine_workers(const Cluster& cluster, std::vector<Finding>& found);
// Compares the modes of masters and workers.
void examine_modes(const Cluster& cluster, std::vector<Finding>& found);

}  // namespace fixkeep::ctl
