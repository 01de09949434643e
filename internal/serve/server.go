// Package serve answers HTTP requests for texts in the interface that most clients know: completions, chats and embeddings. It asks an engine of
// package serving for tokens, and is about requests, answers, limits and access alone.
package serve

import (
	"cmp"
	"net/http"
	"sync/atomic"
	"time"

	"cresset/text/generation"
	"cresset/text/serving"
	"cresset/text/tokenizer"
)

// Server is a model that is served, with what is granted to those who ask.
type Server struct {
	Name    string // of the model
	Words   *tokenizer.Tokenizer
	Engine  *serving.Engine    // writes texts; nil: the model does not
	Encoder *Encoder           // makes vectors of texts; nil: the model does not
	Usual   generation.Options // what requests leave open

	Limits
	Token string // that clients have to show; "": none

	started  time.Time
	draining atomic.Bool
	figures  *figures
}

// Limits are what a request may take. Those that are 0 have the defaults in brackets.
type Limits struct {
	Body        int64         // bytes of a request's body [1 MiB]
	Choices     int           // texts that a request asks for, of all its prompts [128]
	Inputs      int           // texts of a request for embeddings [2048]
	Tokens      int           // of an answer [what the model has room for]
	Time        time.Duration // from the first byte to the last [10 minutes]
	Silence     time.Duration // until a client has sent its request, or has taken what was sent [30 seconds]
	Connections int           // at once [1024]
}

func (l Limits) filled() Limits {
	l.Body = cmp.Or(l.Body, 1<<20)
	l.Choices, l.Inputs = cmp.Or(l.Choices, 128), cmp.Or(l.Inputs, 2048)
	l.Time, l.Silence = cmp.Or(l.Time, 10*time.Minute), cmp.Or(l.Silence, 30*time.Second)
	l.Connections = cmp.Or(l.Connections, 1024)
	return l
}

// Handler returns the pages of the server. The fields must not change any more.
func (s *Server) Handler() http.Handler {
	s.Limits = s.Limits.filled()
	s.started = time.Now()
	s.figures = newFigures(s)
	mux := http.NewServeMux()
	open := map[string]page{
		"GET /health":       s.ready,
		"GET /health/ready": s.ready,
		"GET /health/live":  func(w http.ResponseWriter, _ *http.Request) error { return reply(w, http.StatusOK, status("ok")) },
	}
	closed := map[string]page{
		"GET /metrics":              s.figures.page,
		"GET /v1/models":            s.listModels,
		"GET /v1/models/{model...}": s.showModel,
		"POST /v1/completions":      s.complete,
		"POST /v1/chat/completions": s.chat,
		"POST /v1/embeddings":       s.embed,
	}
	for pattern, p := range open {
		mux.Handle(pattern, s.figures.counted(pattern, s.bounded(p)))
	}
	for pattern, p := range closed {
		mux.Handle(pattern, s.figures.counted(pattern, s.bounded(s.guarded(p))))
	}
	mux.Handle("/", s.figures.counted("other", s.bounded(s.guarded(missing(mux)))))
	return mux
}

// page answers a request, or returns what is wrong with it as long as nothing was written.
type page func(w http.ResponseWriter, r *http.Request) error

// bounded is the handler of a page: clients that are slow are not waited for without end, and errors are told in the interface's form.
func (s *Server) bounded(p page) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		deadline := time.Now().Add(s.Silence)
		_ = c.SetReadDeadline(deadline) // a connection that has no deadlines is one of a test
		_ = c.SetWriteDeadline(deadline)
		if err := p(w, r); err != nil {
			_ = c.SetWriteDeadline(time.Now().Add(s.Silence))
			refuse(w, err)
		}
	})
}

// missing says that there is no such page, or none for the method.
func missing(mux *http.ServeMux) page {
	return func(w http.ResponseWriter, r *http.Request) error {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
			if _, pattern := mux.Handler(other); pattern != "/" && pattern != "" {
				w.Header().Set("Allow", method)
				return &problem{http.StatusMethodNotAllowed, "Not allowed to " + r.Method + " on " + r.URL.Path, invalid, "", "method_not_supported"}
			}
		}
		return &problem{http.StatusNotFound, "Invalid URL (" + r.Method + " " + r.URL.Path + ")", invalid, "", "unknown_url"}
	}
}

// ready tells whether requests are taken.
func (s *Server) ready(w http.ResponseWriter, _ *http.Request) error {
	if s.draining.Load() {
		return reply(w, http.StatusServiceUnavailable, status("ending"))
	}
	return reply(w, http.StatusOK, status("ok"))
}

func status(text string) map[string]string { return map[string]string{"status": text} }

// model is how the interface describes one.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (s *Server) model() model { return model{s.Name, "model", s.started.Unix(), "cresset"} }

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, map[string]any{"object": "list", "data": []model{s.model()}})
}

func (s *Server) showModel(w http.ResponseWriter, r *http.Request) error {
	if err := s.known(r.PathValue("model")); err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.model())
}

// known refuses other models than the one that is served.
func (s *Server) known(name string) error {
	if name == s.Name {
		return nil
	}
	if name == "" {
		return bad("model", "you must provide a model parameter")
	}
	return &problem{http.StatusNotFound, "The model `" + name + "` does not exist; `" + s.Name + "` does", invalid, "model", "model_not_found"}
}
