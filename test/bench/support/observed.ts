import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuOf, type Rate, rateOf } from './load.ts'
import { type StartedBinnacle, startBinnacle } from './processes.ts'
import { inFlight } from './requests.ts'

/** Measurements of the probe in the server since the last call. Times in milliseconds, sizes in bytes. */
export interface Seen {
  /** The longest that our code held the event loop, without collections. */
  readonly code: number
  /** The longest garbage collection, and that of the 99.9th percentile. */
  readonly collection: number
  readonly p999: number
  /** Collections since the start of the process. */
  readonly all: { readonly count: number; readonly p99: number; readonly p999: number; readonly longest: number }
  /** After a collection: objects, and the buffers outside of the heap. */
  readonly heap: number
  readonly buffers: number
  readonly rss: number
}

export interface Observed extends StartedBinnacle {
  seen(): Promise<Seen>
  /** The probe rests, or looks again: what it costs is as much as a server with little to do. */
  toggle(): Promise<void>
  /** Does it twice: once to tell what it takes, with the probe at rest, and once to see how it holds the event loop. */
  observe(run: () => Promise<Rate>): Promise<{ rate: Rate; seen: Seen }>
}

/** The built server with a probe of its event loop and its memory. */
export async function startObserved(flags: readonly string[] = []): Promise<Observed> {
  const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const report = join(scratch, 'loop')
  process.env.LOOP_REPORT = report
  const server = await startBinnacle(flags, ['--expose-gc', '--import', join(import.meta.dirname, 'loop-probe.mjs')])
  const seen = async (): Promise<Seen> => {
    rmSync(report, { force: true })
    process.kill(server.pid, 'SIGUSR2')
    while (!existsSync(report)) await sleep(10)
    // The collection that it makes for the report is none of those it reports.
    await sleep(100)
    return JSON.parse(readFileSync(report, 'utf8')) as Seen
  }
  const toggle = async (): Promise<void> => {
    process.kill(server.pid, 'SIGURG')
    await sleep(20)
  }
  return {
    ...server,
    seen,
    toggle,
    async observe(run) {
      await toggle()
      const rate = await run()
      await toggle()
      await seen()
      await run()
      return { rate, seen: await seen() }
    },
    async stop() {
      await server.stop()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

const columns = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(46) : cell.padStart(i === 6 ? 12 : 10))).join(' ')

export const printHead = (): void =>
  console.log(
    columns(['scenario', 'p50 ms', 'p99 ms', 'CPU µs', 'limit ms', 'limit CPU', 'ratio p50/CPU', 'slice ms', 'gc p99.9', 'gc longest']),
  )

/** `limit`: what the machine allows. */
export function printRow(
  what: string,
  { rate: ours, seen: { code, p999, collection } }: { rate: Rate; seen: Seen },
  limit: Rate | undefined,
): void {
  const own = [short(ours.p50), short(ours.p99), short(ours.cpu)]
  const theirs =
    limit === undefined
      ? ['', '', '']
      : [short(limit.p50), short(limit.cpu), `${short(ours.p50 / limit.p50)}/${short(ours.cpu / limit.cpu)}`]
  console.log(columns([what, ...own, ...theirs, short(code), short(p999), short(collection)]))
}

export function printCollections({ all: { count, p99, p999, longest } }: Seen): void {
  console.log(`  collections in all: ${count}, p99 ${short(p99)} ms, p99.9 ${short(p999)} ms, longest ${short(longest)} ms`)
}

export const short = (n: number): string => (Math.abs(n) < 10 ? n.toFixed(2) : String(Math.round(n)))

/** Does something so often, `width` at once, and gives what each took. */
export async function timed(pid: number, count: number, width: number, run: (i: number) => Promise<unknown>): Promise<Rate> {
  const times: number[] = []
  const before = cpuOf(pid)
  const begun = performance.now()
  await inFlight(count, width, async i => {
    const from = performance.now()
    await run(i)
    times.push(performance.now() - from)
  })
  return rateOf(times, (performance.now() - begun) / 1000, cpuOf(pid) - before)
}
