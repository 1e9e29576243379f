// fovea study.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations study() {
  return {
      {"measure every head of a model over a corpus", "在整个语料上测量模型的每个注意力头"},
      {"WHAT is a corpus (as in fovea corpus), which is studied with --model and written to -o; merge FILE "
       "..; show FILE; or atlas FILE (a document about every head). For each head: every measure with mean, "
       "deviation and quantiles, by position and kind of token; weight by distance; tokens that receive "
       "most; strongest places; roles and the share of texts in which they hold; similarity of heads. "
       "Stopped or killed, the same command goes on where it was. A study has the same bits in any order "
       "of texts, on any number of threads and merged from any shards.",
       "WHAT 是语料（与 fovea corpus 相同），用 --model 指定的模型研究，结果写入 -o；"
       "或 merge FILE ..；show FILE；atlas FILE（介绍每个头的文档）。"
       "每个头给出：各项度量的均值、标准差和分位数，并按位置和词元种类分列；按距离的权重；"
       "得到关注最多的词元；最强的位置；各种角色及其成立的文本比例；头与头的相似度。"
       "中断或被杀死后，再次运行同一命令会从原处继续。"
       "无论文本顺序、线程数、分片数如何，结果逐位相同。"},
      {"study a model", "研究一个模型"},
      {"a third of it, for one of three machines", "三分之一，分给三台机器中的一台"},
      {"the same bits as in one go", "与一次完成逐位相同"},
      {"all that is known of one head", "关于某个头的全部结果"},
      {"which heads are alike", "哪些头相似"},
      {"a corpus; merge, show or atlas with files", "语料；或 merge、show、atlas 及文件"},
      {"the study, a .safetensors file; show: a picture; atlas: a .md file",
       "研究结果，.safetensors 文件；show：图片；atlas：.md 文件"},
      {"tokens read of each text; default: 128", "每段文本读取的词元数；默认 128"},
      {"rows of each text that are compared between all heads; default: 2",
       "每段文本中在所有头之间比较的行数；默认 2"},
      {"only every N-th text, beginning with the I-th", "只取每 N 段中的第 I 段"},
      {"do not go on from where it was stopped", "不从中断处继续，重新开始"},
      {"how often to note how far it is; default: 60", "每隔多少秒记录一次进度；默认 60"},
      {"show: one head, as in L2H3", "show：某个头，如 L2H3"},
      {"show: a picture, with -o in a file", "show：图片，给出 -o 时写入文件"},
      {"show: the measure of the picture; default: entropy", "show：图片所示的度量；默认 entropy"},
      {"show: machine-readable", "show：供程序读取的 JSON"},
      {"text {0} of {1}, {2:.1f} texts/s, {3} left", "第 {0} 段，共 {1} 段，每秒 {2:.1f} 段，还需 {3}"},
      {"text {0}, {1:.1f} texts/s", "第 {0} 段，每秒 {1:.1f} 段"},
      {"{0} texts in {1:.1f} s, {2:.1f} texts/s → {3}",
       "{0} 段文本，用时 {1:.1f} 秒，每秒 {2:.1f} 段 → {3}"},
      {"the same command goes on from here", "再次运行同一命令即可从这里继续"},
      {"measure", "度量"},
      {"deviation", "标准差"},
      {"measure, by kind of query", "度量，按查询词元的种类"},
      {"of all weight", "占全部权重"},
      {"per occurrence", "平均每次"},
      {"occurrences", "出现次数"},
      {"model", "模型"},
      {"corpus", "语料"},
      {"texts", "文本"},
      {"tokens", "词元"},
      {"left out", "略去"},
      {"shard", "分片"},
      {"{0}, {1} layers × {2} heads", "{0}，{1} 层 × {2} 头"},
      {"{0}, of at most {1} tokens; {2} were longer", "{0} 段，每段最多 {1} 个词元；{2} 段更长"},
      {"numbers", "数值"},
      {"weights {0}, products {1}", "权重 {0}，乘积 {1}"},
      {"{0}, {1} unknown", "{0} 个，其中未知 {1} 个"},
      {"{0} without tokens, {1} broken; {2} repaired", "无词元 {0} 段，损坏 {1} 条；修复 {2} 段"},
      {"head", "头"},
      {"role in most texts", "多数文本中的角色"},
      {"entropy", "熵"},
      {"distance", "距离"},
      {"previous", "前一个"},
      {"next", "后一个"},
      {"own", "自身"},
      {"special", "特殊"},
      {"punctuation", "标点"},
      {"roles, by the share of texts in which they hold: {0}", "角色及其成立的文本比例：{0}"},
      {"mean weight by distance (− before the query)", "按距离的平均权重（− 表示在查询之前）"},
      {"tokens that receive most", "得到关注最多的词元"},
      {"who looks at whom most, without special tokens (approximate)", "谁最关注谁，不计特殊词元（近似）"},
      {"strongest places: «query» and [key]", "最强的位置：«查询» 与 [键]"},
      {"Mean weight by distance", "按距离的平均权重"},
      {"Tokens after the query (− before)", "在查询之后的词元数（− 表示之前）"},
      {"{0} by position", "按位置的 {0}"},
      {"Position of the query", "查询的位置"},
      {"How differently heads look (Jensen–Shannon divergence)", "各头关注的差异（JS 散度）"},
      {"nats; dark: alike", "奈特；越暗越相似"},
      {"{0}, mean over {1} texts", "{0}，{1} 段文本的均值"},
      {"The heads of {0}", "{0} 的注意力头"},
      {"{0} layers × {1} heads over {2} texts of {3} ({4} tokens; of each text at most the first {5}). Made "
       "by:",
       "{0} 层 × {1} 头，{3} 的 {2} 段文本（共 {4} 个词元，每段最多取前 {5} 个）。生成命令："},
      {"Layer {0}", "第 {0} 层"},
      {"What this does not tell", "这里说明不了什么"},
      {"A weight says where a head looked, not what that changed: the value that it fetched may be small, and "
       "later layers may ignore it. A head that rests on [SEP] or on punctuation often does nothing there at "
       "all. None of this is about causes; switching a head off would be.",
       "权重说明一个头看向哪里，而不说明这带来了什么变化：取来的值可能很小，后面的层也可能不用它。"
       "停留在 [SEP] 或标点上的头往往什么也没做。这里的一切都不涉及因果；要谈因果，须把头关掉再看。"},
      {"A role is a rule with a threshold (fovea analyze --explain role), tried on each text alone. Where it "
       "holds in nearly all texts, it describes the head; where it holds in half of them, the head lies near "
       "the threshold or does different things, and the numbers say more than the name. Another corpus, other "
       "lengths or another language may show another side of a head.",
       "角色是带阈值的规则（fovea analyze --explain role），逐段文本判断。几乎处处成立时，它描述了这个头；"
       "只在半数文本中成立时，说明这个头接近阈值或做着不同的事，数字比名称更能说明问题。"
       "换一份语料、换个长度或换种语言，可能会看到这个头的另一面。"},
      {"Numbers are means over tokens (rows); in brackets where the middle 90 % of the tokens lie. "
       "\"Beside itself most at +3 (0.089)\": of all pairs of tokens up to 16 apart, those where the key comes "
       "three tokens after the query have the largest mean weight. Tokens that receive most are also the "
       "frequent ones: a head that looks everywhere alike has them, too. Heads are compared by the "
       "Jensen–Shannon divergence of a few rows of each text: 0 alike, 0.69 nothing in common.",
       "数字是对词元（行）的均值，括号内是中间 90 % 的词元所在的范围。“自身之外最多在 +3（0.089）”"
       "指在相距不超过 16 的词元对中，键在查询之后第三个位置的平均权重最大。"
       "得到关注最多的词元也往往是常见词元：均匀看向各处的头同样如此。"
       "头与头用每段文本中几行的 JS 散度比较：0 为相同，0.69 为毫无共同之处。"},
      {"entropy, of ln n", "熵（占 ln n）"},
      {"same token", "相同词元"},
      {"most on {0}: {1} ({2} – {3})", "最多在 {0}：{1}（{2} – {3}）"},
      {"; most like {0} ({1:.2f})", "；最像 {0}（{1:.2f}）"},
      {"; beside itself most at {0:+} ({1:.3f})", "；自身之外最多在 {0:+}（{1:.3f}）"},
      {"- **{0}** {1}; {2}{3}; receives most: {4}{5}.", "- **{0}** {1}；{2}{3}；得到最多的是 {4}{5}。"},
  };
}

}  // namespace fovea::command::zh
