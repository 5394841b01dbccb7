/**
 * The server over plain HTTP/1.1 beside what the machine allows, in one run: start, memory, small GET, LIST of 10,000
 * Pods, 1,000 watchers. Run: node --import tsx test/bench/http.ts (after make build)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, listen, load, median, memoryOf, type Rate } from './support/load.ts'
import { type Measured, startBinnacle, startReference } from './support/processes.ts'
import { closeConnections, inFlight, pod, send } from './support/requests.ts'

const ROUNDS = 3
const PODS = 10_000
const WATCHERS = 1_000
const EVENTS = 2_000

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-bytes-'))
const row = (what: string, ours: string, limit: string, ratio: number | undefined): void =>
  console.log(`${what.padEnd(46)} ${ours.padStart(24)} ${limit.padStart(24)} ${ratio === undefined ? '' : ratio.toFixed(2).padStart(7)}`)
const say = ({ rate, cpu }: Cost): string => `${Math.round(rate)}/s, ${Math.round(cpu * 10) / 10} µs`

console.log(`${'scenario'.padEnd(46)} ${'ours'.padStart(24)} ${'limit'.padStart(24)} ${'ratio'.padStart(7)}`)
const server = await startBinnacle()
try {
  row('start of the process to /readyz', `${Math.round(server.readyMs)} ms`, '', undefined)
  row('memory when ready', `${Math.round(memoryOf(server.pid))} MB`, '', undefined)
  await smallGet(server)
  await fill(server)
  await longList(server)
  await manyWatchers(server)
  row('memory after all this', `${Math.round(memoryOf(server.pid))} MB`, '', undefined)
} finally {
  await server.stop()
  closeConnections()
  rmSync(scratch, { recursive: true })
}

async function smallGet({ port, pid }: Measured): Promise<void> {
  await send(port, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'small' }, data: { a: 'x'.repeat(1700) } })
  const path = '/api/v1/namespaces/default/configmaps/small?resourceVersion=0'
  await against('koa', `small GET, from the cache (bare Koa)`, path, await send(port, 'GET', path), { port, pid }, 16)
}

/** Pods of 2 KB in their stored form. */
async function fill({ port, pid }: Measured): Promise<void> {
  const before = cpuOf(pid)
  const begun = performance.now()
  await inFlight(PODS, 64, i => send(port, 'POST', '/api/v1/namespaces/default/pods', pod(i)))
  const seconds = (performance.now() - begun) / 1000
  row('create Pods, 64 in flight, embedded store', say({ rate: PODS / seconds, cpu: (cpuOf(pid) - before) / PODS }), '', undefined)
}

async function longList({ port, pid }: Measured): Promise<void> {
  const path = '/api/v1/pods?resourceVersion=0'
  const bytes = await send(port, 'GET', path)
  await against('http', `LIST of ${PODS} Pods, ${(bytes.length / 1e6).toFixed(0)} MB (node:http)`, path, bytes, { port, pid }, 1)
}

async function against(
  mode: 'koa' | 'http',
  what: string,
  path: string,
  bytes: Buffer,
  ours: { port: number; pid: number },
  connections: number,
): Promise<void> {
  const file = join(scratch, mode)
  writeFileSync(file, bytes)
  const reference = await startReference(mode, file)
  const rates: { ours: Rate[]; limit: Rate[] } = { ours: [], limit: [] }
  for (let round = -1; round < ROUNDS; round++) {
    const limit = await load(reference.port, reference.pid, '/', 2, connections)
    const mine = await load(ours.port, ours.pid, path, 2, connections)
    // The first round warms up.
    if (round < 0) continue
    rates.limit.push(limit)
    rates.ours.push(mine)
  }
  await reference.stop()
  const [mine, limit] = [middle(rates.ours), middle(rates.limit)]
  row(what, say(mine), say(limit), mine.rate / limit.rate)
  row('  by CPU', '', '', limit.cpu / mine.cpu)
}

type Cost = Pick<Rate, 'rate' | 'cpu'>

function middle(rates: Cost[]): Cost {
  return { rate: median(rates.map(({ rate }) => rate)), cpu: median(rates.map(({ cpu }) => cpu)) }
}

/** Objects made as fast as it goes, told to all watchers; beside raw writes of as many bytes to as many sockets. */
async function manyWatchers({ port, pid }: Measured): Promise<void> {
  const path = '/api/v1/namespaces/kube-public/configmaps'
  const watchers = await listen(port, `${path}?watch=1`, WATCHERS)
  await settled(watchers.bytes)
  const heads = watchers.bytes()
  const make = (i: number) => send(port, 'POST', path, { metadata: { name: `watched-${10_000 + i}` }, data: { a: 'x'.repeat(1700) } })
  const event = '{"type":"ADDED","object":}'.length + (await make(0)).length
  await settled(watchers.bytes)
  const before = cpuOf(pid)
  const begun = performance.now()
  await inFlight(EVENTS, 64, i => make(i + 1))
  const bytes = (await settled(watchers.bytes)) - heads - event * WATCHERS
  const seconds = (performance.now() - begun) / 1000
  const deliveries = Math.round(bytes / event)
  watchers.close()

  const file = join(scratch, 'event')
  writeFileSync(file, Buffer.alloc(event, 'x'))
  const reference = await startReference('watch', file)
  const sockets = await listen(reference.port, '/', WATCHERS)
  const beforeLimit = cpuOf(reference.pid)
  const begunLimit = performance.now()
  const sent = Math.max(1, Math.round(deliveries / WATCHERS))
  await send(reference.port, 'GET', `/go?events=${sent}&group=1`)
  const limitBytes = await settled(sockets.bytes)
  const limitSeconds = (performance.now() - begunLimit) / 1000
  sockets.close()
  const ours: Cost = { rate: deliveries / seconds, cpu: (cpuOf(pid) - before) / deliveries }
  const limit: Cost = { rate: limitBytes / event / limitSeconds, cpu: (cpuOf(reference.pid) - beforeLimit) / (limitBytes / event) }
  await reference.stop()
  row(`deliveries to ${WATCHERS} watchers (one write an event)`, say(ours), say(limit), ours.rate / limit.rate)
  row('  by CPU, the creates themselves included', '', '', limit.cpu / ours.cpu)
}

/** The count, when it has not grown for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = count()
    if (now === last) return now
    last = now
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
