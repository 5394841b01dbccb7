/**
 * Many watches on etcd, in one process: what they cost idle, bookmarks included, what deliveries cost beside raw
 * sockets, what writes cost beside them and beside etcd3's `kv`, and Most Recent GETs beside an etcd round trip.
 *
 *     node --import tsx test/bench/watchers.ts (after make build)
 *
 * PARTS: gets,writes,delivery,idle,followers. WATCHERS: several counts (1000,10000); a process may open so many files,
 * twice. EVENTS told to all of them (500). WRITES (5000). IDLE seconds (70, so that each watch gets a bookmark).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Etcd3 } from 'etcd3'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { ask, cpuOf, listen, type Rate } from './support/load.ts'
import { type Observed, printHead, printRow, short, startObserved, timed } from './support/observed.ts'
import { startBinnacle, startReference } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const counts = (process.env.WATCHERS ?? '1000,10000').split(',').filter(Boolean).map(Number)
const events = Number(process.env.EVENTS ?? 500)
const writes = Number(process.env.WRITES ?? 5000)
const idleSeconds = Number(process.env.IDLE ?? 70)
const IN_FLIGHT = 64
const maps = '/api/v1/namespaces/default/configmaps'
const quiet = '/api/v1/namespaces/kube-public/configmaps'
/** Has no objects, so that a watch begins with none. */
const empty = '/api/v1/namespaces/kube-node-lease/configmaps'
const parts = new Set((process.env.PARTS ?? 'gets,writes,delivery,idle,followers').split(','))
const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-bytes-'))
const body = (name: string, state: string): object => ({ metadata: { name }, data: { filler: 'x'.repeat(1700), state } })
let names = 0

/** The count, when it has not grown for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1; ; await sleep(100)) {
    const now = count()
    if (now === last) return now
    last = now
  }
}

/** CPU of a rate is that of the whole, the writes included; its times are those of a delivery, not known one by one. */
const perDelivery = (deliveries: number, seconds: number, cpu: number): Rate => ({
  rate: deliveries / seconds,
  cpu: cpu / deliveries,
  p50: (1000 * seconds) / deliveries,
  p99: Number.NaN,
})

/** CPU seconds that the server takes in a second, with nothing to do. */
async function restingCpu(pid: number, seconds: number): Promise<number> {
  const from = cpuOf(pid)
  await sleep(1000 * seconds)
  return (cpuOf(pid) - from) / 1e6 / seconds
}

async function idle(server: Observed, count: number): Promise<void> {
  await server.toggle()
  const alone = await restingCpu(server.pid, Math.min(idleSeconds, 15))
  await server.toggle()
  const before = await server.seen()
  const opening = cpuOf(server.pid)
  const watchers = await listen(server.port, `${empty}?watch=1&allowWatchBookmarks=true`, count)
  await settled(watchers.bytes)
  const opened = (cpuOf(server.pid) - opening) / count
  const heads = watchers.bytes()
  const { heap, buffers, rss, code, collection } = await server.seen()
  await server.toggle()
  const together = await restingCpu(server.pid, idleSeconds)
  await server.toggle()
  console.log(`\n${count} idle watches`)
  console.log(`  to open one: CPU ${short(opened)} µs; longest slice ${short(code)} ms, longest collection ${short(collection)} ms`)
  console.log(
    `  memory of one: ${Math.round((heap + buffers - before.heap - before.buffers) / count)} bytes, ${Math.round((rss - before.rss) / count)} resident`,
  )
  console.log(
    `  CPU in ${idleSeconds} s: ${(100 * together).toFixed(2)}% of a core, without them ${(100 * alone).toFixed(2)}%; bookmarks of ${Math.round((watchers.bytes() - heads) / count)} bytes each came`,
  )
  watchers.close()
  await sleep(1000)
}

async function delivery(server: Observed, count: number): Promise<void> {
  const watchers = await listen(server.port, `${quiet}?watch=1`, count)
  await settled(watchers.bytes)
  const make = () => send(server.port, 'POST', quiet, body(`told-${names++}`, 'first'))
  const heads = watchers.bytes()
  await make()
  const size = ((await settled(watchers.bytes)) - heads) / count
  let came = 0
  const ours = await server.observe(async () => {
    const from = watchers.bytes()
    const [cpu, begun] = [cpuOf(server.pid), performance.now()]
    await inFlight(events, 16, make)
    const bytes = (await settled(watchers.bytes)) - from
    came = bytes / size
    return perDelivery(came, (performance.now() - begun) / 1000, cpuOf(server.pid) - cpu)
  })
  watchers.close()

  const file = join(scratch, 'event')
  writeFileSync(file, Buffer.alloc(Math.round(size), 'x'))
  const reference = await startReference('watch', file)
  const sockets = await listen(reference.port, '/', count)
  const [rawCpu, rawBegun] = [cpuOf(reference.pid), performance.now()]
  await send(reference.port, 'GET', `/go?events=${events}&group=1`)
  const raw = await settled(sockets.bytes)
  const limit = perDelivery(raw / size, (performance.now() - rawBegun) / 1000, cpuOf(reference.pid) - rawCpu)
  sockets.close()
  await reference.stop()
  printRow(`delivery to ${count}, ${short((100 * came) / count / events)}% came`, ours, limit)
  await sleep(1000)
}

