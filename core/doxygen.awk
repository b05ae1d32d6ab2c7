# The house's plain comments as Doxygen's.
#
#   // above a declaration          is about it, or about all declarations that follow without a blank line
#   // behind a declaration         is about it
#   // in the first line of a file  is about the file

# Text in which Doxygen finds no tag, and no end of a sentence, where there is none.
function plain(text, done) {
  gsub(/et al\. /, "et al.\\ ", text)
  done = ""
  while (match(text, /<[A-Za-z_][A-Za-z0-9_\/.-]*>/)) {
    done = done substr(text, 1, RSTART - 1) "\\<" substr(text, RSTART + 1, RLENGTH - 2) "\\>"
    text = substr(text, RSTART + RLENGTH)
  }
  return done text
}

function documented(text, at) {
  if (match(text, /^ *\/\/( |$)/)) {
    at = index(text, "//")
    return substr(text, 1, at + 1) "/" plain(substr(text, at + 2))
  }
  if (text !~ /^ *(\/\/\/|})/ && match(text, /[;,{}(] *\/\/ /)) {
    at = substr(text, RSTART + RLENGTH)
    text = substr(text, 1, RSTART)
    at = plain(at)
    return several(text) ? "/**@{*/ /** " at " */ " text " /**@}*/" : text " ///< " at
  }
  return text
}

# Whether a line declares more than one thing: `Index rows = 1, cols = 1;`.
function several(text) {
  return text ~ /^ *[A-Za-z_][A-Za-z0-9_:<>, ]* [a-z_]+( = [^,;()]+|{})?(, [a-z_]+( = [^,;()]+|{})?)+;$/
}

{ line[NR] = documented($0) }

END {
  sub(/^\/\/\//, "/// \\file\n///", line[1])
  for (i = 2; i <= NR; ++i) {
    if (line[i] !~ /^ *\/\/\// || line[i - 1] ~ /^ *\/\/\//) continue
    for (first = i; line[first] ~ /^ *\/\/\//; ++first);
    if (line[first] ~ /^ *(struct|class|enum|namespace|union|#)/) continue
    match(line[first], /^ */)
    own = RLENGTH
    count = 0
    for (last = first; last < NR && line[last] !~ /^ *$|^ *\/\/\/|^ *(public|private):/; ++last) {
      match(line[last], /^ */)
      if (RLENGTH < own) break
      if (RLENGTH == own && line[last] ~ /^ *template/) --count
      if (RLENGTH == own && line[last] ~ /^ *[A-Za-z_]/) ++count
      if (several(line[last])) ++count
    }
    if (count < 2) continue
    # In front of lines, so that they keep their numbers.
    mark[i] = mark[i] "/**@{*/ "
    mark[last] = "/**@}*/ "
  }
  for (i = 1; i <= NR; ++i) print mark[i] line[i]
}
