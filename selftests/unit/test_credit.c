// SPDX-License-Identifier: GPL-2.0
/*
 * Credits: a model of two sides and the wires between, driven at random. Never
 * more messages under way than buffers, never a deadlock, and a side that takes
 * too much is found out.
 */
/* SOURCES: ../../kmod/credit.c */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/credit.h"
#include "ktap.h"

#define WIRE 4096

struct message {
	bool data;
	unsigned short credits;
	unsigned char control;
};

struct side {
	struct rch_credit c;
	struct message wire[WIRE];	/* towards this side, a FIFO */
	unsigned int head, tail;
	unsigned int unread, to_send, sent, received;
	bool update_pending;
};

static void deliver(struct side *from, struct side *to, bool data)
{
	struct message *m = &to->wire[to->tail++ % WIRE];

	m->data = data;
	rch_credit_stamp(&from->c, &m->credits, &m->control);
	/* All of them have a buffer. */
	CHECK(to->tail - to->head + to->unread <= to->c.depth + RCH_CONTROL_SLOTS);
}

/* As tx.c: an update that finds no slot stays pending. */
static void flush(struct side *s, struct side *peer)
{
	if (!s->update_pending)
		return;
	if (!rch_credit_update_due(&s->c)) {
		s->update_pending = false;
	} else if (rch_credit_take_control(&s->c, true)) {
		s->update_pending = false;
		deliver(s, peer, false);
	}
}

static void reposted(struct side *s, struct side *peer, bool data)
{
	rch_credit_reposted(&s->c, data);
	if (rch_credit_update_due(&s->c))
		s->update_pending = true;
	flush(s, peer);
}

static bool send_one(struct side *s, struct side *peer)
{
	if (s->sent == s->to_send || !rch_credit_take(&s->c))
		return false;
	s->sent++;
	deliver(s, peer, true);
	return true;
}

static bool ping(struct side *s, struct side *peer)
{
	if (!rch_credit_take_control(&s->c, false))
		return false;
	deliver(s, peer, false);
	return true;
}

static bool receive_one(struct side *s, struct side *peer)
{
	struct message m;

	if (s->head == s->tail)
		return false;
	m = s->wire[s->head++ % WIRE];
	CHECK(!rch_credit_grant(&s->c, m.credits, m.control));
	CHECK(!rch_credit_received(&s->c, m.data));
	if (m.data)
		s->unread++;
	else
		reposted(s, peer, false);
	flush(s, peer);
	return true;
}

static bool read_one(struct side *s, struct side *peer)
{
	if (!s->unread)
		return false;
	s->unread--;
	s->received++;
	reposted(s, peer, true);
	return true;
}

static void init(struct side *a, struct side *b, unsigned int da, unsigned int db,
		 unsigned int na, unsigned int nb)
{
	memset(a, 0, sizeof(*a));
	memset(b, 0, sizeof(*b));
	rch_credit_init(&a->c, da, db);
	rch_credit_init(&b->c, db, da);
	a->to_send = na;
	b->to_send = nb;
}

/* What is under way ends without anything new being sent. */
static bool drain(struct side *a, struct side *b)
{
	int i;

	for (i = 0; i < 100000; i++)
		if (!(receive_one(a, b) | receive_one(b, a)))
			return true;
	return false;
}

static void random_schedules_deliver_everything(void)
{
	static struct side a, b;
	unsigned int run, n = 400;
	struct side *s, *p;
	long steps;

	srandom(11);
	for (run = 0; run < 300; run++) {
		init(&a, &b, 2 + random() % 40, 2 + random() % 40,
		     random() % 2 ? n : 0, n);
		for (steps = 0; steps < 2000000; steps++) {
			s = random() % 2 ? &a : &b;
			p = s == &a ? &b : &a;
			switch (random() % 8) {
			case 0: case 1: send_one(s, p); break;
			case 2: case 3: case 4: receive_one(s, p); break;
			case 5: case 6: read_one(s, p); break;
			case 7: ping(s, p); break;
			}
			if (a.received == b.to_send && b.received == a.to_send)
				break;
		}
		CHECK(a.received == b.to_send && b.received == a.to_send);
		CHECK(drain(&a, &b));
	}
}

