import type { TypedObject } from '../../api/meta/object.ts'
import type { ResourceKind } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { pause } from '../../lib/pause.ts'
import { isStatusError } from '../../meta/status.ts'
import type { ClusterEnvironment } from './environment.ts'

/** Interval of attempts to find out what a server serves, in milliseconds. */
const RETRY_MS = 1000

/**
 * Returns the first of several versions of a kind that the server serves. Undefined if it serves none, or once the
 * signal aborts.
 */
export async function firstServed<T extends TypedObject>(
  { client, logger, meters }: Pick<ClusterEnvironment, 'client' | 'logger' | 'meters'>,
  kinds: readonly ResourceKind<T>[],
  signal: AbortSignal,
): Promise<ResourceKind<T> | undefined> {
  for (let at = 0; at < kinds.length && !signal.aborted; ) {
    const kind = kinds[at] as ResourceKind<T>
    try {
      await client.list(kind, { resourceVersion: '0' })
      return signal.aborted ? undefined : kind
    } catch (error) {
      if (isStatusError(error, 'NotFound')) at++
      else {
        logger.debug(2, 'a kind cannot be listed, retrying', { resource: kind.resource, version: kind.version, error: errorMessage(error) })
        await pause(RETRY_MS, signal, meters.pauses)
      }
    }
  }
  return undefined
}
