import { expect } from 'chai'
import { Expectations } from '../../../../src/cluster/shared/expectations.ts'

describe('expectations', () => {
  it('are satisfied when all creations and deletions have been seen', () => {
    const expectations = new Expectations({ now: () => 0 })
    expect(expectations.areSatisfied('a')).to.equal(true)
    expectations.expect('a', 2, ['p', 'q'])
    expectations.creationObserved('a')
    expectations.deletionObserved('a', 'p')
    // A deletion is seen twice: as an update with a deletion time, and as the end of the object.
    expectations.deletionObserved('a', 'p')
    expectations.creationObserved('a')
    expect(expectations.areSatisfied('a')).to.equal(false)
    expectations.deletionObserved('a', 'q')
    expect(expectations.areSatisfied('a')).to.equal(true)
  })

  it('expire after five minutes', () => {
    let now = 0
    const expectations = new Expectations({ now: () => now })
    expectations.expectCreations('a', 1)
    now = 300_000
    expect(expectations.areSatisfied('a')).to.equal(false)
    now++
    expect(expectations.areSatisfied('a')).to.equal(true)
  })

  it('are forgotten with their key', () => {
    const expectations = new Expectations({ now: () => 0 })
    expectations.expectDeletions('a', ['p'])
    expectations.forget('a')
    expect(expectations.areSatisfied('a')).to.equal(true)
  })
})
