// Imported into the measured process (node --import): how long its event loop is held. SIGUSR2: writes what was seen since the last one to $LOOP_REPORT, as JSON. SIGURG: stops looking, which costs some, or begins again.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const collections = []
/** Of all reports, but for those that were made for them. */
const everyDuration = []
const gaps = []
let last = performance.now()

// Time of other processes and threads is excluded: the loop was blocked for no longer than its thread ran. In nanoseconds, if the kernel reports them.
const statistics = (() => {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  } catch {
    return undefined
  }
})()
const text = Buffer.alloc(64)
const ranMs = () =>
  statistics === undefined
    ? performance.now()
    : Number(text.toString('latin1', 0, readSync(statistics, text, 0, text.length, 0)).split(' ')[0]) / 1e6
let ran = ranMs()

new PerformanceObserver(list => {
  for (const { startTime, duration } of list.getEntries()) collections.push([startTime, startTime + duration])
}).observe({ entryTypes: ['gc'] })

let timer

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0

function beat() {
  const now = performance.now()
  if (now - last > 4) {
    gaps.push([last, now, ranMs() - ran])
  }
  last = now
  ran = ranMs()
  timer = setTimeout(beat, 1).unref()
}
beat()

process.on('SIGURG', () => {
  clearTimeout(timer)
  timer = timer === undefined ? begin() : undefined
})

function begin() {
  last = performance.now()
  ran = ranMs()
  return setTimeout(beat, 1).unref()
}

process.on('SIGUSR2', () =>
  // Collections are reported with a delay.
  setTimeout(() => {
    let code = 0
    const durations = collections.map(([from, to]) => to - from).sort((a, b) => a - b)
    everyDuration.push(...durations)
    const collection = durations.at(-1) ?? 0
    const p999 = at(durations, 0.999)
    const sorted = everyDuration.toSorted((a, b) => a - b)
    const all = { count: sorted.length, p99: at(sorted, 0.99), p999: at(sorted, 0.999), longest: sorted.at(-1) ?? 0 }
    for (const [from, to, busy] of gaps) {
      let collected = 0
      for (const [begin, end] of collections) collected += Math.max(0, Math.min(to, end) - Math.max(from, begin))
      code = Math.max(code, Math.min(to - from, busy) - collected)
    }
    // With --expose-gc: what is left after a collection. Buffers are freed after the objects that hold them.
    globalThis.gc?.()
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    const file = process.env.LOOP_REPORT
    writeFileSync(`${file}.part`, JSON.stringify({ code, collection, p999, all, heap: heapUsed, buffers: external, rss }))
    renameSync(`${file}.part`, file)
    setTimeout(() => {
      collections.length = 0
      gaps.length = 0
    }, 20)
  }, 50),
)
