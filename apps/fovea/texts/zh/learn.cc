// fovea learn, in Chinese.
#include "texts/zh/texts.h"

namespace fovea::command::zh {

Translations learn() {
  return {
      {"lessons, and exercises that find your mistake", "课程，以及能指出你错在哪里的练习"},
      {"Without words: the path, with what you have done. NAME shows a lesson or a task. start EXERCISE DIR "
       "writes a program to complete, with data. check EXERCISE ANSWER looks at numbers that you typed, at a "
       "file (.json, .npy) or at standard input (-). test EXERCISE -- COMMAND.. runs your program, one "
       "process per input: it reads {\"exercise\", \"inputs\": {\"q\": [[..]], ..}} and writes "
       "{\"output\": [[..]]}, with \"weights\" if it likes, within 4 GB of memory and 16 MB of output. "
       "questions lists the questions, question NAME shows one, question NAME a answers it. checklist, "
       "reading, list, progress and reset (forget what was done) take no further words. Exit codes of check, "
       "test and question: 0 right, 1 wrong, 2 not understood. --browser shows lessons, exercises and "
       "questions as pages, which keep what you have done in the browser.",
       "不带参数时显示学习路线和已完成的部分。NAME 显示一课或一道题。start EXERCISE DIR 写出待补全的程序和数据。"
       "check EXERCISE ANSWER 检查你输入的数、文件（.json、.npy）或标准输入（-）。test EXERCISE -- COMMAND.. "
       "运行你的程序，每组输入启动一个进程：程序读入 {\"exercise\", \"inputs\": {\"q\": [[..]], ..}}，写出 "
       "{\"output\": [[..]]}，也可以加上 \"weights\"；内存不超过 4 GB，输出不超过 16 MB。questions 列出思考题，"
       "question NAME 显示一道，question NAME a 作答。checklist、reading、list、progress 和 reset（忘掉已完成的）"
       "后面不带别的词。check、test 和 question 的退出码：0 正确，1 错误，2 看不懂。--browser 以网页显示课程、练习和"
       "问题，学习记录保存在浏览器里。"},
      {"the same as pages, with numbers to change", "同样的内容，做成网页，数字可以改"},
      {"as pages in your browser; Ctrl-C stops it", "在浏览器中以网页显示；按 Ctrl-C 停止"},
      {"the path", "学习路线"},
      {"an answer of three numbers", "三个数的答案"},
      {"a program to complete", "一个待补全的程序"},
      {"is it right, and if not, why?", "对不对？不对的话错在哪里？"},
      {"a task with two of its three hints", "一道题和三个提示中的两个"},
      {"a lesson or an exercise, or start, check, test, question, questions, checklist, reading, list, "
       "progress, reset",
       "课程或练习的名字，或者 start、check、test、question、questions、checklist、reading、list、progress、reset"},
      {"one step of a lesson", "一课中的一步"},
      {"a lesson: this step alone, counted from 1", "课程：只显示这一步，从 1 开始数"},
      {"show so many hints; default: none", "显示几个提示；默认不显示"},
      {"start: of the program; default: python", "start：程序用什么语言；默认 python"},
      {"test: for each input; default: 10", "test：每组输入的时限；默认 10"},
      {"machine-readable", "供程序读取的 JSON"},
      {"by hand", "手算"},
      {"with code", "编程"},
      {"with a model", "用模型"},
      {"Exercises", "练习"},
      {"Lessons", "课程"},
      {"fovea learn NAME shows a lesson or a task. fovea learn check EXERCISE ANSWER looks at numbers, fovea "
       "learn test EXERCISE -- COMMAND runs a program. fovea learn questions, checklist and reading: the rest.",
       "fovea learn NAME 显示一课或一道题。fovea learn check EXERCISE ANSWER 检查数字，fovea learn test EXERCISE -- "
       "COMMAND 运行程序。其余见 fovea learn questions、checklist 和 reading。"},
      {"What you can do", "你会了什么"},
      {"fovea learn question NAME shows one, fovea learn question NAME a answers it.",
       "fovea learn question NAME 显示一道题，fovea learn question NAME a 作答。"},
      {"Think, then compare: fovea learn question {0} show",
       "先想一想，再对照：fovea learn question {0} show"},
      {"{0} of {1} lessons read", "{1} 课中已读 {0} 课"},
      {"{0} of {1} questions answered", "{1} 道思考题中已答对 {0} 道"},
      {"Hint {0}: {1}", "提示 {0}：{1}"},
      {"Begin:  fovea learn start {0} --language python DIR",
       "开始：fovea learn start {0} --language python DIR"},
      {"Try it: fovea learn test {0} -- python3 DIR/{0}.py",
       "检查：fovea learn test {0} -- python3 DIR/{0}.py"},
      {"Answer: fovea learn check {0} '{1}'", "作答：fovea learn check {0} '{1}'"},
      {"Stuck? fovea learn {0} --hints {1}", "没有思路？fovea learn {0} --hints {1}"},
      {"Right.", "对了。"},
      {"Not yet.", "还不对。"},
      {"Too rough to tell.", "位数太少，无法判断。"},
      {"Its standard error:", "它的标准错误输出："},
      {"Time per input, start of the program included: {0}", "每组输入的用时（含程序启动）：{0}"},
      {"On input {0}: {1}", "第 {0} 组输入：{1}"},
      {"{0} of {1} exercises done", "{1} 个练习中已完成 {0} 个"},
      {"Forgotten: the path begins anew.", "已清空，从头开始。"},
      {"{0} was not found (or the interpreter that its first line names).",
       "找不到 {0}（或它第一行指定的解释器）。"},
      {"{0} cannot be run: {1}.", "{0} 无法运行：{1}。"},
      {"The program did not end within {0} s and was stopped. An endless loop? --timeout gives it longer.",
       "程序在 {0} 秒内没有结束，已被终止。是不是死循环？可用 --timeout 延长时限。"},
      {"The program asked for more than the 4 GB of memory that it may have.",
       "程序申请的内存超过了 4 GB 的上限。"},
      {"The program wrote more than 16 MB and was stopped. Standard output is for the one line with the answer.",
       "程序输出超过 16 MB，已被终止。标准输出只用来写那一行答案。"},
      {"The program crashed: {0}.", "程序崩溃了：{0}。"},
      {"The program crashed: it ended with exit code {0}.", "程序崩溃了：退出码为 {0}。"},
      {"The program wrote nothing to standard output. It should print one line: {0}",
       "程序没有向标准输出写任何内容。应当打印一行：{0}"},
      {"What the program wrote is not the JSON that was asked for. It should print one line, {0}, and everything "
       "else to standard error. What is wrong: {1}",
       "程序写出的不是所要求的 JSON。应当只打印一行 {0}，其余内容写到标准错误。问题在于：{1}"},
      {"Two runs on the same input gave different numbers.", "同样的输入运行两次，结果不一样。"},
  };
}

}  // namespace fovea::command::zh
