import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { storeDigest } from '../../support/seeded-history.ts'

const PODS = '/api/v1/namespaces/default/pods'

const node = (name: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec,
})
const pod = (name: string, cpu: string, spec: object = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }], ...spec },
})

describe('the scheduler of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({
      flags: { profile: 'cluster', controllers: ['scheduler'], 'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition'] },
    })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (name: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', `${PODS}/${name}`)).body
  const events = async (reason: string): Promise<string[]> => {
    const { items } = (await plane.request<AnyObject>('GET', '/api/v1/namespaces/default/events')).body
    return items.filter((event: AnyObject) => event.reason === reason).map(({ message }: AnyObject) => message)
  }
  const addNode = async (name: string, cpu: string, spec?: object): Promise<void> => {
    await plane.apply(node(name, spec))
    await plane.request('PATCH', `/api/v1/nodes/${name}/status`, {
      body: { status: { allocatable: { cpu, memory: '8Gi', pods: '110' }, capacity: { cpu, memory: '8Gi', pods: '110' } } },
    })
  }
  const untilBound = (name: string, to: string): Promise<void> => plane.until(async () => (await get(name)).spec.nodeName === to)

  it('binds a pod to the node with the most room, and records an event', async () => {
    await addNode('small', '2')
    await addNode('large', '8')
    await plane.apply(pod('web', '1'))
    await untilBound('web', 'large')
    expect((await get('web')).status.conditions[0]).to.include({ type: 'PodScheduled', status: 'True' })
    await plane.until(async () => (await events('Scheduled')).length > 0)
    expect(await events('Scheduled')).to.deep.equal(['Successfully assigned default/web to large'])
  })

  it('says why a pod fits on no node, and binds it when a node is added', async () => {
    await addNode('tainted', '8', { taints: [{ key: 'dedicated', value: 'infra', effect: 'NoSchedule' }] })
    await addNode('small', '1')
    await plane.apply(pod('web', '2'))
    const message =
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {dedicated: infra}. preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.'
    await plane.until(async () => (await get('web')).status.conditions?.[0]?.message === message)
    expect((await get('web')).status.conditions[0]).to.include({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' })
    await plane.until(async () => (await events('FailedScheduling')).includes(message))
    await addNode('new', '4')
    await untilBound('web', 'new')
  })

  it('counts attempts and waiting pods in its metrics', async () => {
    await addNode('n', '2')
    await plane.apply(pod('fits', '1'), pod('large', '9'), pod('gated', '1', { schedulingGates: [{ name: 'wait' }] }))
    await untilBound('fits', 'n')
    await plane.until(async () => (await get('large')).status.conditions !== undefined)
    const text = String((await plane.request('GET', '/metrics')).body)
    for (const line of [
      'scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 1',
      'scheduler_pending_pods{queue="unschedulable"} 1',
      'scheduler_pending_pods{queue="gated"} 1',
      'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
      'scheduler_cache_size{type="nodes"} 1',
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="PreFilter",profile="default-scheduler",status="Success"} ',
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",profile="default-scheduler",status="Success"} 1',
      'scheduler_pod_scheduling_attempts_count 1',
    ])
      expect(text).to.contain(line)
  })

  it('leaves pods of other schedulers, and pods with scheduling gates, alone', async () => {
    await addNode('n', '4')
    await plane.apply(
      pod('other', '1', { schedulerName: 'mine' }),
      pod('gated', '1', { schedulingGates: [{ name: 'wait' }] }),
      pod('web', '1'),
    )
    await untilBound('web', 'n')
    await plane.settled()
    expect([(await get('other')).spec.nodeName, (await get('gated')).spec.nodeName]).to.deep.equal([undefined, undefined])
    await plane.request('PATCH', `${PODS}/gated`, { body: { spec: { schedulingGates: null } } })
    await untilBound('gated', 'n')
  })

  it('binds a pod when a node is deleted whose zone the pods had to be even with', async () => {
    const zone = 'topology.kubernetes.io/zone'
    await addNode('a', '8')
    await addNode('b', '1')
    for (const name of ['a', 'b'])
      await plane.request('PATCH', `/api/v1/nodes/${name}`, { body: { metadata: { labels: { [zone]: name } } } })
    const labelSelector = { matchLabels: { app: 'web' } }
    const spread = { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule', labelSelector }] }
    const labelled = (name: string): Manifest => ({
      ...pod(name, '2', spread),
      metadata: { name, namespace: 'default', labels: { app: 'web' } },
    })
    await plane.apply(labelled('first'))
    await untilBound('first', 'a')
    await plane.apply(labelled('second'))
    await plane.until(async () => (await get('second')).status.conditions?.[0]?.reason === 'Unschedulable')
    await plane.request('DELETE', '/api/v1/nodes/b')
    await untilBound('second', 'a')
  })

  it('does not schedule a pod that is being deleted, and says so when it would try again', async () => {
    await addNode('small', '1')
    const held = pod('held', '2')
    await plane.apply({ ...held, metadata: { ...held.metadata, finalizers: ['example.com/hold'] } } as Manifest)
    await plane.until(async () => (await get('held')).status.conditions?.[0]?.reason === 'Unschedulable')
    await plane.request('DELETE', `${PODS}/held`)
    await addNode('large', '8')
    await plane.until(async () => (await events('FailedScheduling')).includes('skip schedule deleting pod: default/held'))
    expect((await get('held')).spec).to.not.have.property('nodeName')
  })

  it('deletes a pod of lower priority to make room, and binds when it is gone', async () => {
    await addNode('n', '4')
    await plane.apply(
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 } as Manifest,
      pod('low', '3'),
    )
    await untilBound('low', 'n')
    await plane.apply(pod('urgent', '3', { priorityClassName: 'high' }))
    await plane.until(async () => (await get('urgent')).status.nominatedNodeName === 'n')
    await plane.until(async () => (await get('low')).metadata.deletionTimestamp !== undefined)
    const low = await get('low')
    expect(low.status.conditions).to.satisfy((all: AnyObject[]) =>
      all.some(({ type, reason }) => type === 'DisruptionTarget' && reason === 'PreemptionByScheduler'),
    )
    await plane.request('DELETE', `${PODS}/low`, { body: { gracePeriodSeconds: 0 } })
    await untilBound('urgent', 'n')
  })

  it('clears a nomination that can no longer come true', async () => {
    await addNode('n', '4')
    await plane.apply(
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 } as Manifest,
      pod('low', '3'),
    )
    await untilBound('low', 'n')
    await plane.apply(pod('urgent', '3', { priorityClassName: 'high' }))
    await plane.until(async () => (await get('urgent')).status.nominatedNodeName === 'n')
    await plane.request('PATCH', '/api/v1/nodes/n', { body: { spec: { unschedulable: true } } })
    await plane.request('DELETE', `${PODS}/low`, { body: { gracePeriodSeconds: 0 } })
    await plane.until(async () => (await get('urgent')).status.nominatedNodeName === undefined)
    expect((await get('urgent')).status.conditions[0].message).to.contain('1 node(s) were unschedulable')
  })

  it('spreads many pods over equal nodes', async () => {
    for (const name of ['a', 'b', 'c']) await addNode(name, '16')
    await plane.apply(...Array.from({ length: 30 }, (_, i) => pod(`web-${i}`, '100m')))
    const bound = async (): Promise<string[]> =>
      (await plane.request<AnyObject>('GET', PODS)).body.items.flatMap(({ spec }: AnyObject) => (spec.nodeName ? [spec.nodeName] : []))
    await plane.until(async () => (await bound()).length === 30)
    const counts = ['a', 'b', 'c'].map(async name => (await bound()).filter(one => one === name).length)
    expect(await Promise.all(counts)).to.deep.equal([10, 10, 10])
  })
})

