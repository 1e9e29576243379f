// fovea attend, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations attend() {
  return {
      {"compute attention from files of q, k, v, or from a model and a text",
       "对文件中的 q、k、v，或对读取文本的模型计算注意力"},
      {"FILE is three files for q, k and v (.npy, or any file with an array of that name), or one .npz or "
       ".safetensors file with the arrays q, k and v. Shapes: q [N, D], k [M, D], v [M, Dv]; [B, N, D]; "
       "[B, H, N, D] (k and v may have fewer heads); or one more batch axis in front. The result holds "
       "`output` and, on request, `weights` and `logsumexp`; it is written completely or not at all. With "
       "--model, FILE is a text, the name of a file, or - for standard input, and a second one makes a "
       "pair (for an encoder-decoder model: the decoder's text). The result then holds `attentions` "
       "[layers, batch, heads, query, key] (encoder-decoder: `encoder_attentions`, `decoder_attentions`, "
       "`cross_attentions`), `ids` and `tokens`.",
       "FILE 是 q、k、v 三个文件（.npy，或含同名数组的文件），或一个含 q、k、v 的 .npz 或 .safetensors。"
       "形状：q [N, D]、k [M, D]、v [M, Dv]；[B, N, D]；[B, H, N, D]（k、v 的头可以更少）；或前面再加一"
       "个批次轴。结果含 `output`，按需含 `weights` 和 `logsumexp`；要么完整写出，要么不留文件。"
       "使用 --model 时，FILE 是一段文本、文件名，或用 - 表示标准输入；第二个与之组成句对（对编码器-解码"
       "器模型则是让它写出的文本）。此时结果含 `attentions` [层, 批次, 头, 查询, 键]（编码器-解码器："
       "`encoder_attentions`、`decoder_attentions`、`cross_attentions`）、`ids` 和 `tokens`。"},
      {"writes the array output", "写出数组 output"},
      {"writes output, weights and logsumexp", "写出 output、weights 和 logsumexp"},
      {"the output alone, as .npy", "仅输出，存为 .npy"},
      {"one long sequence over four processes", "一个长序列，由四个进程分担"},
      {"every layer and head of a model", "一个模型的每一层、每一个头"},
      {"one head, as JSON", "一个头，存为 JSON"},
      {"files of q, k and v, or one file with all three; with --model: texts",
       "q、k、v，或含三者的一个文件；使用 --model 时为文本"},
      {"with --model: only this layer, counted from 0", "模型：只取这一层，从 0 数起"},
      {"with --model: only this head, counted from 0", "模型：只取这一个头，从 0 数起"},
      {".npz or .safetensors; .npy for the output alone; .json with --model",
       ".npz 或 .safetensors；.npy 只存 output；--model 时也可为 .json"},
      {"probability of dropping a weight", "丢弃权重的比例"},
      {"seed of the dropout; default: 0", "dropout 的种子；默认 0"},
      {"bf16: round q, k, v and exponentials to bfloat16, sum in float32; relative error about 0.3 %; "
       "with --model: in all of the model, about 0.5 %; default: float32",
       "bf16：把 q、k、v 和指数值舍入为 bfloat16，用 float32 求和，相对误差约 0.3 %；配合 --model 时整个模型都这样计算，"
       "误差约 0.5 %；默认 float32"},
      {"also write the weights [.., N, M]", "同时写出权重 [.., N, M]"},
      {"also write log Σ exp of the scores [.., N]", "同时写出分数的 log Σ exp [.., N]"},
      {"under mpirun: each process reads and writes its rows of three .npy files and one output; needs a "
       "build with FOVEA_MPI",
       "在 mpirun 下运行：每个进程只读写自己的行，输入为三个 .npy，输出为一个 .npy；构建时须开启 FOVEA_MPI"},
      {"report on standard error which path ran: instruction set, tiles, time",
       "在标准错误上说明所走的路径：指令集、分块、时间"},
      {"print names and shapes of what was written, machine-readable", "打印所写数组的名称与形状（JSON）"},
  };
}

}  // namespace fovea::command::zh
