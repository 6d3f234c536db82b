package jericho
import ("testing";"fmt";"time")
func TestTmp(t *testing.T){
	var golden goldenBindings
	goldenJSON(t, "thirdparty_jericho_bindings_20.json", &golden)
	for i := range games { if games[i].name!="loose" {continue}
	g := &games[i]
	s, _ := official(t, g)
	at := s.snapshot()
	names, _ := s.objectNames(at, newVocabulary(s.machine))
	s.restore(at)
	c := candidates(reduceTemplates(golden.Games[g.name].Grammar, g.wordLength, usualVerbs()), names)
	t0:=time.Now(); tot:=0
	for _, a := range c { s.restore(at); s.play(a); tot+=s.machine.Spent() }
	d:=time.Since(t0)
	fmt.Println(g.name, len(names), len(c), tot/1000,"k", tot/len(c), d, float64(tot)/d.Seconds()/1e6, len(s.machine.Dictionary()))
	}
}
