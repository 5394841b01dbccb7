import { createProbeClient } from './client.ts'
import type { ProbeCase } from './probe-case.ts'
import { runCase, runCases } from './run-case.ts'

const JOBS = 24

/** A server with the flags that the cases need. */
export interface ProbedServer {
  /** File with the credentials of an administrator. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

/**
 * Recorded responses of kube-apiserver and stated expectations: each case is one test. All cases run concurrently
 * before the tests, as most of their time is waiting.
 */
export function probe(kept: readonly ProbeCase[], start: () => Promise<ProbedServer>): void {
  const areas = [...new Set(kept.map(({ area }) => area))]
  const cases = areas.map(area => ({ area, of: kept.filter(one => one.area === area) }))
  const unmet = new Map<ProbeCase, string[]>()
  let server: ProbedServer
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
      // A case that watches for a second, or waits for half of one, may need longer beside others on a busy machine.
      for (const [one, lines] of unmet)
        if (lines.length > 0 && one.steps.some(step => 'watch' in step || 'sleep' in step)) unmet.set(one, await runCase(client, one))
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
