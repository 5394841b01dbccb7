import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { BRANCH, BUCKET_HEADER, ELEMENT, fnv1a, IS_BUCKET, LEAF, MAGIC, META, META_FIELDS, PAGE_HEADER, VERSION } from './bolt-layout.ts'

/** A file that is no bbolt database, or a damaged one. */
export class BoltError extends Error {
  override readonly name = 'BoltError'
}

/** A value of a bucket. */
export interface BoltEntry {
  readonly key: Buffer
  /** Where it stands in the file; `read` fetches it. */
  readonly valueAt: number
  readonly valueSize: number
}

/** Reports whether a file has the head of a bbolt database, which may be damaged otherwise. */
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

/** The sizes of pages that systems have. */
const PAGE_SIZES: ReadonlySet<number> = new Set([512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
/** A file is read once for its tree, once for its entries, and once more for the values that count: who reads more of it goes in circles, or through pages that lie over each other. */
const MOST_READS = 4
/** For what is read to find the tree. */
const ROOM = 1024 * 1024
/** A tree is not as deep: each level has at least two pages. */
const DEEPEST = 64
/** A page and what overflows it; etcd takes values of 1.5 MiB, or ten times that. */
const LARGEST_PAGE = 256 * 1024 * 1024

interface Meta {
  readonly pageSize: number
  readonly root: number
  readonly transaction: bigint
}

/**
 * A file of bbolt, the store of etcd: a snapshot, or `member/snap/db` of a member that is stopped. Read only, and by the page, as files have gigabytes.
 */
export class BoltFile {
  readonly #fd: number
  readonly #size: number
  readonly #meta: Meta
  /** Bytes that were read. */
  #read = 0
  /** Pages of trees that were read: a whole file has no page twice. */
  #visited = 0

  /** Throws BoltError, and errors of the system. */
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

  /** The entries of a bucket at the root in the order of their keys; none where there is no such bucket. Throws BoltError. */
  *bucket(name: string): Generator<BoltEntry> {
    for (const { flags, key, valueAt } of this.#leaves(this.#meta.root, 0)) {
      if ((flags & IS_BUCKET) === 0 || key.toString() !== name) continue
      const root = Number(this.#bytes(valueAt, BUCKET_HEADER).readBigUInt64LE(0))
      // A small bucket stands in a page of its own inside of the value.
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

  /** Of two pages, the valid one of the later transaction. The second stands where the size of pages says, which only a meta page states. */
  #readMeta(path: string): Meta {
    const found = [0, ...PAGE_SIZES].flatMap(at => this.#metaAt(at) ?? [])
    const [newest] = found.sort((a, b) => (a.transaction < b.transaction ? 1 : -1))
    if (newest === undefined) throw new BoltError(`${path} is no snapshot of etcd: it is no bbolt database`)
    return newest
  }

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

  *#leaves(page: number, depth: number): Generator<BoltEntry & { readonly flags: number }> {
    if (depth > DEEPEST || ++this.#visited > 4 * (this.#size / this.#meta.pageSize))
      throw new BoltError('the tree of the file is damaged: its pages go in circles')
    const at = page * this.#meta.pageSize
    const header = this.#bytes(at, PAGE_HEADER)
    if (header.readUInt16LE(8) === LEAF) yield* this.#elements(header, at)
    else if (header.readUInt16LE(8) === BRANCH) {
      const bytes = this.#bytes(at, PAGE_HEADER + header.readUInt16LE(10) * ELEMENT)
      for (let i = PAGE_HEADER; i < bytes.length; i += ELEMENT) yield* this.#leaves(Number(bytes.readBigUInt64LE(i + 8)), depth + 1)
    } else throw new BoltError(`page ${page} of the file is damaged: its flags are ${header.readUInt16LE(8)}`)
  }

  /** Keys of a leaf page, whose header is given. */
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

  #bytes(at: number, size: number): Buffer {
    if (at < 0 || size < 0 || at + size > this.#size) throw new BoltError('the file is damaged, or cut short: a page is outside of it')
    this.#read += size
    if (this.#read > MOST_READS * this.#size + ROOM) throw new BoltError('the file is damaged: its entries lie over each other')
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
