package serve

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"cresset/text/serving"
)

// figures are what GET /metrics tells, in Prometheus's form.
type figures struct {
	set    *metrics.Set
	first  *metrics.PrometheusHistogram
	engine *serving.Engine
}

// buckets are upper bounds of times, in seconds.
var buckets = []float64{0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300}

// newFigures returns the figures of a server.
func newFigures(s *Server) *figures {
	metrics.ExposeMetadata(true) // the type of each figure
	set := metrics.NewSet()
	return &figures{set, set.NewPrometheusHistogramExt("cresset_first_token_seconds", buckets), s.Engine}
}

// page tells the figures.
func (f *figures) page(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	f.set.WritePrometheus(w)
	if f.engine != nil {
		writeEngine(w, f.engine.Stats())
	}
	metrics.WriteProcessMetrics(w)
	return nil
}

// writeEngine tells the figures of an engine.
func writeEngine(w io.Writer, s serving.Stats) {
	gauge := func(name string, value int) { metrics.WriteGaugeUint64(w, name, uint64(value)) }
	gauge("cresset_texts_running", s.Running)
	gauge("cresset_texts_waiting", s.Waiting)
	gauge("cresset_cache_tokens", s.CacheTokens)
	gauge("cresset_cache_tokens_in_use", s.CacheInUse)
	gauge("cresset_cache_bytes", s.CacheBytes)
	counter := func(name string, value int) { metrics.WriteCounterUint64(w, name, uint64(value)) }
	counter("cresset_tokens_read_total", s.Read)
	counter("cresset_tokens_written_total", s.Written)
	counter("cresset_steps_total", s.Steps)
	counter("cresset_texts_evicted_total", s.Evicted)
}

// counted counts the requests of a page and their time.
func (f *figures) counted(name string, h http.Handler) http.Handler {
	seconds := fmt.Sprintf("cresset_http_request_seconds{page=%q}", name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			f.set.GetOrCreateCounter(fmt.Sprintf("cresset_http_requests_total{code=\"%d\",page=%q}", seen.status, name)).Inc()
			f.set.GetOrCreatePrometheusHistogramExt(seconds, buckets).UpdateDuration(start)
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
