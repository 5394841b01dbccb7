import { expect } from 'chai'
import type { JsonSchemaProps } from '../../../../src/api/apiextensions/json-schema-props.ts'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { fillDefaults, fillDefaultsInSteps } from '../../../../src/schema/json-schema/fill-defaults.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const itemsWith = (properties: Record<string, JsonSchemaProps>): JsonSchemaProps => ({
  type: 'object',
  properties: { list: { type: 'array', items: { type: 'object', properties } } },
})
const emptyItems = (count: number): JsonObject => ({ list: Array.from({ length: count }, () => ({})) })

describe('fillDefaults', () => {
  it('sets the defaults of each item to a copy of its own', () => {
    const value = emptyItems(2)
    fillDefaults(value, itemsWith({ a: { type: 'object', default: { b: [1] } } }))
    expect(value).to.deep.equal({ list: [{ a: { b: [1] } }, { a: { b: [1] } }] })
    const [first, second] = value.list as JsonObject[]
    expect(first?.a).not.to.equal(second?.a)
  })

  it('rejects a small object that would expand to a great many values', () => {
    const properties = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, { type: 'string', default: 'x' }]))
    expect(() => fillDefaults(emptyItems(10), itemsWith(properties))).not.to.throw()
    expect(() => fillDefaults(emptyItems(1000), itemsWith(properties))).to.throw(
      'Request entity too large: limit is 65536 values of defaults',
    )
  })

  it('goes through wide values in steps', () => {
    const value = emptyItems(10_000)
    const steps = fillDefaultsInSteps(value, itemsWith({ a: { type: 'integer', default: 1 } }))
    expect(steps && countedSteps(steps).yields).to.be.at.least(39)
    expect(value).to.deep.equal({ list: Array.from({ length: 10_000 }, () => ({ a: 1 })) })
  })

  it('replaces nulls that a schema does not allow', () => {
    const value: JsonObject = { list: [null, { a: null }], map: { x: null, y: {} } }
    const inner: JsonSchemaProps = { type: 'object', default: {}, properties: { a: { type: 'integer', default: 1 } } }
    fillDefaults(value, {
      type: 'object',
      properties: { list: { type: 'array', items: inner }, map: { type: 'object', additionalProperties: inner } },
    })
    expect(value).to.deep.equal({ list: [{ a: 1 }, { a: 1 }], map: { x: { a: 1 }, y: { a: 1 } } })
  })

  it('copies a wide default in steps', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const value: JsonObject = {}
    const steps = fillDefaultsInSteps(value, { type: 'object', properties: { map: { type: 'object', default: wide } } })
    expect(steps && countedSteps(steps).yields).to.be.at.least(39)
    expect(value).to.deep.equal({ map: wide })
    expect(value.map).to.not.equal(wide)
  })

  it('counts the values within a default', () => {
    const big = Array.from({ length: 2000 }, (_, i) => i)
    expect(() => fillDefaults(emptyItems(100), itemsWith({ a: { type: 'array', default: big } }))).to.throw(
      'limit is 65536 values of defaults',
    )
  })

  it('skips parts without defaults, which may be wide', () => {
    const wide = new Proxy<JsonObject>({}, { ownKeys: () => expect.fail('it was walked through') })
    const value: JsonObject = { wide, parts: [{}] }
    const parts: JsonSchemaProps = { type: 'array', items: { type: 'object', properties: { size: { type: 'integer', default: 1 } } } }
    fillDefaults(value, { type: 'object', properties: { wide: { type: 'object', additionalProperties: { type: 'string' } }, parts } })
    expect(value.parts).to.deep.equal([{ size: 1 }])
  })
})
