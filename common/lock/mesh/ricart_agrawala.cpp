#include "common/lock/mesh/ricart_agrawala.hpp"

#include "common/lock/mesh/ricart_agrawala_rules.hpp"

namespace fixkeep::lock {

template class BasicRicartAgrawala<RicartAgrawalaRules>;

}  // namespace fixkeep::lock
