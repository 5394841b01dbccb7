import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const STOPPED = 'kubelet.binnacle.dev/stopped'
const POD = '/api/v1/namespaces/default/pods/p'

describe('the health of nodes in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: new Date('2030-01-01T00:00:00Z'), flags: { profile: 'cluster', nodes: '3' } })
    await original.until(async () => (await nodes(original)).filter(({ spec }) => !spec.taints?.length).length === 3)
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const nodes = async (of: ControlPlane): Promise<AnyObject[]> => (await of.request<AnyObject>('GET', '/api/v1/nodes')).body.items
  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const condition = (object: AnyObject, type: string): AnyObject => object.status.conditions?.find((each: AnyObject) => each.type === type)
  const effects = ({ spec }: AnyObject): string[] =>
    (spec.taints ?? []).map(({ key, effect }: AnyObject) => `${key.split('/')[1]} ${effect}`)
  const advance = async (seconds: number): Promise<void> => {
    await plane.settled()
    await plane.advance(seconds * 1000)
    await plane.settled()
  }
  const stop = (name: string, isStopped: boolean): Promise<unknown> =>
    plane.request('PATCH', `/api/v1/nodes/${name}`, { body: { metadata: { annotations: { [STOPPED]: isStopped ? 'true' : null } } } })
  const reasons = async (kind: string, name: string): Promise<string[]> =>
    (await get('/api/v1/events')).items
      .filter(({ involvedObject }: AnyObject) => involvedObject.kind === kind && involvedObject.name === name)
      .map(({ reason }: AnyObject) => reason)

  it('is shown by leases that are renewed every ten seconds, and belong to the node', async () => {
    const lease = (): Promise<AnyObject> => get('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-1')
    const [node] = await nodes(plane)
    const { spec, metadata } = await lease()
    expect(spec).to.deep.include({ holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2030-01-01T00:00:00.000000Z' })
    expect(metadata.ownerReferences).to.deep.equal([{ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: node?.metadata.uid }])
    await advance(35)
    expect((await lease()).spec.renewTime).to.equal('2030-01-01T00:00:30.000000Z')
  })

  it('is reported in conditions every five minutes', async () => {
    await advance(299)
    const heartbeats = async (): Promise<Set<string>> =>
      new Set((await nodes(plane)).map(node => condition(node, 'Ready').lastHeartbeatTime))
    const early = await heartbeats()
    expect(early).not.to.include('2030-01-01T00:00:00Z')
    await advance(300)
    expect((await nodes(plane)).every(node => !early.has(condition(node, 'Ready').lastHeartbeatTime))).to.equal(true)
    expect((await nodes(plane)).map(node => condition(node, 'Ready').lastTransitionTime)).to.deep.equal(
      Array(3).fill('2030-01-01T00:00:00Z'),
    )
  })

  it('is lost by a node that is stopped, which is tainted, and found again', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'app:1' }], nodeName: 'node-1' },
    } as Manifest)
    await plane.until(async () => condition(await get(POD), 'Ready')?.status === 'True')
    await stop('node-1', true)
    await advance(45)
    expect(effects(await get('/api/v1/nodes/node-1'))).to.deep.equal([])
    await advance(15)
    const lost = await get('/api/v1/nodes/node-1')
    expect(condition(lost, 'Ready')).to.include({
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    })
    expect(effects(lost)).to.have.members(['unreachable NoSchedule', 'unreachable NoExecute'])
    expect(condition(await get(POD), 'Ready').status).to.equal('False')
    expect(await reasons('Node', 'node-1')).to.include.members(['Starting', 'NodeReady', 'RegisteredNode', 'NodeNotReady'])
    expect(await reasons('Pod', 'p')).to.include('NodeNotReady')
    await stop('node-1', false)
    await plane.until(async () => effects(await get('/api/v1/nodes/node-1')).length === 0)
    expect(condition(await get('/api/v1/nodes/node-1'), 'Ready').status).to.equal('True')
    await plane.until(async () => condition(await get(POD), 'Ready').status === 'True')
  })

  it('is reported by a deleted node until its finalizers are done', async () => {
    await plane.request('PATCH', '/api/v1/nodes/node-1', { body: { metadata: { finalizers: ['example.com/drain'] } } })
    await plane.request('DELETE', '/api/v1/nodes/node-1')
    await advance(120)
    const node = await get('/api/v1/nodes/node-1')
    expect(node.metadata.deletionTimestamp).to.be.a('string')
    expect(condition(node, 'Ready').status).to.equal('True')
    expect(effects(node)).to.deep.equal([])
  })

  it('is lost by a node whose requests fail, and found again with its pods', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default' },
      spec: { containers: [{ name: 'c', image: 'app:1' }], nodeName: 'node-2' },
    } as Manifest)
    await plane.until(async () => condition(await get(POD), 'Ready')?.status === 'True')
    const fault = plane.faults.add({ match: { users: ['system:node:node-2'] }, status: { code: 503 } })
    await advance(60)
    expect(condition(await get('/api/v1/nodes/node-2'), 'Ready').status).to.equal('Unknown')
    expect(condition(await get('/api/v1/nodes/node-1'), 'Ready').status).to.equal('True')
    expect(condition(await get(POD), 'Ready').status).to.equal('False')
    expect(fault.hits).to.be.greaterThan(0)
    fault.remove()
    await advance(10)
    await plane.until(
      async () => effects(await get('/api/v1/nodes/node-2')).length === 0 && condition(await get(POD), 'Ready').status === 'True',
    )
  })

  it('is lost by all nodes at once without an eviction', async () => {
    for (const name of ['node-1', 'node-2', 'node-3']) await stop(name, true)
    await advance(120)
    expect((await nodes(plane)).map(effects)).to.deep.equal(Array(3).fill(['unreachable NoSchedule']))
    await stop('node-2', false)
    await advance(1)
    expect(effects(await get('/api/v1/nodes/node-2'))).to.deep.equal([])
    await advance(10)
    expect((await nodes(plane)).filter(node => effects(node).includes('unreachable NoExecute'))).to.have.length(1)
  })

  it('is as an annotation of the node says', async () => {
    const report = (conditions: string | null): Promise<unknown> =>
      plane.request('PATCH', '/api/v1/nodes/node-2', {
        body: { metadata: { annotations: { 'kubelet.binnacle.dev/conditions': conditions } } },
      })
    await report('MemoryPressure=True, Ready=False')
    await plane.until(async () => effects(await get('/api/v1/nodes/node-2')).length === 3)
    const node = await get('/api/v1/nodes/node-2')
    expect(effects(node)).to.have.members(['not-ready NoSchedule', 'memory-pressure NoSchedule', 'not-ready NoExecute'])
    expect(condition(node, 'MemoryPressure').reason).to.equal('KubeletHasInsufficientMemory')
    await report(null)
    await plane.until(async () => effects(await get('/api/v1/nodes/node-2')).length === 0)
  })

  it('is taken over for a node that another client has created with the label of simulated nodes', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'own', labels: { 'binnacle.dev/simulated': 'true' } },
    } as Manifest)
    await plane.until(async () => condition(await get('/api/v1/nodes/own'), 'Ready')?.status === 'True')
    const { status } = await get('/api/v1/nodes/own')
    expect(status.capacity).to.include({ cpu: '8' })
    expect(status.addresses[0]).to.deep.equal({ type: 'InternalIP', address: '10.128.0.4' })
    await plane.until(async () => effects(await get('/api/v1/nodes/own')).length === 0)
    await plane.request('DELETE', '/api/v1/nodes/own')
    await plane.until(async () => (await reasons('Node', 'own')).includes('RemovingNode'))
  })

  it("is taken over for a node with the annotation of kwok's nodes, whose capacity stays", async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'fake', annotations: { 'kwok.x-k8s.io/node': 'fake' } },
      status: { capacity: { cpu: '2' }, allocatable: { cpu: '1', pods: '10' } },
    } as Manifest)
    await plane.until(async () => condition(await get('/api/v1/nodes/fake'), 'Ready')?.status === 'True')
    const { status } = await get('/api/v1/nodes/fake')
    expect(status.capacity).to.deep.equal({ cpu: '2' })
    expect(status.allocatable).to.deep.equal({ cpu: '1', pods: '10' })
  })

  it('is left to the kubelet of a node that has neither', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'real', annotations: { 'kwok.x-k8s.io/node': 'real' } },
    } as Manifest)
    await plane.settled()
    expect(condition(await get('/api/v1/nodes/real'), 'Ready')).to.equal(undefined)
  })
})

