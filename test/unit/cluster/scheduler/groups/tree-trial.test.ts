import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { groupMismatch, treeMismatch } from '../../../../../src/cluster/scheduler/groups/group-mismatch.ts'
import { outcomesOf } from '../../../../../src/cluster/scheduler/groups/group-outcomes.ts'
import { type GroupNode, leavesOf, treeOf } from '../../../../../src/cluster/scheduler/groups/group-tree.ts'
import { TreeTrial, type TreeTrialInput } from '../../../../../src/cluster/scheduler/groups/tree-trial.ts'
import type { PodInfo } from '../../../../../src/cluster/scheduler/pod-info.ts'
import type { Snapshot } from '../../../../../src/cluster/scheduler/snapshot.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { compositeOf, groupOf } from '../../../../support/composite-groups.ts'
import { infoOf, nodeOf, objectsOf, podOf, snapshotOf } from '../../../../support/scheduling.ts'

const treeWith = (leaf: string, ...objects: unknown[]): GroupNode =>
  runAtOnce(treeOf(`default/${leaf}`, objectsOf(objects as KubeObject[]).trees)) as GroupNode

/**
 * A trial in which each group has `pods` pods, and each node room for as many as its label `room` says. Reservations
 * are counted while they are held.
 */
function trialOf(root: GroupNode, snapshot: Snapshot, pods: Record<string, number>, parts: Partial<TreeTrialInput> = {}) {
  const held = { now: 0, searches: 0 }
  const seen: string[][] = []
  const find = async (info: PodInfo, nodes: Snapshot, _: unknown, { nominated }: { nominated: (name: string) => readonly PodInfo[] }) => {
    held.searches++
    seen.push(nominated('any').map(({ pod }) => pod.metadata.name ?? ''))
    if (info.pod.metadata.name?.startsWith('broken')) throw new Error('the disk is full')
    const node = nodes.nodes.find(each => each.pods.length < Number(each.labels.room))
    if (node === undefined)
      return {
        infeasible: { nodeCount: 0, preFilterReason: '', statuses: new Map(), plugins: new Set(['Fit']) },
        filters: [],
        postFilters: [],
      }
    const reserve = () => {
      held.now++
      return { unreserve: async () => void held.now-- }
    }
    return { node, feasible: { rejected: { filters: [] }, reserves: [{ plugin: 'r', reserve }] } }
  }
  const members = new Map(
    leavesOf(root).map(({ key, object }) => {
      const name = object.metadata.name ?? ''
      return [key, Array.from({ length: pods[name] ?? 0 }, (_, i) => ({ queued: {}, info: infoOf({ name: `${name}${i}` }) }))]
    }),
  )
  const input = {
    ...{ release: '1.37', limitsTopology: true, hasMinimums: true, finder: { find }, context: { signal: new AbortController().signal } },
    ...{
      groups: { scheduled: () => new Set() },
      nominated: () => [],
      random: () => 0,
      membersOf: ({ key }: GroupNode) => members.get(key),
    },
    ...parts,
  }
  const trial = new TreeTrial(input as unknown as TreeTrialInput)
  return { run: () => trial.run(root, snapshot, false), held, seen, members }
}

const podsOn = (snapshot: Snapshot): Record<string, string[]> =>
  Object.fromEntries(snapshot.nodes.map(({ name, pods }) => [name, pods.map(({ pod }) => pod.metadata.name ?? '')]))
const roomy = (name: string, room: number, labels: Record<string, string> = {}) =>
  nodeOf(name, { labels: { room: String(room), ...labels } })

