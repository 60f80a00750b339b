/*
 * genkan/export.h - how public functions are declared
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef GENKAN_EXPORT_H
#define GENKAN_EXPORT_H

#if defined(__GNUC__) && !defined(GENKAN_STATIC)
#define GENKAN_API	__attribute__((__visibility__("default")))
#else
#define GENKAN_API
#endif

/* The result must be looked at. */
#if defined(__GNUC__)
#define GENKAN_CHECKED	__attribute__((__warn_unused_result__))
#else
#define GENKAN_CHECKED
#endif

#ifdef __cplusplus
#define GENKAN_BEGIN_DECLS	extern "C" {
#define GENKAN_END_DECLS	}
#else
#define GENKAN_BEGIN_DECLS
#define GENKAN_END_DECLS
#endif

#endif
