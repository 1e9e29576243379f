#!/usr/bin/env bash
# The checks of the repository must be able to fail: mistakes are planted in a copy, and each must be noticed.
# checks_test.sh WORK_FOLDER
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1
rm -rf "$work"
mkdir -p "$work"
failures=0
report() { echo "FAILED: $1" >&2; failures=$((failures + 1)); }

# --- arrows: file, line to plant in it, what the complaint must contain
mkdir -p "$work/tree"
cp -r "$root"/{include,src,apps,bench,cmake} "$work/tree"
mkdir -p "$work"/tree/src/{core,mask,kernels,ops,analysis} "$work/tree/apps/fovea"
plant() {
  local file=$work/tree/$1 saved=$work/saved output
  rm -f "$saved"
  [[ ! -e $file ]] || cp "$file" "$saved"
  printf '%s\n' "$2" >>"$file"
  if output=$("$root/scripts/check_arrows" "$work/tree"); then
    report "check_arrows accepts '$2' in $1"
  elif ! grep -qF "$1" <<<"$output" || ! grep -qF "$3" <<<"$output"; then
    report "check_arrows says about '$2' in $1: $output"
  fi
  rm "$file"
  [[ ! -e $saved ]] || mv "$saved" "$file"
}
plant src/core/planted.cc '#include "mask/mask_node.h"' 'no arrow from core to mask'
plant src/core/planted.h '#include "fovea/mask.h"' 'no arrow from core to mask'
plant src/mask/planted.cc '#include "fovea/attention.h"' 'no arrow from mask to ops'
plant src/core/planted.cc '#include "../mask/mask_node.h"' 'not a path from src/'
plant src/ops/planted.cc '#include <hwy/highway.h>' 'is not used here'
plant src/ops/planted.cc '#include <cblas.h>' 'is not used here'
plant apps/fovea/planted.cc '#include <openblas/cblas.h>' 'is not used here'
plant src/mask/planted.cc '# include <nlohmann/json.hpp>' 'is not used here'
plant src/analysis/planted.cc 'auto x = nlohmann::json::parse(text);' 'JSON is parsed in src/io only'
plant src/kernels/planted.cc '#include "fovea/fovea.h"' 'not all of fovea'
plant include/fovea/shape.h '#include <fmt/format.h>' 'a public header includes'
plant include/fovea/shape.h '#include "fovea/mask.h"' 'no arrow from core to mask'
plant include/fovea/planted.h '#pragma once' 'which room'
plant apps/fovea/planted.cc '#include "core/fail.h"' 'apps use public headers only'
mkdir -p "$work/tree/src/attic"
plant src/attic/planted.cc '' 'the room src/attic'

# --- forgotten includes: all are planted at once, and each must be named
"$root/scripts/check_includes" "$work/tree" >/dev/null || report "check_includes complains about what is right"
printf '%s\n' 'void f(int* a) { std::sort(a, a); }' 'void g(Tensor& x);' 'void h() { fail("no"); }' \
  >"$work/tree/src/mask/planted.cc"
printf '%s\n' '// std::sort, Tensor and fail("...") in a comment' 'class Tensor;' 'void f(Tensor& x, const char* t = "std::sort");' \
  >"$work/tree/src/mask/harmless.cc"
if forgotten=$("$root/scripts/check_includes" "$work/tree"); then report 'check_includes notices nothing'; fi
for complaint in 'std::sort needs <algorithm>' 'Tensor needs include/fovea/tensor.h' 'fail needs src/core/fail.h'; do
  grep -qF "src/mask/planted.cc: $complaint" <<<"$forgotten" || report "check_includes does not say: $complaint"
done
! grep -q harmless <<<"$forgotten" || report "check_includes takes comments and texts for code: $forgotten"
rm "$work"/tree/src/mask/{planted,harmless}.cc

