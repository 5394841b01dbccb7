import { expect } from 'chai'
import { runAtOnce } from '../../../src/lib/steps.ts'
import {
  asGiven,
  copyGivenEmpty,
  forgetGivenEmpty,
  givenEmptyNames,
  hasGivenEmpty,
  hasGivenEmptyInList,
  hasGivenEmptyInListInSteps,
  isExactlyInSteps,
  isGivenEmpty,
  isMemberExactly,
  setGivenEmpty,
} from '../../../src/meta/empty-members.ts'
import { countedSteps } from '../../support/counted-steps.ts'

interface Thing {
  list?: string[]
  map?: Record<string, string>
}

function thing(...names: string[]): Thing {
  const made: Thing = {}
  for (const name of names) setGivenEmpty(made, name, name === 'list' ? [] : {})
  return made
}

describe('members that were given as empty', () => {
  it('are marked on the object that omits them', () => {
    const given = thing('list')
    expect([isGivenEmpty(given, 'list'), isGivenEmpty(given, 'map'), isGivenEmpty({}, 'list')]).to.deep.equal([true, false, false])
    expect(asGiven(given, 'list')).to.deep.equal([])
    expect(asGiven(given, 'map')).to.equal(undefined)
    expect(givenEmptyNames(thing('list', 'map'))).to.deep.equal(['list', 'map'])
  })

  it('lose the mark when they are set or forgotten', () => {
    const given = thing('list', 'map')
    given.list = ['a']
    forgetGivenEmpty(given, 'map')
    expect(asGiven(given, 'list')).to.deep.equal(['a'])
    expect(givenEmptyNames(given)).to.deep.equal([])
    expect(hasGivenEmpty(given)).to.equal(false)
  })

  it('keep the mark in copies made with copyGivenEmpty', () => {
    const given = thing('list')
    expect(isGivenEmpty({ ...given }, 'list')).to.equal(false)
    expect(isGivenEmpty(copyGivenEmpty(given, { ...given }), 'list')).to.equal(true)
  })

  it('are found at any depth, or only within lists', () => {
    expect(hasGivenEmpty({ a: [{ b: thing('map') }] })).to.equal(true)
    expect(hasGivenEmptyInList({ a: [{ b: thing('map') }] })).to.equal(true)
    expect(runAtOnce(hasGivenEmptyInListInSteps({ a: [{ b: thing('map') }] }))).to.equal(true)
    expect(hasGivenEmpty({ a: { b: thing('map') } })).to.equal(true)
    expect(hasGivenEmptyInList({ a: { b: thing('map') } })).to.equal(false)
    expect(runAtOnce(hasGivenEmptyInListInSteps({ a: { b: thing('map') } }))).to.equal(false)
    expect(hasGivenEmpty({ a: [null, 1, 'x', { b: {} }] })).to.equal(false)
  })

  it('differ from a stored object without them', () => {
    expect(runAtOnce(isExactlyInSteps({ a: 1 }, { a: 1 }))).to.equal(true)
    expect(runAtOnce(isExactlyInSteps([thing('list')], [{}]))).to.equal(false)
    expect(isMemberExactly(thing('list'), {} as Thing, 'list')).to.equal(false)
    expect(isMemberExactly(thing('list'), {} as Thing, 'map')).to.equal(true)
  })

  it('are found in steps in a large object', () => {
    const things = (last: Thing): { items: Thing[] } => ({ items: [...Array.from({ length: 5120 }, () => ({ list: ['a'] })), last] })
    const compared = (last: Thing) => countedSteps(isExactlyInSteps(things(last), things({})))
    expect(compared({}).result).to.equal(true)
    expect(compared(thing('map')).result).to.equal(false)
    expect(compared({}).yields).to.be.at.least(20)
  })
})
