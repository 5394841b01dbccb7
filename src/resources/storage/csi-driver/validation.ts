import type { CSIDriver, TokenRequest } from '../../../api/storage/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { asGiven } from '../../../meta/empty-members.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, immutableError, invalid, notSupported } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { goMember } from '../../shared/go-values.ts'

const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType']
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral']
const SHORTEST_SECONDS = 600
const LONGEST_SECONDS = 2 ** 32
const SHORTEST_PERIOD_SECONDS = 10

/** Checks that an expiration, if set, is between 10 minutes and 2^32 seconds, inclusive. */
function validateExpiration(seconds: number | bigint | undefined, path: FieldPath): FieldError[] {
  if (seconds === undefined) return []
  if (seconds < SHORTEST_SECONDS) return [invalid(path, seconds, 'may not specify a duration less than 10 minutes')]
  return seconds > LONGEST_SECONDS ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : []
}

/** Validates token requests. Audiences must be unique; the expiration of a repeated one is not validated. */
function* validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath): Steps<FieldError[]> {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [i, { audience, expirationSeconds }] of requests.entries()) {
    if (isStepDone()) yield
    const at = path.index(i)
    if (seen.has(audience)) errors.push(duplicate(at.child('audience'), audience))
    else errors.push(...validateExpiration(expirationSeconds, at.child('expirationSeconds')))
    seen.add(audience)
  }
  return errors
}

/**
 * Validates a driver. An update may change settings that kubelets read per volume, but not those that control how
 * volumes are attached, nor before 1.30 how they are mounted. Source: pkg/apis/storage/validation in k8s.io/kubernetes.
 */
export function* validateCSIDriver({ spec }: CSIDriver, old: CSIDriver | undefined, { features }: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const alsoFixed = isSince(features.release, '1.30') ? [] : (['fsGroupPolicy', 'podInfoOnMount'] as const)
  const modes = path.child('volumeLifecycleModes')
  const { fsGroupPolicy = '', nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: secrets } = spec
  return [
    ...(GROUP_POLICIES.includes(fsGroupPolicy) ? [] : [notSupported(path.child('fsGroupPolicy'), fsGroupPolicy, GROUP_POLICIES)]),
    ...(yield* validateTokenRequests(spec.tokenRequests ?? [], path.child('tokenRequests'))),
    ...(spec.volumeLifecycleModes ?? []).flatMap(mode =>
      LIFECYCLE_MODES.includes(mode) ? [] : [notSupported(modes, mode, LIFECYCLE_MODES)],
    ),
    ...(period !== undefined && period < SHORTEST_PERIOD_SECONDS
      ? [invalid(path.child('nodeAllocatableUpdatePeriodSeconds'), period, 'must be greater than or equal to 10 seconds')]
      : []),
    ...(secrets !== undefined && !spec.tokenRequests?.length
      ? [
          invalid(
            path.child('serviceAccountTokenInSecrets'),
            secrets,
            'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
          ),
        ]
      : []),
    // Upstream's path differs from the name of the field.
    ...(old ? validateImmutableField(spec.attachRequired, old.spec.attachRequired, path.child('attachedRequired')) : []),
    ...(old && !(yield* deepEqualBySize(spec.volumeLifecycleModes, old.spec.volumeLifecycleModes))
      ? [immutableError(modes, goMember('storage.CSIDriverSpec', 'volumeLifecycleModes', asGiven(spec, 'volumeLifecycleModes')))]
      : []),
    ...alsoFixed.flatMap(member => (old ? validateImmutableField(spec[member], old.spec[member], path.child(member)) : [])),
  ]
}
