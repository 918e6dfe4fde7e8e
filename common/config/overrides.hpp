// Values from outside the file: environment variables and --set on the command line.
//
// FIXKEEP_HTTP_PORT sets http.port: "_" joins the capital steps of a key of the schema. A variable
// that is nearly one of these is a problem with a suggestion. Any other FIXKEEP_ variable is for
// another program (a worker gives its game processes some). Values are read by the schema's type:
// text as it is and lists and maps as JSON. A secret may come from a variable: only its user and
// root see this. All users of the machine see --set. A secret there is a problem that names the key
// of a file.
// Thread rule: free functions without state.
#pragma once

#include <span>
#include <string>

#include "common/config/schema.hpp"

namespace fixkeep::config {

// `variables`: "NAME=value" each as in environ.
void apply_environment(const Schema& schema, std::span<const std::string> variables,
                       Document& document, Problems& problems);

// `settings`: "key.path=value" each as given to --set. Reaches into lists: "modes[0].capacity=4".
void apply_settings(const Schema& schema, std::span<const std::string> settings, Document& document,
                    Problems& problems);

// "http.port" -> "FIXKEEP_HTTP_PORT"
[[nodiscard]] std::string variable_name(std::string_view key);

}  // namespace fixkeep::config
