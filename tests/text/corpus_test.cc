// Corpora: formats, order, broken rows, packed files.
#include "fovea/corpus.h"

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "fovea/vocabulary.h"
#include "io/tar_reader.h"
#include "support/message_of.h"
#include "support/outside_files.h"
#include "support/temporary_directory.h"

namespace fovea {
namespace {

using testing::message_of;

std::string put(const TemporaryDirectory& directory, const std::string& name, const std::string& bytes) {
  std::filesystem::create_directories(std::filesystem::path(directory.file(name)).parent_path());
  std::ofstream(directory.file(name), std::ios::binary) << bytes;
  return directory.file(name);
}

std::vector<std::string> texts_of(Corpus corpus) {
  std::vector<std::string> texts;
  for (CorpusText text; corpus.next(text);) texts.push_back(text.text);
  return texts;
}

std::vector<std::string> names_in(Corpus corpus) {
  std::vector<std::string> names;
  for (CorpusText text; corpus.next(text);) names.push_back(text.name);
  return names;
}

CorpusCounts counts_of(Corpus corpus) {
  for (CorpusText text; corpus.next(text);) {
  }
  return corpus.counts();
}

using Texts = std::vector<std::string>;

std::string gzipped(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(bytes.size() + 1000, '\0');
  std::string input = bytes;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd_packed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

// `size` is the field of 12 bytes, `prefix` what ustar puts before the name.
std::string tar_header(const std::string& name, const std::string& size, char type,
                       const std::string& prefix = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  block.replace(124, size.size(), size);
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(263, 2, "00");
  block.replace(345, prefix.size(), prefix);
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  char text[9];
  std::snprintf(text, sizeof text, "%06o", sum);
  return block.replace(148, 7, text, 7);
}

std::string octal(std::size_t size) {
  char digits[13];
  std::snprintf(digits, sizeof digits, "%011zo", size);
  return digits;
}

std::string tar_member(const std::string& name, const std::string& content, char type = '0',
                       const std::string& prefix = "") {
  std::string block = tar_header(name, octal(content.size()), type, prefix) + content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

TEST(Corpus, lines_of_a_text) {
  const TemporaryDirectory directory;
  const std::string path = put(directory, "a.txt", "\xef\xbb\xbfone\r\ntwo\n\nfour");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"one", "two", "", "four"}));
  EXPECT_EQ(counts_of(Corpus(path)).empty, 1);
  EXPECT_EQ(texts_of(Corpus(path, {.limit = 2})), (Texts{"one", "two"}));
  EXPECT_EQ(names_in(Corpus(path)).back(), "line 4");
}

TEST(Corpus, csv_as_rfc_4180_has_it) {
  const TemporaryDirectory directory;
  const std::string path =
      put(directory, "a.csv", "id,review\r\n1,\"a, \"\"b\"\"\r\nc\"\r\n2,\r\n\r\n3,plain\n4,\"\"");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"a, \"b\"\r\nc", "", "plain", ""}));
  EXPECT_EQ(texts_of(Corpus(path, {.field = "id"})), (Texts{"1", "2", "3", "4"}));
  EXPECT_EQ(counts_of(Corpus(path)).broken, 0);  // a line without anything is no row
  const std::string twice = put(directory, "b.csv", "text,text\na,b\n");
  EXPECT_EQ(message_of([&] { Corpus corpus(twice); }),
            "[corpus] " + twice + ": has the column \"text\" twice");
  EXPECT_EQ(message_of([&] { Corpus(path, {.field = "stars"}); }),
            "[corpus] " + path + ": has no column \"stars\"; it has \"id\", \"review\"");
}

TEST(Corpus, broken_rows_of_a_csv_cost_their_first_line_only) {
  const TemporaryDirectory directory;
  const std::string path = put(
      directory, "a.csv", "text,stars\ngood,5\n\"open,1\nnext,2\nmore,3,4\n\"x\"y,1\nla\"st,1\nend,9\n");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"good", "next", "end"}));
  const CorpusCounts counts = counts_of(Corpus(path));
  EXPECT_EQ(counts.broken, 4);
  ASSERT_EQ(counts.listed.size(), 4u);
  EXPECT_EQ(counts.listed[0].row, 2);
  EXPECT_EQ(counts.listed[0].why, "row 2: line 3: text after the closing quote of a field");
  EXPECT_EQ(counts.listed[1].why, "row 4: line 5: 3 fields, expected 2");
  EXPECT_EQ(message_of([&] { texts_of(Corpus(path, {.strict = true})); }),
            "[corpus] " + path + ": row 2: line 3: text after the closing quote of a field");
}

