import { expect } from 'chai'
import type { ResourceQuota } from '../../../../../../src/api/core/v1.types.ts'
import { runAtOnce } from '../../../../../../src/lib/steps.ts'
import { resourceListOf } from '../../../../../../src/resources/core/resource-quota/usage/amounts.ts'
import { UsageCounter } from '../../../../../../src/resources/core/resource-quota/usage/count.ts'
import { Evaluators } from '../../../../../../src/resources/core/resource-quota/usage/evaluators.ts'
import type { StoredObject } from '../../../../../../src/storage/storage.ts'
import { featuresOf } from '../../../../../support/hook-context.ts'

const NOW = Date.parse('2026-01-02T03:04:05Z')

/** A cached object that counts how often it is read. */
function stored(object: object) {
  const item = {
    reads: 0,
    object() {
      item.reads++
      return object
    },
  }
  return item
}

const pod = (cpu: string, more: { spec?: object; metadata?: object } = {}) =>
  stored({
    metadata: { ...more.metadata },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...more.spec },
    status: {},
  })
const quota = (spec: object = {}) => ({ metadata: { name: 'q' }, spec, status: {} }) as unknown as ResourceQuota

function counterOf(resource: string) {
  const evaluator = new Evaluators(featuresOf()).of({ group: '', resource })
  if (!evaluator) throw new Error('not counted')
  const counter = new UsageCounter(evaluator)
  return (items: readonly object[], spec: object = {}, now = NOW) => {
    const { used, until } = runAtOnce(counter.count(items as unknown as StoredObject[], quota(spec), now))
    const list: { cpu?: string; pods?: string } = resourceListOf(used)
    return { used: list, until }
  }
}

describe('usage counted for quotas', () => {
  it('is the sum over all objects, each of which is parsed once', () => {
    const count = counterOf('pods')
    const items = [pod('500m'), pod('1'), pod('500m')]
    for (let i = 0; i < 2; i++) expect(count(items).used).to.deep.equal({ cpu: '2', 'requests.cpu': '2', pods: '3', 'count/pods': '3' })
    expect(items.map(({ reads }) => reads)).to.deep.equal([1, 1, 1])
  })

  it('excludes objects outside of the scopes, which are parsed once', () => {
    const count = counterOf('pods')
    const items = [pod('1', { spec: { activeDeadlineSeconds: 5 } }), pod('2')]
    for (let i = 0; i < 2; i++) expect(count(items, { scopes: ['NotTerminating'] }).used.cpu).to.equal('2')
    expect(items[1]?.reads).to.equal(2)
  })

  it('treats scope values with a space literally', () => {
    const count = counterOf('pods')
    const items = [pod('1', { spec: { priorityClassName: 'low' } })]
    const among = (values: string[]) => ({ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] } })
    expect(count(items, among(['low high'])).used).to.deep.equal({})
    expect(count(items, among(['low', 'high'])).used.cpu).to.equal('1')
  })

  it('includes the time at which a terminating pod is no longer counted', () => {
    const count = counterOf('pods')
    const items = [pod('1', { metadata: { deletionTimestamp: '2026-01-02T03:04:05Z', deletionGracePeriodSeconds: 30 } })]
    const { used, until } = count(items)
    expect([used.pods, until]).to.deep.equal(['1', NOW + 30_000])
    expect(count(items, {}, NOW + 30_001)).to.deep.equal({ used: { 'count/pods': '1' }, until: Number.POSITIVE_INFINITY })
  })

  it('parses no object if the kind determines the count', () => {
    const items = [stored({}), stored({}), stored({})]
    expect(counterOf('configmaps')(items).used).to.deep.equal({ configmaps: '3', 'count/configmaps': '3' })
    expect(items.map(({ reads }) => reads)).to.deep.equal([0, 0, 0])
    expect(counterOf('configmaps')(items, { scopes: ['BestEffort'] }).used).to.deep.equal({})
  })
})
