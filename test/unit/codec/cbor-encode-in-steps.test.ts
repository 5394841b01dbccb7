import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { encodeCbor, encodeCborInSteps, parseStoredCbor } from '../../../src/codec/cbor.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { unlessThrown } from '../../../src/lib/unless-thrown.ts'
import { decode } from '../../../src/schema/decode.ts'
import { DecodeError } from '../../../src/schema/diagnose.ts'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { customResource } from '../../support/custom-resource.ts'
import { largeBody } from '../../support/large-bodies.ts'
import { largeCases, largeKinds } from '../../support/large-requests.ts'

const custom = customResource().hub.schema

function stepsOf(schema: StructSchema, object: JsonObject): number {
  let count = 0
  for (const steps = encodeCborInSteps(schema, object); !steps.next().done; ) count++
  return count
}

describe('CBOR in steps', () => {
  it('has the bytes of CBOR in one call, whichever part of an object is large', () => {
    let compared = 0
    for (const { kind, place, filling } of [...largeCases(largeKinds(), ['create'])].filter((_, i) => i % 7 === 0)) {
      const object = unlessThrown(DecodeError, () => decode(kind.schema, JSON.parse(largeBody(kind.base, place, filling, 20_000))))
      if (object === undefined) continue
      compared++
      for (const typed of [true, false])
        expect(
          runAtOnce(encodeCborInSteps(kind.schema, object, typed)).equals(encodeCbor(kind.schema, object, typed)),
          place.owner,
        ).to.equal(true)
    }
    expect(compared).to.be.greaterThan(200)
  })

  it('has the same bytes for objects without a schema, with keys of every length in any order', () => {
    const spec: JsonObject = { none: undefined as unknown as Json, list: [1, 1.5, null, 'x', { b: 1, a: [] }] }
    for (let i = 0; i < 3000; i++)
      spec[`${'k'.repeat(i % 40)}${(i * 7919) % 3000}${i % 5 === 0 ? 'ü' : ''}`] = i % 3 === 0 ? { v: i } : `${i}`
    const object = { kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'a' }, spec }
    expect(runAtOnce(encodeCborInSteps(custom, object)).equals(encodeCbor(custom, object))).to.equal(true)
  })

  it('yields in proportion to the values, and not for small objects', () => {
    const object = (count: number) => ({ spec: Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v'])) })
    expect(stepsOf(custom, object(100))).to.equal(0)
    expect(stepsOf(custom, object(20_000))).to.be.greaterThan(30)
    expect(stepsOf(custom, { spec: Array.from({ length: 2000 }, () => Array(300).fill(1)) })).to.be.greaterThan(30)
  })

  it('encodes and reads values that are nested as deeply as JSON may be', () => {
    let value: Json = 'leaf'
    for (let i = 0; i < 9990; i++) value = i % 2 ? [value] : { n: value }
    const bytes = runAtOnce(encodeCborInSteps(custom, { spec: value }))
    let read: Json | undefined = (parseStoredCbor(bytes) as JsonObject).spec
    for (let i = 9989; i >= 0; i--) read = i % 2 ? (read as Json[])[0] : (read as JsonObject).n
    expect(read).to.equal('leaf')
  })
})
