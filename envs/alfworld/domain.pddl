; The rules of a household. Parameter names are those that the text grammar uses.
(define (domain alfred)
  (:requirements :adl)
  (:types agent location receptacle object rtype otype)
  (:predicates
    (atLocation ?a - agent ?l - location)
    (receptacleAtLocation ?r - receptacle ?l - location)
    (objectAtLocation ?o - object ?l - location)
    (inReceptacle ?o - object ?r - receptacle)
    (inReceptacleObject ?inner - object ?outer - object)
    (isReceptacleObject ?o - object)
    (receptacleType ?r - receptacle ?rt - rtype)
    (objectType ?o - object ?ot - otype)
    (canContain ?rt - rtype ?ot - otype)
    (openable ?r - receptacle)
    (opened ?r - receptacle)
    (pickupable ?o - object)
    (holds ?a - agent ?o - object)
    (holdsAny ?a - agent)
    (cleanable ?o - object)
    (isClean ?o - object)
    (heatable ?o - object)
    (isHot ?o - object)
    (coolable ?o - object)
    (isCool ?o - object)
    (toggleable ?o - object)
    (isToggled ?o - object)
    (isOn ?o - object)
    (sliceable ?o - object)
    (isSliced ?o - object)
    (checked ?x - object))

  ; The actions that change nothing mark what they looked at: the reference
  ; leaves out actions without an effect.
  (:action look
    :parameters (?a - agent ?l - location)
    :precondition (atLocation ?a ?l)
    :effect (checked ?l))

  (:action inventory
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a))

  (:action help
    :parameters (?a - agent)
    :precondition ()
    :effect (checked ?a))

  (:action examineReceptacle
    :parameters (?a - agent ?r - receptacle)
    :precondition (exists (?l - location) (and (atLocation ?a ?l) (receptacleAtLocation ?r ?l)))
    :effect (checked ?r))

  ; Only what is held can be examined.
  (:action examineObject
    :parameters (?a - agent ?o - object)
    :precondition (holds ?a ?o)
    :effect (checked ?o))

  ; There is no way to go to where one stands.
  (:action GotoLocation
    :parameters (?a - agent ?lStart - location ?lEnd - location ?r - receptacle)
    :precondition (and (atLocation ?a ?lStart) (receptacleAtLocation ?r ?lEnd) (not (= ?lStart ?lEnd)))
    :effect (and (not (atLocation ?a ?lStart)) (atLocation ?a ?lEnd)))

  (:action OpenObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and (openable ?r) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (not (opened ?r)))
    :effect (and (opened ?r) (checked ?r)))

  (:action CloseObject
    :parameters (?a - agent ?l - location ?r - receptacle)
    :precondition (and (openable ?r) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (opened ?r))
    :effect (not (opened ?r)))

  (:action PickupObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and (pickupable ?o) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?o ?r)
      (not (holdsAny ?a)) (or (not (openable ?r)) (opened ?r)))
    :effect (and (not (inReceptacle ?o ?r)) (not (objectAtLocation ?o ?l)) (holds ?a ?o) (holdsAny ?a)))

  (:action PutObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle ?ot - otype ?rt - rtype)
    :precondition (and (holds ?a ?o) (receptacleAtLocation ?r ?l) (atLocation ?a ?l)
      (or (not (openable ?r)) (opened ?r)) (objectType ?o ?ot) (receptacleType ?r ?rt) (canContain ?rt ?ot))
    :effect (and (inReceptacle ?o ?r) (objectAtLocation ?o ?l) (not (holds ?a ?o)) (not (holdsAny ?a))))

  (:action CleanObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and (cleanable ?o) (or (receptacleType ?r SinkBasinType) (receptacleType ?r SinkType))
      (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (holds ?a ?o))
    :effect (isClean ?o))

  (:action HeatObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and (heatable ?o) (receptacleType ?r MicrowaveType)
      (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (holds ?a ?o))
    :effect (and (isHot ?o) (not (isCool ?o))))

  (:action CoolObject
    :parameters (?a - agent ?l - location ?r - receptacle ?o - object)
    :precondition (and (coolable ?o) (receptacleType ?r FridgeType)
      (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (holds ?a ?o))
    :effect (and (isCool ?o) (not (isHot ?o))))

  (:action ToggleObject
    :parameters (?a - agent ?l - location ?o - object ?r - receptacle)
    :precondition (and (toggleable ?o) (receptacleAtLocation ?r ?l) (atLocation ?a ?l) (inReceptacle ?o ?r))
    :effect (and (isToggled ?o) (when (isOn ?o) (not (isOn ?o))) (when (not (isOn ?o)) (isOn ?o))))

  (:action SliceObject
    :parameters (?a - agent ?l - location ?co - object ?ko - object)
    :precondition (and (sliceable ?co) (or (objectType ?ko KnifeType) (objectType ?ko ButterKnifeType))
      (objectAtLocation ?co ?l) (atLocation ?a ?l) (holds ?a ?ko))
    :effect (isSliced ?co)))
