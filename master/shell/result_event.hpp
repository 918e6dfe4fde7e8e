// The events for the webhook: results of rooms, states of matches.
// Thread rule: the master's thread. Errors: a result that is no JSON is not told.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "common/net/webhook/webhook.hpp"
#include "master/core/seam/events.hpp"
#include "master/shell/settings.hpp"

namespace fixkeep::master {

// Returns null if no webhook is configured.
[[nodiscard]] std::unique_ptr<net::Webhook> start_webhook(boost::asio::io_context& context,
                                                          const WebhookSettings& settings);

// Returns the body of the post; empty if the result is no JSON. Every master, and every run of a
// master, makes the same body, with the same id.
[[nodiscard]] std::string result_event(const ResultHeard& heard);

void tell_result(net::Webhook& webhook, const ResultHeard& heard);

// Returns the body of the post when the order for the room of a match has ended; empty if the group
// is no match, or the room may still open.
[[nodiscard]] std::string match_event(const OrderDone& order);
// Returns the body of the post when a match has ended. Every master makes the same body.
[[nodiscard]] std::string match_event(const MatchOver& over);

}  // namespace fixkeep::master