describe('a file of node pools', () => {
  const folder = mkdtempSync(join(tmpdir(), 'binnacle-pools-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (text: string): string => {
    const path = join(folder, 'pools.yaml')
    writeFileSync(path, `apiVersion: binnacle.dev/v1alpha1\nkind: NodePools\n${text}`)
    return path
  }

  it('registers the nodes of its pools', async () => {
    const nodes = file(
      'pools: [{name: web, count: 120, zones: [a, b], taints: [{key: web, effect: NoSchedule}]}, {namePrefix: db., count: 1, capacity: {cpu: 2}}]',
    )
    const plane = await startControlPlane({ flags: { profile: 'cluster', nodes } })
    try {
      const items = async (): Promise<AnyObject[]> => (await plane.request<AnyObject>('GET', '/api/v1/nodes')).body.items
      await plane.until(async () => (await items()).length === 121)
      const byName = new Map((await items()).map(node => [node.metadata.name, node]))
      expect(byName.get('web-120')?.metadata.labels).to.include({ 'topology.kubernetes.io/zone': 'b', 'binnacle.dev/pool': 'web' })
      expect(byName.get('web-120')?.spec.taints).to.deep.include({ key: 'web', effect: 'NoSchedule' })
      expect(byName.get('db.1')?.status.allocatable).to.include({ cpu: '2', memory: '32Gi' })
    } finally {
      await plane.stop()
    }
  })

  it('ends the start if it is invalid, with an error that names the field', async () => {
    const error = await startControlPlane({ flags: { profile: 'cluster', nodes: file('pools: [{name: web}]') } }).catch((reason: unknown) =>
      String(reason),
    )
    expect(error).to.include('--nodes: pools[0].count: Required value')
  })
})
