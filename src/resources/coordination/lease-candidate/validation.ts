import type { LeaseCandidate, LeaseCandidateSpec } from '../../../api/coordination/v1beta1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../../meta/semantic-version.ts'
import { validateLeaseStrategy } from '../lease/validation.ts'

/** Stands for a version that is absent or cannot be parsed. */
const ZERO: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [] }
const NO_VERSION = 'must be a valid semantic version'
const OLDEST_EMULATED = 'OldestEmulationVersion'
const NEEDED = "must be specified when `strategy` is 'OldestEmulationVersion'"

/**
 * Validates a candidate. leaseName is immutable. emulationVersion is at most binaryVersion; an invalid one compares as
 * ZERO. The strategy OldestEmulationVersion requires an emulationVersion above ZERO. Source:
 * pkg/apis/coordination/validation in k8s.io/kubernetes.
 */
export function validateLeaseCandidate({ spec }: LeaseCandidate, old: LeaseCandidate | undefined): FieldError[] {
  const { binaryVersion, emulationVersion, strategy = '' } = spec
  const path = fieldPath('spec')
  const errors = validateVersions(spec, path)
  if (binaryVersion === '') errors.push(required(path.child('binaryVersion')))
  if (strategy === '') errors.push(required(path.child('strategy')))
  else {
    if (strategy === OLDEST_EMULATED && isZeroSemver(emulationVersion)) errors.push(required(path.child('emulationVersion'), NEEDED))
    errors.push(...validateLeaseStrategy(strategy, path.child('strategy')))
  }
  return [...errors, ...validateLeaseName(spec, old, path)]
}

/**
 * Validates a candidate by the rules of 1.31: neither versions nor strategies are required, and OldestEmulationVersion
 * requires both versions.
 */
export function validateAlphaCandidate({ spec }: LeaseCandidate, old: LeaseCandidate | undefined): FieldError[] {
  const { binaryVersion, emulationVersion, preferredStrategies = [] } = spec
  const path = fieldPath('spec')
  const errors = validateVersions(spec, path)
  for (const [i, strategy] of preferredStrategies.entries()) {
    if (strategy === OLDEST_EMULATED && isZeroSemver(binaryVersion)) errors.push(required(path.child('binaryVersion'), NEEDED))
    if (strategy === OLDEST_EMULATED && isZeroSemver(emulationVersion)) errors.push(required(path.child('emulationVersion'), NEEDED))
    errors.push(...validateLeaseStrategy(strategy, path.child('preferredStrategies').index(i)))
  }
  return [...errors, ...validateLeaseName(spec, old, path)]
}

const isZeroSemver = (version: string | undefined): boolean =>
  compareSemanticVersions(parseSemanticVersion(version ?? '') ?? ZERO, ZERO) === 0

const validateLeaseName = ({ leaseName }: LeaseCandidateSpec, old: LeaseCandidate | undefined, path: FieldPath): FieldError[] =>
  old && leaseName !== old.spec.leaseName ? [immutableError(path.child('leaseName'), leaseName)] : []

/** Checks that versions are valid, if set, and in order, and that leaseName is set. */
function validateVersions({ leaseName, binaryVersion, emulationVersion = '' }: LeaseCandidateSpec, path: FieldPath): FieldError[] {
  const binary = parseSemanticVersion(binaryVersion)
  const emulated = parseSemanticVersion(emulationVersion)
  const errors: FieldError[] = []
  if (leaseName === '') errors.push(required(path.child('leaseName')))
  if (emulationVersion !== '' && !emulated) errors.push(invalid(path.child('emulationVersion'), emulationVersion, NO_VERSION))
  if (binaryVersion !== '' && !binary) errors.push(invalid(path.child('binaryVersion'), binaryVersion, NO_VERSION))
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary ?? ZERO, emulated ?? ZERO) < 0) {
    errors.push(invalid(path.child('binaryVersion'), binaryVersion, 'must be greater than or equal to `emulationVersion`'))
  }
  return errors
}
