// fovea serve, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations serve() {
  return {
      {"start the explorer: models' attention in your browser", "浏览器：在网页中查看模型的注意力"},
      {"Serves a page on this machine that runs models on your texts and shows every head, step and "
       "number. TEXT (a text, the name of a file, or - for standard input; a second one makes a pair) is "
       "loaded first. The page opens in the browser; without a display its address is printed. The server "
       "is reachable from this machine only, unless --host gives another address; then anyone who can "
       "reach that address can use it. --film shows how attention was learned, --study what every head does "
       "over a corpus (two of them: side by side). Ctrl-C stops it.",
       "在本机提供一个网页：模型读取您的文本，每个头、每一步、每个数都可查看。"
       "TEXT（一段文本、文件名，或用 - 表示标准输入；第二个与之组成句对）会立即读取。"
       "网页在浏览器中打开；没有图形界面时打印其地址。"
       "除非用 --host 指定本机的其他地址，服务器只回应本机；否则凡能访问该地址的人都可使用。"
       "--film 展示注意力是怎样学会的，--study 展示每个头在整个语料上做什么（给两个则并排对比）。按 Ctrl-C "
       "结束。"},
      {"the installed models, and the tutorials' examples", "已有的模型和教程示例"},
      {"opened on a text", "并读取第一段文本"},
      {"what every head does over thousands of texts", "每个头在数千篇文本上做什么"},
      {"a study made by fovea study; twice: side by side", "fovea study 写出的统计文件；给两次则并排对比"},
      {"prints {\"url\": ..} on standard output", "供程序使用：标准输出为 {\"url\": ..}"},
      {"texts, files, or -", "文本、文件或 -"},
      {"address to listen on, 0.0.0.0: all of them; default: 127.0.0.1",
       "监听本机的这个地址，0.0.0.0 表示所有地址；默认 127.0.0.1"},
      {"0: any free port; default: 7373, or the next free one",
       "0 表示任意空闲端口；默认 7373 或其后第一个空闲端口"},
      {"only print the address", "只给出地址，不打开浏览器"},
      {"print the address as JSON", "以 JSON 给出地址，供程序读取"},
      {"Warning: anyone on the network can use this explorer, read its texts and run its models",
       "警告：网络中的任何人都能使用这个浏览器，查看其中的文本并运行模型"},
      {"Others can reach it at {0}", "其他人可通过以下地址访问：{0}"},
      {"The explorer is at {0} and opens in your browser; Ctrl-C stops it",
       "浏览器地址： {0} （已在浏览器中打开；按 Ctrl-C 结束）"},
      {"The explorer is at {0}; Ctrl-C stops it", "浏览器地址： {0} （按 Ctrl-C 结束）"},
  };
}

}  // namespace fovea::command::zh
