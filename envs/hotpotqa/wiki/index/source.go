package index

import (
	"archive/tar"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"heldout/envs/datafile"
)

// articleFiles is the files that supply the articles, in order.
type articleFiles struct {
	kind         SourceKind
	paths        []string
	fingerprints []fingerprint // by path
	total        int64
	read         atomic.Int64
}

// fingerprint identifies a set of files without reading their contents.
type fingerprint struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// newSource finds the files. Files that end in .json contain questions; all other files belong to a dump.
func newSource(paths []string) (*articleFiles, error) {
	s := &articleFiles{}
	for _, path := range paths {
		if err := s.addPath(path); err != nil {
			return nil, err
		}
	}
	if len(s.paths) == 0 {
		return nil, fmt.Errorf("no files to read articles from in %s", strings.Join(paths, ", "))
	}
	for i, path := range s.paths {
		kind := Dump
		if strings.HasSuffix(path, ".json") {
			kind = Contexts
		}
		if s.kind != "" && s.kind != kind {
			return nil, fmt.Errorf("%s: an index is made either of question files (.json) or of a dump", path)
		}
		s.kind = kind
		s.total += s.fingerprints[i].Size
	}
	return s, nil
}

// addPath adds a file, or all files in a folder in the order of their names.
func (s *articleFiles) addPath(path string) error {
	return filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(path), file)
		if err != nil {
			return err
		}
		s.paths = append(s.paths, file)
		s.fingerprints = append(s.fingerprints, fingerprint{filepath.ToSlash(name), info.Size()})
		return nil
	})
}

// walk visits the articles. The first skip articles may come without content.
// duplicate is true for articles whose title has occurred before.
func (s *articleFiles) walk(skip int, visit func(a Article, duplicate bool) error) error {
	if s.kind == Contexts {
		return s.eachContext(visit)
	}
	lines := &dumpLines{skip: skip, visit: func(a Article) error { return visit(a, false) }}
	for _, path := range s.paths {
		if err := s.open(path, lines); err != nil {
			return err
		}
	}
	return nil
}

// eachContext visits the paragraphs of question files. A title counts once, with its first paragraph.
func (s *articleFiles) eachContext(visit func(a Article, duplicate bool) error) error {
	titles := map[string]bool{}
	for _, path := range s.paths {
		in, err := datafile.Open(path, datafile.Unlimited)
		if err != nil {
			return err
		}
		err = readContexts(path, s.counted(in), func(a Article) error {
			duplicate := titles[a.Title]
			titles[a.Title] = true
			return visit(a, duplicate)
		})
		if err := errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// open reads a file of a dump: an archive of files, or lines.
func (s *articleFiles) open(name string, lines *dumpLines) error {
	in, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return err
	}
	defer in.Close()
	r := s.counted(in)
	if strings.HasSuffix(name, ".tar.bz2") || strings.HasSuffix(name, ".tbz2") {
		return eachInTar(name, bzip2.NewReader(r), lines)
	}
	if strings.HasSuffix(name, ".tar") {
		return eachInTar(name, r, lines)
	}
	return lines.file(name, r)
}

func eachInTar(archive string, r io.Reader, lines *dumpLines) error {
	files := tar.NewReader(r)
	for {
		h, err := files.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := lines.file(archive+"/"+h.Name, files); err != nil {
			return err
		}
	}
}

// dumpLines visits articles in JSON, one per line.
type dumpLines struct {
	skip  int // articles that need not be decoded
	visit func(Article) error
}

// maxLine bounds a line of a dump: the longest articles have a few megabytes.
const maxLine = 64 << 20

func (d *dumpLines) file(name string, r io.Reader) error {
	if strings.HasSuffix(name, ".bz2") {
		r = bzip2.NewReader(r)
	}
	return datafile.EachLine(name, r, maxLine, func(_ int, line []byte) (err error) {
		var a Article
		if d.skip > 0 {
			d.skip--
		} else if a, err = parseArticle(line); err != nil {
			return err
		}
		return d.visit(a)
	})
}

func (s *articleFiles) counted(r io.Reader) io.Reader { return &countingReader{r, &s.read} }

type countingReader struct {
	io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// paragraphs joins the sentences of each paragraph and drops empty results. A
// line feed within a paragraph would split it in two.
func paragraphs(text [][]string) []string {
	var out []string
	for _, sentences := range text {
		p := strings.TrimSpace(strings.ReplaceAll(strings.Join(sentences, ""), "\n", " "))
		if p != "" {
			out = append(out, p)
		}
	}
	return slices.Clip(out)
}
