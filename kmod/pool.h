/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer memory of a connection
 * =================================
 *
 * A pool is made when the node is opened and freed with the connection, so a
 * message costs no allocation and no registration. It holds buffers of one
 * size, in chunks of compound pages as large as the page allocator gives, and
 * one page range for message headers, which user space will never see. No
 * buffer straddles two chunks, so one SGE names it whole.
 *
 * Memory is charged to the opener's memory cgroup, zeroed, and independent of
 * any device: a map ties it to one for the life of a path.
 */
#ifndef RCH_POOL_H
#define RCH_POOL_H

#include <linux/dma-direction.h>
#include <linux/mm_types.h>
#include <linux/types.h>

#include "wire.h"

/* Buffers start on cache lines, so that two never share one. */
#define RCH_POOL_ALIGN	64U

struct ib_device;

struct rch_pool_chunk {
	struct page *page;
	unsigned int order;
};

struct rch_pool_buffer {
	void *addr;
	u32 chunk;
	u32 offset;		/* in the chunk */
};

struct rch_pool {
	u32 buffer_size;	/* bytes */
	u32 nr_buffers;
	u32 nr_hdrs;
	u32 nr_chunks;
	size_t bytes;		/* of all chunks and headers */
	struct rch_pool_buffer *buffers;
	struct rch_pool_chunk *chunks;
	struct rch_wire_hdr *hdrs;
};

/* DMA addresses of a pool for one device. */
struct rch_pool_map {
	struct ib_device *dev;
	u64 hdrs;
	u64 *chunks;
};

/**
 * rch_pool_init - allocate
 * @pool: zeroed
 * @buffer_size: bytes, a multiple of RCH_POOL_ALIGN
 * @nr_buffers: how many
 * @nr_hdrs: how many headers
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rch_pool_init(struct rch_pool *pool, u32 buffer_size, u32 nr_buffers,
		  u32 nr_hdrs);

/* Free; also what rch_pool_init() left unfinished. No map may be left. */
void rch_pool_free(struct rch_pool *pool);

/**
 * rch_pool_map - make a pool's memory reachable by a device
 * @pool: pool
 * @map: zeroed
 * @dev: device
 *
 * Context: process. Return: 0, -ENOMEM, or -EIO if the device cannot reach it.
 */
int rch_pool_map(const struct rch_pool *pool, struct rch_pool_map *map,
		 struct ib_device *dev);

/* Undo rch_pool_map(); also one that failed or was never made. */
void rch_pool_unmap(const struct rch_pool *pool, struct rch_pool_map *map);

/* DMA address of buffer @i. */
static inline u64 rch_pool_dma(const struct rch_pool *pool,
			       const struct rch_pool_map *map, u32 i)
{
	return map->chunks[pool->buffers[i].chunk] + pool->buffers[i].offset;
}

/* DMA address of header @i. */
static inline u64 rch_pool_hdr_dma(const struct rch_pool_map *map, u32 i)
{
	return map->hdrs + (u64)i * RCH_WIRE_HDR_LEN;
}

#endif /* RCH_POOL_H */
