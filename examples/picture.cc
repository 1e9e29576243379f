// A model reads a text; one head's attention becomes a picture, and the heads are measured.
//   picture FOLDER TEXT FILE.svg      (for example ~/.cache/fovea/models/minilm "The cat sat." cat.svg)
#include <fovea/fovea.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: picture FOLDER TEXT FILE.svg\n");
    return 2;
  }
  try {
    const TextModel model = TextModel::load(argv[1]);
    // A run holds queries, keys and values of every layer; weights are computed when you ask for them.
    const Run run = model.read({argv[2]}).run;
    const AttentionKind kind = run.kinds().front();
    const HeadChoice head{.kind = kind, .layer = 0, .head = 0};
    const Tensor weights = run.weights(head);  // [N, M]

    HeatmapOptions options;
    options.queries = run.query_labels(kind);
    options.keys = run.key_labels(kind);
    options.title = "Attention of " + head.name();
    options.mask = run.visible(head);  // what is hidden is hatched
    save_figure(argv[3], heatmap(weights, options));

    const LayerView& layer = run.layer(kind, 0);
    std::printf("%s: %lld tokens, %lld layers of %lld heads\n", head.name().c_str(),
                static_cast<long long>(weights.shape()[0]), static_cast<long long>(run.layers(kind)),
                static_cast<long long>(layer.heads()));
    for (const std::string& token : run.query_tokens(kind)) std::printf("%s ", token.c_str());
    std::printf("\n");
    const AttentionStatistics seen = layer.statistics();  // without the N×M matrix
    for (Index h = 0; h < layer.heads(); ++h) {
      std::printf("head %lld: mean entropy %.2f nats\n", static_cast<long long>(h),
                  seen.means.entropy(0, h));
    }
  } catch (const Error& error) {  // every failure says what was got and what was expected
    std::fprintf(stderr, "picture: %s\n", error.what());
    return 1;
  }
}
