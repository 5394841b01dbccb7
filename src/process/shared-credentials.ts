import { X509Certificate } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { StorageConfig } from '../config/store-config.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { KeyPair } from '../server/tls/issue.ts'
import { type CertificateOptions, isFresh, type ServerCredentials } from '../server/tls/material.ts'
import { type AgreedValues, agreedKey } from '../storage/agreed-values.ts'
import { BackendError } from '../storage/backend.ts'
import { delay } from '../storage/delay.ts'
import { TransformError } from '../storage/value/transformer.ts'
import { credentialsOf } from './serving-files.ts'

/** Interval of attempts to reach the store, in milliseconds. */
const RETRY_MS = 250

/**
 * The certificate authority of this server is not that of the others on the same etcd. They must share one, so that
 * clients, and pods with `kube-root-ca.crt`, can verify all of them.
 */
class AuthorityConflict extends Error {
  override readonly name = 'AuthorityConflict'
  readonly code = 'AUTHORITY_CONFLICT'
}

/** Certificates under the authority that all servers of a store share. */
export interface SharedCredentials {
  readonly credentials: Promise<ServerCredentials>
  /**
   * Resolves with an error if the other servers on the store have another authority; this server must stop then.
   * Resolves with undefined if they do not, if the check fails, or if the signal aborts.
   */
  readonly conflict: Promise<AuthorityConflict | undefined>
}

/** Credentials of a server that does not share its store. */
export const unshared = (credentials: Promise<ServerCredentials>): SharedCredentials => ({
  credentials,
  conflict: Promise.resolve(undefined),
})

/**
 * Loads the certificates of the configuration, and issues missing ones. The servers on a store share one authority: if
 * they have none yet, that of the certificate directory is proposed, and a server without one waits for the store.
 * Rejects with a TransformError if the authority in the store cannot be decrypted. `agreed`: undefined if no other
 * server shares the store. `keys`: keys whose generation has started.
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
      config.storage,
      log,
      signal,
    )
  const credentials = credentialsOf(config, { ...keys, shareCa })
  const compare = async ({ ownCa }: ServerCredentials): Promise<AuthorityConflict | undefined> => {
    try {
      const shared = await shareCa(async () => ownCa)
      return shared.cert.trim() === ownCa.cert.trim() ? undefined : new AuthorityConflict(authorityMismatch(config))
    } catch (error) {
      if (!signal.aborted) log.warn('the certificate authority is not shared', { error: errorMessage(error) })
      return undefined
    }
  }
  // Callers that await `credentials` handle its rejection.
  return { credentials, conflict: credentials.then(compare, () => undefined) }
}

const authorityMismatch = ({ files: { certDir = '' }, storage: { etcdPrefix } }: Config): string =>
  `${certDir}/ca.crt is not the certificate authority of the servers on this etcd. To take theirs, remove ca.crt and ca.key from ${certDir}; certificates that the former authority ` +
  `signed are then no longer trusted. To make all servers use this one, stop them, and remove the key ${agreedKey(etcdPrefix, 'certificate-authority')} from etcd and ca.crt and ca.key from the directories of the others.`

/** Resolves with the conflict as soon as there is one, otherwise with undefined after `end`. */
export const untilConflict = async (
  conflict: SharedCredentials['conflict'],
  end: Promise<void>,
): Promise<AuthorityConflict | undefined> => {
  const found = await Promise.race([conflict, end])
  if (found !== undefined) return found
  await end
  return undefined
}

/** Whether a stored certificate can be parsed and is not about to expire. */
function isFreshPair(text: string): boolean {
  try {
    return isFresh(new X509Certificate((JSON.parse(text) as KeyPair).cert))
  } catch {
    return false
  }
}

/**
 * Retries a request until the store is reached. Logs a warning once. Rejects with an error that may not pass, and if
 * the signal aborts.
 */
async function untilReached<T>(ask: () => Promise<T>, { etcd }: Pick<StorageConfig, 'etcd'>, log: Logger, signal: AbortSignal): Promise<T> {
  for (let warned = false; ; warned = true) {
    try {
      return await ask()
    } catch (error) {
      const mayPass = error instanceof BackendError || (error instanceof TransformError && error.mayPass)
      if (!mayPass || signal.aborted) throw error
      const whom =
        error instanceof TransformError
          ? 'the key management service, which encrypts the shared certificate authority'
          : 'etcd, which does not respond (--etcd-servers)'
      if (!warned) log.warn(`waiting for ${whom}`, { ...(etcd && { servers: etcd.servers.join(',') }), error: error.message })
      await delay(RETRY_MS, signal)
    }
  }
}
