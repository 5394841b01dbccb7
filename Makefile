# Every target sets up what it needs: a fresh clone with Node 20.18 or later and npm is enough.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# make run ETCD=http://127.0.0.1:2379 DATA=data PORT=6443 FLAGS='-v=3'
ETCD ?=
DATA ?= data
PORT ?= 6443
FLAGS ?=

INSTALLED := node_modules/.installed
BUILT := dist/main.cjs
SOURCES := $(shell find src bin hack -name '*.ts' -o -name '*.tsx' -o -name '*.css' -o -name '*.html' -o -name '*.svg' -o -name '*.mjs' -o -name '*.txt' -o -name '*.types' 2>/dev/null) package.json

.PHONY: help run build package dist docs test test-stores test-nodes fuzz model changes lint verify e2e bench etcd kine clients clean

help: ## Lists the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-11s %s\n", $$1, $$2 }'

# Not `npm ci`: it refuses a lock file that was made where the registry lacks packages of other platforms. Versions are those of the lock file all the same.
$(INSTALLED): package.json package-lock.json
	@npm install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

$(BUILT): $(INSTALLED) $(SOURCES)
	@node --import tsx hack/build.ts

build: $(BUILT) ## Bundles the server into dist/

package: $(BUILT) ## Writes release/binnacle-VERSION.tgz, the package for npm
	@node --import tsx hack/package.ts

dist: package ## Writes the executable for this platform with the newest LTS of Node, its bill of materials, and checksums of all that is in release/
	@node=$$(hack/node lts) && "$$node" --import tsx hack/dist.ts

docs: $(INSTALLED) ## Writes the documentation as HTML into release/docs, with a reference of flags, metrics and errors that the program gives
	@node --import tsx hack/docs.ts write

run: $(BUILT) ## Serves: on the embedded store in ./data, or on etcd with ETCD=http://127.0.0.1:2379
	@echo
	@echo "  In another terminal:"
	@echo "    export KUBECONFIG=$$(realpath -m $(DATA))/admin.kubeconfig"
	@echo "    kubectl get namespaces"
	@echo
	@exec bin/binnacle --data-dir '$(DATA)' --secure-port '$(PORT)' $(if $(ETCD),--etcd-servers '$(ETCD)') $(FLAGS)

etcd: ## Finds, builds or installs etcd for the tests
	@hack/etcd >/dev/null || echo 'no etcd here: the tests that need one are skipped'

kine: ## Finds kine for the tests, or builds it, which takes minutes
	@hack/kine >/dev/null || echo 'no kine here, and no Go to build it: the tests that need it are left out'

test: $(BUILT) etcd ## Runs the unit and integration tests, also those on etcd and kine if they are here
	@BINNACLE='$(CURDIR)/bin/binnacle' node --import tsx hack/test.ts test/unit test/integration

e2e: $(BUILT) etcd ## Runs the end-to-end tests: the built program with kubectl and other clients, in stores and networks that fail, and what the documentation shows
	@BINNACLE='$(CURDIR)/bin/binnacle' node --import tsx hack/test.ts test/e2e

