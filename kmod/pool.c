// SPDX-License-Identifier: GPL-2.0
/* The buffer memory of a connection; see pool.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "pool.h"

#define RCH_POOL_GFP \
	(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_COMP | __GFP_NOWARN)

/*
 * The largest chunk that is to be had: fewer chunks mean fewer mappings. Above
 * the least order the allocator is not asked to work hard for it.
 */
static struct page *alloc_chunk(unsigned int least, unsigned int *order)
{
	struct page *page;

	for (; *order > least; (*order)--) {
		page = alloc_pages(RCH_POOL_GFP | __GFP_NORETRY, *order);
		if (page)
			return page;
	}
	return alloc_pages(RCH_POOL_GFP, *order);
}

static int add_chunk(struct rch_pool *pool, u32 *done)
{
	struct rch_pool_chunk *chunk = &pool->chunks[pool->nr_chunks];
	size_t left = (size_t)(pool->nr_buffers - *done) * pool->buffer_size;
	unsigned int least = get_order(pool->buffer_size);
	unsigned int order = max_t(unsigned int, least,
				   get_order(min_t(size_t, left, SZ_2M)));
	u32 offset;

	chunk->page = alloc_chunk(least, &order);
	if (!chunk->page)
		return -ENOMEM;
	chunk->order = order;
	pool->bytes += PAGE_SIZE << order;

	for (offset = 0; *done < pool->nr_buffers &&
	     offset + pool->buffer_size <= PAGE_SIZE << order;
	     offset += pool->buffer_size, (*done)++)
		pool->buffers[*done] = (struct rch_pool_buffer){
			.addr = page_address(chunk->page) + offset,
			.chunk = pool->nr_chunks,
			.offset = offset,
		};
	pool->nr_chunks++;
	return 0;
}

int rch_pool_init(struct rch_pool *pool, u32 buffer_size, u32 nr_buffers,
		  u32 nr_hdrs)
{
	unsigned int order = get_order(nr_hdrs * RCH_WIRE_HDR_LEN);
	u32 done = 0;
	int err;

	pool->buffer_size = buffer_size;
	pool->nr_buffers = nr_buffers;
	pool->nr_hdrs = nr_hdrs;
	pool->buffers = kvcalloc(nr_buffers, sizeof(*pool->buffers),
				 GFP_KERNEL_ACCOUNT);
	pool->chunks = kvcalloc(nr_buffers, sizeof(*pool->chunks),
				GFP_KERNEL_ACCOUNT);
	pool->hdrs = (void *)__get_free_pages(RCH_POOL_GFP, order);
	err = pool->buffers && pool->chunks && pool->hdrs ? 0 : -ENOMEM;
	while (!err && done < nr_buffers)
		err = add_chunk(pool, &done);
	if (err) {
		rch_pool_free(pool);
		return err;
	}
	pool->bytes += PAGE_SIZE << order;
	return 0;
}

void rch_pool_free(struct rch_pool *pool)
{
	u32 i;

	for (i = 0; i < pool->nr_chunks; i++)
		__free_pages(pool->chunks[i].page, pool->chunks[i].order);
	if (pool->hdrs)
		free_pages((unsigned long)pool->hdrs,
			   get_order(pool->nr_hdrs * RCH_WIRE_HDR_LEN));
	kvfree(pool->chunks);
	kvfree(pool->buffers);
	memset(pool, 0, sizeof(*pool));
}

int rch_pool_map(const struct rch_pool *pool, struct rch_pool_map *map,
		 struct ib_device *dev)
{
	u32 i;

	map->chunks = kvcalloc(pool->nr_chunks, sizeof(*map->chunks),
			       GFP_KERNEL);
	if (!map->chunks)
		return -ENOMEM;
	map->hdrs = ib_dma_map_single(dev, pool->hdrs,
				      pool->nr_hdrs * RCH_WIRE_HDR_LEN,
				      DMA_BIDIRECTIONAL);
	if (ib_dma_mapping_error(dev, map->hdrs))
		goto free;
	for (i = 0; i < pool->nr_chunks; i++) {
		map->chunks[i] = ib_dma_map_page(dev, pool->chunks[i].page, 0,
						 PAGE_SIZE << pool->chunks[i].order,
						 DMA_BIDIRECTIONAL);
		if (ib_dma_mapping_error(dev, map->chunks[i]))
			goto unmap;
	}
	map->dev = dev;
	return 0;

unmap:
	while (i--)
		ib_dma_unmap_page(dev, map->chunks[i],
				  PAGE_SIZE << pool->chunks[i].order,
				  DMA_BIDIRECTIONAL);
	ib_dma_unmap_single(dev, map->hdrs, pool->nr_hdrs * RCH_WIRE_HDR_LEN,
			    DMA_BIDIRECTIONAL);
free:
	kvfree(map->chunks);
	map->chunks = NULL;
	return -EIO;
}

void rch_pool_unmap(const struct rch_pool *pool, struct rch_pool_map *map)
{
	u32 i;

	if (!map->dev)
		return;
	for (i = 0; i < pool->nr_chunks; i++)
		ib_dma_unmap_page(map->dev, map->chunks[i],
				  PAGE_SIZE << pool->chunks[i].order,
				  DMA_BIDIRECTIONAL);
	ib_dma_unmap_single(map->dev, map->hdrs,
			    pool->nr_hdrs * RCH_WIRE_HDR_LEN,
			    DMA_BIDIRECTIONAL);
	kvfree(map->chunks);
	memset(map, 0, sizeof(*map));
}
