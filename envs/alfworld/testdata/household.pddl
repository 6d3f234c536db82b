; A small household with everything that is odd about these games.
(define (problem household)
(:domain alfred)
(:objects
  agent1 - agent
  loc_bar_0 loc_bar_1 loc_bar_2 loc_bar_3 loc_bar_4 loc_bar_5 loc_bar_6 loc_bar_7 loc_bar_unused - location
  Cabinet_bar_1 CounterTop_bar_1 CounterTop_bar_2 Fridge_bar_1 Microwave_bar_1 Sink_bar_1_bar_SinkBasin
  Bathtub_bar_1_bar_BathtubBasin Desk_bar_1 Drawer_bar_1 - receptacle
  Apple_bar_1 Apple_bar_2 Apple_bar_3 Mug_bar_1 Spoon_bar_1 Egg_bar_1 Knife_bar_1 Pencil_bar_1
  Sink_bar_1 DeskLamp_bar_1 DeskLamp_bar_2 Plate bare_minus_bell - object
  AppleType MugType SpoonType EggType KnifeType ButterKnifeType PencilType SinkType DeskLampType BellType - otype
  CabinetType CounterTopType FridgeType MicrowaveType SinkBasinType BathtubBasinType DeskType DrawerType - rtype
)
(:init
  (atLocation agent1 loc_bar_0)
  ; The cabinet and the first countertop stand at one place.
  (receptacleType Cabinet_bar_1 CabinetType) (receptacleAtLocation Cabinet_bar_1 loc_bar_1) (openable Cabinet_bar_1)
  (receptacleType CounterTop_bar_1 CounterTopType) (receptacleAtLocation CounterTop_bar_1 loc_bar_1)
  (receptacleType CounterTop_bar_2 CounterTopType) (receptacleAtLocation CounterTop_bar_2 loc_bar_2)
  (receptacleType Fridge_bar_1 FridgeType) (receptacleAtLocation Fridge_bar_1 loc_bar_3) (openable Fridge_bar_1)
  (receptacleType Microwave_bar_1 MicrowaveType) (receptacleAtLocation Microwave_bar_1 loc_bar_4) (openable Microwave_bar_1)
  (receptacleType Sink_bar_1_bar_SinkBasin SinkBasinType) (receptacleAtLocation Sink_bar_1_bar_SinkBasin loc_bar_5)
  (receptacleType Bathtub_bar_1_bar_BathtubBasin BathtubBasinType)
  (receptacleAtLocation Bathtub_bar_1_bar_BathtubBasin loc_bar_6)
  (receptacleType Desk_bar_1 DeskType) (receptacleAtLocation Desk_bar_1 loc_bar_7)
  (receptacleType Drawer_bar_1 DrawerType) (receptacleAtLocation Drawer_bar_1 loc_bar_7) (openable Drawer_bar_1)
  ; One apple lies on the countertop, one in the cabinet, and one on the floor.
  (objectType Apple_bar_1 AppleType) (pickupable Apple_bar_1) (cleanable Apple_bar_1) (heatable Apple_bar_1) (coolable Apple_bar_1)
  (sliceable Apple_bar_1) (inReceptacle Apple_bar_1 CounterTop_bar_1) (objectAtLocation Apple_bar_1 loc_bar_1)
  (objectType Apple_bar_2 AppleType) (pickupable Apple_bar_2) (cleanable Apple_bar_2) (heatable Apple_bar_2) (coolable Apple_bar_2)
  (sliceable Apple_bar_2) (inReceptacle Apple_bar_2 Cabinet_bar_1) (objectAtLocation Apple_bar_2 loc_bar_1)
  (objectType Apple_bar_3 AppleType) (pickupable Apple_bar_3) (sliceable Apple_bar_3) (objectAtLocation Apple_bar_3 loc_bar_2)
  ; A spoon lies in a mug.
  (objectType Mug_bar_1 MugType) (pickupable Mug_bar_1) (cleanable Mug_bar_1) (heatable Mug_bar_1) (coolable Mug_bar_1)
  (isReceptacleObject Mug_bar_1) (inReceptacle Mug_bar_1 CounterTop_bar_1) (objectAtLocation Mug_bar_1 loc_bar_1)
  (objectType Spoon_bar_1 SpoonType) (pickupable Spoon_bar_1) (cleanable Spoon_bar_1) (inReceptacle Spoon_bar_1 CounterTop_bar_1)
  (objectAtLocation Spoon_bar_1 loc_bar_1) (inReceptacleObject Spoon_bar_1 Mug_bar_1)
  (objectType Egg_bar_1 EggType) (pickupable Egg_bar_1) (isCool Egg_bar_1) (inReceptacle Egg_bar_1 Fridge_bar_1)
  (objectAtLocation Egg_bar_1 loc_bar_3)
  (objectType Knife_bar_1 KnifeType) (pickupable Knife_bar_1) (inReceptacle Knife_bar_1 CounterTop_bar_2)
  (objectAtLocation Knife_bar_1 loc_bar_2)
  ; The pencil is listed in two receptacles at one place.
  (objectType Pencil_bar_1 PencilType) (pickupable Pencil_bar_1) (inReceptacle Pencil_bar_1 Desk_bar_1)
  (inReceptacle Pencil_bar_1 Drawer_bar_1) (objectAtLocation Pencil_bar_1 loc_bar_7)
  (objectType Sink_bar_1 SinkType) (objectAtLocation Sink_bar_1 loc_bar_5)
  (objectType DeskLamp_bar_1 DeskLampType) (toggleable DeskLamp_bar_1) (inReceptacle DeskLamp_bar_1 Drawer_bar_1)
  (objectAtLocation DeskLamp_bar_1 loc_bar_7)
  (objectType DeskLamp_bar_2 DeskLampType) (toggleable DeskLamp_bar_2) (objectAtLocation DeskLamp_bar_2 loc_bar_7)
  (objectType bare_minus_bell BellType) (pickupable bare_minus_bell) (inReceptacle bare_minus_bell Desk_bar_1)
  (objectAtLocation bare_minus_bell loc_bar_7)
  (canContain CabinetType MugType) (canContain CabinetType AppleType) (canContain CounterTopType MugType)
  (canContain CounterTopType AppleType) (canContain CounterTopType SpoonType) (canContain FridgeType AppleType)
  (canContain FridgeType AppleType) (canContain FridgeType EggType) (canContain MicrowaveType MugType)
  (canContain DeskType PencilType) (canContain DrawerType PencilType) (canContain DeskType MugType)
)
(:goal (exists (?r - receptacle) (exists (?o - object) (and
  (heatable ?o) (objectType ?o AppleType) (receptacleType ?r FridgeType) (isHot ?o) (inReceptacle ?o ?r))))))
