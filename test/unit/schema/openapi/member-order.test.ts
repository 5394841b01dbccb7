import { expect } from 'chai'
import { inMemberOrder } from '../../../../src/schema/openapi/member-order.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

describe('members of a schema', () => {
  it("are in upstream's order at every depth", () => {
    const inner = { type: 'string', description: 'd', enum: [{ b: 1, a: 2 }] }
    const { result } = countedSteps(
      inMemberOrder({
        'x-b': 1,
        properties: { b: inner, a: { items: inner, type: 'array' } },
        anyOf: [inner],
        type: 'object',
        'x-a': 2,
        additionalProperties: false,
      }),
    )
    const ordered = '{"description":"d","type":"string","enum":[{"a":2,"b":1}]}'
    expect(JSON.stringify(result)).to.equal(
      `{"type":"object","anyOf":[${ordered}],"properties":{"a":{"type":"array","items":${ordered}},"b":${ordered}},"additionalProperties":false,"x-a":2,"x-b":1}`,
    )
  })

  it('are sorted in steps if there are many', () => {
    const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${9999 - i}`, { type: 'string' }]))
    const { result, yields } = countedSteps(inMemberOrder({ properties }))
    expect(result).to.deep.equal({ properties })
    expect(yields).to.be.at.least(19)
  })

  it('are copied in steps if a default has many', () => {
    const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, i]))
    for (const schema of [{ default: value }, { properties: { a: { default: value } } }]) {
      const { result, yields } = countedSteps(inMemberOrder(schema))
      expect(result).to.deep.equal(schema)
      expect(yields).to.be.at.least(10)
    }
  })
})
