/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What crosses the wire
 * =====================
 *
 * Everything is little endian. Nothing here sleeps, allocates or knows a
 * connection: wire.c turns bytes into checked numbers and back, and builds in
 * user space for tests and fuzzing. The peer is hostile until proven otherwise:
 * no field is used anywhere before it has passed through a decoder here.
 *
 * Connecting (RDMA CM, RDMA_PS_TCP)
 *
 *   dialer                                listener
 *   ------ request, private data: hello ------>     offer
 *   <----- accept, private data: hello --------     or reject: reason
 *   ------ READY ----------------------------->     the dialer speaks first, as
 *   <----- data, control ---------------------->    iWARP demands
 *
 * The hello of the dialer offers a range of versions and a set of features; the
 * hello of the listener names the one version and the subset that hold. Both
 * name the size and the number of the buffers they receive into. Path index and
 * count, the epoch and the 128-bit connection id let further paths, and paths
 * that replace lost ones, find the connection they belong to. A field marked
 * reserved is sent as zero and ignored on receipt: a later feature bit may give
 * it a meaning.
 *
 * Messages
 *
 * Each SEND is a 32-byte header followed by the payload. The two lie in SGEs of
 * their own on both sides, so headers stay in memory only the kernel touches.
 *
 *   DATA    payload, numbered from 1 without gaps (seq)
 *   READY   first message of the dialer, once
 *   CREDIT  carries nothing but the fields every header has
 *   PING    asks for a PONG, which returns the imm
 *   FIN     the sender will send no more DATA
 *   BYE     the sender has closed: it will neither send nor receive DATA
 *
 * In a control message seq is the number of the last DATA sent. Every header
 * returns credits (see credit.h) and acknowledges, in ack, the low half of the
 * number of the last DATA received.
 */
#ifndef RCH_WIRE_H
#define RCH_WIRE_H

#include <linux/types.h>

#define RCH_WIRE_MAGIC		0x68636472U	/* "rdch" */
#define RCH_WIRE_VERSION_MIN	1
#define RCH_WIRE_VERSION_MAX	1
#define RCH_WIRE_FEATURES	0U		/* none is defined yet */

#define RCH_WIRE_BUFFER_MIN	256U
#define RCH_WIRE_BUFFER_MAX	(1U << 20)
#define RCH_WIRE_DEPTH_MIN	2U
#define RCH_WIRE_DEPTH_MAX	1024U

/*
 * 56 bytes: all that RDMA CM leaves of a request's private data on InfiniBand
 * (92, IBTA 12.7.31, less the 36 of the IP addressing annex).
 */
struct rch_wire_hello {
	__le32 magic;
	__u8 version_min;
	__u8 version_max;
	__u8 path_index;
	__u8 path_count;
	__le32 features;
	__le32 epoch;
	__u8 conn_id[16];
	__le32 buffer_size;	/* bytes of payload one message may carry */
	__le16 depth;		/* messages the sender of this can receive */
	__u8 auth;		/* authentication method; 0: none */
	__u8 reserved[17];
} __packed;

struct rch_wire_reject {
	__le32 magic;
	__u8 version_min;	/* what the listener speaks */
	__u8 version_max;
	__le16 reason;		/* enum rch_reject */
	__u8 reserved[8];
} __packed;

struct rch_wire_hdr {
	__u8 type;		/* enum rch_msg_type */
	__u8 flags;		/* none is defined; must be zero */
	__u8 control_credits;
	__u8 reserved;
	__le16 credits;
	__le16 reserved2;
	__le32 length;		/* bytes of payload */
	__le32 ack;
	__le64 seq;
	__le64 imm;
} __packed;

#define RCH_WIRE_HDR_LEN	32U

enum rch_msg_type {
	RCH_MSG_DATA = 1,
	RCH_MSG_READY,
	RCH_MSG_CREDIT,
	RCH_MSG_PING,
	RCH_MSG_PONG,
	RCH_MSG_FIN,
	RCH_MSG_BYE,
	/* From 16 on: windows; from 32 on: authentication. */
};

enum rch_reject {
	RCH_REJECT_NONE,
	RCH_REJECT_STRANGER,	/* this is not our protocol */
	RCH_REJECT_VERSION,
	RCH_REJECT_PARAMETER,	/* a field out of range */
	RCH_REJECT_BACKLOG,
	RCH_REJECT_RESOURCES,
	RCH_REJECT_EXPIRED,	/* nobody opened the endpoint in time */
	RCH_REJECT_SHUTDOWN,	/* the endpoint is being deleted */
	RCH_REJECT_AUTH,
	RCH_REJECT_DENIED,
	RCH_REJECT_MAX
};

/* A hello, checked, in host order. */
struct rch_hello {
	__u8 version;		/* highest both sides speak */
	__u8 path_index;
	__u8 path_count;
	__u8 auth;
	__u32 features;		/* those both sides know */
	__u32 epoch;
	__u32 buffer_size;
	__u32 depth;
	__u8 conn_id[16];
};

/* A header, checked as far as it can be without the connection, in host order. */
struct rch_msg {
	__u8 type;
	__u8 control_credits;
	__u16 credits;
	__u32 length;
	__u32 ack;
	__u64 seq;
	__u64 imm;
};

/**
 * rch_wire_encode_hello - offer, or answer an offer
 * @w: where to; every byte is written
 * @h: what; @h->version is not used: an offer names the range this build speaks
 * @answer: the version both sides will speak, or 0 for an offer
 */
void rch_wire_encode_hello(struct rch_wire_hello *w, const struct rch_hello *h,
			   __u8 answer);

/**
 * rch_wire_decode_hello - check the private data of a request or an accept
 * @buf: the private data; need not be aligned
 * @len: its length; RDMA CM may have padded it
 * @h: where to, written only on success
 *
 * Return: RCH_REJECT_NONE, or why a peer that says this is refused.
 */
enum rch_reject rch_wire_decode_hello(const void *buf, unsigned int len,
				      struct rch_hello *h);

/**
 * rch_wire_encode_reject - say why a request is refused
 * @w: where to; every byte is written
 * @reason: why
 */
void rch_wire_encode_reject(struct rch_wire_reject *w, enum rch_reject reason);

/**
 * rch_wire_decode_reject - read why the peer refused
 * @buf: the private data of the refusal
 * @len: its length
 *
 * Return: the reason, or RCH_REJECT_STRANGER if the peer is none of ours.
 */
enum rch_reject rch_wire_decode_reject(const void *buf, unsigned int len);

/**
 * rch_wire_encode_hdr - write the header of a message
 * @w: where to; every byte is written
 * @m: what
 */
void rch_wire_encode_hdr(struct rch_wire_hdr *w, const struct rch_msg *m);

/**
 * rch_wire_decode_hdr - check the header of a received message
 * @w: the header as it arrived
 * @byte_len: bytes that arrived in all, header included
 * @buffer_size: room for payload in the buffer it arrived in
 * @m: where to, written only on success
 *
 * Return: 0, or -EPROTO if no correct peer sends this.
 */
int rch_wire_decode_hdr(const struct rch_wire_hdr *w, __u32 byte_len,
			__u32 buffer_size, struct rch_msg *m);

/* In words, for `rdmactl`: why a request was refused. Never NULL. */
const char *rch_wire_reject_text(enum rch_reject reason);

#endif /* RCH_WIRE_H */
