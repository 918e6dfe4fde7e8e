#include "common/lock/ricart_agrawala.hpp"

#include "common/lock/ricart_agrawala_impl.hpp"

namespace fixkeep::lock {

template class BasicRicartAgrawala<RicartAgrawalaRules>;

}  // namespace fixkeep::lock
