import type { Config } from '../config/config.ts'
import { Runtime } from '../control-plane/runtime.ts'
import { collectWhenQuiet } from '../lib/collect-when-quiet.ts'
import { boundHeapGrowth } from '../lib/heap-growth.ts'
import type { Logger } from '../lib/log.ts'
import { stopSignal, workerStopSignal } from '../server/stop-signal.ts'
import type { WorkerLink } from '../server/workers/worker-link.ts'
import { openServer } from './open-server.ts'

/** Percent. Of 10,000 objects that were written twice 52 MB of V8's heap were needed, and 142 in use. Costs up to 5% of the CPU of a creation where all that the server does is creating; 60 costs 10 to 16%. */
const HEAP_GROWTH = 100

/** Serves in this process, alone or as one of several workers, until a signal or the primary stops it. Resolves with the exit code. */
export async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = link ? workerStopSignal(link.stop) : stopSignal(log)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  const server = await openServer({ config, log, link, runtime: new Runtime() }, ended.signal)
  if (server === undefined) return 0
  boundHeapGrowth(HEAP_GROWTH)
  collectWhenQuiet()
  const failure = await server.untilEnd(stopping)
  await server.stop()
  if (failure) throw failure
  return 0
}
