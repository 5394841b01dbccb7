import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { QuietCollector } from './quiet-collector.ts'

const INTERVAL_MS = 5_000

/** Gives back what a burst of work has left in the heap, when the process has become quiet. Never keeps the process. */
export function collectWhenQuiet(): void {
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const collector = new QuietCollector({ cpu, held: () => getHeapStatistics().total_heap_size, collect }, INTERVAL_MS)
  setInterval(() => collector.look(), INTERVAL_MS).unref()
}

/** V8 lets a program ask for it only where a flag says so while its context is made. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const garbage: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof garbage === 'function') garbage()
}
