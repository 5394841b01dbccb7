import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { fixtureAreas, PROBE_FLAGS, readFixtures } from '../support/probe/fixtures.ts'
import type { ProbeCase } from '../support/probe/probe-case.ts'
import { runCases } from '../support/probe/run-case.ts'
import { type StartedServer, startBinnacle } from '../support/started-server.ts'

const JOBS = 12
const ON_ETCD = ['rest', 'read', 'chunk', 'watch', 'update']

/** Recorded answers of kube-apiserver and stated expectations: each case is one test, and the cases of an area run side by side before its tests. */
function probe(areas: readonly string[], start: () => Promise<StartedServer>): void {
  let server: StartedServer
  let client: ProbeClient
  before(async function () {
    this.timeout(60_000)
    server = await start()
    client = createProbeClient(server.kubeconfig)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })
  for (const area of areas) describe(area, () => probeArea(readFixtures(area), () => client))
}

function probeArea(cases: readonly ProbeCase[], client: () => ProbeClient): void {
  const unmet = new Map<ProbeCase, string[]>()
  before(async function () {
    this.timeout(120_000)
    await runCases(client(), cases, JOBS, (done, lines) => unmet.set(done, lines))
  })
  for (const one of cases)
    it(`${one.name}: ${one.why}`, () => {
      const lines = unmet.get(one) ?? ['was not run']
      if (lines.length > 0) throw new Error(lines.join('\n'))
    })
}

describe('probe, on the embedded store', () => probe(fixtureAreas(), () => startBinnacle(PROBE_FLAGS)))

const etcdFound = findEtcd() !== undefined
const onEtcd = etcdFound ? describe : describe.skip

onEtcd(`probe, on etcd${etcdFound ? '' : ' (skipped: there is no etcd here; hack/etcd installs one)'}`, () => {
  let etcd: EtcdServer
  after(() => etcd?.stop())
  probe(ON_ETCD, async () => {
    etcd = await startEtcd()
    return startBinnacle([...PROBE_FLAGS, '--etcd-servers', etcd.url])
  })
})
