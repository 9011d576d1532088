# SPDX-License-Identifier: GPL-2.0
# Everything is built under build/; the sources stay clean.

# K names a kernel that selftests/kernels.sh fetches (6.1, 6.12), or 7, which
# selftests/next.sh builds in the userland it needs. Without it the module is
# built for KDIR, by default the running kernel's headers.
ifneq ($(K),)
KDIR := $(CURDIR)/build/kernels/$(K)/build
TAG := $(K)
endif
KDIR ?= /lib/modules/$(shell uname -r)/build
TAG ?= $(shell uname -r)
MOD := $(CURDIR)/build/mod/$(TAG)

PREFIX ?= /usr/local
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)

.PHONY: all module tools check demo dkms-install dkms-remove install clean help

all: module tools

help:
	@echo 'make [module|tools]     build the module, rdmactl (default: both)'
	@echo '  K=6.1|6.12            for a Debian kernel unpacked under build/kernels'
	@echo '  K=7                   for the newest 7.x headers of Debian (as root)'
	@echo '  KDIR=DIR              for the headers in DIR (default: the running kernel)'
	@echo '  KFLAGS=...            more for kbuild, e.g. KFLAGS="W=1 C=2"'
	@echo 'make demo               a file between two virtual machines; K=, COMPARE=1'
	@echo 'make check              all tests; T=NAME one of them, K=6.1|6.12 on one kernel'
	@echo 'make dkms-install       register with DKMS, build and install for this kernel'
	@echo 'make dkms-remove        undo that'
	@echo 'make install            copy rdmactl, its manual and the headers to PREFIX'
	@echo '                        ($(PREFIX)), under DESTDIR'
	@echo 'make clean              remove what was built; fetched kernels stay'

# kbuild writes beside its sources, so each kernel gets a tree of links to
# them. Links of files that are gone are dropped.
ifeq ($(K),7)
module:
	@selftests/next.sh $(MOD) $(KFLAGS)
else
module: | $(if $(K),build/kernels/$(K))
	@if [ ! -e '$(KDIR)/Makefile' ]; then \
		echo "make: no kernel headers at $(KDIR): install linux-headers-$$(uname -r), or name others by KDIR=DIR or K=6.1" >&2; \
		exit 1; fi
	@mkdir -p $(MOD)
	@cp -rsuf $(CURDIR)/Kbuild $(CURDIR)/kmod $(CURDIR)/uapi $(MOD)/
	@find $(MOD) -xtype l -delete
	@$(MAKE) -C $(KDIR) M=$(MOD) $(KFLAGS) modules
endif

build/kernels/%:
	@selftests/kernels.sh $*

tools:
	@$(MAKE) -s -C tools OUT=$(CURDIR)/build/tools

DKMS_SOURCE := /usr/src/rdmach-$(VERSION)

# An earlier build of the same version gives way. KVER=RELEASE: for that kernel.
dkms-install:
	@command -v dkms >/dev/null || { echo 'make: dkms is not installed: apt-get install dkms' >&2; exit 1; }
	@[ -z "$$(dkms status rdmach/$(VERSION))" ] || dkms remove rdmach/$(VERSION) --all
	@rm -rf $(DKMS_SOURCE)
	@mkdir -p $(DKMS_SOURCE)
	@cp -r Kbuild dkms.conf LICENSE kmod uapi $(DKMS_SOURCE)/
	dkms install rdmach/$(VERSION) $(if $(KVER),-k $(KVER))

dkms-remove:
	@command -v dkms >/dev/null || { echo 'make: dkms is not installed' >&2; exit 1; }
	@[ -z "$$(dkms status rdmach/$(VERSION))" ] || dkms remove rdmach/$(VERSION) --all
	rm -rf $(DKMS_SOURCE)

# T=NAME: one test or group; K=6.1 or 6.12: on that kernel only.
check:
	@selftests/check $(if $(T),-t $(T)) $(if $(K),-k $(K))

# K=6.1: with that kernel; COMPARE=1: beside ib_write_bw and iperf3.
demo:
	@selftests/demo.sh $(if $(K),-k $(K)) $(if $(COMPARE),--compare)

install: tools
	$(MAKE) -C tools OUT=$(CURDIR)/build/tools PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) install
	install -d $(DESTDIR)$(PREFIX)/include/linux
	install -m 644 uapi/linux/*.h $(DESTDIR)$(PREFIX)/include/linux/

clean:
	rm -rf build/mod build/tools build/tests build/vm build/demo
