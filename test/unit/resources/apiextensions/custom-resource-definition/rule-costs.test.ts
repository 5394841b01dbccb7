import { expect } from 'chai'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { occurrencesBelow, RuleCosts } from '../../../../../src/resources/apiextensions/custom-resource-definition/rule-costs.ts'

const MORE = '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
const at = (name: string): ReturnType<typeof fieldPath> => fieldPath('s', name)

describe('costs of CustomResourceDefinition rules', () => {
  it('are limited individually', () => {
    const costs = new RuleCosts(true)
    const text = (cost: bigint): string[] => costs.add(at('a'), 'estimated rule cost', cost).map(fieldErrorText)
    expect(text(10_000_000n)).to.deep.equal([])
    expect(text(10_000_001n)).to.deep.equal([`s.a: Forbidden: estimated rule cost exceeds budget by factor of 1.000000x ${MORE}`])
    expect(text(25_000_000n)).to.deep.equal([`s.a: Forbidden: estimated rule cost exceeds budget by factor of 2.5x ${MORE}`])
    expect(text(2_000_000_000n)).to.deep.equal([`s.a: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${MORE}`])
  })

  it('are not limited individually for an existing schema', () => {
    expect(new RuleCosts(false).add(at('a'), 'estimated rule cost', 25_000_000n)).to.deep.equal([])
  })

  it('are limited in total, with an error for the most expensive rules', () => {
    const costs = new RuleCosts(false)
    for (const [name, cost] of Object.entries({ a: 30n, b: 50n, c: 0n, d: 10n, e: 20n, f: 40n }))
      costs.add(at(name), 'estimated rule cost', cost * 1_000_000n)
    const contributed = 'Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    expect(costs.totalErrors(fieldPath('s')).map(fieldErrorText)).to.deep.equal([
      ...['b', 'f', 'a', 'e'].map(name => `s.${name}: ${contributed}`),
      `s: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.5x ${MORE}`,
    ])
  })

  it('include how often values can occur', () => {
    expect(occurrencesBelow({ type: 'array', maxItems: 3 }, 2n)).to.equal(6n)
    expect(occurrencesBelow({ type: 'object', additionalProperties: { type: 'string' }, maxProperties: 4 }, 2n)).to.equal(8n)
    expect(occurrencesBelow({ type: 'object', properties: {} }, 2n)).to.equal(2n)
    expect(occurrencesBelow({ type: 'array' }, 2n)).to.equal(undefined)
    expect(occurrencesBelow({ type: 'object' }, undefined)).to.equal(undefined)
  })
})
