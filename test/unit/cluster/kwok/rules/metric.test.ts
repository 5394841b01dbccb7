import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { CelExpressionError } from '../../../../../src/cluster/kwok/cel-expression.ts'
import { KwokObjectError } from '../../../../../src/cluster/kwok/field-reader.ts'
import { decodeMetric, type MetricPage } from '../../../../../src/cluster/kwok/rules/metric.ts'
import { metricEnvironment } from '../../../../../src/cluster/kwok/rules/metric-environment.ts'
import { runAtOnce, type Steps } from '../../../../../src/lib/steps.ts'

const environment = metricEnvironment({ now: () => Date.UTC(2030, 0, 1), random: () => 0.25 }, () => ({
  usage: ({ namespace, name }, resource, container) =>
    (namespace === '' ? 100 : 10) + (container === 'a' ? 1 : 0) + name.length + resource.length,
  cumulativeUsage: () => 7,
  startedContainers: node => node.length,
}))

const SUBJECT = {
  node: { metadata: { name: 'node-1' } },
  pod: { metadata: { name: 'web', namespace: 'default', creationTimestamp: '2029-12-31T23:59:00Z' } },
  container: { name: 'a' },
}

const decoded = (metrics: JsonObject[], path = '/metrics/nodes/{nodeName}/x'): Steps<MetricPage> =>
  decodeMetric({ apiVersion: 'kwok.x-k8s.io/v1alpha1', kind: 'Metric', metadata: { name: 'm' }, spec: { path, metrics } }, environment)
const page = (...given: Parameters<typeof decoded>): MetricPage => runAtOnce(decoded(...given))
const evaluated = (expression: string): number | undefined =>
  page([{ name: 'm', kind: 'gauge', value: expression }]).metrics[0]?.value(SUBJECT)

describe('a metric of simulated nodes', () => {
  const values: readonly [expression: string, value: number][] = [
    ['0', 0],
    ['pod.SinceSecond()', 60],
    ['pod.Usage("cpu")', 16],
    ['pod.Usage("memory", container.name)', 20],
    ['node.Usage("cpu")', 109],
    ['pod.CumulativeUsage("cpu", "a") + node.CumulativeUsage("cpu")', 14],
    ['node.StartedContainersTotal()', 6],
    ['startedContainersTotal(node.metadata.name)', 6],
    ['now().UnixSecond() - Now().UnixSecond()', 0],
  ]
  for (const [expression, value] of values)
    it(`has the value of ${expression}`, () => {
      expect(evaluated(expression)).to.equal(value)
    })

  it('has labels, a dimension, and buckets in ascending order', () => {
    const { path, metrics } = page([
      {
        name: 'h',
        kind: 'histogram',
        dimension: 'container',
        labels: [{ name: 'pod', value: 'pod.metadata.name' }],
        buckets: [
          { le: 5, value: '2' },
          { le: 1, value: '3.9', hidden: true },
        ],
      },
    ])
    expect(path).to.deep.equal(['metrics', 'nodes', '{nodeName}', 'x'])
    const [metric] = metrics
    expect(metric).to.include({ name: 'h', help: '', kind: 'histogram', dimension: 'container' })
    expect(metric?.labels.get('pod')?.(SUBJECT)).to.equal('web')
    expect(metric?.buckets.map(({ le, hidden, value }) => [le, hidden, value(SUBJECT)])).to.deep.equal([
      [1, true, 3.9],
      [5, false, 2],
    ])
  })

  it('is refused with each invalid field', () => {
    const bad = (): MetricPage =>
      page(
        [
          { name: '0', kind: 'gauge', value: '1' },
          { name: 'a', kind: 'gauge', value: '1 +' },
          { name: 'b', kind: 'summary', value: '1', labels: [{ name: 'le-', value: '"x"' }], other: 1 },
          { name: 'c', kind: 'histogram', buckets: [{ le: -1, value: '1' }] },
          { name: 'd', kind: 'counter' },
          { name: 'e', kind: 'counter', value: '1', help: 'one' },
          { name: 'e', kind: 'counter', value: '1', help: 'two' },
        ],
        '/x',
      )
    expect(bad)
      .to.throw(KwokObjectError)
      .with.property('fields')
      .that.satisfies((fields: readonly { field: string }[]) => {
        expect(fields.map(({ field }) => field)).to.deep.equal([
          'spec.path',
          'spec.metrics[0].name',
          'spec.metrics[1].value',
          'spec.metrics[2].kind',
          'spec.metrics[2].labels[0].name',
          'spec.metrics[2]',
          'spec.metrics[3].buckets[0].le',
          'spec.metrics[4].value',
          'spec.metrics[6].name',
        ])
        return true
      })
  })

  it('fails if its expression has a value of another type', () => {
    expect(() => evaluated('"x"')).to.throw(CelExpressionError, 'does not return a number')
    const label = page([{ name: 'm', kind: 'gauge', value: '1', labels: [{ name: 'l', value: '1' }] }]).metrics[0]?.labels.get('l')
    expect(() => label?.(SUBJECT)).to.throw(CelExpressionError, 'does not return a string')
  })

  it('is decoded in steps of one expression', () => {
    const buckets = Array.from({ length: 10 }, (_, i) => ({ le: i, value: '1' }))
    const labels = [
      { name: 'a', value: '"1"' },
      { name: 'b', value: '"2"' },
    ]
    expect([...decoded([{ name: 'm', kind: 'histogram', buckets, labels }])]).to.have.lengthOf(12)
  })
})
