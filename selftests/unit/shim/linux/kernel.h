/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_KERNEL_H
#define SHIM_KERNEL_H

#include <endian.h>
#include <linux/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof(*(a)))
#define min_t(t, a, b)	((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define cpu_to_le16	htole16
#define cpu_to_le32	htole32
#define cpu_to_le64	htole64
#define le16_to_cpu	le16toh
#define le32_to_cpu	le32toh
#define le64_to_cpu	le64toh

#endif
