import type { Config } from '../config/config.ts'
import { collectWhenQuiet } from '../lib/collect-when-quiet.ts'
import type { Logger } from '../lib/log.ts'
import { gitVersion } from '../server/version.ts'
import { endOfParent, parentOf } from './end-of-parent.ts'
import { openServer } from './open-server.ts'
import { runtimeOf } from './runtime-of.ts'
import type { AdminAccess } from './serving-files.ts'
import { stopSignal, workerStopSignal } from './stop-signal.ts'
import type { WorkerLink } from './workers/worker-link.ts'

/**
 * Runs a server in this process, which may be one of several workers, until a signal, the primary or the end of the
 * parent (`--ephemeral`) stops it. Resolves with the exit code.
 */
export async function serve(config: Config, log: Logger, link: WorkerLink | undefined): Promise<number> {
  const stopping = config.files.ephemeral
    ? Promise.race([stopSignal(log), parentEnd(log)])
    : link
      ? workerStopSignal(link.stop)
      : stopSignal(log)
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

/**
 * Returns the line that `--ephemeral` prints on standard output: one JSON object with all that the parent needs to
 * connect. Certificates and keys are PEM, `kubeconfig` is YAML.
 */
function ephemeralLine(
  access: AdminAccess,
  { files: { kubeconfigOut }, release: { emulatedVersion } }: Pick<Config, 'files' | 'release'>,
): string {
  const { url, insecureUrl, consoleUrl, kubeconfig, certificateAuthority, clientCertificate, clientKey } = access
  const line = {
    url,
    ...(insecureUrl !== undefined && { insecureUrl }),
    ...(consoleUrl !== undefined && { consoleUrl }),
    version: gitVersion(emulatedVersion),
    kubeconfig,
    ...(kubeconfigOut !== undefined && { kubeconfigFile: kubeconfigOut }),
    certificateAuthority,
    clientCertificate,
    clientKey,
  }
  return `${JSON.stringify(line)}\n`
}
