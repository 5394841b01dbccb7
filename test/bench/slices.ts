/**
 * How long the server's event loop is held at a stretch, by its own code and by garbage collection, under each kind of
 * load. Run: node --import tsx test/bench/slices.ts (after make build)
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Listeners, listen } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, pod, send } from './support/requests.ts'

const PODS = 10_000
const LIMIT_MS = 10
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const report = join(scratch, 'loop')
process.env.LOOP_REPORT = report
const server = await startBinnacle([], ['--import', join(import.meta.dirname, 'support/loop-probe.mjs')])
const { port, pid } = server

async function measure(what: string, run: () => Promise<unknown>): Promise<void> {
  await seen()
  await run()
  const { code, collection } = await seen()
  console.log(
    `${what.padEnd(46)} ${code.toFixed(1).padStart(11)} ms ${`${LIMIT_MS} ms`.padStart(10)} ${collection.toFixed(1).padStart(11)} ms`,
  )
}

/** Returns the measurements of the probe since the last call. */
async function seen(): Promise<{ code: number; collection: number }> {
  rmSync(report, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(report)) await sleep(10)
  return JSON.parse(readFileSync(report, 'utf8')) as { code: number; collection: number }
}

try {
  console.log(
    `${'longest slice of the event loop'.padEnd(46)} ${'our code'.padStart(14)} ${'limit'.padStart(10)} ${'collection'.padStart(14)}`,
  )
  // Code that has never run is compiled first.
  await inFlight(200, 16, i => send(port, 'POST', '/api/v1/namespaces/default/pods', pod(PODS + i)))
  await measure(`create ${PODS} Pods, 64 in flight`, () =>
    inFlight(PODS, 64, i => send(port, 'POST', '/api/v1/namespaces/default/pods', pod(i))),
  )
  for (const [form, accept] of [
    ['JSON', 'application/json'],
    ['Table', TABLE],
    ['protobuf', 'application/vnd.kubernetes.protobuf'],
  ] as const) {
    await measure(`list of ${PODS}: ${form}`, () =>
      inFlight(5, 1, () => send(port, 'GET', '/api/v1/pods?resourceVersion=0', undefined, { accept })),
    )
  }
  await measure(`list of ${PODS} by a label`, () => inFlight(5, 1, () => send(port, 'GET', '/api/v1/pods?labelSelector=app%3Dapp-7')))
  const maps = '/api/v1/namespaces/default/configmaps'
  const watchers: Listeners[] = []
  const watch = async (query: string) => watchers.push(await listen(port, `${maps}?watch=1${query}`, 500))
  await measure('open 1,000 watches', async () => {
    await watch('')
    await watch('&labelSelector=app%3Dapp-7')
  })
  await measure('events to 1,000 watchers, 16 writers', () =>
    inFlight(1000, 16, i =>
      send(port, 'POST', maps, { metadata: { name: `map-${i}`, labels: { app: `app-${i % 10}` } }, data: { a: 'x'.repeat(1700) } }),
    ),
  )
  await measure('1,000 watches gone', async () => {
    for (const each of watchers) each.close()
    await sleep(200)
  })
  const collectedBy: readonly [string, () => Promise<boolean>][] = [
    ['Background', async () => (await owned()).length === 0],
    ['Foreground', async () => (await owned()).length === 0],
    ['Orphan', async () => (await owned()).every(({ metadata }) => metadata.ownerReferences === undefined)],
  ]
  const owned = async (): Promise<{ metadata: { ownerReferences?: unknown } }[]> =>
    JSON.parse((await send(port, 'GET', `${maps}?labelSelector=owned`)).toString()).items
  for (const [policy, done] of collectedBy) {
    const name = policy.toLowerCase()
    const { metadata } = JSON.parse((await send(port, 'POST', maps, { metadata: { name } })).toString())
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid, blockOwnerDeletion: true }]
    await inFlight(PODS, 64, i => send(port, 'POST', maps, { metadata: { name: `${name}-${i}`, labels: { owned: '' }, ownerReferences } }))
    await measure(`collect what one of ${PODS} owned: ${policy}`, async () => {
      await send(port, 'DELETE', `${maps}/${name}?propagationPolicy=${policy}`)
      while (!(await done())) await sleep(200)
    })
  }
} finally {
  closeConnections()
  await server.stop()
  rmSync(scratch, { recursive: true })
}
