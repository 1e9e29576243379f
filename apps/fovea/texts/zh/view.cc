// fovea view, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations view() {
  return {
      {"save the explorer with a text's attention as one HTML file",
       "把浏览器网页存为单个文件，内含一段文本的注意力"},
      {"TEXT is a text, the name of a file, or - for standard input (none: the tutorials' examples and the "
       "lessons); a second one makes a pair (for an encoder-decoder model: the decoder's text). The file needs no "
       "server and no network: open it, send it, publish it. It always holds thumbnails and measures of "
       "all heads; weights as float16 up to 128 tokens, as 8 bits up to 512, and none above that. --film "
       "saves a film instead, which shows how attention was learned, --study a study (or two, side by "
       "side). The page is written completely or not at all.",
       "TEXT 是一段文本、文件名，或用 - 表示标准输入（不给则含教程示例和课程）；第二个与之组成句对（对编码器"
       "-解码器模型则是让它写出的文本）。该文件不需要服务器或网络：可直接打开、发送或放到网页上。"
       "所有头的缩略图和度量总在其中；权重在 128 个词元以内存为 float16，512 个以内存为 8 位，更长则不"
       "含。--film 则改为放入一段影片，展示注意力是怎样学会的；--study 放入一份统计（或并排两份）。网页要么完整写出，要么不留文件。"},
      {"one file to open in the browser", "可在浏览器中打开的单个文件"},
      {"lessons and exercises in one file, for a class", "课程和练习存成一个文件，供上课使用"},
      {"with every step of two heads", "并含两个头的每一步"},
      {"how attention was learned, step by step", "逐步展示注意力是怎样学会的"},
      {"a film recorded by fovea train", "训练模型时拍下的影片"},
      {"texts, files, or -; none: examples and lessons", "文本、文件或 -；不给则含教程示例和课程"},
      {"the page to write: .html", "网页文件：.html"},
      {"heads to include with all steps, as LAYER.HEAD; default: 0.0",
       "写入每一步的头，以 层.头 表示；默认 0.0"},
      {"weights left out: the text is longer than 512 tokens", "文本超过 512 个词元，不含权重"},
      {"float16", "float16"},
      {"8-bit", "8 位"},
      {"weights as {0}, largest error {1:.2g}", "权重存为 {0}，最大误差 {1:.2g}"},
  };
}

}  // namespace fovea::command::zh
