// Package data reads data sets and feeds them to a training loop.
//
// [ReadIDXDir] and [Glyphs] give [Images], [ReadCSVFile] gives a [Table]. Both are plain Go values and both are a [Dataset],
// which a [Loader] cuts into batches of tensors.
//
// Files are not trusted: one that is cut short, lies about its size or holds what it should not is a [*FormatError], and no
// more memory is taken than there are bytes to fill it.
package data
