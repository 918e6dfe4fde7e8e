#include "common/net/http/operators.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <string_view>
#include <utility>

#include "common/auth/hmac.hpp"
#include "common/base/base64.hpp"
#include "common/base/credential.hpp"
#include "common/net/http/cross_origin.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::net {
namespace {

HttpAnswer unauthorised(std::string_view type, std::string_view detail,
                        std::string_view bearer_challenge) {
  auto answer = problem(401, type, "Not an operator", detail);
  answer.authenticate = {bearer_challenge, R"(Basic realm="fixkeep", charset="UTF-8")"};
  return answer;
}

// Returns the password in "bmFtZTpwYXNzd29yZA=="; no value for other text.
std::optional<std::string> password_in(std::string_view credential) {
  auto pair = from_base64(credential);
  if (!pair) return {};
  const auto colon = pair->find(':');
  if (colon == std::string::npos) return {};
  return pair->substr(colon + 1);
}

// Returns "127.0.0.1" for "127.0.0.1:8181" and "::1" for "[::1]:8181".
std::string_view name_in(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(1, authority.find(']') - 1);
  return authority.substr(0, authority.find(':'));
}

// Returns true for an address or "localhost", because no name server can redirect these.
bool means_this_machine(std::string_view host) {
  boost::system::error_code error;
  (void)boost::asio::ip::make_address(host, error);
  return !error || boost::beast::iequals(host, "localhost");
}

OperatorGate::Refusal foreign_page(std::string_view detail) {
  return {problem(403, "foreign-page", "Not from a page of this listener", detail)};
}

// GET and HEAD change nothing, so they may come from any page: for example a link in a chat.
bool changes_something_from_elsewhere(const HttpRequest& request) {
  if (request.method() == http::verb::get || request.method() == http::verb::head) return false;
  const auto site = request.find("Sec-Fetch-Site");
  return site != request.end() && site->value() != "same-origin" && site->value() != "none";
}

// Refuses requests of pages of other origins: a browser may have added the password without the
// operator's intent.
std::optional<OperatorGate::Refusal> refuse_other_origins(const HttpRequest& request) {
  if (changes_something_from_elsewhere(request)) {
    return foreign_page("A page of another site may change nothing here.");
  }
  if (names_its_own_host(request)) return {};
  return foreign_page("A page of another origin may not ask this listener.");
}

// Returns true for the requests of an orchestrator, which cannot keep a token secret.
bool asks_for_health(const HttpRequest& request) {
  const bool looks = request.method() == http::verb::get || request.method() == http::verb::head;
  return looks && (request.target() == "/healthz" || request.target() == "/readyz");
}

// Counts and logs wrong tokens of clients.
struct Watch {
  WrongTokens wrong;
  obs::LogLimit log{{.burst = 3,
                     .interval = std::chrono::minutes{1},
                     .longest_interval = std::chrono::minutes{1},
                     .kinds = 1}};

  // Counts and logs a wrong token. `answer` is the answer to this token. If the client must wait,
  // the function replaces `answer` with the answer 429.
  void see(const boost::asio::ip::address& client, HttpAnswer& answer) {
    const auto now = steady_now();
    const auto wait = wrong.add(client, now);
    if (const auto like_it = log.admit("wrong token", now)) {
      obs::log_warning("a client named a wrong token of operators" + obs::more_like_it(*like_it),
                       {{"client", client.to_string()}, {"so_far", wrong.count()}});
    }
    if (wait == std::chrono::seconds{0}) return;
    answer = problem(429, "too-many-wrong-tokens", "Too many wrong tokens",
                     "This address has named many wrong tokens. The right one is always heard.");
    answer.retry_after_seconds = static_cast<unsigned>(wait.count());
    answer.last = true;
  }
};

}  // namespace

std::optional<OperatorGate::Refusal> OperatorGate::refuse(const HttpRequest& request) const {
  if (token_.empty()) {
    if (certified_ || means_this_machine(name_in(request[http::field::host]))) {
      return refuse_other_origins(request);
    }
    return foreign_page("Without a token, ask under an IP address or as localhost.");
  }
  const std::string_view said = request[http::field::authorization];
  const auto by_browser = credential_in(said, "basic");
  std::optional<std::string> token;
  if (by_browser) {
    token = password_in(*by_browser);
  } else if (const auto shown = credential_in(said, "bearer"); shown && !shown->empty()) {
    token = *shown;
  }
  if (!token) {
    return Refusal{unauthorised("token-needed",
                                "This listener wants \"Authorization: Bearer TOKEN\", or the token "
                                "as password of any user.",
                                R"(Bearer realm="fixkeep")")};
  }
  if (!auth::equal_in_constant_time(*token, token_)) {
    return Refusal{
        unauthorised("wrong-token", "The token is another one: admin.token, or admin.token_file.",
                     R"(Bearer realm="fixkeep", error="invalid_token")"),
        true};
  }
  return by_browser ? refuse_other_origins(request) : std::nullopt;
}

void renew_for_operators(HttpServer& server, const AdminOptions& started,
                         const AdminOptions& read) {
  const bool demanded = !started.http.tls_files.clients.empty();
  if (demanded != !read.http.tls_files.clients.empty()) {
    return obs::log_warning("whether operators show certificates changes with a restart only",
                            {{"key", "admin.tls.clients"}});
  }
  server.renew(read.http.tls);
}

Result<OperatorsListener> start_for_operators(boost::asio::io_context& context,
                                              const AdminOptions& options,
                                              HttpServer::Handler handler) {
  const auto watch = std::make_shared<Watch>();
  const bool certified = !options.http.tls_files.clients.empty();
  auto server = HttpServer::start(
      context, options.http,
      [gate = OperatorGate{options.token, certified}, watch, handler = std::move(handler)](
          HttpRequest&& request, const HttpResponder& responder) {
        if (asks_for_health(request)) return handler(std::move(request), responder);
        auto refused = gate.refuse(request);
        if (!refused) {
          if (gate.knows_its_operators()) responder.keep_connection();
          return handler(std::move(request), responder);
        }
        if (refused->wrong_token) watch->see(responder.client(), refused->answer);
        responder.answer(std::move(refused->answer));
      });
  if (!server) return server.error();
  return OperatorsListener{std::move(*server), {watch, &watch->wrong}};
}

}  // namespace fixkeep::net
