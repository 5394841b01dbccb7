import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { PatchError } from '../../../../src/apply/patch/error.ts'
import { checkMergePatch, mergePatchSteps } from '../../../../src/apply/patch/merge.ts'
import { types } from '../../../../src/catalog/types.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { applyMergePatch } from '../../../support/at-once.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { fixture } from '../fixture.ts'

interface Row {
  name: string
  type?: string
  doc: JsonObject
  patch: Json
  result: JsonObject
}

describe('merge patch', () => {
  describe('matches kube-apiserver', () => {
    for (const { name, type, doc, patch, result } of fixture<Row>('merge-patch'))
      it(name, () => {
        const inputs = structuredClone({ doc, patch })
        const patched = applyMergePatch(doc, patch)
        expect(type === undefined ? patched : decode(types.type(type), patched)).to.deep.equal(result)
        expect({ doc, patch }).to.deep.equal(inputs)
      })
  })

  const table: [why: string, doc: JsonObject, patch: Json, result: Json][] = [
    ['RFC 7386: replaces', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['RFC 7386: adds', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['RFC 7386: deletes', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    ['RFC 7386: a list replaces', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
    ['RFC 7386: merges deeply', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['RFC 7386: a scalar becomes a list', { a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    ['RFC 7386: lists are not merged', { a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    ['RFC 7386: a null that is there stays', { e: null }, { a: 1 }, { e: null, a: 1 }],
    ['RFC 7386: deletes missing members', { a: 'b' }, { c: null }, { a: 'b' }],
    ['RFC 7386: nulls of new objects vanish', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['nulls of objects in a list that replaces a scalar vanish', { a: 1 }, { a: [{ b: null }, null] }, { a: [{}, null] }],
    ['nulls of objects in a list that replaces an object stay', { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ['replaces null in the document by an object', { a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
    ['a list is the whole result', { a: 1 }, [{ b: null }], [{}]],
  ]
  for (const [why, doc, patch, result] of table) it(why, () => expect(applyMergePatch(doc, patch)).to.deep.equal(result))

  it('treats a member named __proto__ as data', () => {
    const patched = applyMergePatch({ a: {} }, JSON.parse('{"a":{"__proto__":{"polluted":true}}}')) as JsonObject
    expect(JSON.stringify(patched)).to.equal('{"a":{"__proto__":{"polluted":true}}}')
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined)
  })

  it('rejects null and scalars', () => {
    for (const patch of [null, 1, 'x', true]) expect(() => applyMergePatch({}, patch)).to.throw(PatchError, 'Invalid JSON Patch')
  })

  it('rejects lists unless field validation is off', () => {
    expect(() => checkMergePatch([])).to.throw(
      PatchError,
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    )
    checkMergePatch(null)
  })

  it('accepts values that are nested as deeply as bodies may be', () => {
    for (const text of [`${'['.repeat(5000)}${']'.repeat(5000)}`, `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`]) {
      let depth = 0
      let inner: Json | undefined = applyMergePatch({}, { x: JSON.parse(text) as Json })
      while (typeof inner === 'object' && inner !== null) {
        depth++
        inner = Object.values(inner)[0]
      }
      expect(depth).to.equal(5001)
    }
  })

  it('applies large patches to large objects in steps', () => {
    const members = (value: string | null): JsonObject => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, value]))
    const cases: [doc: JsonObject, patch: JsonObject][] = [
      [{ data: members('a') }, { data: { k1: 'b' } }],
      [{ data: {} }, { data: members('b') }],
      [{}, { data: members('b') }],
      [{}, { data: [...Object.values(members('b'))] }],
    ]
    for (const [doc, patch] of cases) {
      expect(countedSteps(mergePatchSteps(doc, patch)).yields).to.be.above(10)
    }
  })

  it('may not give an object more members than a body may hold', () => {
    const members = (count: number, prefix: string, value: Json = ''): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value]))
    const patched = (count: number, data: JsonObject): number =>
      Object.keys(Object(applyMergePatch({ data: members(count, 'a') }, { data })).data).length
    const limit = 'limit is 32768 members of an object'
    expect(patched(20_000, members(12_768, 'b'))).to.equal(32_768)
    expect(() => patched(20_000, members(12_769, 'b'))).to.throw(limit)
    expect(() => patched(32_768, { b: '' })).to.throw(limit)
    expect(patched(30_000, { ...members(15_000, 'a', null), ...members(17_000, 'b') })).to.equal(32_000)
    // More than may be added today.
    expect(patched(40_000, { a0: null, a1: 'b' })).to.equal(39_999)
    expect(patched(40_000, { a0: null, b: '' })).to.equal(40_000)
    expect(() => patched(40_000, { b: '' })).to.throw(limit)
  })
})
