/**
 * Several builds of the server beside one another: each slice of work goes to all of them in turn, so that what else
 * the machine does falls on each alike. A row has the median and the least of the slices' CPU for a request, and their
 * ratios to the first build. Run: BUILDS=../old,. node --import tsx test/bench/builds.ts (roots of built checkouts).
 * OPERATIONS (a slice), SLICES, WIDTH; ONLY=get,create: some of the rows; USER_IS=team: as a user with rights by RBAC
 * instead of the administrator; STORE=etcd: each on an etcd of its own; WATCHES=10: while so many watches receive the
 * changes; START=20: so many starts of each, the median until /readyz and what is resident then.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEtcd } from '../support/etcd.ts'
import { type Client, openClients } from './support/clients.ts'
import { type Cluster, readCluster } from './support/cluster.ts'
import { cpuOf, cpuOfThreads, median, memoryOf } from './support/load.ts'
import { type StartedBinnacle, startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, pod, send } from './support/requests.ts'

const numberOf = (name: string, preset: number): number => Number(process.env[name] ?? preset)
const BUILDS = (process.env.BUILDS ?? '.').split(',')
const OPERATIONS = numberOf('OPERATIONS', 400)
const SLICES = numberOf('SLICES', 21)
const WIDTH = numberOf('WIDTH', 16)
const STARTS = numberOf('START', 0)
const ON_ETCD = process.env.STORE === 'etcd'
const WATCHES = numberOf('WATCHES', 0)
const AS_TEAM = process.env.USER_IS === 'team'
const ONLY = process.env.ONLY?.split(',')

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const configMap = (name: string): object => ({ metadata: { name }, data: { a: 'x'.repeat(1700) } })

type Request = readonly [method: string, path: string, body?: object]

const ROWS: Readonly<Record<string, (i: number) => Request>> = {
  get: () => ['GET', `${CONFIG_MAPS}/small?resourceVersion=0`],
  'consistent get': () => ['GET', `${CONFIG_MAPS}/small`],
  list: () => ['GET', `${CONFIG_MAPS}?limit=100`],
  'create ConfigMap': i => ['POST', CONFIG_MAPS, configMap(`map-${i}`)],
  'update ConfigMap': i => [
    'PUT',
    `${CONFIG_MAPS}/small-${i % 1024}`,
    { ...configMap(`small-${i % 1024}`), data: { i: String(i), a: 'x'.repeat(1700) } },
  ],
  'create Pod': i => ['POST', PODS, pod(i)],
}

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const tokens = join(scratch, 'tokens')
writeFileSync(tokens, 'bench,bench,bench,"team"\n')

interface Side {
  readonly build: string
  readonly server: StartedBinnacle
  readonly clients: readonly Client[]
  readonly cpu: Map<string, number[]>
  close(): Promise<void>
  /** Names of objects that are made are used once. */
  made: number
}

const start = (build: string, flags: readonly string[] = []): Promise<StartedBinnacle> =>
  startBinnacle([`--token-auth-file=${tokens}`, ...flags], [], resolve(build, 'bin/binnacle'))

/** Opens watches of all config maps, whose events are dropped. */
async function watchAll(port: number, closed: AbortSignal): Promise<void> {
  for (let i = 0; i < WATCHES; i++) {
    const { body } = await fetch(`http://127.0.0.1:${port}${CONFIG_MAPS}?watch=1`, { signal: closed })
    body?.pipeTo(new WritableStream()).catch(() => {})
  }
}

async function open(build: string): Promise<Side> {
  const store = ON_ETCD ? await startEtcd() : undefined
  const server = await start(build, store && [`--etcd-servers=${store.url}`])
  await send(server.port, 'POST', CONFIG_MAPS, configMap('small'))
  await inFlight(1024, 16, i => send(server.port, 'POST', CONFIG_MAPS, configMap(`small-${i}`)))
  await send(server.port, 'POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'team' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
    subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'team' }],
  })
  await sleep(1000)
  const whole = readCluster(server.kubeconfig, server.pid)
  const { cert: _, key: __, ...bare } = whole
  const cluster: Cluster = AS_TEAM ? { ...bare, authorization: 'Bearer bench' } : whole
  const clients = await openClients(cluster, 'h1', WIDTH)
  const closed = new AbortController()
  await watchAll(server.port, closed.signal)
  const close = async (): Promise<void> => {
    closed.abort()
    for (const client of clients) client.close()
    await server.stop()
    await store?.stop()
  }
  return { build, server, clients, close, cpu: new Map(), made: 0 }
}

/** Does a slice of the operations, and notes the microseconds of CPU that one took. */
async function slice(side: Side, what: string, each: (i: number) => Request): Promise<void> {
  const before = cpuOfThreads(side.server.pid)
  const operations = what.includes('get') ? OPERATIONS * 8 : OPERATIONS
  let next = 0
  await Promise.all(
    side.clients.map(async client => {
      while (next++ < operations) {
        const [method, path, body] = each(side.made++)
        await client.request(method, path, body && Buffer.from(JSON.stringify(body)))
      }
    }),
  )
  side.cpu.set(what, [...(side.cpu.get(what) ?? []), (cpuOfThreads(side.server.pid) - before) / operations])
}

async function compareRequests(): Promise<void> {
  const sides: Side[] = []
  try {
    for (const build of BUILDS) sides.push(await open(build))
    const rows = Object.entries(ROWS).filter(([what]) => ONLY?.some(one => what.includes(one)) ?? true)
    // The first slices warm up.
    for (let i = -4; i < SLICES; i++) {
      if (i === 0) for (const side of sides) side.cpu.clear()
      for (const [what, each] of rows) {
        const turned = sides.map((_, at) => sides[(at + i + 4) % sides.length] as Side)
        for (const side of turned) await slice(side, what, each)
      }
    }
    print(
      sides,
      rows.map(([what]) => what),
    )
  } finally {
    for (const { close } of sides) await close()
  }
}

const MEASURES: Readonly<Record<string, (slices: readonly number[]) => number>> = {
  median: slices => median([...slices]),
  'least ': slices => Math.min(...slices),
}

function print(sides: readonly Side[], rows: readonly string[]): void {
  for (const what of rows) {
    console.log(what)
    for (const [name, of] of Object.entries(MEASURES)) {
      const base = of(sides[0]?.cpu.get(what) ?? [])
      for (const { build, cpu } of sides) {
        const mine = of(cpu.get(what) ?? [])
        console.log(`  ${name} ${build.padEnd(30)} ${mine.toFixed(1).padStart(8)} µs ${(mine / base).toFixed(3).padStart(7)}`)
      }
    }
  }
}

async function compareStarts(): Promise<void> {
  const times = new Map<string, { ready: number; cpu: number; resident: number }[]>(BUILDS.map(build => [build, []]))
  for (let i = 0; i < STARTS; i++)
    for (const build of BUILDS) {
      const server = await start(build)
      const cpu = cpuOf(server.pid) / 1000
      await sleep(1000)
      times.get(build)?.push({ ready: server.readyMs, cpu, resident: memoryOf(server.pid) })
      await server.stop()
    }
  for (const [build, each] of times) {
    const of = (what: 'ready' | 'cpu' | 'resident'): string => median(each.map(one => one[what])).toFixed(0)
    console.log(`  ${build.padEnd(30)} ready in ${of('ready')} ms, ${of('cpu')} ms of CPU, ${of('resident')} MB resident a second later`)
  }
}

try {
  if (STARTS > 0) await compareStarts()
  else await compareRequests()
} finally {
  closeConnections()
  rmSync(scratch, { recursive: true })
}