describe('the trial of a tree of groups', () => {
  const objects = (minimum: number | undefined, ...names: string[]) => [
    compositeOf('root', minimum === undefined ? {} : { minimum }),
    ...names.map(name => groupOf(name, { parent: 'root', minimum: 2 })),
  ]

  it('has the pods of all groups on their nodes until it is undone', async () => {
    const snapshot = snapshotOf([roomy('n', 4)])
    const { run, held } = trialOf(treeWith('a', ...objects(2, 'a', 'b')), snapshot, { a: 2, b: 2 })
    const { verdict, placements, undo } = await run()
    expect([verdict.isFeasible, placements.length, held]).to.deep.equal([true, 4, { now: 4, searches: 4 }])
    expect(podsOn(snapshot)).to.deep.equal({ n: ['a0', 'a1', 'b0', 'b1'] })
    undo()
    expect(podsOn(snapshot)).to.deep.equal({ n: [] })
  })

  it('leaves nothing of a tree that is not feasible', async () => {
    const snapshot = snapshotOf([roomy('n', 3)])
    const { run, held } = trialOf(treeWith('a', ...objects(2, 'a', 'b')), snapshot, { a: 2, b: 2 })
    const { verdict, placements } = await run()
    expect([verdict.isFeasible, placements, held.now, podsOn(snapshot)]).to.deep.equal([false, [], 0, { n: [] }])
    expect(verdict.message).to.equal(
      'pod group is unschedulable, 0/1 placements are available, first placement status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining',
    )
  })

  it('gives the room of a group that is not feasible to those after it', async () => {
    const snapshot = snapshotOf([roomy('n', 2)])
    const tree = treeWith('a', compositeOf('root', {}), groupOf('a', { parent: 'root', minimum: 3 }), groupOf('b', { parent: 'root' }))
    const { run, held } = trialOf(tree, snapshot, { a: 3, b: 2 })
    const tried = await run()
    expect([tried.verdict.isFeasible, held.now, podsOn(snapshot)]).to.deep.equal([true, 2, { n: ['b0', 'b1'] }])
    expect(outcomesOf(tried).map(({ group, verdict }) => [group.object.metadata.name, verdict.isFeasible])).to.deep.equal([
      ['root', true],
      ['a', false],
      ['b', true],
    ])
  })

  it('tries no further group once there cannot be enough', async () => {
    const snapshot = snapshotOf([roomy('n', 9)])
    const { run, held } = trialOf(treeWith('a', ...objects(3, 'a', 'b', 'c')), snapshot, { a: 1, b: 2, c: 2 })
    const tried = await run()
    expect([held.searches, tried.children.length]).to.deep.equal([0, 1])
    const messages = outcomesOf(tried).map(({ verdict }) => verdict.message)
    // Groups that were not tried share the outcome of their parent.
    expect([messages[2], messages[3]]).to.deep.equal([messages[0], messages[0]])
    expect(messages[1]).not.to.equal(messages[0])
  })

  it('invalidates feasible groups below one that is not feasible', async () => {
    const { run } = trialOf(treeWith('a', ...objects(2, 'a', 'b')), snapshotOf([roomy('n', 2)]), { a: 2, b: 2 })
    const [root, a] = outcomesOf(await run())
    expect([a?.verdict, a?.results.map(one => 'node' in one)]).to.deep.equal([root?.verdict, [true, true]])
  })

  it('is not feasible if no pod gets a node, although enough had one before', async () => {
    const scheduled = { scheduled: () => new Set(['x', 'y']) } as unknown as TreeTrialInput['groups']
    const { run } = trialOf(treeWith('a', ...objects(2, 'a', 'b')), snapshotOf([roomy('n', 2)]), {}, { groups: scheduled })
    expect((await run()).verdict).to.deep.equal({ isFeasible: false, isPossible: true, message: 'pod group is unschedulable' })
  })

  it('ends with the error of a group, and leaves nothing', async () => {
    const snapshot = snapshotOf([roomy('n', 9)])
    const { run, held } = trialOf(treeWith('a', ...objects(undefined, 'a', 'broken', 'c')), snapshot, { a: 2, broken: 2, c: 2 })
    const tried = await run()
    const own = 'failed to schedule other pod from a pod group: the disk is full'
    expect([tried.error, tried.verdict.isFeasible, held.now, podsOn(snapshot)]).to.deep.equal([
      `composite pod group evaluation failed due to child error: ${own}`,
      false,
      0,
      { n: [] },
    ])
    expect(outcomesOf(tried).map(({ error }) => error)).to.deep.equal([tried.error, tried.error, own, tried.error])
  })

  it('does not count pods that have a node in another group of the trial as nominated', async () => {
    const nominated = [infoOf({ name: 'a0' }), infoOf({ name: 'other' })]
    const { run, seen } = trialOf(
      treeWith('a', ...objects(2, 'a', 'b')),
      snapshotOf([roomy('n', 9)]),
      { a: 2, b: 2 },
      {
        nominated: () => nominated,
      },
    )
    await run()
    expect(seen).to.deep.equal([['a0', 'other'], ['other'], ['other'], ['other']])
  })

  it('places the groups of a domain in domains within it, and their siblings beside them', async () => {
    const [block, rack] = ['example.dev/block', 'example.dev/rack']
    const at = (name: string, room: number, inBlock: string) => roomy(name, room, { [block]: inBlock, [rack]: name })
    const snapshot = snapshotOf([at('a1', 1, 'a'), at('a2', 2, 'a'), at('b1', 2, 'b'), at('b2', 2, 'b')])
    const tree = treeWith(
      'x',
      compositeOf('root', { minimum: 2, topology: block }),
      ...['x', 'y'].map(name => groupOf(name, { parent: 'root', minimum: 2, topology: rack })),
    )
    const { run, held } = trialOf(tree, snapshot, { x: 2, y: 2 })
    const { verdict, undo } = await run()
    expect([verdict.isFeasible, held.now, podsOn(snapshot)]).to.deep.equal([
      true,
      4,
      { a1: [], a2: [], b1: ['x0', 'x1'], b2: ['y0', 'y1'] },
    ])
    undo()
    expect(podsOn(snapshot)).to.deep.equal({ a1: [], a2: [], b1: [], b2: [] })
  })

  it('looks once for each pod at any depth, if no group is limited to a domain', async () => {
    const names = ['c1', 'c2', 'c3']
    const objects = names.map((name, i) => compositeOf(name, { minimum: 1, ...(i > 0 && { parent: `c${i}` }) }))
    const { run, held } = trialOf(treeWith('a', ...objects, groupOf('a', { parent: 'c3' })), snapshotOf([roomy('n', 9)]), { a: 3 })
    expect([(await run()).placements.length, held.searches]).to.deep.equal([3, 3])
  })
})

