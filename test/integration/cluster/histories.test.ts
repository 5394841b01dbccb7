import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { DeploymentInvariants } from '../../support/deployment-invariants.ts'
import { storedChanges } from '../../support/stored-changes.ts'

/** Number of histories, and the first one. `HISTORIES=200` runs more. */
const HISTORIES = Number(process.env.HISTORIES ?? 3)
const FIRST = Number(process.env.HISTORY ?? 1)
const STEPS = 25

const NAMES = ['a', 'b'] as const
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const PODS = '/api/v1/namespaces/default/pods'

describe('clusters with random histories of Deployments, kills and nodes', () => {
  let original: ControlPlane
  before(async () => {
    original = await startControlPlane({ cluster: true, nodes: 3, clock: new Date('2030-01-01T00:00:00Z') })
  })
  after(() => original.stop())

  for (let history = FIRST; history < FIRST + HISTORIES; history++)
    it(`keep the promises of every Deployment, and come to rest as specified (history ${history})`, async () => {
      const plane = await original.fork()
      const story: string[] = []
      try {
        await play(plane, history, story)
      } finally {
        await plane.stop()
      }
    })

  async function play(plane: ControlPlane, seed: number, story: string[]): Promise<void> {
    const random = seededRandom(seed)
    const below = (n: number): number => Math.floor(random() * n)
    const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T
    const invariants = new DeploymentInvariants()
    let seen = plane.snapshot().revision
    const items = async (path: string): Promise<AnyObject[]> => ((await plane.request('GET', path)).body as AnyObject).items
    const strategy = (): object =>
      below(4) === 0
        ? { type: 'Recreate', rollingUpdate: null }
        : {
            type: 'RollingUpdate',
            rollingUpdate: { maxSurge: oneOf([0, 1, 2, '25%', '50%']), maxUnavailable: oneOf([1, 2, '25%', '50%']) },
          }
    const template = (name: string) => ({
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: `app:${below(4)}` }] },
    })
    const patch = (name: string, spec: object) => plane.request('PATCH', `${DEPLOYMENTS}/${name}`, { body: { spec } })

    const steps: readonly { readonly isDisturbing?: boolean; make(name: string): Promise<string> }[] = [
      {
        async make(name) {
          const spec = { replicas: below(7), selector: { matchLabels: { app: name } }, template: template(name), strategy: strategy() }
          await plane.request('POST', DEPLOYMENTS, { body: { metadata: { name }, spec } })
          return `create ${name} ${JSON.stringify(spec)}`
        },
      },
      {
        async make(name) {
          const replicas = below(8)
          await patch(name, { replicas })
          return `scale ${name} to ${replicas}`
        },
      },
      {
        async make(name) {
          const change = template(name)
          await patch(name, { template: change })
          return `roll ${name} to ${JSON.stringify(change.spec)}`
        },
      },
      {
        async make(name) {
          const change = strategy()
          await patch(name, { strategy: change })
          return `let ${name} have ${JSON.stringify(change)}`
        },
      },
      {
        isDisturbing: true,
        async make() {
          const pods = await items(PODS)
          const killed = pods.filter(() => below(3) === 0).map(({ metadata }) => metadata.name)
          for (const pod of killed) await plane.request('DELETE', `${PODS}/${pod}${below(2) === 0 ? '?gracePeriodSeconds=0' : ''}`)
          return `kill ${killed.join()}`
        },
      },
      {
        isDisturbing: true,
        async make() {
          const node = `node-${1 + below(3)}`
          const unschedulable = below(2) === 0
          await plane.request('PATCH', `/api/v1/nodes/${node}`, { body: { spec: { unschedulable } } })
          const drained = unschedulable
            ? (await items(`${PODS}?fieldSelector=spec.nodeName%3D${node}`)).map(({ metadata }) => metadata.name)
            : []
          for (const pod of drained) await plane.request('DELETE', `${PODS}/${pod}`)
          return `${unschedulable ? 'drain' : 'uncordon'} ${node}`
        },
      },
      {
        isDisturbing: true,
        async make(name) {
          if (below(3) > 0) return 'nothing'
          await plane.request('DELETE', `${DEPLOYMENTS}/${name}`)
          return `delete ${name}`
        },
      },
    ]
    for (let step = 0; step < STEPS; step++) {
      const { isDisturbing = false, make } = step === 0 ? steps[0]! : oneOf(steps)
      if (isDisturbing) invariants.disturb()
      story.push(await make(oneOf(NAMES)))
      const isResting = below(3) > 0
      if (isResting) {
        for (const node of [1, 2, 3])
          await plane.request('PATCH', `/api/v1/nodes/node-${node}`, { body: { spec: { unschedulable: false } } })
        await plane.settled(50)
        await plane.advance('2m')
        await plane.settled(50)
      }
      for (const change of storedChanges(plane, seen)) {
        invariants.take(change)
        seen = change.revision
      }
      if (isResting) invariants.rest()
      expect(invariants.violations, story.join('\n')).to.deep.equal([])
    }
  }
})
