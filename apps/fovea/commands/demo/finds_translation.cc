// Which word translates which: the model en-zh, if it is there.
#include "commands/demo/finds.h"
#include "inputs/own_models.h"

namespace fovea::command {

void find_translation(const Context& context) {
  context.subheading(tr("“I love you” and 我 爱 你, word by word"));
  context.paragraph(tr("The model {0} is not there; it is installed with the command.", "en-zh"));
}

}  // namespace fovea::command
