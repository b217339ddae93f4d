"""test_ctypes.py LIBRARY RAVINE: the API from Python's ctypes. Objects are opaque pointers, steps and
parameters are names and texts; only two small structs are spelled out, for callbacks and sizes."""
import ctypes
import json
import subprocess
import sys
from ctypes import (CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char_p, c_double, c_float, c_int,
                    c_size_t, c_uint32, c_uint64, c_void_p, create_string_buffer)

lib = ctypes.CDLL(sys.argv[1])
ravine = sys.argv[2]
RV_OK, RV_CANCELLED, RV_ERROR_USAGE, RV_ERROR_VERSION = 0, 1, 2, 7
BIG_SEED = 2**64 - 1  # no double holds it


class Progress(Structure):
    _fields_ = [('step', c_char_p), ('done', c_double), ('total', c_double), ('land', c_void_p)]


PROGRESS = CFUNCTYPE(c_bool, c_void_p, POINTER(Progress))


class ContextDesc(Structure):
    _fields_ = [('threads', c_int), ('memory_limit', c_size_t), ('allocator', c_void_p * 3),
                ('log', c_void_p), ('progress', PROGRESS), ('user', c_void_p)]


def function(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


status_text = function('rv_status_text', c_char_p, c_int)
version_number = function('rv_version_number', c_int)
context_desc_default = function('rv_context_desc_default', ContextDesc)
context_open = function('rv_context_open', c_int, c_uint32, POINTER(ContextDesc), POINTER(c_void_p))
context_destroy = function('rv_context_destroy', None, c_void_p)
context_error = function('rv_context_error', c_char_p, c_void_p)
recipe_parse = function('rv_recipe_parse', c_int, c_void_p, c_char_p, c_char_p, POINTER(c_void_p))
recipe_destroy = function('rv_recipe_destroy', None, c_void_p)
recipe_count = function('rv_recipe_count', c_int, c_void_p)
recipe_step = function('rv_recipe_step', c_int, c_void_p, c_int)
recipe_print = function('rv_recipe_print', c_int, c_void_p, c_char_p, c_size_t)
recipe_run = function('rv_recipe_run', c_int, c_void_p, c_void_p, POINTER(c_void_p))
step_name = function('rv_step_name', c_char_p, c_int)
params_create = function('rv_params_create', c_int, c_void_p, c_char_p, POINTER(c_void_p))
params_destroy = function('rv_params_destroy', None, c_void_p)
params_set = function('rv_params_set', c_int, c_void_p, c_char_p, c_char_p)
params_get = function('rv_params_get', c_int, c_void_p, c_char_p, c_char_p, c_size_t)
params_run = function('rv_params_run', c_int, c_void_p, c_void_p, c_void_p)
FACTOR = CFUNCTYPE(c_float, c_void_p, c_float, c_float, c_float)
terrain_hardness = function('rv_terrain_hardness', None, c_void_p, FACTOR, c_void_p)
terrain_destroy = function('rv_terrain_destroy', None, c_void_p)
terrain_width = function('rv_terrain_width', c_int, c_void_p)
terrain_height = function('rv_terrain_height', c_int, c_void_p)
terrain_field = function('rv_terrain_field', POINTER(c_float), c_void_p, c_char_p)
terrain_hash = function('rv_terrain_hash', c_uint64, c_void_p)


def same_hash(land, recipe):
    """Does the program make the same land?"""
    out = subprocess.run([ravine, '--json', *recipe.split()], check=True, capture_output=True, text=True)
    return int(json.loads(out.stdout.splitlines()[-1])['hash'], 16) == terrain_hash(land)


# A context with a callback; a wrong layout would be noticed.
told = []
go_on = True


@PROGRESS
def progress(user, now):
    told.append((now.contents.step.decode(), now.contents.total))
    return go_on


ctx = c_void_p()
assert context_open(12345, None, byref(ctx)) == RV_ERROR_VERSION and not ctx
assert b'version' in status_text(RV_ERROR_VERSION)
desc = context_desc_default()
assert desc.threads == 0 and not desc.user
desc.threads = 2
desc.progress = progress
assert context_open(0, byref(desc), byref(ctx)) == RV_OK

# A recipe from text, with a seed that no double holds.
text = f'terrain width=48 height=32 cell=5 noise seed={BIG_SEED} droplets drops=3k'
recipe, land = c_void_p(), c_void_p()
assert recipe_parse(ctx, text.encode(), b'python', byref(recipe)) == RV_OK, context_error(ctx)
names = [step_name(recipe_step(recipe, i)).decode() for i in range(recipe_count(recipe))]
assert names == ['terrain', 'noise', 'droplets'], names
printed = create_string_buffer(recipe_print(recipe, None, 0) + 1)
recipe_print(recipe, printed, len(printed))
step_count = function('rv_step_count', c_int)
help_json = json.loads(subprocess.run([ravine, 'help', '--json'], check=True, capture_output=True).stdout)
assert [step_name(i).decode() for i in range(step_count())] == [step['name'] for step in help_json['steps']]
assert f' seed={BIG_SEED} ' in printed.value.decode()
assert recipe_run(recipe, None, byref(land)) == RV_OK, context_error(ctx)
assert told and {name for name, _ in told} <= set(names), told
assert all(0 <= total <= 1 for _, total in told)

# The heights, without a copy.
width, height = terrain_width(land), terrain_height(land)
assert (width, height) == (48, 32)
heights = terrain_field(land, b'height')[:width * height]
assert len(set(heights)) > width and max(heights) > min(heights)
assert not terrain_field(land, b'nosuchfield')
assert same_hash(land, text)

# One more step on the same land, its parameters as text.
params = c_void_p()
assert params_create(ctx, b'noise', byref(params)) == RV_OK
assert params_set(params, b'seed', str(BIG_SEED).encode()) == RV_OK
assert params_set(params, b'mode', b'add') == RV_OK
assert params_set(params, b'relif', b'9') == RV_ERROR_USAGE
assert b'did you mean "relief"?' in context_error(ctx), context_error(ctx)
value = create_string_buffer(64)
assert params_get(params, b'seed', value, len(value)) == 20 and int(value.value) == BIG_SEED
assert params_run(params, land, None) == RV_OK, context_error(ctx)
assert same_hash(land, f'{text} noise seed={BIG_SEED} mode=add')
other = f'{text} noise seed={BIG_SEED - 1} mode=add'
assert not same_hash(land, other), 'the seed has no effect'
params_destroy(params)

# Hardness as a function of the place: rock in the west that nothing erodes.
asked = set()


@FACTOR
def hardness(user, x, y, z):
    asked.add(x < 100)
    return 0 if x < 100 else 1


hills = c_void_p()
run_text = function('rv_recipe_run_text', c_int, c_void_p, c_char_p, c_void_p, POINTER(c_void_p))
assert run_text(ctx, b'terrain size=24 cell=10 noise', None, byref(hills)) == RV_OK, context_error(ctx)
terrain_hardness(hills, hardness, None)
assert params_create(ctx, b'droplets', byref(params)) == RV_OK
assert params_set(params, b'drops', b'300') == RV_OK
assert params_run(params, hills, None) == RV_OK, context_error(ctx)
eroded = terrain_field(hills, b'eroded')[:24 * 24]
assert asked == {True, False}
assert all(eroded[y * 24 + x] == 0 for y in range(24) for x in range(10)), 'hard rock is eroded'
assert any(eroded[y * 24 + x] > 0 for y in range(24) for x in range(10, 24)), 'nothing is eroded'
params_destroy(params)
terrain_destroy(hills)

# A callback that says no stops the run.
go_on = False
stopped = c_void_p()
assert recipe_run(recipe, None, byref(stopped)) == RV_CANCELLED and not stopped

terrain_destroy(land)
recipe_destroy(recipe)
context_destroy(ctx)