async function writing(server: Observed, etcd: Etcd3): Promise<void> {
  const value = 'x'.repeat(2000)
  const put = (i: number): Promise<unknown> =>
    etcd
      .if(`/bench/${names}-${i}`, 'Mod', '==', 0)
      .then(etcd.put(`/bench/${names}-${i}`).value(value))
      .commit()
  await timed(process.pid, writes, IN_FLIGHT, i => put(-1 - i))
  const limit = await timed(process.pid, writes, IN_FLIGHT, put)
  const measure = async (what: string): Promise<void> => {
    let batch = names
    const create = (i: number) => send(server.port, 'POST', maps, body(`written-${batch}-${i}`, 'first'))
    const update = (i: number) => send(server.port, 'PUT', `${maps}/written-${batch}-${i}`, body(`written-${batch}-${i}`, `${names}`))
    const creates = (): Promise<Rate> => {
      batch = names++
      return timed(server.pid, writes, IN_FLIGHT, create)
    }
    const updates = (): Promise<Rate> => {
      names++
      return timed(server.pid, writes, IN_FLIGHT, update)
    }
    printRow(`create, ${what}`, await server.observe(creates), limit)
    printRow(`update, ${what}`, await server.observe(updates), limit)
  }
  await timed(server.pid, writes, IN_FLIGHT, i => send(server.port, 'POST', quiet, body(`warm-${names}-${i}`, 'first')))
  await measure('no watches')
  const others = await listen(server.port, `${quiet}?watch=1&resourceVersion=0`, 1000)
  await settled(others.bytes)
  await measure('1,000 watches of others')
  others.close()
  const single = await Promise.all(
    Array.from({ length: 10 }, (_, i) => listen(server.port, `${maps}?watch=1&labelSelector=shard%3D${i}`, 100)),
  )
  await measure('1,000 watches by selectors')
  for (const each of single) each.close()
  const all = await listen(server.port, `${maps}?watch=1&resourceVersion=0`, 10)
  await settled(all.bytes)
  await measure('10 watches of all')
  all.close()
}

/** One at a time, so that each asks for the revision itself. */
async function gets(server: Observed, etcd: Etcd3): Promise<void> {
  await send(server.port, 'POST', quiet, body('read', 'first'))
  const trip = (): Promise<unknown> => etcd.get('health').buffer()
  const get = (query: string) => () => ask(server.port, `${quiet}/read${query}`, 'application/json')
  for (const width of [1, IN_FLIGHT]) {
    await timed(process.pid, 2000, width, trip)
    const limit = await timed(process.pid, 2000, width, trip)
    for (const [what, query] of [
      ['Most Recent GET', ''],
      ['GET of what is at hand', '?resourceVersion=0'],
    ] as const) {
      const measure = (): Promise<Rate> => timed(server.pid, 2000, width, get(query))
      await measure()
      printRow(`${what}, ${width} at once (etcd round trip)`, await server.observe(measure), limit)
    }
  }
}

/** Measures the cost of a write through one server for another one on the same store, like a further worker. */
async function followers(server: Observed, flags: readonly string[]): Promise<void> {
  const other = await startBinnacle(flags)
  await sleep(3000)
  const batch = names++
  const from = cpuOf(other.pid)
  await inFlight(writes, IN_FLIGHT, i => send(server.port, 'POST', maps, body(`followed-${batch}-${i}`, 'first')))
  await sleep(500)
  console.log(`a write of 2 KB costs each further process on the same etcd: CPU ${short((cpuOf(other.pid) - from) / writes)} µs`)
  await other.stop()
}

if (findEtcd() === undefined) console.log('there is no etcd: hack/etcd installs one')
else {
  const etcd = await startEtcd()
  const flags = [`--etcd-servers=${etcd.url}`]
  const server = await startObserved(flags)
  const plain = new Etcd3({ hosts: etcd.url })
  try {
    printHead()
    if (parts.has('gets')) await gets(server, plain)
    if (parts.has('writes')) await writing(server, plain)
    if (parts.has('delivery')) for (const count of counts) await delivery(server, count)
    if (parts.has('idle')) for (const count of counts) await idle(server, count)
    if (parts.has('followers')) await followers(server, flags)
  } finally {
    plain.close()
    closeConnections()
    await server.stop()
    await etcd.stop()
  }
}
rmSync(scratch, { recursive: true })
