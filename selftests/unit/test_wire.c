// SPDX-License-Identifier: GPL-2.0
/* What crosses the wire: every field, every bound, and noise. */
/* SOURCES: ../../kmod/wire.c */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../kmod/wire.h"
#include "ktap.h"

static const struct rch_hello sample = {
	.path_count = 1, .buffer_size = 65536, .depth = 32,
	.conn_id = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 },
};

/* Encode @sample, change bytes, decode. */
static enum rch_reject decode_changed(size_t at, unsigned char byte)
{
	struct rch_wire_hello w;
	struct rch_hello h;

	rch_wire_encode_hello(&w, &sample, 0);
	((unsigned char *)&w)[at] = byte;
	return rch_wire_decode_hello(&w, sizeof(w), &h);
}

static void hello_round_trip(void)
{
	unsigned char buf[80];
	struct rch_wire_hello w;
	struct rch_hello h;
	int i;

	memset(&w, 0xff, sizeof(w));
	rch_wire_encode_hello(&w, &sample, 0);
	for (i = 0; i < sizeof(w.reserved); i++)
		CHECK(w.reserved[i] == 0);
	/* At every alignment, with padding behind. */
	for (i = 0; i < 8; i++) {
		memset(buf, 0xee, sizeof(buf));
		memcpy(buf + i, &w, sizeof(w));
		memset(&h, 0, sizeof(h));
		CHECK(rch_wire_decode_hello(buf + i, sizeof(buf) - i, &h) == RCH_REJECT_NONE);
		CHECK(h.version == 1 && h.path_index == 0 && h.path_count == 1);
		CHECK(h.buffer_size == 65536 && h.depth == 32 && h.features == 0);
		CHECK(!memcmp(h.conn_id, sample.conn_id, 16));
	}
}

static void hello_is_on_the_wire_as_documented(void)
{
	static const unsigned char want[56] = {
		'r', 'd', 'c', 'h', 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0,
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
		0, 0, 1, 0, 32, 0,
	};
	struct rch_wire_hello w;

	rch_wire_encode_hello(&w, &sample, 0);
	CHECK(sizeof(w) == 56);
	CHECK(!memcmp(&w, want, sizeof(w)));
}

static void hello_too_short_is_a_stranger(void)
{
	struct rch_wire_hello w;
	struct rch_hello h;
	unsigned int len;
	void *exact;

	rch_wire_encode_hello(&w, &sample, 0);
	for (len = 0; len < sizeof(w); len++) {
		/* From the heap, so that reading too far is seen. */
		exact = malloc(len ? len : 1);
		memcpy(exact, &w, len);
		CHECK(rch_wire_decode_hello(exact, len, &h) == RCH_REJECT_STRANGER);
		free(exact);
	}
	CHECK(rch_wire_decode_hello(NULL, 0, &h) == RCH_REJECT_STRANGER);
	CHECK(rch_wire_decode_hello(NULL, 56, &h) == RCH_REJECT_STRANGER);
}

static void hello_each_field_is_checked(void)
{
	CHECK(decode_changed(0, 'R') == RCH_REJECT_STRANGER);
	CHECK(decode_changed(3, 0) == RCH_REJECT_STRANGER);
	CHECK(decode_changed(4, 2) == RCH_REJECT_VERSION);	/* min > max */
	CHECK(decode_changed(5, 0) == RCH_REJECT_VERSION);
	CHECK(decode_changed(5, 200) == RCH_REJECT_NONE);	/* 1 to 200 */
	CHECK(decode_changed(6, 1) == RCH_REJECT_PARAMETER);	/* path index */
	CHECK(decode_changed(7, 0) == RCH_REJECT_PARAMETER);
	CHECK(decode_changed(7, 2) == RCH_REJECT_PARAMETER);
	CHECK(decode_changed(8, 1) == RCH_REJECT_NONE);		/* a feature */
	CHECK(decode_changed(12, 1) == RCH_REJECT_PARAMETER);	/* epoch */
	CHECK(decode_changed(34, 0) == RCH_REJECT_PARAMETER);	/* buffer 0 */
	CHECK(decode_changed(35, 1) == RCH_REJECT_PARAMETER);	/* huge */
	CHECK(decode_changed(36, 0) == RCH_REJECT_PARAMETER);	/* depth 0 */
	CHECK(decode_changed(36, 1) == RCH_REJECT_PARAMETER);
	CHECK(decode_changed(37, 4) == RCH_REJECT_PARAMETER);	/* 1056 */
	CHECK(decode_changed(38, 1) == RCH_REJECT_AUTH);
	CHECK(decode_changed(39, 1) == RCH_REJECT_NONE);	/* reserved */
	CHECK(decode_changed(55, 255) == RCH_REJECT_NONE);
}

