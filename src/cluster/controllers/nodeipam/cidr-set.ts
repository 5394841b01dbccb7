import { addressNumber, type Cidr, type IpAddress, numberedAddress, parseCidr, printCidr } from '../../../meta/ip.ts'

/** A CIDR that lies outside of the range. */
export class OutsideRangeError extends Error {
  override readonly name = 'OutsideRangeError'
}

/** First and last index of blocks. */
export type BlockSpan = readonly [first: number, last: number]

/**
 * Blocks of equal size in a range of addresses, of which nodes get one each. The next block that is free follows the
 * one that was given last, so that a block is not given again soon. Source: pkg/controller/nodeipam/ipam/cidrset.
 */
export class CidrSet {
  readonly #range: Cidr
  readonly #mask: number
  readonly #bits: bigint
  readonly #base: bigint
  /** Number of blocks. */
  readonly size: number
  readonly #used = new Set<number>()
  #next = 0

  /** @param mask prefix length of a block. At least that of the range, and at most 31 more. */
  constructor(range: Cidr, mask: number) {
    this.#range = range
    this.#mask = mask
    this.#bits = BigInt(range.network.length * 8)
    this.#base = addressNumber(range.network)
    this.size = 2 ** (mask - range.prefix)
  }

  get family(): 4 | 6 {
    return this.#range.family
  }

  /** Gives the next free block. Undefined if there is none. */
  allocate(): string | undefined {
    if (this.#used.size >= this.size) return undefined
    while (this.#used.has(this.#next)) this.#next = (this.#next + 1) % this.size
    const index = this.#next
    this.#used.add(index)
    this.#next = (index + 1) % this.size
    return this.block(index)
  }

  /** Marks the blocks of a CIDR as used. Throws OutsideRangeError. */
  occupy(cidr: string): void {
    const [first, last] = this.span(cidr)
    for (let index = first; index <= last; index++) this.#used.add(index)
  }

  /** Frees the blocks of a CIDR. Throws OutsideRangeError. */
  release(cidr: string): void {
    const [first, last] = this.span(cidr)
    for (let index = first; index <= last; index++) this.#used.delete(index)
  }

  /** Returns the block of an index. */
  block(index: number): string {
    const address = numberedAddress(this.#base + (BigInt(index) << (this.#bits - BigInt(this.#mask))), this.family)
    return printCidr({ address, network: address, prefix: this.#mask, family: this.#range.family })
  }

  /** Returns the index of the block that an address is in. Throws OutsideRangeError. */
  index(address: IpAddress): number {
    const offset = (addressNumber(address) - this.#base) >> (this.#bits - BigInt(this.#mask))
    if (address.length !== this.#range.network.length || offset < 0n || offset >= BigInt(this.size))
      throw new OutsideRangeError(`an address is out of the range ${printCidr(this.#range)}`)
    return Number(offset)
  }

  /** Returns the blocks that a CIDR overlaps. Throws OutsideRangeError. */
  span(cidr: string): BlockSpan {
    const parsed = parseCidr(cidr)
    if (parsed === undefined || parsed.family !== this.family)
      throw new OutsideRangeError(`cidr ${cidr} is out of the range ${printCidr(this.#range)}`)
    const hostBits = this.#bits - BigInt(parsed.prefix)
    const first = addressNumber(parsed.network)
    const last = first + (1n << hostBits) - 1n
    const end = this.#base + (1n << (this.#bits - BigInt(this.#range.prefix))) - 1n
    if (last < this.#base || first > end) throw new OutsideRangeError(`cidr ${cidr} is out of the range ${printCidr(this.#range)}`)
    if (parsed.prefix <= this.#range.prefix) return [0, this.size - 1]
    return [this.index(parsed.network), this.index(numberedAddress(last, parsed.family))]
  }
}
