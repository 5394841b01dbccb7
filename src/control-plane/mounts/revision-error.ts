import { expiredError, failure } from '../../meta/status.ts'
import { BackendError } from '../../storage/backend.ts'

/**
 * Translates an error of the store for a client that requested a revision: 410 if it is compacted, 404 if it is in the
 * future.
 */
export function revisionError(error: unknown, at: number | undefined): unknown {
  if (!(error instanceof BackendError)) return error
  if (error.code === 'future') return failure(404, 'NotFound', `revision ${at} has not come yet`, {})
  if (error.code !== 'compacted') return error
  const { compactRevision: oldest } = error
  return expiredError(`revision ${at} is compacted${oldest === undefined ? '' : `: the oldest that is kept is ${oldest}`}`)
}