/* Both use up all they have, then only read: each must be freed again. */
static void two_starved_sides_free_each_other(void)
{
	static struct side a, b;
	unsigned int da, db;
	int i;

	for (da = 2; da < 20; da++) {
		for (db = 2; db < 20; db++) {
			init(&a, &b, da, db, 1000, 1000);
			for (i = 0; i < 50; i++) {
				while (send_one(&a, &b))
					;
				while (send_one(&b, &a))
					;
				while (ping(&a, &b))
					;
				while (ping(&b, &a))
					;
				CHECK(drain(&a, &b));
				while (read_one(&a, &b))
					;
				while (read_one(&b, &a))
					;
				CHECK(drain(&a, &b));
				CHECK(a.c.avail > 0 && b.c.avail > 0);
			}
		}
	}
}

/* Credit messages that answer credit messages must die out. */
static void an_idle_pair_falls_silent(void)
{
	static struct side a, b;
	int i;

	init(&a, &b, 2, 2, 1, 1);
	for (i = 0; i < RCH_CONTROL_SLOTS - RCH_CONTROL_RESERVE; i++)
		CHECK(ping(&a, &b));
	CHECK(!ping(&a, &b));
	CHECK(drain(&a, &b));
	CHECK(ping(&a, &b));
}

static void more_than_was_given_is_found_out(void)
{
	struct rch_credit c;
	unsigned int i;

	rch_credit_init(&c, 4, 4);
	CHECK(rch_credit_grant(&c, 1, 0) == -EPROTO);
	CHECK(rch_credit_grant(&c, 0, 1) == -EPROTO);
	CHECK(rch_credit_take(&c));
	CHECK(rch_credit_grant(&c, 2, 0) == -EPROTO);
	CHECK(rch_credit_grant(&c, 0xffff, 0) == -EPROTO);
	CHECK(rch_credit_grant(&c, 1, 0) == 0);
	for (i = 0; i < 4; i++)
		CHECK(rch_credit_received(&c, true) == 0);
	CHECK(rch_credit_received(&c, true) == -EPROTO);
	rch_credit_reposted(&c, true);
	/* Owed, but not yet told: still not his. */
	CHECK(rch_credit_received(&c, true) == -EPROTO);
}

/* Between taking and giving back, a lying peer returns one. */
static void giving_back_never_exceeds_the_depth(void)
{
	struct rch_credit c;

	rch_credit_init(&c, 4, 2);
	CHECK(rch_credit_take(&c));
	rch_credit_untake(&c);
	CHECK(c.avail == 2);
	CHECK(rch_credit_take(&c));
	CHECK(rch_credit_grant(&c, 1, 0) == 0);
	rch_credit_untake(&c);
	CHECK(c.avail == 2);
	CHECK(rch_credit_grant(&c, 1, 0) == -EPROTO);
}

static void no_credit_no_message(void)
{
	struct rch_credit c;
	int i;

	rch_credit_init(&c, 8, 3);
	for (i = 0; i < 3; i++)
		CHECK(rch_credit_take(&c));
	CHECK(!rch_credit_take(&c));
	for (i = 0; i < 6; i++)
		CHECK(rch_credit_take_control(&c, false));
	CHECK(!rch_credit_take_control(&c, false));
	CHECK(rch_credit_take_control(&c, true));
	CHECK(rch_credit_take_control(&c, true));
	CHECK(!rch_credit_take_control(&c, true));
}

static const struct unit_test tests[] = {
	{ "random_schedules_deliver_everything", random_schedules_deliver_everything },
	{ "two_starved_sides_free_each_other", two_starved_sides_free_each_other },
	{ "an_idle_pair_falls_silent", an_idle_pair_falls_silent },
	{ "more_than_was_given_is_found_out", more_than_was_given_is_found_out },
	{ "giving_back_never_exceeds_the_depth", giving_back_never_exceeds_the_depth },
	{ "no_credit_no_message", no_credit_no_message },
};

UNIT_MAIN(tests)
