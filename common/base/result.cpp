#include "common/base/result.hpp"

#include <string>

namespace fixkeep {
namespace {

const char* text_of(Errc code) {
  switch (code) {
    case Errc::frame_too_large: return "the frame is larger than the link allows";
    case Errc::malformed_message: return "the message is malformed";
    case Errc::implausible_counter:
      return "a token is higher than any that can have been granted by now";
    case Errc::unexpected_message: return "the message is not allowed at this point";
    case Errc::wrong_cluster: return "the other side belongs to another cluster";
    case Errc::wrong_secret: return "the other side has another cluster.secret";
    case Errc::wrong_version: return "the other side speaks no protocol version of ours";
    case Errc::unknown_node: return "the other side is not listed in the configuration";
    case Errc::duplicate_node: return "another live process already uses that node id";
    case Errc::handshake_timeout: return "the other side did not finish the handshake in time";
    case Errc::heartbeat_missed: return "the other side fell silent";
    case Errc::send_queue_full: return "the other side reads too slowly";
    case Errc::inbox_full: return "more messages wait to be read than may";
    case Errc::link_replaced: return "the same node connected again";
    case Errc::stopping: return "shutting down";
    case Errc::answer_missing: return "the worker does not answer what the master asks";
    case Errc::promises_refused: return "the worker refuses every promise that the master asks for";
    case Errc::rooms_never_open: return "the worker never opens the room that it started";
    case Errc::connect_anew: return "the worker was left out for a while and is tried again";
    case Errc::token_malformed: return "the seat token is malformed";
    case Errc::token_forged: return "the seat token was not signed by this cluster";
    case Errc::token_expired: return "the seat token has expired";
    case Errc::token_wrong_room: return "the seat token is for another room";
    case Errc::lock_timeout: return "the lock was not to be had in time";
    case Errc::lock_upgrade_refused:
      return "a thread that reads may not write: it waits for itself";
    case Errc::lock_limit_reached: return "too many threads, or too many locks read by one thread";
    case Errc::actor_wait_timeout: return "the work waited for its turn for too long";
    case Errc::actor_lease_timeout: return "the work ran for too long and lost its turn";
    case Errc::actor_work_abandoned: return "the work was dropped without an answer";
    case Errc::actor_work_threw: return "the work threw an exception";
    case Errc::mailbox_full: return "too much work waits for this key";
    case Errc::all_mailboxes_full: return "too much work waits for all keys";
    case Errc::invalid_configuration: return "the configuration is invalid";
    case Errc::handshake_crowded_out:
      return "too many newer connections closed this one before its node was known";
    case Errc::certificate_missing: return "there is no certificate";
    case Errc::certificate_expired:
      return "the certificate has expired, or is not valid yet by the clock of one side";
    case Errc::certificate_unknown_authority:
      return "another authority signed the certificate, not this cluster's";
    case Errc::certificate_refused:
      return "the certificate was refused: it is revoked, or names no node";
    case Errc::certificate_of_another:
      return "the certificate has another cluster, role or name than the node";
    case Errc::not_tls: return "one side of the link speaks TLS 1.3 and the other does not";
    case Errc::too_many_links: return "the other side has as many links as it takes";
  }
  return "unknown error";
}

class Category final : public boost::system::error_category {
 public:
  [[nodiscard]] const char* name() const noexcept override { return "fixkeep"; }
  [[nodiscard]] std::string message(int value) const override {
    return text_of(static_cast<Errc>(value));
  }
};

}  // namespace

const boost::system::error_category& fixkeep_category() noexcept {
  static const Category category;
  return category;
}

}  // namespace fixkeep
