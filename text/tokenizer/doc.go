// Package tokenizer makes tokens of text and text of tokens, as Hugging Face's tokenizers do with the same files.
//
// [Load] reads a folder that holds tokenizer.json, the vocab.json and merges.txt of GPT-2, or the vocab.txt of BERT. A text goes through
// added tokens, which are found first; the normalizer, which changes characters; the pre-tokenizer, which cuts words; the model, which
// makes tokens of words (byte-level BPE, BPE with byte fallback, WordPiece, Unigram); and the post-processor, which adds tokens around.
//
//	t, err := tokenizer.Load("bert-base-uncased")
//	e, err := t.EncodePair("Who wrote it?", "Shakespeare did.", tokenizer.Truncation{MaxLength: 512})
//	answer, err := t.Decode(e.IDs)
//
// [Tokenizer.NewStream] decodes tokens as a model generates them, and [Train] makes a tokenizer of bytes from a text.
// [Tokenizer.ApplyChatTemplate] writes a chat as a model was trained on it.
//
// Ids, tokens and masks are those of tokenizers 0.23. Offsets are bytes of the text, so that text[o.Start:o.End] is what a token stands
// for, where Python has characters.
//
// Files are not trusted: what one asks for and this package does not have is an [*Error] that names it, and neither a file nor a text can
// make it panic or run without end.
package tokenizer
