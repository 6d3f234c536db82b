package frame

import (
	"path/filepath"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"heldout/eval/training/export"
)

// Schema is the version of the columns, in the metadata of every file. A new column
// does not change it.
const Schema = 1

// The numbers of rows that are held in memory and compressed together. Those of
// steps have long texts.
const (
	groupRows     = 1 << 17
	stepGroupRows = 1 << 15
)

// file is a Parquet file that has its name only when it is complete. A nil file
// takes nothing.
type file[Row any] struct {
	file *export.File
	rows *parquet.GenericWriter[Row]
}

func create[Row any](o Options, name string, group int64) (*file[Row], error) {
	f, err := export.Create(filepath.Join(o.Dir, name+".parquet"), o.Force)
	if err != nil {
		return nil, err
	}
	return &file[Row]{f, parquet.NewGenericWriter[Row](f,
		parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("heldout", strconv.Itoa(Schema), ""),
		parquet.KeyValueMetadata("heldout.schema", strconv.Itoa(Schema)),
		parquet.MaxRowsPerRowGroup(group),
	)}, nil
}

func (f *file[Row]) write(rows []Row) error {
	if f == nil || len(rows) == 0 {
		return nil
	}
	_, err := f.rows.Write(rows)
	return err
}

func (f *file[Row]) finish() error {
	if f == nil {
		return nil
	}
	return f.rows.Close()
}

// written is the file without its rows.
func (f *file[Row]) written() *export.File { return f.file }

func (f *file[Row]) abort() {
	if f != nil {
		f.file.Abort()
	}
}
