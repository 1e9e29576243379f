#include "texts/zh/texts.h"

namespace fovea::command::zh {

std::vector<Translations> texts() {
  return {analyze(), attend(), bench(),  demo(),   explain(), finds(),     generate(),
          help(),    info(),   inputs(), manual(), mask(),    model(),     pictures(),
          plot(),    serve(),  shared(), tokens(), train(),   translate(), view()};
}

}  // namespace fovea::command::zh
