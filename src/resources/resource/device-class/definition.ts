import type { DeviceClass } from '../../../api/resource/v1beta2.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { type FieldError, invalid } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isExtendedResource } from '../../core/pod-spec/resources.ts'
import { NAME_AND_AGE } from '../../shared/columns.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { MAX_CONFIGURATIONS } from '../claim-spec.ts'
import { validateConfiguration } from '../configuration.ts'
import { validateList } from '../lists.ts'
import { compileSelectors, validateSelectors } from '../selectors.ts'
import { otherVersion, resourceVersion } from '../version.ts'

/**
 * Fields that an update does not change were accepted before limits existed, by a release that may support more
 * expressions.
 */
function* validateDeviceClassSpec({ spec }: DeviceClass, old: DeviceClass | undefined, ctx: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const hasSameSelectors = old !== undefined && (yield* deepEqualBySize(spec.selectors, old.spec.selectors))
  const faults = yield* compileSelectors([spec.selectors], oldestReader(ctx.features, hasSameSelectors))
  const stored = old !== undefined && (yield* deepEqualBySize(spec.config, old.spec.config))
  return [
    ...validateSelectors(spec.selectors, faults, ctx.features.release, path.child('selectors')),
    ...validateList(spec.config, path.child('config'), {
      max: MAX_CONFIGURATIONS,
      release: ctx.features.release,
      check: (config, at) => validateConfiguration(config, stored, ctx.features.release, at),
    }),
    ...validateResourceName(spec.extendedResourceName, path.child('extendedResourceName')),
  ]
}

/** Checks the name of the extended resource by which pods may request devices of the class. */
const validateResourceName = (name: string | undefined, path: FieldPath): FieldError[] =>
  name === undefined || isExtendedResource(name) ? [] : [invalid(path, name, 'must be a valid extended resource name')]

/**
 * Validates a class. Before 1.35 an update is validated twice, as in upstream: first like a create, without tolerated
 * faults, then with those of the old object.
 */
function* validateDeviceClass(next: DeviceClass, old: DeviceClass | undefined, ctx: HookContext): Steps<FieldError[]> {
  if (old && isSince(ctx.features.release, '1.35')) return yield* validateDeviceClassSpec(next, old, ctx)
  const errors = yield* validateDeviceClassSpec(next, undefined, ctx)
  return old ? [...errors, ...(yield* validateDeviceClassSpec(next, old, ctx))] : errors
}

const v1beta2: Version<DeviceClass> = {
  ...resourceVersion('DeviceClass', { plural: 'deviceclasses', singular: 'deviceclass' }),
  table: NAME_AND_AGE,
}
const v1 = otherVersion(v1beta2, 'v1')
const v1beta1 = otherVersion(v1beta2, 'v1beta1')

/**
 * Selects and configures the devices for requests of the class. All versions are equal.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/device-class-v1/
 * Source of its rules: pkg/registry/resource/deviceclass.
 */
export const deviceClassResource = defineResource<DeviceClass>({
  scope: 'Cluster',
  versions: [v1, v1beta2, v1beta1, otherVersion(v1beta2, 'v1alpha3')],
  hub: v1beta2,
  storage: { prefix: 'deviceclasses', version: v1beta1 },
  strategy: { metaRounds: ['change', 'whole'], returnsDeleted: true, prepare: prepareGeneration, validate: validateDeviceClass },
})
