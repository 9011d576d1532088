// SPDX-License-Identifier: GPL-2.0
/*
 * What a refusal says, in one line: OBJECT: KEYWORD: CAUSE; REMEDY. The kernel
 * explains itself in an extended ack, which libnl hands over unparsed: a text;
 * the offset, in the request that it repeats, of the attribute it does not
 * like; the policy, with the range that is allowed; the attribute it misses.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "rdmactl.h"

struct refusal {
	int error;
	const struct nlmsghdr *sent;	/* or NULL */
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
};

static struct nlattr *attributes_of(const struct nlmsghdr *sent, int *len)
{
	*len = sent->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	return (struct nlattr *)((char *)sent + NLMSG_HDRLEN + GENL_HDRLEN);
}

/* The error number, then in an NLMSG_ERROR the request, then the attributes. */
static void parse_refusal(const struct nlmsghdr *nlh, struct refusal *r)
{
	const struct nlmsgerr *e = nlmsg_data(nlh);
	int rest, skip = sizeof(int);

	memset(r, 0, sizeof(*r));
	r->error = -e->error;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		skip = sizeof(*e);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED)) {
			r->sent = &e->msg;
			skip += e->msg.nlmsg_len - NLMSG_HDRLEN;
		}
	}
	skip = NLMSG_ALIGN(skip);
	rest = nlmsg_datalen(nlh) - skip;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && rest > 0)
		nla_parse(r->tb, NLMSGERR_ATTR_MAX,
			  (struct nlattr *)((char *)e + skip), rest, NULL);
}

/* Attributes */

/* What can be said of an attribute: NULL if it has no keyword. */
static const struct attribute *described(const struct object *object, int type)
{
	if (type <= 0 || type >= object->count ||
	    !object->attributes[type].keyword)
		return NULL;
	return &object->attributes[type];
}

static bool listens(const struct nlmsghdr *sent)
{
	struct nlattr *role, *first;
	int len;

	first = attributes_of(sent, &len);
	role = nla_find(first, len, RDMACH_A_ENDPOINT_ROLE);
	return role && nla_get_u32(role) == RDMACH_ROLE_LISTEN;
}

static void append_keyword(const struct refusal *r, const struct attribute *a,
			   char text[TEXT_MAX])
{
	const char *keyword = a->keyword;
	size_t used = strlen(text);

	/* The local address of a listen endpoint follows its role. */
	if (a == &endpoint_object.attributes[RDMACH_A_ENDPOINT_LOCAL] &&
	    listens(r->sent))
		keyword = "listen";
	snprintf(text + used, TEXT_MAX - used, "%s%s", used ? " " : "", keyword);
}

/*
 * Writes the keywords down to the attribute at @offset of the request, and
 * gives the innermost. *@object becomes what would be nested in that.
 */
static const struct attribute *find(const struct refusal *r, uint32_t offset,
				    const struct object **object,
				    char text[TEXT_MAX])
{
	const struct attribute *found = NULL, *a;
	struct nlattr *attr;
	uint32_t begin;
	int rest;

	attr = attributes_of(r->sent, &rest);
	while (*object && nla_ok(attr, rest)) {
		begin = (char *)attr - (char *)r->sent;
		if (offset < begin || offset >= begin + attr->nla_len) {
			attr = nla_next(attr, &rest);
			continue;
		}
		a = described(*object, nla_type(attr));
		if (!a)
			break;
		append_keyword(r, a, text);
		found = a;
		*object = a->object;
		if (offset == begin)
			break;
		rest = nla_len(attr);
		attr = nla_data(attr);
	}
	return found;
}

/* Which attribute is wrong; in @text its keywords. */
static const struct attribute *wrong_attribute(const struct refusal *r,
					       const struct object *object,
					       char text[TEXT_MAX])
{
	text[0] = 0;
	if (!r->tb[NLMSGERR_ATTR_OFFS] || !r->sent)
		return NULL;
	return find(r, nla_get_u32(r->tb[NLMSGERR_ATTR_OFFS]), &object, text);
}

/* The keywords of what is missing; "" if nothing is. */
static void missing_attribute(const struct refusal *r,
			      const struct object *object, char text[TEXT_MAX])
{
	const struct attribute *a;

	text[0] = 0;
	if (!r->tb[NLMSGERR_ATTR_MISS_TYPE] || !r->sent)
		return;
	if (r->tb[NLMSGERR_ATTR_MISS_NEST])
		find(r, nla_get_u32(r->tb[NLMSGERR_ATTR_MISS_NEST]), &object,
		     text);
	if (!object)
		return;
	a = described(object, nla_get_u32(r->tb[NLMSGERR_ATTR_MISS_TYPE]));
	if (a)
		append_keyword(r, a, text);
}

/* Ranges */

