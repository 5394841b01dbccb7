/**
 * Cost of a watch event for each watcher, over HTTPS: by the size of the event and by how many events are under way at
 * once, beside bare `tls` writes of the same bytes and, with KUBECONFIG2, beside another server of the same API.
 *
 *     KUBECONFIG2=other.kubeconfig node --import tsx test/bench/delivery.ts
 *
 * PROTOCOL=h2: a hundred watches share a connection. WATCHERS (1000), SIZES of an event's filler in bytes (200,1700),
 * IN_FLIGHT events that are written and not yet at every watcher (1,8,64), SECONDS of each measure (4). PID2 as for
 * `beside.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { type Client, openClients, type Protocol } from './support/clients.ts'
import { type Cluster, readCluster } from './support/cluster.ts'
import { cpuOf, median } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { openWatches } from './support/watches.ts'

const numbers = (name: string, otherwise: string): number[] => (process.env[name] ?? otherwise).split(',').map(Number)
const watchers = Number(process.env.WATCHERS ?? 1000)
const seconds = Number(process.env.SECONDS ?? 4)
const sizes = numbers('SIZES', '200,1700')
const loads = numbers('IN_FLIGHT', '1,8,64')

const protocol = (process.env.PROTOCOL ?? 'h1') as Protocol

const NEWLINE = 10
const RETURN = 13

/** Counts the ends of events: line feeds that end no line of the chunks' framing. */
class EventCounter {
  events = 0
  #last = 0

  read(data: Buffer): void {
    for (let at = data.indexOf(NEWLINE); at >= 0; at = data.indexOf(NEWLINE, at + 1)) {
      if ((at === 0 ? this.#last : data[at - 1]) !== RETURN) this.events++
    }
    this.#last = data[data.length - 1] ?? this.#last
  }
}

async function measure(cluster: Cluster, size: number, inFlight: number): Promise<string> {
  const clients = await openClients(cluster, 'h1', inFlight)
  const namespace = `delivery-${Date.now().toString(36)}`
  const path = `/api/v1/namespaces/${namespace}/configmaps`
  const first = clients[0] as Client
  const send = (client: Client, method: string, to: string, body: object, type?: string) =>
    client.request(method, to, Buffer.from(JSON.stringify(body)), type, true)
  await send(first, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  for (let i = 0; i < inFlight; i++)
    await send(first, 'POST', path, { metadata: { name: `object-${i}` }, data: { filler: 'x'.repeat(size), n: '0' } })
  const list = await first.request('GET', `${path}?limit=1`, undefined, undefined, true)
  const version = /"resourceVersion":"(\d+)"/.exec(list.kept.toString())?.[1]
  const counters: EventCounter[] = []
  /** How many watchers have seen so many events, by number of events. */
  const reached: number[] = []
  const waiting: (() => void)[] = []
  const reader = (): ((data: Buffer) => void) => {
    const counter = new EventCounter()
    counters.push(counter)
    return data => {
      const before = counter.events
      counter.read(data)
      for (let n = before; n < counter.events; n++) {
        reached[n] = (reached[n] ?? 0) + 1
        if (reached[n] === watchers) waiting.shift()?.()
      }
    }
  }
  const watching = await openWatches(cluster, protocol, watchers, `${path}?watch=1&resourceVersion=${version}`, reader)
  await sleep(500)
  const times: number[] = []
  let written = 0
  const before = cpuOf(cluster.pid)
  const begun = performance.now()
  await Promise.all(
    clients.map(async (client, i) => {
      while (performance.now() - begun < seconds * 1000) {
        const from = performance.now()
        const everywhere = new Promise<void>(resolve => waiting.push(resolve))
        await send(client, 'PATCH', `${path}/object-${i}`, { data: { n: String(++written) } }, 'application/merge-patch+json')
        await Promise.race([everywhere, sleep(10_000)])
        times.push(performance.now() - from)
      }
    }),
  )
  const elapsed = (performance.now() - begun) / 1000
  const deliveries = counters.reduce((sum, counter) => sum + counter.events, 0)
  const cpu = (cpuOf(cluster.pid) - before) / deliveries
  watching.close()
  for (const client of clients) client.close()
  await sleep(300)
  return `${Math.round(deliveries / elapsed)}/s, p50 ${median(times).toFixed(1)} ms, CPU ${cpu.toFixed(2)} µs${deliveries < written * watchers ? ` (${written * watchers - deliveries} missing)` : ''}`
}

const other = process.env.KUBECONFIG2
if (findEtcd() === undefined) console.log('there is no etcd for our server: hack/etcd installs one')
else {
  const etcd = await startEtcd()
  const binnacle = await startBinnacle([`--etcd-servers=${etcd.url}`])
  try {
    const ours = { ...readCluster(binnacle.kubeconfig), pid: binnacle.pid }
    const theirs = other ? readCluster(other, process.env.PID2 === undefined ? undefined : Number(process.env.PID2)) : undefined
    await measure(ours, 200, 8)
    for (const size of sizes)
      for (const inFlight of loads) {
        console.log(`filler ${size}, ${inFlight} in flight`)
        console.log(`  ours    ${await measure(ours, size, inFlight)}`)
        if (theirs) console.log(`  theirs  ${await measure(theirs, size, inFlight)}`)
      }
  } finally {
    await binnacle.stop()
    await etcd.stop()
  }
}
