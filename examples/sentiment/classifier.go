package main

import (
	"cresset/nn"
	"cresset/tensor"
)

// classifier reads words one after the other, from both ends, and scores what it remembers.
type classifier struct {
	Words *nn.Embedding
	LSTM  *nn.LSTM
	Score *nn.Linear
}

func newClassifier(words, width, hidden int) *classifier {
	return &classifier{
		Words: nn.NewEmbedding(words, width),
		LSTM:  nn.NewLSTM(width, hidden, nn.Bidirectional(true)),
		Score: nn.NewLinear(2*hidden, 1),
	}
}

// Forward returns a score for each sequence of numbers of words: above 0 for praise.
func (c *classifier) Forward(reviews nn.PackedSequence) *tensor.Tensor {
	reviews.Data = c.Words.Forward(reviews.Data)
	_, last, _ := c.LSTM.ForwardPacked(reviews, nil, nil)
	ends := last.Transpose(0, 1).Flatten(1, -1) // of each review: the last state from the left, and from the right
	return c.Score.Forward(ends).SqueezeAxis(1)
}
