// Recognises operators at a listener for operators.
//
// An operator sends the token if there is one: "Authorization: Bearer TOKEN" (RFC 6750) or "Basic"
// with the token as password and any user name (RFC 7617). A browser prompts for these. Without a
// token every client is an operator: the listener is on the loopback device only or demands a
// certificate of each client (common/net/configured_tls.hpp ensures that).
//
// A browser sends requests for strangers' pages with the password that it knows. Requests of pages
// of another origin are refused. If the browser names no origin, changing requests are refused that
// it marks as from another site (Fetch Metadata). Without a token, requests under a foreign name
// that leads here are refused too (DNS rebinding).
//
// /healthz and /readyz are open to all clients; players see the same state.
//
// Where operators identify themselves, their connections are never closed for newer ones.
// Connections of other clients are: the oldest first (connections_by_client.hpp). They cannot keep
// an operator out.
//
// Wrong tokens are counted and logged: three lines a minute at most and without the token. A client
// that sends many is slowed (wrong_tokens.hpp). A right token is always accepted.
//
// Thread rule: the gate is immutable; a listener runs on its server's thread. Errors: 401
// token-needed or wrong-token; 429 too-many-wrong-tokens; 403 foreign-page. Tokens are compared in
// constant time.
#pragma once

#include <optional>
#include <string>

#include "common/net/http/server.hpp"
#include "common/net/http/wrong_tokens.hpp"

namespace fixkeep::net {

struct AdminOptions {
  // Port 0: the listener is off.
  HttpOptions http{.connections = 200, .connections_per_address = 100};
  std::string token;  // empty: no token is needed

  friend bool operator==(const AdminOptions&, const AdminOptions&) = default;
};

struct OperatorsListener {
  std::unique_ptr<HttpServer> http;
  std::shared_ptr<const WrongTokens> wrong_tokens;
};

// Does what HttpServer::start() does but with a gate before `handler`.
[[nodiscard]] Result<OperatorsListener> start_for_operators(boost::asio::io_context& context,
                                                            const AdminOptions& options,
                                                            HttpServer::Handler handler);

// New connections get the certificate of `read`. The start decides whether clients show
// certificates: `read` may name other authorities of clients but cannot add the first or remove the
// last. In that case only the log changes.
void renew_for_operators(HttpServer& server, const AdminOptions& started, const AdminOptions& read);

class OperatorGate {
 public:
  // `certified`: a client that gets here has shown a certificate that is believed.
  explicit OperatorGate(std::string token, bool certified = false)
      : token_(std::move(token)), certified_(certified) {}

  struct Refusal {
    HttpAnswer answer;
    bool wrong_token = false;  // it named one
  };
  // No value: the client is an operator.
  [[nodiscard]] std::optional<Refusal> refuse(const HttpRequest& request) const;
  // Whether a client that is not refused has shown that it is one.
  [[nodiscard]] bool knows_its_operators() const { return certified_ || !token_.empty(); }

 private:
  std::string token_;
  bool certified_;
};

}  // namespace fixkeep::net
