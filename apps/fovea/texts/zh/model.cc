// fovea model, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations model() {
  return {
      {"download, list, describe and check models", "获取、列出、查看和检查模型"},
      {"ACTION is list; get NAME (download by npm, verify, store in the cache folder); info M (describe a "
       "model); or check M (load all of it and run it on a few words). M is a name or the folder of a "
       "model as downloaded: config.json with .safetensors files and a tokenizer, or llama2.c's model.bin "
       "with tokenizer.bin.",
       "ACTION 为 list；get NAME（通过 npm 获取，校验后放入缓存文件夹）；info M（模型的构成）；或 check "
       "M（完整加载并运行几个词）。M 是名称，或下载的模型文件夹：config.json、.safetensors 文件和分词"
       "器，或 llama2.c 的 model.bin 与 tokenizer.bin。"},
      {"a small BERT, 42 MB", "一个小型 BERT，42 MB"},
      {"its path and sizes, machine-readable", "它的路径与尺寸，供程序读取"},
      {"is everything there?", "文件是否齐全？"},
      {"get NAME, list, info M or check M", "get NAME、list、info M 或 check M"},
      {"list and info: machine-readable", "供程序读取的 JSON：list 与 info"},
      {"installed", "已安装"},
      {"not installed", "未安装"},
      {"our own: BERT, 2 layers of 4 heads, tells who 他 or 她 is",
       "自己训练的：BERT，2 层，每层 4 个头，说出“他”或“她”是谁"},
      {"our own: BART, 2 + 2 layers of 4 heads, translates short English sentences into Chinese",
       "自己训练的：BART，编码器和解码器各 2 层，每层 4 个头，把简短的英语句子译成中文"},
      {"our own: Llama, 2 layers of 4 heads, predicts words that repeat",
       "自己训练的：Llama，2 层，每层 4 个头，预测重复出现的词"},
      {"our own: GPT-2, 2 layers of 2 heads, sorts eight digits",
       "自己训练的：GPT-2，2 层，每层 2 个头，给八个数字排序"},
      {"name", "名称"},
      {"folder", "文件夹"},
      {"family", "类别"},
      {"layers", "层数"},
      {"heads", "头数"},
      {"width", "宽度"},
      {"vocabulary", "词表"},
      {"longest text", "最长文本"},
      {"parameters", "参数量"},
      {"a model: its folder, or a name from fovea model list",
       "模型：其文件夹，或 fovea model list 中的名称"},
      {"keep the model's weights as float32, float16, bfloat16 (half the memory) or int8 (a quarter); "
       "default: float32",
       "模型权重以何种类型存放：float32、float16、bfloat16（内存减半）或 int8（四分之一）；默认 float32"},
      {"bf16: compute the model with factors rounded to bfloat16, summed in float32 (fovea info tells "
       "by what); relative error about 0.5 %; default: float32",
       "bf16：模型计算时乘数先舍入为 bfloat16，用 float32 求和（用什么指令计算，见 fovea info），相对误差约 0.5 %；默认 float32"},
      {"all-MiniLM-L6-v2: BERT, 6 layers of 12 heads, English sentences (42 MB)",
       "all-MiniLM-L6-v2：BERT，6 层 × 12 头，英文句子（42 MB）"},
      {"TinyStories 15M: Llama, 6 layers of 6 heads, writes children's stories (112 MB download, 61 MB on "
       "disk)",
       "TinyStories 15M：Llama，6 层 × 6 头，会写童话（下载 112 MB，保留 61 MB）"},
      {"{0}: all tensors fit, {1} parameters, {2} tokens; a test run gives finite values",
       "{0}：张量齐全，{1} 个参数，{2} 个词元；运行结果正常"},
      {"{0} × {1}, {2} key heads", "{0} × {1}，{2} 个键头"},
  };
}

}  // namespace fovea::command::zh
