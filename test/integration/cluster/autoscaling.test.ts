import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import { AggregatedServer, apiServiceOf } from '../../support/aggregated-server.ts'
import type { AnyObject } from '../../support/any-object.ts'

const LABELS = { app: 'web' }
const SET = '/apis/apps/v1/namespaces/default/replicasets/web'
const AUTOSCALER = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/h'

describe('autoscaling in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const conditions = async (): Promise<string[]> =>
    ((await get(AUTOSCALER)).status.conditions ?? []).map(({ type, status, reason }: AnyObject) => `${type} ${status} ${reason}`)
  const scale = async (replicas: number, spec: JsonObject): Promise<void> => {
    const template = {
      metadata: { labels: LABELS },
      spec: { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu: '100m' } } }] },
    }
    await plane.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web', namespace: 'default' },
        spec: { replicas, selector: { matchLabels: LABELS }, template },
      },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h', namespace: 'default' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' }, ...spec },
      },
    )
    await plane.settled()
    await plane.advance('15s')
    await plane.settled()
  }

  it('brings the target into its bounds, with an event', async () => {
    await scale(1, { minReplicas: 3, maxReplicas: 5 })
    await plane.until(async () => (await get(SET)).spec.replicas === 3)
    await plane.until(async () => (await conditions()).length === 1)
    expect(await conditions()).to.deep.equal(['AbleToScale True SucceededRescale'])
    expect((await get(AUTOSCALER)).status).to.include({ currentReplicas: 1, desiredReplicas: 3 })
    await plane.until(async () =>
      (await get('/api/v1/namespaces/default/events')).items.some(
        ({ message }: AnyObject) => message === 'New size: 3; reason: Current number of replicas below Spec.MinReplicas',
      ),
    )
  })

  it('reports that there are no metrics, and leaves the target alone', async () => {
    await scale(2, { minReplicas: 1, maxReplicas: 5 })
    await plane.until(async () => (await conditions()).length === 2)
    expect(await conditions()).to.deep.equal(['AbleToScale True SucceededGetScale', 'ScalingActive False FailedGetResourceMetric'])
    expect((await get(SET)).spec.replicas).to.equal(2)
  })

  it('leaves a target alone whose pods another autoscaler has as well', async () => {
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }]
    await plane.apply({
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', namespace: 'default' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' }, maxReplicas: 5, metrics },
    })
    await scale(2, { maxReplicas: 5, metrics })
    await plane.advance('15s')
    await plane.until(async () => (await conditions()).includes('ScalingActive False AmbiguousSelector'))
    const message = 'pods by selector app=web are controlled by multiple HPAs: [default/a default/h]'
    expect((await get(AUTOSCALER)).status.conditions[1].message).to.equal(message)
    const events = (await get('/api/v1/namespaces/default/events')).items.filter(
      (event: AnyObject) => event.involvedObject.name === 'h' && event.message === message,
    )
    expect(events.map(({ type, reason }: AnyObject) => `${type} ${reason}`)).to.include.members([
      'Warning AmbiguousSelector',
      'Warning FailedComputeMetricsReplicas',
    ])
  })

  it('reports a status that cannot be written', async () => {
    const admission = 'admissionregistration.k8s.io/v1'
    const rule = { apiGroups: ['autoscaling'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['horizontalpodautoscalers/status'] }
    await plane.apply(
      {
        apiVersion: admission,
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'p' },
        spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'false', message: 'no status' }] },
      },
      {
        apiVersion: admission,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'p' },
        spec: { policyName: 'p', validationActions: ['Deny'] },
      },
    )
    await scale(2, { maxReplicas: 5 })
    await plane.until(async () =>
      (await get('/api/v1/namespaces/default/events')).items.some(
        ({ type, reason, message }: AnyObject) => type === 'Warning' && reason === 'FailedUpdateStatus' && message.endsWith('no status'),
      ),
    )
  })

  it('reports a target that does not exist', async () => {
    await scale(1, { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'other' } })
    await plane.until(async () => (await conditions()).length === 1)
    expect(await conditions()).to.deep.equal(['AbleToScale False FailedGetScale'])
  })
})

describe('autoscaling in a cluster with a server of external metrics', () => {
  const GROUP = 'external.metrics.k8s.io'
  let backend: AggregatedServer
  let plane: ControlPlane
  before(async () => {
    backend = await AggregatedServer.start('adapter')
    backend.serves(GROUP, 'v1beta1', 'ExternalMetricValue')
    backend.documents.set(`/apis/${GROUP}/v1beta1/namespaces/default/lag`, { metadata: {}, items: [{ value: '4' }] })
    const controllers = ['horizontal-pod-autoscaler-controller', 'replicaset-controller']
    const flags = { profile: 'cluster', controllers, 'service-addresses': `default/adapter=127.0.0.1:${backend.port}` }
    plane = await startControlPlane({ flags, clock: 'stopped' })
  })
  after(async () => {
    await plane?.stop()
    await backend?.close()
  })

  it('follows a metric, under the account that roles of adapters name', async () => {
    await plane.apply(apiServiceOf(backend, 'adapter', GROUP, 'v1beta1') as unknown as JsonObject)
    const service = `/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.${GROUP}`
    const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
    await plane.until(async () => (await get(service)).status?.conditions?.[0]?.status === 'True')
    const template = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'app:1' }] } }
    const metric = { name: 'lag', selector: { matchLabels: { queue: 'a' } } }
    const metrics = [{ type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '1' } } }]
    await plane.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web', namespace: 'default' },
        spec: { replicas: 1, selector: { matchLabels: LABELS }, template },
      },
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h', namespace: 'default' },
        spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web' }, maxReplicas: 10, metrics },
      },
    )
    await plane.settled()
    await plane.advance('15s')
    await plane.until(async () => (await get(SET)).spec.replicas === 4)
    const read = backend.heard.find(({ url }) => url.includes('/namespaces/default/lag'))
    expect(new URL(read?.url ?? '', 'https://adapter').searchParams.get('labelSelector')).to.equal('queue=a')
    expect(read?.headers['x-remote-user']).to.equal('system:serviceaccount:kube-system:horizontal-pod-autoscaler')
  })
})
