import { expect } from 'chai'
import type { Json, TypedObject } from '../../../../../src/api/meta/object.ts'
import type { ApiClient } from '../../../../../src/clients/api-client.ts'
import { NodeMetrics } from '../../../../../src/cluster/node-server/metrics/node-metrics.ts'
import { silentLogger } from '../../../../../src/lib/log.ts'
import { notFoundError } from '../../../../../src/meta/status.ts'

const pod = (name: string, phase = 'Running'): TypedObject => {
  const object: unknown = {
    metadata: { name, namespace: 'default', uid: name, annotations: { 'kwok.x-k8s.io/usage-cpu': '500m' } },
    spec: { nodeName: 'node-1', containers: [{ name: 'a' }, { name: 'b' }] },
    status: {
      phase,
      containerStatuses: ['a', 'b'].map(container => ({ name: container, restartCount: 1, state: { running: {} } })),
    },
  }
  return object as TypedObject
}

function metricsOf(specs: Readonly<Record<string, Json>>, clock = { now: () => 0 }): NodeMetrics {
  const lists: Readonly<Record<string, readonly object[]>> = {
    pods: [pod('web'), pod('api'), pod('done', 'Succeeded')],
    metrics: Object.entries(specs).map(([name, spec]) => ({ metadata: { name, resourceVersion: '1' }, spec })),
  }
  const client: unknown = {
    get: async (_kind: object, _namespace: string, name: string) => {
      if (name.startsWith('node-')) return { metadata: { name } }
      throw notFoundError({ group: '', resource: 'nodes' }, name)
    },
    list: async ({ resource }: { resource: string }) => ({ items: lists[resource] ?? [], resourceVersion: '1' }),
  }
  return new NodeMetrics({ client: client as ApiClient, clock, logger: silentLogger })
}

const PATH = ['metrics', 'nodes', 'node-1', 'metrics', 'resource']
const page = (...metrics: object[]): Json => ({ path: '/metrics/nodes/{nodeName}/metrics/resource', metrics }) as unknown as Json
const PER_POD = { dimension: 'pod', labels: [{ name: 'pod', value: 'pod.metadata.name' }] }

describe('pages of metrics of a simulated node', () => {
  it('have families by name and samples by labels, of pods that have not ended', async () => {
    const metrics = metricsOf({
      m: page(
        { name: 'scrape_error', help: 'Whether it\nfailed.', kind: 'gauge', value: '0' },
        { name: 'pod_cpu', kind: 'counter', value: 'pod.Usage("cpu") * 1048576.0', ...PER_POD },
        { name: 'starts', kind: 'counter', value: 'node.StartedContainersTotal()' },
      ),
    })
    expect(await metrics.page(PATH, 'node-1')).to.equal(
      [
        '# HELP pod_cpu ',
        '# TYPE pod_cpu counter',
        'pod_cpu{pod="api"} 1.048576e+06',
        'pod_cpu{pod="web"} 1.048576e+06',
        '# HELP scrape_error Whether it\\nfailed.',
        '# TYPE scrape_error gauge',
        'scrape_error 0',
        '# HELP starts ',
        '# TYPE starts counter',
        'starts 8',
        '',
      ].join('\n'),
    )
  })

  it('sum usage over the time between scrapes', async () => {
    let now = 0
    const metrics = metricsOf(
      {
        m: page(
          { name: 'container', kind: 'counter', value: 'pod.CumulativeUsage("cpu", "a")', ...PER_POD },
          { name: 'node', kind: 'counter', value: 'node.CumulativeUsage("cpu")' },
        ),
      },
      { now: () => now },
    )
    const values = async (): Promise<string[]> =>
      (await metrics.page(PATH, 'node-1'))?.split('\n').filter(line => line !== '' && !line.startsWith('#')) ?? []
    expect(await values()).to.deep.equal(['container{pod="api"} 0', 'container{pod="web"} 0', 'node 0'])
    now = 10_000
    expect(await values()).to.deep.equal(['container{pod="api"} 5', 'container{pod="web"} 5', 'node 20'])
  })

  it('count hidden buckets of a histogram in the next one', async () => {
    const buckets = [
      { le: 1, value: '1' },
      { le: 2, value: '2', hidden: true },
      { le: 4, value: '3' },
      { le: 8, value: '4', hidden: true },
    ]
    const metrics = metricsOf({ m: page({ name: 'h', kind: 'histogram', buckets }) })
    expect((await metrics.page(PATH, 'node-1'))?.split('\n').slice(2, -1)).to.deep.equal([
      'h_bucket{le="1"} 1',
      'h_bucket{le="4"} 6',
      'h_bucket{le="+Inf"} 10',
      'h_sum 49',
      'h_count 10',
    ])
  })

  it('leave out a metric whose expression fails, and objects that are invalid', async () => {
    const metrics = metricsOf({
      a: { path: '/x', metrics: [] },
      b: page({ name: 'bad', kind: 'gauge', value: 'node.spec.nope' }, { name: 'good', kind: 'gauge', value: '1' }),
    })
    expect(await metrics.page(PATH, 'node-1')).to.equal('# HELP good \n# TYPE good gauge\ngood 1\n')
  })

  it('are about the node of the path, or about that of the kubelet', async () => {
    const named = { name: 'n', kind: 'gauge', value: '1', labels: [{ name: 'node', value: 'node.metadata.name' }] }
    const metrics = metricsOf({ a: page(named), b: { path: '/metrics/own', metrics: [named] } as unknown as Json })
    expect(await metrics.page(['metrics', 'nodes', 'node-2', 'metrics', 'resource'], 'node-1')).to.include('n{node="node-2"} 1')
    expect(await metrics.page(['metrics', 'own'], 'node-1')).to.include('n{node="node-1"} 1')
    expect(await metrics.page(['metrics', 'nodes', 'other', 'metrics', 'resource'], 'node-1')).to.equal(undefined)
    expect(await metrics.page(['metrics', 'else'], 'node-1')).to.equal(undefined)
  })
})
