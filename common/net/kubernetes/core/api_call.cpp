#include "common/net/kubernetes/core/api_call.hpp"

#include <algorithm>
#include <charconv>

#include "common/base/percent.hpp"
#include "common/base/printable.hpp"
#include "common/net/kubernetes/core/json.hpp"

namespace fixkeep::kubernetes {
namespace {

constexpr std::string_view unreserved = "-._~";

std::string first_words(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return printable(text.substr(0, most_words));
}

// Reads a Retry-After field in seconds; a date is not supported.
std::chrono::milliseconds pause_of(std::string_view text) {
  unsigned seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, wrong] = std::from_chars(text.data(), end, seconds);
  if (wrong != std::errc{} || stopped != end) return {};
  return std::min<std::chrono::milliseconds>(std::chrono::seconds{seconds}, longest_retry_after);
}

ApiProblem problem_of(unsigned status, const std::string& reason, const std::string& message) {
  switch (status) {
    case 401: return ApiProblem::unauthorized;
    case 403:
      // A refusal by RBAC has the form "User … cannot VERB resource …" and is reported as a missing
      // right. Other refusals are reported in their own words.
      if (message.find(" cannot ") != std::string::npos) return ApiProblem::forbidden;
      if (message.find("exceeded quota") != std::string::npos) return ApiProblem::exceeded_quota;
      return ApiProblem::refused;
    case 404: return ApiProblem::not_found;
    case 409: return reason == "AlreadyExists" ? ApiProblem::already_exists : ApiProblem::conflict;
    case 410: return ApiProblem::gone;
    case 422: return ApiProblem::invalid;
    case 429: return ApiProblem::too_many;
    default: return status >= 400 && status < 500 ? ApiProblem::refused : ApiProblem::lost;
  }
}

std::vector<std::string_view> parts_of_path(std::string_view target) {
  std::vector<std::string_view> parts;
  target = target.substr(0, target.find('?'));
  while (!target.empty()) {
    target.remove_prefix(target.front() == '/' ? 1 : 0);
    const auto part = target.substr(0, target.find('/'));
    if (!part.empty()) parts.push_back(part);
    target.remove_prefix(part.size());
  }
  return parts;
}

std::string verb_of(const ApiCall& call, bool one) {
  if (call.method == "POST") return "create";
  if (call.method == "PUT") return "update";
  if (call.method == "PATCH") return "patch";
  if (call.method == "DELETE") return one ? "delete" : "deletecollection";
  if (one) return "get";
  return call.target.find("watch=") == std::string::npos ? "list" : "watch";
}

}  // namespace

std::string Resource::collection() const {
  return group + "/namespaces/" + space + "/" + plural;
}

std::string Resource::item(std::string_view name, std::string_view subresource) const {
  std::string path = collection() + "/";
  append_percent_encoded(name, unreserved, path);
  return subresource.empty() ? path : path + "/" + std::string{subresource};
}

std::string query(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += (text.empty() ? "?" : "&") + name + "=";
    append_percent_encoded(value, unreserved, text);
  }
  return text;
}

Verdict judge(const ApiCall& call, const ApiAnswer& answer) {
  if (answer.status >= 200 && answer.status < 300) return {};
  if (answer.status == 0) {
    return {ApiProblem::lost, answer.body.empty() ? "no answer" : first_words(answer.body)};
  }
  const Json status = parsed(answer.body);
  std::string message = text_at(status, "message");
  if (message.empty()) message = answer.body;
  Verdict verdict;
  verdict.problem = problem_of(answer.status, text_at(status, "reason"), message);
  verdict.words = first_words(message);
  if (verdict.words.empty()) verdict.words = "status " + std::to_string(answer.status);
  if (verdict.problem == ApiProblem::forbidden) {
    verdict.words = first_words("needs the right to " + right_for(call) + ": " + message);
  }
  if (verdict.problem == ApiProblem::unauthorized) {
    verdict.words = first_words("the API server does not accept the credentials: " + message);
  }
  verdict.pause = pause_of(answer.retry_after);
  return verdict;
}

std::string right_for(const ApiCall& call) {
  auto parts = parts_of_path(call.target);
  const std::size_t head = !parts.empty() && parts.front() == "api" ? 2 : 3;  // /apis/GROUP/VERSION
  if (parts.size() <= head) return call.method + " " + call.target;
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(head));
  std::string where;
  if (parts.front() == "namespaces" && parts.size() >= 3) {
    where = " in namespace " + std::string{parts[1]};
    parts.erase(parts.begin(), parts.begin() + 2);
  }
  std::string what{parts.front()};
  if (parts.size() >= 3) what += "/" + std::string{parts[2]};
  return verb_of(call, parts.size() >= 2) + " " + what + where;
}

}  // namespace fixkeep::kubernetes
