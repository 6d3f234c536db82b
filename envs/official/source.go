package official

import (
	"fmt"
	"slices"
	"strings"

	"heldout/envs/address"
)

// PublishedFile is a file that an owner publishes.
type PublishedFile struct {
	Name string
	// URL is where it lies, or the path of a local file.
	URL string
	// For says what it is for, Licence under what terms it is published.
	For, Licence string
	// Size in bytes and SHA256 in hex; 0 and "" if they are not known in advance.
	Size   int64
	SHA256 string
	// DataPath is the path in the data folder of a file used as it is; "" for an archive.
	DataPath string
	// Parts are the parts that it holds.
	Parts []string
	// Extra says that it is fetched only if it is asked for by name.
	Extra bool
}

// HuggingFace is replaced by HF_ENDPOINT.
const HuggingFace = "https://huggingface.co"

// Sources lists what can be fetched, in the order in which it is tried: a later
// source is not fetched for a part that an earlier one completed.
func Sources() []PublishedFile { return slices.Clone(tables().Sources) }

// mostUnknown bounds a file whose size is not known in advance, in bytes.
const mostUnknown = 2 << 30

// limit is how many bytes a source may have: fourfold if they are not known.
func (s PublishedFile) limit() int64 {
	switch {
	case s.Size > 0 && s.SHA256 != "":
		return s.Size
	case s.Size > 0:
		return 4 * s.Size
	}
	return mostUnknown
}

// Replace applies replacements of the form NAME=URL or NAME=FILE, and hfEndpoint,
// a mirror of Hugging Face, if it is not empty.
func Replace(sources []PublishedFile, replacements []string, hfEndpoint string) ([]PublishedFile, error) {
	sources = slices.Clone(sources)
	if hfEndpoint != "" {
		for i := range sources {
			if rest, ok := strings.CutPrefix(sources[i].URL, HuggingFace+"/"); ok {
				sources[i].URL = strings.TrimRight(hfEndpoint, "/") + "/" + rest
			}
		}
	}
	for _, r := range replacements {
		name, target, ok := strings.Cut(r, "=")
		i := slices.IndexFunc(sources, func(s PublishedFile) bool { return s.Name == name })
		if !ok || target == "" || i < 0 {
			return nil, fmt.Errorf("source %q: want NAME=URL or NAME=FILE; names are: %s", address.Plain(r),
				strings.Join(sourceNames(sources, func(PublishedFile) bool { return true }), ", "))
		}
		sources[i].URL = target
	}
	return sources, nil
}

// Extras lists the names of the sources that are fetched only on request.
func Extras() []string { return sourceNames(Sources(), func(s PublishedFile) bool { return s.Extra }) }

func sourceNames(sources []PublishedFile, want func(PublishedFile) bool) (names []string) {
	for _, s := range sources {
		if want(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// remote reports whether the source is fetched, not a local file.
func (s PublishedFile) remote() bool {
	return strings.HasPrefix(s.URL, "http://") || strings.HasPrefix(s.URL, "https://")
}

// Address is the source's address without what may be secret.
func (s PublishedFile) Address() string { return address.Plain(s.URL) }
