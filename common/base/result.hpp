// Result<T>: a value or an expected failure. Errc: all expected failures of the project.
//
// boost::system::result replaces std::expected, which needs C++23. An Errc is a
// boost::system::error_code. One Result carries our errors and the operating system's.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <type_traits>

namespace fixkeep {

enum class Errc {
  // --- wire: what a peer sent -------------------------------------------------------------------
  frame_too_large = 1,  // the length prefix exceeds the limit of the link
  malformed_message,    // an unknown message, or a field out of range: not our protocol
  implausible_counter,  // a token that no honest node can have got by now
  unexpected_message,   // well-formed, but not at this point of the conversation
  // --- handshake of a link ----------------------------------------------------------------------
  wrong_cluster,      // the other side belongs to another cluster id
  wrong_secret,       // the other side does not know the shared secret
  wrong_version,      // no protocol version in common
  unknown_node,       // a master that the configuration does not list
  duplicate_node,     // another live process already uses that node id
  handshake_timeout,  // the other side connected and then said nothing
  // --- links ------------------------------------------------------------------------------------
  heartbeat_missed,  // the other side fell silent
  send_queue_full,   // the other side reads too slowly; the link is closed
  link_replaced,     // the same node connected again
  inbox_full,        // the receiver is too slow; the link is closed
  stopping,          // our own shutdown; not logged as an error
  // --- why a master closes the link of a worker; both ends say it, in the same words
  answer_missing,    // the worker answers later questions, or nothing
  promises_refused,  // the worker alone promises nothing
  rooms_never_open,  // the worker has started a room that does not open
  connect_anew,      // the worker was left out for a while, and is tried again
  // --- seat tokens ------------------------------------------------------------------------------
  token_malformed,   // no seat token at all
  token_forged,      // the signature is not ours
  token_expired,     // was good once
  token_wrong_room,  // token of another room
  // --- locks of one process (common/sync) -------------------------------------------------------
  lock_timeout,          // not granted within its limit; with try_… not at once
  lock_upgrade_refused,  // a thread that reads asked to write: it would wait for itself
  lock_limit_reached,    // too many threads, or too many locks read by one thread
  actor_wait_timeout,    // the work's turn did not come in time; it never ran
  actor_lease_timeout,   // the work ran beyond its limit; its later result is ignored
  actor_work_abandoned,  // the work dropped its token, or was dropped itself, without an answer
  actor_work_threw,      // the work threw; the exception is beside the error
  mailbox_full,          // too much work waits for this key
  all_mailboxes_full,    // too much work waits for all keys together
  // --- configuration and start-up ---------------------------------------------------------------
  invalid_configuration,  // one or more fields are wrong; the message lists them all
  // --- what a node has no more of ---------------------------------------------------------------
  too_many_links,         // handshake: LinkOptions::links are there already
  handshake_crowded_out,  // handshake: pushed out by later ones
  // --- TLS of a link: one side refuses the other's certificate ----------------------------------
  certificate_missing,            // no certificate
  certificate_expired,            // expired, or not valid yet
  certificate_unknown_authority,  // another authority has signed it
  certificate_refused,            // another reason; or it does not name its owner
  certificate_of_another,         // another cluster, role or name than the node claims
  not_tls,                        // TLS on one side only
};

[[nodiscard]] const boost::system::error_category& fixkeep_category() noexcept;

[[nodiscard]] inline boost::system::error_code make_error_code(Errc code) noexcept {
  return {static_cast<int>(code), fixkeep_category()};
}

template <class T = void>
using Result = boost::system::result<T>;

}  // namespace fixkeep

template <>
struct boost::system::is_error_code_enum<fixkeep::Errc> : std::true_type {};
