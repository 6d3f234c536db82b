package wiki

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/singleflight"

	"heldout/envs/address"
	"heldout/envs/datafile"
)

// cacheVersion increases when readers of the old format would misread the new one.
const cacheVersion = 1

// Origin says which Wikipedia the answers of a cache come from.
type Origin struct {
	URL  string `json:"url"`
	Flow Flow   `json:"flow"`
}

// cacheAbout is the content of a cache's wiki.json.
type cacheAbout struct {
	Version int `json:"version"`
	Origin
	// Checksum is the SHA-256 of the origin; empty in caches of earlier versions.
	Checksum string `json:"checksum,omitempty"`
}

// checksum is the SHA-256 of an origin.
func (o Origin) checksum() string { return datafile.Hash(fmt.Sprintf("%q %q", o.URL, o.Flow)) }

// cachedQuery records which answer a query got, and when.
type cachedQuery struct {
	Query string `json:"query"`
	// Answer is the SHA-256, in hex, of the answer's file.
	Answer  string    `json:"answer"`
	Fetched time.Time `json:"fetched"`
}

// Cache keeps answers of a Wikipedia in a folder, so that later searches see the same Wikipedia:
//
//	wiki.json               which Wikipedia
//	queries/ab/abcd….json   for each query, by its hash: which answer, and when
//	answers/cd/cdef….json   each answer, by its own hash
//
// Files are whole or not there, and never changed; folders of one origin can be put together by copying.
type Cache struct {
	dir    string
	origin Origin
	now    func() time.Time
	// live answers queries that are not in the cache; nil for none.
	live *Live

	finding singleflight.Group // by query
}

// OpenRecorded opens a cache that serves only its recorded answers.
func OpenRecorded(dir string) (*Cache, error) {
	about, err := readCacheAbout(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no recorded Wikipedia: play with --wiki live and this --wiki-cache first", dir)
	}
	if err != nil {
		return nil, err
	}
	return &Cache{dir: dir, origin: about.Origin}, nil
}

// NewCache returns a cache in front of a live Wikipedia. It stores the answers in dir and makes dir when it stores
// the first one. It does not request answers that are already in dir.
func NewCache(dir string, live *Live) (*Cache, error) {
	c := &Cache{dir: dir, origin: live.Origin(), now: live.o.Now, live: live}
	about, err := readCacheAbout(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err == nil && about.Origin != c.origin {
		return nil, fmt.Errorf("the cache %s has answers of %s (%s), not of %s (%s): give another --wiki-cache", dir,
			address.Plain(about.URL), about.Flow, c.origin.URL, c.origin.Flow)
	}
	return c, nil
}

// Origin says which Wikipedia is asked.
func (l *Live) Origin() Origin { return Origin{l.o.URL, l.o.Flow} }

// Origin says which Wikipedia the answers come from.
func (c *Cache) Origin() Origin { return c.origin }

func readCacheAbout(dir string) (a cacheAbout, err error) {
	file := filepath.Join(dir, "wiki.json")
	if err := readJSON(file, &a); err != nil {
		return a, err
	}
	if a.Version != cacheVersion {
		return a, fmt.Errorf("%s: the cache has version %d, this heldout reads %d", file, a.Version, cacheVersion)
	}
	if a.Checksum != "" && a.Checksum != a.Origin.checksum() {
		return a, fmt.Errorf("%s is damaged: it is not as its checksum says", file)
	}
	return a, nil
}

// Search implements the search box.
func (c *Cache) Search(ctx context.Context, query string) (Answer, error) {
	select {
	case found := <-c.finding.DoChan(query, func() (any, error) { return c.find(ctx, query) }):
		if ctx.Err() == nil && errors.Is(found.Err, context.Canceled) {
			return c.Search(ctx, query) // the caller that asked first is gone
		}
		return found.Val.(Answer), found.Err
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

// find reads an answer, or requests it and stores it.
func (c *Cache) find(ctx context.Context, query string) (Answer, error) {
	answer, err := c.read(query)
	if !errors.Is(err, fs.ErrNotExist) {
		return answer, err
	}
	if c.live == nil {
		return Answer{}, &MissingError{query, c.dir}
	}
	if answer, err = c.live.Search(ctx, query); err != nil {
		return Answer{}, err
	}
	if err := c.write(query, answer); err != nil {
		return Answer{}, fmt.Errorf("the answer cannot be kept: %w", err)
	}
	return c.read(query) // another process may have stored the answer first
}

// maxKept is the size limit, in bytes, of a cache file that is read: the
// largest answer of a server, however it is escaped.
const maxKept = 8 * maxBody

// read returns the recorded answer to a query.
func (c *Cache) read(query string) (Answer, error) {
	file := c.file("queries", datafile.Hash(query))
	var q cachedQuery
	if err := readJSON(file, &q); err != nil {
		return Answer{}, err
	}
	if len(q.Answer) != 2*sha256.Size || q.Query != query {
		return Answer{}, fmt.Errorf("%s is damaged: it is about %q", file, q.Query)
	}
	file = c.file("answers", q.Answer)
	b, err := datafile.Read(file, maxKept)
	if err != nil {
		return Answer{}, fmt.Errorf("the cache lacks an answer: %v", err) // not wrapped: this query exists
	}
	var a Answer
	if datafile.Hash(b) != q.Answer || json.Unmarshal(b, &a) != nil {
		return Answer{}, fmt.Errorf("%s is damaged: its name is not its hash", file)
	}
	return a, nil
}

// write stores an answer, and then the record that it answers the query.
func (c *Cache) write(query string, a Answer) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	about := cacheAbout{cacheVersion, c.origin, c.origin.checksum()}
	if err := writeNew(filepath.Join(c.dir, "wiki.json"), about); err != nil {
		return err
	}
	if err := writeNew(c.file("answers", datafile.Hash(b)), json.RawMessage(b)); err != nil {
		return err
	}
	return writeNew(c.file("queries", datafile.Hash(query)), cachedQuery{query, datafile.Hash(b), c.now().UTC()})
}

func (c *Cache) file(kind, hash string) string {
	return filepath.Join(c.dir, kind, hash[:2], hash+".json")
}

func readJSON(file string, v any) error {
	b, err := datafile.Read(file, maxKept)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", file, err)
	}
	return nil
}

// writeNew writes a new file completely or not at all.
func writeNew(file string, v any) error {
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return datafile.Replace(file, b)
}
