#include "ctl/cluster/access.hpp"

#include <utility>

#include "common/base/printable.hpp"
#include "common/config/secret_text.hpp"

namespace fixkeep::ctl {
namespace {

using nlohmann::json;

constexpr const char* usual_node = "http://127.0.0.1:8181";
constexpr std::size_t shown_of_no_problem = 200;

// Returns a sentence about an answer that is an error, if possible with the node's own explanation
// (application/problem+json).
std::string in_words(const NodeClient& node, const NodeAnswer& answer) {
  const auto problem = json::parse(answer.body, nullptr, false);
  std::string text = to_string(node.url()) + " answers " + std::to_string(answer.status);
  if (answer.status == 401) {
    return text + ": it wants its token (--token-file, or FIXKEEP_ADMIN_TOKEN)";
  }
  if (!problem.is_object() || !problem.contains("title")) {
    return text + ": " + printable(answer.body.substr(0, shown_of_no_problem));
  }
  const auto member = [&](const char* name) {
    const auto found = problem.find(name);
    return found != problem.end() && found->is_string() ? printable(found->get<std::string>()) : "";
  };
  text += ": " + member("title");
  if (const auto detail = member("detail"); !detail.empty()) text += ": " + detail;
  return text;
}

Said from_any(const Access& access, auto call) {
  const auto nodes = nodes_of(access);
  if (const auto* const problem = std::get_if<std::string>(&nodes)) return {{}, *problem};
  std::string problems;
  for (const NodeClient& node : std::get<0>(nodes)) {
    auto answered = call(node);
    if (!std::holds_alternative<std::string>(answered)) return said(node, std::move(answered));
    if (!problems.empty()) problems += "\nfixkeepctl: ";
    problems += std::get<std::string>(answered);
  }
  return {{}, problems};
}

}  // namespace

void add_access(CLI::App& command, Access& access, const std::string& what) {
  command.add_option("--admin", access.admin, "listeners for operators " + what)
      ->type_name("URL,...")
      ->delimiter(',')
      ->envname("FIXKEEP_ADMIN")
      ->default_str(usual_node);
  command
      .add_option("--token-file", access.token_file,
                  "a file with the token that they want (or the token itself in the variable "
                  "FIXKEEP_ADMIN_TOKEN)")
      ->envname("FIXKEEP_ADMIN_TOKEN_FILE")
      ->type_name("FILE");
  command.add_option("--ca", access.authority, "certificates of authorities to believe with https")
      ->type_name("FILE");
  auto* const certificate =
      command
          .add_option("--certificate", access.certificate,
                      "an operator's own certificate, where admin.tls.clients wants one")
          ->type_name("FILE");
  auto* const key =
      command.add_option("--key", access.key, "the key of that certificate")->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  command.add_option("--timeout-ms", access.timeout_ms, "how long to wait for each node")
      ->check(CLI::Range(1, 600'000));
  command.add_flag("--json", access.json, "as JSON, for programs");
}

std::variant<std::vector<NodeClient>, std::string> nodes_of(const Access& access) {
  std::string problem;
  NodeClientOptions options{.token = access.sends_token
                                         ? config::operators_token(access.token_file, problem)
                                         : std::string{},
                            .trust = nullptr,
                            .timeout = std::chrono::milliseconds{access.timeout_ms}};
  if (!problem.empty()) return problem;
  std::vector<NodeClient> nodes;
  auto named = access.admin;
  if (named.empty()) named.emplace_back(usual_node);
  for (const std::string& text : named) {
    const auto url = parse_node_url(text);
    if (const auto* const wrong = std::get_if<std::string>(&url)) {
      throw CLI::ValidationError{*wrong};
    }
    if (std::get<NodeUrl>(url).https && !options.trust) {
      auto loaded = net::ServerTrust::load(
          {.authority = access.authority, .certificate = access.certificate, .key = access.key});
      if (const auto* const wrong = std::get_if<std::string>(&loaded)) return *wrong;
      options.trust = std::get<0>(loaded);
    }
    nodes.emplace_back(std::get<NodeUrl>(url), options);
  }
  return nodes;
}

Said said(const NodeClient& node, NodeClient::Answered answered) {
  if (auto* const problem = std::get_if<std::string>(&answered)) return {{}, std::move(*problem)};
  auto& answer = std::get<NodeAnswer>(answered);
  constexpr unsigned hundred = 100;
  if (answer.status / hundred != 2) return {{}, in_words(node, answer), answer.status};
  return {std::move(answer.body), {}};
}

Said get_from_any(const Access& access, const std::string& target) {
  return from_any(access, [&](const NodeClient& node) { return node.get(target); });
}

Said post_to_any(const Access& access, const std::string& target, const std::string& body) {
  return from_any(access, [&](const NodeClient& node) { return node.post(target, body); });
}

json parsed(const Said& said, std::string& problem) {
  problem = said.problem;
  if (!problem.empty()) return nullptr;
  auto answer = json::parse(said.body, nullptr, false);
  if (answer.is_object()) return answer;
  problem = "the answer there is not from a node of FIX Keep: " +
            printable(said.body.substr(0, shown_of_no_problem));
  return nullptr;
}

json json_from_any(const Access& access, const std::string& target, std::string& problem) {
  return parsed(get_from_any(access, target), problem);
}

int fail(std::ostream& err, const std::string& problem) {
  err << "fixkeepctl: " << problem << '\n';
  return exit_failed;
}

}  // namespace fixkeep::ctl
