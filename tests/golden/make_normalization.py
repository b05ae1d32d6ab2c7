"""Makes tests/golden/normalization.txt: Unicode's NormalizationTest.txt, less Hangul syllables, which follow a rule.

A line is one of its rows: source, NFC, NFD, NFKC and NFKD as UTF-8, separated by tabs. A field is empty if NFC equals
the source, NFD or NFKC equals NFC, or NFKD equals NFD. Debian's unicode-data has the file.
Run: python3 tests/golden/make_normalization.py
"""

import bz2
import pathlib

TARGET = pathlib.Path(__file__).parent / 'normalization.txt'
SOURCE = '/usr/share/unicode/NormalizationTest.txt.bz2'
SYLLABLES = range(0xAC00, 0xAC00 + 11172)


def rows():
    with bz2.open(SOURCE, 'rt', encoding='utf-8') as file:
        for line in file:
            if line[0] in '#@' or not line.strip():
                continue
            fields = line.split(';')[:5]
            yield [''.join(chr(int(code, 16)) for code in field.split()) for field in fields]


def text(source, nfc, nfd, nfkc, nfkd):
    like = [(source, None), (nfc, source), (nfd, nfc), (nfkc, nfc), (nfkd, nfd)]
    return '\t'.join('' if form == usual else form for form, usual in like)


if __name__ == '__main__':
    lines = [text(*row) for row in rows() if not (len(row[0]) == 1 and ord(row[0]) in SYLLABLES)]
    TARGET.write_text('\n'.join(lines) + '\n', encoding='utf-8', newline='\n')
