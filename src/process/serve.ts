import type { Config } from '../config/config.ts'
import { collectWhenQuiet } from '../lib/collect-when-quiet.ts'
import type { Logger } from '../lib/log.ts'
import { endOfParent, parentOf } from './end-of-parent.ts'
import { ephemeralLine } from './ephemeral-line.ts'
import { openServer } from './open-server.ts'
import { runtimeOf } from './runtime-of.ts'
import { stopSignal, workerStopSignal } from './stop-signal.ts'
import type { WorkerLink } from './workers/worker-link.ts'

/** Runs a server in this process, which may be one of several workers, until a signal, the primary or the end of the parent (`--ephemeral`) stops it. Resolves with the exit code. */
export async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = config.files.ephemeral ? Promise.race([stopSignal(log), parentEnd(log)]) : link ? workerStopSignal(link.stop) : stopSignal(log)
  const ended = new AbortController()
  void stopping.then(() => ended.abort())
  const server = await openServer({ config, log, link, runtime: runtimeOf(config) }, ended.signal)
  if (server === undefined) return 0
  collectWhenQuiet()
  if (config.files.ephemeral && server.access) {
    await server.untilReady(ended.signal)
    process.stdout.write(ephemeralLine(server.access, config))
  }
  const failure = await server.untilEnd(stopping)
  await server.stop()
  if (failure) throw failure
  return 0
}

async function parentEnd(log: Logger): Promise<void> {
  log.info('shutting down', { reason: await endOfParent(parentOf(process)) })
}
