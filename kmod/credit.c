// SPDX-License-Identifier: GPL-2.0
/* Who may send; see credit.h. */
#include <linux/errno.h>
#include <linux/kernel.h>

#include "credit.h"

void rch_credit_init(struct rch_credit *c, __u32 depth, __u32 peer_depth)
{
	*c = (struct rch_credit){
		.avail = peer_depth,
		.peer_depth = peer_depth,
		.depth = depth,
	};
}

bool rch_credit_take(struct rch_credit *c)
{
	if (!c->avail)
		return false;
	c->avail--;
	return true;
}

void rch_credit_untake(struct rch_credit *c)
{
	if (c->avail < c->peer_depth)
		c->avail++;
}

bool rch_credit_take_control(struct rch_credit *c, bool update)
{
	__u32 limit = RCH_CONTROL_SLOTS;

	if (!update)
		limit -= RCH_CONTROL_RESERVE;
	if (c->control_out >= limit)
		return false;
	c->control_out++;
	return true;
}

void rch_credit_stamp(struct rch_credit *c, __u16 *credits, __u8 *control)
{
	*credits = c->owed;
	*control = c->control_owed;
	c->owed = 0;
	c->control_owed = 0;
}

int rch_credit_grant(struct rch_credit *c, __u16 credits, __u8 control)
{
	if (credits > c->peer_depth - c->avail || control > c->control_out)
		return -EPROTO;
	c->avail += credits;
	c->control_out -= control;
	return 0;
}

int rch_credit_received(struct rch_credit *c, bool data)
{
	if (!data)
		return c->control_owed < RCH_CONTROL_SLOTS ? 0 : -EPROTO;
	if (c->rx_unposted + c->owed >= c->depth)
		return -EPROTO;
	c->rx_unposted++;
	return 0;
}

void rch_credit_reposted(struct rch_credit *c, bool data)
{
	if (data) {
		c->rx_unposted--;
		c->owed++;
	} else {
		c->control_owed++;
	}
}

bool rch_credit_update_due(const struct rch_credit *c)
{
	return c->owed >= max(c->depth / 2, 1U) ||
	       c->control_owed >= RCH_CONTROL_SLOTS / 2;
}
