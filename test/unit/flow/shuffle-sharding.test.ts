import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { dealerFault, dealHand, hashFlow } from '../../../src/flow/shuffle-sharding.ts'

describe('shuffle sharding', () => {
  const FAULTS: [deck: number, hand: number, fault: string | undefined][] = [
    [-100, 8, 'deckSize -100 or handSize 8 is not positive'],
    [100, -8, 'deckSize 100 or handSize -8 is not positive'],
    [0, 8, 'deckSize 0 or handSize 8 is not positive'],
    [100, 101, 'handSize 101 is greater than deckSize 100'],
    [2 ** 27, 2, 'deckSize 134217728 is impractically large'],
    [512, 8, 'required entropy bits of deckSize 512 and handSize 8 is greater than 60'],
    [128, 8, undefined],
    [1, 1, undefined],
  ]
  for (const [deck, hand, fault] of FAULTS)
    it(`${deck}, ${hand}: ${fault ?? 'fits'}`, () => expect(dealerFault(deck, hand)).to.equal(fault))

  it('deals distinct cards, the same for the same hash', () => {
    for (let i = 0; i < 1000; i++) {
      const hash = createHash('sha256').update(String(i)).digest().readBigUInt64LE()
      const hand = dealHand(hash, 128, 6)
      expect(new Set(hand).size).to.equal(6)
      expect(hand.every(card => card >= 0 && card < 128)).to.equal(true)
      expect(dealHand(hash, 128, 6)).to.deep.equal(hand)
    }
  })

  it('deals every hand of a small deck equally often', () => {
    const counts = new Map<string, number>()
    for (let hash = 0n; hash < 6n * 5n * 4n * 10n; hash++) {
      const hand = dealHand(hash, 6, 3).join()
      counts.set(hand, (counts.get(hand) ?? 0) + 1)
    }
    expect(counts.size).to.equal(120)
    expect(new Set(counts.values())).to.deep.equal(new Set([10]))
  })

  it('deals a whole deck', () => expect(dealHand(0xfedcba9876543210n, 6, 6).toSorted()).to.deep.equal([0, 1, 2, 3, 4, 5]))

  // Where remainders are 1, 0 and 1, the cards that are left move up: of 0…5 first 1, then 0, then the second of 2…5.
  it('deals by remainders', () => expect(dealHand(1n + 6n * (0n + 5n * 1n), 6, 3)).to.deep.equal([1, 0, 3]))

  it('distinguishes flows by schema and distinguisher', () => {
    expect(hashFlow('a', 'b')).to.equal(createHash('sha256').update('a\0b').digest().readBigUInt64LE())
    expect(hashFlow('ab', '')).not.to.equal(hashFlow('a', 'b'))
  })
})
