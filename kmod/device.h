/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The RDMA devices
 * ================
 *
 * One struct rch_device for each ib_device, from the moment the core adds it
 * until it removes it. It owns no RDMA resource: protection domains belong to
 * paths, so that a connection can never reach the memory of another.
 *
 * Each path that has objects on a device is on its list and counted in users.
 * Removal marks the device dying, after which rch_device_get() refuses; fails
 * every path on it, which stops the path whatever its connection and its file
 * are doing; takes down the listeners; and waits until the last user is gone.
 * It waits for work of ours only, never for an application.
 *
 * rch_devices_lock guards the list of devices and each device's paths; it nests
 * outside path->lock.
 */
#ifndef RCH_DEVICE_H
#define RCH_DEVICE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <rdma/ib_verbs.h>

struct rch_path;

struct rch_device {
	struct list_head node;
	struct ib_device *ibdev;
	struct list_head paths;
	unsigned int users;		/* paths, and 1 until removal */
	unsigned int nr_paths;
	struct completion unused;
};

int rch_devices_init(void);
void rch_devices_exit(void);

/**
 * rch_device_get - count a path as a user of a device
 * @path: has no device yet
 * @ibdev: the device its id is bound to
 *
 * Context: any but hard interrupt. Return: 0, or -ENODEV if it is being removed.
 */
int rch_device_get(struct rch_path *path, struct ib_device *ibdev);

/* The path has no object on its device any more. No-op without a device. */
void rch_device_put(struct rch_path *path);

/**
 * rch_device_nth - look at the devices one by one
 * @n: number from 0
 * @nr_paths: gets the number of our paths on it
 *
 * Return: the device, for ib_device_put(), or NULL at the end.
 */
struct ib_device *rch_device_nth(unsigned int n, unsigned int *nr_paths);

#endif /* RCH_DEVICE_H */
