import { readFileSync } from 'node:fs'

/**
 * Growth of the resident part of the file after which it is unmapped, in bytes. Unmapping takes a millisecond, and
 * reading again a microsecond per 64 KiB.
 */
const MOST_GROWTH = 8 << 20
const INTERVAL_MS = 1000

/**
 * Returns the resident bytes of files mapped by this process; undefined if the system does not report them (Linux
 * does).
 */
function mappedFileBytes(): number | undefined {
  try {
    const kilobytes = /^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

/**
 * Calls `unmap` when mapped files have grown by 8 MiB since the last time. The caller invokes `look` periodically; it
 * resolves when an unmap that it started is done.
 */
export class MappedMemory {
  readonly #unmap: () => Promise<void>
  readonly #mapped: () => number | undefined
  #before: number | undefined

  constructor(unmap: () => Promise<void>, mapped = mappedFileBytes) {
    this.#unmap = unmap
    this.#mapped = mapped
    this.#before = mapped()
  }

  async look(): Promise<void> {
    const now = this.#mapped()
    if (now === undefined || this.#before === undefined || now - this.#before < MOST_GROWTH) return
    // Prevents another unmap until this one is done.
    this.#before = Number.POSITIVE_INFINITY
    await this.#unmap()
    this.#before = this.#mapped()
  }
}

/**
 * Bounds the resident part of the file until the returned function is called. The timer does not keep the process
 * alive.
 */
export function boundMappedMemory(unmap: () => Promise<void>): () => void {
  const memory = new MappedMemory(unmap)
  const timer = setInterval(() => void memory.look(), INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
