#!/usr/bin/env python3
"""Tokenizers of many kinds and what Hugging Face's tokenizers make of random strings, in the form of text/tokenizer/testdata:

    python3 scripts/tokenizer_cases.py --seed 1 --count 2000 --text FILE --out DIR
    go test ./text/tokenizer -run Goldens -goldens DIR

Needs tokenizers 0.23 from PyPI. FILE is any text in UTF-8, on which the tokenizers are trained.
"""
import argparse
import json
import os
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors, trainers

CL100K = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
LLAMA3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
O200K = "|".join([
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n/]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+"])
DEEPSEEK = r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""

BYTES = P.ByteLevel(add_prefix_space=False, use_regex=False)


def train(t, texts, size=600, specials=("<|a|>", "<|b|>"), alphabet=True):
    if isinstance(t.model, models.WordPiece):
        trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=["[UNK]", *specials], show_progress=False)
    elif isinstance(t.model, models.Unigram):
        trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=["<unk>", *specials], unk_token="<unk>", show_progress=False)
    elif isinstance(t.model, models.WordLevel):
        trainer = trainers.WordLevelTrainer(vocab_size=size, special_tokens=["[UNK]", *specials], show_progress=False)
    else:
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(specials), initial_alphabet=P.ByteLevel.alphabet() if alphabet else [], show_progress=False)
    t.train_from_iterator(texts, trainer)
    return t


def byte_bpe(texts, pre, normalizer=None, post=None, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer, t.decoder = pre, decoders.ByteLevel()
    if normalizer:
        t.normalizer = normalizer
    t.post_processor = post or processors.ByteLevel(trim_offsets=False)
    return train(t, texts)


def split(pattern):
    return P.Sequence([P.Split(Regex(pattern), "isolated"), BYTES])


def fallback(texts, normalizer, pre, decoder, fuse=True):
    t = Tokenizer(models.BPE(unk_token="<unk>"))
    t.pre_tokenizer = P.Metaspace()
    train(t, texts, 900, ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)], alphabet=False)
    j = json.loads(t.to_str())
    j["added_tokens"] = j["added_tokens"][:3]
    j["model"] |= {"fuse_unk": fuse, "byte_fallback": True}
    t = Tokenizer.from_str(json.dumps(j))
    t.normalizer, t.decoder = normalizer, decoder
    if pre:
        t.pre_tokenizer = pre
    else:
        j = json.loads(t.to_str())
        j["pre_tokenizer"] = None
        t = Tokenizer.from_str(json.dumps(j))
    return t


def words(texts, model, pre, normalizer=None, decoder=None):
    t = Tokenizer(model)
    t.pre_tokenizer = pre
    if normalizer:
        t.normalizer = normalizer
    t.decoder = decoder or decoders.WordPiece()
    return train(t, texts)


def with_added(t, *tokens):
    t.add_tokens(list(tokens))
    return t


