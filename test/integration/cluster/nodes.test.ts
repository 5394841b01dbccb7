import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } }
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web'
const PODS = '/api/v1/namespaces/default/pods'

describe('simulated nodes of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', nodes: '2' } })
    await original.until(async () => (await readyNodes(original)).length === 2)
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const readyNodes = async (of: ControlPlane): Promise<AnyObject[]> =>
    (await of.request<AnyObject>('GET', '/api/v1/nodes')).body.items.filter(
      ({ spec, status }: AnyObject) =>
        !spec.taints?.length && status.conditions?.some(({ type, status: is }: AnyObject) => type === 'Ready' && is === 'True'),
    )

  it('register, become ready and lose the taint of new nodes', async () => {
    const [first, second] = await readyNodes(plane)
    expect([first?.metadata.name, second?.metadata.name]).to.deep.equal(['node-1', 'node-2'])
    expect(first?.status.nodeInfo.kubeletVersion).to.equal('v1.33.0')
    expect(first?.status.capacity).to.include({ cpu: '8', pods: '110' })
    expect([first, second].map(node => node?.status.addresses[0].address)).to.deep.equal(['10.128.0.1', '10.128.0.2'])
  })

  it('run the pods of a deployment, which becomes available, and remove those that are deleted', async () => {
    await plane.apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
    } as Manifest)
    await plane.until(async () => (await get(DEPLOYMENT)).status.availableReplicas === 3)
    const { items } = await get(PODS)
    expect(items.map(({ status }: AnyObject) => status.phase)).to.deep.equal(['Running', 'Running', 'Running'])
    expect(new Set(items.map(({ status }: AnyObject) => status.podIP)).size).to.equal(3)
    expect(items[0].status.containerStatuses[0]).to.deep.include({ name: 'c', ready: true, image: 'app:1' })
    await plane.request('PATCH', DEPLOYMENT, { body: { spec: { replicas: 1 } } })
    await plane.until(async () => (await get(PODS)).items.length === 1)
  })

  it('complete the pods of a job', async () => {
    const template = { spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } }
    await plane.apply({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sum', namespace: 'default' },
      spec: { completions: 2, template },
    } as Manifest)
    const job = async (): Promise<AnyObject> => get('/apis/batch/v1/namespaces/default/jobs/sum')
    await plane.until(async () =>
      (await job()).status.conditions?.some(({ type, status }: AnyObject) => type === 'Complete' && status === 'True'),
    )
    expect((await job()).status.succeeded).to.equal(2)
  })

  const podOn = (name: string, spec: object, annotations: Record<string, string> = {}): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', annotations },
      spec: { ...TEMPLATE.spec, nodeName: 'node-1', ...spec },
    } as Manifest)
  const stateOf = async (name: string): Promise<AnyObject> => (await get(`${PODS}/${name}`)).status
  const waitingReason = async (name: string): Promise<string> => (await stateOf(name)).containerStatuses?.[0]?.state.waiting?.reason

  it('report what a kubelet reports, with its events, and then nothing more', async () => {
    const before = Number((await get('/api/v1/pods')).metadata.resourceVersion)
    await podOn('p', { initContainers: [{ name: 'i', image: 'init:1' }] })
    await plane.until(async () => (await stateOf('p')).phase === 'Running')
    await plane.settled()
    const { status, metadata } = await get(`${PODS}/p`)
    expect(status.conditions.map(({ type, status: is }: AnyObject) => `${type} ${is}`)).to.have.members(
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(type => `${type} True`),
    )
    expect(status.initContainerStatuses[0].state.terminated).to.include({ exitCode: 0, reason: 'Completed' })
    const [{ spec }] = (await get('/api/v1/nodes')).items
    expect(status.podIP.startsWith(spec.podCIDR.replace('0/24', ''))).to.equal(true)
    expect(metadata.managedFields?.at(-1)).to.include({ manager: 'kubelet', subresource: 'status' })
    const events = (await get('/api/v1/events')).items.filter(({ involvedObject }: AnyObject) => involvedObject.kind === 'Pod')
    expect(events.map(({ reason, involvedObject }: AnyObject) => `${reason} ${involvedObject.fieldPath}`)).to.have.members(
      ['spec.initContainers{i}', 'spec.containers{c}'].flatMap(path => ['Pulled', 'Created', 'Started'].map(reason => `${reason} ${path}`)),
    )
    expect(events[0].source).to.deep.equal({ component: 'kubelet', host: 'node-1' })
    // The pod itself is created, and its status is written three times; six events are created.
    expect(Number((await get('/api/v1/pods')).metadata.resourceVersion) - before).to.equal(10)
  })

  it('record all events of a pod that the scheduler has bound in the same moment', async () => {
    await podOn('p', { nodeName: undefined })
    await plane.until(async () => (await stateOf('p')).phase === 'Running')
    await plane.settled()
    const reasons = (await get('/api/v1/events')).items
      .filter(({ involvedObject }: AnyObject) => involvedObject.name === 'p')
      .map(({ reason }: AnyObject) => reason)
    expect(reasons).to.have.members(['Scheduled', 'Pulled', 'Created', 'Started'])
  })

  it('fail a pod as its annotations say, until they are removed', async () => {
    await podOn('p', {}, { 'kubelet.binnacle.dev/failure': 'ImagePull', 'kubelet.binnacle.dev/run-for': 'long' })
    await plane.until(async () => (await waitingReason('p')) === 'ImagePullBackOff')
    const events = async (): Promise<AnyObject[]> => (await get('/api/v1/events')).items
    await plane.until(async () => (await events()).some(({ reason }) => reason === 'InvalidAnnotation'))
    expect((await events()).find(({ reason }) => reason === 'InvalidAnnotation')?.message).to.equal(
      'annotation kubelet.binnacle.dev/run-for: "long" is not a duration such as 500ms or 1m30s',
    )
    await plane.request('PATCH', `${PODS}/p`, { body: { metadata: { annotations: { 'kubelet.binnacle.dev/failure': null } } } })
    await plane.until(async () => (await stateOf('p')).phase === 'Running')
  })

  it('fail the pods of a node by annotations of the node', async () => {
    await podOn('good', {})
    await plane.until(async () => (await stateOf('good')).phase === 'Running')
    await plane.request('PATCH', '/api/v1/nodes/node-1', {
      body: { metadata: { annotations: { 'kubelet.binnacle.dev/evict': 'The node had to go.' } } },
    })
    await plane.until(async () => (await stateOf('good')).phase === 'Failed')
    expect(await stateOf('good')).to.include({ reason: 'Evicted', message: 'The node had to go.' })
  })

  it('resize a pod in place, and run an ephemeral container', async () => {
    await podOn('p', { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '1000m' } } }] })
    await plane.until(async () => (await stateOf('p')).phase === 'Running')
    const change = async (subresource: string, spec: object): Promise<unknown> =>
      plane.request('PATCH', `${PODS}/p/${subresource}`, {
        body: { spec },
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
      })
    await change('resize', { containers: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }] })
    await plane.until(async () => (await stateOf('p')).containerStatuses[0].resources?.requests?.cpu === '1500m')
    await change('ephemeralcontainers', { ephemeralContainers: [{ name: 'debug', image: 'busybox' }] })
    await plane.until(async () => (await stateOf('p')).ephemeralContainerStatuses?.[0]?.state.running !== undefined)
  })

  it('play shipped stages for a pod that names them', async () => {
    await podOn('p', {}, { 'kubelet.binnacle.dev/stages': 'fast' })
    await plane.until(async () => (await stateOf('p')).phase === 'Running')
    expect((await stateOf('p')).conditions.map(({ type }: AnyObject) => type)).not.to.include('PodReadyToStartContainers')
  })

  it('leave pods of other nodes alone', async () => {
    await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' } } as Manifest)
    await plane.apply({
      ...TEMPLATE,
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bound', namespace: 'default' },
      spec: { ...TEMPLATE.spec, nodeName: 'real' },
    } as Manifest)
    await plane.settled()
    expect((await get(`${PODS}/bound`)).status.phase).to.equal('Pending')
  })
})

