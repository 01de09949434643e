package main

import (
	"math/rand/v2"
	"strings"
)

// The parts of a review: something, an opinion of it by one word, and what turns it round.
var (
	things   = []string{"the plot", "the music", "every actor", "the second half", "the ending"}
	good     = []string{"good", "great", "moving", "clever", "fun"}
	bad      = []string{"bad", "dull", "silly", "lifeless", "long"}
	plain    = []string{"T was O", "T was O and really O", "I found T O", "O is what T was", "T was O at all times"}
	reversed = []string{"T was not O", "T was not O at all", "nobody would call T O", "I never found T O", "T was anything but O"}
)

// vocabulary numbers all words that reviews have.
var vocabulary = number(things, good, bad, plain, reversed)

func number(lists ...[]string) map[string]int {
	numbers := map[string]int{}
	for _, list := range lists {
		for _, word := range strings.Fields(strings.Join(list, " ")) {
			if _, ok := numbers[word]; !ok {
				numbers[word] = len(numbers)
			}
		}
	}
	return numbers
}

// writer makes reviews by chance.
type writer struct{ *rand.Rand }

func newWriter(seed uint64) writer { return writer{rand.New(rand.NewPCG(seed, 0))} }

// reviews returns n reviews, word by word, and which of them praise: 1 or 0.
func (w writer) reviews(n int) (reviews [][]string, praise []float32) {
	for range n {
		words, kind := good, w.IntN(2)
		if kind == 0 {
			words = bad
		}
		form := plain
		if w.IntN(2) == 0 {
			form, kind = reversed, 1-kind
		}
		review := strings.ReplaceAll(w.one(form), "T", w.one(things))
		for strings.Contains(review, "O") {
			review = strings.Replace(review, "O", w.one(words), 1)
		}
		reviews, praise = append(reviews, strings.Fields(review)), append(praise, float32(kind))
	}
	return reviews, praise
}

func (w writer) one(list []string) string { return list[w.IntN(len(list))] }
