import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { SetInvariants } from '../../support/set-invariants.ts'
import { storedChanges } from '../../support/stored-changes.ts'

/** Number of histories, and the first one. `HISTORIES=200` runs more. */
const HISTORIES = Number(process.env.HISTORIES ?? 4)
const FIRST = Number(process.env.HISTORY ?? 1)
const STEPS = 20

const APPS = '/apis/apps/v1/namespaces/default'
const PODS = '/api/v1/namespaces/default/pods'
const STATEFUL = `${APPS}/statefulsets/s`
const DAEMONS = `${APPS}/daemonsets/d`

describe('clusters with random histories of StatefulSets and DaemonSets', () => {
  let original: ControlPlane
  before(async () => {
    original = await startControlPlane({ cluster: true, nodes: 3, clock: new Date('2030-01-01T00:00:00Z') })
  })
  after(() => original.stop())

  for (let history = FIRST; history < FIRST + HISTORIES; history++)
    it(`keep the promises of every set, and come to rest as specified (history ${history})`, async () => {
      const plane = await original.fork()
      try {
        await play(plane, history)
      } finally {
        await plane.stop()
      }
    })

  async function play(plane: ControlPlane, seed: number): Promise<void> {
    const random = seededRandom(seed)
    const below = (n: number): number => Math.floor(random() * n)
    const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T
    const invariants = new SetInvariants()
    const story: string[] = []
    let seen = 0
    const send = (method: string, path: string, body?: object) => plane.request(method, path, body === undefined ? {} : { body })
    const patch = (path: string, spec: object) => send('PATCH', path, { spec })
    const template = (app: string) => ({ metadata: { labels: { app } }, spec: { containers: [{ name: 'c', image: `app:${below(4)}` }] } })
    const common = (app: string) => ({ revisionHistoryLimit: below(3), selector: { matchLabels: { app } }, template: template(app) })
    const surge = () =>
      below(2) === 0 ? { maxSurge: oneOf([1, '50%']), maxUnavailable: 0 } : { maxSurge: 0, maxUnavailable: oneOf([1, 2, '50%']) }

    const create = async (): Promise<string> => {
      const policy = oneOf(['OrderedReady', 'Parallel'])
      const stateful = { ...common('s'), serviceName: 's', replicas: below(5), podManagementPolicy: policy }
      await send('POST', `${APPS}/statefulsets`, { metadata: { name: 's' }, spec: stateful })
      await send('POST', `${APPS}/daemonsets`, {
        metadata: { name: 'd' },
        spec: { ...common('d'), updateStrategy: { rollingUpdate: surge() } },
      })
      return `create ${JSON.stringify(stateful)}`
    }
    /** Changes that take no pod away by themselves, but for those of updates. */
    const updates: readonly (() => Promise<unknown>)[] = [
      () => patch(STATEFUL, { template: template('s') }),
      () => patch(DAEMONS, { template: template('d') }),
      () => patch(STATEFUL, { updateStrategy: { rollingUpdate: { partition: below(3) } } }),
      () => patch(DAEMONS, { updateStrategy: { rollingUpdate: surge() } }),
    ]
    const disturbances: readonly (() => Promise<unknown>)[] = [
      create,
      () => patch(STATEFUL, { replicas: below(6) }),
      async () => {
        const pods = ((await plane.request('GET', PODS)).body as AnyObject).items as AnyObject[]
        for (const { metadata } of pods.filter(() => below(3) === 0))
          await send('DELETE', `${PODS}/${metadata.name}${below(2) === 0 ? '?gracePeriodSeconds=0' : ''}`)
      },
      async () => {
        const pods = ((await plane.request('GET', PODS)).body as AnyObject).items as AnyObject[]
        for (const { metadata } of pods.slice(0, 1))
          await send('PATCH', `${PODS}/${metadata.name}/status`, { status: { phase: oneOf(['Failed', 'Succeeded']) } })
      },
      () => send('DELETE', oneOf([STATEFUL, DAEMONS]), { propagationPolicy: oneOf(['Background', 'Foreground']) }),
    ]
    for (let step = 0; step < STEPS; step++) {
      const isDisturbing = below(3) === 0
      if (isDisturbing) invariants.disturb()
      const index = below(isDisturbing ? disturbances.length : updates.length)
      story.push(step === 0 ? await create() : `${isDisturbing ? 'disturbance' : 'update'} ${index}`)
      if (step > 0) await (isDisturbing ? disturbances : updates)[index]?.()
      const isResting = below(3) > 0
      if (isResting) {
        await plane.settled(50)
        await plane.advance('2m')
        await plane.settled(50)
      }
      for (const change of storedChanges(plane, seen)) {
        invariants.take(change)
        seen = change.revision
      }
      if (isResting) {
        invariants.rest()
        story.push('rest')
      }
      expect(invariants.violations, story.join('\n')).to.deep.equal([])
    }
  }
})
