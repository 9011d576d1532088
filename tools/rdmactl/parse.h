/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of the command line to values. Nothing here prints or exits: a function
 * returns NULL when all is well, or what is wrong, in words that follow the
 * word itself.
 */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>

struct address {
	int family;		/* AF_INET, AF_INET6 */
	struct in_addr v4;
	struct in6_addr v6;
	uint32_t scope;		/* interface index, 0: none */
	uint16_t port;		/* 0: none */
};

/* Decimal, or hexadecimal after 0x. */
const char *parse_number(const char *word, uint64_t *value);
/* Bytes: a number, with K or M for 2^10 or 2^20 (also k, KiB, MiB). */
const char *parse_size(const char *word, uint64_t *bytes);
/* Microseconds: a number with us, ms, s or min; 0 needs no unit. */
const char *parse_us(const char *word, uint64_t *us);
/* The same in milliseconds. */
const char *parse_ms(const char *word, uint64_t *ms);
/* Permission bits, octal. */
const char *parse_mode(const char *word, uint64_t *mode);
/* A user or group: number or name. */
const char *parse_user(const char *word, uint64_t *uid);
const char *parse_group(const char *word, uint64_t *gid);
/* What the kernel takes as the name of an endpoint. */
const char *parse_name(const char *word);

/**
 * parse_address - 10.0.0.1:7471, [fd00::1]:7471, [fe80::1%eth0]:7471
 * @word: what to parse
 * @with_port: a port must, or must not, follow
 * @address: result
 */
const char *parse_address(const char *word, bool with_port,
			  struct address *address);

/**
 * parse_keyword - which of @words is meant, written out or abbreviated
 * @words: ends with NULL
 *
 * Return: index; -1: none; -2: more than one begins so.
 */
int parse_keyword(const char *word, const char *const *words);

/* The other way round: what is written, the parser above reads as the same. */
#define FORMAT_MAX 32
const char *format_size(uint64_t bytes, char text[FORMAT_MAX]);
const char *format_us(uint64_t us, char text[FORMAT_MAX]);

#endif /* PARSE_H */
