/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's words that pure code uses, for user space. */
#ifndef SHIM_TYPES_H
#define SHIM_TYPES_H

#include_next <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define __packed __attribute__((packed))

#endif
