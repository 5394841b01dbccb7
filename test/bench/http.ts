/**
 * The server over plain HTTP/1.1 beside what the machine allows, in one run: start, memory, small GET, LIST of 10,000 Pods, 1,000 watchers.
 * Run: node --import tsx test/bench/http.ts (after make build)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, listen, load, median, memoryOf, type Rate } from './support/load.ts'
import { type Measured, startBinnacle, startReference } from './support/processes.ts'

const ROUNDS = 3
const PODS = 10_000
const WATCHERS = 1_000
const EVENTS = 2_000

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-bytes-'))
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
const row = (what: string, ours: string, limit: string, ratio: number | undefined): void =>
  console.log(`${what.padEnd(46)} ${ours.padStart(24)} ${limit.padStart(24)} ${ratio === undefined ? '' : ratio.toFixed(2).padStart(7)}`)
const say = ({ rate, cpu }: Rate): string => `${Math.round(rate)}/s, ${Math.round(cpu * 10) / 10} µs`

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
  agent.destroy()
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
  let next = 0
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < PODS) await send(port, 'POST', '/api/v1/namespaces/default/pods', pod(next++))
    }),
  )
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

function middle(rates: Rate[]): Rate {
  return { rate: median(rates.map(({ rate }) => rate)), cpu: median(rates.map(({ cpu }) => cpu)) }
}

/** Updates of one object as fast as they go, to all watchers; beside raw writes of as many bytes to as many sockets. */
async function manyWatchers({ port, pid }: Measured): Promise<void> {
  await send(port, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'watched' }, data: { a: 'x'.repeat(1700) } })
  const watchers = await listen(port, '/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dwatched', WATCHERS)
  const event =
    Buffer.byteLength(JSON.stringify({ type: 'MODIFIED', object: {} })) + (await send(port, 'GET', '/api/v1/namespaces/default/configmaps/watched')).length
  let next = 0
  const before = cpuOf(pid)
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < EVENTS)
        await send(port, 'PATCH', '/api/v1/namespaces/default/configmaps/watched', { data: { n: String(1000 + next++) } }, 'application/merge-patch+json')
    }),
  )
  const bytes = await settled(watchers.bytes)
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
  const ours: Rate = { rate: deliveries / seconds, cpu: (cpuOf(pid) - before) / deliveries }
  const limit: Rate = { rate: limitBytes / event / limitSeconds, cpu: (cpuOf(reference.pid) - beforeLimit) / (limitBytes / event) }
  await reference.stop()
  row(`deliveries to ${WATCHERS} watchers (one write an event)`, say(ours), say(limit), ours.rate / limit.rate)
  row('  by CPU, the updates themselves included', '', '', limit.cpu / ours.cpu)
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

function pod(i: number): object {
  return {
    metadata: { name: `pod-${i}`, labels: { app: `app-${i % 100}` }, annotations: { note: 'x'.repeat(300) } },
    spec: {
      containers: [
        { name: 'main', image: 'registry.example/app:1', env: [{ name: 'A', value: 'b' }], resources: { requests: { cpu: '100m', memory: '64Mi' } } },
      ],
    },
  }
}

function send(port: number, method: string, path: string, body?: object, type = 'application/json'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      { port, host: '127.0.0.1', method, path, agent, headers: { 'User-Agent': 'bench', ...(body && { 'Content-Type': type }) } },
      response => {
        const parts: Buffer[] = []
        response.on('data', part => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(parts)
          if ((response.statusCode ?? 500) < 300) resolve(bytes)
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${bytes.toString().slice(0, 500)}`))
        })
      },
    )
    request.on('error', reject)
    request.end(body && JSON.stringify(body))
  })
}
