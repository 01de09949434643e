package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"cresset/text/serving"
)

// figures are what GET /metrics tells, in Prometheus's form.
type figures struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	first    prometheus.Histogram
}

// newFigures returns the figures of a server.
func newFigures(s *Server) *figures {
	buckets := []float64{0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300}
	f := &figures{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "cresset_http_requests_total", Help: "Requests that were answered."}, []string{"page", "code"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "cresset_http_request_seconds", Help: "Time of requests.", Buckets: buckets}, []string{"page"}),
		first:    prometheus.NewHistogram(prometheus.HistogramOpts{Name: "cresset_first_token_seconds", Help: "Time to the first token of answers.", Buckets: buckets}),
	}
	f.registry.MustRegister(f.requests, f.seconds, f.first, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if s.Engine != nil {
		f.ofEngine(s.Engine)
	}
	return f
}

// ofEngine adds the figures of an engine.
func (f *figures) ofEngine(e *serving.Engine) {
	for _, g := range []struct {
		name, help string
		value      func(serving.Stats) int
	}{
		{"cresset_texts_running", "Texts that are written now.", func(s serving.Stats) int { return s.Running }},
		{"cresset_texts_waiting", "Texts that wait for others to end.", func(s serving.Stats) int { return s.Waiting }},
		{"cresset_cache_tokens", "Tokens for which the cache of keys and values has room.", func(s serving.Stats) int { return s.CacheTokens }},
		{"cresset_cache_tokens_in_use", "Those that are taken.", func(s serving.Stats) int { return s.CacheInUse }},
		{"cresset_cache_bytes", "Memory of the cache.", func(s serving.Stats) int { return s.CacheBytes }},
	} {
		f.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: g.name, Help: g.help}, func() float64 { return float64(g.value(e.Stats())) }))
	}
	for _, c := range []struct {
		name, help string
		value      func(serving.Stats) int
	}{
		{"cresset_tokens_read_total", "Tokens that the model has read.", func(s serving.Stats) int { return s.Read }},
		{"cresset_tokens_written_total", "Tokens that it has written.", func(s serving.Stats) int { return s.Written }},
		{"cresset_steps_total", "Steps of the model.", func(s serving.Stats) int { return s.Steps }},
		{"cresset_texts_evicted_total", "Texts that lost their room in the cache and were read again.", func(s serving.Stats) int { return s.Evicted }},
	} {
		f.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: c.name, Help: c.help}, func() float64 { return float64(c.value(e.Stats())) }))
	}
}

// page tells the figures.
func (f *figures) page(w http.ResponseWriter, r *http.Request) error {
	promhttp.HandlerFor(f.registry, promhttp.HandlerOpts{}).ServeHTTP(w, r)
	return nil
}

// counted counts the requests of a page and their time.
func (f *figures) counted(name string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			f.requests.WithLabelValues(name, strconv.Itoa(seen.status)).Inc()
			f.seconds.WithLabelValues(name).Observe(time.Since(start).Seconds())
		}()
		h.ServeHTTP(seen, r)
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap gives http.ResponseController what it needs.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