TEST(Corpus, a_quote_that_never_ends) {
  const TemporaryDirectory directory;
  const std::string path = put(directory, "a.csv", "text\n\"open\nb\nc\n");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"b", "c"}));
  EXPECT_EQ(counts_of(Corpus(path)).listed.front().why, "row 1: line 2: a field in quotes does not end");
}

TEST(Corpus, jsonl_with_broken_rows) {
  const TemporaryDirectory directory;
  const std::string path = put(directory, "a.jsonl",
                               "{\"text\": \"one\", \"n\": 1}\n\n{\"text\": 2}\n{\"text\": \n[1]\n"
                               "{\"other\": \"x\", \"n\": 1}\n{\"text\": \"caf\xe9\"}\n{\"text\": \"\"}\n");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"one", "caf\xef\xbf\xbd", ""}));
  const CorpusCounts counts = counts_of(Corpus(path));
  EXPECT_EQ(counts.broken, 4);
  EXPECT_EQ(counts.repaired, 1);
  EXPECT_EQ(counts.empty, 1);
  EXPECT_EQ(counts.listed[0].why, "line 3: \"text\" is number, expected a text");
}

TEST(Corpus, invalid_utf8_is_repaired_and_told) {
  const TemporaryDirectory directory;
  const std::string path = put(directory, "a.txt", "a\xff\nb\n");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"a\xef\xbf\xbd", "b"}));
  EXPECT_EQ(counts_of(Corpus(path)).repaired, 1);
}

TEST(Corpus, a_line_that_is_too_long_is_broken_not_fatal) {
  const TemporaryDirectory directory;
  const std::string path = put(directory, "a.txt", std::string((16 << 20) + 1, 'x') + "\nb\n");
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"b"}));
  EXPECT_EQ(counts_of(Corpus(path)).listed.front().why, "line 1: longer than 16,777,216 bytes");
}

TEST(Corpus, packed_by_gzip_and_zstd_whatever_the_name) {
  const TemporaryDirectory directory;
  std::string lines;
  for (int i = 0; i < 50000; ++i) lines += "line number " + std::to_string(i) + "\n";
  const Texts truth = texts_of(Corpus(put(directory, "plain.txt", lines)));
  ASSERT_EQ(truth.size(), 50000u);
  EXPECT_EQ(texts_of(Corpus(put(directory, "a.txt.gz", gzipped(lines)))), truth);
  EXPECT_EQ(texts_of(Corpus(put(directory, "a.zst", zstd_packed(lines)))), truth);
  // Two members after each other are one text.
  EXPECT_EQ(texts_of(Corpus(put(directory, "two", gzipped("a\n") + gzipped("b\n")))), (Texts{"a", "b"}));
  EXPECT_EQ(texts_of(Corpus(put(directory, "2", zstd_packed("a\n") + zstd_packed("b\n")))),
            (Texts{"a", "b"}));
  for (const std::string& packed : {gzipped(lines), zstd_packed(lines)}) {
    const std::string path = put(directory, "cut", packed.substr(0, packed.size() / 2));
    EXPECT_NE(message_of([&] { texts_of(Corpus(path)); }).find("ends too early"), std::string::npos);
  }
}

TEST(Corpus, reviews_come_pos_before_neg_by_number) {
  const TemporaryDirectory directory;
  std::string tar;
  const Texts order = {"train/pos/0_9.txt", "train/pos/2_7.txt", "train/pos/10_8.txt", "train/neg/1_1.txt",
                       "train/neg/9_2.txt", "test/pos/3_10.txt", "test/neg/11_4.txt"};
  for (auto name = order.rbegin(); name != order.rend(); ++name) {
    put(directory, "aclImdb/" + *name, "of " + *name);
    tar += tar_member("aclImdb/" + *name, "of " + *name);
  }
  put(directory, "aclImdb/train/urls_pos.txt", "an address");
  put(directory, "aclImdb/README", "read me");
  tar += tar_member("aclImdb/train/urls_pos.txt", "an address") + tar_member("aclImdb/train/", "", '5');
  EXPECT_EQ(names_in(Corpus(directory.file("aclImdb"))), order);
  const std::string path = put(directory, "a.tgz", gzipped(tar + std::string(1024, '\0')));
  Texts in_tar;
  for (const std::string& name : order) in_tar.push_back("aclImdb/" + name);
  EXPECT_EQ(names_in(Corpus(path)), in_tar);
  EXPECT_EQ(texts_of(Corpus(path)), texts_of(Corpus(directory.file("aclImdb"))));
}

