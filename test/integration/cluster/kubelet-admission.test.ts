import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const PODS = '/api/v1/namespaces/default/pods'

/** Starts a cluster of one node with 8 CPUs. */
async function clusterIn(release: string): Promise<ControlPlane> {
  const plane = await startControlPlane({ clock: 'stopped', release, flags: { profile: 'cluster', nodes: '1' } })
  await plane.until(async () => {
    const { body } = await plane.request<AnyObject>('GET', '/api/v1/nodes')
    return body.items.some(({ status }: AnyObject) => status.conditions?.some(({ type }: AnyObject) => type === 'Ready'))
  })
  return plane
}

describe('kubelets of simulated nodes', () => {
  let plane: ControlPlane
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const statusOf = async (name: string): Promise<AnyObject> => (await get(`${PODS}/${name}`)).status
  const conditionOf = async (name: string, type: string): Promise<AnyObject | undefined> =>
    (await statusOf(name)).conditions?.find((condition: AnyObject) => condition.type === type)
  const eventsOf = async (name: string): Promise<string[]> =>
    (await get('/api/v1/namespaces/default/events')).items
      .filter(({ involvedObject }: AnyObject) => involvedObject.name === name)
      .map(({ type, reason, message }: AnyObject) => `${type} ${reason} ${message}`)
  const run = (name: string, cpu: string, spec: object = {}): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { ...spec, nodeName: 'node-1', containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }] },
    } as Manifest)
  const phase = (name: string, expected: string): Promise<void> => plane.until(async () => (await statusOf(name)).phase === expected)
  const resize = (name: string, cpu: string): Promise<unknown> =>
    plane.request('PATCH', `${PODS}/${name}/resize`, {
      body: { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
      headers: { 'content-type': 'application/strategic-merge-patch+json' },
    })

  it('reject a pod that is bound to a node without room', async () => {
    plane = await clusterIn('1.33')
    await run('first', '6')
    await phase('first', 'Running')
    await run('second', '3')
    await phase('second', 'Failed')
    const text = "Node didn't have enough resource: cpu, requested: 3000, used: 6000, capacity: 8000"
    const { startTime, ...status } = await statusOf('second')
    expect(startTime).to.be.a('string')
    expect(status).to.deep.equal({ phase: 'Failed', reason: 'OutOfcpu', message: `Pod was rejected: ${text}`, qosClass: 'Burstable' })
    await plane.settled()
    expect(await eventsOf('second')).to.deep.equal([`Warning OutOfcpu ${text}`])
    await plane.request('DELETE', `${PODS}/first`)
    await plane.until(async () => (await get(PODS)).items.length === 1)
    await run('third', '3')
    await phase('third', 'Running')
  })

  it('report a resize that is infeasible or deferred in conditions, and carry it out when there is room', async () => {
    plane = await clusterIn('1.35')
    for (const name of ['a', 'b']) await run(name, '3')
    for (const name of ['a', 'b']) await phase(name, 'Running')
    // Events are recorded once, though the status is written again.
    const fault = plane.faults.add({ match: { users: ['system:node:node-1'], names: ['a'] }, rate: { count: 2 }, status: { code: 503 } })
    await resize('a', '9')
    await plane.until(async () => (await conditionOf('a', 'PodResizePending')) !== undefined)
    expect(await conditionOf('a', 'PodResizePending')).to.include({
      status: 'True',
      reason: 'Infeasible',
      message: "Node didn't have enough capacity: cpu, requested: 9000, capacity: 8000",
      observedGeneration: 2,
    })
    await resize('a', '6')
    await plane.until(async () => (await conditionOf('a', 'PodResizePending'))?.reason === 'Deferred')
    expect((await statusOf('a')).containerStatuses[0]).to.deep.include({ allocatedResources: { cpu: '3' } })
    await plane.request('DELETE', `${PODS}/b`)
    await plane.until(async () => (await statusOf('a')).containerStatuses[0].resources.requests.cpu === '6')
    await plane.settled()
    expect(await conditionOf('a', 'PodResizePending')).to.equal(undefined)
    expect(await conditionOf('a', 'PodResizeInProgress')).to.equal(undefined)
    const reasons = (await eventsOf('a')).map(text => text.split(' ')[1]).filter(reason => reason?.startsWith('Resize'))
    expect(reasons).to.have.members(['ResizeInfeasible', 'ResizeDeferred', 'ResizeStarted', 'ResizeCompleted'])
    expect(fault.hits).to.equal(2)
  })

  it('evict a pod for a critical one', async () => {
    plane = await clusterIn('1.33')
    await run('first', '6')
    await phase('first', 'Running')
    await run('critical', '4', { priorityClassName: 'system-node-critical' })
    await phase('critical', 'Running')
    await phase('first', 'Failed')
    expect(await statusOf('first')).to.include({ reason: 'Preempting', message: 'Preempted in order to admit critical pod' })
    expect(await conditionOf('first', 'DisruptionTarget')).to.include({
      reason: 'TerminationByKubelet',
      message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
    })
  })

  it('reject with the prefix of old releases', async () => {
    plane = await clusterIn('1.25')
    await run('big', '9')
    await phase('big', 'Failed')
    expect((await statusOf('big')).message).to.equal("Pod Node didn't have enough resource: cpu, requested: 9000, used: 0, capacity: 8000")
  })
})
