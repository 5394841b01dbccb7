import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../../api/flowcontrol/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { covered, forbidden, invalid, notSupported, required, words } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { goValue } from '../../shared/go-values.ts'
import { mandatoryLevels } from '../bootstrap/mandatory.ts'
import { ROUNDTRIP_ANNOTATION } from './versions.ts'

const MAX_QUEUES = 10_000_000
/** Limit on the hash bits that shuffle sharding uses. With more, hands would be dealt unevenly. */
const MAX_HASH_BITS = 60

/** Checks that a number is not negative. Null and absent values count as 0. */
const notNegative = (value: number | null | undefined, path: FieldPath, text: string): FieldError[] =>
  (value ?? 0) < 0 ? [invalid(path, value, text)] : []

/** Checks a percentage, if set. */
const percent = (value: number | undefined, path: FieldPath): FieldError[] =>
  value !== undefined && (value < 0 || value > 100) ? [invalid(path, value, 'must be between 0 and 100, inclusive')] : []

/**
 * Validates queuing. handSize is at most `queues`. A hand takes log2(queues) bits for each card, at most MAX_HASH_BITS
 * in all.
 */
function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, path: FieldPath): FieldError[] {
  const errors: FieldError[] = []
  if (queueLengthLimit <= 0) errors.push(invalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'))
  if (queues <= 0) errors.push(invalid(path.child('queues'), queues, 'must be positive'))
  else if (queues > MAX_QUEUES) errors.push(invalid(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`))
  const hand = path.child('handSize')
  if (handSize <= 0) errors.push(invalid(hand, handSize, 'must be positive'))
  else if (handSize > queues) errors.push(invalid(hand, handSize, `should not be greater than queues (${queues})`))
  else if (Math.ceil(Math.log2(queues) * handSize) > MAX_HASH_BITS) {
    const text = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`
    errors.push(invalid(hand, handSize, text))
  }
  return errors
}

/** Since 1.36 a missing type has an error of its own. */
const unknownType = (type: string, known: readonly string[], path: FieldPath, release: Release): FieldError =>
  type === '' && isSince(release, '1.36') ? { ...required(path), origin: '', isCovered: true } : notSupported(path, type, known)

/** Validates the limit response. `Queue` needs queuing, `Reject` forbids it. Messages say Limited for Queue. */
function validateLimitResponse({ type, queuing }: LimitResponse, path: FieldPath, release: Release): FieldError[] {
  const at = path.child('queuing')
  switch (type) {
    case 'Reject':
      return queuing ? covered('', [forbidden(at, 'must be nil if limited.limitResponse.type is not Limited')]) : []
    case 'Queue':
      return queuing
        ? validateQueuing(queuing, at)
        : covered('', [required(at, 'must not be empty if limited.limitResponse.type is Limited')])
    default:
      return [unknownType(type, ['Queue', 'Reject'], path.child('type'), release)]
  }
}

/** Rules for concurrency shares. */
interface SharesOptions {
  /** Name of the field in the version of the request. */
  readonly field: 'nominalConcurrencyShares' | 'assuredConcurrencyShares'
  /** Whether a level may have no seats of its own. */
  readonly allowZero: boolean
  readonly release: Release
}

/** Before 1.30 zero is allowed only if the old level has it, because a server of 1.28 would treat it as 30. */
const sharesOptions = (old: PriorityLevelConfiguration | undefined, { features, request }: HookContext): SharesOptions => ({
  field: ['v1beta1', 'v1beta2'].includes(request?.info.version ?? '') ? 'assuredConcurrencyShares' : 'nominalConcurrencyShares',
  allowZero: features.enabled('ZeroLimitedNominalConcurrencyShares') || old?.spec.limited?.nominalConcurrencyShares === 0,
  release: features.release,
})

function validateShares(shares: number | null | undefined, path: FieldPath, allowZero: boolean): FieldError[] {
  if (allowZero) return notNegative(shares, path, 'must be a non-negative integer')
  return (shares ?? 0) <= 0 ? [invalid(path, shares ?? 0, 'must be positive')] : []
}

const validateLimited = (
  { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent }: LimitedPriorityLevelConfiguration,
  path: FieldPath,
  { field, allowZero, release }: SharesOptions,
): FieldError[] => [
  ...validateShares(nominalConcurrencyShares, path.child(field), allowZero),
  ...validateLimitResponse(limitResponse, path.child('limitResponse'), release),
  ...percent(lendablePercent, path.child('lendablePercent')),
  ...notNegative(borrowingLimitPercent, path.child('borrowingLimitPercent'), 'if specified, must be a non-negative integer'),
]

const validateExempt = ({ nominalConcurrencyShares, lendablePercent }: ExemptPriorityLevelConfiguration, path: FieldPath): FieldError[] => [
  ...notNegative(nominalConcurrencyShares, path.child('nominalConcurrencyShares'), 'must be a non-negative integer'),
  ...percent(lendablePercent, path.child('lendablePercent')),
]

/**
 * Validates the spec. Type `Limited` needs `limited` and forbids `exempt`. Type `Exempt` forbids `limited`; its
 * `exempt` may be absent.
 */
function validatePriorityLevelSpec(
  { type, limited, exempt }: PriorityLevelConfigurationSpec,
  path: FieldPath,
  shares: SharesOptions,
): FieldError[] {
  switch (type) {
    case 'Exempt':
      return [
        ...(limited ? covered('', [forbidden(path.child('limited'), 'must be nil if the type is not Limited')]) : []),
        ...(exempt ? validateExempt(exempt, path.child('exempt')) : []),
      ]
    case 'Limited':
      return [
        ...(exempt ? covered('', [forbidden(path.child('exempt'), 'must be nil if the type is Limited')]) : []),
        ...(limited
          ? validateLimited(limited, path.child('limited'), shares)
          : covered('', [required(path.child('limited'), 'must not be empty when type is Limited')])),
      ]
    default:
      return [unknownType(type, ['Exempt', 'Limited'], path.child('type'), shares.release)]
  }
}

/**
 * Checks that the spec of a mandatory level is unchanged, except for what the level `exempt` lends since release 1.28.
 */
function validateFixed(name: string | undefined, spec: PriorityLevelConfigurationSpec, path: FieldPath, release: Release): FieldError[] {
  const fixed = mandatoryLevels(release).find(({ metadata }) => metadata.name === name)?.spec
  if (!fixed) return []
  if (name !== 'exempt' || !isSince(release, '1.28'))
    return deepEqual(spec, fixed)
      ? []
      : [invalid(path, goValue('flowcontrol.PriorityLevelConfigurationSpec', spec), `spec of '${name}' must equal the fixed value`)]
  const { exempt: _own, ...rest } = spec
  if (deepEqual({ ...rest, ...(fixed.exempt && { exempt: fixed.exempt }) }, fixed)) return []
  return [
    invalid(
      path,
      goValue('flowcontrol.PriorityLevelConfigurationSpec', spec),
      `spec of '${name}' except the 'spec.exempt' field must equal the fixed value`,
    ),
  ]
}

/**
 * Validates a level. Only the level `exempt` has type `Exempt`. Source: pkg/apis/flowcontrol/validation in
 * k8s.io/kubernetes.
 */
export function validatePriorityLevel(
  { metadata, spec }: PriorityLevelConfiguration,
  old: PriorityLevelConfiguration | undefined,
  ctx: HookContext,
): FieldError[] {
  const path = fieldPath('spec')
  const errors: FieldError[] = []
  if (Object.hasOwn(metadata.annotations ?? {}, ROUNDTRIP_ANNOTATION)) {
    errors.push(forbidden(fieldPath('metadata', 'annotations'), `annotation '${ROUNDTRIP_ANNOTATION}' is forbidden`))
  }
  if ((metadata.name === 'exempt') !== (spec.type === 'Exempt')) {
    errors.push(
      invalid(
        path.child('type'),
        spec.type,
        words("type must be 'Exempt' if and only if name is 'exempt'", "must be 'Exempt' if and only if `name` is 'exempt'"),
      ),
    )
  }
  return [
    ...errors,
    ...validatePriorityLevelSpec(spec, path, sharesOptions(old, ctx)),
    ...validateFixed(metadata.name, spec, path, ctx.features.release),
  ]
}
