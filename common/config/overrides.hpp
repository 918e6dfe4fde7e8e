// Values from outside the configuration file: environment variables and --set on the command line.
//
// FIXKEEP_HTTP_PORT sets http.port: the steps of a schema's key, in capitals, joined by "_". A
// variable that nearly matches such a name is a problem with a suggestion. Any other FIXKEEP_
// variable is for another program (a worker sets such variables for its game processes). The
// schema's type decides how a value is read: a text as it is, lists and maps as JSON. A variable
// may contain a secret: only root and the user of the process can read it. But all users of the
// machine can read --set. Thus a secret in --set is reported as a problem; the message names the
// key that takes a file instead. Thread rule: free functions without state.
#pragma once

#include <span>
#include <string>

#include "common/config/schema.hpp"

namespace fixkeep::config {

// `variables`: each is "NAME=value" as in environ.
void apply_environment(const Schema& schema, std::span<const std::string> variables,
                       Document& document, Problems& problems);

// `settings`: each is "key.path=value" from --set. A key may point into lists:
// "modes[0].capacity=4".
void apply_settings(const Schema& schema, std::span<const std::string> settings, Document& document,
                    Problems& problems);

// "http.port" -> "FIXKEEP_HTTP_PORT"
[[nodiscard]] std::string variable_name(std::string_view key);

}  // namespace fixkeep::config
