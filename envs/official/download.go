package official

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/natefinch/atomic"

	"heldout/envs/address"
	"heldout/envs/datafile"
)

// The waits and attempts of a download. Attempts count anew whenever something arrived.
const (
	attempts    = 6
	firstWait   = time.Second
	longestWait = time.Minute
	// stall is how long a server may send nothing.
	stall = time.Minute
)

// look is after how many bytes a download looks again whether the disk has room.
const look = 64 << 20

// Progress says how far a download is.
type Progress struct {
	Source string
	// Bytes of Total are there; Total is 0 if the server does not say it.
	Bytes, Total int64
}

// downloader fetches files over HTTP, and continues what was interrupted.
type downloader struct {
	http      *http.Client
	userAgent string
	tell      func(Progress)
	stall     time.Duration
	wait      time.Duration // the first one between two attempts
	free      func(dir string) (int64, error)
}

func newDownloader(proxy func(*http.Request) (*url.URL, error), userAgent string, tell func(Progress)) *downloader {
	d := &downloader{userAgent: userAgent, tell: tell, stall: stall, wait: firstWait, free: freeSpace}
	d.http = &http.Client{
		Transport: &http.Transport{
			Proxy: proxy, ForceAttemptHTTP2: true, TLSHandshakeTimeout: stall, ResponseHeaderTimeout: stall,
			DisableCompression: true, // ranges count bytes of the file, not of its compressed form
		},
		CheckRedirect: checkRedirect,
	}
	return d
}

// checkRedirect follows a server to another address, but not from https to http.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("the server redirects without end")
	}
	if via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("the server redirects from https to %s", address.Plain(req.URL.String()))
	}
	return nil
}

// download is the state of a file being fetched, kept beside it for other processes.
type download struct {
	// Address is the SHA-256 of the address, which may hold a password.
	Address string `json:"address"`
	// Validator is the ETag or date by which the server says that the file is
	// still the same; "" if it says nothing, and then nothing is continued.
	Validator string `json:"validator"`
	// Total is the file's size in bytes, -1 if it is not known.
	Total int64 `json:"total"`
	// Linked is the SHA-256 that Hugging Face tells of a large file.
	Linked string `json:"linked,omitempty"`
	Done   bool   `json:"done"`
}

// fetch downloads a source to a file, continuing what is there, and checks its SHA-256 where that is known.
func (d *downloader) fetch(ctx context.Context, s PublishedFile, file string) error {
	state := readDownload(file)
	if sum := datafile.Hash(s.URL); state.Address != sum {
		state = download{Address: sum}
		if err := forget(file); err != nil {
			return err
		}
	}
	if !state.Done {
		if err := d.retry(ctx, s, file, &state); err != nil {
			return err
		}
	}
	return verify(s, file, state)
}

// verify checks a file that has arrived, and deletes a wrong one: it is fetched anew.
func verify(s PublishedFile, file string, state download) error {
	want := cmp.Or(s.SHA256, state.Linked)
	if want == "" {
		return nil
	}
	sum, err := datafile.Sum(file)
	if err != nil || sum == want {
		return err
	}
	return errors.Join(fmt.Errorf("%s: what %s sent has the SHA-256 %s, want %s; it is not kept", s.Name, s.Address(),
		sum, want), forget(file))
}

// retry tries until the file is there or there is no more hope.
func (d *downloader) retry(ctx context.Context, s PublishedFile, file string, state *download) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = d.wait, longestWait
	var err error
	for try := 0; try < attempts; try++ {
		if try > 0 {
			select {
			case <-time.After(wait.NextBackOff()):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		size := sizeOf(file)
		if err = d.once(ctx, s, file, state); err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if permanent := new(backoff.PermanentError); errors.As(err, &permanent) {
			err = fmt.Errorf("%s: %w", s.Name, permanent.Err)
			if errors.As(err, new(*sizeError)) {
				err = errors.Join(err, forget(file))
			}
			return err
		}
		if sizeOf(file) > size {
			try = 0
			wait.Reset()
		}
	}
	return fmt.Errorf("%s: %w; give the same command again to continue", s.Name, err)
}

func (d *downloader) once(ctx context.Context, s PublishedFile, file string, state *download) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	resp, err := d.request(ctx, s, sizeOf(file), state)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	offset, err := state.accept(resp, sizeOf(file))
	if err != nil {
		return err
	}
	if limit := s.limit(); max(state.Total, offset) > limit {
		return backoff.Permanent(&sizeError{limit})
	}
	if err := writeDownload(file, *state); err != nil {
		return backoff.Permanent(err)
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return backoff.Permanent(err)
	}
	body := &watched{r: resp.Body, timer: time.AfterFunc(d.stall, func() { cancel(errStalled) }), stall: d.stall,
		offset: offset, total: state.Total, limit: s.limit(), source: s.Name, tell: d.tell,
		room: func(n int64) error { return room(filepath.Dir(file), n, d.free) }}
	defer body.timer.Stop()
	err = errors.Join(out.Truncate(offset), body.copyTo(ctx, out, offset), out.Sync(), out.Close())
	if err != nil {
		return err
	}
	if state.Total >= 0 && body.offset != state.Total {
		return fmt.Errorf("%d of %d bytes arrived", body.offset, state.Total)
	}
	state.Done = true
	return writeDownload(file, *state)
}

