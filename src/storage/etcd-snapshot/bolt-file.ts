import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BRANCH, BUCKET_HEADER, ELEMENT, fnv1a, IS_BUCKET, LEAF, MAGIC, META, META_FIELDS, PAGE_HEADER, VERSION } from './bolt-layout.ts'

/** The file is not a bbolt database, or is damaged. */
export class BoltError extends Error {
  override readonly name = 'BoltError'
}

/** An entry of a bucket. */
export interface BoltEntry {
  readonly key: Buffer
  /** Offset of the value in the file. `read` returns the value. */
  readonly valueAt: number
  readonly valueSize: number
}

/** Reports whether a file has the header of a bbolt database. The rest may be damaged. */
export function looksLikeBolt(path: string): boolean {
  const descriptor = openSync(path, 'r')
  try {
    const at = (offset: number): boolean => {
      const bytes = Buffer.alloc(4)
      return readSync(descriptor, bytes, 0, 4, offset) === 4 && bytes.readUInt32LE(0) === MAGIC
    }
    return [0, ...PAGE_SIZES].some(page => at(page + PAGE_HEADER))
  } finally {
    closeSync(descriptor)
  }
}

/** Page sizes of common systems, in bytes. */
const PAGE_SIZES: ReadonlySet<number> = new Set([512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
/**
 * Limit on the bytes read, as a multiple of the file's size. A file is read once for its tree, once for its entries and
 * once for the needed values. Beyond that its pages form a cycle or overlap.
 */
const MOST_READS = 4
/** Allowance for finding the tree, in bytes. */
const ROOM = 1024 * 1024
/** Maximum depth of a tree. A real one is lower, because each branch has at least two children. */
const DEEPEST = 64
/** Maximum size of a page with its overflow pages. etcd accepts values of 1.5 MiB by default. */
const LARGEST_PAGE = 256 * 1024 * 1024

interface Meta {
  readonly pageSize: number
  readonly root: number
  readonly transaction: bigint
}

/**
 * A read-only bbolt file, the database of etcd: a snapshot, or `member/snap/db` of a stopped member. It is read by the
 * page, because files may have gigabytes.
 */
export class BoltFile {
  readonly #fd: number
  readonly #size: number
  readonly #meta: Meta
  /** Number of bytes read. */
  #read = 0
  /** Number of tree pages read. An intact file has no page in two places. */
  #visited = 0

  /** Opens a file. Throws BoltError, and errors of the system. */
  constructor(path: string) {
    this.#fd = openSync(path, 'r')
    try {
      this.#size = fstatSync(this.#fd).size
      this.#meta = this.#readMeta(path)
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
  }

  /** Iterates over a top-level bucket in key order. Yields nothing if there is no such bucket. Throws BoltError. */
  *bucket(name: string): Generator<BoltEntry> {
    for (const { flags, key, valueAt } of this.#leaves(this.#meta.root, 0)) {
      if ((flags & IS_BUCKET) === 0 || key.toString() !== name) continue
      const root = Number(this.#bytes(valueAt, BUCKET_HEADER).readBigUInt64LE(0))
      // A small bucket is stored inline, as a page within the value.
      if (root === 0) yield* this.#elements(this.#bytes(valueAt + BUCKET_HEADER, PAGE_HEADER), valueAt + BUCKET_HEADER)
      else yield* this.#leaves(root, 0)
    }
  }

  read({ valueAt, valueSize }: BoltEntry): Buffer {
    return this.#bytes(valueAt, valueSize)
  }

  close(): void {
    closeSync(this.#fd)
  }

  /**
   * Returns the valid meta page with the later transaction. The second one is at the page size, which only a meta page
   * states, so all sizes are tried.
   */
  #readMeta(path: string): Meta {
    const found = [0, ...PAGE_SIZES].flatMap(at => this.#metaAt(at) ?? [])
    const [newest] = found.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))
    if (newest === undefined) throw new BoltError(`${path} is not a snapshot of etcd: it is not a bbolt database`)
    return newest
  }

  /**
   * Undefined if the bytes are no valid meta page: magic number, version, checksum and page size must agree with the
   * offset.
   */
  #metaAt(at: number): Meta | undefined {
    if (at + PAGE_HEADER + 64 > this.#size) return undefined
    const page = this.#bytes(at, PAGE_HEADER + 64)
    const body = page.subarray(PAGE_HEADER)
    if (page.readUInt16LE(8) !== META || body.readUInt32LE(0) !== MAGIC || body.readUInt32LE(4) !== VERSION) return undefined
    if (body.readBigUInt64LE(META_FIELDS) !== fnv1a(body.subarray(0, META_FIELDS))) return undefined
    const pageSize = body.readUInt32LE(8)
    if (!PAGE_SIZES.has(pageSize) || (at !== 0 && at !== pageSize)) return undefined
    return { pageSize, root: Number(body.readBigUInt64LE(16)), transaction: body.readBigUInt64LE(48) }
  }

  /**
   * Yields the entries of a tree in the order of their keys. Bounds depth and pages, because a damaged file may have
   * cycles.
   */
  *#leaves(page: number, depth: number): Generator<BoltEntry & { readonly flags: number }> {
    if (depth > DEEPEST || ++this.#visited > 4 * (this.#size / this.#meta.pageSize))
      throw new BoltError('the tree of the file is damaged: its pages form a cycle')
    const at = page * this.#meta.pageSize
    const header = this.#bytes(at, PAGE_HEADER)
    if (header.readUInt16LE(8) === LEAF) yield* this.#elements(header, at)
    else if (header.readUInt16LE(8) === BRANCH) {
      const bytes = this.#bytes(at, PAGE_HEADER + header.readUInt16LE(10) * ELEMENT)
      for (let i = PAGE_HEADER; i < bytes.length; i += ELEMENT) yield* this.#leaves(Number(bytes.readBigUInt64LE(i + 8)), depth + 1)
    } else throw new BoltError(`page ${page} of the file is damaged: its flags are ${header.readUInt16LE(8)}`)
  }

  /** Iterates over the elements of a leaf page, given its header. */
  *#elements(header: Buffer, at: number): Generator<BoltEntry & { readonly flags: number }> {
    const size = Math.min((header.readUInt32LE(12) + 1) * this.#meta.pageSize, LARGEST_PAGE, this.#size - at)
    const bytes = this.#bytes(at, size)
    const count = header.readUInt16LE(10)
    for (let i = 0; i < count; i++) {
      const element = PAGE_HEADER + i * ELEMENT
      if (element + ELEMENT > size) throw new BoltError('a page of the file is damaged: it has more elements than room')
      const keyAt = element + bytes.readUInt32LE(element + 4)
      const [keySize, valueSize] = [bytes.readUInt32LE(element + 8), bytes.readUInt32LE(element + 12)]
      if (keyAt + keySize + valueSize > size) throw new BoltError('a page of the file is damaged: an entry is outside of it')
      yield { flags: bytes.readUInt32LE(element), key: bytes.subarray(keyAt, keyAt + keySize), valueAt: at + keyAt + keySize, valueSize }
    }
  }

  /**
   * Reads a part of the file. Throws BoltError outside of it, and if more is read in all than a file without
   * overlapping entries has, which bounds the work for a damaged file.
   */
  #bytes(at: number, size: number): Buffer {
    if (at < 0 || size < 0 || at + size > this.#size) throw new BoltError('the file is damaged, or cut short: a page is outside of it')
    this.#read += size
    if (this.#read > MOST_READS * this.#size + ROOM) throw new BoltError('the file is damaged: its entries overlap')
    const bytes = Buffer.allocUnsafe(size)
    let read = 0
    while (read < size) {
      const got = readSync(this.#fd, bytes, read, size - read, at + read)
      if (got === 0) throw new BoltError('the file is cut short')
      read += got
    }
    return bytes
  }
}
