/**
 * How long a server takes to open a store of many ConfigMaps, on both stores, beside a bare client in Node that pages
 * through the same keys of etcd; and what an update costs in a small and a large store.
 *
 *     node --import tsx test/bench/load.ts (after make build)
 *
 * OBJECTS: counts (300000,1000000). STORES: embedded,etcd. ROUNDS: starts of each (3), of which the fastest counts.
 * UPDATES: updates of each round (2000; 0: none).
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '../../src/lib/log.ts'
import { openEtcd } from '../../src/storage/etcd/open-etcd.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import { type Key, key } from '../../src/storage/revision.ts'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { fillEmbedded, fillEtcd, nameOf } from './support/fill.ts'
import { cpuOf, cpuOfThreads, median } from './support/load.ts'
import { type StartedBinnacle, startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const DATA_BYTES = 500
/** Page size of client-go's reflector and kube-apiserver's cache. */
const BARE_PAGE = 10_000
const SMALL = 10_000
const LARGE = 300_000
const UPDATE_ROUNDS = 7

const counts = (process.env.OBJECTS ?? '300000,1000000').split(',').map(Number)
const stores = (process.env.STORES ?? 'embedded,etcd').split(',')
const rounds = Number(process.env.ROUNDS ?? 3)
const updates = Number(process.env.UPDATES ?? 2000)
const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-load-'))

interface Start {
  readonly ms: number
  readonly cpuMs: number
}

const fastest = (starts: readonly Start[]): Start => starts.reduce((best, start) => (start.ms < best.ms ? start : best))
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

async function starts(flags: readonly string[]): Promise<Start> {
  const all: Start[] = []
  for (let round = 0; round < rounds; round++) {
    const server = await startBinnacle(flags)
    all.push({ ms: server.readyMs, cpuMs: cpuOf(server.pid) / 1000 })
    await server.stop()
  }
  return fastest(all)
}

/**
 * A client in Node that keeps nothing: the backend's own connection and decoder. It takes 1.1 to 1.6 times the CPU of a
 * client in Go that uses clientv3.
 */
async function bare(url: string): Promise<Start> {
  const backend = await openEtcd({ servers: [url], requestTimeoutMs: 60_000 }, silentLogger)
  const { signal } = new AbortController()
  const prefix = key('/registry/configmaps/')
  const before = process.cpuUsage()
  const begun = performance.now()
  const at = await backend.currentRevision(signal)
  for (let start: Key = prefix, more = true; more; ) {
    const page = await backend.range({ start, end: prefixEnd(prefix), at, limit: BARE_PAGE }, signal)
    more = page.more
    start = key(`${page.items.at(-1)?.key}\0`)
  }
  const ms = performance.now() - begun
  const { user, system } = process.cpuUsage(before)
  await backend.close()
  return { ms, cpuMs: (user + system) / 1000 }
}

function printStart(store: string, count: number, start: Start, first: Start | undefined, beside: Start | undefined): void {
  const growth = first === undefined ? '' : `, ${(start.ms / first.ms).toFixed(2)} times that of ${counts[0]}`
  const client =
    beside === undefined
      ? ''
      : `; bare client ${seconds(beside.ms)}, CPU ${seconds(beside.cpuMs)}: ratio ${(start.ms / beside.ms).toFixed(2)}`
  console.log(
    `${store.padEnd(9)} ${String(count).padStart(8)} objects: ready ${seconds(start.ms)}, CPU ${seconds(start.cpuMs)}${growth}${client}`,
  )
}

async function embedded(): Promise<void> {
  let first: Start | undefined
  for (const count of counts) {
    const directory = join(scratch, `embedded-${count}`)
    mkdirSync(directory)
    await fillEmbedded(directory, { resource: 'configmaps', count, dataBytes: DATA_BYTES })
    const start = await starts([`--data-dir=${directory}`])
    printStart('embedded', count, start, first, undefined)
    first ??= start
    rmSync(directory, { recursive: true })
  }
}

async function onEtcd(): Promise<void> {
  let first: Start | undefined
  for (const count of counts) {
    const etcd = await startEtcd(['--quota-backend-bytes', String(8 * 2 ** 30)])
    try {
      await fillEtcd(etcd.url, { resource: 'configmaps', count, dataBytes: DATA_BYTES })
      const clients: Start[] = []
      for (let round = 0; round < rounds; round++) clients.push(await bare(etcd.url))
      const start = await starts([`--etcd-servers=${etcd.url}`])
      printStart('etcd', count, start, first, fastest(clients))
      first ??= start
    } finally {
      await etcd.stop()
    }
  }
}

/** CPU of an update, in microseconds, in rounds that take turns. */
async function updateCosts(): Promise<void> {
  const sizes = [SMALL, LARGE]
  const servers: StartedBinnacle[] = []
  const cpu: number[][] = sizes.map(() => [])
  const times: number[][] = sizes.map(() => [])
  for (const count of sizes) {
    const directory = join(scratch, `updates-${count}`)
    mkdirSync(directory)
    await fillEmbedded(directory, { resource: 'configmaps', count, dataBytes: DATA_BYTES })
    servers.push(await startBinnacle([`--data-dir=${directory}`]))
  }
  const forms = { type: 'application/merge-patch+json' }
  for (let round = 0; round <= UPDATE_ROUNDS; round++)
    for (const [i, { port, pid }] of servers.entries()) {
      const before = cpuOfThreads(pid)
      await inFlight(updates, 16, async n => {
        // Spread over all objects, and no two at once on one.
        const name = nameOf(((n + round * updates) * 7919) % (sizes[i] ?? 1))
        const begun = performance.now()
        await send(
          port,
          'PATCH',
          `/api/v1/namespaces/filled/configmaps/${name}`,
          { data: { a: `${round}-${n}`.padEnd(DATA_BYTES, 'y') } },
          forms,
        )
        if (round > 0) times[i]?.push(performance.now() - begun)
      })
      if (round > 0) cpu[i]?.push((cpuOfThreads(pid) - before) / updates)
    }
  const [small, large] = cpu.map(median)
  for (const [i, count] of sizes.entries()) {
    const sorted = (times[i] ?? []).sort((a, b) => a - b)
    const p99 = sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN
    console.log(`update in ${String(count).padStart(8)} objects: CPU ${Math.round(median(cpu[i] ?? []))} µs, p99 ${p99.toFixed(1)} ms`)
  }
  console.log(`ratio of their CPU: ${((large ?? Number.NaN) / (small ?? Number.NaN)).toFixed(2)}`)
  for (const server of servers) await server.stop()
}

try {
  if (stores.includes('embedded')) await embedded()
  if (stores.includes('etcd')) await (findEtcd() === undefined ? console.log('there is no etcd: hack/etcd installs one') : onEtcd())
  if (updates > 0) await updateCosts()
} finally {
  closeConnections()
  rmSync(scratch, { recursive: true, force: true })
}
