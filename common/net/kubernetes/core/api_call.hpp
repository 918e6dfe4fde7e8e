// Calls of a Kubernetes API server, and what its answers mean.
//
// What a call was refused for is told in the words that an operator needs: a missing right as the
// verb and the resource of RBAC, everything else as the server says it.
// Source: kubernetes.io/docs/reference/using-api/api-concepts.
// Thread rule: values and free functions; sans-IO. Bounds: those of the answers; words of at most
// `most_words` bytes. Fault model: a proxy may answer, and say anything. Errors: those
// of ApiProblem.
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

// A kind of object in a namespace: "/api/v1", "games", "pods".
struct Resource {
  std::string group;
  std::string space;
  std::string plural;

  [[nodiscard]] std::string collection() const;
  // "…/pods/NAME", and "…/pods/NAME/log" with a subresource.
  [[nodiscard]] std::string item(std::string_view name, std::string_view subresource = {}) const;
};

// "?a=1&b=c%3Dd"; empty for none.
[[nodiscard]] std::string query(const std::vector<std::pair<std::string, std::string>>& fields);

struct ApiCall {
  std::string method = "GET";
  std::string target;
  std::string body = {};
  std::string content_type = "application/json";  // of the body
};

struct ApiAnswer {
  unsigned status = 0;      // of HTTP; 0: it was lost
  std::string body;         // of status 0: why
  std::string retry_after;  // as the server says it; empty: it does not
};

enum class ApiProblem : std::uint8_t {
  none,
  lost,            // nobody knows whether it was done: no answer, or one of a server's fault
  unauthorized,    // 401: the server does not know us
  forbidden,       // 403: we lack a right
  exceeded_quota,  // 403: a quota of the namespace is used up
  not_found,       // 404
  already_exists,  // 409 of a create
  conflict,        // 409: the object is another one by now
  gone,            // 410: that version is too old
  invalid,         // 422
  too_many,        // 429: it was not done, and may be later
  refused,         // another 4xx, a policy among them
};

struct Verdict {
  ApiProblem problem = ApiProblem::none;
  std::string words;                   // empty for none
  std::chrono::milliseconds pause{0};  // that the server asks for; at most longest_retry_after
};

[[nodiscard]] Verdict judge(const ApiCall& call, const ApiAnswer& answer);

// "create pods in namespace games": what RBAC has to allow for the call.
[[nodiscard]] std::string right_for(const ApiCall& call);

}  // namespace fixkeep::kubernetes
