// Imported into the measured process (node --import): how long its event loop is held. SIGUSR2: writes what was seen since the last one to $LOOP_REPORT, as JSON.
import { renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'

const collections = []
const gaps = []
let last = performance.now()
let cpu = process.cpuUsage()

new PerformanceObserver(list => {
  for (const { startTime, duration } of list.getEntries()) collections.push([startTime, startTime + duration])
}).observe({ entryTypes: ['gc'] })

function beat() {
  const now = performance.now()
  if (now - last > 4) {
    // What other processes took of the processor is none of ours: the loop was held for no longer than the process ran.
    const { user, system } = process.cpuUsage(cpu)
    gaps.push([last, now, (user + system) / 1000])
  }
  last = now
  cpu = process.cpuUsage()
  setTimeout(beat, 1).unref()
}
beat()

process.on('SIGUSR2', () =>
  // Collections are told of later than they happen.
  setTimeout(() => {
    let code = 0
    let collection = 0
    for (const [from, to] of collections) collection = Math.max(collection, to - from)
    for (const [from, to, ran] of gaps) {
      let collected = 0
      for (const [begin, end] of collections) collected += Math.max(0, Math.min(to, end) - Math.max(from, begin))
      code = Math.max(code, Math.min(to - from, ran) - collected)
    }
    collections.length = 0
    gaps.length = 0
    const file = process.env.LOOP_REPORT
    writeFileSync(`${file}.part`, JSON.stringify({ code, collection }))
    renameSync(`${file}.part`, file)
  }, 50),
)
