package serve

import (
	"strings"

	"cresset/text/serving"
	"cresset/text/tokenizer"
)

// completionScores are the probabilities of a completion's tokens.
type completionScores struct {
	Tokens  []string             `json:"tokens"`
	Scores  []float64            `json:"token_logprobs"`
	Top     []map[string]float64 `json:"top_logprobs"`
	Offsets []int                `json:"text_offset"`
}

// chatScores are those of a chat's.
type chatScores struct {
	Content []chatScore `json:"content"`
	Refusal *string     `json:"refusal"`
}

type chatScore struct {
	scoredToken
	Top []scoredToken `json:"top_logprobs"`
}

type scoredToken struct {
	Token   string  `json:"token"`
	LogProb float64 `json:"logprob"`
	Bytes   []int   `json:"bytes"`
}

// scores returns the probabilities of tokens in the form of the answer. Offset is where they begin in the text, and then where they end.
func (a *answer) scores(tokens []serving.Token, offset *int) any {
	if a.job.form.chat {
		out := chatScores{Content: []chatScore{}}
		for _, t := range tokens {
			s := chatScore{a.scoredToken(t.ID, t.LogProb), []scoredToken{}}
			for _, other := range t.Likeliest {
				s.Top = append(s.Top, a.scoredToken(other.ID, other.LogProb))
			}
			out.Content = append(out.Content, s)
		}
		return out
	}
	out := completionScores{[]string{}, []float64{}, []map[string]float64{}, []int{}}
	for _, t := range tokens {
		text, top := a.server.textOf(t.ID), make(map[string]float64)
		for _, other := range t.Likeliest {
			if name := a.server.textOf(other.ID); top[name] == 0 { // of tokens that are written alike, the likeliest stands
				top[name] = other.LogProb
			}
		}
		if top[text] == 0 {
			top[text] = t.LogProb
		}
		out.Tokens, out.Scores = append(out.Tokens, text), append(out.Scores, t.LogProb)
		out.Top, out.Offsets = append(out.Top, top), append(out.Offsets, *offset)
		*offset += len([]rune(text))
	}
	return out
}

func (a *answer) scoredToken(id int, logProb float64) scoredToken {
	s := scoredToken{a.server.textOf(id), logProb, []int{}}
	for _, b := range []byte(s.Token) {
		s.Bytes = append(s.Bytes, int(b))
	}
	return s
}

// textOf returns what a token adds to a text. It is written behind another, as some tokenizers leave out a space at the beginning.
func (s *Server) textOf(id int) string {
	keep := tokenizer.SkipSpecialTokens(false)
	one, err := s.Words.Decode([]int{id}, keep)
	if err != nil {
		return ""
	}
	two, err := s.Words.Decode([]int{id, id}, keep)
	if rest, found := strings.CutPrefix(two, one); found && err == nil {
		return rest
	}
	return one
}
