#include "analysis/measure_texts.h"

namespace fovea {
namespace {

const Text kShare = {"0 to 1.", "0 到 1。"};
const Text kByForm = {"Tokens are judged by their form, not by a vocabulary. Needs tokens.",
                      "按词元的写法判断，而不是按词表。需要给出词元。"};

}  // namespace

std::vector<MeasureDefinition> token_definitions() {
  return {
      {"previous_token",
       Measure::previous_token,
       {"previous", "前一个词"},
       both("w(i, p − 1),   p = i + M − N"),
       {"The weight of the token just before, averaged over the rows that see it.",
        "紧邻前一个词元的权重，对能看到它的各行取平均。"},
       kShare,
       {"In cross-attention the position before has no meaning, and the measure does not apply.",
        "在交叉注意力中，“前一个位置”没有意义，因此不适用。"}},
      {"next_token",
       Measure::next_token,
       {"next", "后一个词"},
       both("w(i, p + 1),   p = i + M − N"),
       {"The weight of the token just after, averaged over the rows that see it.",
        "紧邻后一个词元的权重，对能看到它的各行取平均。"},
       kShare,
       {"Under a causal mask no row sees it, and the measure does not apply; without the mask it reads 0.",
        "因果掩码下没有行能看到它，此项不适用；若未给出掩码，则显示为 0。"}},
      {"first_token",
       Measure::first_token,
       {"first", "第一个词"},
       both("w(i, 0)"),
       {"The weight of the first key, averaged over the rows that see it. Many models park attention "
        "there ([CLS], <s>, or simply the first word).",
        "第一个键的权重，对能看到它的各行取平均。许多模型会停在那里（[CLS]、<s>，或者就是第一个词）。"},
       kShare,
       {"Under a causal mask the first row has no other key, and its weight is 1.",
        "因果掩码下，第一行没有别的键可看，其权重必为 1。"}},
      {"special_tokens",
       Measure::special_tokens,
       {"special", "特殊词元"},
       {"Σ_{j special} w(i,j)", "Σ_{j 为特殊词元} w(i,j)"},
       {"The weight of special tokens ([CLS], [SEP], [PAD], <s>, </s>, <|endoftext|>: names in brackets), "
        "averaged over the rows that see something. Unknown tokens ([UNK], <unk>) are words of the text, "
        "and do not count.",
        "特殊词元（[CLS]、[SEP]、[PAD]、<s>、</s>、<|endoftext|> "
        "等带括号的名称）的权重，对能看到键的各行取平均。未知词元（[UNK]、<unk>）是文本中的词，不计入。"},
       kShare,
       kByForm},
      {"punctuation",
       Measure::punctuation,
       {"punctuation", "标点"},
       {"Σ_{j punctuation} w(i,j)", "Σ_{j 为标点} w(i,j)"},
       {"The weight of tokens that consist of punctuation only (after ##, Ġ or ▁; ASCII symbols count), "
        "averaged "
        "over the rows that see something.",
        "只由标点组成的词元（去掉 ##、Ġ、▁ 前缀；ASCII 符号也算）的权重，对能看到键的各行取平均。"},
       kShare,
       {kByForm.en + " Punctuation inside byte-level tokens that were not decoded is not recognised.",
        kByForm.zh + "未解码的字节级词元中的标点无法识别。"}},
      {"same_token",
       Measure::same_token,
       {"same token", "相同词"},
       both("Σ_{j ≠ p, t(j) = t(i)} w(i,j)"),
       {"The weight of the query's own token at other positions, averaged over the rows that see such a "
        "key. Unknown tokens ([UNK], <unk>) never count as the same: each stands for some word that the "
        "model does not know.",
        "与查询相同的词元在其他位置上的权重，对能看到这种键的各行取平均。未知词元（[UNK]、<unk>）与任何词元"
        "都不算相同：每一个代表模型不认识的一个词。"},
       kShare,
       {"Tokens are compared letter by letter: \"the\" and \"Ġthe\" differ. Without a repeated token it "
        "does not "
        "apply. Where the keys are another sequence, position p counts, too. Needs tokens.",
        "词元逐字比较：“the”与“Ġthe”不同。没有重复的词元时不适用。若键来自另一个序列，则位置 p "
        "也计入。需要给出词元。"}},
  };
}

}  // namespace fovea
