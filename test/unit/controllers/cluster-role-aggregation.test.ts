import { expect } from 'chai'
import type { ClusterRole, PolicyRule } from '../../../src/api/rbac/v1.types.ts'
import { aggregatedRules } from '../../../src/controllers/cluster-role-aggregation.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

const rule = (resource: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  apiGroups: [''],
  resources: [resource],
  verbs: ['get'],
  ...more,
})
const role = (name: string, rules: PolicyRule[], labels: Record<string, string> = {}): ClusterRole =>
  ({ kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name, labels }, rules }) as ClusterRole
const aggregating = (...clusterRoleSelectors: object[]): ClusterRole => ({
  ...role('all', [rule('old')], { a: 'x' }),
  aggregationRule: { clusterRoleSelectors },
})

describe('aggregatedRules', () => {
  it('returns the rules of the selected roles, by name, without duplicates', () => {
    const roles = [
      role('c', [rule('pods'), rule('nodes')], { a: 'x' }),
      role('b', [rule('pods')], { a: 'x' }),
      role('d', [rule('jobs')], { b: 'y' }),
      role('e', [rule('no')]),
    ]
    const selectors = [{ matchLabels: { b: 'y' } }, { matchLabels: { a: 'x' } }, { matchLabels: { b: 'y' } }]
    expect(runAtOnce(aggregatedRules(aggregating(...selectors), roles))).to.deep.equal([rule('jobs'), rule('pods'), rule('nodes')])
  })

  it('treats absent and empty lists as equal', () => {
    const roles = [
      role('b', [rule('pods', { resourceNames: [] })]),
      role('c', [rule('pods')]),
      role('d', [rule('pods', { resourceNames: ['p'] })]),
    ]
    expect(runAtOnce(aggregatedRules(aggregating({}), roles))).to.have.length(2)
  })

  it('runs in steps, and visits no role twice', () => {
    const roles = Array.from({ length: 50 }, (_, i) =>
      role(
        `r${i}`,
        Array.from({ length: 100 }, (_, j) => rule(`k${i}-${j}`)),
      ),
    )
    const all = aggregating(...Array.from({ length: 10_000 }, () => ({})))
    let steps = 0
    const work = aggregatedRules(all, roles)
    for (let step = work.next(); ; step = work.next(), steps++) {
      if (!step.done) continue
      expect(step.value).to.have.length(5000)
      break
    }
    expect(steps).to.be.within(9, 12)
  })
})
