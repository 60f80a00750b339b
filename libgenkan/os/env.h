#ifndef GK_OS_ENV_H
#define GK_OS_ENV_H

/* The environment's value, or NULL where it is unset or empty: an empty value
 * counts as unset everywhere (wire.md 1.6).  Borrowed from the environment. */
const char	*gk_env_get(const char *name);

#endif
