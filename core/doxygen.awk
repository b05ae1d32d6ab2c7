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
    return substr(text, 1, RSTART) " ///< " plain(substr(text, RSTART + RLENGTH))
  }
  return text
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
    }
    if (count < 2) continue
    line[i - 1] = line[i - 1] (line[i - 1] ~ /\/\/\// ? "\n" : "") " /**@{*/"
    line[last] = "/**@}*/ " line[last]
  }
  for (i = 1; i <= NR; ++i) print line[i]
}
