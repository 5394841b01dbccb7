import { expect } from 'chai'
import { metricsTable, nodeMetrics, podMetrics, usageQuantity } from '../../../../src/cluster/metrics-server/metrics-objects.ts'

const NOW = '2026-01-01T00:00:00Z'
const node = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n', labels: { a: 'b' }, uid: 'u' } }

describe('objects of the metrics API', () => {
  const cases: readonly [resource: string, amount: number, quantity: string][] = [
    ['cpu', 0, '0'],
    ['cpu', 0.25, '250m'],
    ['cpu', 2, '2'],
    ['cpu', 0.123456789123, '123456789n'],
    ['memory', 0, '0'],
    ['memory', 1536, '1536'],
    ['memory', 64 * 1024, '64Ki'],
    ['memory', 3 * 1024 ** 3, '3Gi'],
    ['memory', 10.4, '10'],
  ]
  for (const [resource, amount, quantity] of cases)
    it(`print ${amount} of ${resource} as ${quantity}`, () => {
      expect(usageQuantity(resource, amount)).to.equal(quantity)
    })

  it('have the labels of their object, and the usage of each container', () => {
    expect(nodeMetrics(node, { cpu: 1, memory: 1024 }, NOW).object).to.deep.equal({
      metadata: { name: 'n', labels: { a: 'b' }, creationTimestamp: NOW },
      timestamp: NOW,
      window: '15s',
      usage: { cpu: '1', memory: '1Ki' },
    })
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p', namespace: 'd' } }
    const { object, total } = podMetrics(
      pod,
      [
        { name: 'c', usage: { cpu: 0.1 } },
        { name: 'd', usage: { cpu: 0.2 } },
      ],
      NOW,
    )
    expect(object.containers).to.deep.equal([
      { name: 'c', usage: { cpu: '100m' } },
      { name: 'd', usage: { cpu: '200m' } },
    ])
    expect(usageQuantity('cpu', total.cpu ?? 0)).to.equal('300m')
  })

  it('have a Table with a column for each resource, or none without rows', () => {
    const table = metricsTable([nodeMetrics(node, { memory: 1024, cpu: 1 }, NOW)], 'v1')
    expect(table.rows).to.have.deep.nested.property('[0].cells', ['n', '1', '1Ki', '15s'])
    expect(metricsTable([], 'v1beta1'))
      .to.include({ apiVersion: 'meta.k8s.io/v1beta1' })
      .and.deep.include({ columnDefinitions: [], rows: [] })
  })
})
