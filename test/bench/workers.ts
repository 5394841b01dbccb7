/**
 * Costs and benefits of several workers behind one port, on one etcd: start, memory, and for get, list and create the
 * rate and the CPU of all processes of the server for each operation. Rates grow with the cores of the machine, which
 * the clients and etcd use as well: with two cores, CPU tells more. COUNTS=1,2,4: how many workers. Run: node --import
 * tsx test/bench/workers.ts (after make build)
 */
import { findEtcd, startEtcd } from '../support/etcd.ts'
import { cpuOfFamily, familyOf, load, median, memoryOf, type Rate } from './support/load.ts'
import { type Measured, startBinnacle } from './support/processes.ts'
import { closeConnections, inFlight, send } from './support/requests.ts'

const counts = (process.env.COUNTS ?? '1,2,3').split(',').map(Number)
const ROUNDS = 3
const OBJECTS = 2_000
const SECONDS = 2
const CONNECTIONS = 24
const MAPS = '/api/v1/namespaces/default/configmaps'
const data = { a: 'x'.repeat(1700) }

type Row = readonly [what: string, ...values: string[]]
const rows = new Map<string, string[]>()
const note = (what: string, value: string): void => void rows.set(what, [...(rows.get(what) ?? []), value])
type Throughput = Pick<Rate, 'rate' | 'cpu'>

const say = ({ rate, cpu }: Throughput): string => `${Math.round(rate)}/s, ${Math.round(cpu)} µs`

if (findEtcd() === undefined) console.log('there is no etcd here: nothing to measure')
else {
  for (const count of counts) await measure(count)
  const table: Row[] = [['workers', ...counts.map(String)], ...Array.from(rows, ([what, values]): Row => [what, ...values])]
  for (const [what, ...values] of table) console.log(what.padEnd(52) + values.map(value => value.padStart(22)).join(''))
}
closeConnections()

async function measure(count: number): Promise<void> {
  const etcd = await startEtcd()
  try {
    const server = await startBinnacle([`--workers=${count}`, `--etcd-servers=${etcd.url}`])
    try {
      note('start of the process to /readyz, certificates included', `${Math.round(server.readyMs)} ms`)
      const each = familyOf(server.pid).map(memoryOf)
      note('memory when ready, each process', `${each.map(Math.round).join(' + ')} MB`)
      note(`create, ${CONNECTIONS} in flight`, say(await creates(server)))
      const get = await send(server.port, 'GET', `${MAPS}/object-0`)
      if (get.length < data.a.length) throw new Error('the object is not what was made')
      for (const [what, path] of [
        ['get', `${MAPS}/object-0`],
        ['get, resourceVersion=0', `${MAPS}/object-0?resourceVersion=0`],
        [`list of ${OBJECTS}`, MAPS],
        [`list of ${OBJECTS}, resourceVersion=0`, `${MAPS}?resourceVersion=0`],
      ] as const)
        note(what, say(await middle(server, path)))
      const after = familyOf(server.pid).map(memoryOf)
      note('memory after all this, each process', `${after.map(Math.round).join(' + ')} MB`)
    } finally {
      await server.stop()
    }
  } finally {
    await etcd.stop()
  }
}

/** Each worker follows the store: an event that comes back is read by all of them, which belongs to its create. */
async function creates({ port, pid }: Measured): Promise<Throughput> {
  const make = (i: number): Promise<Buffer> => send(port, 'POST', MAPS, { metadata: { name: `object-${i}` }, data })
  const before = cpuOfFamily(pid)
  const begun = performance.now()
  await inFlight(OBJECTS, CONNECTIONS, make)
  const seconds = (performance.now() - begun) / 1000
  await new Promise(resolve => setTimeout(resolve, 200))
  return { rate: OBJECTS / seconds, cpu: (cpuOfFamily(pid) - before) / OBJECTS }
}

/** The first round warms up. */
async function middle({ port, pid }: Measured, path: string): Promise<Throughput> {
  const rates: Throughput[] = []
  for (let round = -1; round < ROUNDS; round++) {
    const rate = await load(port, pid, path, SECONDS, CONNECTIONS)
    if (round >= 0) rates.push(rate)
  }
  return { rate: median(rates.map(({ rate }) => rate)), cpu: median(rates.map(({ cpu }) => cpu)) }
}
