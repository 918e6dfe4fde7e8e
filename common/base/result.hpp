// Result<T>: a value or an expected failure. Errc: all expected failures of the project.
//
// boost::system::result replaces std::expected, which needs C++23. An Errc converts to
// boost::system::error_code. A Result can thus contain our errors and the operating system's.
#pragma once

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>
#include <type_traits>

namespace fixkeep {

enum class Errc {
  // --- wire: messages from a peer ----------------------------------------------------------------
  frame_too_large = 1,  // the length prefix exceeds the limit of the link
  malformed_message,    // not our protocol: unknown message or field out of range
  implausible_counter,  // too high for any honest node
  unexpected_message,   // well-formed, but not allowed at this point
  // --- handshake of a link -----------------------------------------------------------------------
  wrong_cluster,      // the other side belongs to another cluster id
  wrong_secret,       // the other side does not know the shared secret
  wrong_version,      // no protocol version in common
  unknown_node,       // a master that the configuration does not list
  duplicate_node,     // another live process already uses that node id
  handshake_timeout,  // the other side did not finish its handshake in time
  // --- links -------------------------------------------------------------------------------------
  heartbeat_missed,  // the other side fell silent
  send_queue_full,   // the other side reads too slowly; the link is closed
  link_replaced,     // the same node connected again
  inbox_full,        // the receiver is too slow; the link is closed
  stopping,          // our own shutdown, not logged as an error
  // --- a master closes its link to a worker; both nodes log the same words -----------------------
  answer_missing,    // the worker skipped a question or is silent
  promises_refused,  // this worker refuses promises, others do not
  rooms_never_open,  // the worker started a room that does not open
  connect_anew,      // the node shall make a new link
  // --- seat tokens -------------------------------------------------------------------------------
  token_malformed,   // not in the form of a seat token
  token_forged,      // the signature is not ours
  token_expired,     // its time of validity is over
  token_wrong_room,  // valid for another room
  // --- locks of one process (common/sync) --------------------------------------------------------
  lock_timeout,          // not granted within the limit; for try_…(): not granted now
  lock_upgrade_refused,  // a reading thread wants to write: a deadlock
  lock_limit_reached,    // too many threads, or too many locks read by one thread
  actor_wait_timeout,    // no turn in time; the work never ran
  actor_lease_timeout,   // the work ran too long; a later result is ignored
  actor_work_abandoned,  // the work or its token was destroyed without an answer
  actor_work_threw,      // the work threw; see WorkOutcome::thrown
  mailbox_full,          // too much work waits for this key
  all_mailboxes_full,    // too much work waits for all keys together
  // --- configuration and start-up ----------------------------------------------------------------
  invalid_configuration,  // the message lists every wrong field
  // --- limits of a node --------------------------------------------------------------------------
  too_many_links,         // the hub already has LinkOptions::links links
  handshake_crowded_out,  // closed in its handshake to make room for others
  // --- TLS of a link: a side refuses its peer's certificate --------------------------------------
  certificate_missing,
  certificate_expired,            // expired or not valid yet
  certificate_unknown_authority,  // signed by another authority
  certificate_refused,            // another reason, for example: it names no owner
  certificate_of_another,         // names another cluster, role or node
  not_tls,                        // only one side uses TLS
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
