import { expect } from 'chai'
import { printGoSelector } from '../../../../src/cluster/shared/go-selector.ts'

describe('a selector in messages', () => {
  it('is printed as by Go', () => {
    expect(printGoSelector(undefined)).to.equal('nil')
    expect(printGoSelector({ matchLabels: { b: '2', a: '1' } })).to.equal(
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
    )
    expect(printGoSelector({ matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] })).to.equal(
      '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
    )
  })
})
