// SPDX-License-Identifier: GPL-2.0
/* Counters; see stats.h. */
#include <net/netlink.h>

#include "stats.h"

void rch_stats_fold(struct rch_stats *to, const struct rch_stats *from)
{
	int i;

	for (i = RCH_STATS_FIRST; i <= RDMACH_A_STATS_MAX; i++)
		atomic64_add(atomic64_read(&from->counter[i]), &to->counter[i]);
}

void rch_stats_reset(struct rch_stats *s)
{
	int i;

	for (i = RCH_STATS_FIRST; i <= RDMACH_A_STATS_MAX; i++)
		atomic64_set(&s->counter[i], 0);
}

static bool of_endpoint_only(int which)
{
	return (which >= RDMACH_A_STATS_CONNECTS &&
		which <= RDMACH_A_STATS_CM_IGNORED) ||
	       which == RDMACH_A_STATS_REFUSED_PARAMETER;
}

int rch_stats_put(struct sk_buff *skb, int nest, const struct rch_stats *s,
		  bool endpoint)
{
	struct nlattr *start = nla_nest_start(skb, nest);
	int i;

	if (!start)
		return -EMSGSIZE;
	for (i = RCH_STATS_FIRST; i <= RDMACH_A_STATS_MAX; i++) {
		if (of_endpoint_only(i) && !endpoint)
			continue;
		if (nla_put_u64_64bit(skb, i, atomic64_read(&s->counter[i]),
				      RDMACH_A_STATS_PAD)) {
			nla_nest_cancel(skb, start);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(skb, start);
	return 0;
}
