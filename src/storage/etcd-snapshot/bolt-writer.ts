import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import {
  BRANCH,
  BUCKET_HEADER,
  ELEMENT,
  FREE_LIST,
  fnv1a,
  IS_BUCKET,
  LEAF,
  MAGIC,
  META,
  META_FIELDS,
  PAGE_HEADER,
  VERSION,
} from './bolt-layout.ts'

/** Size of a page. bbolt uses the page size of the operating system, which is stored in the meta pages. */
const PAGE = 4096
/** Size of one write to the file, in bytes. */
const CHUNK = 1 << 20

/** Entry of a bucket. */
type BucketEntry = readonly [key: Buffer, value: Buffer]

/** Element of a branch or leaf page. */
interface Element {
  readonly key: Buffer
  /** Value in a leaf. Empty in a branch. */
  readonly value: Buffer
  /** Page of the child in a branch. 0 in a leaf. */
  readonly child: number
  /** IS_BUCKET if the value is the header of a bucket. Otherwise 0. */
  readonly flags: number
}

/** Value of the elements of a branch. */
const NOTHING = Buffer.alloc(0)

/**
 * Writes a new bbolt file from the first page to the last. It buffers one page of each level of a tree, and a megabyte
 * of output. It must be closed, also after a failure.
 */
export class BoltWriter {
  readonly #fd: number
  readonly #buckets: Element[] = []
  #waiting: Buffer[] = []
  #waitingBytes = 0
  /** Number of the next page. Pages 0 and 1 are meta pages, which refer to the others and are written last. */
  #nextPage = 2
  #written = 2 * PAGE

  /** Creates the file, which must not exist. Throws errors of the system. */
  constructor(path: string) {
    this.#fd = openSync(path, 'wx', 0o600)
  }

