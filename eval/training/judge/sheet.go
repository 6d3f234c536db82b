package judge

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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
		if _, err := strconv.ParseFloat(t.ID, 64); err == nil {
			row[0] = "'" + row[0] // spreadsheets would round it
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
		turn, value := strings.Trim(row[id], "' \t\n"), Label(strings.ToLower(strings.TrimSpace(row[label])))
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

// newSheetReader returns a reader for the separator that the line sep=… before the columns names, as Excel writes it,
// or that the first line has most often.
func newSheetReader(r io.Reader) (*csv.Reader, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if form := datafile.Foreign(text); form != "" {
		return nil, errors.New("it is " + form)
	}
	for _, end := range []string{"\r\n", "\r"} { // Excel on a Mac ends rows with \r, and lines in cells with \n
		text = bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte(end), []byte("\n"))
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if strings.HasPrefix(strings.ToLower(strings.Trim(line, `"`)), "sep=") {
		text = text[len(line):] // the empty line counts
	}
	in := csv.NewReader(bytes.NewReader(text))
	in.FieldsPerRecord = -1
	for _, separator := range ";\t|" {
		if strings.Count(line, string(separator)) > strings.Count(line, string(in.Comma)) {
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
		return 0, 0, errors.New("the first line has no columns id and label")
	}
	if slices.Contains(row[id+1:], "id") || slices.Contains(row[label+1:], "label") {
		return 0, 0, errors.New("the first line names two columns id or two columns label: keep one of each")
	}
	return id, label, nil
}
