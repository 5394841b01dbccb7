import { expect } from 'chai'
import { type Randomness, seededRandomness, systemRandomness } from '../../../src/lib/randomness.ts'

const drawn = (source: Randomness): unknown[] => [source.uuid(), source.number(), source.uuid(), source.number()]

describe('seededRandomness', () => {
  it('gives the same values for the same seed, and others for another', () => {
    expect(drawn(seededRandomness('a'))).to.deep.equal(drawn(seededRandomness('a')))
    expect(drawn(seededRandomness('a'))).to.not.deep.equal(drawn(seededRandomness('b')))
  })

  for (const [name, source] of Object.entries({ seededRandomness: seededRandomness('a'), systemRandomness }))
    it(`gives UUIDs of version 4 and numbers from 0 to 1: ${name}`, () => {
      for (let i = 0; i < 100; i++) {
        expect(source.uuid()).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(source.number()).to.be.within(0, 1 - Number.EPSILON)
      }
    })
})
