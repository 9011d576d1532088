/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints: state changes, messages out and in. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdmach

#if !defined(RCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RCH_TRACE_H

#include <linux/tracepoint.h>

#include "conn.h"
#include "wire.h"

TRACE_EVENT(rch_conn_state,
	TP_PROTO(const struct rch_conn *conn, int from, int to, int error),
	TP_ARGS(conn, from, to, error),
	TP_STRUCT__entry(
		__field(u32, handle)
		__field(int, from)
		__field(int, to)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->handle = conn->handle;
		__entry->from = from;
		__entry->to = to;
		__entry->error = error;
	),
	TP_printk("conn=%u from=%d to=%d error=%d", __entry->handle,
		  __entry->from, __entry->to, __entry->error)
);

DECLARE_EVENT_CLASS(rch_msg_class,
	TP_PROTO(const struct rch_conn *conn, const struct rch_msg *msg),
	TP_ARGS(conn, msg),
	TP_STRUCT__entry(
		__field(u32, handle)
		__field(u8, type)
		__field(u8, control_credits)
		__field(u16, credits)
		__field(u32, length)
		__field(u32, ack)
		__field(u64, seq)
	),
	TP_fast_assign(
		__entry->handle = conn->handle;
		__entry->type = msg->type;
		__entry->control_credits = msg->control_credits;
		__entry->credits = msg->credits;
		__entry->length = msg->length;
		__entry->ack = msg->ack;
		__entry->seq = msg->seq;
	),
	TP_printk("conn=%u type=%u seq=%llu length=%u ack=%u credits=%u control_credits=%u",
		  __entry->handle, __entry->type, __entry->seq, __entry->length,
		  __entry->ack, __entry->credits, __entry->control_credits)
);

DEFINE_EVENT(rch_msg_class, rch_tx,
	TP_PROTO(const struct rch_conn *conn, const struct rch_msg *msg),
	TP_ARGS(conn, msg));

DEFINE_EVENT(rch_msg_class, rch_rx,
	TP_PROTO(const struct rch_conn *conn, const struct rch_msg *msg),
	TP_ARGS(conn, msg));

#endif /* RCH_TRACE_H */

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
