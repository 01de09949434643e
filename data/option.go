package data

import (
	"cresset/device"
	"cresset/tensor"
)

// The options of each function are values of an interface of its own; what a function does not take does not compile.
type (
	// LoaderOption is an option of NewLoader: a *Sampler, a *BatchSampler, or what a function of this package returns as one.
	LoaderOption interface {
		setter
		loader()
	}
	// StreamLoaderOption is an option of NewStreamLoader.
	StreamLoaderOption interface {
		setter
		streamLoader()
	}
	// AnyLoaderOption is an option of NewLoader and NewStreamLoader.
	AnyLoaderOption interface {
		LoaderOption
		StreamLoaderOption
	}
	// RandomSamplerOption is an option of NewRandomSampler.
	RandomSamplerOption interface {
		setter
		randomSampler()
	}
	// WeightedSamplerOption is an option of NewWeightedRandomSampler.
	WeightedSamplerOption interface {
		setter
		weightedSampler()
	}
	// SamplerOption is an option of NewSampler and NewSubsetRandomSampler.
	SamplerOption interface {
		setter
		anySampler()
	}
	// DistributedSamplerOption is an option of NewDistributedSampler.
	DistributedSamplerOption interface {
		setter
		distributedSampler()
	}
	// BatchSamplerOption is an option of NewBatchSampler.
	BatchSamplerOption interface {
		setter
		batchSampler()
	}
	// SplitOption is an option of RandomSplit.
	SplitOption interface {
		setter
		split()
	}
	// GlyphOption is an option of Glyphs.
	GlyphOption interface {
		setter
		glyphs()
	}

	// GeneratorOption is what Generator returns.
	GeneratorOption interface {
		AnyLoaderOption
		RandomSamplerOption
		WeightedSamplerOption
		SamplerOption
		SplitOption
	}
	// ReplacementOption is what Replacement returns.
	ReplacementOption interface {
		RandomSamplerOption
		WeightedSamplerOption
	}
	// ShuffleOption is what Shuffle returns.
	ShuffleOption interface {
		LoaderOption
		DistributedSamplerOption
	}
	// DropLastOption is what DropLast returns.
	DropLastOption interface {
		AnyLoaderOption
		DistributedSamplerOption
		BatchSamplerOption
	}
	// SeedOption is what Seed returns.
	SeedOption interface {
		DistributedSamplerOption
		GlyphOption
	}
)

type setter interface{ set(*options) }

// options are what all functions of the package can be asked for.
type options struct {
	batchSize, workers, prefetch *int
	buffer                       *int
	shuffle                      *bool
	dropLast, scopes             bool
	pin                          *bool
	to                           *device.Device
	generator                    *tensor.Generator
	sampler                      *Sampler
	batches                      *BatchSampler
	replicas, rank               int // of SplitBatches; 0 where each batch is whole
	replacement                  *bool
	samples                      *int
	seed                         uint64
	train                        bool // of Glyphs
	count                        *int
}

func optionsOf[O setter](opts []O) (o options) {
	for _, option := range opts {
		option.set(&o)
	}
	return o
}

// or returns what an option was set to, or else its default.
func or[T any](set *T, usual T) T {
	if set == nil {
		return usual
	}
	return *set
}

// option sets an option. It satisfies every interface; which functions take it, the result type of its constructor says.
type option func(*options)

func (f option) set(o *options)    { f(o) }
func (option) loader()             {}
func (option) streamLoader()       {}
func (option) randomSampler()      {}
func (option) weightedSampler()    {}
func (option) anySampler()         {}
func (option) distributedSampler() {}
func (option) batchSampler()       {}
func (option) split()              {}
func (option) glyphs()             {}

// BatchSize is the number of samples in a batch, 1 unless given.
func BatchSize(n int) AnyLoaderOption { return option(func(o *options) { o.batchSize = &n }) }

// Shuffle goes through the samples in a new random order each time. A distributed sampler does so unless told otherwise.
func Shuffle(on bool) ShuffleOption { return option(func(o *options) { o.shuffle = &on }) }

// DropLast leaves out the last batch where it is smaller than the others. A distributed sampler leaves out the samples that would
// make some shares longer than others, where it repeats samples unless told so.
func DropLast(on bool) DropLastOption { return option(func(o *options) { o.dropLast = on }) }

// Workers is the number of goroutines that make batches ahead of the loop, one each at a time. With 0, the default, the
// loop's own goroutine makes each batch when it is asked for. The batches are the same for any number.
func Workers(n int) AnyLoaderOption { return option(func(o *options) { o.workers = &n }) }

// PrefetchFactor is the number of batches for each worker that are made, or are being made, ahead of the loop, 2 unless given.
func PrefetchFactor(n int) AnyLoaderOption { return option(func(o *options) { o.prefetch = &n }) }

// Generator draws what is random, the order of a shuffled data set and the seeds of its samples; unless given,
// tensor.ManualSeed decides.
func Generator(g *tensor.Generator) GeneratorOption {
	return option(func(o *options) { o.generator = g })
}

// Scopes gives each batch a scope that closes when the loop advances.
func Scopes(on bool) AnyLoaderOption { return option(func(o *options) { o.scopes = on }) }

// PinMemory copies each batch into memory that GPUs read by themselves, as To a GPU does unless told otherwise. Without a GPU that is an error.
func PinMemory(on bool) AnyLoaderOption { return option(func(o *options) { o.pin = &on }) }

// To copies each batch to a device, on workers ahead of the loop. Copies to a GPU go through pinned memory, beside its kernels, and nobody waits
// for them but the ops that read the batch.
func To(d device.Device) AnyLoaderOption { return option(func(o *options) { o.to = &d }) }

// ShuffleBuffer is the number of samples of a stream that are kept back so that they come in a random order.
func ShuffleBuffer(n int) StreamLoaderOption { return option(func(o *options) { o.buffer = &n }) }

// Replacement lets an epoch have a sample more than once. A weighted sampler does so unless told otherwise.
func Replacement(on bool) ReplacementOption { return option(func(o *options) { o.replacement = &on }) }

// NumSamples is the number of samples in an epoch, as many as the data set has unless given.
func NumSamples(n int) RandomSamplerOption { return option(func(o *options) { o.samples = &n }) }

// Seed gives other numbers with each seed; it is 0 unless given.
func Seed(seed uint64) SeedOption { return option(func(o *options) { o.seed = seed }) }

// Train chooses the training set, as Glyphs does unless told otherwise, or the test set, which shares no picture with it.
func Train(on bool) GlyphOption { return option(func(o *options) { o.train = on }) }

// Count is the number of pictures; unless given there are 8,000 for training and 2,000 for testing.
func Count(n int) GlyphOption { return option(func(o *options) { o.count = &n }) }
