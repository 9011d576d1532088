/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Listening: peers that wait for an open, opens that wait for a peer
 * ==================================================================
 *
 * A listen endpoint's node is like a FIFO: who opens it waits for the other
 * end, who dials waits for an open. Both queues of an endpoint are served in
 * order, under ep->lock, and at most one of them is not empty. A dialer's
 * request is answered only when an open has taken it, so the dialer's own
 * open() returns when there is a reader, and a peer that nobody wants costs a
 * CM id and this queue entry, no queue pair and no buffer.
 *
 * backlog bounds the requests that wait; connect-timeout how long.
 *
 * A listener lives as long as its device. When that goes, the endpoint is DOWN:
 * opens that wait go on waiting, new ones are refused. It listens again when a
 * device comes, and tries once a second besides, since the address may come
 * later than the device.
 */
#ifndef RCH_LISTEN_H
#define RCH_LISTEN_H

#include "wire.h"

struct ib_device;
struct rch_conn;
struct rch_endpoint;
struct rch_path;

/* The works and lists of a new endpoint. */
void rch_listen_init(struct rch_endpoint *ep);

/**
 * rch_listen_start - bind and listen
 * @ep: listen endpoint; the caller holds rch_config_mutex
 *
 * Return: 0, -EADDRINUSE, -EADDRNOTAVAIL, -ENODEV, or another -errno of the CM.
 */
int rch_listen_start(struct rch_endpoint *ep);

/* Take no more requests. The caller holds rch_config_mutex. */
void rch_listen_stop(struct rch_endpoint *ep);

/* Reject the requests that wait, stop the works. The endpoint is dying. */
void rch_listen_drain(struct rch_endpoint *ep);

/* The listener's device is going: drop it, in a work. Context: any. */
void rch_listen_lost(struct rch_endpoint *ep);

/* A device came or goes. Context: process. */
void rch_listen_device_added(void);
void rch_listen_device_removed(struct ib_device *ibdev);

/**
 * rch_listen_request - a peer asks for a connection
 * @path: of the request
 *
 * Return: RCH_REJECT_NONE: it is queued or taken; else why it is refused.
 */
enum rch_reject rch_listen_request(struct rch_path *path);

/* Count a refusal and remember it at the endpoint. */
void rch_listen_count_refusal(struct rch_endpoint *ep, enum rch_reject reason);

/* What a request that ends untaken is told. */
enum rch_reject rch_listen_reject_reason(const struct rch_path *path);

/* A path stops: it is no request any more. */
void rch_listen_forget(struct rch_path *path);

/**
 * rch_listen_wait - an open waits for a peer
 * @conn: in state WAITING
 * @first: before all others: its turn had come already
 *
 * Return: 0, -ENXIO (the endpoint is deleted), -ESHUTDOWN (it is down),
 * -ECANCELED (the file is closed).
 */
int rch_listen_wait(struct rch_conn *conn, bool first);

/* It does not wait any more. After that conn->path is final. */
void rch_listen_cancel(struct rch_conn *conn);

#endif /* RCH_LISTEN_H */
