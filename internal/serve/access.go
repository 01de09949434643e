package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// guarded is a page for those who show the server's token. What does not match takes as long to compare as what does.
func (s *Server) guarded(p page) page {
	if s.Token == "" {
		return p
	}
	want := sha256.Sum256([]byte(s.Token))
	return func(w http.ResponseWriter, r *http.Request) error {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			return p(w, r)
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		text := "Incorrect API key provided"
		if r.Header.Get("Authorization") == "" {
			text = "You didn't provide an API key. It belongs into the header Authorization: Bearer KEY"
		}
		return &problem{http.StatusUnauthorized, text, invalid, "", "invalid_api_key"}
	}
}