TEST(Corpus, tar_with_long_names_and_damage) {
  const TemporaryDirectory directory;
  const std::string name = std::string(150, 'd') + "/1.txt";
  const std::string pax = "166 path=" + std::string(150, 'p') + "/2.txt\n";
  const std::string tar = tar_member("././@LongLink", name + '\0', 'L') + tar_member("short", "first") +
                          tar_member("header", pax, 'x') + tar_member("short", "second") +
                          std::string(1024, '\0');
  const std::string path = put(directory, "a.tar", tar);
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"first", "second"}));
  EXPECT_EQ(names_in(Corpus(path)), (Texts{name, std::string(150, 'p') + "/2.txt"}));
  std::string damaged = tar;
  damaged[1024 + 3] ^= 1;
  EXPECT_NE(message_of([&] { Corpus(put(directory, "b.tar", damaged)); }).find("wrong check sum"),
            std::string::npos);
  EXPECT_NE(
      message_of([&] { Corpus(put(directory, "c.tar", tar.substr(0, 2100))); }).find("ends too early"),
      std::string::npos);
}

TEST(Corpus, tar_in_all_its_forms) {
  const TemporaryDirectory directory;
  const std::string size = std::string("\x80", 1) + std::string(10, '\0') + "\x05";  // five, in binary
  const std::string binary = tar_header("2.txt", size, '0') + "fifth" + std::string(507, '\0');
  // A link says how large its target is, and has no content.
  const std::string link = tar_header("l.txt", octal(700), '2');
  const std::string path =
      put(directory, "a.tar",
          tar_member("1.txt", "one", '0', "long/way") + link + binary + std::string(1024, '\0'));
  EXPECT_EQ(names_in(Corpus(path)), (Texts{"2.txt", "long/way/1.txt"}));
  EXPECT_EQ(texts_of(Corpus(path)), (Texts{"fifth", "one"}));
}

TEST(Corpus, tar_that_lies) {
  const TemporaryDirectory directory;
  const auto told = [&](const std::string& tar) {
    return message_of([&] { texts_of(Corpus(put(directory, "a.tar", tar))); });
  };
  const std::string huge = std::string("\x80", 1) + std::string(3, '\0') + std::string(8, '\x7f');
  EXPECT_NE(told(tar_header("1.txt", huge, '0')).find("too large"), std::string::npos);
  EXPECT_NE(told(tar_header("1.txt", octal(1100), '0') + std::string(600, 'x')).find("ends too early"),
            std::string::npos);
  EXPECT_NE(told(tar_header("n", octal(std::size_t{1} << 30), 'L')).find("a name of the tar is too long"),
            std::string::npos);
  EXPECT_NE(told(tar_member("h", "99 path=a.txt\n", 'x')).find("pax header"), std::string::npos);
  EXPECT_NE(told(tar_member("h", "20 size=99999999999\n", 'x')).find("beyond 8 GB"), std::string::npos);
  EXPECT_NE(told(tar_header("1.txt", "89999999999", '0')).find("octal"), std::string::npos);
}

TEST(Corpus, the_tutorials_reviews) {
  const std::string folder = testing::shared_data("imdb");
  if (folder.empty()) GTEST_SKIP() << testing::needs_shared_data("imdb");
  Corpus corpus(folder + "/aclImdb-1000.tgz");
  CorpusText text;
  ASSERT_TRUE(corpus.next(text));
  EXPECT_EQ(text.name, "aclImdb/train/pos/0_9.txt");
  EXPECT_TRUE(text.text.starts_with("Bromwell High is a cartoon comedy."));
  while (corpus.next(text)) {
  }
  EXPECT_EQ(corpus.counts().texts, 1000);
  EXPECT_TRUE(text.name.starts_with("aclImdb/train/neg/499_"));
}

TEST(Corpus, words_counted_text_by_text_give_the_same_vocabulary) {
  const Texts texts = {"b a A", "", "c b <unk> d"};
  WordCounter counter;
  std::vector<std::vector<Index>> numbers;
  for (const std::string& text : texts) numbers.push_back(counter.add(text, 2));
  const Vocabulary whole(texts), counted = Vocabulary::of(counter);
  ASSERT_EQ(whole.size(), counted.size());
  for (Index id = 0; id < whole.size(); ++id) {
    EXPECT_EQ(whole.word(id), counted.word(id));
    EXPECT_EQ(whole.count(id), counted.count(id));
  }
  EXPECT_EQ(counter.words(), 7);
  EXPECT_EQ(numbers[2], (std::vector<Index>{2, 0}));
  const std::vector<Index> ids = counted.ids_of(counter);
  EXPECT_EQ(ids[0], whole.id("b"));
  EXPECT_EQ(ids[3], Vocabulary::kUnknown);
}

}  // namespace
}  // namespace fovea
