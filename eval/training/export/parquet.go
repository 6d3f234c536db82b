package export

import (
	"fmt"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// rowsTogether is the number of examples that are held in memory and compressed together.
const rowsTogether = 4096

type parquetFile interface {
	write(example any) error
	end() error
}

type rows[Example any] struct {
	*parquet.GenericWriter[Example]
}

func newRows[Example any](f *File) parquetFile {
	return rows[Example]{parquet.NewGenericWriter[Example](f, parquet.Compression(&zstd.Codec{}),
		parquet.CreatedBy("heldout", "", ""), parquet.MaxRowsPerRowGroup(rowsTogether))}
}

func (r rows[Example]) write(example any) error {
	e, ok := example.(Example)
	if !ok {
		return fmt.Errorf("an example is a %T", example)
	}
	_, err := r.Write([]Example{e})
	return err
}

func (r rows[Example]) end() error { return r.Close() }

func newTable(format Format, f *File) parquetFile {
	switch format {
	case ShareGPT:
		return newRows[shareGPTExample](f)
	case OpenAI:
		return newRows[openAIExample](f)
	case TRL:
		return newRows[trlExample](f)
	case Axolotl:
		return newRows[axolotlExample](f)
	case AgentGym:
		return newRows[agentGymExample](f)
	case KTO:
		return newRows[labelExample](f)
	case PRM:
		return newRows[stepsExample](f)
	}
	return newRows[pairExample](f)
}
