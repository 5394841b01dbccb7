import type { DeviceRequest, DeviceSelector, DeviceSubRequest, ExactDeviceRequest } from '../../api/resource/v1beta2.types.ts'
import { enumValues } from '../../catalog/types.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { covered, invalid, notSupported, required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { validateSet } from './lists.ts'
import { validateClassName, validateLabelName } from './names.ts'
import { type SelectorFaults, validateSelectors } from './selectors.ts'
import { validateToleration } from './taints.ts'

const ALLOCATION_MODES = enumValues('resource.DeviceAllocationMode')
const MAX_ALTERNATIVES = 8

/**
 * Validates mode and count. A missing count is 0, which is invalid for ExactCount. Defaults have set the mode, so an
 * empty one is not supported.
 */
function validateAmount({ allocationMode: mode, count = 0 }: DeviceSubRequest | ExactDeviceRequest, path: FieldPath): FieldError[] {
  switch (mode) {
    case 'All':
      return count === 0 ? [] : [invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'")]
    case 'ExactCount':
      return count > 0 ? [] : [invalid(path.child('count'), count, 'must be greater than zero')]
    default:
      return covered('', [notSupported(path.child('allocationMode'), mode ?? '', ALLOCATION_MODES)])
  }
}

/** Context of the validation of requests. */
interface RequestRules {
  /** Faults of all selectors. */
  readonly faults: SelectorFaults
  readonly release: Release
}

/** Validates the fields that `exactly` and the alternatives have in common. */
function validateExact(request: DeviceSubRequest | ExactDeviceRequest, { faults, release }: RequestRules, path: FieldPath): FieldError[] {
  const { deviceClassName: className, tolerations = [] } = request
  const at = path.child('deviceClassName')
  return [
    ...(className === '' ? covered('', [required(at)]) : covered('format=k8s-long-name', validateClassName(className, at))),
    ...validateSelectors(request.selectors, faults, release, path.child('selectors')),
    ...validateAmount(request, path),
    ...tolerations.flatMap((toleration, i) => validateToleration(toleration, release, path.child('tolerations').index(i))),
  ]
}

/** Validates an alternative, whose name configurations and constraints refer to. */
const validateAlternative = (request: DeviceSubRequest, rules: RequestRules, path: FieldPath): FieldError[] => [
  ...validateLabelName(request.name, path.child('name')),
  ...validateExact(request, rules, path),
]

/** Validates a request, which is for one kind of device, or for the first available of several. */
export function validateRequest({ name, exactly, firstAvailable = [] }: DeviceRequest, rules: RequestRules, path: FieldPath): FieldError[] {
  const errors = validateLabelName(name, path.child('name'))
  const alternatives = path.child('firstAvailable')
  const check = (one: DeviceSubRequest, at: FieldPath): FieldError[] => validateAlternative(one, rules, at)
  // Since 1.35 `exactly` and `firstAvailable` are validated only if just one of them is set.
  const isClear = !isSince(rules.release, '1.35') || !exactly || firstAvailable.length === 0
  if (isClear)
    errors.push(
      ...validateSet(firstAvailable, alternatives, {
        max: MAX_ALTERNATIVES,
        release: rules.release,
        check,
        keyOf: one => one.name,
        member: 'name',
      }),
    )
  if (isClear && exactly) errors.push(...validateExact(exactly, rules, path.child('exactly')))
  if (!exactly && firstAvailable.length === 0) errors.push(required(path, 'exactly one of `exactly` or `firstAvailable` is required'))
  if (exactly && firstAvailable.length > 0) {
    errors.push(invalid(path, undefined, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set'))
  }
  return errors
}

/** Returns the selectors of all requests and alternatives of a claim. */
export const requestSelectors = (requests: readonly DeviceRequest[] | null | undefined): (readonly DeviceSelector[] | null | undefined)[] =>
  (requests ?? []).flatMap(({ exactly, firstAvailable }) => [exactly?.selectors, ...(firstAvailable ?? []).map(one => one.selectors)])
