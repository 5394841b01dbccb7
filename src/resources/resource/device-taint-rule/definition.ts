import type { DeviceTaintRule } from '../../../api/resource/v1alpha3.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext, Strategy } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { validateMetaConditions } from '../../../meta/condition-validation.ts'
import { deepEqualBySize } from '../../../meta/equal.ts'
import { type FieldError, tooMany } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { formatTime } from '../../../meta/time.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { keepMetadata } from '../../shared/status-metadata.ts'
import { SPEC_FIELDS, STATUS_FIELDS, STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { validateClassName, validateDriverName, validateLabelName, validatePoolName } from '../names.ts'
import { compileSelectors, validateSelectors } from '../selectors.ts'
import { setTimeAdded, validateTaint } from '../taints.ts'
import { resourceVersion } from '../version.ts'

/** Members of a device selector, in the order of their errors. Each is optional. */
const MEMBERS: readonly (readonly [
  'deviceClassName' | 'driver' | 'pool' | 'device',
  (name: string, path: FieldPath, release: Release) => FieldError[],
])[] = [
  ['deviceClassName', validateClassName],
  ['driver', validateDriverName],
  ['pool', validatePoolName],
  ['device', validateLabelName],
]

/**
 * Validates a rule. The selector may be absent or empty. Selectors that an update does not change may use functions of
 * any release.
 */
function* validateDeviceTaintRule({ spec }: DeviceTaintRule, old: DeviceTaintRule | undefined, ctx: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const selector = spec.deviceSelector ?? {}
  const at = path.child('deviceSelector')
  const errors = MEMBERS.flatMap(([member, check]) => {
    const name = selector[member]
    return name === undefined ? [] : check(name, at.child(member), ctx.features.release)
  })
  const stored = old !== undefined && (yield* deepEqualBySize(selector.selectors, old.spec.deviceSelector?.selectors))
  const faults = yield* compileSelectors([selector.selectors], oldestReader(ctx.features, stored))
  return [
    ...errors,
    ...validateSelectors(selector.selectors, faults, ctx.features.release, at.child('selectors')),
    ...validateTaint(spec.taint, ctx.features.release, path.child('taint')),
  ]
}

/** Reports whether the effect changes without its time, which states since when the taint has its effect. */
const isEffectNew = ({ spec: { taint } }: DeviceTaintRule, { spec }: DeviceTaintRule): boolean =>
  taint.effect !== spec.taint.effect && taint.timeAdded === spec.taint.timeAdded

const MAX_CONDITIONS = 8

const table: TableDefinition<DeviceTaintRule> = {
  columns: [
    nameColumn,
    column('Key', 'Key of the taint.'),
    column('Value', 'Value of the taint.'),
    column('Effect', 'Effect of the taint.'),
    column('TimeAdded', 'Time since the taint was added.'),
    ageColumn,
  ],
  cells({ metadata, spec }, now) {
    const { key, value = '', effect, timeAdded } = spec.taint
    return [metadata.name ?? '', key, value, effect, timeAdded ? age(timeAdded, now) : '', age(metadata.creationTimestamp, now)]
  },
}

const statusStrategy: Strategy<DeviceTaintRule> = {
  resetFields: SPEC_FIELDS,
  prepare(next, old) {
    if (!old) return
    next.spec = old.spec
    keepMetadata(next, old)
  },
  validate({ status: { conditions = [] } }) {
    const at = fieldPath('status', 'conditions')
    const errors = validateMetaConditions(conditions, at)
    return conditions.length > MAX_CONDITIONS ? [...errors, tooMany(at, conditions.length, MAX_CONDITIONS)] : errors
  },
}

const v1alpha3: Version<DeviceTaintRule> = {
  ...resourceVersion('DeviceTaintRule', { plural: 'devicetaintrules', singular: 'devicetaintrule' }, 'v1alpha3'),
  table,
  subresources: { status: { since: '1.35', verbs: STATUS_VERBS, strategy: statusStrategy } },
}

const v1beta2: Version<DeviceTaintRule> = { ...v1alpha3, name: 'v1beta2', schema: types.type('resource.DeviceTaintRule') }
const v1: Version<DeviceTaintRule> = { ...v1alpha3, name: 'v1', schema: types.type('resourceV1.DeviceTaintRule') }

/**
 * Taints devices, in addition to the taints in the slices of drivers. The time of the taint defaults to that of the
 * write. Source of its rules: pkg/registry/resource/devicetaintrule.
 */
export const deviceTaintRuleResource = defineResource<DeviceTaintRule>({
  scope: 'Cluster',
  versions: [v1, v1beta2, v1alpha3],
  hub: v1alpha3,
  storage: { prefix: 'devicetaintrules', version: v1alpha3 },
  strategy: {
    // Upstream's strategy runs no declarative validation, although a taint has rules.
    declaredRules: false,
    returnsDeleted: true,
    resetFields: STATUS_FIELDS,
    prepare(next, old, { now, features }) {
      if (isSince(features.release, '1.35')) next.status = old ? old.status : {}
      if (isSince(features.release, '1.36') && old && isEffectNew(next, old)) next.spec.taint.timeAdded = formatTime(now)
      setTimeAdded(next.spec.taint, now)
      return prepareGeneration(next, old)
    },
    validate: validateDeviceTaintRule,
  },
})
