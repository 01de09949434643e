package data

import (
	"context"
	"iter"
	"math/rand/v2"

	"cresset/tensor"
)

// Stream is a data set whose samples, of a type S, come one after another: out of a pipe, a network, files that are larger than memory.
// They are collated into batches of a type B.
type Stream[S, B any] struct {
	// Read goes through the samples of an epoch, and ends where ctx does. An error ends the epoch.
	Read func(ctx context.Context) iter.Seq2[S, error]

	// Transform changes a sample, on the workers where there are any; nil leaves it as it is. Its random numbers come from g,
	// which is of the sample's place in the epoch.
	Transform func(sample S, g *tensor.Generator) (S, error)

	// Collate makes a batch of samples; where it is nil the function Collate does.
	Collate func(samples []S) (B, error)
}

// NewStreamLoader returns a Loader over a stream. Samples are read by one goroutine, and workers transform and collate them. A
// Loader that is resumed in the middle of an epoch reads over the samples that the loop has had. Its Len panics.
func NewStreamLoader[S, B any](s *Stream[S, B], opts ...StreamLoaderOption) *Loader[B] {
	if s == nil || s.Read == nil {
		refuse(tensor.ErrValue, "a Loader needs a stream that can be read")
	}
	o := optionsOf(opts)
	o.check()
	if size := or(o.batchSize, 1); size < 1 {
		refuse(tensor.ErrValue, "batch_size should be a positive integer value, but got batch_size=%d", size)
	}
	if o.buffer != nil && *o.buffer < 1 {
		refuse(tensor.ErrValue, "buffer_size should be larger than 0, but got %d", *o.buffer)
	}
	return &Loader[B]{options: o, read: func(ctx context.Context, p *pass) iter.Seq[job[B]] {
		return s.jobs(s.Read(ctx), &o, p)
	}}
}

// jobs cuts what is read into batches, and leaves out those that are not to be made.
func (s *Stream[S, B]) jobs(samples iter.Seq2[S, error], o *options, p *pass) iter.Seq[job[B]] {
	size := or(o.batchSize, 1)
	return func(yield func(job[B]) bool) {
		batch, place := []S{}, 0
		give := func() bool {
			whole, first := batch, place
			batch, place = []S{}, place+len(batch)
			return first/size < p.started || yield(func() (B, error) { return s.batch(whole, first, p.seed) })
		}
		for sample, err := range shuffledIn(o.buffer, samples, p.seed) {
			if err != nil {
				yield(func() (none B, _ error) { return none, err })
				return
			}
			if batch = append(batch, sample); len(batch) == size && !give() {
				return
			}
		}
		if len(batch) > 0 && !o.dropLast {
			give()
		}
	}
}

// batch makes a batch of samples, of which the first has this place in the epoch.
func (s *Stream[S, B]) batch(samples []S, first int, seed int64) (none B, err error) {
	for i := range samples {
		if s.Transform == nil {
			break
		}
		made := func() (err error) {
			samples[i], err = s.Transform(samples[i], tensor.NewGenerator(sampleSeed(seed, first+i, 0)))
			return err
		}
		if err := making(first+i, made); err != nil {
			return none, err
		}
	}
	if s.Collate != nil {
		return s.Collate(samples)
	}
	return Collate[B](samples)
}

// shuffledIn gives samples in a random order, as far as a buffer of so many samples can: each that comes takes the place of one that goes.
func shuffledIn[S any](buffer *int, samples iter.Seq2[S, error], seed int64) iter.Seq2[S, error] {
	if buffer == nil {
		return samples
	}
	return func(yield func(S, error) bool) {
		random := rand.New(rand.NewPCG(uint64(seed), 0))
		var waiting []S
		for sample, err := range samples {
			switch {
			case err != nil:
				yield(sample, err)
				return
			case len(waiting) < *buffer:
				waiting = append(waiting, sample)
				continue
			}
			at := random.IntN(len(waiting))
			sample, waiting[at] = waiting[at], sample
			if !yield(sample, nil) {
				return
			}
		}
		random.Shuffle(len(waiting), func(i, j int) { waiting[i], waiting[j] = waiting[j], waiting[i] })
		for _, sample := range waiting {
			if !yield(sample, nil) {
				return
			}
		}
	}
}