// request asks for the part of the file that is not there yet.
func (d *downloader) request(ctx context.Context, s PublishedFile, have int64, state *download) (*http.Response,
	error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, backoff.Permanent(fmt.Errorf("%s is not an address", s.Address()))
	}
	req.Header.Set("User-Agent", d.userAgent)
	if have > 0 && state.Validator != "" {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
		req.Header.Set("If-Range", state.Validator)
	}
	resp, err := d.http.Do(req)
	if err != nil {
		var long *url.Error // which has the whole address
		if errors.As(err, &long) {
			err = long.Err
		}
		return nil, fmt.Errorf("%s does not answer: %w", s.Address(), err)
	}
	if hop := resp.Request.Response; hop != nil {
		if sum := strings.Trim(hop.Header.Get("X-Linked-Etag"), `"`); hexSum.MatchString(sum) {
			state.Linked = sum
		}
	}
	switch status := resp.StatusCode; {
	case status == http.StatusOK, status == http.StatusPartialContent,
		status == http.StatusRequestedRangeNotSatisfiable:
		return resp, nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		err = fmt.Errorf("%s: %s", s.Address(), resp.Status)
	default:
		err = backoff.Permanent(fmt.Errorf("%s: %s; --source %s=URL|FILE names another address", s.Address(),
			resp.Status, s.Name))
	}
	return nil, errors.Join(err, resp.Body.Close())
}

var hexSum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// accept says from which byte on to write an answer, and notes what it tells.
func (d *download) accept(resp *http.Response, have int64) (offset int64, err error) {
	switch resp.StatusCode {
	case http.StatusPartialContent:
		start, total, err := contentRange(resp.Header.Get("Content-Range"))
		if err != nil || start > have || d.Total >= 0 && total >= 0 && total != d.Total {
			d.Validator = "" // so that the next attempt starts from the beginning
			return 0, errors.New("the server sent another part of the file than the one asked for")
		}
		return start, nil
	case http.StatusRequestedRangeNotSatisfiable:
		if d.Total == have {
			return have, nil // it was complete, and the process was killed then
		}
		d.Validator = ""
		return 0, errors.New("the server has fewer bytes than before")
	}
	d.Total, d.Validator = resp.ContentLength, validator(resp)
	return 0, nil
}

func validator(resp *http.Response) string {
	if tag := resp.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		return tag
	}
	return resp.Header.Get("Last-Modified")
}

// contentRange reads "bytes 5-9/10"; the total is -1 if it is not told.
func contentRange(header string) (start, total int64, err error) {
	text, ok := strings.CutPrefix(header, "bytes ")
	span, size, ok2 := strings.Cut(text, "/")
	first, _, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return 0, 0, fmt.Errorf("the range %q cannot be read", header)
	}
	if start, err = strconv.ParseInt(first, 10, 64); err != nil || start < 0 {
		return 0, 0, fmt.Errorf("the range %q cannot be read", header)
	}
	if size == "*" {
		return start, -1, nil
	}
	total, err = strconv.ParseInt(size, 10, 64)
	return start, total, err
}

// sizeError says that a file is larger than what its source publishes can be.
type sizeError struct{ limit int64 }

func (e *sizeError) Error() string {
	return fmt.Sprintf("the file has more than %d bytes, which no official one has; it is not kept", e.limit)
}

// errStalled says that a server stopped sending.
var errStalled = errors.New("the server sends nothing any more")

// watched is a body whose reading ends when nothing arrives any more.
type watched struct {
	r             io.Reader
	timer         *time.Timer
	stall         time.Duration
	offset, total int64
	limit         int64 // bytes of the file
	looked        int64 // up to where the disk is known to have room
	source        string
	tell          func(Progress)
	room          func(n int64) error
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.timer.Reset(w.stall)
	if w.offset += int64(n); w.offset > w.limit {
		return 0, backoff.Permanent(&sizeError{w.limit})
	}
	if w.offset >= w.looked {
		if full := w.room(max(look, w.total-w.offset)); full != nil {
			return 0, backoff.Permanent(full)
		}
		w.looked = w.offset + look
	}
	w.tell(Progress{Source: w.source, Bytes: w.offset, Total: max(0, w.total)})
	return n, err
}

// copyTo writes the body from an offset on.
func (w *watched) copyTo(ctx context.Context, out *os.File, offset int64) error {
	_, err := io.Copy(io.NewOffsetWriter(out, offset), w)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, errStalled) {
		return cause
	}
	return err
}

// stateFile is where the state of a download is kept.
func stateFile(file string) string { return file + ".json" }

// readDownload reads how far a download was; what cannot be read is not a download.
func readDownload(file string) (d download) {
	b, err := datafile.Read(stateFile(file), datafile.MaxConfig)
	if err != nil || json.Unmarshal(b, &d) != nil {
		return download{}
	}
	return d
}

func writeDownload(file string, d download) error {
	b, _ := json.Marshal(d) // texts and numbers
	return atomic.WriteFile(stateFile(file), strings.NewReader(string(b)))
}

// forget deletes a download.
func forget(file string) (err error) {
	for _, name := range []string{stateFile(file), file} {
		if gone := os.Remove(name); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
