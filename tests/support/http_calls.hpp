// Single questions over HTTP and single visits to a room, each on a connection of its own, for
// tests that do one thing after the other.
//
// Thread rule: each call blocks until it has its answer or its time limit is over.
// Errors: those of client-sim's HttpClient and RoomVisit.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "client-sim/load/api.hpp"
#include "client-sim/load/http_client.hpp"
#include "client-sim/load/room_visit.hpp"

namespace fixkeep::support {

inline constexpr std::size_t megabyte = 1U << 20U;

inline constexpr std::chrono::milliseconds call_limit{20'000};

// `token`: an operator's, a player's or the key of a service, if one is needed.
[[nodiscard]] Result<client_sim::HttpReply> get(const client_sim::Endpoint& where,
                                                const std::string& target,
                                                const std::string& token = {});
[[nodiscard]] Result<client_sim::HttpReply> post(const client_sim::Endpoint& where,
                                                 const std::string& target, const std::string& body,
                                                 const std::string& token = {});
[[nodiscard]] Result<client_sim::HttpReply> put(const client_sim::Endpoint& where,
                                                const std::string& target, const std::string& body,
                                                const std::string& token = {});
[[nodiscard]] Result<client_sim::HttpReply> remove(const client_sim::Endpoint& where,
                                                   const std::string& target,
                                                   const std::string& token = {});

// The document behind a target that answers 200; a null value if it does not.
[[nodiscard]] nlohmann::json get_json(const client_sim::Endpoint& where, const std::string& target,
                                      const std::string& token = {});

// What the metrics page of a node says of the name, which has no prefix: the sum of all its series
// in whose labels the text is found. -1 if there is none.
[[nodiscard]] double get_metric(const client_sim::Endpoint& where, const std::string& name,
                                const std::string& label = {});

// The body of a request of the mode and the attribute that local clusters have.
[[nodiscard]] std::string match_body(const std::string& player, const std::string& region);
[[nodiscard]] Result<client_sim::HttpReply> ask_for_seat(const client_sim::Endpoint& master,
                                                         const std::string& player,
                                                         const std::string& region);

// What the room answers to JOIN: "WELCOME", "room: REFUSED …", or why there was no answer. The
// visit ends at once.
[[nodiscard]] std::string join(const client_sim::MatchAnswer& seat);

// Throws bytes at a port until they are all taken or the other side has closed, and then waits for
// the other side's end, so that it has seen whatever it was willing to see.
void throw_bytes(const client_sim::Endpoint& where, const std::string& bytes);

// The same bytes in every run.
[[nodiscard]] std::string random_bytes(std::size_t count, std::uint64_t seed);

}  // namespace fixkeep::support