def make(texts):
    space, under = "\u2581", "\u2581"
    llama = N.Sequence([N.Prepend(under), N.Replace(" ", under)])
    undo = decoders.Sequence([decoders.Replace(under, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    roberta = processors.RobertaProcessing(("<|b|>", 1), ("<|a|>", 0), trim_offsets=True, add_prefix_space=True)
    yield "gpt2", byte_bpe(texts, P.ByteLevel(add_prefix_space=False))
    yield "roberta", byte_bpe(texts, P.ByteLevel(add_prefix_space=True), post=roberta)
    yield "roberta_trim", byte_bpe(texts, P.ByteLevel(add_prefix_space=False), post=processors.ByteLevel(trim_offsets=True))
    yield "llama3", byte_bpe(texts, split(LLAMA3), ignore_merges=True)
    yield "cl100k", byte_bpe(texts, split(CL100K))
    yield "qwen", byte_bpe(texts, split(QWEN), N.NFC())
    yield "o200k", byte_bpe(texts, split(O200K))
    yield "deepseek", byte_bpe(texts, P.Sequence([P.Split(Regex(r"\p{N}{1,3}"), "isolated"), P.Split(Regex("[一-龥\u3040-ゟ゠-ヿ]+"), "isolated"), P.Split(Regex(DEEPSEEK), "isolated"), BYTES]))
    yield "byte_normalizer", byte_bpe(texts, P.Whitespace(), N.ByteLevel())
    yield "llama2", fallback(texts, llama, None, undo)
    yield "gemma", fallback(texts, N.Replace(" ", under), P.Split(" ", "merged_with_previous"), decoders.Sequence([decoders.Replace(under, " "), decoders.ByteFallback(), decoders.Fuse()]), fuse=False)
    yield "mistral", fallback(texts, N.Sequence([]), P.Metaspace(prepend_scheme="first", split=False), undo)
    yield "bert_uncased", words(texts, models.WordPiece(unk_token="[UNK]"), P.BertPreTokenizer(), N.BertNormalizer())
    t = words(texts, models.WordPiece(unk_token="[UNK]"), P.BertPreTokenizer(), N.BertNormalizer(lowercase=False))
    t.add_special_tokens(["[CLS]", "[SEP]"])
    t.post_processor = processors.BertProcessing(("[SEP]", t.token_to_id("[SEP]")), ("[CLS]", t.token_to_id("[CLS]")))
    yield "bert_cased", t
    yield "bert_accents", words(texts, models.WordPiece(unk_token="[UNK]"), P.BertPreTokenizer(), N.BertNormalizer(strip_accents=True, lowercase=False, clean_text=False))
    yield "t5", words(texts, models.Unigram(), P.Metaspace(), N.Sequence([N.NFKC(), N.Replace(Regex(" {2,}"), " ")]), decoders.Metaspace())
    yield "unigram_first", words(texts, models.Unigram(), P.Sequence([P.WhitespaceSplit(), P.Metaspace(prepend_scheme="first")]), N.Nmt(), decoders.Metaspace(prepend_scheme="first"))
    yield "albert", words(texts, models.Unigram(), P.Metaspace(), N.Sequence([N.Replace("``", '"'), N.NFKD(), N.StripAccents(), N.Lowercase()]), decoders.Metaspace())
    for i, behavior in enumerate(["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]):
        pre = P.Sequence([P.Punctuation(behavior), P.Digits(individual_digits=i % 2 == 0), P.Split(Regex(r"\s+|[aeiou]"), behavior, invert=i % 2 == 1)])
        yield "split_" + behavior, words(texts, models.WordLevel(unk_token="[UNK]"), pre, [N.NFD(), N.NFKC(), N.NFC(), N.Strip(), N.Lowercase()][i])
    yield "whitespace", words(texts, models.WordLevel(unk_token="[UNK]"), P.Sequence([P.Whitespace(), P.FixedLength(3)]), N.Sequence([N.Strip(left=True, right=False), N.NFKD()]))
    added = [AddedToken("<tool>", lstrip=True), AddedToken("<|x|>", rstrip=True, special=True), AddedToken("the", single_word=True, normalized=False),
             AddedToken("Été", normalized=True), AddedToken("  ", normalized=False), AddedToken("<y>", lstrip=True, rstrip=True, normalized=False), AddedToken("<|x", normalized=False)]
    yield "added_bytes", with_added(byte_bpe(texts, split(LLAMA3), N.Sequence([N.Lowercase(), N.NFC()])), *added)
    yield "added_bert", with_added(words(texts, models.WordPiece(unk_token="[UNK]"), P.BertPreTokenizer(), N.BertNormalizer()), *added)
    yield "added_llama", with_added(fallback(texts, llama, None, undo), *added)
    yield "added_first", with_added(fallback(texts, N.Sequence([N.Strip()]), P.Metaspace(prepend_scheme="first"), undo), *added)
    t = Tokenizer(models.BPE(unk_token="<|a|>", continuing_subword_prefix="##", end_of_word_suffix="</w>"))
    t.pre_tokenizer, t.decoder = P.Whitespace(), decoders.BPEDecoder()
    t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=600, special_tokens=["<|a|>"], continuing_subword_prefix="##", end_of_word_suffix="</w>", show_progress=False))
    yield "affixes", t


FRAGMENTS = ["don't", "WE'LL", "'ſ", "'S", "naïve", "cafe\u0301", "ﬁ", "Å", "ß", "İ", "ς", "你好", "日本語", "한국어", "\u1112\u1161\u11ab", "हिन्दी", "ไทย", "עִבְ", "العَرَبِيّة",
             "🔥", "👍🏽", "👨‍👩‍👧", "🇫🇷", "❤️", "e\u0301\u0323", "e\u0323\u0301", "１２３", "²½", "12345", "3.14", "_a", "#", "$", "“", "—", "…", "\t", "\n", "\r\n", " ", "  ", "   ",
             "\u00a0", "\u200b", "\u200d", "\u3000", "\ufeff", "\u2028", "\x07", "\x00", "\x85", "\ufffd", "𝕳", "𐍈", "the", "The ", "<s>", "</s>", "<unk>", "<0x41>", "▁", "##ing", "Ġ",
             "<|a|>", "<|b|>", "<|x|>", "<|x", "<tool>", "<y>", "Été", "ÉTÉ", "été", "e\u0301te\u0301", "[CLS]", "\u0344", "\u0f73", "\u0f71\u0f72", "\uac00\u11a8", "\u1100\u1161", "\u00b5", "\u212b", "\u1e9e", "``"]


def random_string(r, text):
    out = []
    for _ in range(r.choice([1, 2, 3, 5, 8, 13])):
        k = r.random()
        if k < 0.35:
            out.append(r.choice(FRAGMENTS))
        elif k < 0.6:
            at = r.randrange(len(text) - 60)
            out.append(text[at:at + r.randrange(1, 60)])
        elif k < 0.7:
            out.append("".join(chr(r.randrange(32, 127)) for _ in range(r.randrange(1, 12))))
        elif k < 0.8:
            block = r.choice([0x80, 0x300, 0x370, 0x590, 0x900, 0xe00, 0x1100, 0x1e00, 0x2000, 0x3000, 0xa700, 0xac00, 0xfb00, 0xff00, 0x10a00, 0x11100, 0x1d100, 0x1f300])
            out.append("".join(chr(block + r.randrange(0x100)) for _ in range(r.randrange(1, 6))))
        elif k < 0.9:
            c = [r.randrange(0x20000) for _ in range(r.randrange(1, 4))]
            out.append("".join(chr(x) for x in c if not 0xd800 <= x < 0xe000))
        elif k < 0.95:
            c = r.randrange(0x110000)
            out.append(chr(c) if not 0xd800 <= c < 0xe000 else "?")
        else:
            out.append(r.choice([" ", "a", "\n", "'", "e\u0301"]) * r.randrange(1, 40))
    return "".join(out)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--text", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--only", default="")
    a = p.parse_args()
    text = open(a.text, encoding="utf-8").read()
    texts = text[:200_000].split("\n\n") + ["é ü ß 你好 日本 🔥 0123456789 été naïve"] * 20
    for name, t in make(texts):
        if a.only and name not in a.only.split(","):
            continue
        r = random.Random(f"{a.seed} {name}")
        d = f"{a.out}/{name}"
        os.makedirs(d, exist_ok=True)
        t.save(f"{d}/tokenizer.json")
        t = Tokenizer.from_file(f"{d}/tokenizer.json")
        cases, pairs, batch = [], [], []
        for _ in range(a.count):
            s = random_string(r, text)
            e = t.encode(s)
            cases.append({"text": s, "ids": e.ids, "tokens": e.tokens, "offsets": e.offsets, "ids_without_special": t.encode(s, add_special_tokens=False).ids,
                          "decoded": t.decode(e.ids, skip_special_tokens=False), "decoded_skipping_special": t.decode(e.ids)})
        for _ in range(max(a.count // 20, 3)):
            x, y = random_string(r, text), random_string(r, text)
            e = t.encode(x, y)
            pairs.append({"text": x, "pair": y, "ids": e.ids, "type_ids": e.type_ids, "special_tokens_mask": e.special_tokens_mask})
        t.enable_truncation(8)
        t.enable_padding(length=10, pad_id=0, pad_token=t.id_to_token(0))
        for _ in range(max(a.count // 20, 3)):
            s = random_string(r, text)
            e = t.encode(s)
            batch.append({"text": s, "ids": e.ids, "attention_mask": e.attention_mask})
        json.dump({"cases": cases, "pairs": pairs, "batch": batch}, open(f"{d}/cases.json", "w"))


if __name__ == "__main__":
    main()
