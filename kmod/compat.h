/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows how kernels differ. Each shim has the name mainline
 * gave the thing; HAVE_* comes from Kbuild, which looks into the headers.
 */
#ifndef RCH_COMPAT_H
#define RCH_COMPAT_H

#include <linux/device.h>
#include <linux/fs.h>
#include <net/genetlink.h>

/* The device that device_type.devnode() is given turned const in 6.3. */
#ifdef HAVE_CONST_DEVNODE
#define rch_devnode_device	const struct device
#else
#define rch_devnode_device	struct device
#endif

/* Both kinds of dump information have the parsed attributes in ->attrs. */
#ifndef HAVE_GENL_INFO_DUMP
#define genl_info_dump(cb)	genl_dumpit_info(cb)
#endif

#ifndef HAVE_COPY_SPLICE_READ
#define copy_splice_read	generic_file_splice_read
#endif

#endif /* RCH_COMPAT_H */
