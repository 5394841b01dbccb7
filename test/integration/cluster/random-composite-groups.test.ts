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
  /** Label of nodes in whose value its pods agree, if any. */
  readonly topology: string | undefined
}

/** Labels of nodes. There are two racks in each of two blocks. */
const [BLOCK, RACK] = ['example.dev/block', 'example.dev/rack']

/** Makes a random tree, and adds its objects. */
function randomTree(name: string, levels: number, below: (count: number) => number, objects: Manifest[], parent?: string): Group {
  const minimumOf = (size: number): number | undefined => (below(4) === 0 ? undefined : 1 + below(size))
  const topology = [BLOCK, RACK][below(6)]
  if (parent !== undefined && (levels === 1 || below(3) === 0)) {
    const pods = Array.from({ length: 1 + below(3) }, (_, i) => `${name}-${i}`)
    const minimum = minimumOf(pods.length)
    objects.push(groupOf(name, { parent, ...(minimum !== undefined && { minimum }), ...(topology && { topology }) }))
    objects.push(...pods.map(pod => podIn(name, pod, String(1 + below(3)))))
    return { name, minimum, children: undefined, pods, topology }
  }
  const size = 1 + below(3)
  const minimum = minimumOf(size)
  objects.push(
    compositeOf(name, {
      ...(parent !== undefined && { parent }),
      ...(minimum !== undefined && { minimum }),
      ...(topology && { topology }),
    }),
  )
  const children = Array.from({ length: size }, (_, i) => randomTree(`${name}-${i}`, levels - 1, below, objects, name))
  return { name, minimum, children, pods: [], topology }
}

/** Reports whether enough members of a group are scheduled. */
function isSatisfied({ minimum = 1, children, pods }: Group, bound: ReadonlySet<string>): boolean {
  const count = children ? children.filter(child => isSatisfied(child, bound)).length : pods.filter(pod => bound.has(pod)).length
  return count >= minimum
}

/** Returns the labels of a node `n12`. */
function labelsOf(node: string): Record<string, string> {
  const rack = Number(node.slice(1)) % 4
  return { [BLOCK]: `block-${rack % 2}`, [RACK]: `rack-${rack}` }
}

const podsOf = ({ children, pods }: Group): readonly string[] => children?.flatMap(podsOf) ?? pods

/** Returns the names of the groups that have pods with nodes, although not enough of their members are scheduled. */
function partlyBound(group: Group, bound: ReadonlySet<string>): readonly string[] {
  const own = podsOf(group).some(pod => bound.has(pod)) && !isSatisfied(group, bound) ? [group.name] : []
  return [...own, ...(group.children ?? []).flatMap(child => partlyBound(child, bound))]
}

/** Returns the names of the groups whose pods are in several domains. @param labels labels of the node of each pod */
function dispersed(group: Group, labels: ReadonlyMap<string, Record<string, string>>): readonly string[] {
  const { topology, name, children = [] } = group
  const domains = new Set(topology === undefined ? [] : podsOf(group).flatMap(pod => labels.get(pod)?.[topology] ?? []))
  return [...(domains.size > 1 ? [name] : []), ...children.flatMap(child => dispersed(child, labels))]
}

describe('random trees of groups of pods', function () {
  this.timeout(240_000 * COUNT)
  for (let seed = SEED; seed < SEED + COUNT; seed++)
    it(`are never bound in part, and have nodes for all pods once there is room (seed ${seed})`, async () => {
      const random = seededRandom(seed)
      const below = (count: number): number => Math.floor(random() * count)
      const plane = await startControlPlane({ seed, flags: compositeFlags })
      try {
        /** Labels of the nodes of pods, by the name of the pod. */
        const bound = async (): Promise<ReadonlyMap<string, Record<string, string>>> => {
          const { items } = (await plane.request<AnyObject>('GET', PODS)).body
          return new Map(
            items.flatMap(({ metadata, spec }: AnyObject) => (spec.nodeName ? [[metadata.name, labelsOf(spec.nodeName)]] : [])),
          )
        }
        let count = 0
        const addNode = async (cpu = '4'): Promise<void> => {
          const name = `n${count++}`
          await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: labelsOf(name) } } as Manifest)
          const resources = { cpu, memory: '800Gi', pods: '1000' }
          await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources } } })
        }
        const settle = async (): Promise<void> => {
          await plane.advance('11s')
          await plane.settled()
        }
        const objects: Manifest[] = []
        const trees = ['a', 'b', 'c'].map(name => randomTree(name, 4, below, objects))
        const check = async (): Promise<void> => {
          const labels = await bound()
          const names = new Set(labels.keys())
          expect(trees.flatMap(tree => partlyBound(tree, names))).to.deep.equal([])
          expect(trees.flatMap(tree => dispersed(tree, labels))).to.deep.equal([])
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
        while (count < objects.length / 2) {
          await addNode()
          if (below(4) === 0) await settle()
          await check()
        }
        // Each rack gets room for all pods.
        for (let i = 0; i < 4; i++) await addNode('1000')
        for (let i = 0; i < 3; i++) await settle()
        expect([...(await bound()).keys()].sort()).to.deep.equal(trees.flatMap(podsOf).toSorted())
      } finally {
        await plane.stop()
      }
    })
})
