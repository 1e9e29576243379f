#include "texts/zh/texts.h"

namespace fovea::command::zh {

std::vector<Translations> texts() {
  return {analyze(), attend(), bench(),  corpus(), demo(),      explain(), finds(),    generate(), help(),
          info(),    inputs(), learn(),  manual(), mask(),      model(),   pictures(), plot(),     serve(),
          shared(),  study(),  tokens(), train(),  translate(), view(),    whatif()};
}

}  // namespace fovea::command::zh