describe('addresses of nodes of a cluster', () => {
  const specs = async (plane: ControlPlane): Promise<AnyObject[]> =>
    (await plane.request<AnyObject>('GET', '/api/v1/nodes')).body.items.map(({ spec }: AnyObject) => spec)

  it('are blocks of each family, and a freed one is given to a node that waits', async () => {
    const plane = await startControlPlane({ flags: { profile: 'cluster', nodes: '2', 'cluster-cidr': '10.244.0.0/23,fd00::/63' } })
    try {
      await plane.until(async () => (await specs(plane)).filter(({ podCIDR }) => podCIDR).length === 2)
      expect((await specs(plane)).flatMap(({ podCIDRs }) => podCIDRs)).to.have.members([
        '10.244.0.0/24',
        'fd00::/64',
        '10.244.1.0/24',
        'fd00:0:0:1::/64',
      ])
      await plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'late' } } as Manifest)
      const events = async (): Promise<AnyObject[]> => (await plane.request<AnyObject>('GET', '/api/v1/events')).body.items
      const message = 'Node late status is now: CIDRNotAvailable'
      await plane.until(async () => (await events()).some(event => event.reason === 'CIDRNotAvailable' && event.message === message))
      await plane.request('DELETE', '/api/v1/nodes/node-1')
      await plane.until(async () => (await specs(plane)).every(({ podCIDRs }) => podCIDRs?.length === 2))
    } finally {
      await plane.stop()
    }
  })
})

describe('simulated nodes of a seeded cluster', () => {
  it('have registered and are ready when the control plane has settled', async () => {
    const plane = await startControlPlane({ seed: 'nodes', flags: { profile: 'cluster', nodes: '3' } })
    try {
      await plane.settled()
      const { items } = (await plane.request<AnyObject>('GET', '/api/v1/nodes')).body
      expect(items.map(({ metadata, spec }: AnyObject) => [metadata.name, spec.taints, spec.podCIDR])).to.deep.equal([
        ['node-1', undefined, '10.64.0.0/24'],
        ['node-2', undefined, '10.64.1.0/24'],
        ['node-3', undefined, '10.64.2.0/24'],
      ])
    } finally {
      await plane.stop()
    }
  })
})
