import type { DeviceClaimConfiguration, DeviceConstraint, DeviceRequest, ResourceClaimSpec } from '../../api/resource/v1beta2.types.ts'
import type { HookContext } from '../../catalog/strategy.ts'
import type { Steps } from '../../lib/steps.ts'
import type { Features } from '../../lifecycle/gates.ts'
import type { Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { required } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { oldestReader } from '../shared/oldest-reader.ts'
import { validateConfiguration } from './configuration.ts'
import { validateList, validateSet } from './lists.ts'
import { validateFullyQualifiedName } from './names.ts'
import { requestSelectors, validateRequest } from './request.ts'
import { requestNames, validateRequestReference } from './request-names.ts'
import { compileSelectors } from './selectors.ts'

/** Limit on the requests of a claim, and on its allocation results. */
export const MAX_REQUESTS = 32
/** Limit on the configurations of a claim or a class. An allocation has those of both. */
export const MAX_CONFIGURATIONS = 32
const MAX_CONSTRAINTS = 32
const ONE_ATTRIBUTE = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'

/** Validates references to requests. An empty list refers to all of them. */
export const validateRequestReferences = (
  names: readonly string[] | undefined,
  known: ReadonlySet<string>,
  release: Release,
  path: FieldPath,
): FieldError[] =>
  validateSet(names, path, {
    max: MAX_REQUESTS,
    release,
    check: (name, at) => validateRequestReference(name, known, at),
    keyOf: name => name,
  })

/** Validates a constraint, which needs an attribute that matches or is distinct among devices. */
function validateConstraint(constraint: DeviceConstraint, known: ReadonlySet<string>, features: Features, path: FieldPath): FieldError[] {
  return [
    ...validateRequestReferences(constraint.requests, known, features.release, path.child('requests')),
    ...validateAttributeOf(constraint, features, path),
  ]
}

function validateAttributeOf({ matchAttribute, distinctAttribute }: DeviceConstraint, features: Features, path: FieldPath): FieldError[] {
  if (matchAttribute !== undefined) return validateFullyQualifiedName(matchAttribute, features.release, path.child('matchAttribute'))
  if (distinctAttribute !== undefined)
    return validateFullyQualifiedName(distinctAttribute, features.release, path.child('distinctAttribute'))
  return [features.enabled('DRAConsumableCapacity') ? required(path, ONE_ATTRIBUTE) : required(path.child('matchAttribute'))]
}

/**
 * Validates the spec of a claim or template. `stored` is set for an update, which cannot change it. Runs in steps,
 * since expressions are compiled. Source: pkg/apis/resource/validation in k8s.io/kubernetes.
 */
export function* validateClaimSpec(
  { devices }: ResourceClaimSpec,
  stored: boolean,
  path: FieldPath,
  ctx: HookContext,
): Steps<FieldError[]> {
  const { release } = ctx.features
  const faults = yield* compileSelectors(requestSelectors(devices.requests), oldestReader(ctx.features, stored))
  const at = path.child('devices')
  const known = requestNames(devices)
  const checkRequest = (request: DeviceRequest, place: FieldPath): FieldError[] => validateRequest(request, { faults, release }, place)
  const check = (config: DeviceClaimConfiguration, place: FieldPath): FieldError[] => [
    ...validateRequestReferences(config.requests, known, release, place.child('requests')),
    ...validateConfiguration(config, stored, release, place),
  ]
  return [
    ...validateSet(devices.requests, at.child('requests'), {
      max: MAX_REQUESTS,
      release,
      check: checkRequest,
      keyOf: request => request.name,
      member: 'name',
    }),
    ...validateList(devices.constraints, at.child('constraints'), {
      max: MAX_CONSTRAINTS,
      release,
      check: (one, place) => validateConstraint(one, known, ctx.features, place),
    }),
    ...validateList(devices.config, at.child('config'), { max: MAX_CONFIGURATIONS, release, check }),
  ]
}
