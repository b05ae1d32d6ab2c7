# The first comment of a file is about the file.
1s@^// (.*)@/// \\file\n/// \1@
# A comment on a line of its own: of what follows. Indented formulas stay as they stand.
s@^( *)//( |$)@\1///\2@
# A comment behind a declaration: of that.
s@^( *[^ /].*[;,{}(]) *// (.*)@\1 ///< \2@
# What Doxygen would take for tags or commands.
/\/\/\//s@<([A-Za-z_][A-Za-z0-9_/.-]*)>@\\<\1\\>@g
