import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const PODS = '/api/v1/namespaces/default/pods'

/** Gates and API of groups in a release, and how pods and their group are written there. */
interface GroupApi {
  readonly gates: string
  readonly version: string
  readonly resource: string
  /** Type of the group's condition. Undefined if groups have no status. */
  readonly condition?: string
  group(name: string, minCount: number, spec?: object): Manifest
  member(group: string): object
}

const podGroup = (version: string, name: string, minCount: number, spec: object = {}): Manifest => ({
  apiVersion: `scheduling.k8s.io/${version}`,
  kind: 'PodGroup',
  metadata: { name, namespace: 'default' },
  spec: { schedulingPolicy: { gang: { minCount } }, ...spec },
})

const APIS: Readonly<Record<string, GroupApi>> = {
  1.35: {
    gates: 'GenericWorkload=true,GangScheduling=true',
    version: 'v1alpha1',
    resource: 'workloads',
    group: (name, minCount) => ({
      apiVersion: 'scheduling.k8s.io/v1alpha1',
      kind: 'Workload',
      metadata: { name, namespace: 'default' },
      spec: { podGroups: [{ name: 'workers', policy: { gang: { minCount } } }] },
    }),
    member: group => ({ workloadRef: { name: group, podGroup: 'workers' } }),
  },
  1.36: {
    gates: 'GenericWorkload=true,GangScheduling=true',
    version: 'v1alpha2',
    resource: 'podgroups',
    condition: 'PodGroupScheduled',
    group: (name, minCount, spec) => podGroup('v1alpha2', name, minCount, spec),
    member: group => ({ schedulingGroup: { podGroupName: group } }),
  },
  1.37: {
    gates: 'GenericWorkload=true',
    version: 'v1beta1',
    resource: 'podgroups',
    condition: 'PodGroupInitiallyScheduled',
    group: (name, minCount, spec) => podGroup('v1beta1', name, minCount, spec),
    member: group => ({ schedulingGroup: { podGroupName: group } }),
  },
}

const pod = (name: string, cpu: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }], ...spec },
})

const NO_ROOM =
  '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.'
const IN_VAIN_37 =
  'pod group is unschedulable, minCount (3) cannot be satisfied: 2 scheduled, 0 remaining, pod group preemption: No preemption victims found for incoming preemptor'

