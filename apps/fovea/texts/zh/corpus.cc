// fovea corpus.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations corpus() {
  return {
      {"read many texts: their words, and attention over them", "读取大量文本：统计词语，计算注意力"},
      {"ACTION is attend PATH (lower case, split at white space; a vocabulary with <pad> 0, <unk> 1, then "
       "words by falling frequency; random vectors as NumPy's RandomState(S).randn(V, WIDTH); Q = K = V = "
       "the vectors of the first LENGTH words) or vocabulary PATH. PATH is the folder or .tgz of aclImdb or "
       "any other folder or tar of .txt files, a .csv, a .jsonl, a text with a line each, or - for standard "
       "input; gzip and zstd are unpacked on the way.",
       "ACTION 是 attend PATH（转小写，按空白切分；词表中 <pad> 为 0，<unk> 为 1，其余按词频从高到低；"
       "随机词向量与 NumPy 的 RandomState(S).randn(V, WIDTH) 相同；Q = K = V = 前 LENGTH 个词的向量）"
       "或 vocabulary PATH。PATH 是 aclImdb 的文件夹或 .tgz，或其他装有 .txt 文件的文件夹或 tar，"
       "也可以是 .csv、.jsonl、每行一段的文本，或用 - 表示标准输入；gzip 和 zstd 会自动解压。"},
      {"output, weights and ids of 1,000 reviews, and out.png, the heatmap of the first",
       "1000 条影评的输出、权重和编号，以及第一条的热力图 out.png"},
      {"no attention to the filling", "不关注填充的部分"},
      {"all words with their counts", "全部词语及其次数"},
      {"attend PATH or vocabulary PATH", "attend PATH 或 vocabulary PATH"},
      {"attend: words of a text; default: 20", "attend：每段文本取的词数；默认 20"},
      {"attend: width of the vectors; default: 64", "attend：词向量的宽度；默认 64"},
      {"attend: texts at a time; default: 32", "attend：每批的文本数；默认 32"},
      {"attend: seed of the vectors; default: 42", "attend：词向量的随机种子；默认 42"},
      {"attend: hide the filling of short texts", "attend：遮住短文本的填充部分"},
      {"attend: the heatmap of the first text, .png, .svg or .pdf; default: FILE of -o as .png",
       "attend：第一段文本的热力图，.png、.svg 或 .pdf；默认为 -o 的文件名改为 .png"},
      {"leave out rarer words; default: 1", "略去次数更少的词；默认 1"},
      {"at most N words, the most frequent", "最多 N 个词，取最常见的"},
      {"attend: an .npz of output, weights and ids; vocabulary: a line per id, word TAB count",
       "attend：含 output、weights、ids 的 .npz；vocabulary：每个编号一行，词、制表符、次数"},
      {"vocabulary: machine-readable", "vocabulary：供程序读取的 JSON"},
      {"texts       {0}", "文本数      {0}"},
      {"the first   {0}", "第一段      {0}"},
      {"vocabulary  {0}", "词表        {0}"},
      {"output      {0}", "输出        {0}"},
      {"weights     {0}", "权重        {0}"},
      {"words       {0}, {1} distinct", "词          {0}，其中不同的 {1} 个"},
      {"what the corpus is; default: by its name", "语料的格式；默认由名称判断"},
      {"the column of a CSV or member of a JSON object that is the text; default: text, review, sentence or "
       "content",
       "CSV 的哪一列、JSON 对象的哪个成员是文本；默认 text、review、sentence 或 content"},
      {"at most N texts; 0: all (corpus attend: 1000 without this)",
       "最多 N 段文本；0 为全部（corpus attend 不给出时为 1000）"},
      {"stop at the first broken row", "遇到第一条损坏的记录就停止"},
      {"{0} broken rows left out", "略去 {0} 条损坏的记录"},
      {"and {0} more", "另有 {0} 条"},
      {"{0} texts are not UTF-8 everywhere; U+FFFD stands there",
       "{0} 段文本含有非 UTF-8 的字节，已用 U+FFFD 代替"},
      {"{0} texts are empty", "{0} 段文本为空"},
  };
}

}  // namespace fovea::command::zh
