package datafile
import ("testing";"fmt")
func TestX(t *testing.T){
 type q struct { ID string; N int; F float64; L []string; In struct{ B bool; X []struct{ Y string} }; P *int }
 for _, s := range []string{`{"id": NaN}`, `{"id": "a"`, `{"id": 'a'}`, `{"id": None}`, "{\"id\": \"a\nb\"}", `{"id": "a\q"}`, `{"id": "a",}`, `[1,]`, `{"id": "a" "n": 1}`, `{"id": 1}`, `{"n": "x"}`, `{"n": 1.5}`, `{"n": 1e400}`,`{"f": 1e400}`, `{"n":99999999999999999999}`, `{"l": "x"}`, `{"l": ["a", 1]}`, `{"in": {"x": [{"y": "a"}, {"y": {}}]}}`, `{"in": []}`, `[]`, `"x"`, `null`, ``, `{"p": true}`, `{"id": "a", "id": "b"}`, `{"id": "a"} {}`, "{\n\n\"l\": [1]}", `{id: 1}`, `// x`, `{"id": -Infinity}`, `{"id": "a\ud83d"}`, "{\"id\": \"\xe9\"}", `{"unk": 1}`, `{"n": tru}`, `{"n": 01}`, `{"n": .5}`, `{"n": +1}`} {
  var v q
  fmt.Printf("%-40q %v\n", s, JSON("f", []byte(s), &v))
  if s == `{"unk": 1}` { fmt.Println(JSON("f", []byte(s), &v, Closed)) }
 }
}
