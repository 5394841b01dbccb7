import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { objectAt, objectsIn, parsedObject, rename, textsIn } from '../../../src/meta/json-members.ts'

describe('members of JSON', () => {
  it('are filtered by type from a list of any values', () => {
    const mixed = [1, 'a', { b: 1 }, null, ['c'], 'd']
    expect(objectsIn(mixed)).to.deep.equal([{ b: 1 }])
    expect(textsIn(mixed)).to.deep.equal(['a', 'd'])
    for (const value of [undefined, null, 'a', { a: 'b' }]) expect([objectsIn(value), textsIn(value)]).to.deep.equal([[], []])
  })

  it('that are no objects are replaced by one', () => {
    const parent: JsonObject = { a: { b: 1 }, c: 'd' }
    expect(objectAt(parent, 'a')).to.equal(parent.a)
    objectAt(parent, 'c').x = 1
    objectAt(parent, 'e')
    expect(parent).to.deep.equal({ a: { b: 1 }, c: { x: 1 }, e: {} })
  })

  it('get another name if they are there', () => {
    const object: JsonObject = { a: 1 }
    rename(object, 'a', 'b')
    rename(object, 'c', 'd')
    expect(object).to.deep.equal({ b: 1 })
  })

  it('are read from the text of an object alone', () => {
    expect(parsedObject('{"a":1}')).to.deep.equal({ a: 1 })
    for (const text of ['[]', 'null', '1', '{', '']) expect(parsedObject(text)).to.equal(undefined)
  })
})