describe('the groups of a tree', () => {
  const tree = (...leaves: object[]): GroupNode => {
    const objects = [compositeOf('root', {}), ...leaves.map((spec, i) => ({ ...groupOf(`g${i}`, { parent: 'root' }), spec }))]
    return treeWith(
      'g0',
      ...objects.map((object, i) => (i === 0 ? { ...object, spec: { ...(object.spec as object), priority: 10 } } : object)),
    )
  }
  const leaf = (parts: object) => ({ ...(groupOf('g', { parent: 'root' }).spec as object), priority: 10, ...parts })

  for (const [title, hasPolicy, leaves, expected] of [
    ['equal groups', true, [leaf({}), leaf({ preemptionPolicy: 'PreemptLowerPriority' })], undefined],
    [
      'another priority',
      false,
      [leaf({}), leaf({ priority: 5 })],
      'all pod groups in a hierarchy should have the same priority as the root pod group\'s priority, got 5 ("default/g1") and 10 ("default/root")',
    ],
    ['another policy without the gate', false, [leaf({ preemptionPolicy: 'Never' })], undefined],
    [
      'another policy',
      true,
      [leaf({ preemptionPolicy: 'Never' })],
      'all pod groups in a hierarchy should have the same preemption policy as the root pod group\'s preemption policy, got Never ("default/g0") and PreemptLowerPriority ("default/root")',
    ],
  ] as const)
    it(`have in common with the root what they must: ${title}`, () => {
      expect(treeMismatch(tree(...leaves), { hasPolicy })).to.equal(expected)
    })

  it('have pods with the priority of the root', () => {
    const rules = { isComplete: true, hasPolicy: false }
    expect(groupMismatch([podOf({ spec: { priority: 5 } })], tree(leaf({})).rules, rules)).to.equal(
      "all pods in a single pod group should have the same priority as the pod group's priority, got 5 and 10",
    )
  })
})
