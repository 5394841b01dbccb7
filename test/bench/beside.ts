/**
 * Our server on an etcd of its own beside another server of the same API, over HTTPS, in one run: rate, latency, and
 * the CPU of the server processes for each operation.
 *
 *     KUBECONFIG2=other.kubeconfig node --import tsx test/bench/beside.ts
 *
 * PID2: the other's process, if it cannot be found by its port. PROTOCOL=h2: HTTP/2, a hundred watches on a connection.
 * ROUNDS, OBJECTS: default 3, 10,000. ONLY=ours, OPERATIONS=create,get: to profile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { type Client, openClients, type Protocol } from './support/clients.ts'
import { type Cluster, readCluster } from './support/cluster.ts'
import { cpuOf, median } from './support/load.ts'
import { startBinnacle } from './support/processes.ts'
import { openWatches } from './support/watches.ts'

const rounds = Number(process.env.ROUNDS ?? 3)
const objects = Number(process.env.OBJECTS ?? 10_000)
const protocol = (process.env.PROTOCOL ?? 'h1') as Protocol
const IN_FLIGHT = 64
const LIST = `list of ${objects}`
const PROTOBUF_LIST = `${LIST}, protobuf`
const TABLE_LIST = `${LIST}, Table`
/** A list with the headers of client-go. */
const GZIP_LIST = `${LIST}, gzip`
const GZIP_PROTOBUF_LIST = `${LIST}, protobuf, gzip`
const SELECTED = 'list by selector'
const CHUNKS = 'list in chunks of 500'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const RENEWAL = 'lease renewal'
const WATCHERS = 1000
const WRITERS = 16
const namespaces = '/api/v1/namespaces'
const filler = 'x'.repeat(1700)

const operations = process.env.OPERATIONS?.split(',')
const wanted = (what: string): boolean => operations === undefined || what === 'create' || operations.some(one => what.startsWith(one))

interface Measure {
  readonly rate: number
  readonly p50: number
  /** Microseconds. */
  readonly cpu: number
}

/** One of the two servers. */
class Side {
  readonly cluster: Cluster
  readonly results = new Map<string, Measure[]>()
  #clients: Client[] = []
  #namespace = ''

  constructor(cluster: Cluster) {
    this.cluster = cluster
  }

  async open(): Promise<void> {
    this.#clients = await openClients(this.cluster, protocol, IN_FLIGHT)
  }

