import { defineResource } from '../../../catalog/define.ts'
import type { HookContext, TableDefinition, Version } from '../../../catalog/definition.ts'
import type { Steps } from '../../../lib/steps.ts'
import { age } from '../../../meta/age.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { oldestReader } from '../../shared/oldest-reader.ts'
import { prepareGeneration } from '../../shared/spec-generation.ts'
import { validateClassName, validateDriverName, validateLabelName, validatePoolName } from '../names.ts'
import { compileSelectors, validateSelectors } from '../selectors.ts'
import { setTimeAdded, validateTaint } from '../taints.ts'
import type { DeviceTaintRule } from '../v1alpha3.types.ts'
import { resourceVersion } from '../version.ts'

/** The members of a device selector in the order in which their errors come. Each is optional. */
const MEMBERS: readonly (readonly ['deviceClassName' | 'driver' | 'pool' | 'device', (name: string, path: FieldPath) => FieldError[]])[] = [
  ['deviceClassName', validateClassName],
  ['driver', validateDriverName],
  ['pool', validatePoolName],
  ['device', validateLabelName],
]

/** A rule without a selector, or with an empty one, is accepted. Selectors that an update leaves as they are may use what any release understands. */
function* validateDeviceTaintRule({ spec }: DeviceTaintRule, old: DeviceTaintRule | undefined, ctx: HookContext): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const selector = spec.deviceSelector ?? {}
  const at = path.child('deviceSelector')
  const errors = MEMBERS.flatMap(([member, check]) => {
    const name = selector[member]
    return name === undefined ? [] : check(name, at.child(member))
  })
  const stored = old !== undefined && deepEqual(selector.selectors, old.spec.deviceSelector?.selectors)
  const faults = yield* compileSelectors([selector.selectors], oldestReader(ctx.features, stored))
  return [...errors, ...validateSelectors(selector.selectors, faults, at.child('selectors')), ...validateTaint(spec.taint, path.child('taint'))]
}

const table: TableDefinition<DeviceTaintRule> = {
  columns: [
    nameColumn,
    column('Key', 'Name of the taint.'),
    column('Value', 'Value of the taint.'),
    column('Effect', 'What the taint does.'),
    column('TimeAdded', 'Time since the taint was added.'),
    ageColumn,
  ],
  cells({ metadata, spec }, now) {
    const { key, value = '', effect, timeAdded } = spec.taint
    return [metadata.name ?? '', key, value, effect, timeAdded ? age(timeAdded, now) : '', age(metadata.creationTimestamp, now)]
  },
}

const v1alpha3: Version<DeviceTaintRule> = {
  ...resourceVersion('DeviceTaintRule', { plural: 'devicetaintrules', singular: 'devicetaintrule' }, 'v1alpha3'),
  table,
}

/**
 * Taints devices that drivers offer in slices of their own. The time of the taint is that of the write, where the client gives none.
 * Source of its rules: pkg/registry/resource/devicetaintrule.
 */
export const deviceTaintRuleResource = defineResource<DeviceTaintRule>({
  scope: 'Cluster',
  versions: [v1alpha3],
  hub: v1alpha3,
  storage: { prefix: 'devicetaintrules', version: v1alpha3 },
  strategy: {
    returnsDeleted: true,
    prepare(next, old, { now }) {
      setTimeAdded(next.spec.taint, now)
      prepareGeneration(next, old)
    },
    validate: validateDeviceTaintRule,
  },
})
