package inventory

import (
	"heldout/configs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

// Published lists the embedded publications with their tables.
func Published() (table.Table, error) {
	names, err := configs.PublishedNames()
	if err != nil {
		return table.Table{}, err
	}
	t := table.Table{ID: "published", Title: "Published results", Columns: column.Heads("name table title")}
	for _, name := range names {
		p, err := configs.LoadPublished(name)
		if err != nil {
			return table.Table{}, err
		}
		for _, part := range p.Tables {
			t.Rows = append(t.Rows, []table.Cell{table.String(name), table.String(part.ID), table.String(part.Title)})
		}
	}
	return t, nil
}