/** Messages of the pods of a gang of three, of which two fit. In 1.35 the two wait without a message. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  1.35: [NO_ROOM],
  1.36: [NO_ROOM, 'pod group is unschedulable, waiting for minCount pods from a gang to be scheduled'],
  1.37: ['0/1 nodes are available: 1 Insufficient cpu.', `pod group is unschedulable, ${IN_VAIN_37}`],
}
const GROUP_TEXTS: Readonly<Record<string, string>> = { 1.36: 'pod group is unschedulable', 1.37: IN_VAIN_37 }

for (const [release, api] of Object.entries(APIS))
  describe(`gangs of pods in ${release}`, () => {
    let original: ControlPlane
    let plane: ControlPlane
    before(async () => {
      original = await startControlPlane({
        clock: 'stopped',
        flags: {
          profile: 'cluster',
          controllers: ['scheduler'],
          'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition'],
          'emulated-version': release,
          'feature-gates': api.gates,
          'runtime-config': `scheduling.k8s.io/${api.version}=true`,
        },
      })
    })
    after(() => original.stop())
    beforeEach(async () => {
      plane = await original.fork()
    })
    afterEach(() => plane.stop())

    const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
    const addNode = async (name: string, cpu: string, labels: object = {}): Promise<void> => {
      await plane.apply({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
      } as Manifest)
      const resources = { cpu, memory: '8Gi', pods: '110' }
      await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources, capacity: resources } } })
    }
    const bound = async (): Promise<string[]> => {
      const { items } = await get(PODS)
      return items.filter(({ spec }: AnyObject) => spec.nodeName).map(({ metadata }: AnyObject) => metadata.name)
    }
    const untilBound = (...names: string[]): Promise<void> =>
      plane.until(async () => {
        const all = await bound()
        return names.every(name => all.includes(name))
      })
    const message = async (name: string): Promise<string | undefined> => (await get(`${PODS}/${name}`)).status.conditions?.[0]?.message
    const condition = async (group: string): Promise<AnyObject | undefined> =>
      (await get(`/apis/scheduling.k8s.io/${api.version}/namespaces/default/podgroups/${group}`)).status?.conditions?.[0]

    it('holds pods back until the minimum of them exists, and then binds them', async () => {
      await addNode('n', '8')
      await plane.apply(api.group('train', 3), pod('a', '1', api.member('train')), pod('b', '1', api.member('train')))
      await plane.settled()
      expect(await bound()).to.deep.equal([])
      expect(await message('a')).to.equal(undefined)
      await plane.apply(pod('c', '1', api.member('train')))
      await untilBound('a', 'b', 'c')
      if (api.condition) {
        await plane.until(async () => (await condition('train')) !== undefined)
        expect(await condition('train')).to.include({ type: api.condition, status: 'True', reason: 'Scheduled', message: '' })
        expect(String((await plane.request('GET', '/metrics')).body)).to.contain(
          'scheduler_podgroup_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
        )
      }
    })

    it('lets pods in beside one that another client has bound, and one that is being deleted', async () => {
      await addNode('n', '8')
      const finalized = {
        ...pod('c', '1', api.member('train')),
        metadata: { name: 'c', namespace: 'default', finalizers: ['example.dev/keep'] },
      }
      const gated = async (): Promise<string | undefined> =>
        /^scheduler_pending_pods\{queue="gated"\} .*$/m.exec(String((await plane.request('GET', '/metrics')).body))?.[0].split(' ')[1]
      await plane.apply(api.group('train', 5), finalized, ...['a', 'b', 'd'].map(name => pod(name, '1', api.member('train'))))
      await plane.settled()
      expect(await gated()).to.equal('4')
      const target = { apiVersion: 'v1', kind: 'Node', name: 'n' }
      await plane.request('POST', `${PODS}/a/binding`, { body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target } })
      await plane.request('DELETE', `${PODS}/c`, { body: { gracePeriodSeconds: 30 } })
      await plane.settled()
      expect(await gated()).to.equal('2')
      await plane.apply(...['e', 'f'].map(name => pod(name, '1', api.member('train'))))
      await untilBound('a', 'b', 'd', 'e', 'f')
    })

    it('lets pods in when one that has scheduling gates completes their minimum', async () => {
      await addNode('n', '8')
      const gates = { schedulingGates: [{ name: 'example.dev/quota' }] }
      const members = ['a', 'b'].map(name => pod(name, '1', api.member('train')))
      await plane.apply(api.group('train', 3), ...members, pod('c', '1', { ...api.member('train'), ...gates }))
      await plane.settled()
      expect(await bound()).to.deep.equal([])
      await plane.request('PATCH', `${PODS}/c`, { body: { spec: { schedulingGates: null } } })
      await plane.advance('11s')
      await untilBound('a', 'b', 'c')
    })

    it('holds pods back until their group exists', async () => {
      await addNode('n', '8')
      await plane.apply(pod('a', '1', api.member('train')), pod('b', '1', api.member('train')))
      await plane.settled()
      expect(await bound()).to.deep.equal([])
      await plane.apply(api.group('train', 2))
      await untilBound('a', 'b')
    })

    it('binds no pod of a gang that fits in part, and says why', async () => {
      await addNode('n', '2')
      await plane.apply(api.group('train', 3), ...['a', 'b', 'c'].map(name => pod(name, '1', api.member('train'))))
      const texts = TEXTS[release] ?? []
      await plane.until(async () => {
        const all = await Promise.all(['a', 'b', 'c'].map(message))
        return texts.every(text => all.includes(text))
      })
      expect(await bound()).to.deep.equal([])
      if (api.condition) await plane.until(async () => (await condition('train')) !== undefined)
      if (api.condition)
        expect(await condition('train')).to.include({ status: 'False', reason: 'Unschedulable', message: GROUP_TEXTS[release] })
      await addNode('m', '2')
      await plane.advance('11s')
      await untilBound('a', 'b', 'c')
    })

    const priority = (name: string, value: number): Manifest =>
      ({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value }) as Manifest

    if (release === '1.35')
      it('returns a pod that waits for its gang to the queue if a preemption needs its node', async () => {
        await addNode('n', '2')
        const never = { ...api.member('train'), nodeSelector: { disk: 'none' } }
        await plane.apply(priority('high', 1000), api.group('train', 3), ...['a', 'b'].map(name => pod(name, '1', api.member('train'))))
        await plane.apply(pod('c', '1', never))
        await plane.until(async () => (await message('c')) !== undefined)
        await plane.apply(pod('urgent', '2', { priorityClassName: 'high' }))
        await untilBound('urgent')
        for (const name of ['a', 'b']) expect((await get(`${PODS}/${name}`)).metadata.deletionTimestamp).to.equal(undefined)
      })

    if (release === '1.35')
      it('no longer waits for the gang of a pod that another client has bound', async () => {
        await addNode('n', '2')
        await addNode('m', '2')
        const never = { ...api.member('train'), nodeSelector: { disk: 'none' } }
        const on = (name: string) => ({ nodeSelector: { 'kubernetes.io/hostname': name } })
        await plane.apply(api.group('train', 4), ...['c', 'd'].map(name => pod(name, '1', never)))
        await plane.apply(pod('a', '2', { ...api.member('train'), ...on('n') }), pod('b', '1', { ...api.member('train'), ...on('m') }))
        await plane.until(async () => (await message('d')) !== undefined)
        await plane.apply(pod('other', '2', on('n')))
        await plane.until(async () => (await message('other')) !== undefined)
        const target = { apiVersion: 'v1', kind: 'Node', name: 'm' }
        const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target }
        await plane.request('POST', `${PODS}/a/binding`, { body: binding })
        // The node that the pod has waited on is free at once.
        await plane.advance('11s')
        await untilBound('other')
        await plane.advance('5m')
        await plane.until(async () => (await message('b')) !== undefined)
        const { spec, status } = await get(`${PODS}/a`)
        expect([spec.nodeName, status.conditions.map(({ type, status: is }: AnyObject) => [type, is])]).to.deep.equal([
          'm',
          [['PodScheduled', 'True']],
        ])
      })

    if (release === '1.35')
      it('takes the node from a pod that has waited for its gang for five minutes', async () => {
        await addNode('n', '2')
        const never = { ...api.member('train'), nodeSelector: { disk: 'none' } }
        await plane.apply(
          api.group('train', 3),
          pod('a', '1', api.member('train')),
          pod('b', '1', api.member('train')),
          pod('c', '1', never),
        )
        await plane.until(async () => (await message('c')) !== undefined)
        await plane.apply(pod('other', '1'))
        await plane.until(async () => (await message('other')) === NO_ROOM)
        await plane.advance('4m')
        await plane.settled()
        expect(await bound()).to.deep.equal([])
        await plane.advance('61s')
        await untilBound('other')
        expect(await message('a')).to.equal(
          '0/1 nodes are available: 1 rejected due to timeout after waiting 5m0s at plugin GangScheduling.',
        )
      })
    else
      it('deletes pods of lower priority for a gang, and binds it when they are gone', async () => {
        await addNode('n', '2')
        await addNode('m', '2')
        await plane.apply(priority('high', 1000), pod('low-1', '2'), pod('low-2', '1'))
        await untilBound('low-1', 'low-2')
        const member = { ...api.member('train'), priorityClassName: 'high' }
        const group = api.group('train', 3, release === '1.37' ? { priorityClassName: 'high' } : {})
        await plane.apply(group, ...['a', 'b', 'c'].map(name => pod(name, '1', member)))
        const nominated = async (): Promise<string[]> =>
          Promise.all(['a', 'b', 'c'].map(async name => (await get(`${PODS}/${name}`)).status.nominatedNodeName))
        await plane.until(async () => (await get(`${PODS}/low-1`)).metadata.deletionTimestamp !== undefined)
        await plane.settled()
        expect(await bound()).to.deep.equal(['low-1', 'low-2'])
        expect((await nominated()).filter(node => node === 'n' || node === 'm')).to.have.length(3)
        expect((await condition('train'))?.message).to.match(
          release === '1.37' ? /^pod group is unschedulable, minCount/ : /waiting for preemption to complete$/,
        )
        for (const name of ['low-1', 'low-2'])
          if ((await get(`${PODS}/${name}`)).metadata.deletionTimestamp !== undefined)
            await plane.request('DELETE', `${PODS}/${name}`, { body: { gracePeriodSeconds: 0 } })
        await plane.advance('11s')
        await untilBound('a', 'b', 'c')
      })

    if (release === '1.37')
      it('rejects pods whose priority is not that of their group', async () => {
        await addNode('n', '8')
        await plane.apply(
          priority('high', 1000),
          api.group('train', 1),
          pod('a', '1', { ...api.member('train'), priorityClassName: 'high' }),
        )
        const text = "all pods in a single pod group should have the same priority as the pod group's priority, got 1000 and 0"
        await plane.until(async () => (await message('a')) === text && (await condition('train')) !== undefined)
        expect(await condition('train')).to.include({ status: 'False', reason: 'SchedulerError', message: text })
      })
  })

/** Number of random clusters with gangs, and the first seed: `COUNT=20 SEED=1000`. */
const COUNT = Number(process.env.COUNT ?? 1)
const SEED = Number(process.env.SEED ?? 1)

