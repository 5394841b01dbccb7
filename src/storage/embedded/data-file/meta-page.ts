import { META, PAGE_HEAD, type TreeHead, treeHead, uint16, uint64 } from './page.ts'

/** Marks a meta page of LMDB (`MDB_MAGIC`), on a little-endian machine. */
const MAGIC = 0xbeefc0de
/**
 * Offsets in a meta page (`MDB_meta`), including the page header. The page size is in the padding field of the first
 * tree.
 */
const MAP_SIZE_AT = PAGE_HEAD + 16
const FREE_TREE_AT = PAGE_HEAD + 24
const MAIN_TREE_AT = PAGE_HEAD + 72
const LAST_PAGE_AT = PAGE_HEAD + 120
const TRANSACTION_AT = PAGE_HEAD + 128
/** Number of bytes read of a meta page. */
export const META_BYTES = PAGE_HEAD + 144

/** One of the two meta pages of the file. Transaction n writes meta page n modulo 2. */
export interface MetaPage {
  /** Version of the file format (`MDB_DATA_VERSION`). */
  readonly version: number
  /** Size of the memory map in bytes, as it was configured. */
  readonly mapSize: number
  /** Size in bytes of every page of the file. */
  readonly pageSize: number
  /** Tree of the pages that transactions have freed. */
  readonly free: TreeHead
  /** Tree of the tables, by name. */
  readonly main: TreeHead
  /** Number of the last page in use. */
  readonly lastPage: number
  /** Number of the transaction that wrote this page. The meta page with the larger one is current. */
  readonly transaction: number
}

/** Decodes a meta page. Undefined if the bytes are not one of LMDB's. */
export function metaPage(bytes: Buffer): MetaPage | undefined {
  if (bytes.length < META_BYTES || bytes.readUInt32LE(PAGE_HEAD) !== MAGIC || (uint16(bytes, 18) & META) === 0) return undefined
  return {
    version: bytes.readUInt32LE(PAGE_HEAD + 4),
    mapSize: uint64(bytes, MAP_SIZE_AT),
    pageSize: bytes.readUInt32LE(FREE_TREE_AT),
    free: treeHead(bytes, FREE_TREE_AT),
    main: treeHead(bytes, MAIN_TREE_AT),
    lastPage: uint64(bytes, LAST_PAGE_AT),
    transaction: uint64(bytes, TRANSACTION_AT),
  }
}
