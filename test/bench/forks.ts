/**
 * Cost of a fork of a control plane: until it resolves, until its first response to a get, and until it is idle, beside
 * a second start and a copy that reads all of the tables. The fewest milliseconds of processor time and of time of so
 * many rounds, and the ratio to a start. Run: node --import tsx test/bench/forks.ts. OBJECTS (10000), ROUNDS (9).
 */
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'

const OBJECTS = Number(process.env.OBJECTS ?? 10_000)
const ROUNDS = Number(process.env.ROUNDS ?? 9)
const WIDTH = 100
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

interface Cost {
  cpu: number
  wall: number
}

const fewest = new Map<string, Cost>()

/** Measures, and keeps the fewest. */
async function measured<T>(what: string, work: () => Promise<T>): Promise<T> {
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  const best = fewest.get(what) ?? { cpu: Number.POSITIVE_INFINITY, wall: Number.POSITIVE_INFINITY }
  fewest.set(what, { cpu: Math.min(best.cpu, (user + system) / 1000), wall: Math.min(best.wall, performance.now() - wall) })
  return result
}

/** Measures a control plane until it resolves, responds, and is idle. */
async function round(what: string, make: () => Promise<ControlPlane>): Promise<void> {
  const made: ControlPlane = await measured(`${what}: resolves`, make)
  await measured(`${what}: a get is answered then`, () => made.request('GET', '/api/v1/namespaces/default'))
  await measured(`${what}: at rest then`, () => made.settled(300))
  await made.stop()
}

const empty = await startControlPlane()
const plane = await startControlPlane()
for (let n = 0; n < OBJECTS; n += WIDTH)
  await Promise.all(
    Array.from({ length: Math.min(WIDTH, OBJECTS - n) }, (_, i) =>
      plane.request('POST', CONFIG_MAPS, { body: { metadata: { name: `c${n + i}` }, data: { a: 'x'.repeat(500) } } }),
    ),
  )
await plane.settled(500)
for (let i = 0; i < ROUNDS; i++) {
  await round('a start', () => startControlPlane())
  await round('fork of a new one', () => empty.fork())
  await round(`fork at ${OBJECTS} objects`, () => plane.fork())
  // The fork of a fork that is not open yet has tables alone.
  const first = await plane.fork()
  await round(`full copy of ${OBJECTS} objects`, () => first.fork())
  await first.stop()
}
const base = fewest.get('a start: resolves')?.cpu ?? 1
for (const [what, { cpu, wall }] of fewest)
  console.log(
    `${what.padEnd(50)} ${cpu.toFixed(1).padStart(7)} ms of CPU, ${wall.toFixed(1).padStart(7)} ms, ${(cpu / base).toFixed(2).padStart(6)} of a start`,
  )
await Promise.all([empty.stop(), plane.stop()])
