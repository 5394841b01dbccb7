import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { compositeFlags, compositeOf, groupOf, podIn } from '../../support/composite-groups.ts'

const PODS = '/api/v1/namespaces/default/pods'
/** Number of random clusters with trees of groups, and the first seed: `COUNT=20 SEED=1000`. */
const COUNT = Number(process.env.COUNT ?? 1)
const SEED = Number(process.env.SEED ?? 1)

interface Group {
  readonly name: string
  /** Undefined under the basic policy. */
  readonly minimum: number | undefined
  /** Undefined for a group of pods. */
  readonly children: readonly Group[] | undefined
  /** Names of the pods of a group of pods. */
  readonly pods: readonly string[]
}

/** Makes a random tree, and adds its objects. */
function randomTree(name: string, levels: number, below: (count: number) => number, objects: Manifest[], parent?: string): Group {
  const minimumOf = (size: number): number | undefined => (below(4) === 0 ? undefined : 1 + below(size))
  if (parent !== undefined && (levels === 1 || below(3) === 0)) {
    const pods = Array.from({ length: 1 + below(3) }, (_, i) => `${name}-${i}`)
    const minimum = minimumOf(pods.length)
    objects.push(groupOf(name, { parent, ...(minimum !== undefined && { minimum }) }))
    objects.push(...pods.map(pod => podIn(name, pod, String(1 + below(3)))))
    return { name, minimum, children: undefined, pods }
  }
  const size = 1 + below(3)
  const minimum = minimumOf(size)
  objects.push(compositeOf(name, { ...(parent !== undefined && { parent }), ...(minimum !== undefined && { minimum }) }))
  const children = Array.from({ length: size }, (_, i) => randomTree(`${name}-${i}`, levels - 1, below, objects, name))
  return { name, minimum, children, pods: [] }
}

/** Reports whether enough members of a group are scheduled. */
function isSatisfied({ minimum = 1, children, pods }: Group, bound: ReadonlySet<string>): boolean {
  const count = children ? children.filter(child => isSatisfied(child, bound)).length : pods.filter(pod => bound.has(pod)).length
  return count >= minimum
}

const podsOf = ({ children, pods }: Group): readonly string[] => children?.flatMap(podsOf) ?? pods

/** Returns the names of the groups that have pods with nodes, although not enough of their members are scheduled. */
function partlyBound(group: Group, bound: ReadonlySet<string>): readonly string[] {
  const own = podsOf(group).some(pod => bound.has(pod)) && !isSatisfied(group, bound) ? [group.name] : []
  return [...own, ...(group.children ?? []).flatMap(child => partlyBound(child, bound))]
}

describe('random trees of groups of pods', function () {
  this.timeout(240_000 * COUNT)
  for (let seed = SEED; seed < SEED + COUNT; seed++)
    it(`are never bound in part, and have nodes for all pods once there is room (seed ${seed})`, async () => {
      const random = seededRandom(seed)
      const below = (count: number): number => Math.floor(random() * count)
      const plane = await startControlPlane({ seed, flags: compositeFlags })
      try {
        const bound = async (): Promise<ReadonlySet<string>> => {
          const { items } = (await plane.request<AnyObject>('GET', PODS)).body
          return new Set(items.flatMap(({ metadata, spec }: AnyObject) => (spec.nodeName ? [metadata.name] : [])))
        }
        let count = 0
        const addNode = async (): Promise<void> => {
          const name = `n${count++}`
          await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } } as Manifest)
          const resources = { cpu: '4', memory: '8Gi', pods: '110' }
          await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources } } })
        }
        const settle = async (): Promise<void> => {
          await plane.advance('11s')
          await plane.settled()
        }
        const objects: Manifest[] = []
        const trees = ['a', 'b', 'c'].map(name => randomTree(name, 4, below, objects))
        const check = async (): Promise<void> => {
          const names = await bound()
          expect(trees.flatMap(tree => partlyBound(tree, names))).to.deep.equal([])
        }
        const history = objects.map(object => ({ object, at: random() })).sort((a, b) => a.at - b.at)
        for (const { object } of history) {
          if (below(8) === 0) await addNode()
          await plane.apply(object)
          const pod = object.kind === 'Pod' ? object.metadata?.name : undefined
          // A pod that waits is deleted, and comes again later.
          const isReplaced = pod !== undefined && below(4) === 0
          if (isReplaced) await plane.settled()
          if (isReplaced && !(await bound()).has(pod)) {
            await plane.request('DELETE', `${PODS}/${pod}`, { body: { gracePeriodSeconds: 0 } })
            await check()
            await plane.apply(object)
          }
          if (below(8) === 0) await settle()
          await check()
        }
        await settle()
        await check()
        while (count < objects.length) {
          await addNode()
          if (below(4) === 0) await settle()
          await check()
        }
        for (let i = 0; i < 3; i++) await settle()
        expect([...(await bound())].sort()).to.deep.equal(trees.flatMap(podsOf).toSorted())
      } finally {
        await plane.stop()
      }
    })
})
