import { expect } from 'chai'
import { compareVersionNames, stabilityOf } from '../../../src/meta/gvk.ts'

describe('names of versions', () => {
  for (const [name, stability] of [
    ['v1', 'ga'],
    ['v12', 'ga'],
    ['v1beta2', 'beta'],
    ['v2alpha1', 'alpha'],
    ['v1beta', undefined],
    ['foo1', undefined],
  ] as const)
    it(`${name} is ${stability ?? 'not a known form'}`, () => expect(stabilityOf(name)).to.equal(stability))

  it('are ordered by priority', () => {
    const wanted = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10']
    expect([...wanted].sort().sort(compareVersionNames)).to.deep.equal(wanted)
  })
})
