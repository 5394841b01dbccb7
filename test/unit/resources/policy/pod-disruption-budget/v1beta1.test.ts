import { expect } from 'chai'
import type { LabelSelector } from '../../../../../src/api/meta/v1.types.ts'
import type { PodDisruptionBudget } from '../../../../../src/api/policy/v1.types.ts'
import { budgetToV1, dropSelectorLabel, fromV1 } from '../../../../../src/resources/policy/pod-disruption-budget/v1beta1.ts'

const LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match'
const about = (operator: string, ...more: { key: string; operator: string }[]): LabelSelector => ({
  matchExpressions: [{ key: LABEL, operator }, ...more],
})
const own = { key: 'a', operator: 'Exists' }

const status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }
const budget = (selector: LabelSelector | undefined): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: {},
  spec: { ...(selector && { selector }) },
  status,
})

describe('selectors of PodDisruptionBudgets', () => {
  const cases: [what: string, v1beta1: LabelSelector | undefined, v1: LabelSelector | undefined][] = [
    ['none', {}, about('Exists')],
    ['all', about('DoesNotExist'), {}],
    ['some', { matchLabels: { a: 'b' } }, { matchLabels: { a: 'b' } }],
    ['nothing without a selector', undefined, undefined],
  ]
  for (const [what, v1beta1, v1] of cases)
    it(`select ${what} in both versions`, () => {
      expect(budgetToV1(budget(v1beta1)).spec.selector).to.deep.equal(v1)
      expect(fromV1(budget(v1)).spec.selector).to.deep.equal(v1beta1)
    })

  it('are also empty with an empty matchLabels', () => {
    expect(budgetToV1(budget({ matchLabels: {} })).spec.selector).to.deep.equal(about('Exists'))
    expect(fromV1(budget({ matchLabels: {} })).spec.selector).to.deep.equal(about('DoesNotExist'))
    expect(budgetToV1(budget({ ...about('DoesNotExist'), matchLabels: {} })).spec.selector).to.deep.equal({})
  })

  it('drop the label that represents the empty selector if there are other requirements', () => {
    expect(budgetToV1(budget(about('Exists', own))).spec.selector).to.deep.equal({ matchExpressions: [own] })
    const dropped = (selector: LabelSelector): LabelSelector | undefined => {
      const object = budget(selector)
      dropSelectorLabel(object)
      return object.spec.selector
    }
    expect(dropped(about('Exists', own))).to.deep.equal({ matchExpressions: [own] })
    expect(dropped(about('DoesNotExist'))).to.deep.equal({})
    expect(dropped(about('Exists'))).to.deep.equal(about('Exists'))
  })
})