  /** Writes a bucket. Entries must come in key order, and buckets in the order of their names. */
  async bucket(name: string, entries: Iterable<BucketEntry> | AsyncIterable<BucketEntry>): Promise<void> {
    const tree = new Tree((flags, elements) => this.#page(flags, elements))
    for await (const [key, value] of entries) tree.add({ key, value, child: 0, flags: 0 })
    const value = Buffer.alloc(BUCKET_HEADER)
    value.writeBigUInt64LE(BigInt(tree.close()))
    this.#buckets.push({ key: Buffer.from(name), value, child: 0, flags: IS_BUCKET })
  }

  /** Completes the file, and syncs it to disk. */
  finish(): void {
    const root = this.#page(LEAF, this.#buckets)
    const free = this.#page(FREE_LIST, [])
    this.#flush()
    for (const [i, transaction] of [2n, 1n].entries())
      writeAll(this.#fd, metaPage(i, { root, free, end: this.#nextPage, transaction }), i * PAGE)
    fsyncSync(this.#fd)
  }

  /** Closes the file, complete or not. */
  close(): void {
    closeSync(this.#fd)
  }

  /** Writes a page and returns its number. A page that is too large continues in overflow pages. */
  #page(flags: number, elements: readonly Element[]): number {
    const size = elements.reduce((sum, element) => sum + elementSize(element), PAGE_HEADER)
    const pages = Math.ceil(size / PAGE)
    const id = this.#nextPage
    const bytes = Buffer.alloc(pages * PAGE)
    bytes.writeBigUInt64LE(BigInt(id), 0)
    bytes.writeUInt16LE(flags, 8)
    bytes.writeUInt16LE(elements.length, 10)
    bytes.writeUInt32LE(pages - 1, 12)
    let at = PAGE_HEADER + elements.length * ELEMENT
    for (const [i, element] of elements.entries()) {
      const start = PAGE_HEADER + i * ELEMENT
      if (flags === BRANCH) writeBranchElement(bytes, start, at, element)
      else writeLeafElement(bytes, start, at, element)
      at += element.key.copy(bytes, at)
      at += element.value.copy(bytes, at)
    }
    this.#nextPage += pages
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= CHUNK) this.#flush()
    return id
  }

  /** Writes the buffered pages to the file. */
  #flush(): void {
    writeAll(this.#fd, Buffer.concat(this.#waiting), this.#written)
    this.#written += this.#waitingBytes
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

const elementSize = ({ key, value }: Element): number => ELEMENT + key.length + value.length

function writeLeafElement(bytes: Buffer, start: number, at: number, { flags, key, value }: Element): void {
  bytes.writeUInt32LE(flags, start)
  bytes.writeUInt32LE(at - start, start + 4)
  bytes.writeUInt32LE(key.length, start + 8)
  bytes.writeUInt32LE(value.length, start + 12)
}

function writeBranchElement(bytes: Buffer, start: number, at: number, { key, child }: Element): void {
  bytes.writeUInt32LE(at - start, start)
  bytes.writeUInt32LE(key.length, start + 4)
  bytes.writeBigUInt64LE(BigInt(child), start + 8)
}

/** Fields of a meta page that are not constant. */
interface MetaFields {
  /** Page of the root bucket, which lists the others. */
  readonly root: number
  /** Page of the free list. It is empty, because a new file has no free pages. */
  readonly free: number
  /** The number after that of the last page. */
  readonly end: number
  /** bbolt opens the meta page with the larger number. */
  readonly transaction: bigint
}

/** Returns one of the two meta pages, with the checksum by which bbolt finds the newest complete one. */
function metaPage(id: number, { root, free, end, transaction }: MetaFields): Buffer {
  const page = Buffer.alloc(PAGE)
  page.writeBigUInt64LE(BigInt(id), 0)
  page.writeUInt16LE(META, 8)
  const body = page.subarray(PAGE_HEADER)
  body.writeUInt32LE(MAGIC, 0)
  body.writeUInt32LE(VERSION, 4)
  body.writeUInt32LE(PAGE, 8)
  body.writeBigUInt64LE(BigInt(root), 16)
  body.writeBigUInt64LE(BigInt(free), 32)
  body.writeBigUInt64LE(BigInt(end), 40)
  body.writeBigUInt64LE(transaction, 48)
  body.writeBigUInt64LE(fnv1a(body.subarray(0, META_FIELDS)), META_FIELDS)
  return page
}

/** One page of each level, from the leaves up. A full page is written, and becomes an element of the level above. */
class Tree {
  readonly #write: (flags: number, elements: readonly Element[]) => number
  readonly #levels: { elements: Element[]; size: number }[] = []

  constructor(write: (flags: number, elements: readonly Element[]) => number) {
    this.#write = write
  }

  /**
   * Appends an element to the page of a level. If it does not fit, the page is written first. Elements must come in key
   * order.
   */
  add(element: Element, depth = 0): void {
    this.#levels[depth] ??= { elements: [], size: PAGE_HEADER }
    const level = this.#levels[depth]
    if (level.elements.length > 0 && level.size + elementSize(element) > PAGE) this.#end(depth)
    level.elements.push(element)
    level.size += elementSize(element)
  }

  /** Writes the remaining pages, and returns the number of the root. */
  close(): number {
    for (let depth = 0; ; depth++) {
      const { elements = [] } = this.#levels[depth] ?? {}
      const [only] = elements
      if (depth === this.#levels.length - 1 && depth > 0 && only && elements.length === 1) return only.child
      if (depth >= this.#levels.length - 1) return this.#write(depth === 0 ? LEAF : BRANCH, elements)
      this.#end(depth)
    }
  }

  /** Writes the page of a level, and adds its first key to the level above. */
  #end(depth: number): void {
    const level = this.#levels[depth]
    const [first] = level?.elements ?? []
    if (level === undefined || first === undefined) return
    const child = this.#write(depth === 0 ? LEAF : BRANCH, level.elements)
    level.elements = []
    level.size = PAGE_HEADER
    this.add({ key: first.key, value: NOTHING, child, flags: 0 }, depth + 1)
  }
}

/** Writes all bytes at an offset: one call of the system may write fewer. */
function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written, bytes.length - written, at + written)
}
