// Package data reads data sets and feeds them to a training loop.
//
// [ReadIDXDir], [ReadCIFAR10Dir] and [Glyphs] give [Images], [ReadCSVFile] gives a [Table]. Both are plain Go values and both are a
// [Dataset], which a [Loader] cuts into batches of tensors. [Items] makes a data set of whatever a program can make one sample of,
// [Stream] of what comes one after another; [RandomSplit], [NewSubset] and [NewConcat] make data sets of data sets.
//
// The batches of a Loader, and the random numbers in them, follow from the seed alone: workers make them ahead of the loop, and any
// number of workers makes the same.
//
// Files are not trusted: one that is cut short, lies about its size or holds what it should not is a [*FormatError], and no
// more memory is taken than there are bytes to fill it.
package data
