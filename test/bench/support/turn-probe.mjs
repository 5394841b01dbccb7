// Imported into the measured process (node --import): processor time of each turn of its event loop. SIGURG: begins to look. SIGUSR2: stops, and writes the longest turns to $TURN_REPORT, as JSON.
// TURN_PROFILE=1: with the functions in which they were spent.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { PerformanceObserver } from 'node:perf_hooks'

const LONG_MS = Number(process.env.TURN_LONG_MS ?? 10)
const statistics = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
const text = Buffer.alloc(64)
const ranMs = () => Number(text.toString('latin1', 0, readSync(statistics, text, 0, text.length, 0)).split(' ')[0]) / 1e6

let collections = []
new PerformanceObserver(list => {
  for (const { startTime, duration } of list.getEntries()) collections.push([startTime, startTime + duration])
}).observe({ entryTypes: ['gc'] })

const profiler = process.env.TURN_PROFILE === '1' ? new Session() : undefined
profiler?.connect()
profiler?.post('Profiler.enable')
profiler?.post('Profiler.setSamplingInterval', { interval: 200 })

let turns = []
let on = false
let began = 0
let clock = 0
let ran = 0

// Only long turns are recorded, to use little memory.
function tick() {
  const now = performance.now()
  const busy = ranMs()
  if (busy - ran > LONG_MS / 2) turns.push([clock, now, busy - ran])
  clock = now
  ran = ranMs()
  if (on) setImmediate(tick)
}

process.on('SIGURG', () => {
  turns = []
  collections = []
  profiler?.post('Profiler.start')
  on = true
  began = clock = performance.now()
  ran = ranMs()
  setImmediate(tick)
})

process.on('SIGUSR2', () => {
  on = false
  const seen = turns
  // The turn that stops the profiler is not one of them.
  turns = []
  let profile
  profiler?.post('Profiler.stop', (_error, result) => {
    profile = result?.profile
  })
  // Collections are reported with a delay.
  setTimeout(() => {
    const longest = seen
      .map(([from, to, busy]) => {
        let collected = 0
        for (const [begin, end] of collections) collected += Math.max(0, Math.min(to, end) - Math.max(from, begin))
        return { at: from - began, from, to, busy, collected, code: Math.max(0, busy - collected) }
      })
      .sort((a, b) => b.code - a.code)
    const top = longest.slice(0, 3).map(turn => ({ ...turn, stacks: profile && turn.code > LONG_MS ? stacksOf(profile, turn) : [] }))
    const report = { turns: top, long: longest.filter(({ code }) => code > LONG_MS).length }
    const file = process.env.TURN_REPORT
    writeFileSync(`${file}.part`, JSON.stringify(report))
    renameSync(`${file}.part`, file)
  }, 30)
})

/** Functions of a turn with the milliseconds that they and what they called took, above half a millisecond. */
function stacksOf({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const parents = new Map()
  const byId = new Map(nodes.map(node => [node.id, node]))
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node.id)
  const offset = performance.now() * 1000 - Number(process.hrtime.bigint() / 1000n)
  const inclusive = new Map()
  const own = new Map()
  let at = startTime + offset
  for (let i = 0; i < samples.length; i++) {
    at += timeDeltas[i]
    const next = timeDeltas[i + 1] ?? 0
    if (at < from * 1000 || at > to * 1000) continue
    const names = new Set()
    for (let id = samples[i]; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber, columnNumber } = byId.get(id).callFrame
      const name = `${functionName || `(anonymous ${lineNumber}:${columnNumber})`}${url.startsWith('node:') ? ` ${url}` : ''}`
      if (names.size === 0) own.set(name, (own.get(name) ?? 0) + next / 1000)
      names.add(name)
    }
    for (const name of names) inclusive.set(name, (inclusive.get(name) ?? 0) + next / 1000)
  }
  return [...inclusive]
    .filter(([, ms]) => ms > 0.7)
    .sort((a, b) => b[1] - a[1])
    .map(([name, ms]) => `${ms.toFixed(1)} (${(own.get(name) ?? 0).toFixed(1)}) ${name}`)
}
