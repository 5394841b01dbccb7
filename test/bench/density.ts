/**
 * A large simulated cluster (`--profile=cluster`): nodes, services and their pods until they are ready, then at rest,
 * then with pods that are replaced all the time. Prints processor time, memory, the delays of GETs and of a list, and how long pods
 * take to start, beside upstream's objectives (a call for one object 1 s, a list 30 s, the start of a pod 5 s).
 *
 *     node --import tsx test/bench/density.ts (after make build)
 *
 * NODES (5000), PODS (150000), SERVICES (10000; 0 for none), RATE: pods replaced a second (50), SECONDS of rest and of churn (60).
 */
import http from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { readWhile } from './support/get-delays.ts'
import { cpuOf, memoryOf } from './support/load.ts'
import { areNodesReady, arePodsRunning, nodeAt, podAt, readList, serviceAt } from './support/node-load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const count = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const [nodes, pods, rate, seconds] = [count('NODES', 5000), count('PODS', 150_000), count('RATE', 50), count('SECONDS', 60)]
const services = count('SERVICES', 10_000)
/** Number of applications that the pods belong to, each with a service if there are any. */
const apps = services || 100
const WIDTH = 16
const POLL_MS = 5000
const PODS = '/api/v1/namespaces/default/pods'

const server = await startBinnacle([
  '--profile=cluster',
  '--nodes=0',
  '--cluster-cidr=10.0.0.0/8',
  '--service-cluster-ip-range=172.16.0.0/16',
])
const { port, pid } = server

const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1)
const quantiles = (delays: number[]): string => {
  const sorted = delays.toSorted((a, b) => a - b)
  return `p50 ${quantile(sorted, 0.5)}, p99 ${quantile(sorted, 0.99)}, most ${quantile(sorted, 1)} ms`
}

/** Runs something while an object is read a hundred times a second. Prints processor time, memory and the delays. */
async function measured(name: string, run: () => Promise<unknown>): Promise<void> {
  const reader = readWhile(port)
  const [begun, cpu] = [performance.now(), cpuOf(pid)]
  await run()
  const [spent, used] = [(performance.now() - begun) / 1000, (cpuOf(pid) - cpu) / 1e6]
  const { p50, p99, most } = await reader.end()
  console.log(
    `${name}: ${spent.toFixed(1)} s, ${used.toFixed(1)} s of processor time, ${memoryOf(pid).toFixed(0)} MiB; ` +
      `GET p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, most ${most.toFixed(1)} ms`,
  )
}

/** Prints how many nodes are not ready: their leases have lapsed because the server was late. */
async function countLost(): Promise<void> {
  const { items } = await readList(port, '/api/v1/nodes')
  const lost = items.filter(({ status }) => !status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
  console.log(`  ${lost.length} nodes are not ready`)
}

/** Records when pods that were created at the given times are running. */
async function watchStarts(created: ReadonlyMap<string, number>, starts: number[], signal: AbortSignal): Promise<void> {
  const { metadata } = await readList(port, `${PODS}?limit=1`)
  const path = `${PODS}?watch=true&resourceVersion=${metadata.resourceVersion}`
  const seen = new Set<string>()
  await new Promise<void>((resolve, reject) => {
    const request = http.get({ port, host: '127.0.0.1', path, signal }, response => {
      const lines = createInterface({ input: response })
      lines.on('error', () => resolve())
      lines.on('line', line => {
        if (!line.includes('"phase":"Running"')) return
        const { name } = JSON.parse(line).object.metadata as { readonly name: string }
        const from = created.get(name)
        if (from === undefined || seen.has(name)) return
        seen.add(name)
        starts.push(performance.now() - from)
      })
    })
    request.on('error', error => (signal.aborted ? resolve() : reject(error)))
  })
}

async function churn(): Promise<void> {
  const [created, starts, ended] = [new Map<string, number>(), [] as number[], new AbortController()]
  const watched = watchStarts(created, starts, ended.signal)
  const under: Promise<unknown>[] = []
  const begun = performance.now()
  for (let i = 0; i < rate * seconds; i++) {
    await sleep(Math.max(0, begun + (i * 1000) / rate - performance.now()))
    under.push(send(port, 'DELETE', `${PODS}/pod-${i}`))
    created.set(`pod-${pods + i}`, performance.now())
    under.push(send(port, 'POST', PODS, podAt(pods + i, apps)))
  }
  await Promise.all(under)
  while (starts.length < created.size && performance.now() - begun < 2000 * seconds) await sleep(500)
  ended.abort()
  await watched
  console.log(`${starts.length} of ${created.size} new pods are running: after ${quantiles(starts)} (objective 5000)`)
}

try {
  await measured(`${nodes} nodes are ready`, async () => {
    await inFlight(nodes, WIDTH, i => send(port, 'POST', '/api/v1/nodes', nodeAt(i)))
    while (!(await areNodesReady(port))) await sleep(POLL_MS)
  })
  await measured(`${services} services are created`, () =>
    inFlight(services, WIDTH, i => send(port, 'POST', '/api/v1/namespaces/default/services', serviceAt(i, apps))),
  )
  await measured(`${pods} pods are running`, async () => {
    const created = performance.now()
    await inFlight(pods, WIDTH, i => send(port, 'POST', PODS, podAt(i, apps)))
    console.log(`  created after ${((performance.now() - created) / 1000).toFixed(1)} s`)
    await countLost()
    while (!(await arePodsRunning(port))) await sleep(POLL_MS)
  })
  await sleep(10_000)
  await measured('at rest', () => sleep(seconds * 1000))
  await measured(`${rate} pods a second are replaced`, churn)
  await countLost()
  const begun = performance.now()
  const bytes = (await send(port, 'GET', '/api/v1/pods')).length
  console.log(`a list of all pods: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB (objective 30 s)`)
} finally {
  closeConnections()
  await server.stop()
}
