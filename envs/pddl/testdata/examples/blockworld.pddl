(define (problem example) (:domain blockworld)
(:objects b1 b2 b3)
(:init (arm-empty) (on-table b1) (on b2 b1) (clear b2) (on-table b3) (clear b3))
(:goal (and (on b1 b3) (on b2 b1))))
