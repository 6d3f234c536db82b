package judge

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"heldout/envs/datafile"
	"heldout/scoring/table"
)

// sheetColumns are the columns of a sheet for people. They fill in label, and reason if they like.
var sheetColumns = []string{"id", "goal", "actions", "history", "thought", "action", "label", "reason"}

// WriteSheet writes a CSV with a line for each turn: what a judge is shown, without
// any label. No cell begins with a character that makes spreadsheets read a formula.
func WriteSheet(w io.Writer, turns []JudgedTurn, mostHistory int) error {
	out := csv.NewWriter(w)
	if err := out.Write(sheetColumns); err != nil {
		return err
	}
	for i := range turns {
		t := &turns[i]
		s := t.step()
		row := []string{t.ID, t.Trajectory.Goal, t.actions(), t.History(mostHistory), s.Thought, s.Action, "", ""}
		for j := range row {
			row[j] = cellText(row[j])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// mostCell is the longest text of a cell, in bytes: spreadsheets take 32,767 characters.
const mostCell = 32_000

// cellText makes a text safe for a cell. Characters that are obeyed become spaces, because
// CSV has no escapes for them.
func cellText(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.Map(func(r rune) rune {
		if r == '\t' || table.Obeyed(r) {
			return ' '
		}
		return r
	}, text)
	return table.NoFormula(table.Shortened(text, mostCell))
}

// ReadSheet reads labels of people for the turns: a CSV with the columns id and
// label, separated by commas or semicolons. A label is right, wrong or empty. Turns
// that are not in the sheet, or have no label there, are counted as such.
func ReadSheet(r io.Reader, turns []JudgedTurn) (Rater, error) {
	rater := Rater{Name: "human", Labels: map[string]Label{}, None: map[string]int{}}
	in, err := newSheetReader(r)
	if err != nil {
		return rater, err
	}
	id, label, err := header(in)
	if err != nil {
		return rater, err
	}
	sampled := map[string]bool{}
	for i := range turns {
		sampled[turns[i].ID] = true
	}
	done := map[string]bool{}
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return rater, fmt.Errorf("line %d: a quotation mark is missing or one too many: is the file complete?", bad.StartLine)
		} else if err != nil {
			return rater, err
		}
		n, _ := in.FieldPos(0)
		row = append(row, make([]string, max(id, label))...) // spreadsheets leave empty cells out at the end
		if slices.Equal(row, make([]string, len(row))) {
			continue // an empty line of a spreadsheet
		}
		turn, value := strings.TrimSpace(row[id]), Label(strings.ToLower(strings.TrimSpace(row[label])))
		switch {
		case !sampled[turn]:
			return rater, fmt.Errorf("line %d: the turn %.40q is not in the sample: give --trajectories, --sample "+
				"and --seed of the sheet", n, turn)
		case done[turn]:
			return rater, fmt.Errorf("line %d: the turn %s occurs twice", n, turn)
		case value != "" && value != Right && value != Wrong:
			return rater, fmt.Errorf("line %d: the label is %.40q, want right, wrong or nothing", n, value)
		case value != "":
			rater.Labels[turn] = value
		}
		done[turn] = true
	}
	for turn := range sampled {
		switch {
		case !done[turn]:
			rater.None["not in the sheet"]++
		case rater.Labels[turn] == "":
			rater.None["no label in the sheet"]++
		}
	}
	return rater, nil
}

// newSheetReader returns a reader for the separator that the first line has most often.
func newSheetReader(r io.Reader) (*csv.Reader, error) {
	text := bufio.NewReaderSize(r, 64<<10)
	if mark, err := text.Peek(3); err == nil && bytes.Equal(mark, []byte("\ufeff")) {
		_, _ = text.Discard(len(mark)) // it was peeked
	}
	first, _ := text.Peek(4 << 10) // a short file has less
	if form := datafile.Foreign(first); form != "" {
		return nil, errors.New("it is " + form)
	}
	first, _, _ = bytes.Cut(first, []byte("\n"))
	in := csv.NewReader(text)
	in.FieldsPerRecord = -1
	for _, separator := range ";\t" {
		if bytes.Count(first, []byte(string(separator))) > bytes.Count(first, []byte(string(in.Comma))) {
			in.Comma = separator
		}
	}
	return in, nil
}

func header(in *csv.Reader) (id, label int, err error) {
	row, err := in.Read()
	if errors.Is(err, io.EOF) {
		return 0, 0, errors.New("the file is empty")
	}
	if err != nil {
		return 0, 0, err
	}
	for i := range row {
		row[i] = strings.ToLower(strings.TrimSpace(row[i]))
	}
	id, label = slices.Index(row, "id"), slices.Index(row, "label")
	if id < 0 || label < 0 {
		return 0, 0, fmt.Errorf("the first line has no columns id and label")
	}
	return id, label, nil
}
