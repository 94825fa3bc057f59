"""Common parts of the libraries on JAX: double precision, jit of vmap, blocking on results."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax

jax.config.update("jax_enable_x64", True)


def keep_compiled(folder):
    """Keep what is compiled there, for the next time."""
    jax.config.update("jax_compilation_cache_dir", str(folder / "jax"))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)


def compiled(function, *batches):
    """A call of jit(vmap(function)) on batches that are already the device's."""
    batches = [jax.device_put(batch) for batch in batches]
    call = jax.jit(jax.vmap(function))
    return lambda: call(*batches).block_until_ready()
