import { textBefore } from '../../lib/split-text.ts'
/** Thrown for a file that is not a tar archive, or a corrupt one. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** An entry of an archive. */
export interface ArchivedFile {
  /** Name as in the archive. It is never used as a path for writing. */
  readonly name: string
  /** Undefined if the entry is not a regular file, or is too large. */
  readonly bytes: Buffer | undefined
  readonly isLink: boolean
}

const BLOCK = 512
/** Maximum length of a long name, in bytes. */
const LONGEST_NAME = 65_536

/**
 * Yields the entries of a tar archive (ustar, with the long names of POSIX and GNU). Throws ArchiveError.
 * @param largest maximum size of a file whose contents are read.
 */
export async function* tarFiles(chunks: AsyncIterable<Buffer>, largest: number): AsyncGenerator<ArchivedFile> {
  const reader = new BlockReader(chunks)
  let [longName, longSize] = ['', Number.NaN]
  for (;;) {
    const header = await reader.take(BLOCK)
    if (header === undefined || header.every(byte => byte === 0)) return
    if (!hasItsSum(header)) throw new ArchiveError('not a tar archive, or a corrupt one')
    const type = String.fromCharCode(header[156] ?? 0)
    const size = Number.isNaN(longSize) || type === 'x' || type === 'L' ? entrySize(header) : longSize
    if (type === 'x' || type === 'L') {
      if (size > LONGEST_NAME) throw new ArchiveError('the archive has a name that is too long')
      const text = ((await reader.content(size)) ?? Buffer.alloc(0)).toString()
      if (type === 'L') longName = textBefore(text, '\0')
      else
        for (const [key, value] of paxRecords(text))
          if (key === 'path') longName = value
          else if (key === 'size') longSize = Number(/^\d{1,15}$/.exec(value)?.[0] ?? Number.NaN)
      continue
    }
    const isFile = type === '0' || type === '\0' || type === '7'
    const isLink = type === '1' || type === '2'
    const name = longName === '' ? entryName(header) : longName
    const isRead = isFile && size <= largest
    const bytes = isRead ? await reader.content(size) : await reader.skip(size)
    if (isFile || isLink) yield { name, bytes, isLink }
    ;[longName, longSize] = ['', Number.NaN]
  }
}

const fieldText = (field: Buffer): string => textBefore(field.toString(), '\0')

function entryName(header: Buffer): string {
  const prefix = header.toString('latin1', 257, 262) === 'ustar' ? fieldText(header.subarray(345, 500)) : ''
  const name = fieldText(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Returns the size of an entry: octal digits, or a binary number after a byte 0x80. */
function entrySize(header: Buffer): number {
  const field = header.subarray(124, 136)
  const size = (field[0] ?? 0) & 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(fieldText(field).trim() || '0', 8)
  if (!Number.isSafeInteger(size) || size < 0) throw new ArchiveError('the archive is corrupt: an invalid file size')
  return size
}

/** Verifies the checksum of a header: the sum of its bytes, with the checksum field as spaces. */
function hasItsSum(header: Buffer): boolean {
  let sum = 8 * 0x20
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header.readUInt8(i)
  return Number.parseInt(fieldText(header.subarray(148, 156)).trim(), 8) === sum
}

/** Parses pax records: `LENGTH KEY=VALUE\n`, where the length is that of the record in bytes. */
function* paxRecords(text: string): Generator<[string, string]> {
  for (const line of text.split('\n')) {
    const [, key, value] = /^\d+ ([^=]+)=(.*)$/s.exec(line) ?? []
    if (key !== undefined && value !== undefined) yield [key, value]
  }
}

class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns exactly `size` bytes, or undefined at the end of the archive. Throws ArchiveError if there are fewer. */
  async take(size: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = []
    let missing = size
    while (missing > 0) {
      if (this.#held.length === 0 && !(await this.#more())) {
        if (missing === size) return undefined
        throw new ArchiveError('it is cut short')
      }
      const part = this.#held.subarray(0, missing)
      this.#held = this.#held.subarray(part.length)
      parts.push(part)
      missing -= part.length
    }
    return Buffer.concat(parts)
  }

  /** Returns the contents of an entry, and skips its padding. */
  async content(size: number): Promise<Buffer> {
    const bytes = size === 0 ? Buffer.alloc(0) : await this.take(size)
    if (bytes === undefined) throw new ArchiveError('it is cut short')
    await this.#pass((BLOCK - (size % BLOCK)) % BLOCK)
    return bytes
  }

  async skip(size: number): Promise<undefined> {
    await this.#pass(Math.ceil(size / BLOCK) * BLOCK)
  }

  async #pass(size: number): Promise<void> {
    for (let missing = size; missing > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) throw new ArchiveError('it is cut short')
      const part = Math.min(missing, this.#held.length)
      this.#held = this.#held.subarray(part)
      missing -= part
    }
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next()
    if (!done) this.#held = value
    return !done
  }
}
