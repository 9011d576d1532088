/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters of connections and endpoints, indexed by enum rdmach_a_stats, which
 * says what each counts. A connection's are added to its endpoint's when it
 * ends; until then a reader of the endpoint's adds those of its connections.
 */
#ifndef RCH_STATS_H
#define RCH_STATS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <linux/rdmach_netlink.h>

/* The first attribute that is a counter. */
#define RCH_STATS_FIRST	RDMACH_A_STATS_TX_BYTES

struct sk_buff;

struct rch_stats {
	atomic64_t counter[RDMACH_A_STATS_MAX + 1];
};

static inline void rch_stats_add(struct rch_stats *s, enum rdmach_a_stats which,
				 u64 n)
{
	atomic64_add(n, &s->counter[which]);
}

static inline void rch_stats_inc(struct rch_stats *s, enum rdmach_a_stats which)
{
	atomic64_inc(&s->counter[which]);
}

/* Add all counters of @from to @to; both may change meanwhile. */
void rch_stats_fold(struct rch_stats *to, const struct rch_stats *from);

/* Set all to 0. */
void rch_stats_reset(struct rch_stats *s);

/**
 * rch_stats_put - write counters as a nest
 * @skb: message
 * @nest: attribute of the nest
 * @s: counters
 * @endpoint: with those that only endpoints have
 *
 * Return: 0 or -EMSGSIZE.
 */
int rch_stats_put(struct sk_buff *skb, int nest, const struct rch_stats *s,
		  bool endpoint);

#endif /* RCH_STATS_H */
