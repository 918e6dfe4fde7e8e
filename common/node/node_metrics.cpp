#include "common/node/node_metrics.hpp"

#include <string>

namespace fixkeep::node {

ListenerFacts listener_facts(std::string_view listener, const net::HttpServer& server) {
  return {listener,
          server.connections(),
          server.displaced(),
          server.responses(),
          server.certificate_expires_at(),
          {}};
}

ListenerFacts listener_facts(const net::OperatorsListener& operators) {
  auto facts = listener_facts("operators", *operators.http);
  facts.wrong_tokens = operators.wrong_tokens->count();
  return facts;
}

void add_listeners(const std::vector<ListenerFacts>& listeners, obs::MetricsPage& page) {
  for (const auto& facts : listeners) {
    page.gauge("http_connections", "Open HTTP connections.", static_cast<double>(facts.connections),
               {{"listener", facts.listener}});
  }
  for (const auto& facts : listeners) {
    page.counter("http_connections_displaced",
                 "HTTP connections that were closed so that newer ones had a place.",
                 facts.displaced, {{"listener", facts.listener}});
  }
  for (const auto& facts : listeners) {
    for (const auto& [status, count] : facts.responses) {
      page.counter("http_responses", "Answers over HTTP, refusals among them.", count,
                   {{"listener", facts.listener}, {"code", std::to_string(status)}});
    }
  }
  for (const auto& facts : listeners) {
    if (!facts.wrong_tokens) continue;
    page.counter("http_wrong_tokens", "Requests that named a wrong token of operators.",
                 *facts.wrong_tokens, {{"listener", facts.listener}});
  }
  for (const auto& facts : listeners) {
    if (!facts.certificate_expires_at) continue;
    page.gauge("http_certificate_expiry_timestamp_seconds", "When the certificate of HTTPS ends.",
               static_cast<double>(facts.certificate_expires_at->time_since_epoch().count()),
               {{"listener", facts.listener}});
  }
}

void add_links(const net::LinkCounters& links, obs::MetricsPage& page) {
  if (links.certificate_expires_s > 0) {
    page.gauge("link_certificate_expiry_timestamp_seconds", "When the certificate of links ends.",
               static_cast<double>(links.certificate_expires_s));
  }
  page.counter("link_frames_sent", "Frames sent over links.", links.frames_sent);
  page.counter("link_frames_received", "Frames received over links.", links.frames_received);
  page.counter("link_sent_bytes", "Bytes sent over links.", links.bytes_sent);
  page.counter("link_received_bytes", "Bytes received over links.", links.bytes_received);
  page.counter("link_writes", "Writes to links; frames per write are the natural batch.",
               links.writes);
  page.counter("link_handshakes_failed", "Handshakes that failed.", links.handshakes_failed);
}

}  // namespace fixkeep::node
