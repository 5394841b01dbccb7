import { expect } from 'chai'
import { isEmptyMap, keepSelector, selectorOf, selectorOfMap } from '../../../../src/cluster/shared/selectors.ts'
import { labelSelectorOf, labelSelectorOfMap, matchesLabels } from '../../../../src/meta/label-selector.ts'
import { SelectorError } from '../../../../src/meta/selector-error.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const MANY = 20_000
const map = (): Record<string, string> => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${MANY - i}`, 'v']))
const expressions = () => Array.from({ length: MANY }, (_, i) => ({ key: `k${i}`, operator: 'NotIn', values: ['v', 'w'] }))

describe('a selector of an observed object', () => {
  it('is converted like any other', () => {
    const selector = { matchLabels: { b: 'c', a: 'd' }, matchExpressions: [{ key: 'e', operator: 'Exists' }] }
    expect(selectorOf(selector)).to.deep.equal(labelSelectorOf(selector))
    expect(selectorOf(undefined)).to.equal(labelSelectorOf(undefined))
    expect(selectorOfMap({ b: 'c', a: 'd' })).to.deep.equal(labelSelectorOfMap({ b: 'c', a: 'd' }))
    expect(selectorOfMap(undefined)).to.deep.equal([])
  })

  it('is converted in steps if it is long, and kept', () => {
    const selector = { matchLabels: map(), matchExpressions: expressions() }
    expect(countedSteps(keepSelector({ spec: { selector } })).yields).to.be.at.least(2 * (MANY / 32))
    const requirements = selectorOf(selector)
    expect(requirements).to.deep.equal(labelSelectorOf(selector))
    expect(selectorOf(selector)).to.equal(requirements)
    expect(countedSteps(keepSelector({ spec: { selector } })).yields).to.equal(0)
    expect([matchesLabels(requirements, { k1: 'v' }), matchesLabels(requirements, map())]).to.deep.equal([false, false])
  })

  it('is kept as a plain map as well', () => {
    const selector = { ...map(), matchLabels: 'text' }
    expect(countedSteps(keepSelector({ spec: { selector } })).yields).to.be.at.least(MANY / 512)
    const requirements = selectorOfMap(selector)
    expect(requirements).to.deep.equal(labelSelectorOfMap(selector))
    expect(selectorOfMap(selector)).to.equal(requirements)
    expect([matchesLabels(requirements, selector), matchesLabels(requirements, map())]).to.deep.equal([true, false])
  })

  it('is kept if one of few requirements has many values', () => {
    const selector = { matchExpressions: [{ key: 'k', operator: 'In', values: Array.from({ length: MANY }, (_, i) => `v${i}`) }] }
    expect(countedSteps(keepSelector({ spec: { selector } })).yields).to.be.at.least(MANY / 512 - 1)
    const requirements = selectorOf(selector)
    expect(selectorOf(selector)).to.equal(requirements)
    expect([matchesLabels(requirements, { k: 'v7' }), matchesLabels(requirements, { k: 'w' })]).to.deep.equal([true, false])
  })

  it('is left to its reader if it is short or absent', () => {
    for (const object of [{}, { spec: {} }, { spec: { selector: null } }, { spec: { selector: { matchLabels: { a: 'b' } } } }])
      expect(countedSteps(keepSelector(object)).yields).to.equal(0)
  })

  it('reports faults in steps as well', () => {
    const selector = { matchLabels: { ...map(), '-': 'v' } }
    expect(() => countedSteps(keepSelector({ spec: { selector } }))).to.throw(SelectorError)
    expect(() => selectorOf(selector)).to.throw(SelectorError)
  })

  it('is empty without members', () =>
    expect([isEmptyMap(undefined), isEmptyMap({}), isEmptyMap({ a: 'b' }), isEmptyMap(map())]).to.deep.equal([true, true, false, false]))
})
