import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const METRICS = '/apis/metrics.k8s.io/v1beta1'
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/web'
const usage = (kind: string, name: string, cpu: object, rest: object = {}): Manifest =>
  ({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind,
    metadata: { name, ...(kind === 'ResourceUsage' && { namespace: 'default' }) },
    spec: { usages: [{ usage: { cpu } }], ...rest },
  }) as Manifest
const pod = (name: string, metadata: object = {}): Manifest =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...metadata },
    spec: {
      nodeName: 'node-1',
      containers: [
        { name: 'a', image: 'i' },
        { name: 'b', image: 'i' },
      ],
    },
  }) as Manifest

describe('the metrics API of simulated nodes', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', nodes: '2' } })
    await original.until(async () => (await original.request<AnyObject>('GET', '/api/v1/nodes/node-2')).status === 200)
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
    await plane.until(async () => (await plane.request('GET', `${METRICS}/nodes`)).status === 200)
    await plane.until(async () => (await plane.request('GET', '/apis/kwok.x-k8s.io/v1alpha1/resourceusages')).status === 200)
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const running = (name: string): Promise<unknown> =>
    plane.until(async () => (await get(`/api/v1/namespaces/default/pods/${name}`)).status.phase === 'Running')
  const podUsage = async (name: string): Promise<string[][]> =>
    (await get(`${METRICS}/namespaces/default/pods/${name}`)).containers.map(({ name: of, usage: { cpu, memory } }: AnyObject) => [
      of,
      cpu,
      memory,
    ])

  it('is registered, and found in discovery', async () => {
    const service = await get('/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io')
    expect(service.status.conditions).to.have.nested.property('[0].status', 'True')
    expect((await get(METRICS)).resources.map(({ name, kind }: AnyObject) => [name, kind])).to.deep.equal([
      ['nodes', 'NodeMetrics'],
      ['pods', 'PodMetrics'],
    ])
    expect((await get('/apis')).groups.map(({ name }: AnyObject) => name)).to.include('metrics.k8s.io')
  })

  it('is part of the OpenAPI documents, with the types of metadata of the server', async () => {
    const path = '/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods/{name}'
    const definition = 'io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics'
    let swagger = {} as AnyObject
    await plane.until(async () => {
      swagger = await get('/openapi/v2')
      return swagger.paths[path] !== undefined
    })
    expect(swagger.definitions[definition].properties.containers.items.$ref).to.match(/ContainerMetrics$/)
    expect(Object.keys(swagger.definitions).filter(name => name.includes('ObjectMeta'))).to.deep.equal([
      'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
    ])
    let url = ''
    await plane.until(async () => {
      url = (await get('/openapi/v3')).paths['apis/metrics.k8s.io/v1beta1']?.serverRelativeURL ?? ''
      return url !== ''
    })
    const { paths, components } = await get(url)
    expect(paths[path].get['x-kubernetes-group-version-kind']).to.deep.equal({
      group: 'metrics.k8s.io',
      kind: 'PodMetrics',
      version: 'v1beta1',
    })
    expect(components.schemas[definition].properties.window.type).to.equal('string')
  })

  it('has pages by Metric objects, which the kubelets serve', async () => {
    await plane.apply(pod('web', { annotations: { 'kwok.x-k8s.io/usage-memory': '1Mi' } }), {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'Metric',
      metadata: { name: 'resource' },
      spec: {
        path: '/metrics/nodes/{nodeName}/metrics/resource',
        metrics: [
          {
            name: 'container_memory_working_set_bytes',
            help: '[ALPHA] Current working set of the container in bytes',
            kind: 'gauge',
            dimension: 'container',
            labels: [
              { name: 'pod', value: 'pod.metadata.name' },
              { name: 'container', value: 'container.name' },
            ],
            value: 'pod.Usage("memory", container.name)',
          },
        ],
      },
    } as Manifest)
    await running('web')
    await plane.until(async () => (await get('/apis/kwok.x-k8s.io/v1alpha1/metrics/resource')).status?.conditions?.[0]?.status === 'True')
    const { body } = await plane.request<string>('GET', '/api/v1/nodes/node-1/proxy/metrics/nodes/node-1/metrics/resource')
    expect(body).to.equal(
      [
        '# HELP container_memory_working_set_bytes [ALPHA] Current working set of the container in bytes',
        '# TYPE container_memory_working_set_bytes gauge',
        'container_memory_working_set_bytes{container="a",pod="web"} 1.048576e+06',
        'container_memory_working_set_bytes{container="b",pod="web"} 1.048576e+06',
        '',
      ].join('\n'),
    )
  })

  it('reports usage by rules, annotations, and a default', async () => {
    await plane.apply(
      pod('plain'),
      pod('noted', { annotations: { 'kwok.x-k8s.io/usage-cpu': '250m', 'kwok.x-k8s.io/usage-memory': '64Mi' } }),
      pod('ruled'),
    )
    for (const name of ['plain', 'noted', 'ruled']) await running(name)
    await plane.apply(
      usage(
        'ResourceUsage',
        'ruled',
        {},
        { usages: [{ containers: ['a'], usage: { cpu: { value: '2' }, memory: { expression: 'Quantity("10Mi") * 1.5' } } }] },
      ),
    )
    expect(await podUsage('plain')).to.deep.equal([
      ['a', '1m', '1Mi'],
      ['b', '1m', '1Mi'],
    ])
    expect(await podUsage('noted')).to.deep.equal([
      ['a', '250m', '64Mi'],
      ['b', '250m', '64Mi'],
    ])
    expect(await podUsage('ruled')).to.deep.equal([
      ['a', '2', '15Mi'],
      ['b', '1m', '1Mi'],
    ])
    const { items } = await get(`${METRICS}/nodes`)
    expect(items.map(({ metadata, usage: of }: AnyObject) => [metadata.name, of.cpu, of.memory])).to.deep.equal([
      ['node-1', '2503m', '146Mi'],
      ['node-2', '0', '0'],
    ])
  })

  it('selects pods, returns Tables, and reports pods without metrics as missing', async () => {
    await plane.apply(pod('one', { labels: { app: 'x' } }), pod('two'))
    await running('one')
    await running('two')
    expect((await get(`${METRICS}/pods?labelSelector=app%3Dx`)).items.map(({ metadata }: AnyObject) => metadata.name)).to.deep.equal([
      'one',
    ])
    const table = (
      await plane.request<AnyObject>('GET', `${METRICS}/namespaces/default/pods`, {
        headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
      })
    ).body
    expect(table.columnDefinitions.map(({ name }: AnyObject) => name)).to.deep.equal(['Name', 'cpu', 'memory', 'Window'])
    expect(table.rows.map(({ cells }: AnyObject) => cells)).to.deep.equal([
      ['one', '2m', '2Mi', '15s'],
      ['two', '2m', '2Mi', '15s'],
    ])
    const missing = await plane.request<AnyObject>('GET', `${METRICS}/namespaces/default/pods/three`)
    expect([missing.status, missing.body.message]).to.deep.equal([404, 'pods.metrics.k8s.io "default/three" not found'])
  })

  it('lets a HorizontalPodAutoscaler scale a Deployment by a usage rule', async () => {
    const labels = { app: 'web' }
    await plane.apply(
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] } },
        },
      } as Manifest,
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'web', namespace: 'default' },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
        },
      } as Manifest,
    )
    await plane.until(async () => (await get(DEPLOYMENT)).status.availableReplicas === 1)
    // The metrics of a pod count from one window after it became ready.
    await plane.advance('30s')
    await plane.settled()
    expect((await get(DEPLOYMENT)).spec.replicas).to.equal(1)
    await plane.apply(usage('ClusterResourceUsage', 'busy', { value: '100m' }))
    await plane.advance('2m')
    await plane.until(async () => (await get(DEPLOYMENT)).status.availableReplicas === 5)
    await plane.until(async () =>
      (await get('/api/v1/namespaces/default/events')).items.some(
        ({ message }: AnyObject) => message === 'New size: 2; reason: cpu resource utilization (percentage of request) above target',
      ),
    )
    const autoscaler = await get('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/web')
    expect(autoscaler.status.currentMetrics[0].resource.current.averageUtilization).to.equal(100)
  })
})
