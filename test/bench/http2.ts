/**
 * The two stacks of HTTP/2 side by side (`--http2`), over HTTPS on the embedded store: small GET, LIST, and events to
 * watchers that share connections. Rates, and CPU of the server's process. Run: node --import tsx test/bench/http2.ts
 * (after make build). SECONDS of each measure (3), ROUNDS (3), OBJECTS of a list (2000), WATCHERS (500).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, openClients } from './support/clients.ts'
import { type Cluster, readCluster } from './support/cluster.ts'
import { cpuOf, median } from './support/load.ts'
import { type StartedBinnacle, startBinnacle } from './support/processes.ts'
import { inFlight, send } from './support/requests.ts'
import { openWatches } from './support/watches.ts'

const STACKS = ['own', 'builtin'] as const
type Stack = (typeof STACKS)[number]

const seconds = Number(process.env.SECONDS ?? 3)
const rounds = Number(process.env.ROUNDS ?? 3)
const objects = Number(process.env.OBJECTS ?? 2000)
const watchers = Number(process.env.WATCHERS ?? 500)

const LISTED = '/api/v1/namespaces/default/configmaps'
const WATCHED = '/api/v1/namespaces/kube-public/configmaps'
const configMap = (name: string): object => ({ metadata: { name }, data: { a: 'x'.repeat(1700) } })

interface Measured {
  readonly rate: number
  /** Microseconds for each. */
  readonly cpu: number
}

/** Asks for a path, so many requests at once on four connections. */
async function requests(cluster: Cluster, path: string, width: number): Promise<Measured> {
  const clients = await openClients(cluster, 'h2', width)
  const before = cpuOf(cluster.pid)
  const begun = performance.now()
  let done = 0
  await Promise.all(
    clients.map(async client => {
      while (performance.now() - begun < seconds * 1000) {
        await client.request('GET', path)
        done++
      }
    }),
  )
  const measured = { rate: done / ((performance.now() - begun) / 1000), cpu: (cpuOf(cluster.pid) - before) / done }
  for (const client of new Set<Client>(clients)) client.close()
  return measured
}

/** Objects are written, eight at once, and told to all watchers; the writes' own CPU is among that of the events. */
async function events({ port }: StartedBinnacle, cluster: Cluster, run: number): Promise<Measured> {
  let lines = 0
  const watching = await openWatches(
    cluster,
    'h2',
    watchers,
    `${WATCHED}?watch=1&resourceVersion=0&fieldSelector=metadata.name!=kube-root-ca.crt`,
    () => data => {
      for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) lines++
    },
  )
  await settled(() => lines)
  const old = lines
  const before = cpuOf(cluster.pid)
  const begun = performance.now()
  let written = 0
  await inFlight(200, 8, async i => {
    await send(port, 'POST', WATCHED, configMap(`watched-${run}-${i}`))
    written++
  })
  while (lines - old < written * watchers) await sleep(1)
  const told = lines - old
  const measured = { rate: told / ((performance.now() - begun) / 1000), cpu: (cpuOf(cluster.pid) - before) / told }
  watching.close()
  return measured
}

/** Waits until the count has not grown for a while. */
async function settled(count: () => number): Promise<void> {
  for (let last = -1; last !== count(); await sleep(200)) last = count()
}

const started = {} as Record<Stack, StartedBinnacle>
try {
  for (const stack of STACKS) {
    started[stack] = await startBinnacle([`--http2=${stack}`])
    await inFlight(objects, 32, i => send(started[stack].port, 'POST', LISTED, configMap(`listed-${i}`)))
  }
  const scenarios: Record<string, (stack: Stack, run: number) => Promise<Measured>> = {
    'small GET, one at a time': stack => requests(clusterOf(stack), `${LISTED}/listed-1?resourceVersion=0`, 1),
    'small GET, 32 at once': stack => requests(clusterOf(stack), `${LISTED}/listed-1?resourceVersion=0`, 32),
    [`LIST of ${objects}`]: stack => requests(clusterOf(stack), `${LISTED}?resourceVersion=0`, 2),
    [`event to ${watchers} watchers`]: (stack, run) => events(started[stack], clusterOf(stack), run),
  }
  const clusterOf = (stack: Stack): Cluster => readCluster(started[stack].kubeconfig, started[stack].pid)
  console.log(`${''.padEnd(30)} ${STACKS.map(stack => stack.padStart(24)).join('')} ${'CPU, ratio'.padStart(12)}`)
  for (const [what, measure] of Object.entries(scenarios)) {
    const all: Record<Stack, Measured[]> = { own: [], builtin: [] }
    // The first round warms up.
    for (let round = 0; round <= rounds; round++)
      for (const stack of STACKS) {
        const measured = await measure(stack, round)
        if (round > 0) all[stack].push(measured)
      }
    const middle = (stack: Stack): Measured => ({
      rate: median(all[stack].map(({ rate }) => rate)),
      cpu: median(all[stack].map(({ cpu }) => cpu)),
    })
    const cells = STACKS.map(stack => `${Math.round(middle(stack).rate)}/s, ${middle(stack).cpu.toFixed(1)} µs`.padStart(24))
    console.log(`${what.padEnd(30)} ${cells.join('')} ${(middle('builtin').cpu / middle('own').cpu).toFixed(2).padStart(12)}`)
  }
} finally {
  for (const server of Object.values(started)) await server.stop()
}
