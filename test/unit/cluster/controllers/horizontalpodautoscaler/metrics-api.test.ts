import { expect } from 'chai'
import { metricsOf, usesOf } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/metrics-api.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'

const usage = (name: string, ...containers: [name: string, cpu?: string][]): Parameters<typeof usesOf>[0][number] => ({
  kind: 'PodMetrics',
  apiVersion: 'metrics.k8s.io/v1beta1',
  metadata: { name, namespace: 'ns' },
  timestamp: '2026-01-01T00:00:00Z',
  window: '30s',
  containers: containers.map(([each, cpu]) => ({ name: each, usage: cpu === undefined ? {} : { cpu } })),
})

describe('metrics of the pods of a target', () => {
  it('are the sums of their containers', () => {
    const uses = runAtOnce(usesOf([usage('p', ['a', '100m'], ['b', '1']), usage('q', ['a', '2'], ['b'])], 'cpu'))
    expect([...uses]).to.deep.equal([['p', { value: 1100, timestamp: Date.parse('2026-01-01T00:00:00Z'), window: 30_000 }]])
  })

  it('are those of one container', () => {
    expect(runAtOnce(usesOf([usage('p', ['a', '100m'], ['b', '1'])], 'cpu', 'a')).get('p')?.value).to.equal(100)
    const mixed = [usage('p', ['b', '1']), usage('q', ['a', '2'])]
    expect([...runAtOnce(usesOf(mixed, 'cpu', 'a')).keys()]).to.deep.equal(['q'])
    expect(() => runAtOnce(usesOf(mixed, 'cpu', 'a', true))).to.throw(
      'failed to get container metrics: container a not present in metrics for pod ns/p',
    )
  })

  it('explain that there is no source', async () => {
    const client = new FakeApiClient()
    const source = metricsOf(client, 'ns', 'app=web')
    const messages = [source.resource('cpu'), source.pods({ name: 'm' }), source.external({ name: 'm' })].map(each =>
      each.then(
        () => '',
        (error: Error) => error.message,
      ),
    )
    expect(await Promise.all(messages)).to.deep.equal([
      'no metrics returned from resource metrics API',
      'no metrics returned from custom metrics API',
      'no metrics returned from external metrics API',
    ])
    client.failures.list = [new Error('refused')]
    expect(await source.resource('cpu').catch((error: Error) => error.message)).to.equal(
      'unable to fetch metrics from resource metrics API: refused',
    )
  })
})
