/**
 * Size of a page header: page number (8), transaction that wrote it (8), padding (2), flags (2), and either the bounds
 * of the free space (2, 2) or the number of overflow pages (4).
 */
export const PAGE_HEAD = 24
/** Offsets in a page header. */
const TRANSACTION_AT = 8
const PADDING_AT = 16
const FLAGS_AT = 18
const LOWER_AT = 20
const UPPER_AT = 22

/** Flags of a page, one of which each page has. */
export const BRANCH = 0x01
export const LEAF = 0x02
export const OVERFLOW = 0x04
export const META = 0x08

/** Size of a node header: size of the data (4), flags (2), size of the key (2). */
export const NODE_HEAD = 8
/** Flags of a node: its data is in overflow pages, or is a tree header. */
export const BIG = 0x01
export const TREE = 0x02

/** Reads a 64-bit number. It is exact up to 2^53, which is beyond any file size. */
export const uint64 = (bytes: Buffer, offset: number): number => bytes.readUInt32LE(offset + 4) * 0x1_0000_0000 + bytes.readUInt32LE(offset)

/** Reads a 16-bit number without checking bounds, which would take half the time of reading a page. */
export const uint16 = (bytes: Buffer, offset: number): number => (bytes[offset] ?? 0) | ((bytes[offset + 1] ?? 0) << 8)

/** Reads a 32-bit number without checking bounds. */
export const uint32 = (bytes: Buffer, offset: number): number => uint16(bytes, offset) + uint16(bytes, offset + 2) * 0x1_0000

/** Header of a tree (`MDB_db`), in a meta page or in a row of the main tree. */
export interface TreeHead {
  /** Flags of the table (`MDB_DUPSORT` and others). */
  readonly flags: number
  /** Number of levels. 0 for an empty tree. */
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  /** Number of rows. */
  readonly entries: number
  /** Undefined for an empty tree. */
  readonly root: number | undefined
}

/** Size of a tree header in bytes. */
export const TREE_HEAD = 48
/** Root of an empty tree (`P_INVALID`). */
const NO_PAGE = 0xffff_ffff_ffff_ffffn

/** Decodes a tree header at an offset. */
export function treeHead(bytes: Buffer, offset: number): TreeHead {
  return {
    flags: uint16(bytes, offset + 4),
    depth: uint16(bytes, offset + 6),
    branchPages: uint64(bytes, offset + 8),
    leafPages: uint64(bytes, offset + 16),
    overflowPages: uint64(bytes, offset + 24),
    entries: uint64(bytes, offset + 32),
    root: bytes.readBigUInt64LE(offset + 40) === NO_PAGE ? undefined : uint64(bytes, offset + 40),
  }
}

/** Number of overflow pages of a value. Only the first has a page header. */
export const overflowPages = (size: number, pageSize: number): number => Math.floor((PAGE_HEAD - 1 + size) / pageSize) + 1

/**
 * Checks a page header: the number, the kind, and that the snapshot includes the transaction that wrote it. Undefined
 * if it is valid; otherwise why not.
 */
export function headFault(page: Buffer, number: number, kind: number, transaction: number): string | undefined {
  if (uint64(page, 0) !== number) return 'it has the number of another page'
  if (uint64(page, TRANSACTION_AT) > transaction) return 'it is of a later transaction'
  if (uint16(page, FLAGS_AT) !== kind || uint16(page, PADDING_AT) !== 0) return 'it is of another kind'
  return undefined
}

/** Number of nodes of a branch or leaf. */
export const nodeCount = (page: Buffer): number => uint16(page, LOWER_AT) >>> 1
/** Offset of a node in its page, by index. */
export const nodeAt = (page: Buffer, index: number): number => PAGE_HEAD + uint16(page, PAGE_HEAD + 2 * index)
/** Number of pages, from the header of the first overflow page of a value. */
export const pagesOfOverflow = (page: Buffer): number => page.readUInt32LE(LOWER_AT)

/** Size of a node's data within the page. */
export const inlineSize = (page: Buffer, node: number): number => (uint16(page, node + 4) & BIG ? 24 : uint32(page, node))

/**
 * Checks that the nodes of a page fill it from the end of its free space to its own end, as LMDB packs them. Undefined
 * if they do; otherwise why not. All keys and values within a valid page can be read without further checks.
 * @param least minimum number of nodes
 */
export function nodesFault(page: Buffer, isBranch: boolean, least: number): string | undefined {
  const lower = uint16(page, LOWER_AT)
  const upper = uint16(page, UPPER_AT)
  const room = page.length - PAGE_HEAD
  const count = lower >>> 1
  if (lower % 2 !== 0 || upper % 2 !== 0 || lower > upper || upper > room || count < least) return 'its bounds are invalid'
  let bytes = 0
  for (let i = 0; i < count; i++) {
    const start = nodeAt(page, i)
    if (start % 2 !== 0 || start < PAGE_HEAD + upper || start + NODE_HEAD > page.length) return 'it refers to a node outside of itself'
    const size = NODE_HEAD + uint16(page, start + 6) + (isBranch ? 0 : inlineSize(page, start))
    if (start + size > page.length) return 'a row is longer than the page'
    bytes += size + (size % 2)
  }
  return bytes === room - upper ? undefined : 'its rows do not fill it'
}