# --- texts of the command: sed expression, file it changes, what the complaint must contain
change() {
  local file=$work/tree/apps/fovea/$2 output
  cp "$file" "$work/saved"
  sed -i "$1" "$file"
  ! cmp -s "$file" "$work/saved" || report "nothing to change by '$1' in $2"
  if output=$("$root/scripts/check_texts" "$work/tree"); then
    report "check_texts accepts '$1' in $2"
  elif ! grep -qF "$3" <<<"$output"; then
    report "check_texts says about '$1' in $2: $output"
  fi
  mv "$work/saved" "$file"
}
change 's/tr("the mask")/tr("the masks")/' commands/mask.cc 'no text in zh for "the masks"'
change 's/tr("the mask")/tr("the masks")/' commands/mask.cc 'nobody says "the mask"'
change 's/tr("the mask")/tr(name)/' commands/mask.cc 'no literal'
change '/"the mask"/d' texts/zh/mask.cc 'no text in zh for "the mask"'
change '/"the mask"/{p}' texts/zh/mask.cc '"the mask" stands in'
change 's/第 {0} 个序列（共 {1} 个）/第 {0} 个序列/' texts/zh/mask.cc 'other places for arguments'
"$root/scripts/check_texts" "$work/tree" >/dev/null || report "check_texts complains about what is right"

# --- alignments made by hand: sed expression, what the complaint must contain
misalign() {
  local output
  sed "$1" "$root/tests/data/alignment/en-zh.tsv" >"$work/aligned.tsv"
  if output=$("$root/scripts/check_alignment" "$work/aligned.tsv"); then
    report "check_alignment accepts '$1'"
  elif ! grep -qF "$2" <<<"$output"; then
    report "check_alignment says about '$1': $output"
  fi
}
misalign '3s/3-3/3-9/' 'aligned.tsv:3: the link 3-9'
misalign '3s/0-0/0-0 0-0/' 'twice'
misalign '3s/我 /我  /' 'one space each'
misalign '3s/$/\t/' '5 columns'
misalign '3s/$/0-0/' 'both sure and possible'
misalign '3s/.*/I love you .\t我 爱 你 。\t0-0\t/' 'the same source as in line 1'

# --- documents: expected and got, with wildcards
compares() {  # 0|1 expected got
  printf "$2" >"$work/expected"
  printf "$3" >"$work/got"
  local result=0
  "$root/scripts/snippets" compare "$work/expected" "$work/got" 2>/dev/null || result=$?
  [[ $result -eq $1 ]] || report "compare of '$2' with '$3' gives $result"
}
compares 0 'a\nb\n' 'a\nb\n'
compares 0 'a\nb\n' 'a  \nb\n'
compares 1 'a\nb\n' 'a\nc\n'
compares 1 'a\nb\n' 'a\nb\nc\n'
compares 1 'a\nb\n' 'a\n'
compares 1 'a\n' ''
compares 1 '' 'a\n'
compares 0 '' ''
compares 0 'a\n…\nd\n' 'a\nb\nc\nd\n'
compares 0 '…\nd\n' 'd\nd\n'
compares 0 'a\n…\n' 'a\n'
compares 1 'a\n…\nd\n' 'a\nb\nc\n'
compares 1 '…\nd\n' ''

# --- documents: a whole one, with a console block that tells the truth and one that does not
document() {  # output claimed for `echo two`
  printf '%s\n' 'Text.' '```cpp' '#include <vector>' 'std::vector<int> x;' '```' '' '```text' 'one' '```' \
    '```cpp' 'int main() {}' '```' 'words' '```text' 'not the output' '```' \
    '```console' "\$ printf 'one\\n' > file; cat \\" '> file' 'one' '$ echo two' "$1" '```' >"$work/document.md"
  rm -rf "$work/blocks"
  (cd "$work" && "$root/scripts/snippets" extract document.md blocks)
}
console() { "$root/scripts/snippets" run-console "$work/blocks/console" /nowhere >/dev/null 2>&1; }
document three
! console || report "a console block with another output passes"
document two
console || report "a console block with the true output fails"
[[ $(ls "$work/blocks" | grep -v console | xargs) == '01.cc 01.expected 02.cc' ]] || report "blocks: $(ls "$work/blocks" | xargs)"
grep -qx '#line 3 "document.md"' "$work/blocks/01.cc" || report "errors would not point to the document"
[[ $(grep -c 'int main()' "$work/blocks/01.cc" "$work/blocks/02.cc" | xargs) == *01.cc:1*02.cc:1 ]] || report "main()"
printf '%s\n' '- item' '  ```cpp' '  x' '  ```' >"$work/document.md"
! (cd "$work" && "$root/scripts/snippets" extract document.md blocks) 2>/dev/null || report "an untested block passes"

[[ $failures -eq 0 ]]
