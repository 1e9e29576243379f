#include "train/coreference_grammar.h"

#include <algorithm>
#include <map>

namespace fovea {
namespace {

using Words = std::vector<std::string>;

const Words& names() {
  static const Words kNames = {
      "小明", "小刚", "小强", "小军", "小龙", "小虎", "小勇", "小伟", "小杰", "小涛",  // men
      "小峰", "小斌", "建国", "志强", "大伟", "国栋", "俊杰", "浩然", "子轩", "家豪",  //
      "小红", "小丽", "小芳", "小花", "小娟", "小梅", "小兰", "小燕", "小玲", "小霞",  // women
      "小莉", "小娜", "小美", "秀英", "美玲", "丽华", "淑芬", "雨婷", "思琪", "婉清"};
  return kNames;
}

// What an upper-case letter of a pattern stands for. A, B are the people, P is the pronoun.
const std::map<std::string, Words>& classes() {
  static const std::map<std::string, Words> kClasses = {
      {"O", {"苹果", "书",   "铅笔", "雨伞", "钥匙", "手机", "礼物", "蛋糕", "牛奶", "足球", "帽子", "手表",
             "照片", "杂志", "词典", "风筝", "相机", "水杯", "面包", "玩具", "地图", "钱包", "糖果", "信"}},
      {"T", {"给", "送给", "借给", "还给", "交给", "递给", "卖给", "寄给"}},  // hands over
      {"G", {"买", "拿", "带", "挑"}},                                        // gets for somebody
      {"M", {"遇见", "看见", "找到", "拦住"}},                                // meets
      {"S", {"感谢", "帮助", "表扬", "批评", "邀请", "安慰", "提醒", "称赞"}},
      {"R", {"拿走", "弄丢", "修好", "弄坏"}},
      {"L", {"公园", "学校", "车站", "图书馆", "教室", "商店", "医院", "机场"}},
      {"W", {"昨天", "今天", "早上", "晚上", "上周", "周末", "刚才", "中午"}},
      {"C", {"所以", "后来", "结果", "于是"}},
      {"D", {"很", "非常", "有点", "特别"}},
      {"F", {"开心", "难过", "生气", "惊讶", "满意", "感动", "着急", "放心"}},
      {"X", {"笑", "哭", "走", "回家"}},
      {"K", {"老师", "妈妈", "爸爸", "大家", "医生", "邻居"}}};
  return kClasses;
}

// A comes first in all of them, but who gives and who gets, who acts and who is acted upon, and how far
// they are apart changes.
const Words& events() {
  static const Words kEvents = {"A 把 O T 了 B",    "A 给 B G 了 O",       "A 在 L M 了 B",
                                "A 和 B 在 L 聊天", "A 和 B 一起 去 了 L", "A 被 B S 了",
                                "A S 了 B",         "A 向 B 借 了 O",      "A 的 O 被 B R 了",
                                "A 比 B 先 到 L",   "这个 O 是 A T B 的",  "在 L A S 了 B"};
  return kEvents;
}

// What is said of the pronoun: subject, object, or whose.
const Words& tails() {
  static const Words kTails = {"P D F",      "P D F",      "P X 了",      "K S 了 P", "K 给 P 打 了 电话",
                               "K D 喜欢 P", "P 的 K D F", "K 知道 P D F"};
  return kTails;
}

const Words& closings() {
  static const Words kClosings = {"大家 都 知道", "真 没想到", "天 黑 了"};
  return kClosings;
}

Words split(const std::string& pattern) {
  Words parts(1);
  for (const char c : pattern) {
    if (c == ' ') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool is_slot(const std::string& part) { return part.size() == 1 && part[0] >= 'A' && part[0] <= 'Z'; }

// Names, pronouns, marks, then every other word in the order in which the tables have them.
Words all_words() {
  Words words = names();
  const auto add = [&](const std::string& word) {
    if (!is_slot(word) && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  };
  for (const char* word : {"他", "她", "，", "。", "因为", "听说"}) add(word);
  for (const auto& [letter, list] : classes()) std::for_each(list.begin(), list.end(), add);
  for (const Words* patterns : {&events(), &tails(), &closings()}) {
    for (const std::string& pattern : *patterns) {
      for (const std::string& part : split(pattern)) add(part);
    }
  }
  return words;
}

Index id_of(const std::string& word) {
  static const std::map<std::string, Index> kIds = [] {
    std::map<std::string, Index> ids;
    for (const std::string& each : coreference_words()) ids.emplace(each, static_cast<Index>(ids.size()));
    return ids;
  }();
  return kIds.at(word);
}

const std::string& drawn(const Words& words, Random& random) {
  return words[static_cast<std::size_t>(random.below(static_cast<Index>(words.size())))];
}

// The order of the parts: the event first or last, a time, a connection, a closing, or none of them.
std::string draw_pattern(Random& random) {
  const std::string time = random.below(2) == 0 ? "W " : "";
  const std::string event = time + drawn(events(), random), tail = drawn(tails(), random);
  std::string pattern;
  const Index order = random.below(4);
  if (order == 0) {
    pattern = tail + " ， 因为 " + event;
  } else if (order == 1) {
    pattern = "听说 " + tail + " ， " + event;
  } else {
    pattern = event + (random.below(2) == 0 ? " ， C " : " ， ") + tail;
  }
  if (random.below(4) == 0) pattern += " ， " + drawn(closings(), random);
  return pattern + " 。";
}

}  // namespace

const std::vector<std::string>& coreference_words() {
  static const Words kWords = all_words();
  return kWords;
}

std::string coreference_text(const std::vector<Index>& ids) {
  std::string text;
  for (const Index id : ids) text += coreference_words()[static_cast<std::size_t>(id)];
  return text;
}

CoreferenceSentence draw_sentence(const CoreferenceRoles& roles, Random& random) {
  CoreferenceSentence sentence;
  for (const std::string& part : split(draw_pattern(random))) {
    const auto place = static_cast<Index>(sentence.ids.size());
    if (part == "A" || part == "B") {
      ((part == "A") == roles.is_a ? sentence.right : sentence.other) = place;
      sentence.ids.push_back(part == "A" ? roles.a : roles.b);
    } else if (part == "P") {
      sentence.pronoun = place;
      sentence.ids.push_back(id_of(is_woman(roles.is_a ? roles.a : roles.b) ? "她" : "他"));
    } else {
      sentence.ids.push_back(id_of(is_slot(part) ? drawn(classes().at(part), random) : part));
    }
  }
  sentence.text = coreference_text(sentence.ids);
  return sentence;
}

}  // namespace fovea
