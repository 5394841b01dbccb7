import { X509Certificate } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { KeyPair } from '../server/tls/issue.ts'
import { type CertificateOptions, type Credentials, isFresh } from '../server/tls/material.ts'
import { type AgreedValues, agreedKey } from '../storage/agreed-values.ts'
import { BackendError } from '../storage/backend.ts'
import { delay } from '../storage/delay.ts'
import { TransformError } from '../storage/value/transformer.ts'
import { credentialsOf } from './serving-files.ts'

const RETRY_MS = 250

/** The servers on one etcd have one certificate authority, so that clients, and pods by `kube-root-ca.crt`, can check any of them. This one has another. */
class AuthorityConflict extends Error {
  override readonly name = 'AuthorityConflict'
  readonly code = 'AUTHORITY_CONFLICT'
}

/** Certificates that all servers of a store agree on. */
export interface SharedCredentials {
  readonly credentials: Promise<Credentials>
  /** Whether other servers on the store have another authority: this one has to end then. Resolves when the store has answered, or the signal aborts. */
  readonly conflict: Promise<AuthorityConflict | undefined>
}

/** Certificates on which this server need not agree with others. */
export const unshared = (credentials: Promise<Credentials>): SharedCredentials => ({ credentials, conflict: Promise.resolve(undefined) })

/**
 * The certificates that the configuration names, made where missing. The authority is that of the servers on the store: one that the certificate directory has is theirs if they have
 * none, and a server without one waits for the store. Throws TransformError where the store's cannot be decrypted. `agreed`: absent where no other server shares the store. `keys`: what has been
 * begun for a first start.
 */
export function shareCredentials(
  config: Config,
  agreed: AgreedValues | undefined,
  log: Logger,
  signal: AbortSignal,
  keys: Pick<CertificateOptions, 'adminKeys'> = {},
): SharedCredentials {
  if (agreed === undefined) return unshared(credentialsOf(config, keys))
  const shareCa = (make: () => Promise<KeyPair>): Promise<KeyPair> =>
    untilReached(
      async () => JSON.parse(await agreed.agree('certificate-authority', async () => JSON.stringify(await make()), isFreshPair)),
      config,
      log,
      signal,
    )
  const credentials = credentialsOf(config, { ...keys, shareCa })
  const compare = async ({ ownCa }: Credentials): Promise<AuthorityConflict | undefined> => {
    try {
      const shared = await shareCa(async () => ownCa)
      return shared.cert.trim() === ownCa.cert.trim() ? undefined : new AuthorityConflict(wordsOf(config))
    } catch (error) {
      if (!signal.aborted) log.warn('the certificate authority is not shared', { error: errorMessage(error) })
      return undefined
    }
  }
  // Those who wait for them handle that there are none.
  return { credentials, conflict: credentials.then(compare, () => undefined) }
}

const wordsOf = ({ certDir = '', etcdPrefix }: Config): string =>
  `${certDir}/ca.crt is not the certificate authority of the servers on this etcd. To take theirs, remove ca.crt and ca.key from ${certDir}: certificates that the former authority has ` +
  `signed are not believed then. To have all take this one, stop them, and remove the key ${agreedKey(etcdPrefix, 'certificate-authority')} from etcd and ca.crt and ca.key from the directories of the others.`

/** Resolves with the conflict where there is one, otherwise at the end. */
export const untilConflict = async (conflict: SharedCredentials['conflict'], end: Promise<void>): Promise<AuthorityConflict | undefined> => {
  const found = await Promise.race([conflict, end])
  if (found !== undefined) return found
  await end
  return undefined
}

/** Whether the stored certificate and key are readable and not about to expire. */
function isFreshPair(text: string): boolean {
  try {
    return isFresh(new X509Certificate((JSON.parse(text) as KeyPair).cert))
  } catch {
    return false
  }
}

/** Asks until the store answers. */
async function untilReached<T>(ask: () => Promise<T>, { etcd }: Pick<Config, 'etcd'>, log: Logger, signal: AbortSignal): Promise<T> {
  for (let warned = false; ; warned = true) {
    try {
      return await ask()
    } catch (error) {
      const mayPass = error instanceof BackendError || (error instanceof TransformError && error.mayPass)
      if (!mayPass || signal.aborted) throw error
      const whom =
        error instanceof TransformError
          ? 'a key management service, by which servers share their certificate authority'
          : 'etcd, which does not answer (--etcd-servers)'
      if (!warned) log.warn(`waiting for ${whom}`, { ...(etcd && { servers: etcd.servers.join(',') }), error: error.message })
      await delay(RETRY_MS, signal)
    }
  }
}