static void hello_bounds(void)
{
	static const struct { unsigned int buffer, depth; int ok; } c[] = {
		{ 255, 32, 0 }, { 256, 32, 1 }, { 1 << 20, 32, 1 },
		{ (1 << 20) + 1, 32, 0 }, { 4096, 1, 0 }, { 4096, 2, 1 },
		{ 4096, 1024, 1 }, { 4096, 1025, 0 }, { 0xffffffff, 32, 0 },
		{ 4096, 0xffff, 0 },
	};
	struct rch_hello in = sample, h;
	struct rch_wire_hello w;
	size_t i;

	for (i = 0; i < sizeof(c) / sizeof(*c); i++) {
		in.buffer_size = c[i].buffer;
		in.depth = c[i].depth;
		rch_wire_encode_hello(&w, &in, 0);
		CHECK((rch_wire_decode_hello(&w, sizeof(w), &h) == RCH_REJECT_NONE) == c[i].ok);
	}
}

static void unknown_features_are_left_out(void)
{
	struct rch_hello in = sample, h = { .features = 77 };
	struct rch_wire_hello w;

	in.features = 0xffffffff;
	rch_wire_encode_hello(&w, &in, 1);
	CHECK(w.version_min == 1 && w.version_max == 1);
	CHECK(rch_wire_decode_hello(&w, sizeof(w), &h) == RCH_REJECT_NONE);
	CHECK(h.features == RCH_WIRE_FEATURES);
}

static void reject_round_trip(void)
{
	struct rch_wire_reject w;
	unsigned int reason, len;

	for (reason = 1; reason < RCH_REJECT_MAX; reason++) {
		rch_wire_encode_reject(&w, reason);
		CHECK(rch_wire_decode_reject(&w, sizeof(w)) == reason);
		CHECK(rch_wire_reject_text(reason)[0]);
		for (len = 0; len < sizeof(w); len++)
			CHECK(rch_wire_decode_reject(&w, len) == RCH_REJECT_STRANGER);
	}
	/* Reasons of a later version, and none, are refusals all the same. */
	rch_wire_encode_reject(&w, 999);
	CHECK(rch_wire_decode_reject(&w, sizeof(w)) == RCH_REJECT_MAX);
	rch_wire_encode_reject(&w, 0);
	CHECK(rch_wire_decode_reject(&w, sizeof(w)) == RCH_REJECT_MAX);
	w.magic = 0;
	CHECK(rch_wire_decode_reject(&w, sizeof(w)) == RCH_REJECT_STRANGER);
	CHECK(rch_wire_reject_text(RCH_REJECT_MAX)[0]);
	CHECK(rch_wire_reject_text(123456)[0]);
}