# make test-stores STORES=kine-sqlite,kine-postgres
STORES ?= all
STORE_TESTS := $(wildcard test/unit/storage/etcd/*.test.ts) $(addprefix test/, unit/storage/cacher/over-etcd.test.ts unit/storage/cacher/followed-stores.test.ts integration/many-prefixes.test.ts) \
	$(addprefix test/e2e/, etcd-setups.test.ts etcd-overrides.test.ts model-processes.test.ts resilience-etcd-kill.test.ts resilience-etcd-network.test.ts resilience-server-kill.test.ts etcd-calls.test.ts)

test-stores: $(BUILT) etcd kine ## Runs the tests of storage, watches and consistent reads, histories and kills on every setup of a store, and fails if one cannot run here
	@hack/kine nats >/dev/null || true
	@STORES='$(STORES)' node --import tsx hack/stores.ts
	@STORES='$(STORES)' BINNACLE='$(CURDIR)/bin/binnacle' node --import tsx hack/test.ts $(STORE_TESTS)

# make test-nodes NODES='22 24' FILES=test/e2e/open.test.ts
FILES ?=

test-nodes: $(INSTALLED) etcd ## Runs the tests on Node 20, 22, 24 and the newest, which the npm package `node` has; FILES of them, on NODES
	@hack/test-nodes $(FILES)

# make fuzz COUNT=100000 SEED=7 BYTES=3000000 MATCH='create .*pods' SHARE=0/8 TEXTS=1
COUNT ?= 100000
SEED ?= 1
BYTES ?= 3000000
MATCH ?=
SHARE ?= 0/1
TEXTS ?= 1

fuzz: $(BUILT) ## Parses COUNT JSON texts with names that differ in one escape; posts COUNT bodies with faults in each media type, none of which may crash, hang or be stored; puts odd values into objects in every form of write; BYTES in each place of each kind, while another client waits; and texts that expressions repeat themselves over in each field, parameter, header and function, TEXTS beginnings and ends of each
	@TIME_BOUNDS=1 MUTATED_BODIES=$(COUNT) MUTATION_SEED=$(SEED) npx mocha test/unit/codec/parsed-names.test.ts test/integration/mutated-bodies.test.ts test/integration/mutated-values.test.ts test/integration/odd-values-in-releases.test.ts
	@TIME_BOUNDS=1 PUMPED_TEXTS=$(TEXTS) MUTATION_SEED=$(SEED) LARGE_BODY_MATCH='$(MATCH)' LARGE_BODY_SHARE=$(SHARE) npx mocha test/integration/pumped-bodies.test.ts test/integration/pumped-heads.test.ts test/integration/pumped-expressions.test.ts
	@TIME_BOUNDS=1 BINNACLE='$(CURDIR)/bin/binnacle' LARGE_BODY_BYTES=$(BYTES) LARGE_BODY_MATCH='$(MATCH)' LARGE_BODY_SHARE=$(SHARE) npx mocha test/e2e/large-bodies.test.ts

# make model COUNT=20000 SEED=7
# make model STORES=kine-postgres COUNT=20
model: $(if $(filter-out file,$(origin STORES)),$(BUILT),$(INSTALLED)) ## Compares what clients are told in COUNT random histories, with faults in them, with the revisions of the store; with STORES on those stores, which are killed as their servers are
ifeq ($(origin STORES),file)
	@MODEL_HISTORIES=$(if $(filter-out file,$(origin COUNT)),$(COUNT),5000) MODEL_SEED=$(SEED) npx mocha test/integration/model.test.ts
else
	@STORES='$(STORES)' BINNACLE='$(CURDIR)/bin/binnacle' MODEL_WORLDS=$(if $(filter-out file,$(origin COUNT)),$(COUNT),10) MODEL_SEED=$(SEED) npx mocha test/e2e/model-processes.test.ts
endif

# make changes COUNT=300 SEED=7 KUBECONFIG2=other.kubeconfig
KUBECONFIG2 ?=

changes: $(BUILT) ## Makes every request while definitions, conversions, webhooks and policies change, COUNT times; with KUBECONFIG2 to that server too, whose responses must be the same
	@BINNACLE='$(CURDIR)/bin/binnacle' CHANGE_ROUNDS=$(if $(filter-out file,$(origin COUNT)),$(COUNT),300) CHANGE_SEED=$(SEED) KUBECONFIG2='$(KUBECONFIG2)' npx mocha test/e2e/changing-definitions.test.ts

lint: $(INSTALLED) ## Formats and fixes what can be fixed, and reports the rest
	@npx biome check --write

verify: $(INSTALLED) ## Types, lint, dead code, and everything derived
	npx tsc -p .
	npx tsc -p src/console
	npx biome check --error-on-warnings
	npx knip
	@for script in hack/verify-*; do if [ -x "$$script" ]; then echo "$$script"; "$$script" || exit 1; fi; done

clients: ## Installs the client libraries of the tests, for those languages that are here
	@hack/clients || echo 'some client libraries are not here: their tests are skipped'

bench: $(BUILT) ## Ratios to what the machine allows; KUBECONFIG2=… measures that server beside ours
	@for program in test/bench/*.ts; do echo "== $$program"; node --import tsx "$$program" || exit 1; done

clean: ## Removes what was built and installed
	rm -rf dist release node_modules .cache/clients .cache/nodes