describe('random gangs of pods', function () {
  this.timeout(120_000 * COUNT)
  for (const [release, api] of Object.entries(APIS))
    for (let seed = SEED; seed < SEED + COUNT; seed++)
      it(`have no node or enough, and all have nodes once there is room (${release}, seed ${seed})`, async () => {
        const random = seededRandom(seed)
        const below = (count: number): number => Math.floor(random() * count)
        const plane = await startControlPlane({
          seed,
          flags: {
            profile: 'cluster',
            controllers: ['scheduler'],
            'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition', 'DefaultTolerationSeconds'],
            'emulated-version': release,
            'feature-gates': api.gates,
            'runtime-config': `scheduling.k8s.io/${api.version}=true`,
          },
        })
        try {
          const addNode = async (name: string): Promise<void> => {
            await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } } as Manifest)
            const resources = { cpu: '4', memory: '8Gi', pods: '110' }
            await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources } } })
          }
          const settle = async (): Promise<void> => {
            // In 1.35, pods of different gangs may keep nodes from each other for five minutes.
            for (let i = 0; i < (release === '1.35' ? 10 : 3); i++) {
              await plane.advance('61s')
              await plane.settled()
            }
          }
          const minimums = new Map<string, number>()
          const created: Manifest[] = []
          for (let i = 0; i < 5; i++) {
            const size = 2 + below(4)
            minimums.set(`g${i}`, 1 + below(size))
            created.push(api.group(`g${i}`, minimums.get(`g${i}`) ?? 1))
            for (let j = 0; j < size; j++) created.push(pod(`g${i}-${j}`, String(1 + below(3)), api.member(`g${i}`)))
          }
          for (let i = 0; i < 4; i++) created.push(pod(`single-${i}`, '1'))
          for (let i = 0; i < 4; i++) await addNode(`n${i}`)
          for (const object of created.sort(() => random() - 0.5)) await plane.apply(object)
          await settle()
          const bound = async (): Promise<AnyObject[]> =>
            (await plane.request<AnyObject>('GET', PODS)).body.items.filter(({ spec }: AnyObject) => spec.nodeName)
          const names = (await bound()).map(({ metadata }) => metadata.name as string)
          for (const [group, minimum] of minimums) {
            const count = names.filter(name => name.startsWith(group)).length
            expect(count === 0 || count >= minimum, `${count} pods of ${group}, which needs ${minimum}`).to.equal(true)
          }
          for (let i = 4; i < 24; i++) await addNode(`n${i}`)
          await settle()
          expect(await bound()).to.have.length(created.length - minimums.size)
        } finally {
          await plane.stop()
        }
      })
})

