import type { CustomResourceConversion } from '../../../api/apiextensions/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { validateWebhookService, validateWebhookUrl, versionNameErrors } from '../../shared/webhook-client.ts'
import { validateCaBundle } from './ca-bundle.ts'

/** Versions of ConversionReview that the server supports. */
const REVIEW_VERSIONS = ['v1', 'v1beta1']

/** Rules of the conversion. A fault of the old definition is accepted again. */
export interface ConversionRules {
  /** Whether one of the review versions must be supported by the server. */
  readonly requireKnownReviewVersion: boolean
  readonly allowInvalidCaBundle: boolean
}

/** Reports whether the webhook accepts a review version that the server supports, or names no versions. */
export const hasKnownReviewVersion = (conversion: CustomResourceConversion | undefined): boolean => {
  const versions = conversion?.webhook?.conversionReviewVersions ?? []
  return versions.length === 0 || versions.some(version => REVIEW_VERSIONS.includes(version))
}

/**
 * Validates the conversion. A webhook needs a client configuration and a supported version of ConversionReview; `None`
 * takes neither. Paths of errors are those of v1beta1, which has no `webhook` around them.
 */
export function* validateConversion(
  conversion: CustomResourceConversion | undefined,
  path: FieldPath,
  rules: ConversionRules,
): Steps<FieldError[]> {
  if (!conversion) return []
  const { strategy, webhook } = conversion
  const errors = strategyErrors(strategy, path.child('strategy'))
  const versions = webhook?.conversionReviewVersions ?? []
  const versionsPath = path.child('conversionReviewVersions')
  if (strategy === 'Webhook') {
    return [
      ...errors,
      ...(yield* clientErrors(webhook?.clientConfig, path.child('webhookClientConfig'), rules)),
      ...(yield* reviewVersionErrors(versions, versionsPath, rules)),
    ]
  }
  const text = 'should not be set when strategy is not set to Webhook'
  if (webhook?.clientConfig) errors.push(forbidden(path.child('webhookClientConfig'), text))
  if (versions.length > 0) errors.push(forbidden(versionsPath, text))
  return errors
}

function strategyErrors(strategy: string, path: FieldPath): FieldError[] {
  if (!strategy) return [required(path)]
  return ['None', 'Webhook'].includes(strategy) ? [] : [notSupported(path, strategy, ['None', 'Webhook'])]
}

type ClientConfig = NonNullable<CustomResourceConversion['webhook']>['clientConfig']

/**
 * Validates the client configuration. The CA bundle comes last, and is checked only if it has to be valid; see
 * `rulesFor`.
 */
function* clientErrors(config: ClientConfig, path: FieldPath, { allowInvalidCaBundle }: ConversionRules): Steps<FieldError[]> {
  if (!config) return [required(path, 'required when strategy is set to Webhook')]
  const { url, service, caBundle } = config
  const errors: FieldError[] = []
  if (url !== undefined && !service) errors.push(...validateWebhookUrl(url, path.child('url')))
  else if (url === undefined && service) errors.push(...validateWebhookService(service, path.child('service')))
  else errors.push(required(path, 'exactly one of url or service is required'))
  if (caBundle && !allowInvalidCaBundle) errors.push(...(yield* validateCaBundle(caBundle, path.child('caBundle'))))
  return errors
}

/** Unknown versions are allowed beside a known one. */
function* reviewVersionErrors(
  versions: readonly string[],
  path: FieldPath,
  { requireKnownReviewVersion }: ConversionRules,
): Steps<FieldError[]> {
  if (versions.length === 0) return [required(path)]
  const errors = yield* versionNameErrors(versions, path)
  const known = versions.some(version => REVIEW_VERSIONS.includes(version))
  if (requireKnownReviewVersion && !known)
    errors.push(invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`))
  return errors
}
