// parse_mask: every form, precedence, and errors that point at the place.
#include <gtest/gtest.h>

#include "fovea/mask.h"

namespace fovea {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_mask(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The same pairs in the same shape.
void expect_mask(std::string_view text, const Mask& mask, Index n, Index m) {
  EXPECT_EQ(parse_mask(text).to_bool(n, m), mask.to_bool(n, m)) << text;
}

TEST(ParseMask, every_form) {
  EXPECT_TRUE(parse_mask("none").is_none());
  expect_mask("causal", Mask::causal(), 3, 5);
  expect_mask("causal(top_left)", Mask::causal(Align::top_left), 3, 5);
  expect_mask("causal(bottom_right)", Mask::causal(), 3, 5);
  expect_mask("window(2)", Mask::sliding_window(2, 2), 8, 8);
  expect_mask("window(2, 1)", Mask::sliding_window(2, 1), 8, 8);
  expect_mask("sparse(4)", Mask::sparse(4), 16, 16);
  expect_mask("prefix(3)", Mask::prefix(3), 5, 5);
  expect_mask("padding([1,2,3,0,0])", Mask::padding(Ids{1, 2, 3, 0, 0}, 0), 5, 5);
  expect_mask("padding([[1,2,-1],[3,-1,-1]], -1)", Mask::padding(Ids{{1, 2, -1}, {3, -1, -1}}, -1), 3, 3);
  expect_mask("lengths(3, 2)", Mask::lengths({3, 2}), 4, 4);
  expect_mask("lengths(3)", Mask::lengths({3}), 4, 4);
  expect_mask("documents([1,1,2])", Mask::documents(Ids{1, 1, 2}), 3, 3);
  expect_mask("documents([[1,1,2],[1,2,2]])", Mask::documents(Ids{{1, 1, 2}, {1, 2, 2}}), 3, 3);
  expect_mask("padding([])", Mask::padding(Ids(Shape{0}, {}), 0), 0, 0);
}

TEST(ParseMask, combined) {
  EXPECT_EQ(parse_mask("causal & padding([1,2,3,0,0])").describe(5, 5),
            "causal and padding: 48.0 % visible");
  const auto name = [](std::string_view text) {
    const std::string description = parse_mask(text).describe(4, 4);
    return description.substr(0, description.find(':'));
  };
  EXPECT_EQ(name("causal | window(2) & sparse(4)"), "causal or (window 2 and sparse 4)");
  EXPECT_EQ(name("causal & window(2) | sparse(4)"), "(causal and window 2) or sparse 4");
  EXPECT_EQ(name("(causal | window(2)) & !sparse(4)"), "(causal or window 2) and not sparse 4");
  EXPECT_EQ(name("!causal & sparse(4)"), "not causal and sparse 4");
  EXPECT_EQ(name("not (causal and window(2)) or not sparse(4)"),
            "not (causal and window 2) or not sparse 4");
  EXPECT_EQ(name("not(causal)or(sparse(4))"), "not causal or sparse 4");
  EXPECT_EQ(name(" \t( ( causal\n) )&window ( 2 ,3 ) "), "causal and window -2..+3");
  EXPECT_EQ(name("!!causal"), "causal");
  EXPECT_EQ(name("!none"), "not none");
}

TEST(ParseMask, errors_name_the_column_and_what_was_expected) {
  const std::string names = "none, causal, window, sparse, prefix, padding, lengths, documents";
  EXPECT_EQ(error_of(""), "[mask] column 1: expected a mask (" + names + "), \"!\" or \"(\", got the end");
  EXPECT_EQ(error_of("causal & "),
            "[mask] column 10: expected a mask (" + names + "), \"!\" or \"(\", got the end");
  EXPECT_EQ(error_of("causal & cuasal"),
            "[mask] column 10: unknown mask \"cuasal\", expected one of " + names);
  EXPECT_EQ(error_of("causal window(2)"),
            "[mask] column 8: expected \"&\", \"|\" or the end, got \"window\"");
  EXPECT_EQ(error_of("(causal"), "[mask] column 8: expected \"&\", \"|\" or \")\", got the end");
  EXPECT_EQ(error_of("causal)"), "[mask] column 7: expected \"&\", \"|\" or the end, got \")\"");
  EXPECT_EQ(error_of("window"), "[mask] column 7: expected \"(\" and an argument, got the end");
  EXPECT_EQ(error_of("window()"), "[mask] column 8: expected a whole number, got \")\"");
  EXPECT_EQ(error_of("window(2.5)"), "[mask] column 9: expected \",\" or \")\", got \".\"");
  EXPECT_EQ(error_of("sparse(4, 2)"), "[mask] column 9: expected \")\", got \",\"");
  EXPECT_EQ(error_of("causal(left)"),
            "[mask] column 8: expected \"top_left\" or \"bottom_right\", got \"left\"");
  EXPECT_EQ(error_of("padding(1)"),
            "[mask] column 9: expected \"[\" and ids, as [1,2,0] or [[1,2,0],[3,0,0]], got \"1\"");
  EXPECT_EQ(error_of("padding([1,2"), "[mask] column 13: expected \",\" or \"]\", got the end");
  EXPECT_EQ(error_of("padding([[1,2], [3]])"),
            "[mask] column 17: a row of 1 ids, expected 2 as in the first");
  EXPECT_EQ(error_of("padding([[1,2],3])"), "[mask] column 16: expected \"[\", got \"3\"");
}

TEST(ParseMask, columns_count_characters_not_bytes) {
  EXPECT_EQ(error_of("因果").substr(0, 16), "[mask] column 1:");
  EXPECT_EQ(error_of("causal因果$"), "[mask] column 7: expected \"&\", \"|\" or the end, got \"因\"");
  EXPECT_EQ(error_of("causal\u3000"), "[mask] column 7: expected \"&\", \"|\" or the end, got U+3000");
  EXPECT_EQ(error_of("causal\xff"), "[mask] column 7: expected \"&\", \"|\" or the end, got byte 0xff");
  EXPECT_EQ(error_of("causal & window(1, 因果)").substr(0, 17), "[mask] column 20:");
}

TEST(ParseMask, errors_of_the_masks_get_the_column) {
  EXPECT_EQ(error_of("causal & sparse(0)"), "[mask] column 10: sparse has stride 0, expected ≥ 1");
  EXPECT_EQ(error_of("window(-1)"), "[mask] column 1: window is -1 before, -1 after, expected both ≥ 0");
  EXPECT_EQ(error_of("lengths(1,2) & lengths(1,2,3)"),
            "[mask] column 14: lengths is for 2 batch entries, lengths for 3");
  EXPECT_EQ(error_of("(lengths(-4))"), "[mask] column 2: length -4 is negative");
}

TEST(ParseMask, numbers_of_keys_that_differ_are_told_at_once) {
  EXPECT_EQ(error_of("padding([1,0]) & padding([1,0,1])"),
            "[mask] column 16: padding is for 2 keys, padding for 3");
  EXPECT_EQ(error_of("causal | documents([1,1]) | causal | !padding([1,0,1])"),
            "[mask] column 36: causal or documents or causal is for 2 keys, not padding for 3");
  EXPECT_EQ(error_of("padding([1,0]) & documents([1,1]) & lengths(1)"), "no error");
}

TEST(ParseMask, numbers_that_overflow_are_refused) {
  EXPECT_EQ(parse_mask("prefix(9223372036854775807)").density(3, 3), 1.0);
  EXPECT_EQ(error_of("prefix(9223372036854775808)"), "[mask] column 8: the number is too large");
  EXPECT_EQ(error_of("padding([" + std::string(100000, '9') + "])"),
            "[mask] column 10: the number is too large");
}

TEST(ParseMask, deep_nesting_is_an_error_not_a_crash) {
  EXPECT_EQ(error_of(std::string(100000, '(')), "[mask] column 201: more than 200 nested \"(\"");
  EXPECT_EQ(error_of(std::string(100000, '!') + "causal"), "no error");
  EXPECT_NE(error_of(std::string(100000, '!')).find("column 100001"), std::string::npos);
  const std::string nested = std::string(200, '(') + "causal" + std::string(200, ')');
  EXPECT_EQ(error_of(nested + " & " + nested), "no error");
  std::string chain = "causal";
  for (int k = 0; k < 100000; ++k) chain += k % 2 == 0 ? "|causal" : "&causal";
  EXPECT_EQ(error_of(chain), "no error");
  EXPECT_EQ(error_of(std::string("causal\0", 7)),
            "[mask] column 7: expected \"&\", \"|\" or the end, got byte 0x00");
}

// expression() is read back as the same mask.
TEST(MaskExpression, round_trip) {
  const Ids documents{{1, 1, 2, 9, 9, 1}, {5, 2, 2, 2, 5, 5}};
  const std::vector<Mask> masks = {
      Mask::none(),
      Mask::causal(),
      Mask::causal(Align::top_left),
      Mask::sliding_window(2, 1),
      Mask::sparse(4),
      Mask::prefix(3),
      Mask::padding(Flags{{1, 1, 1, 0, 0, 1}, {0, 1, 1, 0, 0, 0}}),
      Mask::lengths({4, 2}),
      Mask::documents(documents),
      Mask::documents(Ids{1, 1, 2, 9, 9, 1}),
      !Mask::none(),
      (Mask::causal() | Mask::prefix(2)) & Mask::lengths({4, 2}) & !Mask::sparse(2),
      !(Mask::causal() & Mask::padding(Flags{{1, 1, 1, 0, 0, 1}}))};
  for (const Mask& mask : masks) {
    const std::optional<std::string> text = mask.expression();
    ASSERT_TRUE(text.has_value()) << mask.describe(6, 6);
    EXPECT_EQ(parse_mask(*text).to_bool(6, 6), mask.to_bool(6, 6)) << *text;
  }
}

TEST(MaskExpression, masks_without_a_text_say_so) {
  const Mask predicate = Mask::predicate([](Index, Index, Index, Index) { return true; });
  EXPECT_FALSE(predicate.expression());
  EXPECT_FALSE((Mask::causal() & predicate).expression());
  EXPECT_FALSE((!predicate).expression());
  EXPECT_FALSE(Mask::dense(Flags{{1, 0}, {1, 1}}).expression());
}

}  // namespace
}  // namespace fovea
