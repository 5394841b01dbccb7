import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { closeConnections, send } from './requests.ts'

const PROGRAM = fileURLToPath(import.meta.url)
const PATH = '/api/v1/namespaces/default'
const EVERY_MS = 10

/** Delays of GETs, in milliseconds. */
interface GetDelays {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

/**
 * Reads an object a hundred times a second until `end` is called. It runs in a process of its own, so that what the
 * benchmark itself computes delays no reading.
 */
export function readWhile(port: number): { end(): Promise<GetDelays> } {
  const reader = fork(PROGRAM, [String(port)], { execArgv: process.execArgv })
  const delays = once(reader, 'message') as Promise<[number[]]>
  return {
    async end() {
      reader.send('end')
      const sorted = (await delays)[0].sort((a, b) => a - b)
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
      return { p50: at(0.5), p99: at(0.99), most: at(1) }
    },
  }
}

async function read(port: number): Promise<void> {
  const delays: number[] = []
  let ended = false
  process.once('message', () => {
    ended = true
  })
  for (; !ended; await sleep(EVERY_MS)) {
    const begun = performance.now()
    await send(port, 'GET', PATH)
    delays.push(performance.now() - begun)
  }
  closeConnections()
  process.send?.(delays, () => process.disconnect())
}

if (process.argv[1] === PROGRAM) await read(Number(process.argv[2]))
