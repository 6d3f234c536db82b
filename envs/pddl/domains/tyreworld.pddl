; Flat wheels are replaced with spare ones, with the tools from the boot.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types obj container hub - object
          tool wheel nut - obj)
  (:constants wrench pump jack - tool)
  (:predicates (isopen ?c - container) (closed ?c - container) (unlocked ?c - container)
               (have ?x - obj) (in ?x - obj ?c - container)
               (loose ?n - nut ?h - hub) (tight ?n - nut ?h - hub)
               (on-ground ?h - hub) (not-on-ground ?h - hub)
               (fastened ?h - hub) (unfastened ?h - hub) (free ?h - hub)
               (inflated ?w - wheel) (not-inflated ?w - wheel) (intact ?w - wheel)
               (on ?w - wheel ?h - hub))

  (:action open
    :parameters (?x - container)
    :precondition (and (unlocked ?x) (closed ?x))
    :effect (and (isopen ?x) (not (closed ?x))))

  (:action close
    :parameters (?x - container)
    :precondition (isopen ?x)
    :effect (and (closed ?x) (not (isopen ?x))))

  (:action fetch
    :parameters (?x - obj ?y - container)
    :precondition (and (in ?x ?y) (isopen ?y))
    :effect (and (have ?x) (not (in ?x ?y))))

  (:action put-away
    :parameters (?x - obj ?y - container)
    :precondition (and (have ?x) (isopen ?y))
    :effect (and (in ?x ?y) (not (have ?x))))

  (:action loosen
    :parameters (?x - nut ?y - hub)
    :precondition (and (have wrench) (tight ?x ?y) (on-ground ?y))
    :effect (and (loose ?x ?y) (not (tight ?x ?y))))

  (:action tighten
    :parameters (?x - nut ?y - hub)
    :precondition (and (have wrench) (loose ?x ?y) (on-ground ?y))
    :effect (and (tight ?x ?y) (not (loose ?x ?y))))

  (:action jack-up
    :parameters (?y - hub)
    :precondition (and (on-ground ?y) (have jack))
    :effect (and (not-on-ground ?y) (not (on-ground ?y)) (not (have jack))))

  (:action jack-down
    :parameters (?y - hub)
    :precondition (not-on-ground ?y)
    :effect (and (on-ground ?y) (have jack) (not (not-on-ground ?y))))

  (:action undo
    :parameters (?x - nut ?y - hub)
    :precondition (and (not-on-ground ?y) (fastened ?y) (have wrench) (loose ?x ?y))
    :effect (and (have ?x) (unfastened ?y) (not (fastened ?y)) (not (loose ?x ?y))))

  (:action do-up
    :parameters (?x - nut ?y - hub)
    :precondition (and (have wrench) (unfastened ?y) (not-on-ground ?y) (have ?x))
    :effect (and (loose ?x ?y) (fastened ?y) (not (unfastened ?y)) (not (have ?x))))

  (:action remove-wheel
    :parameters (?x - wheel ?y - hub)
    :precondition (and (not-on-ground ?y) (on ?x ?y) (unfastened ?y))
    :effect (and (have ?x) (free ?y) (not (on ?x ?y))))

  (:action put-on-wheel
    :parameters (?x - wheel ?y - hub)
    :precondition (and (have ?x) (free ?y) (unfastened ?y) (not-on-ground ?y))
    :effect (and (on ?x ?y) (not (free ?y)) (not (have ?x))))

  (:action inflate
    :parameters (?x - wheel)
    :precondition (and (have pump) (not-inflated ?x) (intact ?x))
    :effect (and (inflated ?x) (not (not-inflated ?x)))))
