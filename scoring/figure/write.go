package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Formats are the formats of files, by the ends of their names.
func Formats() []string { return []string{"svg", "pdf", "png"} }

// dpi is the resolution of pictures, in dots per inch.
const dpi = 300

// FormatOf returns the format of a file by its name.
func FormatOf(file string) (string, error) {
	format := strings.ToLower(strings.TrimPrefix(filepath.Ext(file), "."))
	if !slices.Contains(Formats(), format) {
		return "", fmt.Errorf("the name %q ends in none of .%s", file, strings.Join(Formats(), ", ."))
	}
	return format, nil
}

// Write writes the figure in a format, on white paper. The same figure gives the same bytes.
func (f Figure) Write(w io.Writer, format string) error {
	switch format {
	case "svg":
		return f.writeSVG(w)
	case "pdf":
		defaults()
		c := vgpdf.New(f.width, f.height)
		f.paint(draw.NewCanvas(westernCanvas{c}, f.width, f.height))
		return discardCount(c.WriteTo(w))
	case "png":
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(f.width, f.height), vgimg.UseDPI(dpi))}
		f.paint(draw.New(c))
		return discardCount(c.WriteTo(w))
	}
	return fmt.Errorf("unknown format %q; there are %s", format, strings.Join(Formats(), ", "))
}

func discardCount(_ int64, err error) error { return err }

// paint draws the figure on paper and returns its marks.
func (f Figure) paint(c draw.Canvas) []mark {
	*f.marks = nil
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	f.draw(&sheet{c, f.marks})
	return *f.marks
}

// defaults makes PDF files reproducible: they would have the time in them.
var defaults = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// westernCanvas draws on PDF. Its fonts have the letters of Windows-1252, and texts
// are in that encoding; other letters become question marks.
type westernCanvas struct{ *vgpdf.Canvas }

// SetColor implements vg.Canvas.
func (c westernCanvas) SetColor(col color.Color) {
	if n, ok := col.(color.NRGBA); ok {
		col = straight{n}
	}
	c.Canvas.SetColor(col)
}

// straight is a color whose parts are not multiplied by its opacity: vgpdf does not divide them by it.
type straight struct{ color.NRGBA }

// RGBA implements color.Color, but for that.
func (s straight) RGBA() (r, g, b, a uint32) {
	const wide = 0x101 // from 8 to 16 bits
	return uint32(s.R) * wide, uint32(s.G) * wide, uint32(s.B) * wide, uint32(s.A) * wide
}

// FillString implements vg.Canvas.
func (c westernCanvas) FillString(f font.Face, pt vg.Point, text string) {
	western, _ := encoding.ReplaceUnsupported(charmap.Windows1252.NewEncoder()).String(text) // it never fails
	// vgpdf has one font for each file, and bold ones under names that it does not find
	if f.Font.Weight == xfont.WeightBold {
		f.Font.Weight = xfont.WeightNormal
		f = font.DefaultCache.Lookup(f.Font, f.Font.Size)
	}
	c.Canvas.FillString(f, pt, strings.ReplaceAll(western, "\x1a", "?"))
}

// writeSVG writes the figure as SVG whose text has a fallback font.
func (f Figure) writeSVG(w io.Writer) error {
	c := vgsvg.New(f.width, f.height)
	f.paint(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;")))
	return err
}
