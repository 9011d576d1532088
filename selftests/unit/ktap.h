/* SPDX-License-Identifier: GPL-2.0 */
/* KTAP for unit tests: a table of functions, checks that do not stop them. */
#ifndef UNIT_KTAP_H
#define UNIT_KTAP_H

#include <stdio.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

static int unit_failures;

#define CHECK(condition) do {						\
	if (!(condition)) {						\
		if (unit_failures++ < 10)				\
			printf("# %s:%d: %s\n", __FILE__, __LINE__,	\
			       #condition);				\
	}								\
} while (0)

static inline int unit_main(const struct unit_test *test, int n)
{
	int i, failed = 0;

	printf("TAP version 13\n1..%d\n", n);
	for (i = 0; i < n; i++) {
		unit_failures = 0;
		test[i].run();
		printf("%sok %d %s\n", unit_failures ? "not " : "", i + 1,
		       test[i].name);
		failed += !!unit_failures;
	}
	return failed != 0;
}

#define UNIT_MAIN(tests) \
	int main(void) { return unit_main(tests, sizeof(tests) / sizeof(*(tests))); }

#endif
