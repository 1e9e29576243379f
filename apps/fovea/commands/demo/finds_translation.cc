// Which word translates which: the model en-zh, if it is there.
#include "commands/demo/finds.h"
#include "fovea/heatmap.h"
#include "fovea/terminal_picture.h"
#include "fovea/word_alignment.h"
#include "inputs/own_models.h"

namespace fovea::command {

void find_translation(const Context& context, const FoundPictures& pictures) {
  context.subheading(tr("“I love you” and 我 爱 你, word by word"));
  const std::string folder = own_model_folder("en-zh");
  if (folder.empty()) {
    context.paragraph(tr("The model {0} is not there; it is installed with the command.", "en-zh"));
    return;
  }
  const WordAlignment aligned = align_words(TextModel::load(folder), {"I", "love", "you", "."},
                                            {"我", "爱", "你", "。"}, load_alignment_options(folder));
  HeatmapOptions options;
  options.queries = aligned.target;
  options.keys = aligned.source;
  options.title = "I love you. → 我爱你。";
  options.range = ColorRange::unit();
  options.language = context.language;
  context.paragraph(tr(
      "A small BART learned from pairs of sentences; nobody told it which word is which. Its cross-attention at "
      "the step that writes each Chinese word:"));
  context.block(
      to_terminal(terminal_heatmap(aligned.weights, options), {.colors = terminal_colors(context.color),
                                                               .width = context.text_width(),
                                                               .language = context.language}));
  context.paragraph(
      tr("The links: {0} (English word, Chinese word, both counted from 0).", to_pharaoh(aligned.links)));
  if (pictures.wanted()) pictures.save("finds-love.png", heatmap(aligned.weights, options));
}

}  // namespace fovea::command
