(define (problem example) (:domain barman)
(:objects shaker1 - shaker left right - hand shot1 shot2 - shot ingredient1 ingredient2 - ingredient
cocktail1 - cocktail dispenser1 dispenser2 - dispenser l0 l1 l2 - level)
(:init (ontable shaker1) (clean shaker1) (empty shaker1) (ontable shot1) (clean shot1) (empty shot1)
(ontable shot2) (clean shot2) (empty shot2) (dispenses dispenser1 ingredient1) (dispenses dispenser2 ingredient2)
(handempty left) (handempty right) (shaker-empty-level shaker1 l0) (shaker-level shaker1 l0) (next l0 l1) (next l1 l2)
(cocktail-part1 cocktail1 ingredient2) (cocktail-part2 cocktail1 ingredient1))
(:goal (and (contains shot1 cocktail1))))
