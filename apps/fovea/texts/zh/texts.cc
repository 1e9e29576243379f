#include "texts/zh/texts.h"

namespace fovea::command::zh {

std::vector<Translations> texts() {
  return {analyze(), attend(), bench(),  corpus(), demo(),   explain(), generate(),
          help(),    info(),   inputs(), manual(), mask(),   model(),   pictures(),
          plot(),    serve(),  shared(), study(),  tokens(), train(),   view()};
}

}  // namespace fovea::command::zh