  get #path(): string {
    return `${namespaces}/${this.#namespace}/configmaps`
  }

  one(method: string, path: string, body?: object): Promise<{ kept: Buffer }> {
    return (this.#clients[0] as Client).request(method, path, body && Buffer.from(JSON.stringify(body)), undefined, true)
  }

  /** Does `count` operations, some in flight, and notes what they took. `each` gets the number of the operation. */
  async measure(what: string, count: number, inFlight: number, each: (client: Client, i: number) => Promise<unknown>): Promise<void> {
    if (!wanted(what)) return
    const times: number[] = []
    let next = 0
    const before = cpuOf(this.cluster.pid)
    const begun = performance.now()
    await Promise.all(
      this.#clients.slice(0, inFlight).map(async client => {
        while (next < count) {
          const i = next++
          const from = performance.now()
          await each(client, i)
          times.push(performance.now() - from)
        }
      }),
    )
    const elapsed = (performance.now() - begun) / 1000
    // Delayed effects of responses, such as returned events, count for them.
    await sleep(100)
    this.note(what, { rate: count / elapsed, p50: median(times), cpu: (cpuOf(this.cluster.pid) - before) / count })
  }

  note(what: string, measure: Measure): void {
    this.results.set(what, [...(this.results.get(what) ?? []), measure])
  }

  /** Returns the steps in order: each operation on one server directly beside the same on the other. */
  steps(objects: number): readonly (() => Promise<void>)[] {
    const send = (method: string, name: string, body: Buffer, type?: string) => (client: Client) =>
      client.request(method, this.#path + name, body, type)
    const n = Math.min(objects, 5000)
    const get = (query: string) => (client: Client, i: number) => client.request('GET', `${this.#path}/object-${i % objects}${query}`)
    return [
      () => this.#enter(`bench-${Date.now().toString(36)}`),
      () => this.measure('create', objects, IN_FLIGHT, (client, i) => send('POST', '', this.#body(i, 'first'))(client)),
      () => this.measure('update', n, IN_FLIGHT, (client, i) => send('PUT', `/object-${i}`, this.#body(i, 'second'))(client)),
      () =>
        this.measure('merge patch', n, IN_FLIGHT, (client, i) =>
          send('PATCH', `/object-${i}`, Buffer.from('{"data":{"state":"third"}}'), 'application/merge-patch+json')(client),
        ),
      () =>
        this.measure('apply of one field', n, IN_FLIGHT, (client, i) =>
          client.request(
            'PATCH',
            `${this.#path}/object-${i}?fieldManager=applier&force=true`,
            Buffer.from(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"object-${i}"},"data":{"state":"fourth"}}`),
            'application/apply-patch+yaml',
          ),
        ),
      () => this.#renewLeases(n),
      () => this.measure('get', 6000, IN_FLIGHT, get('')),
      () => this.measure('get, resourceVersion=0', 10_000, IN_FLIGHT, get('?resourceVersion=0')),
      () => this.measure(LIST, 10, 1, client => client.request('GET', `${this.#path}?resourceVersion=0`)),
      () =>
        this.measure(PROTOBUF_LIST, 50, 1, client =>
          client.request('GET', `${this.#path}?resourceVersion=0`, undefined, undefined, false, PROTOBUF),
        ),
      () =>
        this.measure(TABLE_LIST, 10, 1, client =>
          client.request('GET', `${this.#path}?resourceVersion=0`, undefined, undefined, false, TABLE),
        ),
      () =>
        this.measure(GZIP_LIST, 20, 1, client =>
          client.request('GET', `${this.#path}?resourceVersion=0`, undefined, undefined, false, undefined, 'gzip'),
        ),
      () =>
        this.measure(GZIP_PROTOBUF_LIST, 20, 1, client =>
          client.request('GET', `${this.#path}?resourceVersion=0`, undefined, undefined, false, PROTOBUF, 'gzip'),
        ),
      () => this.measure(SELECTED, 500, 1, client => client.request('GET', `${this.#path}?resourceVersion=0&labelSelector=app%3Dapp-7`)),
      () => this.measure(CHUNKS, 5, 1, client => this.#chunks(client)),
      () => this.#watch(),
    ]
  }

  /** A namespace for each round and run: the other server may have been here before. */
  async #enter(namespace: string): Promise<void> {
    this.#namespace = namespace
    await this.one('POST', namespaces, { metadata: { name: namespace } })
  }

  /** Updates leases as kubelets renew them: an update of the whole object at its last version. */
  async #renewLeases(count: number): Promise<void> {
    if (!wanted(RENEWAL)) return
    const path = `/apis/coordination.k8s.io/v1/namespaces/${this.#namespace}/leases`
    const uid = /"uid":"([^"]+)"/.exec((await this.one('GET', `${namespaces}/${this.#namespace}`)).kept.toString())?.[1]
    const idle: { name: string; lease: string }[] = []
    for (let i = 0; i < IN_FLIGHT; i++) {
      const name = `node-${i}`
      idle.push({ name, lease: (await this.one('POST', path, newLease(name, this.#namespace, uid))).kept.toString() })
    }
    await this.measure(RENEWAL, count, IN_FLIGHT, async (client, i) => {
      const node = idle.pop() as (typeof idle)[number]
      const renewed = node.lease.replace(/"renewTime":"[^"]*"/, `"renewTime":"${microTime(i)}"`)
      node.lease = (await client.request('PUT', `${path}/${node.name}`, Buffer.from(renewed), undefined, true)).kept.toString()
      idle.push(node)
    })
  }

  async #chunks(client: Client): Promise<void> {
    for (let token = ''; ; ) {
      const { kept } = await client.request(
        'GET',
        `${this.#path}?limit=500${token && `&continue=${encodeURIComponent(token)}`}`,
        undefined,
        undefined,
        true,
      )
      token = /"continue":"([^"]+)"/.exec(kept.toString('latin1', 0, 2000))?.[1] ?? ''
      if (token === '') return
    }
  }

  #body(i: number, state: string): Buffer {
    return Buffer.from(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `object-${i}`, labels: { app: `app-${i % 100}` } },
        data: { filler, state },
      }),
    )
  }

  /** Patches some objects, one at a time each and as fast as responses arrive, while watchers follow all of them. */
  async #watch(): Promise<void> {
    if (!wanted('delivery')) return
    await this.#enter(`${this.#namespace}-watched`)
    for (let i = 0; i < WRITERS; i++)
      await this.one('POST', this.#path, { metadata: { name: `object-${i}` }, data: { filler, n: '100000' } })
    const version = /"resourceVersion":"(\d+)"/.exec((await this.one('GET', `${this.#path}?limit=1`)).kept.toString())?.[1]
    let bytes = 0
    const watches = await openWatches(this.cluster, protocol, WATCHERS, `${this.#path}?watch=1&resourceVersion=${version}`, () => data => {
      bytes += data.length
    })
    await settled(() => bytes)
    const heads = bytes
    const updates = 1600
    const before = cpuOf(this.cluster.pid)
    const begun = performance.now()
    let next = 0
    let event = 0
    await Promise.all(
      this.#clients.slice(0, WRITERS).map(async (client, i) => {
        while (next < updates) {
          const patch = Buffer.from(`{"data":{"n":"${100_001 + next++}"}}`)
          const { length } = await client.request('PATCH', `${this.#path}/object-${i}`, patch, 'application/merge-patch+json')
          event = length + '{"type":"MODIFIED","object":}'.length
        }
      }),
    )
    await settled(() => bytes)
    const seconds = (performance.now() - begun) / 1000
    const deliveries = (bytes - heads) / event
    const missing = updates * WATCHERS - deliveries
    if (missing > 0.05 * updates * WATCHERS) console.log(`(of ${updates * WATCHERS} deliveries, about ${Math.round(missing)} are missing)`)
    this.note(`delivery to ${WATCHERS} watchers`, {
      rate: deliveries / seconds,
      p50: Number.NaN,
      cpu: (cpuOf(this.cluster.pid) - before) / deliveries,
    })
    watches.close()
    await sleep(200)
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }
}

