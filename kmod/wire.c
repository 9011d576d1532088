// SPDX-License-Identifier: GPL-2.0
/* Encode and check what crosses the wire; see wire.h. */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "wire.h"

static_assert(sizeof(struct rch_wire_hello) == 56);
static_assert(sizeof(struct rch_wire_reject) == 16);
static_assert(sizeof(struct rch_wire_hdr) == RCH_WIRE_HDR_LEN);

void rch_wire_encode_hello(struct rch_wire_hello *w, const struct rch_hello *h,
			   __u8 answer)
{
	memset(w, 0, sizeof(*w));
	w->magic = cpu_to_le32(RCH_WIRE_MAGIC);
	w->version_min = answer ? answer : RCH_WIRE_VERSION_MIN;
	w->version_max = answer ? answer : RCH_WIRE_VERSION_MAX;
	w->path_index = h->path_index;
	w->path_count = h->path_count;
	w->features = cpu_to_le32(h->features);
	w->epoch = cpu_to_le32(h->epoch);
	memcpy(w->conn_id, h->conn_id, sizeof(w->conn_id));
	w->buffer_size = cpu_to_le32(h->buffer_size);
	w->depth = cpu_to_le16(h->depth);
	w->auth = h->auth;
}

enum rch_reject rch_wire_decode_hello(const void *buf, unsigned int len,
				      struct rch_hello *h)
{
	struct rch_wire_hello w;
	__u32 buffer_size, depth;

	if (!buf || len < sizeof(w))
		return RCH_REJECT_STRANGER;
	memcpy(&w, buf, sizeof(w));
	if (le32_to_cpu(w.magic) != RCH_WIRE_MAGIC)
		return RCH_REJECT_STRANGER;
	if (w.version_min > w.version_max ||
	    w.version_min > RCH_WIRE_VERSION_MAX ||
	    w.version_max < RCH_WIRE_VERSION_MIN)
		return RCH_REJECT_VERSION;

	buffer_size = le32_to_cpu(w.buffer_size);
	depth = le16_to_cpu(w.depth);
	if (buffer_size < RCH_WIRE_BUFFER_MIN ||
	    buffer_size > RCH_WIRE_BUFFER_MAX ||
	    depth < RCH_WIRE_DEPTH_MIN || depth > RCH_WIRE_DEPTH_MAX)
		return RCH_REJECT_PARAMETER;
	/* One path, no recovery and no authentication in this version. */
	if (w.path_index != 0 || w.path_count != 1 || w.epoch != 0)
		return RCH_REJECT_PARAMETER;
	if (w.auth)
		return RCH_REJECT_AUTH;

	h->version = min_t(__u8, w.version_max, RCH_WIRE_VERSION_MAX);
	h->path_index = w.path_index;
	h->path_count = w.path_count;
	h->auth = w.auth;
	h->features = le32_to_cpu(w.features) & RCH_WIRE_FEATURES;
	h->epoch = le32_to_cpu(w.epoch);
	h->buffer_size = buffer_size;
	h->depth = depth;
	memcpy(h->conn_id, w.conn_id, sizeof(h->conn_id));
	return RCH_REJECT_NONE;
}

void rch_wire_encode_reject(struct rch_wire_reject *w, enum rch_reject reason)
{
	memset(w, 0, sizeof(*w));
	w->magic = cpu_to_le32(RCH_WIRE_MAGIC);
	w->version_min = RCH_WIRE_VERSION_MIN;
	w->version_max = RCH_WIRE_VERSION_MAX;
	w->reason = cpu_to_le16(reason);
}

enum rch_reject rch_wire_decode_reject(const void *buf, unsigned int len)
{
	struct rch_wire_reject w;
	__u16 reason;

	if (!buf || len < sizeof(w))
		return RCH_REJECT_STRANGER;
	memcpy(&w, buf, sizeof(w));
	if (le32_to_cpu(w.magic) != RCH_WIRE_MAGIC)
		return RCH_REJECT_STRANGER;
	reason = le16_to_cpu(w.reason);
	/* A reason of a later version is a refusal all the same. */
	if (reason == RCH_REJECT_NONE || reason >= RCH_REJECT_MAX)
		return RCH_REJECT_MAX;
	return reason;
}

void rch_wire_encode_hdr(struct rch_wire_hdr *w, const struct rch_msg *m)
{
	memset(w, 0, sizeof(*w));
	w->type = m->type;
	w->control_credits = m->control_credits;
	w->credits = cpu_to_le16(m->credits);
	w->length = cpu_to_le32(m->length);
	w->ack = cpu_to_le32(m->ack);
	w->seq = cpu_to_le64(m->seq);
	w->imm = cpu_to_le64(m->imm);
}

int rch_wire_decode_hdr(const struct rch_wire_hdr *w, __u32 byte_len,
			__u32 buffer_size, struct rch_msg *m)
{
	__u32 length;

	if (byte_len < RCH_WIRE_HDR_LEN)
		return -EPROTO;
	if (w->type < RCH_MSG_DATA || w->type > RCH_MSG_BYE || w->flags)
		return -EPROTO;
	length = le32_to_cpu(w->length);
	if (length != byte_len - RCH_WIRE_HDR_LEN || length > buffer_size)
		return -EPROTO;
	if (w->type != RCH_MSG_DATA && length)
		return -EPROTO;

	m->type = w->type;
	m->control_credits = w->control_credits;
	m->credits = le16_to_cpu(w->credits);
	m->length = length;
	m->ack = le32_to_cpu(w->ack);
	m->seq = le64_to_cpu(w->seq);
	m->imm = le64_to_cpu(w->imm);
	return 0;
}

const char *rch_wire_reject_text(enum rch_reject reason)
{
	static const char * const text[] = {
		[RCH_REJECT_NONE] = "no reason",
		[RCH_REJECT_STRANGER] = "the other side does not speak the rdmach protocol",
		[RCH_REJECT_VERSION] = "no protocol version in common",
		[RCH_REJECT_PARAMETER] = "a connection parameter is out of range",
		[RCH_REJECT_BACKLOG] = "the listener's backlog is full",
		[RCH_REJECT_RESOURCES] = "the listener is out of memory",
		[RCH_REJECT_EXPIRED] = "nobody opened the listening endpoint in time",
		[RCH_REJECT_SHUTDOWN] = "the listening endpoint is being deleted",
		[RCH_REJECT_AUTH] = "authentication failed or is not supported",
		[RCH_REJECT_DENIED] = "the listener does not allow this address",
	};

	if ((unsigned int)reason >= ARRAY_SIZE(text))
		return "a reason unknown to this version";
	return text[reason];
}
