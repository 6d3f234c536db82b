// Package wiki finds Wikipedia pages as its search box does: live over two interfaces of MediaWiki, and recorded.
// It knows nothing of questions or agents.
package wiki

import "fmt"

// Answer is the result of a search: a page, or a list of pages that may be meant.
type Answer struct {
	// List says that the answer is a list, not a page.
	List bool `json:"list"`
	// Titles are the titles of a list, best first, with the notes that Wikipedia
	// adds to them, such as "(redirect from X)". It may be empty.
	Titles []string `json:"titles,omitempty"`
	// Title is the page's title; empty if the interface does not give it.
	Title string `json:"title,omitempty"`
	// Blocks are the texts of a page's paragraphs, in order, followed by the
	// texts of its lists, each without surrounding space.
	Blocks []string `json:"blocks,omitempty"`
}

// MissingError says that there is no recorded answer to a search.
type MissingError struct {
	Query string
	// Folder is the folder of the records.
	Folder string
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf(
		"the Wikipedia recorded in %s has no answer to the search %q; play with --wiki live and the same "+
			"--wiki-cache to add it", e.Folder, e.Query)
}
