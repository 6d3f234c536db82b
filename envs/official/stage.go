package official

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"heldout/envs/alfworld"
	"heldout/envs/datafile"
)

// The names in the data folder that are ours: a folder for what is not finished,
// and the record of what was fetched.
const (
	workName    = ".heldout"
	receiptName = "heldout-data.json"
)

// Receipt is what is known of a file of the data folder.
type Receipt struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Origin is the source or file that it came from, Address where that lay, and
	// Retrieved when, in UTC (RFC 3339).
	Origin    string `json:"from"`
	Address   string `json:"address,omitempty"`
	Retrieved string `json:"retrieved"`
	// Changed: these are other bytes than the published ones, and the user accepted them.
	Changed bool `json:"changed,omitempty"`
}

// readReceipts reads the record of a data folder, by path; there may be none.
func readReceipts(dir string) (map[string]Receipt, error) {
	receipts := map[string]Receipt{}
	b, err := datafile.Read(filepath.Join(dir, receiptName), datafile.MaxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return receipts, nil
	}
	if err != nil {
		return nil, err
	}
	err = datafile.Unmarshal(b, &receipts)
	if own, ok := receipts[receiptName]; err == nil && ok { // earlier versions wrote none
		delete(receipts, receiptName)
		if checksum(receipts) != own.SHA256 {
			err = errors.New("it is not as its checksum says")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read (%w); delete it, and it is written anew",
			filepath.Join(dir, receiptName), err)
	}
	return receipts, nil
}

// checksum is the SHA-256 of receipts as JSON, the same before and after they are written.
func checksum(receipts map[string]Receipt) string {
	b, _ := json.Marshal(receipts) // texts and numbers
	return datafile.Hash(bytes.ReplaceAll(b, []byte(`\ufffd`), []byte("\ufffd")))
}

// stage collects files that are complete before any of them appears in the data folder. It lies in the data folder,
// so that files can be moved. One process at a time has it.
type stage struct {
	dir      string // the data folder
	root     *os.Root
	lock     *flock.Flock
	finder   *finder
	receipts map[string]Receipt // of what is staged
	// moves are large files that are moved only when they are placed, by path in
	// the data folder: to lose one is to fetch it again.
	moves map[string]string
	// accept takes files with other bytes than the published ones; without it
	// they are left out and named in refused.
	accept  bool
	refused []string
	linked  []string // links in archives, which are not followed
}

// openStage makes the data folder, if need be, and an empty stage.
func openStage(dir string, accept bool) (*stage, error) {
	work := filepath.Join(dir, workName)
	if err := os.MkdirAll(work, 0o777); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	lock := flock.New(filepath.Join(work, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the data folder cannot be locked: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("another heldout is filling %s; wait for it to end", dir)
	}
	staging := filepath.Join(work, "stage")
	err = errors.Join(os.RemoveAll(staging), os.Mkdir(staging, 0o777))
	var root *os.Root
	if err == nil {
		root, err = os.OpenRoot(staging)
	}
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return &stage{dir: dir, root: root, lock: lock, finder: newFinder(), receipts: map[string]Receipt{},
		moves: map[string]string{}, accept: accept}, nil
}

// close gives up what is staged and was not placed.
func (s *stage) close() error {
	return errors.Join(s.root.Close(), os.RemoveAll(s.root.Name()), s.lock.Unlock())
}

// counts are how many files of each part are staged, by the part's ID.
func (s *stage) counts() map[string]int {
	found := map[string]int{}
	for file := range s.receipts {
		part, _ := s.finder.part(file)
		found[part.ID()]++
	}
	return found
}

// completes reports whether what is staged completes a part.
func (s *stage) completes(f Finding) bool {
	if f.Pattern != "" {
		return s.counts()[f.ID()] >= f.Want
	}
	return !slices.ContainsFunc(slices.Concat(f.Missing, f.Changed), func(file string) bool {
		_, staged := s.receipts[file]
		return !staged
	})
}

// problems says what was left out: files with other bytes than the published
// ones and, if something is missing, links.
func (s *stage) problems(missing bool) (problems []error) {
	if n := len(s.refused); n > 0 {
		problems = append(problems,
			fmt.Errorf(
				"files with other bytes than the published ones were left out (%d): %s; --accept-changed takes them",
				n, describe(s.refused)))
	}
	if n := len(s.linked); n > 0 && missing {
		problems = append(problems, fmt.Errorf("links were not followed (%d): %s", n, describe(s.linked)))
	}
	return problems
}

// offer stages a file if it is an official one of the parts with those IDs, or of any if none are given. Published
// bytes win over others with the same path.
func (s *stage) offer(name string, content io.Reader, r Receipt, parts ...string) error {
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	r.SHA256 = datafile.Hash(b)
	file, part, ok := s.finder.identify(name, b, r.SHA256)
	if !ok || len(parts) > 0 && !slices.Contains(parts, part.ID()) {
		return nil
	}
	published := s.finder.sums[file]
	r.Changed = published != "" && published != r.SHA256
	if r.Changed && !s.accept && !s.newly(file, b, r.SHA256) {
		s.refused = append(s.refused, file)
		return nil
	}
	if have, ok := s.receipts[file]; ok && have.SHA256 != r.SHA256 && published != r.SHA256 {
		if !have.Changed && r.Changed {
			return nil // the published file is there already
		}
		return fmt.Errorf("there are two different files for %s, the second is %s; give one of them", file, name)
	}
	return s.add(file, b, r)
}

// newly reports whether a file is a game of ALFWorld in its other version that replaces nothing.
func (s *stage) newly(file string, content []byte, sum string) bool {
	present, err := datafile.Sum(filepath.Join(s.dir, filepath.FromSlash(file)))
	return (errors.Is(err, fs.ErrNotExist) || present == sum) && alfworld.Republished(content)
}

// add stages a file with that content.
func (s *stage) add(file string, content []byte, r Receipt) error {
	r.SHA256, r.Size = datafile.Hash(content), int64(len(content))
	if err := room(s.dir, r.Size, freeSpace); err != nil {
		return err
	}
	if err := s.write(file, bytes.NewReader(content)); err != nil {
		return err
	}
	s.receipts[file] = r
	return nil
}

// write writes a file of the stage to the disk.
func (s *stage) write(file string, content io.Reader) error {
	if err := s.root.MkdirAll(filepath.Dir(filepath.FromSlash(file)), 0o777); err != nil {
		return err
	}
	f, err := s.root.Create(filepath.FromSlash(file))
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Sync(), f.Close())
}