static void header_round_trip(void)
{
	struct rch_msg in = {
		.type = RCH_MSG_DATA, .control_credits = 3, .credits = 0x1234,
		.length = 100, .ack = 0x89abcdef, .seq = 0x123456789abcdefULL,
		.imm = ~0ULL,
	}, out;
	struct rch_wire_hdr w;

	memset(&w, 0xff, sizeof(w));
	rch_wire_encode_hdr(&w, &in);
	CHECK(sizeof(w) == 32 && !w.reserved && !w.reserved2 && !w.flags);
	memset(&out, 0, sizeof(out));
	CHECK(!rch_wire_decode_hdr(&w, 132, 100, &out));
	CHECK(out.type == in.type && out.credits == in.credits &&
	      out.control_credits == in.control_credits &&
	      out.length == in.length && out.ack == in.ack &&
	      out.seq == in.seq && out.imm == in.imm);
}

static void header_each_field_is_checked(void)
{
	struct rch_msg in = { .type = RCH_MSG_DATA, .length = 10 }, out;
	struct rch_wire_hdr w;
	unsigned int n;

	rch_wire_encode_hdr(&w, &in);
	CHECK(!rch_wire_decode_hdr(&w, 42, 10, &out));
	CHECK(rch_wire_decode_hdr(&w, 42, 9, &out) == -EPROTO);	/* buffer */
	for (n = 0; n < 100; n++)
		CHECK((rch_wire_decode_hdr(&w, n, 64, &out) == 0) == (n == 42));
	w.length = 0xffffffff;
	CHECK(rch_wire_decode_hdr(&w, 31, 64, &out) == -EPROTO);
	for (n = 0; n < 256; n++) {
		in.length = 0;
		rch_wire_encode_hdr(&w, &in);
		w.type = n;
		CHECK((rch_wire_decode_hdr(&w, 32, 64, &out) == 0) ==
		      (n >= RCH_MSG_DATA && n <= RCH_MSG_BYE));
		w.type = RCH_MSG_PING;
		w.flags = n;
		CHECK((rch_wire_decode_hdr(&w, 32, 64, &out) == 0) == (n == 0));
	}
	in.length = 1;
	for (n = RCH_MSG_READY; n <= RCH_MSG_BYE; n++) {
		in.type = n;
		rch_wire_encode_hdr(&w, &in);
		CHECK(rch_wire_decode_hdr(&w, 33, 64, &out) == -EPROTO);
	}
}

/* Seeded and counted: what passes is within every bound. */
static void noise_is_bounded(void)
{
	unsigned char buf[64];
	struct rch_hello h;
	struct rch_msg m;
	int i, j, passed = 0;

	srandom(7);
	for (i = 0; i < 300000; i++) {
		for (j = 0; j < sizeof(buf); j++)
			buf[j] = random() % 4 ? 0 : random();
		if (random() % 2)
			memcpy(buf, "rdch\1\1\0\1", 8);
		if (rch_wire_decode_hello(buf, random() % 65, &h) == RCH_REJECT_NONE) {
			passed++;
			CHECK(h.version == 1 && h.path_count == 1);
			CHECK(h.buffer_size >= 256 && h.buffer_size <= 1 << 20);
			CHECK(h.depth >= 2 && h.depth <= 1024);
		}
		if (!rch_wire_decode_hdr((void *)buf, random() % 100, 48, &m)) {
			passed++;
			CHECK(m.type >= RCH_MSG_DATA && m.type <= RCH_MSG_BYE);
			CHECK(m.length <= 48);
		}
		rch_wire_decode_reject(buf, random() % 65);
	}
	CHECK(passed > 100);
}

static const struct unit_test tests[] = {
	{ "hello_round_trip", hello_round_trip },
	{ "hello_is_on_the_wire_as_documented", hello_is_on_the_wire_as_documented },
	{ "hello_too_short_is_a_stranger", hello_too_short_is_a_stranger },
	{ "hello_each_field_is_checked", hello_each_field_is_checked },
	{ "hello_bounds", hello_bounds },
	{ "unknown_features_are_left_out", unknown_features_are_left_out },
	{ "reject_round_trip", reject_round_trip },
	{ "header_round_trip", header_round_trip },
	{ "header_each_field_is_checked", header_each_field_is_checked },
	{ "noise_is_bounded", noise_is_bounded },
};

UNIT_MAIN(tests)
