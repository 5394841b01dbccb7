import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createProbeClient } from '../support/probe/client.ts'
import { fixtureAreas, LATER_RELEASES, PROBE_FLAGS, readFixtures, readLaterFixtures } from '../support/probe/fixtures.ts'
import type { ProbeCase } from '../support/probe/probe-case.ts'
import { runCase, runCases } from '../support/probe/run-case.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const JOBS = 24
const ON_ETCD = ['rest', 'read', 'chunk', 'selector', 'watch', 'read-random', 'update']
const BY_WORKERS = ['rest', 'read', 'read-random', 'chunk', 'selector', 'watch']

/**
 * Recorded responses of kube-apiserver and stated expectations: each case is one test. All cases run concurrently
 * before the tests, as most of their time is waiting.
 */
function probe(kept: readonly ProbeCase[], start: () => Promise<StartedServer>): void {
  const areas = [...new Set(kept.map(({ area }) => area))]
  const cases = areas.map(area => ({ area, of: kept.filter(one => one.area === area) }))
  const unmet = new Map<ProbeCase, string[]>()
  let server: StartedServer
  before(async function () {
    this.timeout(600_000)
    server = await start()
    const client = createProbeClient(server.kubeconfig)
    try {
      await runCases(
        client,
        cases.flatMap(({ of }) => of),
        JOBS,
        (done, lines) => unmet.set(done, lines),
      )
      // A watch is recorded for a second or so: on a machine that is busy that may be too short beside others.
      for (const [one, lines] of unmet)
        if (lines.length > 0 && one.steps.some(step => 'watch' in step)) unmet.set(one, await runCase(client, one))
    } finally {
      client.close()
    }
  })
  after(() => server?.stop())
  for (const { area, of } of cases)
    describe(area, () => {
      for (const one of of)
        it(`${one.name}: ${one.why}`, () => {
          const lines = unmet.get(one) ?? ['was not run']
          if (lines.length > 0) throw new Error(lines.join('\n'))
        })
    })
}

describe('probe, on the embedded store', () => probe(fixtureAreas().flatMap(readFixtures), () => startBinnacle(PROBE_FLAGS)))

for (const release of LATER_RELEASES)
  describe(`probe of ${release}`, () =>
    probe(readLaterFixtures(release), () => startBinnacle([...PROBE_FLAGS, `--emulated-version=${release}`])))

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

onEtcd(`probe, on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  after(() => etcd?.stop())
  probe(ON_ETCD.flatMap(readFixtures), async () => {
    etcd = await startEtcd()
    return startBinnacle([...PROBE_FLAGS, '--etcd-servers', etcd.url])
  })
})

// Steps of one case are served by both workers: each connection goes to the next worker.
onEtcd(`probe, by two workers${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  after(() => etcd?.stop())
  probe(BY_WORKERS.flatMap(readFixtures), async () => {
    etcd = await startEtcd()
    return startBinnacle([...PROBE_FLAGS, '--etcd-servers', etcd.url, '--workers=2'])
  })
})
