/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits: who may send
 * =====================
 *
 * A message may be sent only if the peer is known to have a receive buffer for
 * it, so a correct peer never sees "receiver not ready" and the QP's RNR retry
 * count is zero. Each side posts depth + RCH_CONTROL_SLOTS buffers.
 *
 * depth of them are for DATA. A DATA message takes one credit; the receiver
 * gives it back when the buffer is posted again, which is when the reader has
 * emptied it. A reader that does not read therefore stops its peer, and nothing
 * else.
 *
 * RCH_CONTROL_SLOTS are for control messages, so that they pass when the data
 * credits are gone. Their buffers are posted again at once, by the kernel; the
 * sender learns that from control_credits. Neither kind can starve the other:
 *
 *  - Every header carries both kinds of returns, so traffic in both directions
 *    needs no extra messages.
 *  - A CREDIT message is due when half the data credits, or half the control
 *    slots, are owed. With less than half owed, the peer has the rest or the
 *    reader has unread data, so it is not waiting for us.
 *  - The last RCH_CONTROL_RESERVE control slots are for CREDIT messages only.
 *    Two of them return a peer's whole allowance, so two sides that have both
 *    used up all else free each other.
 *  - A CREDIT that returns only control slots is answered by none, unless half
 *    the slots are owed again: such exchanges die out.
 *
 * The caller holds the path's lock. Pure logic; built in user space for tests.
 */
#ifndef RCH_CREDIT_H
#define RCH_CREDIT_H

#include <linux/types.h>

#define RCH_CONTROL_SLOTS	8U
#define RCH_CONTROL_RESERVE	2U

struct rch_credit {
	/* what we may send */
	__u32 avail;		/* DATA messages the peer has buffers for */
	__u32 peer_depth;	/* most it ever has */
	__u32 control_out;	/* control slots of the peer that are taken */
	/* what the peer may send */
	__u32 depth;		/* DATA buffers we have */
	__u32 owed;		/* of them: posted again, not yet told */
	__u32 control_owed;	/* control buffers posted again, not yet told */
	__u32 rx_unposted;	/* DATA buffers that hold unread data */
};

/**
 * rch_credit_init - start with all buffers posted on both sides
 * @c: to be set
 * @depth: our depth
 * @peer_depth: the peer's
 */
void rch_credit_init(struct rch_credit *c, __u32 depth, __u32 peer_depth);

/* Take the credit for one DATA message; false: none left. */
bool rch_credit_take(struct rch_credit *c);

/* Give the credit back unused. A peer may have given too many meanwhile. */
void rch_credit_untake(struct rch_credit *c);

/**
 * rch_credit_take_control - take a control slot of the peer
 * @c: the credits
 * @update: the message is a CREDIT
 *
 * Return: false if the message has to wait.
 */
bool rch_credit_take_control(struct rch_credit *c, bool update);

/* What the header about to be sent returns; resets what is owed. */
void rch_credit_stamp(struct rch_credit *c, __u16 *credits, __u8 *control);

/**
 * rch_credit_grant - the peer returns credits
 * @c: the credits
 * @credits: as received
 * @control: as received
 *
 * Return: 0, or -EPROTO if that is more than it ever was given.
 */
int rch_credit_grant(struct rch_credit *c, __u16 credits, __u8 control);

/**
 * rch_credit_received - a message arrived in one of our buffers
 * @c: the credits
 * @data: it is DATA, and its buffer stays with the reader
 *
 * Return: 0, or -EPROTO if the peer had no right to send it.
 */
int rch_credit_received(struct rch_credit *c, bool data);

/* The buffer of a message was posted again. */
void rch_credit_reposted(struct rch_credit *c, bool data);

/* Is a CREDIT message due? */
bool rch_credit_update_due(const struct rch_credit *c);

#endif /* RCH_CREDIT_H */