static bool range_of(struct nlattr **policy, uint64_t *min, uint64_t *max)
{
	if (policy[NL_POLICY_TYPE_ATTR_MIN_VALUE_U] &&
	    policy[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]) {
		*min = nla_get_u64(policy[NL_POLICY_TYPE_ATTR_MIN_VALUE_U]);
		*max = nla_get_u64(policy[NL_POLICY_TYPE_ATTR_MAX_VALUE_U]);
		return true;
	}
	return false;
}

/* What the policy allows, if the refusal brings it; else "". */
static void policy_text(const struct refusal *r, const struct attribute *a,
			char *text, size_t size)
{
	static const struct attribute plain = { .kind = KIND_U64 };
	struct nlattr *policy[NL_POLICY_TYPE_ATTR_MAX + 1];
	char least[TEXT_MAX], most[TEXT_MAX];
	uint64_t min, max;

	text[0] = 0;
	if (!r->tb[NLMSGERR_ATTR_POLICY] ||
	    nla_parse_nested(policy, NL_POLICY_TYPE_ATTR_MAX,
			     r->tb[NLMSGERR_ATTR_POLICY], NULL))
		return;
	if (!a)
		a = &plain;
	if (range_of(policy, &min, &max))
		snprintf(text, size, "; %s to %s are allowed",
			 text_value(a, min, least), text_value(a, max, most));
	else if (policy[NL_POLICY_TYPE_ATTR_MAX_LENGTH])
		snprintf(text, size, "; at most %u bytes are allowed",
			 nla_get_u32(policy[NL_POLICY_TYPE_ATTR_MAX_LENGTH]));
}

/* Words for errors */

/* As within a sentence; a name in capitals stays one. */
static const char *lower(const char *words)
{
	static char text[256];

	snprintf(text, sizeof(text), "%s", words);
	if (islower((unsigned char)text[1]))
		text[0] = tolower((unsigned char)text[0]);
	return text;
}

/* Where the kernel says nothing itself. */
static const char *cause_of(int error)
{
	switch (error) {
	case ENOENT: return "no such endpoint";
	case EEXIST: return "an endpoint of this name exists";
	case EOPNOTSUPP: return "the module that is loaded does not know this";
	case EADDRINUSE: return "address and port are in use";
	case EADDRNOTAVAIL: return "the address is not one of this host";
	case ENODEV: return "no RDMA device stands behind the address";
	}
	return lower(strerror(error));
}

static const char *remedy_of(int error, bool held)
{
	switch (error) {
	case ENOENT: return "; 'rdmactl endpoint show' lists them";
	case EEXIST: return "; choose another, or delete that endpoint first";
	case ENODEV: return "; 'rdma link show' lists the devices, 'rdma link add' makes one";
	case EADDRNOTAVAIL: return "; 'ip address show' lists those";
	case ENOSPC: return "; delete an endpoint that is not needed";
	case EOPNOTSUPP: return "; see 'modinfo rdmach'";
	case EADDRINUSE:
		return held ? "; choose another port, or free this one first" :
			"; choose another port; 'rdma resource show cm_id' lists who uses which";
	default: return "";
	}
}

static bool is_about_address(int error)
{
	return error == EADDRINUSE || error == EADDRNOTAVAIL || error == ENODEV;
}

static int status_of(int error)
{
	if (error == ENODEV)
		return EXIT_ABSENT;
	return error == ETIMEDOUT ? EXIT_TIMEOUT : EXIT_REFUSED;
}

/*
 * RDMA CM says EADDRNOTAVAIL, too, where a wildcard is in the way, or in
 * whose way another is.
 */
static const char *holder_of(int *error, const struct address *local,
			     const char **cause)
{
	const char *holder;

	if (*error == ENODEV)
		return "";
	holder = address_holder(local);
	if (*holder && *error == EADDRNOTAVAIL) {
		*error = EADDRINUSE;
		*cause = cause_of(*error);
	}
	return holder;
}

void refused(const struct nlmsghdr *answer, const struct asking *asking)
{
	char keyword[TEXT_MAX], range[128], missing[TEXT_MAX];
	const char *cause, *holder = "", *about = keyword;
	const struct attribute *attribute;
	struct refusal r;

	parse_refusal(answer, &r);
	if (r.error == EPERM)
		fail(EXIT_REFUSED, "%s: not permitted: needs CAP_NET_ADMIN; run it as root",
		     asking->what);
	attribute = wrong_attribute(&r, asking->object, keyword);
	policy_text(&r, attribute, range, sizeof(range));
	missing_attribute(&r, asking->object, missing);
	cause = r.tb[NLMSGERR_ATTR_MSG] ?
		lower(nla_get_string(r.tb[NLMSGERR_ATTR_MSG])) :
		cause_of(r.error);
	if (asking->local && is_about_address(r.error)) {
		about = asking->local_words;
		holder = holder_of(&r.error, asking->local, &cause);
	}
	fail(status_of(r.error), "%s: %s%s%s%s%s%s%s%s", asking->what, about,
	     *about ? ": " : "", cause, holder, range,
	     *missing ? "; give " : "", missing,
	     remedy_of(r.error, *holder));
}
