package report

// external says of environments that others run which program was played, and what their
// rates are where the program gave rewards, or did not know success.
func external(rows []row) []string {
	return grouped(rows, row.place, func(r row) string { return r.Environment.External() })
}
