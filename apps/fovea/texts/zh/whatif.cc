// fovea predict, whatif and sweep, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations whatif() {
  return {
      {"what a model predicts: the most likely tokens, or the similarity of two texts",
       "模型的预测：概率最大的词元，或两段文本的相似度"},
      {"TEXT is a text, the name of a file, or - for standard input. Decoders predict the next token, by "
       "default after the last one; BERT with its masked-language layer predicts every [MASK]; an "
       "encoder-decoder model reads the first text and predicts what comes after the second one, or its "
       "own first token. Encoders without an output layer, such as MiniLM, make one vector of a text, the "
       "mean over its tokens, and the cosine tells how similar two texts are.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入。解码器预测下一个词元，默认在最后一个词元之后；带掩码"
       "语言层的 BERT 预测每个 [MASK]；编码器-解码器模型读第一段文本，预测第二段之后的词元，没有第二段时预"
       "测自己写的第一个词元。MiniLM 这类没有输出层的编码器把文本变成一个向量（各词元的平均），余弦表示两段"
       "文本有多相似。"},
      {"the most likely next tokens", "概率最大的下一个词元"},
      {"the same after every token", "在每个词元之后都预测一次"},
      {"a masked token", "被遮住的词元"},
      {"how similar two texts are", "两段文本有多相似"},
      {"positions or tokens, separated by commas, or all; default: the last, of BERT every [MASK]",
       "位置或词元，用逗号分隔，或 all；默认最后一个，BERT 为每个 [MASK]"},
      {"how many tokens to list; default: 10", "列出多少个词元；默认 10"},
      {"what each layer would predict", "每一层会预测什么"},
      {"what each head and feed-forward layer adds to a logit", "每个头、每个前馈层给某个 logit 加了多少"},
      {"how many tokens, or parts, to list; default: 10, with --lens 3",
       "列出多少个词元或部分；默认 10，--lens 时为 3"},
      {"logit lens: what each layer would predict if it were the last, and how likely the token is that is "
       "predicted in the end (or --token)",
       "logit 透镜：如果这一层就是最后一层，会预测什么；以及最终预测的词元（或 --token）在各层的概率"},
      {"what embeddings, heads and feed-forward layers add to the logit of the token that is predicted (or "
       "--token), and the norm of what they add to the stream; for models whose norms come first: GPT-2, "
       "Llama, T5, mBART",
       "嵌入、各个头和前馈层给所预测词元（或 --token）的 logit 加了多少，以及它们加到残差流上的向量的范数；"
       "适用于先做归一化的模型：GPT-2、Llama、T5、mBART"},
      {"with --lens or --attribution: this token; \" he\" has a space before it",
       "与 --lens 或 --attribution 同用：指定词元；\" he\" 前面带空格"},
      {"most likely", "最可能"},
      {"logit of {0}: {1}", "{0} 的 logit：{1}"},
      {"embeddings", "嵌入"},
      {"{0} attention bias", "{0} 注意力偏置"},
      {"{0} feed-forward", "{0} 前馈层"},
      {"output bias", "输出偏置"},
      {"part", "部分"},
      {"adds", "贡献"},
      {"norm", "范数"},
      {"{0} others", "其余 {0} 项"},
      {"sum", "合计"},
      {"after {0} (position {1})", "在 {0} 之后（位置 {1}）"},
      {"at {0} (position {1})", "在 {0} 处（位置 {1}）"},
      {"logit", "logit"},
      {"probability", "概率"},
      {"cosine of the two texts: {0}", "两段文本的余弦：{0}"},
      {"a vector of {0} numbers: {1}…", "{0} 维向量：{1}…"},
      {"give a second text to compare; --json prints all numbers",
       "再给一段文本即可比较；--json 输出全部数值"},
      {"switch heads off, hide edges, patch activations: what the model predicts then",
       "关掉某些头、隐藏某些边、替换激活：模型会改为预测什么"},
      {"TEXT is a text, the name of a file, or - for standard input. Heads are L2H3 (layer and head, "
       "counted from 0), L4H* (all of a layer), of an encoder-decoder model enc.L2H3, dec.L2H3 or "
       "cross.L2H3. Edges are HEADS:QUERY->KEY, by token or position. Activations are L2.resid_post, "
       "L2H3.v or, as in TransformerLens, blocks.2.attn.hook_v; @ names the positions. Everything after a "
       "change is computed again, nothing is approximated. Encoders without an output layer show how far "
       "their sentence vector moved.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入。头写作 L2H3（层和头，从 0 起）、L4H*（一层的全部"
       "头）；编码器-解码器模型写 enc.L2H3、dec.L2H3 或 cross.L2H3。边写作 HEADS:QUERY->KEY，用词元或"
       "位置。激活写作 L2.resid_post、L2H3.v，或按 TransformerLens 的写法 blocks.2.attn.hook_v；@ 后面"
       "是位置。改动之后的一切都重新计算，没有近似。没有输出层的编码器显示句向量变了多少。"},
      {"without one head, and without a whole layer of heads", "去掉一个头，再去掉一整层的头"},
      {"nobody sees one token", "谁也看不见某个词元"},
      {"one token's stream, taken from another text of as many tokens",
       "一个词元的残差流，取自词元数相同的另一段文本"},
      {"how far the vector of a text moves", "文本的向量变了多少"},
      {"these heads give nothing: L2H3,L4H*", "这些头的输出置零：L2H3,L4H*"},
      {"these heads give at every position the mean of what they give",
       "这些头在每个位置都输出它们的平均值"},
      {"what these heads give is multiplied: L2H3=0.5", "这些头的输出乘以一个数：L2H3=0.5"},
      {"these queries do not see these keys: 'L3H*:sat->cat', 'L1H0:*->2'",
       "这些查询看不见这些键：'L3H*:sat->cat'、'L1H0:*->2'"},
      {"an activation is taken from the run of --patch-from: L2.resid_post@5, blocks.2.attn.hook_v@cat",
       "激活取自 --patch-from 的运行：L2.resid_post@5、blocks.2.attn.hook_v@cat"},
      {"the text of that run, as many tokens long; of a pair, twice",
       "那次运行的文本，词元数须相同；文本对则给两次"},
      {"cosine of the text's vector before and after: {0}", "改动前后文本向量的余弦：{0}"},
      {"KL divergence: {0} nats", "KL 散度：{0} 奈特"},
      {"before", "之前"},
      {"after", "之后"},
      {"difference", "差"},
      {"logits that moved most", "变化最大的 logit"},
      {"switch off every head in turn: which ones matter", "逐个关掉每个头：哪些头重要"},
      {"TEXT is a text, the name of a file, or - for standard input. The metric is a number of the run: "
       "kl (how far the prediction moves), loss (how badly a decoder predicts the text from --position on, in "
       "nats per token), logit( he) - logit( she) (the space belongs to the token; each "
       "must be one token), logit( cat), or cosine (how far the vector of the text moves). --over heads "
       "ablates one head after the other; --over positions replaces the stream before each layer, one "
       "position at a time, by that of --patch-from, a text of as many tokens. Only the layers after the "
       "change are computed again, in causal models only the positions after it.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入。指标是运行的一个数：kl（预测变了多少）、loss（解码器从 --position "
       "起预测这段文本有多差，每词元奈特数）、"
       "logit( he) - logit( she)（空格属于词元；每个都必须正好是一个词元）、logit( cat)，或 cosine（文本向量"
       "变了多少）。--over heads 依次去掉每个头；--over positions 把每层之前的残差流，一次一个位置，换成 "
       "--patch-from 那段词元数相同的文本的。只重新计算改动之后的层，因果模型只重新计算改动之后的位置。"},
      {"which heads decide between two words", "哪些头决定选哪个词"},
      {"a picture by layer and head", "按层和头画图"},
      {"which positions carry the difference of two texts", "两段文本的差别在哪些位置上"},
      {"kl, loss, cosine, logit(TOKEN), or logit(TOKEN) - logit(TOKEN); default: kl, without an output layer "
       "cosine",
       "kl、loss、cosine、logit(词元) 或 logit(词元) - logit(词元)；默认 kl，没有输出层时为 cosine"},
      {"what is changed in turn; default: heads", "依次改动什么；默认 heads"},
      {"a head gives nothing, or its mean over the positions; default: zero",
       "头的输出置零，或取各位置的平均；默认 zero"},
      {"where logits are measured; default: the last position, for loss the first",
       "在哪个位置测量 logit；默认最后一个，loss 为第一个"},
      {"loss over {0} tokens: {1} before, {2} after, in nats per token",
       "{0} 个词元的损失：之前 {1}，之后 {2}（每词元奈特数）"},
      {"save to .npz, or as a picture: .png, .svg, .pdf", "保存为 .npz，或图片：.png、.svg、.pdf"},
      {"change of {0}", "{0} 的变化"},
      {"Each head ablated", "依次去掉每个头"},
      {"Each position patched", "依次替换每个位置"},
      {"{0} of the unchanged run: {1}", "未改动时的 {0}：{1}"},
      {"layer and token", "层和词元"},
      {"layer", "层"},
      {"position", "位置"},
      {"change", "变化"},
  };
}

}  // namespace fovea::command::zh
