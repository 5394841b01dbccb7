import { expect } from 'chai'
import { isJsonObject, objectIn } from '../../../../src/api/meta/object.ts'

describe('objects of the JSON data model', () => {
  it('are distinguished from lists, null and scalars', () => {
    expect([{}, { a: 1 }].map(isJsonObject)).to.deep.equal([true, true])
    expect([[], null, 'a', 1, true, undefined].map(isJsonObject)).to.deep.equal([false, false, false, false, false, false])
  })

  it('are empty if a member is absent or something else', () => {
    const members = { a: 1 }
    expect(objectIn(members)).to.equal(members)
    expect([undefined, null, [], 'a'].map(objectIn)).to.deep.equal([{}, {}, {}, {}])
  })
})