/**
 * The lease of a node as a kubelet creates it. Its owner is a namespace, since the other server may have no nodes, and
 * the lease of a missing owner is collected.
 */
function newLease(name: string, owner: string, uid: string | undefined): object {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'Namespace', name: owner, uid }] },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime(0) },
  }
}

/** A moment in the format of MicroTime, `n` seconds after a fixed one. */
const microTime = (n: number): string => new Date(1.75e12 + n * 1000).toISOString().replace('Z', '000Z')

async function round(sides: readonly Side[], objects: number): Promise<void> {
  const steps = sides.map(side => side.steps(objects))
  for (let i = 0; i < (steps[0] ?? []).length; i++) for (const side of steps) await side[i]?.()
}

/** Waits until the count has not grown for a while. */
async function settled(count: () => number): Promise<void> {
  for (let last = -1; last !== count(); await sleep(200)) last = count()
}

/** Bounds of our CPU for an operation in theirs. */
const BOUNDS: Readonly<Record<string, number>> = {
  create: 0.7,
  update: 0.65,
  [RENEWAL]: 0.25,
  get: 0.4,
  [LIST]: 0.22,
  [PROTOBUF_LIST]: 0.28,
  [SELECTED]: 0.15,
  [CHUNKS]: 0.22,
  [`delivery to ${WATCHERS} watchers`]: 0.06,
}

function print(ours: Side, theirs: Side): void {
  console.log(`${'operation'.padEnd(34)} ${'ours'.padStart(34)} ${'theirs'.padStart(34)}   CPU ratio`)
  for (const what of ours.results.keys()) {
    const middle = (side: Side, of: keyof Measure): number => median((side.results.get(what) ?? []).map(measure => measure[of]))
    const say = (side: Side): string =>
      `${short(middle(side, 'rate'))}/s ${Number.isNaN(middle(side, 'p50')) ? '' : `p50 ${short(middle(side, 'p50'))} ms `}CPU ${short(middle(side, 'cpu'))} µs`
    const ratio = middle(ours, 'cpu') / middle(theirs, 'cpu')
    const bound = BOUNDS[what]
    console.log(
      `${what.padEnd(34)} ${say(ours).padStart(34)} ${say(theirs).padStart(34)}   ${ratio.toFixed(2)}${bound === undefined ? '' : ` (at most ${bound})`}`,
    )
  }
}

const short = (n: number): string => (n < 10 ? n.toFixed(1) : String(Math.round(n)))

const other = process.env.KUBECONFIG2
if (other === undefined || other === '') console.log('no KUBECONFIG2: there is no other server to measure')
else if (findEtcd() === undefined) console.log('there is no etcd for our server: hack/etcd installs one')
else {
  const etcd = await startEtcd()
  const binnacle = await startBinnacle([`--etcd-servers=${etcd.url}`])
  try {
    const ours = new Side({ ...readCluster(binnacle.kubeconfig), pid: binnacle.pid })
    const pid = process.env.PID2
    const theirs = new Side(readCluster(other, pid === undefined ? undefined : Number(pid)))
    const sides = process.env.ONLY === 'ours' ? [ours] : [ours, theirs]
    for (const side of sides) await side.open()
    // A round that is not counted warms both up.
    await round(sides, Math.min(objects, 3000))
    for (const side of sides) side.results.clear()
    for (let i = 0; i < rounds; i++) await round(sides, objects)
    print(ours, theirs)
    for (const side of sides) side.close()
  } finally {
    await binnacle.stop()
    await etcd.stop()
  }
}
