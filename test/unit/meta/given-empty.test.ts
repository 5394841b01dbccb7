import { expect } from 'chai'
import {
  asGiven,
  copyGivenEmpty,
  forgetGivenEmpty,
  givenEmptyNames,
  hasGivenEmpty,
  hasGivenEmptyInList,
  isExactly,
  isGivenEmpty,
  isMemberExactly,
  setGivenEmpty,
} from '../../../src/meta/given-empty.ts'

interface Thing {
  list?: string[]
  map?: Record<string, string>
}

function thing(...names: string[]): Thing {
  const made: Thing = {}
  for (const name of names) setGivenEmpty(made, name, name === 'list' ? [] : {})
  return made
}

describe('what was given empty', () => {
  it('is known of the object that lacks it', () => {
    const given = thing('list')
    expect([isGivenEmpty(given, 'list'), isGivenEmpty(given, 'map'), isGivenEmpty({}, 'list')]).to.deep.equal([true, false, false])
    expect(asGiven(given, 'list')).to.deep.equal([])
    expect(asGiven(given, 'map')).to.equal(undefined)
    expect(givenEmptyNames(thing('list', 'map'))).to.deep.equal(['list', 'map'])
  })

  it('is so no more once it is set, or forgotten', () => {
    const given = thing('list', 'map')
    given.list = ['a']
    forgetGivenEmpty(given, 'map')
    expect(asGiven(given, 'list')).to.deep.equal(['a'])
    expect(givenEmptyNames(given)).to.deep.equal([])
    expect(hasGivenEmpty(given)).to.equal(false)
  })

  it('is known of copies that are told', () => {
    const given = thing('list')
    expect(isGivenEmpty({ ...given }, 'list')).to.equal(false)
    expect(isGivenEmpty(copyGivenEmpty(given, { ...given }), 'list')).to.equal(true)
  })

  it('is found at any depth, and apart from that in lists', () => {
    expect(hasGivenEmpty({ a: [{ b: thing('map') }] })).to.equal(true)
    expect(hasGivenEmptyInList({ a: [{ b: thing('map') }] })).to.equal(true)
    expect(hasGivenEmpty({ a: { b: thing('map') } })).to.equal(true)
    expect(hasGivenEmptyInList({ a: { b: thing('map') } })).to.equal(false)
    expect(hasGivenEmpty({ a: [null, 1, 'x', { b: {} }] })).to.equal(false)
  })

  it('is not what was stored without it', () => {
    expect(isExactly({ a: 1 }, { a: 1 })).to.equal(true)
    expect(isExactly([thing('list')], [{}])).to.equal(false)
    expect(isMemberExactly(thing('list'), {} as Thing, 'list')).to.equal(false)
    expect(isMemberExactly(thing('list'), {} as Thing, 'map')).to.equal(true)
  })
})
