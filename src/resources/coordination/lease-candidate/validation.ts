import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion } from '../../../meta/semantic-version.ts'
import { validateLeaseStrategy } from '../lease/validation.ts'
import type { LeaseCandidate } from '../v1beta1.types.ts'

/** What a version counts as that is absent or cannot be read. */
const ZERO: SemanticVersion = { numbers: [0n, 0n, 0n], prerelease: [] }
const NO_VERSION = 'must be a valid semantic version'

/**
 * leaseName never changes. emulationVersion is at most binaryVersion; one that is invalid is compared as ZERO. The strategy OldestEmulationVersion needs an emulationVersion
 * above ZERO. Source: pkg/apis/coordination/validation in k8s.io/kubernetes.
 */
export function validateLeaseCandidate({ spec }: LeaseCandidate, old: LeaseCandidate | undefined): FieldError[] {
  const path = fieldPath('spec')
  const { leaseName, binaryVersion, emulationVersion = '', strategy = '' } = spec
  const binary = parseSemanticVersion(binaryVersion)
  const emulated = parseSemanticVersion(emulationVersion)
  const errors: FieldError[] = []
  if (leaseName === '') errors.push(required(path.child('leaseName')))
  if (emulationVersion !== '' && !emulated) errors.push(invalid(path.child('emulationVersion'), emulationVersion, NO_VERSION))
  if (binaryVersion === '') errors.push(required(path.child('binaryVersion')))
  else if (!binary) errors.push(invalid(path.child('binaryVersion'), binaryVersion, NO_VERSION))
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary ?? ZERO, emulated ?? ZERO) < 0) {
    errors.push(invalid(path.child('binaryVersion'), binaryVersion, 'must be greater than or equal to `emulationVersion`'))
  }
  if (strategy === '') errors.push(required(path.child('strategy')))
  else {
    if (strategy === 'OldestEmulationVersion' && compareSemanticVersions(emulated ?? ZERO, ZERO) === 0) {
      errors.push(required(path.child('emulationVersion'), "must be specified when `strategy` is 'OldestEmulationVersion'"))
    }
    errors.push(...validateLeaseStrategy(strategy))
  }
  if (old && leaseName !== old.spec.leaseName) errors.push(invalid(path.child('leaseName'), leaseName, 'field is immutable'))
  return errors
}
