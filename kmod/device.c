// SPDX-License-Identifier: GPL-2.0
/* The RDMA devices; see device.h. */
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "device.h"
#include "listen.h"
#include "netlink.h"
#include "path.h"

static DEFINE_SPINLOCK(rch_devices_lock);
static LIST_HEAD(rch_devices);

static struct rch_device *device_find(struct ib_device *ibdev)
{
	struct rch_device *dev;

	list_for_each_entry(dev, &rch_devices, node)
		if (dev->ibdev == ibdev)
			return dev;
	return NULL;
}

int rch_device_get(struct rch_path *path, struct ib_device *ibdev)
{
	struct rch_device *dev;

	spin_lock_bh(&rch_devices_lock);
	dev = device_find(ibdev);
	if (dev) {
		dev->users++;
		dev->nr_paths++;
		list_add_tail(&path->dev_node, &dev->paths);
		path->dev = dev;
	}
	spin_unlock_bh(&rch_devices_lock);
	return dev ? 0 : -ENODEV;
}

void rch_device_put(struct rch_path *path)
{
	struct rch_device *dev = path->dev;

	if (!dev)
		return;
	spin_lock_bh(&rch_devices_lock);
	list_del_init(&path->dev_node);
	path->dev = NULL;
	dev->nr_paths--;
	if (!--dev->users)
		complete(&dev->unused);
	spin_unlock_bh(&rch_devices_lock);
}

struct ib_device *rch_device_nth(unsigned int n, unsigned int *nr_paths)
{
	struct ib_device *ibdev = NULL;
	struct rch_device *dev;

	spin_lock_bh(&rch_devices_lock);
	list_for_each_entry(dev, &rch_devices, node) {
		if (!ib_device_try_get(dev->ibdev))
			continue;
		if (!n--) {
			ibdev = dev->ibdev;
			*nr_paths = dev->nr_paths;
			break;
		}
		ib_device_put(dev->ibdev);
	}
	spin_unlock_bh(&rch_devices_lock);
	return ibdev;
}

static int client_add(struct ib_device *ibdev)
{
	struct rch_device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);

	if (!dev)
		return -ENOMEM;
	dev->ibdev = ibdev;
	dev->users = 1;
	INIT_LIST_HEAD(&dev->paths);
	init_completion(&dev->unused);

	spin_lock_bh(&rch_devices_lock);
	list_add_tail(&dev->node, &rch_devices);
	spin_unlock_bh(&rch_devices_lock);

	rch_notify_device(RDMACH_CMD_DEVICE_ADD_NTF, ibdev);
	rch_listen_device_added();
	return 0;
}

/* May not return while an object of ours lives on the device. */
static void client_remove(struct ib_device *ibdev, void *client_data)
{
	struct rch_device *dev;
	struct rch_path *path;

	spin_lock_bh(&rch_devices_lock);
	dev = device_find(ibdev);
	if (dev) {
		list_del(&dev->node);
		list_for_each_entry(path, &dev->paths, dev_node)
			rch_path_fail(path, ENODEV,
				      "the RDMA device was removed");
		if (!--dev->users)
			complete(&dev->unused);
	}
	spin_unlock_bh(&rch_devices_lock);
	if (!dev)
		return;

	rch_listen_device_removed(ibdev);
	wait_for_completion(&dev->unused);
	kfree(dev);
	rch_notify_device(RDMACH_CMD_DEVICE_DEL_NTF, ibdev);
}

static struct ib_client rch_ib_client = {
	.name = "rdmach",
	.add = client_add,
	.remove = client_remove,
};

int rch_devices_init(void)
{
	return ib_register_client(&rch_ib_client);
}

void rch_devices_exit(void)
{
	ib_unregister_client(&rch_ib_client);
}
