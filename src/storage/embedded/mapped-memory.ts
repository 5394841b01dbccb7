import { readFileSync } from 'node:fs'

/** Bytes of the store's file that may become resident before they are given back. Giving them back takes a millisecond, and reading them again a microsecond for each 64 KiB. */
const MOST_GROWTH = 8 << 20
const INTERVAL_MS = 1000

/** Bytes of mapped files that are resident in this process; undefined where the system does not report it (Linux does). */
function mappedFileBytes(): number | undefined {
  try {
    const kilobytes = /^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
  } catch {
    return undefined
  }
}

/**
 * Has `unmap` called whenever mapped files have grown by 8 MiB since the last time. `look` is to be called now and then; it resolves when what it has begun is done.
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
    // Until it is done, nothing has grown.
    this.#before = Number.POSITIVE_INFINITY
    await this.#unmap()
    this.#before = this.#mapped()
  }
}

/** Bounds what is resident of the file until the returned function is called. Never keeps the process. */
export function boundMappedMemory(unmap: () => Promise<void>): () => void {
  const memory = new MappedMemory(unmap)
  const timer = setInterval(() => void memory.look(), INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}
