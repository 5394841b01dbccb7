import { createHash } from 'node:crypto'

/** Bits of the hash that are used. With all 64 bits, the last card would not be uniformly distributed. */
const MAX_HASH_BITS = 60
const MAX_DECK = 2 ** 26

/** Returns why hands of this size cannot be dealt. Undefined if they can. */
export function dealerFault(deckSize: number, handSize: number): string | undefined {
  if (deckSize <= 0 || handSize <= 0) return `deckSize ${deckSize} or handSize ${handSize} is not positive`
  if (handSize > deckSize) return `handSize ${handSize} is greater than deckSize ${deckSize}`
  if (deckSize > MAX_DECK) return `deckSize ${deckSize} is impractically large`
  if (Math.ceil(Math.log2(deckSize) * handSize) > MAX_HASH_BITS)
    return `required entropy bits of deckSize ${deckSize} and handSize ${handSize} is greater than ${MAX_HASH_BITS}`
  return undefined
}

/** Deals the hand of a flow: `handSize` distinct numbers below `deckSize`, which only depend on the hash. */
export function dealHand(hash: bigint, deckSize: number, handSize: number): number[] {
  const remainders: number[] = []
  for (let i = 0, left = hash; i < handSize; i++) {
    const deck = BigInt(deckSize - i)
    remainders.push(Number(left % deck))
    left /= deck
  }
  return remainders.map((remainder, i) => {
    let card = remainder
    for (let j = i; j > 0; j--) if (card >= (remainders[j - 1] ?? 0)) card++
    return card
  })
}

/** Returns the hash of a flow. Source: hashFlowID in k8s.io/apiserver, pkg/util/flowcontrol. */
export const hashFlow = (schema: string, distinguisher: string): bigint =>
  createHash('sha256').update(schema).update('\0').update(distinguisher).digest().readBigUInt64LE(0)
