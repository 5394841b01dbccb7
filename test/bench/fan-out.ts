/**
 * Memory of the server while many watchers receive all writes at full speed over HTTPS, and afterwards.
 *
 *     node --import tsx test/bench/fan-out.ts
 *     PROTOCOL=h2 WATCHERS=1000 OBJECTS=10000 SECONDS=20 node --import tsx test/bench/fan-out.ts
 *
 * IN_FLIGHT (64): writes under way at once. SIZE (1700): of an object's filler, in bytes. QUIET (30): seconds
 * afterwards, with the watchers still there. FROM=start: the watchers begin with all objects.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openClients, type Protocol } from './support/clients.ts'
import { readCluster } from './support/cluster.ts'
import { cpuOf, mappedOf, memoryOf } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'
import { openWatches } from './support/watches.ts'

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)
const protocol = (process.env.PROTOCOL ?? 'h1') as Protocol
const watchers = number('WATCHERS', 1000)
const objects = number('OBJECTS', 10_000)
const seconds = number('SECONDS', 20)
const width = number('IN_FLIGHT', 64)
const quietSeconds = number('QUIET', 30)
const filler = 'x'.repeat(number('SIZE', 1700))
const path = '/api/v1/namespaces/default/configmaps'

const server = await startBinnacle(process.env.FLAGS?.split(' ') ?? [])
const cluster = { ...readCluster(server.kubeconfig), pid: server.pid }

async function tell(stage: string): Promise<void> {
  const metrics = await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
  const of = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN) / 1e6
  const cells = [
    memoryOf(server.pid),
    mappedOf(server.pid),
    of('nodejs_heap_size_used_bytes'),
    of('nodejs_heap_size_total_bytes'),
    of('nodejs_external_memory_bytes'),
  ]
  console.log(`${stage.padEnd(30)}${cells.map(n => `${Math.round(n)} MB`.padStart(9)).join('')}`)
}

console.log(`${''.padEnd(30)}${['resident', 'files', 'heap', 'of', 'buffers'].map(text => text.padStart(9)).join('')}`)
try {
  await tell('at rest')
  await inFlight(objects, width, i => send(server.port, 'POST', path, { metadata: { name: `object-${i}` }, data: { filler, n: '0' } }))
  await tell(`${objects} objects`)
  let received = 0
  const reader = () => (data: Buffer) => {
    received += data.length
  }
  const list = await send(server.port, 'GET', `${path}?limit=1`)
  const version = process.env.FROM === 'start' ? '0' : /"resourceVersion":"(\d+)"/.exec(list.toString())?.[1]
  const watching = await openWatches(cluster, protocol, watchers, `${path}?watch=1&resourceVersion=${version}`, reader)
  closeConnections()
  await sleep(1000)
  await tell(`${watchers} watchers`)
  // Connections without requests would be closed meanwhile.
  const clients = await openClients(cluster, 'h1', width)
  let highest = 0
  const sampler = setInterval(() => {
    highest = Math.max(highest, memoryOf(server.pid))
  }, 100)
  const before = cpuOf(server.pid)
  const begun = performance.now()
  let written = 0
  await Promise.all(
    clients.map(async (client, i) => {
      for (let n = 0; performance.now() - begun < seconds * 1000; n++) {
        const body = Buffer.from(JSON.stringify({ data: { n: String(n) } }))
        await client.request('PATCH', `${path}/object-${(n * width + i) % objects}`, body, 'application/merge-patch+json')
        written++
      }
    }),
  )
  const elapsed = (performance.now() - begun) / 1000
  for (let last = -1; last !== received; await sleep(500)) last = received
  const events = received / (filler.length + 300)
  const cpu = (cpuOf(server.pid) - before) / events
  clearInterval(sampler)
  for (const client of clients) client.close()
  console.log(
    `${Math.round(written / elapsed)} writes/s, some ${Math.round(events / elapsed)} events/s, ${cpu.toFixed(2)} µs of CPU for an event; highest ${Math.round(highest)} MB`,
  )
  await tell('after the last event')
  await sleep(quietSeconds * 1000)
  await tell(`${quietSeconds} seconds later`)
  watching.close()
  await sleep(quietSeconds * 1000)
  await tell('without watchers')
} finally {
  await server.stop()
}
process.exit(0)
