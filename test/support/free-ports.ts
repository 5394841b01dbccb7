import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Ports below those that systems assign to clients and to servers without a fixed port, so that none is taken between
 * its check and its use. They lie beyond 10080, the last port that `fetch` refuses to connect to (Fetch Standard, "bad
 * port").
 */
const FIRST = 10_240
const BEYOND = 32_768
/** Number of ports that a process reserves. It is more than it needs at once. */
const SLICE = 256
const SLICES = Math.floor((BEYOND - FIRST) / SLICE)

/**
 * Takes free ports of 127.0.0.1 in turn from the slice of its process, so that tests that run side by side take none
 * from each other.
 */
export class FreePorts {
  readonly #first: number
  #next = 0

  /** `process`: any number; processes that follow each other have different slices. */
  constructor(process: number) {
    this.#first = FIRST + (process % SLICES) * SLICE
  }

  async take(): Promise<number> {
    for (let tried = 0; tried < SLICE; tried++) {
      const port = this.#first + (this.#next++ % SLICE)
      if (await isFree(port)) return port
    }
    throw new Error(`all ports from ${this.#first} to ${this.#first + SLICE - 1} are in use`)
  }
}

export const freePorts = new FreePorts(process.pid)

async function isFree(port: number): Promise<boolean> {
  const server: Server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
