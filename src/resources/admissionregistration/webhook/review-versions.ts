import type { Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { versionNameErrors } from '../../shared/webhook-client.ts'

/** Versions of AdmissionReview that the server supports. */
const ACCEPTED = ['v1', 'v1beta1']

/** Reports whether the webhook accepts a version of AdmissionReview that the server supports. */
export const speaksAcceptedVersion = (versions: readonly string[]): boolean => versions.some(version => ACCEPTED.includes(version))

/**
 * Validates the versions of a webhook, which must be unique. With `anyVersion` none of them need be supported by the
 * server.
 */
export function* validateReviewVersions(versions: readonly string[], anyVersion: boolean, path: FieldPath): Steps<FieldError[]> {
  if (versions.length === 0) return [required(path, `must specify one of ${ACCEPTED.join(', ')}`)]
  const errors = yield* versionNameErrors(versions, path)
  if (!anyVersion && !speaksAcceptedVersion(versions))
    errors.push(invalid(path, versions, `must include at least one of ${ACCEPTED.join(', ')}`))
  return errors
}
