import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { compositeFlags, compositeOf, groupOf, podIn, priorityClass } from '../../support/composite-groups.ts'

const GROUPS = '/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups'
const COMPOSITES = '/apis/scheduling.k8s.io/v1alpha3/namespaces/default/compositepodgroups'
const PODS = '/api/v1/namespaces/default/pods'
const BLOCK = 'example.dev/block'
const RACK = 'example.dev/rack'

describe('trees of groups of pods', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: compositeFlags })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const addNode = async (name: string, cpu: string, labels: object = {}): Promise<void> => {
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } } as Manifest)
    const resources = { cpu, memory: '8Gi', pods: '110' }
    await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources, capacity: resources } } })
  }
  /** Nodes of the pods that have one, by the name of the pod. */
  const nodes = async (): Promise<Record<string, string>> => {
    const { items } = await get(PODS)
    return Object.fromEntries(items.flatMap(({ metadata, spec }: AnyObject) => (spec.nodeName ? [[metadata.name, spec.nodeName]] : [])))
  }
  const bound = async (): Promise<string[]> => Object.keys(await nodes()).sort()
  const untilBound = (...names: string[]): Promise<void> =>
    plane.until(async () => {
      const all = await bound()
      return names.every(name => all.includes(name))
    })
  const message = async (name: string): Promise<string | undefined> => (await get(`${PODS}/${name}`)).status.conditions?.[0]?.message
  /** Status, reason and message of the condition of a group, once it is written. */
  const condition = async (path: string): Promise<string[]> => {
    await plane.until(async () => (await get(path)).status?.conditions?.[0] !== undefined)
    const { status, reason, message: text } = (await get(path)).status.conditions[0]
    return [status, reason, text]
  }

  /** A root with a composite group of two groups of pods, and a third group of pods. */
  const threeLevels = (): Manifest[] => [
    compositeOf('root', { minimum: 2 }),
    compositeOf('replica', { parent: 'root', minimum: 2 }),
    groupOf('workers', { parent: 'replica', minimum: 2 }),
    groupOf('driver', { parent: 'replica', minimum: 1 }),
    groupOf('frontend', { parent: 'root' }),
  ]

  it('wait until enough groups have enough pods at all levels, and are then bound together', async () => {
    await addNode('n', '8')
    await plane.apply(...threeLevels(), podIn('workers', 'w1'), podIn('driver', 'd1'), podIn('frontend', 'f1'))
    await plane.settled()
    expect([await bound(), await message('f1')]).to.deep.equal([[], undefined])
    await plane.apply(podIn('workers', 'w2'))
    await untilBound('w1', 'w2', 'd1', 'f1')
    for (const path of [`${COMPOSITES}/root`, `${COMPOSITES}/replica`, `${GROUPS}/workers`, `${GROUPS}/driver`, `${GROUPS}/frontend`])
      expect(await condition(path)).to.deep.equal(['True', 'Scheduled', ''])
    expect((await get(`${COMPOSITES}/root`)).status.conditions[0].type).to.equal('CompositePodGroupInitiallyScheduled')
    expect(String((await plane.request('GET', '/metrics')).body)).to.contain(
      'scheduler_podgroup_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
    )
  })

  it('wait for the groups above them, in whatever order they are created', async () => {
    await addNode('n', '8')
    await plane.apply(...['w1', 'w2'].map(name => podIn('workers', name)), podIn('driver', 'd1'), podIn('frontend', 'f1'))
    const [root, ...below] = threeLevels()
    for (const object of below.toReversed()) await plane.apply(object)
    await plane.settled()
    expect(await bound()).to.deep.equal([])
    if (root) await plane.apply(root)
    await untilBound('w1', 'w2', 'd1', 'f1')
  })

  it('no longer wait for a group once fewer are enough', async () => {
    await addNode('n', '8')
    await plane.apply(compositeOf('root', { minimum: 3 }), ...['a', 'b'].map(name => groupOf(name, { parent: 'root' })))
    await plane.apply(podIn('a', 'a1'), podIn('b', 'b1'))
    await plane.settled()
    expect(await bound()).to.deep.equal([])
    const type = 'application/merge-patch+json'
    const body = { spec: { schedulingPolicy: { gang: { minGroupCount: 2 } } } }
    await plane.request('PATCH', `${COMPOSITES}/root`, { body, headers: { 'content-type': type } })
    await untilBound('a1', 'b1')
  })

  it('are not bound in part, and say why at each level', async () => {
    await addNode('n', '3')
    await plane.apply(...threeLevels(), ...['w1', 'w2'].map(name => podIn('workers', name)), podIn('driver', 'd1'), podIn('frontend', 'f1'))
    const inVain = 'pod group is unschedulable, 0/1 placements are available, first placement status:'
    const noVictims = 'pod group preemption: No preemption victims found for incoming preemptor'
    const reason = `${inVain} minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, ${noVictims}`
    expect(await condition(`${COMPOSITES}/root`)).to.deep.equal(['False', 'Unschedulable', reason])
    expect(await condition(`${COMPOSITES}/replica`)).to.deep.equal(['False', 'Unschedulable', reason])
    expect(await condition(`${GROUPS}/workers`)).to.deep.equal(['False', 'Unschedulable', reason])
    const own = 'pod group is unschedulable, 0/1 placements are available, reported placement status: pod group is unschedulable'
    expect(await condition(`${GROUPS}/frontend`)).to.deep.equal(['False', 'Unschedulable', `${own}, ${noVictims}`])
    expect(await message('f1')).to.equal('0/1 nodes are available: 1 Insufficient cpu.')
    expect(await message('w1')).to.equal(`pod group is unschedulable, ${reason}`)
    expect(await bound()).to.deep.equal([])
    await addNode('m', '1')
    await plane.advance('11s')
    await untilBound('w1', 'w2', 'd1', 'f1')
  })

  it('leave out groups that do not fit, if enough others do', async () => {
    await addNode('n', '3')
    await plane.apply(
      compositeOf('root', { minimum: 1 }),
      groupOf('large', { parent: 'root', minimum: 2 }),
      groupOf('small', { parent: 'root', minimum: 2 }),
    )
    await plane.apply(...['l1', 'l2'].map(name => podIn('large', name, '2')), ...['s1', 's2'].map(name => podIn('small', name)))
    await untilBound('s1', 's2')
    expect(await condition(`${COMPOSITES}/root`)).to.deep.equal(['True', 'Scheduled', ''])
    expect(await condition(`${GROUPS}/small`)).to.deep.equal(['True', 'Scheduled', ''])
    expect((await condition(`${GROUPS}/large`)).slice(0, 2)).to.deep.equal(['False', 'Unschedulable'])
    expect(await bound()).to.deep.equal(['s1', 's2'])
    await addNode('m', '4')
    await plane.advance('11s')
    await untilBound('l1', 'l2')
  })

  it('schedule each group by itself under the basic policy', async () => {
    await addNode('n', '2')
    await plane.apply(compositeOf('root', {}), groupOf('a', { parent: 'root', minimum: 2 }), groupOf('b', { parent: 'root', minimum: 1 }))
    await plane.apply(podIn('b', 'b1'))
    await untilBound('b1')
    await plane.apply(podIn('a', 'a1'), podIn('a', 'a2'))
    await plane.until(async () => (await message('a1')) !== undefined && (await message('a2')) !== undefined)
    expect(await bound()).to.deep.equal(['b1'])
    await addNode('m', '1')
    await plane.advance('11s')
    await untilBound('a1', 'a2')
  })

  it('are invalid if they have more than four levels, or are a cycle', async () => {
    await addNode('n', '8')
    const chain = ['c1', 'c2', 'c3', 'c4'].map((name, i) => compositeOf(name, { ...(i > 0 && { parent: `c${i}` }), minimum: 1 }))
    await plane.apply(...chain, groupOf('deep', { parent: 'c4' }), podIn('deep', 'd'))
    await plane.apply(compositeOf('x', { parent: 'y' }), compositeOf('y', { parent: 'x' }), groupOf('round', { parent: 'x' }))
    await plane.apply(podIn('round', 'r'))
    const text = (name: string): string => `hierarchy starting at default/${name} is deeper than the maximum of 4, or contains a cycle`
    expect(await condition(`${COMPOSITES}/x`)).to.deep.equal(['False', 'Invalid', text('round')])
    expect(await condition(`${COMPOSITES}/y`)).to.deep.equal(['False', 'Invalid', text('round')])
    expect(await condition(`${COMPOSITES}/c4`)).to.deep.equal(['False', 'Invalid', text('deep')])
    expect(await condition(`${GROUPS}/deep`)).to.deep.equal(['False', 'SchedulerError', text('deep')])
    await plane.until(async () => (await message('d')) === text('deep') && (await message('r')) === text('round'))
    await plane.advance('1m')
    await plane.settled()
    expect(await bound()).to.deep.equal([])
  })

  it('are rejected if a group has another priority than the root', async () => {
    await addNode('n', '8')
    await plane.apply(priorityClass('high', 1000), compositeOf('root', { minimum: 1 }))
    await plane.apply(groupOf('a', { parent: 'root', priorityClassName: 'high' }), podIn('a', 'a1', '1', { priorityClassName: 'high' }))
    const text =
      'all pod groups in a hierarchy should have the same priority as the root pod group\'s priority, got 1000 ("default/a") and 0 ("default/root")'
    expect(await condition(`${COMPOSITES}/root`)).to.deep.equal(['False', 'SchedulerError', text])
    expect(await condition(`${GROUPS}/a`)).to.deep.equal(['False', 'SchedulerError', text])
    await plane.until(async () => (await message('a1')) === text)
  })

  it('are placed in the domains that each level allows', async () => {
    // One rack of each block has room for one group only, so that the block with two large racks is the only one.
    for (const [name, block, cpu] of [
      ['a1', 'a', '3'],
      ['a2', 'a', '5'],
      ['b1', 'b', '5'],
      ['b2', 'b', '5'],
    ] as const)
      await addNode(name, cpu, { [BLOCK]: block, [RACK]: name })
    await plane.apply(
      compositeOf('root', { minimum: 2, topology: BLOCK }),
      ...['x', 'y'].map(name => groupOf(name, { parent: 'root', minimum: 5, topology: RACK })),
    )
    const pods = ['x', 'y'].flatMap(group => Array.from({ length: 5 }, (_, i) => podIn(group, `${group}${i}`)))
    await plane.apply(...pods)
    await untilBound(...pods.map(({ metadata }) => metadata?.name ?? ''))
    const placed = await nodes()
    const of = (group: string): string[] => [
      ...new Set(Object.keys(placed).flatMap(name => (name[0] === group ? (placed[name] ?? []) : []))),
    ]
    expect([of('x').length, of('y').length, [...of('x'), ...of('y')].sort()]).to.deep.equal([1, 1, ['b1', 'b2']])
  })

  it('preempt pods of lower priority for all of their groups, and composite groups as a whole', async () => {
    await addNode('n', '4')
    await plane.apply(
      priorityClass('high', 1000),
      compositeOf('low', { minimum: 1, isWhole: true }),
      groupOf('low-a', { parent: 'low', isWhole: true }),
      groupOf('low-b', { parent: 'low', isWhole: true }),
      podIn('low-a', 'victim-a'),
      podIn('low-b', 'victim-b'),
    )
    await plane.apply({
      ...podIn('none', 'alone', '2'),
      spec: { ...podIn('none', 'alone', '2').spec, schedulingGroup: undefined },
    } as Manifest)
    await untilBound('victim-a', 'victim-b', 'alone')
    const high = { priorityClassName: 'high' }
    await plane.apply(compositeOf('root', { minimum: 2, ...high }), ...['x', 'y'].map(name => groupOf(name, { parent: 'root', ...high })))
    await plane.apply(podIn('x', 'x1', '2', high), podIn('y', 'y1', '1', high))
    const isDeleted = async (name: string): Promise<boolean> => (await get(`${PODS}/${name}`)).metadata.deletionTimestamp !== undefined
    await plane.until(async () => (await isDeleted('victim-a')) || (await isDeleted('alone')))
    await plane.settled()
    expect(await isDeleted('victim-a')).to.equal(await isDeleted('victim-b'))
    const { uid } = (await get(`${COMPOSITES}/root`)).metadata
    const { items } = await get('/apis/events.k8s.io/v1/namespaces/default/events')
    expect(items.map(({ note }: AnyObject) => note)).to.include(`Preempted by compositepodgroup ${uid} on node cluster`)
    for (const name of ['victim-a', 'victim-b', 'alone'])
      if (await isDeleted(name)) await plane.request('DELETE', `${PODS}/${name}`, { body: { gracePeriodSeconds: 0 } })
    await plane.advance('11s')
    await untilBound('x1', 'y1')
  })
})