describe('groups of pods that are limited to one rack', () => {
  const RACK = 'example.dev/rack'
  for (const [release, api] of Object.entries(APIS))
    if (api.condition)
      it(`places all pods in the rack with room for them in ${release}`, async () => {
        const plane = await startControlPlane({
          flags: {
            profile: 'cluster',
            controllers: ['scheduler'],
            'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition'],
            'emulated-version': release,
            'feature-gates': `${api.gates},TopologyAwareWorkloadScheduling=true`,
            'runtime-config': `scheduling.k8s.io/${api.version}=true`,
          },
        })
        try {
          const resources = (cpu: string) => ({ cpu, memory: '8Gi', pods: '110' })
          for (const [name, rack, cpu] of [
            ['a', 'one', '8'],
            ['b', 'two', '2'],
            ['c', 'two', '2'],
          ] as const) {
            await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { [RACK]: rack } } } as Manifest)
            await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: resources(cpu) } } })
          }
          const where = async (): Promise<string[]> => {
            const { items } = (await plane.request<AnyObject>('GET', PODS)).body
            return items.map(({ spec }: AnyObject) => spec.nodeName).sort()
          }
          // The larger node is full but for one core, so that the rack with two nodes is the only one.
          await plane.apply(pod('large', '7', { nodeSelector: { [RACK]: 'one' } }))
          await plane.until(async () => (await where())[0] === 'a')
          const limits = { schedulingConstraints: { topology: [{ key: RACK }] } }
          await plane.apply(api.group('train', 3, limits), ...['x', 'y', 'z'].map(name => pod(name, '1', api.member('train'))))
          await plane.until(async () => (await where()).every(node => node !== undefined))
          expect((await where()).filter(node => node !== 'a')).to.have.length(3)
        } finally {
          await plane.stop()
        }
      })
})
