#!/usr/bin/env bash
# What the libraries export: names that a public header marks FOVEA_API, and, under their own symbol version, those that
# our libraries use of each other. symbols_test.sh LIBRARY...
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
failures=0
report() { echo "FAILED: $1" >&2; failures=$((failures + 1)); }

# The classes and functions that the public headers mark, one per line.
marked_names() {
  cat "$root"/include/fovea/*.h | grep -v '^ *//' | tr '\n' ' ' |
    grep -oE '(class|struct) FOVEA_API \w+|FOVEA_API [^;{(]*\(' | sed -E 's/\($//; s/.*[ *&](\w|operator)/\1/' | sort -u
}

# Symbols of `nm -D` on standard input, mangled, with their version; prints those that should not be there.
wrong_symbols() {
  NAMES=$(marked_names) awk '
    BEGIN { n = split(ENVIRON["NAMES"], names, "\n"); for (i = 1; i <= n; i++) marked[names[i]] = 1 }
    { at = index($0, " "); version = substr($0, 1, at - 1); name = substr($0, at + 1) }
    { sub(/^(vtable|typeinfo|typeinfo name) for /, "", name) }
    version ~ /^FOVEA_PRIVATE_/ { if (name !~ /^fovea::(internal|kernels)::/) print; next }
    version !~ /^FOVEA_[0-9]/ || name !~ /^fovea::/ || name ~ /^fovea::(internal|kernels)::/ { print; next }
    {
      sub(/^fovea::/, "", name)
      match(name, /^(operator[^(]+|[A-Za-z_0-9]+)/)
      if (!(substr(name, 1, RLENGTH) in marked)) print
    }' < <(grep -v ' A ' | awk '{ split($NF, part, /@+/); print part[2], part[1] }' | c++filt)
}

total=0
for library in "$@"; do
  symbols=$(nm -D --defined-only "$library")
  wrong=$(wrong_symbols <<<"$symbols")
  [[ -z $wrong ]] || report "$(basename "$library") exports what no public header marks FOVEA_API:"$'\n'"$wrong"
  public=$(grep -cE '@+FOVEA_[0-9]' <<<"$symbols" || true)
  [[ $public -gt 0 ]] || report "$(basename "$library") exports nothing"
  total=$((total + public))
done
[[ $total -gt 300 ]] || report "only $total public symbols in all"

# In the headers: every class and every function that is not inline is marked.
unmarked=$(cd "$root" && grep -nE '^((class|struct) [A-Z]|[A-Za-z].*\()' include/fovea/*.h |
  grep -vE ':(class|struct) FOVEA_(PRIVATE_)?API|:(FOVEA_API|inline|template|using|extern|namespace|constexpr) ' || true)
[[ -z $unmarked ]] || report "a public header declares without FOVEA_API:"$'\n'"$unmarked"

# The check notices what should not be there.
notices() { [[ -n $(wrong_symbols <<<"0000000000001000 T $1") ]] || report "$1 is not noticed"; }
accepts() { [[ -z $(wrong_symbols <<<"0000000000001000 T $1") ]] || report "$1 is refused"; }
accepts _ZN5fovea6TensorC1ERKNS_5ShapeE@@FOVEA_0.1
accepts _ZTIN5fovea5ErrorE@@FOVEA_0.1
accepts _ZN5fovea8internal7is_utf8ESt17basic_string_viewIcSt11char_traitsIcEE@@FOVEA_PRIVATE_0.1.0
notices _ZN5fovea6TensorC1ERKNS_5ShapeE
notices _ZN5fovea7plantedEv@@FOVEA_0.1
notices _ZN5fovea8internal7is_utf8ESt17basic_string_viewIcSt11char_traitsIcEE@@FOVEA_0.1
notices _ZN5fovea6TensorC1ERKNS_5ShapeE@@FOVEA_PRIVATE_0.1.0
notices _ZN3fmt2v97vformatB5cxx11Ev@@FOVEA_0.1

echo "$total public symbols"
[[ $failures -eq 0 ]]
