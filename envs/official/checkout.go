package official

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"heldout/envs/datafile"
)

// Checkout is what is kept of a repository at a commit: files to read, and the licence.
type Checkout struct {
	// Archive is the repository's archive, whose members lie in one folder, as in
	// archives of GitHub. Its Licence is what the licence is said to be.
	Archive PublishedFile
	// Repository is OWNER/NAME, and Commit is the commit of the archive, or begins it.
	Repository, Commit string
	// Folder is where the files go in the data folder, with slashes.
	Folder string
	Files  []RepoFile
}

// RepoFile is a file of a repository.
type RepoFile struct {
	// Path is its path in the repository.
	Path string
	// Alone is where it is fetched by itself; nil if the archive has it.
	Alone *PublishedFile
	// Check says why a content is not the file's.
	Check func(content []byte) error
}

func (c Checkout) source(f RepoFile) PublishedFile {
	if f.Alone != nil {
		return *f.Alone
	}
	return c.Archive
}

// CheckoutSources lists what checkouts are fetched from, each source once, in that order.
func CheckoutSources(list []Checkout) (sources []PublishedFile) {
	for _, c := range list {
		for _, f := range c.Files {
			s := c.source(f)
			if !slices.ContainsFunc(sources, func(o PublishedFile) bool { return o.Name == s.Name }) {
				sources = append(sources, s)
			}
		}
	}
	return sources
}

// Complete reports whether a data folder has all files of a checkout.
func (c Checkout) Complete(dir string) bool { return len(c.lacking(dir)) == 0 }

// lacking lists the files of a checkout that a data folder does not have.
func (c Checkout) lacking(dir string) []RepoFile {
	return slices.DeleteFunc(slices.Clone(c.Files), func(f RepoFile) bool {
		b, err := datafile.Read(filepath.Join(dir, filepath.FromSlash(c.Folder), filepath.FromSlash(f.Path)),
			datafile.MaxLabels)
		return err == nil && f.Check(b) == nil
	})
}

// PullCheckouts fetches what the data folder lacks of checkouts, from where o.Sources have
// their sources. A folder appears when all its files are there and are the right ones.
// What was fetched of an interrupted pull is not fetched again.
func PullCheckouts(ctx context.Context, o Options, list []Checkout) error {
	return o.fill(func(p *pull) error {
		for _, c := range list {
			if c.Complete(o.Dir) {
				o.Note(c.Archive.Name + " is there already")
				continue
			}
			err := p.checkout(ctx, c)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				p.problems = append(p.problems, errors.Join(err, p.stage.drop(c.Folder)))
			}
		}
		return nil
	})
}

// checkout stages what is lacking of a checkout. What it fetched is deleted in the end
// only if all of it was right; a source that was wrong is deleted at once.
func (p *pull) checkout(ctx context.Context, c Checkout) error {
	mark := len(p.fetched)
	c.Files = c.lacking(p.Dir)
	for _, s := range CheckoutSources([]Checkout{c}) {
		if i := slices.IndexFunc(p.Sources, func(o PublishedFile) bool { return o.Name == s.Name }); i >= 0 {
			s.URL = p.Sources[i].URL
		}
		err := p.take(ctx, s, func(file string, r Receipt) error { return p.unpackCheckout(ctx, c, s, file, r) })
		if err != nil {
			p.fetched = p.fetched[:mark]
			return err
		}
	}
	return nil
}

// unpackCheckout stages what a source has of a checkout.
func (p *pull) unpackCheckout(ctx context.Context, c Checkout, s PublishedFile, file string, r Receipt) error {
	k := &keeper{stage: p.stage, folder: c.Folder, missing: map[string]RepoFile{}, receipt: r}
	for _, f := range c.Files {
		if c.source(f).Name == s.Name {
			k.missing[f.Path] = f
		}
	}
	if s.Name != c.Archive.Name {
		return k.alone(s, file)
	}
	l := usualLimits
	l.file = datafile.MaxLabels
	about, err := walkArchive(ctx, file, l, k.member)
	if err != nil {
		return fmt.Errorf("%s: %s: %w; nothing of it is kept", s.Name, s.Address(), err)
	}
	if reason := k.verdict(c, about.commit); reason != "" {
		return fmt.Errorf("%s: %s is not %s at commit %.12s: %s; nothing of it is kept", s.Name, s.Address(),
			c.Repository, c.Commit, reason)
	}
	if !k.licensed {
		p.Note(fmt.Sprintf("%s: the repository has no licence file (licence: %s)", s.Name, s.Licence))
	}
	return nil
}

// keeper stages members of an archive.
type keeper struct {
	stage    *stage
	folder   string
	missing  map[string]RepoFile // files not met yet
	differ   []string            // why members are not the wanted ones
	licensed bool
	receipt  Receipt
}

// licenceName matches the names of files that say under what terms a repository is.
var licenceName = regexp.MustCompile(`(?i)^(?:licen[cs]e|copying|notice)(?:[.-][a-z0-9.-]*)?$`)

const mostLicence = 1 << 20

// member keeps a member of an archive that is wanted, or is the licence. The first
// element of its name is the archive's own folder.
func (k *keeper) member(name string, size int64, content io.Reader) error {
	_, path, _ := strings.Cut(name, "/")
	file, ok := k.missing[path]
	licence := licenceName.MatchString(path) && size <= mostLicence
	if !ok && !licence {
		return nil
	}
	b, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	delete(k.missing, path)
	k.licensed = k.licensed || licence
	if ok {
		if err := file.Check(b); err != nil {
			k.differ = append(k.differ, err.Error())
			return nil
		}
	}
	return k.keep(path, b)
}

// alone keeps a file that was fetched by itself.
func (k *keeper) alone(s PublishedFile, file string) error {
	b, err := datafile.Read(file, datafile.MaxLabels)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	for path, finding := range k.missing {
		if err := finding.Check(b); err != nil {
			return fmt.Errorf("%s: %s is another file: %w; it is not kept", s.Name, s.Address(), err)
		}
		if err := k.keep(path, b); err != nil {
			return err
		}
	}
	return nil
}

func (k *keeper) keep(path string, content []byte) error {
	return k.stage.add(k.folder+"/"+path, content, k.receipt)
}

// verdict says why an archive does not belong to the commit; empty if all that is wanted
// was right. commit is the one that the archive states.
func (k *keeper) verdict(c Checkout, commit string) string {
	reasons := k.differ
	if len(k.missing) > 0 {
		reasons = append(reasons, "it lacks "+describe(slices.Collect(maps.Keys(k.missing))))
	}
	if len(reasons) > 0 && hexCommit.MatchString(commit) && !strings.HasPrefix(commit, c.Commit) {
		reasons = slices.Insert(reasons, 0, fmt.Sprintf("it was made from commit %.12s", commit))
	}
	return strings.Join(reasons, "; ")
}

var hexCommit = regexp.MustCompile(`^[0-9a-f]{40,64}$`)
