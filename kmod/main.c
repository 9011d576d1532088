// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload
 * ===============
 *
 * Loading takes no RDMA resource, since any user's request for the netlink
 * family or the file system may cause it. Each part is up before the first that
 * may call it: the monitors' netlink group before the devices, which announce
 * themselves.
 *
 * Unloading is possible when no file is open; those pin the module. Endpoints
 * do not: they are deleted, with their listeners and whatever still lingers.
 * Then the devices, so that no callback comes any more; the works; the netlink
 * family, when nothing is left to tell; and last the memory that RCU readers
 * may still look at.
 */
#include <linux/module.h>

#include "conn.h"
#include "device.h"
#include "endpoint.h"
#include "netlink.h"
#include "path.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

static int __init rdmach_init(void)
{
	int err;

	err = rch_paths_init();
	if (err)
		return err;
	err = rch_endpoints_init();
	if (err)
		goto paths;
	err = rch_cdev_init();
	if (err)
		goto endpoints;
	err = rch_netlink_init();
	if (err)
		goto cdev;
	err = rch_devices_init();
	if (err)
		goto netlink;
	return 0;

netlink:
	rch_endpoints_shutdown();
	rch_paths_flush();
	rch_netlink_exit();
cdev:
	rch_cdev_exit();
endpoints:
	rch_endpoints_exit();
paths:
	rch_paths_exit();
	return err;
}

static void __exit rdmach_exit(void)
{
	rch_endpoints_shutdown();
	rch_devices_exit();
	rch_paths_flush();
	rch_netlink_exit();
	rch_cdev_exit();
	rch_endpoints_exit();
	rch_paths_exit();
	rch_conns_exit();
	rcu_barrier();
}

module_init(rdmach_init);
module_exit(rdmach_exit);

MODULE_DESCRIPTION("RDMA connections as files");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
MODULE_ALIAS("net-pf-16-proto-16-family-" RDMACH_GENL_NAME);
