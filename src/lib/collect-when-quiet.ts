import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { QuietCollector } from './quiet-collector.ts'

const INTERVAL_MS = 5_000

/** Collects the garbage of a burst of work once the process is quiet. Does not keep the process alive. */
export function collectWhenQuiet(): void {
  const cpu = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const collector = new QuietCollector({ cpu, held: () => getHeapStatistics().total_heap_size, collect }, INTERVAL_MS)
  setInterval(() => collector.look(), INTERVAL_MS).unref()
}

/** V8 exposes the collector only in contexts created while the flag is set. */
function collect(): void {
  setFlagsFromString('--expose-gc')
  const garbage: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof garbage === 'function') garbage()
}
