import { expect } from 'chai'
import type { CrossVersionObjectReference } from '../../../../../src/api/autoscaling/v2.types.ts'
import type { TypedObject } from '../../../../../src/api/meta/object.ts'
import type { ListQuery, ObjectList, ResourceKind } from '../../../../../src/clients/api-client.ts'
import { customMetrics, externalMetrics } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/custom-metrics.ts'
import { failure, notFoundError } from '../../../../../src/meta/status.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'

const AT = '2026-01-01T00:00:00Z'
const value = (name: string, amount: string, more: object = {}): object => ({
  describedObject: { name },
  timestamp: AT,
  value: amount,
  ...more,
})

/** A client whose lists are values by path. Other paths are not served. */
class MetricsClient extends FakeApiClient {
  readonly queries: ListQuery[] = []
  readonly #values: Readonly<Record<string, readonly object[] | Error>>

  constructor(values: Readonly<Record<string, readonly object[] | Error>>) {
    super()
    this.#values = values
    this.kinds = [
      { group: '', version: 'v1', resource: 'services', kind: 'Service', namespaced: true },
      { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', kind: 'Ingress', namespaced: true },
    ]
  }

  override async list<T extends TypedObject>(kind: ResourceKind<T>, query: ListQuery = {}): Promise<ObjectList<T>> {
    this.queries.push(query)
    const found = this.#values[`${kind.group}/${kind.version}/${query.namespace}/${kind.resource}`]
    if (found === undefined) throw notFoundError(kind, '')
    if (found instanceof Error) throw found
    return { items: found as readonly T[], resourceVersion: '' }
  }
}

const messageOf = (reading: Promise<unknown>): Promise<string> => reading.then(String, (error: Error) => error.message)

describe('external metrics of an autoscaler', () => {
  it('are the sum of the values that the selector matches', async () => {
    const client = new MetricsClient({ 'external.metrics.k8s.io/v1beta1/ns/queue%2Flength': [{ value: '1500m' }, { value: '2' }] })
    const selector = { matchLabels: { queue: 'a' }, matchExpressions: [{ key: 'zone', operator: 'In', values: ['x', 'y'] }] }
    expect(await externalMetrics(client, 'ns')({ name: 'queue/length', selector })).to.equal(3500)
    expect(client.queries).to.deep.equal([{ namespace: 'ns', labelSelector: 'queue=a,zone in (x,y)' }])
  })

  it('explain why there are none', async () => {
    const path = 'external.metrics.k8s.io/v1beta1/ns/m'
    const read = (values: Readonly<Record<string, readonly object[] | Error>>): Promise<string> =>
      messageOf(externalMetrics(new MetricsClient(values), 'ns')({ name: 'm' }))
    const start = 'unable to fetch metrics from external metrics API:'
    expect(await read({})).to.equal(`${start} the server could not find the requested resource (get m.external.metrics.k8s.io)`)
    expect(await read({ [path]: failure(404, 'NotFound', 'no series m', {}) })).to.equal(`${start} no series m`)
    expect(await read({ [path]: [] })).to.equal('no metrics returned from external metrics API')
  })
})

describe('custom metrics of an autoscaler', () => {
  it('are read for all pods of the target', async () => {
    const client = new MetricsClient({
      'custom.metrics.k8s.io/v1beta2/ns/pods/*/rate': [value('p', '100m', { windowSeconds: 30 }), value('q', '2')],
    })
    const pods = await customMetrics(client, 'ns', 'app=web').pods({ name: 'rate', selector: { matchLabels: { verb: 'GET' } } })
    expect([...pods]).to.deep.equal([
      ['p', { value: 100, timestamp: Date.parse(AT), window: 30_000 }],
      ['q', { value: 2000, timestamp: Date.parse(AT), window: 60_000 }],
    ])
    expect(client.queries).to.deep.equal([{ namespace: 'ns', labelSelector: 'app=web', metricLabelSelector: 'verb=GET' }])
  })

  const OBJECTS: readonly [path: string, object: CrossVersionObjectReference][] = [
    ['v1beta1/ns/services/web/rate', { kind: 'Service', name: 'web' }],
    ['v1beta2/ns/ingresses.networking.k8s.io/web/rate', { kind: 'Ingress', name: 'web', apiVersion: 'networking.k8s.io/v1' }],
    ['v1beta2/ns/metrics/rate', { kind: 'Namespace', name: 'other', apiVersion: 'v1' }],
  ]
  for (const [path, object] of OBJECTS)
    it(`are read for one object: ${path}`, async () => {
      const client = new MetricsClient({ [`custom.metrics.k8s.io/${path}`]: [value('web', '7')] })
      expect(await customMetrics(client, 'ns', '').object({ name: 'rate' }, object)).to.equal(7000)
    })

  it('explain why there are none', async () => {
    const { pods, object } = customMetrics(new MetricsClient({}), 'ns', '')
    const start = 'unable to fetch metrics from custom metrics API:'
    expect(await messageOf(pods({ name: 'm' }))).to.equal(`${start} no custom metrics API (custom.metrics.k8s.io) registered`)
    expect(await messageOf(object({ name: 'm' }, { kind: 'Thing', name: 't', apiVersion: 'example.com/v1' }))).to.equal(
      `${start} no matches for kind "Thing" in version "example.com/v1"`,
    )
    for (const values of [[], [value('web', '1'), value('web', '2')]]) {
      const client = new MetricsClient({ 'custom.metrics.k8s.io/v1beta2/ns/services/web/m': values })
      expect(await messageOf(customMetrics(client, 'ns', '').object({ name: 'm' }, { kind: 'Service', name: 'web' }))).to.equal(
        `${start} the custom metrics API server returned ${values.length} results when we asked for exactly one`,
      )
    }
  })
})
