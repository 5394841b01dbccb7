import { AllocationError } from './cluster-ips.ts'

/** Range of `--service-node-port-range`: `size` ports from `base` on. */
export interface PortRange {
  /** First port of the range. */
  readonly base: number
  /** Number of ports. The last one is `base + size - 1`. */
  readonly size: number
}

/** Prints a range as `30000-32767`. */
export const printPortRange = ({ base, size }: PortRange): string => `${base}-${base + size - 1}`

/**
 * Size of the static part of the range (KEP-3668): a 32nd, at least 16 and at most 128 ports. It is allocated
 * dynamically only when the rest is used up.
 */
function reserved({ size }: PortRange): number {
  return size <= 16 ? 0 : Math.min(128, Math.max(16, Math.floor(size / 32)))
}

/** Ports that a plan allocates from. Both methods throw AllocationError. */
export interface PortSource {
  /** Allocates this port. Throws AllocationError if it is taken or outside of the range. */
  take(port: number): void
  /** Allocates a free port and returns it. Throws AllocationError if there is none. */
  takeAny(): number
}

/**
 * Ports of a range as a bitmap in kube-apiserver's format: a big-endian number without leading zero bytes, whose bit n
 * stands for port base + n.
 */
export class PortSet implements PortSource {
  /** Range that the bits refer to. The bitmap itself does not contain it. */
  readonly range: PortRange
  readonly #bits: Uint8Array
  readonly #random: () => number

  constructor(range: PortRange, random: () => number, data: Uint8Array = new Uint8Array()) {
    this.range = range
    this.#random = random
    this.#bits = new Uint8Array(Math.ceil(range.size / 8))
    for (let i = 0; i < Math.min(data.length, this.#bits.length); i++) this.#bits[i] = data[data.length - 1 - i] ?? 0
  }

  /** Whether the port is allocated. False for ports outside of the range. */
  has(port: number): boolean {
    const n = port - this.range.base
    return n >= 0 && n < this.range.size && ((this.#bits[n >> 3] ?? 0) & (1 << (n & 7))) !== 0
  }

  /** Ports outside of the range are ignored. */
  add(port: number): void {
    const n = port - this.range.base
    if (n >= 0 && n < this.range.size) this.#bits[n >> 3] = (this.#bits[n >> 3] ?? 0) | (1 << (n & 7))
  }

  /** Releases a port. Ports outside of the range are ignored. */
  remove(port: number): void {
    const n = port - this.range.base
    if (n >= 0 && n < this.range.size) this.#bits[n >> 3] = (this.#bits[n >> 3] ?? 0) & ~(1 << (n & 7))
  }

  /** Yields the allocated ports in ascending order. */
  *ports(): Generator<number> {
    for (let n = 0; n < this.range.size; n++) if (this.has(this.range.base + n)) yield this.range.base + n
  }

  /** Throws AllocationError if the port is outside of the range or already allocated. */
  take(port: number): void {
    if (port < this.range.base || port >= this.range.base + this.range.size) {
      throw new AllocationError(`provided port is not in the valid range. The range of valid ports is ${printPortRange(this.range)}`)
    }
    if (this.has(port)) throw new AllocationError('provided port is already allocated')
    this.add(port)
  }

  /** Prefers the dynamic part of the range; the static part is used when that is full. */
  takeAny(): number {
    const { base, size } = this.range
    const low = reserved(this.range)
    const port = this.#anyOf(base + low, size - low) ?? this.#anyOf(base, low)
    if (port === undefined) throw new AllocationError('range is full')
    this.add(port)
    return port
  }

  /** Returns a free port among `size` from `base` on, searched from a random one, or undefined if all are allocated. */
  #anyOf(base: number, size: number): number | undefined {
    const start = Math.floor(this.#random() * size)
    for (let i = 0; i < size; i++) {
      const port = base + ((start + i) % size)
      if (!this.has(port)) return port
    }
    return undefined
  }

  /**
   * Returns the bitmap in the form that the constructor takes, without leading zero bytes. An empty set has no bytes.
   */
  data(): Buffer {
    let length = this.#bits.length
    while (length > 0 && this.#bits[length - 1] === 0) length--
    return Buffer.from(this.#bits.subarray(0, length).toReversed())
  }
}

/** Ports of a dry run. Requested ports are checked; for others it returns placeholders above the usual range. */
export class DryRunPorts implements PortSource {
  readonly #known: PortSet
  readonly #taken = new Set<number>()
  #highest = 0

  constructor(known: PortSet) {
    this.#known = known
  }

  /** Does not check the range, as upstream in a dry run. */
  take(port: number): void {
    if (this.#known.has(port) || this.#taken.has(port)) throw new AllocationError('provided port is already allocated')
    this.#note(port)
  }

  /** Returns the port after the highest one that the dry run has taken, or 32769 for the first. */
  takeAny(): number {
    const port = (this.#taken.size === 0 ? 32768 : this.#highest) + 1
    this.#note(port)
    return port
  }

  /** Later calls take the port as allocated. The set of the server is not changed. */
  #note(port: number): void {
    this.#taken.add(port)
    this.#highest = Math.max(this.#highest, port)
  }
}
