import { type Cidr, parseCidr, printIp } from '../../meta/ip.ts'

/**
 * Range of the addresses of pods on nodes without a block of their own. It overlaps neither the default blocks nor the
 * addresses of nodes.
 */
const GENERAL = '10.192.0.0/10'
/** Number of addresses of a block that are used at most. */
const MOST_ADDRESSES = 2 ** 22

/** Addresses of one block. */
interface Block {
  readonly network: Uint8Array
  /** Number of addresses that are given. */
  readonly size: number
  /** Distance of the first of them from the start of the block. */
  readonly first: number
  readonly used: Set<number>
  next: number
}

/**
 * Gives each pod addresses from the blocks of its node, and the same ones as long as it exists. An address is given
 * again once all others of the block were.
 */
export class PodAddresses {
  readonly #blocks = new Map<string, Block>()
  readonly #byPod = new Map<string, readonly { readonly block: Block; readonly offset: number }[]>()

  /**
   * Returns the addresses of a pod by its uid, one of each block.
   * @param cidrs blocks of the node. If there are none, or one has no address left, the pod gets an address of a
   * general range.
   */
  of(uid: string, cidrs: readonly string[] = []): string[] {
    let places = this.#byPod.get(uid)
    if (places === undefined) {
      places = this.#take(cidrs) ?? this.#take([GENERAL]) ?? []
      this.#byPod.set(uid, places)
    }
    return places.map(({ block, offset }) => addressAt(block, offset))
  }

  /** Records the addresses that a pod has already, if they belong to the blocks of its node or to the general range. */
  note(uid: string, addresses: readonly string[], cidrs: readonly string[] = []): void {
    if (this.#byPod.has(uid)) return
    const blocks = [...cidrs, GENERAL].flatMap(cidr => this.#block(cidr) ?? [])
    const places = addresses.flatMap(address => {
      const bytes = parseCidr(`${address}/${address.includes(':') ? 128 : 32}`)?.address
      if (bytes === undefined) return []
      for (const block of blocks) {
        const offset = offsetIn(block, bytes)
        if (offset !== undefined) return [{ block, offset }]
      }
      return []
    })
    if (places.length === 0) return
    for (const { block, offset } of places) block.used.add(offset)
    this.#byPod.set(uid, places)
  }

  release(uid: string): void {
    for (const { block, offset } of this.#byPod.get(uid) ?? []) block.used.delete(offset)
    this.#byPod.delete(uid)
  }

  /** Takes an address of each block. Undefined if there are no blocks, or if one is full. */
  #take(cidrs: readonly string[]): { block: Block; offset: number }[] | undefined {
    const blocks = cidrs.flatMap(cidr => this.#block(cidr) ?? [])
    if (blocks.length === 0 || blocks.some(({ used, size }) => used.size >= size)) return undefined
    return blocks.map(block => {
      while (block.used.has(block.next)) block.next = (block.next + 1) % block.size
      const offset = block.next
      block.next = (offset + 1) % block.size
      block.used.add(offset)
      return { block, offset }
    })
  }

  #block(cidr: string): Block | undefined {
    const known = this.#blocks.get(cidr)
    if (known) return known
    const parsed = parseCidr(cidr)
    if (parsed === undefined) return undefined
    const block: Block = { network: parsed.network, ...extentOf(parsed), used: new Set(), next: 0 }
    this.#blocks.set(cidr, block)
    return block
  }
}

/** The first and the last address of a block are not given, unless it has no others. */
function extentOf({ network, prefix }: Cidr): Pick<Block, 'size' | 'first'> {
  const addresses = Math.min(MOST_ADDRESSES, 2 ** (network.length * 8 - prefix))
  return addresses > 2 ? { size: addresses - 2, first: 1 } : { size: addresses, first: 0 }
}

/** Returns the address of a block at an offset from the first one that is given. */
function addressAt({ network, first }: Block, offset: number): string {
  const bytes = Uint8Array.from(network)
  let rest = offset + first
  for (let i = bytes.length - 1; i >= 0 && rest > 0; i--) {
    rest += bytes[i] ?? 0
    bytes[i] = rest & 255
    rest = Math.floor(rest / 256)
  }
  return printIp(bytes)
}

function offsetIn({ network, size, first }: Block, address: Uint8Array): number | undefined {
  if (address.length !== network.length) return undefined
  let difference = 0
  for (const [i, byte] of address.entries()) difference = difference * 256 + byte - (network[i] ?? 0)
  const offset = difference - first
  return offset >= 0 && offset < size ? offset : undefined
}
