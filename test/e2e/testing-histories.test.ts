import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, ControlPlaneOptions } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { bundledProgram } from '../support/bundled-program.ts'
import { randomHistory, storeDigest } from '../support/seeded-history.ts'

const PROGRAM = join(import.meta.dirname, '../support/seeded-history.ts')
const STEPS = 60
/** Control planes that run at once. TESTING_PLANES=200 tries more. */
const PLANES = Number(process.env.TESTING_PLANES ?? 50)

const inAnotherProcess = async (history: number): Promise<string> =>
  (await promisify(execFile)(process.execPath, [await bundledProgram(PROGRAM), String(history), String(STEPS)])).stdout

describe('control planes with random histories', function () {
  this.timeout(600_000)
  const planes: ControlPlane[] = []
  const start = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
    const plane = await startControlPlane(options)
    planes.push(plane)
    return plane
  }
  afterEach(() => Promise.all(planes.splice(0).map(plane => plane.stop())))

  it('write the same bytes for the same seed in two processes', async () => {
    const [one, other] = await Promise.all([inAnotherProcess(1), inAnotherProcess(1)])
    expect(one).to.match(/^[0-9a-f]{64} of \d{3}$/)
    expect(other).to.equal(one)
  })

  it('write the same bytes for the same seed side by side, and in their forks', async () => {
    const [one, other] = [await start({ seed: 'x' }), await start({ seed: 'x' })]
    for (const plane of [one, other]) await randomHistory(plane, 2, STEPS)
    expect(storeDigest(other)).to.equal(storeDigest(one))
    const forks = [await one.fork(), await other.fork()]
    planes.push(...forks)
    for (const [i, plane] of [...forks, one].entries()) await randomHistory(plane, i === 2 ? 4 : 3, 10)
    expect(storeDigest(forks[1]!)).to.equal(storeDigest(forks[0]!))
    expect(storeDigest(one)).to.not.equal(storeDigest(forks[0]!))
  })

  it(`are isolated from one another, ${PLANES} at once with histories of their own`, async () => {
    const all = await Promise.all(Array.from({ length: PLANES }, () => start({})))
    const random = seededRandom(1)
    const below = (n: number): number => Math.floor(random() * n)
    const held = all.map(() => new Map<string, string>())
    const path = '/api/v1/namespaces/default/configmaps'
    for (let round = 0; round < 3; round++) {
      const steps = all.map(async (plane, i) => {
        const name = `c${below(5)}`
        const isGone = below(3) === 0
        if (isGone) await plane.request('DELETE', `${path}/${name}`)
        else await plane.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: `${i} ${round}` } })
        if (isGone) held[i]?.delete(name)
        else held[i]?.set(name, `${i} ${round}`)
      })
      await Promise.all(steps)
    }
    for (const [i, plane] of all.entries()) {
      const { items } = (await plane.request('GET', path)).body as AnyObject
      const seen = items
        .filter(({ data }: AnyObject) => data.of !== undefined)
        .map(({ metadata, data }: AnyObject) => [metadata.name, data.of])
      expect(new Map(seen), `${i}`).to.deep.equal(held[i])
      expect(plane.requests.every(({ user }) => user === 'kubernetes-admin')).to.equal(true)
    }
  })

  it('use other uids and names with another seed, and without one', async () => {
    const made = async (options: ControlPlaneOptions): Promise<string> => {
      const plane = await start(options)
      const body = { metadata: { generateName: 'g-' } }
      const { metadata } = (await plane.request('POST', '/api/v1/namespaces/default/configmaps', { body })).body as AnyObject
      return `${metadata.name} ${metadata.uid} ${metadata.creationTimestamp}`
    }
    const [x, again, y] = [await made({ seed: 'x' }), await made({ seed: 'x' }), await made({ seed: 'y' })]
    expect(again).to.equal(x)
    expect(x).to.match(/^g-[a-z0-9]{5} [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12} 2030-01-01T00:00:00Z$/)
    expect(y).to.not.equal(x)
    expect(await made({})).to.not.equal(await made({}))
  })
})
