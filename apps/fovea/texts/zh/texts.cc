#include "texts/zh/texts.h"

namespace fovea::command::zh {

std::vector<Translations> texts() {
  return {analyze(), attend(), bench(),  demo(),   explain(), generate(), help(),
          info(),    inputs(), learn(),  manual(), mask(),    model(),    pictures(),
          plot(),    serve(),  shared(), tokens(), train(),   view()};
}

}  // namespace fovea::command::zh
