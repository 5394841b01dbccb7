import { expiredError, failure } from '../../meta/status.ts'
import { BackendError } from '../../storage/backend.ts'

/** What a failure of the store means for who asks for a revision: 410 where it is compacted, 404 where it has not come. */
export function revisionError(error: unknown, at: number | undefined): unknown {
  if (!(error instanceof BackendError)) return error
  if (error.code === 'future') return failure(404, 'NotFound', `revision ${at} has not come yet`, {})
  if (error.code !== 'compacted') return error
  const { compactRevision: oldest } = error
  return expiredError(`revision ${at} is compacted${oldest === undefined ? '' : `: the oldest that is kept is ${oldest}`}`)
}
