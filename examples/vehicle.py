"""A car with an engine drives off, takes a curve and brakes."""

import scree

space = scree.World().add_space()
space.add_static(scree.Plane())
chassis = scree.Compound(parts=[
    scree.Part(shape=scree.Box(half_extents=(0.9, 0.3, 2.0))),
    scree.Part(shape=scree.Box(half_extents=(0.7, 0.3, 1.0)), position=(0, 0.6, 0.2)),
])  # fmt: skip
body = space.add_rigid(chassis, position=(0, 1.0, 0), mass=1200.0)
body.center_of_mass = (0, -0.2, 0)
wheels = [
    scree.Wheel(position=(x, -0.1, z), most_steering=0.5 if z < 0 else 0.0, stiffness=40_000.0, damping=4_000.0)
    for z in (-1.4, 1.4)
    for x in (-0.8, 0.8)
]
car = space.add_vehicle(body, wheels, engine=scree.Engine(most_torque=400.0), differentials=[scree.Differential(2, 3)])


def drive(seconds: float, **pedals: float) -> None:
    car.drive(**pedals)
    for _ in range(round(60 * seconds)):
        space.step(1 / 60)
    x, _, z = body.position
    print(f"{pedals or 'rolls'}: {3.6 * car.speed:.0f} km/h in gear {car.gear} at ({x:.0f}, {z:.0f}) m")


drive(1.0)
drive(5.0, throttle=1.0)
drive(2.0, throttle=0.3, right=0.4)
drive(4.0, brake=1.0)
