/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints: what the administrator configures
 * ============================================
 *
 * An endpoint is a struct device of class "rdmach"; its minor number is its
 * index in the table, its node /dev/rdmach/NAME is made by devtmpfs with the
 * mode and the owner of the configuration. Its reference count is the device's;
 * connections and paths hold references, so it outlives its deletion until the
 * last file is closed, but its name is free at once.
 *
 * rch_config_mutex guards the table, the listeners, and the order of adding and
 * deleting. ep->lock guards what changes with traffic: the connections, the
 * opens that wait for a peer, the peers that wait for an open. The
 * configuration never changes.
 *
 * Deleting: the name, the node and the listener go first, under the mutex, with
 * ep->dying set under ep->lock; from then on nothing new can join. Then, without
 * the mutex, waiting peers are rejected, connections broken with ENXIO, and
 * the paths awaited.
 */
#ifndef RCH_ENDPOINT_H
#define RCH_ENDPOINT_H

#include <linux/device.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/socket.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <linux/rdmach.h>
#include <linux/rdmach_netlink.h>

#include "stats.h"

/* Endpoints at once; also the range of minor numbers that is reserved. */
#define RCH_ENDPOINTS_MAX	65536

struct netlink_ext_ack;
struct rdma_cm_id;

struct rch_endpoint_config {
	char name[RDMACH_NAME_MAX + 1];
	enum rdmach_role role;
	struct sockaddr_storage local;	/* family 0: any */
	struct sockaddr_storage peer;
	u32 depth;
	u32 buffer_size;		/* a multiple of RCH_POOL_ALIGN */
	u32 backlog;
	u32 max_connections;
	umode_t mode;
	kuid_t owner;
	kgid_t group;
	int tos;			/* -1: the device's default */
	u8 ack_timeout;			/* 4.096 us x 2^n; 0: the device's default */
	u32 connect_timeout_ms;
	u32 keepalive_ms;
	u32 linger_ms;
};

struct rch_endpoint {
	struct device dev;
	u32 minor;
	struct rch_endpoint_config config;

	/* rch_config_mutex */
	struct rdma_cm_id *listener;

	spinlock_t lock;		/* all up to the works */
	bool dying;
	enum rdmach_endpoint_state state;
	struct list_head conns;
	u32 nr_conns;
	struct list_head waiting;	/* connections, oldest first */
	struct list_head requests;	/* paths, oldest first */
	u32 nr_requests;
	int error;			/* of the last failure, positive */
	char cause[RDMACH_CAUSE_MAX + 1];
	ktime_t error_at;

	struct delayed_work listen_work;
	struct delayed_work expire_work;
	bool listener_lost;		/* listen_work is to drop the listener */

	atomic_t nr_paths;
	wait_queue_head_t paths_wait;
	struct rch_stats stats;
};

extern struct mutex rch_config_mutex;

int rch_endpoints_init(void);
/* Delete all and refuse new ones; waits for their paths. */
void rch_endpoints_shutdown(void);
/* Waits until the last endpoint's memory is free. */
void rch_endpoints_exit(void);

/**
 * rch_endpoint_add - make an endpoint, its node and its listener
 * @config: checked against the ranges of the uapi header
 * @extack: gets the reason of a refusal
 *
 * Context: process, CAP_NET_ADMIN was checked. Return: 0 or -errno as
 * uapi/linux/rdmach_netlink.h lists.
 */
int rch_endpoint_add(const struct rch_endpoint_config *config,
		     struct netlink_ext_ack *extack);

/**
 * rch_endpoint_del - delete an endpoint
 * @name: its name
 *
 * Returns when its connections hold no RDMA object any more, or after ten
 * seconds. Context: process. Return: 0, -ENOENT.
 */
int rch_endpoint_del(const char *name);

/* By name; the caller holds rch_config_mutex. NULL: none. */
struct rch_endpoint *rch_endpoint_find(const char *name);

/* By minor, referenced; NULL: none. */
struct rch_endpoint *rch_endpoint_get_minor(unsigned int minor);

/* The first from @minor on; the caller holds rch_config_mutex. NULL: none. */
struct rch_endpoint *rch_endpoint_next(unsigned long *minor);

/* The sums of past and present connections. */
void rch_endpoint_stats(struct rch_endpoint *ep, struct rch_stats *sum);
void rch_endpoint_stats_reset(struct rch_endpoint *ep);

/* Remember a failure, for `rdmactl endpoint show`. Context: any but hard irq. */
void rch_endpoint_error(struct rch_endpoint *ep, int error, const char *cause);

void rch_endpoint_get(struct rch_endpoint *ep);
void rch_endpoint_put(struct rch_endpoint *ep);

/* A path of the endpoint begins, or has let go of everything. */
void rch_endpoint_path_born(struct rch_endpoint *ep);
void rch_endpoint_path_gone(struct rch_endpoint *ep);

/* cdev.c */
int rch_cdev_init(void);
void rch_cdev_exit(void);
/* The device number of a minor number. */
dev_t rch_cdev_devt(u32 minor);

#endif /* RCH_ENDPOINT_H */
