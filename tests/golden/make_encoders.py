"""Makes tests/golden/models of sentence encoders and tests/golden/word_pieces.json: /usr/bin/python3 make_encoders.py,
with Debian's python3-torch.

  minilm/  in the form of all-MiniLM-L6-v2 from sentence-transformers: tokenizer.json, the normalised mean, a length
  bge/     in the form of older files: names with "bert." and gamma and beta, tensors for other tasks, float16,
           only vocab.txt, the first token's vector
  minilm.gguf, bge.gguf   the same two in the form of llama.cpp's converter (gguf.py)
  NAME/hidden.npy, NAME/attention.npy   the last layer's vectors [T, C] of TOKENS, and all weights [L, H, T, T]
  NAME/sentences.npy, minilm/max.npy    the vectors of SENTENCES, and by max-pooling, not normalised

The model is written plainly after modeling_bert.py in transformers (src/transformers/models/bert), pooling after
models/Pooling.py in sentence-transformers, tokens after tokenization.py in google-research/bert; decisive lines
are quoted beside the code. tests/core/encoders_test.cc and tests/wasm/encoder.test.ts read them.
"""

import json
import math
import unicodedata

import numpy as np
import torch

from golden import FOLDER, save
from gguf import write_gguf
from golden_models import HEADS, LAYERS, TOKENS, WIDTH, Model, heads_of, joined, linear

HIDDEN, CONTEXT, LONGEST, EPS = 40, 32, 12, 1e-12

SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
WORDS = """the cat sat on mat dog ran un ##aff ##able ##want ##ed ##ing ##s run ##n want play ##er caf cafe naive
resume ##e 中 文 日 本 ä ##ß straße stra ##ss ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ при ##вет σ ##ο ##σ ο ##δ ि न ##म ##स İ Caf ##é É
The Cat ~ ` $ + - . , ! ? ' " ( ) « » — … 。 、 ##’ ’ ∑ 😀""".split()
VOCABULARY = [*SPECIAL, *LETTERS, *(f'##{each}' for each in LETTERS if f'##{each}' not in WORDS), *dict.fromkeys(WORDS)]

SENTENCES = [
    'The cat sat on the mat.', 'A dog ran!', 'unaffable', '', 'Café, naïve résumé',
    'the cat sat on the mat and the dog ran and the cat ran and the dog sat',
]  # fmt: skip
TEXTS = [
    *SENTENCES, 'UNwanted running', 'Straße STRASSE', 'Ääh', 'e\u0301', 'İstanbul', 'x' * 100, 'x' * 101, '中文字 ab中cd',
    '日本の本', '한국 한', 'привет ПРИВЕТ', 'ΟΔΟΣ οδος', 'नमस नि', 'a\tb\nc\r\nd\u00a0e\u3000f\u2028g', 'a\x00b\x07c\x7fd\x85e\x0bf',
    'zero\u200bwidth soft\u00adhyphen \ufefffoo', 'don’t don\'t "x"', '«a»—b…', 'a~b`c$d+e', '∑a∑', '😀cat😀', '\ue000a',
    'a\ufffdb', '[CLS] the [MASK] [sep] [UNK]', 'the[SEP]cat', '  ', 'ﬁne ²', 'Ｔｈｅ ｃａｔ', 'K Å', '\u2f800x \uf900y \U0002f800z',
]  # fmt: skip


