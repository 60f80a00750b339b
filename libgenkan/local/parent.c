#include "local/parent.h"

#include <sys/stat.h>

#include "base/str.h"
#include "contract/schema.h"
#include "os/proc.h"

/* An update of a running browser leaves a mark behind the path. */
static void
unmarked(const char *path, char ret[GK_PATH_MAX])
{
	static const char mark[] = " (deleted)";
	const size_t n = sizeof(mark) - 1;
	size_t len = strlen(path);

	if (len > n && strcmp(path + len - n, mark) == 0)
		len -= n;
	memcpy(ret, path, len);
	ret[len] = '\0';
}

static const char *
last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}

static bool
roots_alone(const struct gk_fstat *st)
{
	return st->uid == 0 && (st->mode & (S_IWGRP | S_IWOTH)) == 0;
}

void
gk_parent_judge(const struct gk_image *image, struct gk_parent *ret)
{
	const struct gk_browser_row *row;
	const char *path;
	char real[GK_PATH_MAX];
	size_t i, j, n;

	ret->key = NULL;
	ret->by_image = false;
	unmarked(image->path, real);
	row = gk_schema_browsers(&n);
	for (i = 0; i < n; i++) {
		for (j = 0; j < GK_ARRAY_LEN(row[i].image); j++) {
			path = row[i].image[j];
			if (path == NULL)
				continue;
			if (strcmp(path, real) == 0 &&
			    roots_alone(&image->st)) {
				ret->key = row[i].key;
				ret->by_image = true;
				return;
			}
			if (ret->key == NULL && strcmp(last_component(path),
			    last_component(real)) == 0)
				ret->key = row[i].key;
		}
	}
}

void
gk_parent_look(struct gk_parent *ret, struct gk_why *why)
{
	struct gk_proc proc = GK_PROC_INIT;
	struct gk_image image;
	uint64_t started;

	memset(ret, 0, sizeof(*ret));
	if (gk_proc_parent(&proc, why) < 0)
		return;
	if (gk_proc_started(&proc, &started, why) == 0 &&
	    gk_proc_look(&proc, &image, why) == 0) {
		gk_parent_judge(&image, ret);
		ret->pid = proc.pid;
		ret->started = started;
		ret->dev = image.st.dev;
		ret->ino = image.st.ino;
	}
	gk_proc_done(&proc);
}

bool
gk_parent_is_browser_still(const struct gk_parent *then)
{
	struct gk_parent now;

	if (!then->by_image || then->pid == 0)
		return false;
	gk_parent_look(&now, NULL);
	return now.by_image && now.pid == then->pid &&
	    now.started == then->started && now.dev == then->dev &&
	    now.ino == then->ino;
}