describe('the scheduler with a configuration', () => {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-scheduler-'))
  after(() => rmSync(directory, { recursive: true }))
  const start = (profiles: string): Promise<ControlPlane> => {
    const file = join(directory, 'config.yaml')
    writeFileSync(file, `apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: ${profiles}\n`)
    const admission = ['ServiceAccount', 'TaintNodesByCondition']
    return startControlPlane({
      flags: { profile: 'cluster', controllers: ['scheduler'], 'disable-admission-plugins': admission, 'scheduler-config': file },
    })
  }

  it('schedules the pods of each profile by its plugins', async () => {
    const most = '{scoringStrategy: {type: MostAllocated, resources: [{name: cpu}]}}'
    const plane = await start(`[{schedulerName: spread}, {schedulerName: pack, pluginConfig: [{name: NodeResourcesFit, args: ${most}}]}]`)
    try {
      for (const [name, cpu] of [
        ['small', '4'],
        ['large', '16'],
      ]) {
        await plane.apply(node(name ?? ''))
        const amounts = { cpu, memory: '64Gi', pods: '110' }
        await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: amounts, capacity: amounts } } })
      }
      await plane.apply(pod('spread', '1', { schedulerName: 'spread' }), pod('pack', '1', { schedulerName: 'pack' }), pod('default', '1'))
      const nodeOf = async (name: string): Promise<string> => (await plane.request<AnyObject>('GET', `${PODS}/${name}`)).body.spec.nodeName
      await plane.until(async () => (await nodeOf('spread')) !== undefined && (await nodeOf('pack')) !== undefined)
      expect([await nodeOf('spread'), await nodeOf('pack'), await nodeOf('default')]).to.deep.equal(['large', 'small', undefined])
    } finally {
      await plane.stop()
    }
  })

  it('does not start with a configuration that is invalid', async () => {
    const error = await start('[{schedulerName: a, percentageOfNodesToScore: -1}]').then(() => undefined, String)
    expect(error).to.contain('--scheduler-config: profiles[0].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100]')
  })
})

describe('the scheduler of a seeded cluster', () => {
  it('stores the same bytes for the same seed', async () => {
    const digestOf = async (seed: string): Promise<string> => {
      const flags = {
        profile: 'cluster',
        controllers: ['scheduler'],
        'disable-admission-plugins': ['ServiceAccount', 'TaintNodesByCondition'],
      }
      const plane = await startControlPlane({ seed, flags })
      try {
        for (const name of ['a', 'b', 'c', 'd']) {
          await plane.apply(node(name))
          const amounts = { cpu: '4', memory: '8Gi', pods: '110' }
          await plane.request('PATCH', `/api/v1/nodes/${name}/status`, { body: { status: { allocatable: amounts, capacity: amounts } } })
        }
        await plane.apply(...Array.from({ length: 12 }, (_, i) => pod(`web-${i}`, '100m')), pod('large', '9'))
        await plane.settled()
        const { items } = (await plane.request<AnyObject>('GET', PODS)).body
        expect(items.filter(({ spec }: AnyObject) => spec.nodeName).length).to.equal(12)
        return `${items.map(({ spec }: AnyObject) => spec.nodeName).join()} ${storeDigest(plane)}`
      } finally {
        await plane.stop()
      }
    }
    const [one, again, other] = [await digestOf('x'), await digestOf('x'), await digestOf('y')]
    expect(again).to.equal(one)
    expect(other.split(' ')[0]).to.not.equal(one.split(' ')[0])
  })
})