// place moves what is staged into the data folder. What is known of the files is
// written first, so that a file is never there without.
func (s *stage) place() error {
	if len(s.receipts) == 0 {
		return nil
	}
	receipts, err := readReceipts(s.dir)
	if err != nil {
		return err
	}
	maps.Copy(receipts, s.receipts)
	receipts[receiptName] = Receipt{SHA256: checksum(receipts)}
	b, _ := json.MarshalIndent(receipts, "", " ") // texts and numbers
	if err := s.writeReceipts(append(b, '\n')); err != nil {
		return err
	}
	if err := merge(s.root.Name(), s.dir); err != nil {
		return err
	}
	for file, source := range s.moves {
		target := filepath.Join(s.dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		if err := os.Rename(source, target); err != nil {
			return err
		}
	}
	return nil
}

// writeReceipts replaces the record as a whole: others may read it meanwhile.
func (s *stage) writeReceipts(b []byte) error {
	if err := s.write(receiptName, bytes.NewReader(b)); err != nil {
		return err
	}
	return os.Rename(filepath.Join(s.root.Name(), receiptName), filepath.Join(s.dir, receiptName))
}

// drop gives up what is staged of a folder.
func (s *stage) drop(folder string) error {
	for file := range s.receipts {
		if strings.HasPrefix(file, folder+"/") {
			delete(s.receipts, file)
			delete(s.moves, file)
		}
	}
	return s.root.RemoveAll(filepath.FromSlash(folder))
}

// merge moves the entries of a folder into another. A new folder appears as a whole.
func merge(src, dst string) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(src, e.Name()), filepath.Join(dst, e.Name())
		info, err := os.Stat(target)
		if err == nil && info.IsDir() && e.IsDir() {
			err = merge(source, target)
		} else if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(source, target)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// offerFile stages a file that may be too large to be held in memory, as that
// path of the data folder. move says that the file itself may be moved.
func (s *stage) offerFile(file, src string, move bool, r Receipt) error {
	info, err := os.Stat(src)
	if err != nil {
		return err
	}
	if r.SHA256, err = datafile.Sum(src); err != nil {
		return err
	}
	r.Size = info.Size()
	expected := s.finder.sums[file]
	r.Changed = expected != "" && expected != r.SHA256
	if r.Changed && !s.accept {
		s.refused = append(s.refused, file)
		return nil
	}
	if move {
		s.moves[file] = src
	} else if err := s.copyFile(file, src, r.Size); err != nil {
		return err
	}
	s.receipts[file] = r
	return nil
}

func (s *stage) copyFile(file, src string, size int64) error {
	if err := room(s.dir, size, freeSpace); err != nil {
		return err
	}
	f, err := os.Open(src)
	if err != nil {
		return err
	}
	defer f.Close()
	return s.write(file, f)
}

// describe names the first of some files, and how many more there are.
func describe(files []string) string {
	slices.Sort(files)
	if len(files) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(files[:3], ", "), len(files)-3)
	}
	return strings.Join(files, ", ")
}

// reserve is how much of a disk is left free, in bytes.
const reserve = 256 << 20

// room reports a disk on which so many bytes more would leave too little. A disk of
// which nothing is known has room.
func room(dir string, need int64, free func(dir string) (int64, error)) error {
	available, err := free(dir)
	if err != nil || available >= need+reserve {
		return nil
	}
	return datafile.Full(fmt.Errorf("the disk of %s has %d MB free, want %d: free some space, or choose another --data",
		dir, available>>20, (need+reserve)>>20))
}