def words_of(text, lower):
    """BasicTokenizer.tokenize, for the text between special tokens."""
    cleaned = []
    for char in text:
        code, kind = ord(char), unicodedata.category(char)
        # if cp == 0 or cp == 0xfffd or _is_control(char): continue
        # tokenizers (normalizers/bert.rs) treats private-use characters as controls, too.
        is_blank = char in ' \t\n\r' or kind in ('Zs', 'Zl', 'Zp')
        if code in (0, 0xFFFD) or (kind in ('Cc', 'Cf', 'Co') and not is_blank):
            continue
        # if self._is_chinese_char(cp): output.append(" "); output.append(char); output.append(" ")
        chinese = any(first <= code <= last for first, last in (
            (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
            (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
        ))  # fmt: skip
        cleaned.append(f' {char} ' if chinese else ' ' if is_blank else char)
    words = []
    for token in ''.join(cleaned).split():
        if lower:  # token = self._run_strip_accents(token.lower())
            token = ''.join(char for char in unicodedata.normalize('NFD', token) if unicodedata.category(char) != 'Mn')
            token = ''.join(char.lower() for char in token)  # one by one, as in tokenizers: no final sigma
        word = ''
        for char in token:  # _run_split_on_punc
            code = ord(char)
            is_ascii = 33 <= code <= 47 or 58 <= code <= 64 or 91 <= code <= 96 or 123 <= code <= 126
            if is_ascii or unicodedata.category(char).startswith('P'):
                words += [word, char] if word else [char]
                word = ''
            else:
                word += char
        words += [word] if word else []
    return words


def pieces_of(word):
    """WordpieceTokenizer.tokenize"""
    if len(word) > 100:  # max_input_chars_per_word
        return ['[UNK]']
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):  # greedy longest-match-first
            piece = ('##' if start > 0 else '') + word[start:end]
            if piece in VOCABULARY:
                break
        else:
            return ['[UNK]']
        pieces.append(piece)
        start = end
    return pieces


def ids_of(text, lower, most=None):
    pieces, at, done = [], 0, 0
    while at < len(text):  # special tokens stay as they are
        found = next((each for each in SPECIAL if text.startswith(each, at)), None)
        if found:
            pieces += [each for word in words_of(text[done:at], lower) for each in pieces_of(word)] + [found]
            at = done = at + len(found)
        else:
            at += 1
    pieces += [each for word in words_of(text[done:], lower) for each in pieces_of(word)]
    ids = [VOCABULARY.index(each) for each in pieces]
    ids = ids[: most - 2] if most else ids
    return [VOCABULARY.index('[CLS]'), *ids, VOCABULARY.index('[SEP]')]


class Encoder:
    def __init__(self, name, kind, seed, config, prefix=''):
        self.m, self.prefix = Model(name, kind, seed, {
            'model_type': 'bert', 'vocab_size': len(VOCABULARY), 'hidden_size': WIDTH, 'intermediate_size': HIDDEN,
            'num_hidden_layers': LAYERS, 'num_attention_heads': HEADS, 'max_position_embeddings': CONTEXT,
            'hidden_act': 'gelu', 'pad_token_id': 0, 'attention_probs_dropout_prob': 0.1, 'hidden_dropout_prob': 0.1,
            'position_embedding_type': 'absolute', 'use_cache': True, 'initializer_range': 0.02, **config,
        }), prefix  # fmt: skip
        m = self.m

        def add(at, rows, columns=None):
            m.add(prefix + at + '.weight', rows, *([columns] if columns else []))
            m.add(prefix + at + '.bias', rows)

        for at, rows in (('word', len(VOCABULARY)), ('position', CONTEXT), ('token_type', 2)):
            m.add(f'{prefix}embeddings.{at}_embeddings.weight', rows, WIDTH)
        add('embeddings.LayerNorm', WIDTH)
        for n in range(LAYERS):
            at = f'encoder.layer.{n}.'
            for each in ('self.query', 'self.key', 'self.value', 'output.dense'):
                add(f'{at}attention.{each}', WIDTH, WIDTH)
            add(at + 'attention.output.LayerNorm', WIDTH)
            add(at + 'intermediate.dense', HIDDEN, WIDTH), add(at + 'output.dense', WIDTH, HIDDEN)
            add(at + 'output.LayerNorm', WIDTH)
        add('pooler.dense', WIDTH, WIDTH)
        ids = np.arange(CONTEXT, dtype=np.int64)[None]
        m.files[prefix + 'embeddings.position_ids'] = ('I64', [1, CONTEXT], ids.tobytes())

    def weight(self, name):
        return self.m[self.prefix + name]

    def norm(self, x, name):
        """nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)"""
        centred = x - x.mean(-1, keepdim=True)
        scaled = centred * (centred.square().mean(-1, keepdim=True) + EPS).rsqrt()
        return scaled * self.weight(name + '.weight') + self.weight(name + '.bias')

    def hidden(self, ids):
        """The last layer's vectors [T, C], and the weights [L, H, T, T]."""
        m, all_weights = self.m, []
        # embeddings = inputs_embeds + token_type_embeddings; embeddings += position_embeddings; self.LayerNorm(embeddings)
        x = self.weight('embeddings.word_embeddings.weight')[ids]
        # token_type_ids: torch.zeros(input_shape) by default
        x = x + self.weight('embeddings.token_type_embeddings.weight')[0]
        x = self.norm(x + self.weight('embeddings.position_embeddings.weight')[: len(ids)], 'embeddings.LayerNorm')
        for n in range(LAYERS):
            at = f'{self.prefix}encoder.layer.{n}.'
            q, k, v = (heads_of(linear(m, x, f'{at}attention.self.{each}'), HEADS) for each in ('query', 'key', 'value'))
            # attention_scores = attention_scores / math.sqrt(self.attention_head_size)
            weights = (q @ k.mT / math.sqrt(WIDTH // HEADS)).softmax(-1)
            all_weights.append(weights)
            mixed = linear(m, joined(weights @ v), at + 'attention.output.dense')
            # hidden_states = self.LayerNorm(hidden_states + input_tensor), in BertSelfOutput and in BertOutput
            x = self.norm(mixed + x, f'encoder.layer.{n}.attention.output.LayerNorm')
            inner = linear(m, x, at + 'intermediate.dense')
            inner = linear(m, 0.5 * inner * (1 + torch.erf(inner / math.sqrt(2))), at + 'output.dense')
            x = self.norm(inner + x, f'encoder.layer.{n}.output.LayerNorm')
        return x, torch.stack(all_weights)

    def write(self, name):
        self.m.write()
        hidden, weights = self.hidden(TOKENS)
        save(f'models/{name}/hidden', hidden), save(f'models/{name}/attention', weights)

    def sentences(self, pool, lower, most=CONTEXT):
        return torch.stack([pool(self.hidden(ids_of(each, lower, most))[0]) for each in SENTENCES])


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + '\n')


def modules(*types):
    paths = ['', '1_Pooling', '2_Normalize']
    return [
        {'idx': n, 'name': str(n), 'path': paths[n], 'type': f'sentence_transformers.models.{each}'}
        for n, each in enumerate(types)
    ]


def pooling(mode):
    names = ('cls_token', 'mean_tokens', 'max_tokens', 'mean_sqrt_len_tokens')
    return {'word_embedding_dimension': WIDTH, **{f'pooling_mode_{each}': each == mode for each in names}}


def normalised(x):
    return x / x.norm().clamp(min=1e-12)  # F.normalize


def minilm():
    encoder = Encoder('minilm', 'F32', 720, {
        'architectures': ['BertModel'], 'layer_norm_eps': EPS, 'type_vocab_size': 2, 'gradient_checkpointing': False,
        'torch_dtype': 'float32',
    })  # fmt: skip
    encoder.write('minilm')
    gguf('minilm', encoder, 1, True)
    folder = encoder.m.folder
    special = [{
        'id': n, 'content': each, 'single_word': False, 'lstrip': False, 'rstrip': False, 'normalized': False,
        'special': True,
    } for n, each in enumerate(SPECIAL)]  # fmt: skip
    part = lambda name: {'SpecialToken': {'id': name, 'type_id': 0}}  # noqa: E731
    sequence = lambda name, kind: {'Sequence': {'id': name, 'type_id': kind}}  # noqa: E731
    single = [part('[CLS]'), sequence('A', 0), part('[SEP]')]
    write_json(folder / 'tokenizer.json', {
        'version': '1.0', 'truncation': {'max_length': 128, 'strategy': 'LongestFirst', 'stride': 0},
        'padding': {'strategy': {'Fixed': 128}, 'direction': 'Right', 'pad_id': 0, 'pad_token': '[PAD]'},
        'added_tokens': special,
        'normalizer': {
            'type': 'BertNormalizer', 'clean_text': True, 'handle_chinese_chars': True, 'strip_accents': None,
            'lowercase': True,
        },
        'pre_tokenizer': {'type': 'BertPreTokenizer'},
        'post_processor': {
            'type': 'TemplateProcessing', 'single': single, 'pair': [*single, sequence('B', 1)],
            'special_tokens': {
                each: {'id': each, 'ids': [VOCABULARY.index(each)], 'tokens': [each]} for each in ('[CLS]', '[SEP]')
            },
        },
        'decoder': {'type': 'WordPiece', 'prefix': '##', 'cleanup': True},
        'model': {
            'type': 'WordPiece', 'unk_token': '[UNK]', 'continuing_subword_prefix': '##',
            'max_input_chars_per_word': 100, 'vocab': {each: n for n, each in enumerate(VOCABULARY)},
        },
    })  # fmt: skip
    write_json(folder / 'modules.json', modules('Transformer', 'Pooling', 'Normalize'))
    write_json(folder / '1_Pooling' / 'config.json', pooling('mean_tokens'))
    write_json(folder / 'sentence_bert_config.json', {'max_seq_length': LONGEST, 'do_lower_case': False})
    save('models/minilm/sentences', encoder.sentences(lambda x: normalised(x.mean(0)), True, LONGEST))
    save('models/minilm/max', encoder.sentences(lambda x: x.max(0).values, True, LONGEST))


def bge():
    # Without layer_norm_eps and type_vocab_size: configuration_bert.py has 1e-12 and 2.
    encoder = Encoder('bge', 'F16', 721, {'architectures': ['BertForMaskedLM'], 'dtype': 'float16'}, 'bert.')
    m = encoder.m
    m.add('cls.predictions.transform.dense.weight', WIDTH, WIDTH), m.add('cls.predictions.bias', len(VOCABULARY))
    for name in list(m.files):
        newer = name.replace('LayerNorm.weight', 'LayerNorm.gamma').replace('LayerNorm.bias', 'LayerNorm.beta')
        m.files[newer] = m.files.pop(name)
    encoder.write('bge')
    gguf('bge', encoder, 2, False)
    (m.folder / 'vocab.txt').write_text(''.join(f'{each}\n' for each in VOCABULARY))
    write_json(m.folder / 'tokenizer_config.json', {'do_lower_case': False, 'strip_accents': None})
    write_json(m.folder / 'modules.json', modules('Transformer', 'Pooling'))
    write_json(m.folder / '1_Pooling' / 'config.json', pooling('cls_token'))
    save('models/bge/sentences', encoder.sentences(lambda x: x[0], False))


def word_pieces():
    write_json(FOLDER / 'word_pieces.json', {
        'sentences': SENTENCES,
        'uncased': [{'text': each, 'ids': ids_of(each, True)} for each in TEXTS],
        'cased': [{'text': each, 'ids': ids_of(each, False)} for each in TEXTS],
    })  # fmt: skip


# The names of tensors by gguf-py/gguf/tensor_mapping.py; a layer's follow "encoder.layer.N." and "blk.N.".
GGUF_NAMES = {
    'embeddings.word_embeddings': 'token_embd', 'embeddings.token_type_embeddings': 'token_types',
    'embeddings.position_embeddings': 'position_embd', 'embeddings.LayerNorm': 'token_embd_norm',
    'attention.self.query': 'attn_q', 'attention.self.key': 'attn_k', 'attention.self.value': 'attn_v',
    'attention.output.dense': 'attn_output', 'attention.output.LayerNorm': 'attn_output_norm',
    'intermediate.dense': 'ffn_up', 'output.dense': 'ffn_down', 'output.LayerNorm': 'layer_output_norm',
}  # fmt: skip


def gguf_name(name):
    at, end = '', name.rpartition('.')[2]
    name = name.rpartition('.')[0]
    if name.startswith('encoder.layer.'):
        _, _, number, name = name.split('.', 3)
        at = f'blk.{number}.'
    return f'{at}{GGUF_NAMES[name]}.{end}'


def phantom(token):
    if token in SPECIAL:
        return token
    return token[2:] if token.startswith('##') else '\u2581' + token


def gguf(name, encoder, pooling_type, lower):
    """The GGUF file in the form of conversion/bert.py (BertModel)."""
    m = encoder.m
    values = {
        'general.architecture': 'bert', 'bert.block_count': LAYERS, 'bert.context_length': CONTEXT,
        'bert.embedding_length': WIDTH, 'bert.feed_forward_length': HIDDEN, 'bert.attention.head_count': HEADS,
        'bert.attention.layer_norm_epsilon': EPS, 'bert.attention.causal': False, 'bert.pooling_type': pooling_type,
        'tokenizer.ggml.model': 'bert', 'tokenizer.ggml.token_type_count': 2,
        'tokenizer.ggml.normalizer.lowercase': lower,
        'tokenizer.ggml.tokens': [phantom(each) for each in VOCABULARY],
        'tokenizer.ggml.token_type': [3 if each in SPECIAL else 1 for each in VOCABULARY],
        **{f'tokenizer.ggml.{key}_token_id': SPECIAL.index(token) for key, token in (
            ('padding', '[PAD]'), ('unknown', '[UNK]'), ('cls', '[CLS]'), ('seperator', '[SEP]'), ('mask', '[MASK]'),
        )},
    }  # fmt: skip
    tensors = {
        gguf_name(each.removeprefix(encoder.prefix)): weight.numpy() for each, weight in m.weights.items()
        if 'pooler' not in each and not each.startswith('cls.')
    }  # fmt: skip
    write_gguf(FOLDER / 'models' / f'{name}.gguf', values, tensors, m.kind)


minilm(), bge(), word_pieces()
