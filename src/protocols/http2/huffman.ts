import type { Steps } from '../../lib/steps.ts'

/**
 * The Huffman code of HPACK (RFC 7541, appendix B). It is canonical: codes of one length are consecutive in the order
 * of their symbols, so the lengths define it. Run lengths of the symbols 0 to 256, the last of which ends a string:
 * `length*count`.
 */
const LENGTHS =
  '13 23 28*7 24 30 28*2 30 28*8 30 28*9 6 10*2 12 13 6 8 11 10*2 8 11 8 6*3 5*3 6*7 7 8 15 6 12 10 13 6 7*22 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6*3 5 7*2 6*3 5 6 7 6 5*2 6 7*5 15 11 14 13 28 20 22 20*2 22*3 23 22 23*5 24 23 24*2 22 23 24 23*4 21 22 23 22 23*2 24 22 21 20 22*2 23*2 21 23 22*2 24 21 22 23*2 21*2 22 21 23 22 23*2 20 22*3 23 22*2 23 26*2 20 19 22 23 22 25 26*3 27*2 26 24 25 19 21 26 27*2 26 27 24 21*2 26*2 28 27*3 20 24 20 21 22 21*2 23 22*2 25*2 24*2 26 23 26 27 26*2 27*5 28 27*5 26 30'

const END = 256
const LONGEST = 30

/**
 * Decoding tree. A node has two entries, for the bits 0 and 1: the index of another node if positive, a symbol as
 * `-1 - symbol`, 0 if invalid.
 */
const tree: Int16Array = buildTree()

function buildTree(): Int16Array {
  const lengths = LENGTHS.split(' ').flatMap(run => {
    const [length = 0, count = 1] = run.split('*').map(Number)
    return new Array<number>(count).fill(length)
  })
  const nodes = new Int16Array(2 * lengths.length)
  let made = 1
  let code = 0
  for (let length = 1; length <= LONGEST; length++, code *= 2)
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue
      let node = 0
      for (let bit = length - 1; bit > 0; bit--) {
        const place = 2 * node + ((code >> bit) & 1)
        nodes[place] ||= made++
        node = nodes[place] ?? 0
      }
      nodes[2 * node + (code & 1)] = -1 - symbol
      code++
    }
  return nodes
}

/**
 * Layout of an entry of `steps`: the reached node, the decoded symbol, and a flag for whether there is one. Codes are
 * longer than four bits, so a step decodes at most one symbol.
 */
const NODE_BITS = 9
const NODE = (1 << NODE_BITS) - 1
const READ = 1 << (NODE_BITS + 8)
const INVALID = -1

/**
 * Transitions for four bits from each node. Clients can send megabytes of codes, and decoding bit by bit takes twice as
 * long.
 */
const steps: Int32Array = buildSteps()

function buildSteps(): Int32Array {
  const entries = new Int32Array(8 * tree.length)
  for (let at = 0; at < entries.length; at++) entries[at] = step(at >> 4, at & 15)
  return entries
}

function step(from: number, bits: number): number {
  let node = from
  let read = 0
  for (let bit = 3; bit >= 0; bit--) {
    const next = tree[2 * node + ((bits >> bit) & 1)] ?? 0
    const symbol = -1 - next
    if (symbol === END) return INVALID
    if (next < 0) read = READ | (symbol << NODE_BITS)
    node = Math.max(next, 0)
  }
  return read | node
}

/** Nodes at which a string may end: after a symbol, and after up to seven one-bits of padding. */
const ends: ReadonlySet<number> = buildEnds()

function buildEnds(): Set<number> {
  const nodes = new Set([0])
  for (let ones = 0, node = 0; ones < 7; ones++) {
    node = tree[2 * node + 1] ?? 0
    nodes.add(node)
  }
  return nodes
}

/** Output of short strings. It is filled and read synchronously, so all connections share it. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** State of a decoding. */
interface Decoding {
  readonly out: Buffer
  /** Bytes of `out` that are written. */
  length: number
  node: number
}

/** Decodes a range of bytes. Returns false if they are not a valid code. */
function advance(decoding: Decoding, data: Buffer, start: number, end: number): boolean {
  const { out } = decoding
  let { length, node } = decoding
  for (let at = start; at < end; at++) {
    const byte = data[at] ?? 0
    const high = steps[(node << 4) | (byte >> 4)] ?? INVALID
    if (high === INVALID) return false
    if ((high & READ) !== 0) out[length++] = (high >> NODE_BITS) & 255
    const low = steps[((high & NODE) << 4) | (byte & 15)] ?? INVALID
    if (low === INVALID) return false
    if ((low & READ) !== 0) out[length++] = (low >> NODE_BITS) & 255
    node = low & NODE
  }
  decoding.node = node
  decoding.length = length
  return true
}

/** Returns the string if it may end here. */
const decodedText = ({ out, length, node }: Decoding): string | undefined =>
  ends.has(node) ? out.toString('latin1', 0, length) : undefined

/** Maximum length of a decoded string. The shortest code has five bits. */
const mostOf = (bytes: number): number => Math.ceil((bytes * 8) / 5)

/**
 * Decodes a string, one character per byte. Undefined if the bytes are invalid: an end symbol, or padding that is
 * longer than seven bits or not all ones.
 */
export function decodeHuffman(data: Buffer, from: number, to: number): string | undefined {
  const most = mostOf(to - from)
  const out = most <= scratch.length ? scratch : Buffer.allocUnsafe(most)
  const decoding: Decoding = { out, length: 0, node: 0 }
  return advance(decoding, data, from, to) ? decodedText(decoding) : undefined
}

/** Bytes that are decoded in one step: a quarter of a millisecond. */
const STEP_BYTES = 32 * 1024

/** Decodes a long string in steps. */
export function* decodeHuffmanInSteps(data: Buffer, from: number, to: number): Steps<string | undefined> {
  const decoding: Decoding = { out: Buffer.allocUnsafe(mostOf(to - from)), length: 0, node: 0 }
  for (let at = from; at < to; at += STEP_BYTES) {
    if (!advance(decoding, data, at, Math.min(at + STEP_BYTES, to))) return undefined
    yield
  }
  return decodedText(decoding)
}
