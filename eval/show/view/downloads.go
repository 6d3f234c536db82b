package view

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// downloaded is an attempt in a download.
type downloaded struct {
	Episode      string         `json:"episode"`
	Env          string         `json:"env"`
	Task         string         `json:"task"`
	Type         string         `json:"type"`
	Model        string         `json:"model"`
	Agent        string         `json:"agent"`
	Seed         int64          `json:"seed"`
	Perturbation string         `json:"perturbation"`
	Preset       string         `json:"preset"`
	Trial        int            `json:"trial"`
	Outcome      record.Outcome `json:"outcome"`
	Reason       string         `json:"reason"`
	Progress     float64        `json:"progress"`
	Steps        int            `json:"steps"`
	Grounding    float64        `json:"grounding"`
	FormatErrors int            `json:"format_errors"`
	ReplyTokens  int            `json:"reply_tokens"`
	Error        string         `json:"error,omitempty"`
}

func newDownloaded(a trajectory.Attempts, i int) downloaded {
	r := a.Result(i)
	return downloaded{trajectory.Name(&r), r.Env, r.Task, r.TaskType, r.Model, r.Agent, r.Seed, r.Perturbation,
		r.Preset, r.Trial, r.Outcome, a.Reason(i).Label(), r.Progress, r.Steps, r.Grounding, r.FormatErrors,
		r.CompletionTokens, r.Error}
}

// csvHead are the keys of a download, without the error.
var csvHead = []string{"episode", "env", "task", "type", "model", "agent", "seed", "perturbation", "preset", "trial",
	"outcome", "reason", "progress", "steps", "grounding", "format_errors", "reply_tokens"}

// line is the attempt as a line of CSV.
func (d *downloaded) line() []string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	out := []string{d.Episode, d.Env, d.Task, d.Type, d.Model, d.Agent, "", d.Perturbation, d.Preset, "",
		string(d.Outcome), d.Reason}
	for i, text := range out {
		out[i] = table.NoFormula(table.Printable(text))
	}
	out[6], out[9] = strconv.FormatInt(d.Seed, 10), strconv.Itoa(d.Trial)
	return append(out, number(d.Progress), strconv.Itoa(d.Steps), number(d.Grounding), strconv.Itoa(d.FormatErrors),
		strconv.Itoa(d.ReplyTokens))
}

// longPatience is how long a download waits for the first reading of a run.
const longPatience = time.Minute

// download sends all attempts that a filter chooses, as CSV or as JSON.
func (s *Server) download(w http.ResponseWriter, request *http.Request) {
	r, err := s.run(request.PathValue("run"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	var results record.Results
	err = r.look(r.note(s.readers), longPatience, func(x *record.Index, _ Summary) { results = x.Results() })
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	query := request.URL.Query()
	filter := trajectory.ReadFilter(query.Get)
	attempts := attemptsOf(results)
	_, found := filter.Choose(attempts)
	trajectory.Order(query.Get("sort")).Sort(found, attempts)
	if filter.Text != "" {
		if found, err = s.matching(request.Context(), filter, results, found); err != nil {
			return // the browser has gone
		}
	}
	write, kind := writeCSV, "text/csv"
	if request.PathValue("file") == "episodes.json" {
		write, kind = writeJSON, "application/json"
	} else if request.PathValue("file") != "episodes.csv" {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	w.Header().Set("Content-Disposition", "attachment; filename="+strconv.Quote(request.PathValue("file")))
	b := bufio.NewWriter(w)
	if write(b, attempts, found) == nil {
		_ = b.Flush() // an error is one of the connection
	}
}

// matching are the found attempts that have the text of a filter.
func (s *Server) matching(ctx context.Context, f trajectory.Filter, results record.Results, found []int) ([]int,
	error) {
	leave, err := s.occupy(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	var out []int
	_, err = results.Search(ctx, found, f.Text, func(n int, e *record.Episode) bool {
		if f.Hit(e) != nil {
			out = append(out, found[n])
		}
		return true
	})
	return out, err
}

func writeCSV(w io.Writer, a trajectory.Attempts, found []int) error {
	c := csv.NewWriter(w)
	err := c.Write(csvHead)
	for _, i := range found {
		d := newDownloaded(a, i)
		if err = c.Write(d.line()); err != nil {
			return err
		}
	}
	c.Flush()
	return err
}

func writeJSON(w io.Writer, a trajectory.Attempts, found []int) error {
	separator := "[\n"
	for _, i := range found {
		text, err := json.Marshal(newDownloaded(a, i))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator+string(table.PrintableJSON(text))); err != nil {
			return err
		}
		separator = ",\n"
	}
	if len(found) == 0 {
		separator += "]\n"
	} else {
		separator = "\n]\n"
	}
	_, err := io.WriteString(w, separator)
	return err
}
