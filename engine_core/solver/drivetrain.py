"""Engine, clutch, gears, differentials and brakes of a vehicle, down to its shafts."""

from ..runtime.kernel import kernel
from .vehicle_wheels import curve_at

STILL = 1.0
"""Below this speed a vehicle may change its direction [m/s]."""
IDLE_PART = 1.05
"""An engine without throttle opens the clutch below this factor of its least speed."""


@kernel
def gear_ratio(vehicle):
    """Ratio of the current gear; 0: neutral."""
    if vehicle.gear > 0:
        return vehicle.gears[min(vehicle.gear, vehicle.gear_count) - 1]
    if vehicle.gear < 0:
        return vehicle.reverse[min(-vehicle.gear, vehicle.reverse_count) - 1]
    return 0.0


@kernel
def shift(vehicle, gear):
    vehicle.gear = gear
    vehicle.since_shift = 0.0


@kernel
def choose_gear(vehicle, speed):
    """Automatic gearbox: shift up and down by the engine's speed, and to reverse on the driver's input."""
    if vehicle.throttle > 0.0 and vehicle.gear <= 0 and speed > -STILL:
        shift(vehicle, 1)
    elif vehicle.throttle < 0.0 and vehicle.gear >= 0 and speed < STILL and vehicle.reverse_count > 0:
        shift(vehicle, -1)
    elif vehicle.gear > 0 and vehicle.since_shift > vehicle.shift_time + vehicle.shift_pause:
        if vehicle.engine_speed > vehicle.shift_up and vehicle.gear < vehicle.gear_count:
            shift(vehicle, vehicle.gear + 1)
        elif vehicle.engine_speed < vehicle.shift_down and vehicle.gear > 1:
            shift(vehicle, vehicle.gear - 1)


@kernel
def prepare_drive(vehicle, speed, delta_time):
    """Set gear and clutch, once a step. `speed`: forward speed of the vehicle [m/s]."""
    vehicle.since_shift += delta_time
    if not vehicle.is_automatic:
        return
    choose_gear(vehicle, speed)
    is_open = vehicle.since_shift < vehicle.shift_time
    idles = pedal(vehicle) == 0.0 and vehicle.engine_speed < IDLE_PART * vehicle.least_speed
    vehicle.clutch = 0.0 if is_open or idles else 1.0


@kernel
def pedal(vehicle):
    """Throttle, 0 to 1. An automatic brakes if the input is against the direction of travel."""
    if vehicle.is_automatic and vehicle.throttle * vehicle.gear < 0.0:
        return 0.0
    return abs(vehicle.throttle)


@kernel
def brake_pedal(vehicle):
    """Brake input, 0 to 1."""
    if vehicle.is_automatic and vehicle.throttle * vehicle.gear < 0.0:
        return max(vehicle.brake, abs(vehicle.throttle))
    return vehicle.brake


@kernel
def most_brake(vehicle, shaft, h):
    """The largest impulse of the brakes of a shaft in a sub-step [N m s]."""
    return h * (brake_pedal(vehicle) * shaft.most_brake + vehicle.hand_brake * shaft.most_hand_brake)


@kernel
def begin_drive(vehicle, shafts, drives, h):
    """Apply the engine's torque, the damping, and the brakes' impulses of the last sub-step, once a sub-step."""
    if vehicle.most_torque > 0.0:
        torque = pedal(vehicle) * vehicle.most_torque
        torque *= curve_at(vehicle.torque_curve, vehicle.engine_speed / vehicle.most_speed)
        speed = (vehicle.engine_speed + h * torque / vehicle.engine_inertia) / (1.0 + h * vehicle.engine_damping)
        vehicle.engine_speed = min(max(speed, vehicle.least_speed), vehicle.most_speed)
    for k in range(vehicle.shaft_count):
        shafts[k].speed /= 1.0 + h * shafts[k].damping
        most = most_brake(vehicle, shafts[k], h)
        shafts[k].braked = min(max(shafts[k].braked, -most), most)
        shafts[k].speed += shafts[k].braked / shafts[k].inertia
    for k in range(vehicle.drive_count):
        drives[k].impulse = 0.0


@kernel
def split_of(drive, shafts):
    """The part of the torque for the second shaft. If one turns too much faster, the other gets more."""
    if drive.slip_limit <= 1.0:
        return drive.split
    first, second = abs(shafts[drive.shafts[0]].speed), abs(shafts[drive.shafts[1]].speed)
    slow, fast = min(first, second), max(first, second)
    excess = min((fast - slow) / max((drive.slip_limit - 1.0) * slow, 0.1), 1.0)
    return drive.split + excess * ((1.0 if second < first else 0.0) - drive.split)


@kernel
def solve_drive(vehicle, drive, shafts, h):
    """Solve the clutch between the engine and the shafts of one drive once: soft, so that it slips."""
    ratio = gear_ratio(vehicle) * drive.ratio
    strength = vehicle.clutch * vehicle.clutch_strength * drive.share
    if ratio == 0.0 or strength <= 0.0 or vehicle.most_torque <= 0.0:
        return
    split = split_of(drive, shafts) if drive.shafts[1] >= 0 else 0.0
    softness = 1.0 / (h * strength)
    slip = drive.input * vehicle.engine_speed - softness * drive.impulse
    mass = drive.input * drive.input / vehicle.engine_inertia + softness
    for side in range(2):
        if drive.shafts[side] >= 0:
            part = ratio * (split if side == 1 else 1.0 - split)
            slip -= part * shafts[drive.shafts[side]].speed
            mass += part * part / shafts[drive.shafts[side]].inertia
    impulse = slip / mass
    drive.impulse += impulse
    vehicle.engine_speed -= drive.input * impulse / vehicle.engine_inertia
    for side in range(2):
        if drive.shafts[side] >= 0:
            part = ratio * (split if side == 1 else 1.0 - split)
            shafts[drive.shafts[side]].speed += part * impulse / shafts[drive.shafts[side]].inertia


@kernel
def solve_brake(vehicle, shaft, h):
    """Solve the brakes of a shaft once: they stop it, if they can."""
    most = most_brake(vehicle, shaft, h)
    renewed = min(max(shaft.braked - shaft.speed * shaft.inertia, -most), most)
    shaft.speed += (renewed - shaft.braked) / shaft.inertia
    shaft.braked = renewed
