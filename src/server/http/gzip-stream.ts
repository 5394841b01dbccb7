import { promisify } from 'node:util'
import { constants, crc32, gzip, gzipSync } from 'node:zlib'
import type { StreamWriter } from '../../endpoints/exchange.ts'
import type { BufferPool } from '../../lib/buffer-pool.ts'
import { SharedBytes } from '../../lib/shared-bytes.ts'
import { gzipTail } from './gzip-pieces.ts'

/**
 * The level of kube-apiserver, which costs the least. The text is flushed before the final block, as there: Go's reader
 * returns the text of a final block when the next member begins.
 */
const OPTIONS = { level: 1, finishFlush: constants.Z_SYNC_FLUSH }
/**
 * Writes up to this many bytes are compressed at once, which takes about a millisecond. Longer ones are compressed on
 * another thread.
 */
const AT_ONCE = 128 * 1024

const compressed = promisify(gzip)

/**
 * Members by the bytes that they contain: many clients receive the same bytes. Promises of those that another thread
 * compresses.
 */
const members = new WeakMap<SharedBytes, SharedBytes | Promise<SharedBytes>>()

/**
 * Compresses a stream. Each write becomes a gzip member of its own (RFC 1952, section 2.2), so that the client can read
 * it immediately, and an idle stream holds no state. Writes keep their order.
 */
export class GzipStream implements StreamWriter {
  readonly #inner: StreamWriter
  readonly #memory: BufferPool
  /** Bytes that are not compressed yet. */
  #queued = 0
  #queue: Promise<void> | undefined
  #ending = false

  constructor(inner: StreamWriter, memory: BufferPool) {
    this.#inner = inner
    this.#memory = memory
  }

  get open(): boolean {
    return !this.#ending && this.#inner.open
  }

  get unwritten(): number {
    return this.#queued + this.#inner.unwritten
  }

  write(bytes: SharedBytes): boolean {
    if (!this.open) return false
    if (bytes.length === 0) return true
    const known = members.get(bytes)
    if (this.#queue !== undefined || known instanceof Promise || (known === undefined && bytes.length > AT_ONCE))
      return this.#enqueue(bytes)
    return this.#inner.write(known ?? keptMember(bytes, gzipSync(bytes.joined, OPTIONS)))
  }

  writeFilled(fill: (memory: Buffer) => number): boolean {
    if (!this.open) return false
    const memory = this.#memory.take()
    const filled = memory.subarray(0, fill(memory.subarray(0, AT_ONCE)))
    const written = filled.length === 0 || this.#writeMember(filled)
    this.#memory.give(memory)
    return written
  }

  async drained(): Promise<void> {
    await this.#queue
    await this.#inner.drained()
  }

  end(): void {
    if (!this.open) return
    this.#ending = true
    if (this.#queue === undefined) this.#inner.end()
    else void this.#queue.then(() => this.#inner.end())
  }

  /** Writes a member after those that are being compressed. */
  #writeMember(content: Buffer): boolean {
    const bytes = gzipMember(content, gzipSync(content, OPTIONS))
    if (this.#queue === undefined) return this.#inner.write(bytes)
    this.#append(async () => bytes)
    return true
  }

  #enqueue(bytes: SharedBytes): boolean {
    this.#queued += bytes.length
    this.#append(async () => {
      const ready = await (members.get(bytes) ?? memberOnThread(bytes))
      this.#queued -= bytes.length
      return ready
    })
    return true
  }

  /**
   * Writes after everything that is queued. A stream whose client has gone ignores it. Ends the stream if the
   * compression fails, because what follows would leave a gap.
   */
  #append(ready: () => Promise<SharedBytes>): void {
    const queue = (this.#queue ?? Promise.resolve())
      .then(async () => {
        this.#inner.write(await ready())
      })
      .catch(() => {
        this.#ending = true
        this.#inner.end()
      })
      .then(() => {
        if (this.#queue === queue) this.#queue = undefined
      })
    this.#queue = queue
  }
}

/** Ends the member of a text that was compressed. Copies it: the buffer of zlib is larger. */
const gzipMember = (text: Buffer, begun: Buffer): SharedBytes =>
  new SharedBytes([Buffer.concat([begun, gzipTail(crc32(text), text.length)])])

function keptMember(bytes: SharedBytes, begun: Buffer): SharedBytes {
  const member = gzipMember(bytes.joined, begun)
  members.set(bytes, member)
  return member
}

/** Compresses bytes on another thread, once for all streams that wait for them. */
function memberOnThread(bytes: SharedBytes): Promise<SharedBytes> {
  const member = compressed(bytes.joined, OPTIONS).then(begun => keptMember(bytes, begun))
  members.set(bytes, member)
  return member
}
