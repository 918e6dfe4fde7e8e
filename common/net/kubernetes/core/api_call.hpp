// Calls of a Kubernetes API server, and the meaning of its answers.
//
// Refusals are reported for an operator. A missing right is reported as the verb and resource of
// RBAC, other refusals in the server's words. Source:
// kubernetes.io/docs/reference/using-api/api-concepts. Thread rule: values and free functions;
// sans-IO. Bounds: those of the answers; words have at most `most_words` bytes. Fault model: a
// proxy may send any answer. Errors: ApiProblem.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fixkeep::kubernetes {

inline constexpr std::size_t most_words = 300;
inline constexpr std::chrono::seconds longest_retry_after{60};

// A kind of object in a namespace: "/api/v1", "games" and "pods".
struct Resource {
  std::string group;
  std::string space;
  std::string plural;

  [[nodiscard]] std::string collection() const;
  // Returns "…/pods/NAME", or "…/pods/NAME/log" with a subresource.
  [[nodiscard]] std::string item(std::string_view name, std::string_view subresource = {}) const;
};

// Returns "?a=1&b=c%3Dd"; empty without parameters.
[[nodiscard]] std::string query(const std::vector<std::pair<std::string, std::string>>& fields);

struct ApiCall {
  std::string method = "GET";
  std::string target;
  std::string body = {};
  std::string content_type = "application/json";  // type of the body
};

struct ApiAnswer {
  unsigned status = 0;      // HTTP status; 0: no answer
  std::string body;         // the reason if `status` is 0
  std::string retry_after;  // as received; empty: missing
};

enum class ApiProblem : std::uint8_t {
  none,
  lost,            // unknown outcome: no answer, or the server's failure
  unauthorized,    // 401: unknown credentials
  forbidden,       // 403: we lack a right
  exceeded_quota,  // 403: the namespace's quota is used up
  not_found,       // 404
  already_exists,  // 409 of a create
  conflict,        // 409: the object has changed meanwhile
  gone,            // 410: the version is too old
  invalid,         // 422
  too_many,        // 429: not done; a later try may succeed
  refused,         // another 4xx, for example by a policy
};

struct Verdict {
  ApiProblem problem = ApiProblem::none;
  std::string words;                   // the reason in words; may be empty
  std::chrono::milliseconds pause{0};  // requested pause; at most longest_retry_after
};

[[nodiscard]] Verdict judge(const ApiCall& call, const ApiAnswer& answer);

// Returns the right that RBAC must grant for the call, for example "create pods in namespace
// games".
[[nodiscard]] std::string right_for(const ApiCall& call);

}  // namespace fixkeep::kubernetes
