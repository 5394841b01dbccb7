import type { Config } from '../config/config.ts'
import { Runtime } from '../control-plane/runtime.ts'
import { collectWhenQuiet } from '../lib/collect-when-quiet.ts'
import type { Logger } from '../lib/log.ts'
import { stopSignal, workerStopSignal } from '../server/stop-signal.ts'
import type { WorkerLink } from '../server/workers/worker-link.ts'
import { openServer } from './open-server.ts'

/** Serves in this process, alone or as one of several workers, until a signal or the primary stops it. Resolves with the exit code. */
export async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = link ? workerStopSignal(link.stop) : stopSignal(log)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  const server = await openServer({ config, log, link, runtime: new Runtime() }, ended.signal)
  if (server === undefined) return 0
  collectWhenQuiet()
  const failure = await server.untilEnd(stopping)
  await server.stop()
  if (failure) throw failure
  return 0
}
