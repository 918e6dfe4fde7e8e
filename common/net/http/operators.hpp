// Recognises operators at a listener for operators.
//
// If a token is configured, an operator must send it: "Authorization: Bearer TOKEN" (RFC 6750), or
// "Basic" with the token as password and any user name (RFC 7617). A browser prompts for user name
// and password. Without a token every client is an operator. Then the listener is on the loopback
// device only, or demands a certificate of each client (common/net/configured_tls.hpp ensures
// this).
//
// A foreign page can make a browser send requests with the stored password. Therefore requests of
// pages of another origin are refused, except those with the Bearer token, which browsers do not
// store. A request without an origin is refused if it changes something and the browser marks it as
// coming from elsewhere (Fetch Metadata). Without a token, requests with a foreign host name are
// refused too (DNS rebinding).
//
// /healthz and /readyz are open to all clients; players see the same state.
//
// If operators identify themselves, their connections are never closed for newer connections.
// Connections of other clients are closed, the oldest first (connections_by_client.hpp). So other
// clients cannot keep an operator out.
//
// Wrong tokens are counted and logged: at most three lines a minute, without the token. A client
// that sends many wrong tokens is slowed (wrong_tokens.hpp). A correct token is always accepted.
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
  // With port 0 the listener is off.
  HttpOptions http{.connections = 200, .connections_per_address = 100};
  std::string token;  // empty: no token is needed

  friend bool operator==(const AdminOptions&, const AdminOptions&) = default;
};

struct OperatorsListener {
  std::unique_ptr<HttpServer> http;
  std::shared_ptr<const WrongTokens> wrong_tokens;
};

// Like HttpServer::start(), with a gate before `handler`.
[[nodiscard]] Result<OperatorsListener> start_for_operators(boost::asio::io_context& context,
                                                            const AdminOptions& options,
                                                            HttpServer::Handler handler);

// Uses the certificate of `read` for new connections. `read` may change the authorities of clients,
// but must not add the first authority or remove the last authority: only a restart can change
// whether clients must show certificates. If `read` breaks this rule, the function logs a warning
// and does nothing else.
void renew_for_operators(HttpServer& server, const AdminOptions& started, const AdminOptions& read);

class OperatorGate {
 public:
  // `certified`: TLS has already checked a client certificate of each client.
  explicit OperatorGate(std::string token, bool certified = false)
      : token_(std::move(token)), certified_(certified) {}

  struct Refusal {
    HttpAnswer answer;
    bool wrong_token = false;  // the request has a wrong token
  };
  // Returns the refusal. No value: the client is an operator.
  [[nodiscard]] std::optional<Refusal> refuse(const HttpRequest& request) const;
  // Returns true if every client that is not refused has proven to be an operator.
  [[nodiscard]] bool knows_its_operators() const { return certified_ || !token_.empty(); }

 private:
  std::string token_;
  bool certified_;
};

}  // namespace fixkeep::net
