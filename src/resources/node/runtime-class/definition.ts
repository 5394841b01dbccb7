import type { Toleration } from '../../../api/core/v1.types.ts'
import type { RuntimeClass } from '../../../api/node/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { TableDefinition, Version } from '../../../catalog/definition.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { types } from '../../../catalog/types.ts'
import { repeats } from '../../../lib/repeats.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import { covered, duplicate, type FieldError, invalid, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import { labelErrors, validateImmutableField } from '../../../meta/object-meta-validation.ts'
import { validateResources } from '../../core/pod-spec/resources.ts'
import { validateTolerations } from '../../core/pod-spec/scheduling.ts'
import { deprecatedLabel } from '../../core/pod-spec/warnings.ts'
import { ageColumn, column, nameColumn } from '../../shared/columns.ts'
import { goValue } from '../../shared/go-values.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

const MEMBERS = ['key', 'operator', 'value', 'effect'] as const

function validateEachOnce(tolerations: readonly Toleration[], path: FieldPath): FieldError[] {
  const again = repeats(tolerations.map(toleration => JSON.stringify(MEMBERS.map(member => toleration[member] ?? ''))))
  return tolerations.flatMap((toleration, i) => (again[i] ? [duplicate(path.index(i), goValue('core.Toleration', toleration))] : []))
}

/** Warnings for deprecated node labels. */
const runtimeClassWarnings = ({ scheduling }: RuntimeClass, _: RuntimeClass | undefined, { features }: HookContext): string[] =>
  Object.keys((isSince(features.release, '1.25') && scheduling?.nodeSelector) || {}).flatMap(key => {
    const text = deprecatedLabel(key)
    return text === undefined ? [] : [`scheduling.nodeSelector: ${text}`]
  })

/** Validates the handler. Since 1.36 an empty one counts as missing. */
function validateHandler(handler: string, { release }: Features): FieldError[] {
  const path = fieldPath('handler')
  if (handler === '' && isSince(release, '1.36')) return covered('', [required(path)])
  return covered(
    'format=k8s-short-name',
    nameIsDnsLabel(handler, false).map(text => invalid(path, handler, text)),
  )
}

function* validateRuntimeClass(
  { handler, overhead, scheduling }: RuntimeClass,
  old: RuntimeClass | undefined,
  { features }: HookContext,
): Steps<FieldError[]> {
  const errors = validateHandler(handler, features)
  if (overhead)
    errors.push(
      ...validateResources({ limits: overhead.podFixed ?? {} }, new Set(), fieldPath('overhead'), {
        allowIndivisibleHugePages: false,
        release: features.release,
      }),
    )
  if (scheduling) {
    const path = fieldPath('scheduling')
    const tolerations = scheduling.tolerations ?? []
    errors.push(...(yield* labelErrors(scheduling.nodeSelector ?? {}, path.child('nodeSelector'))))
    // The path contains the field twice, as upstream's does.
    errors.push(...(yield* validateTolerations(tolerations, path.child('tolerations', 'tolerations'))))
    errors.push(...validateEachOnce(tolerations, path.child('tolerations')))
  }
  return old ? [...errors, ...covered('immutable', validateImmutableField(handler, old.handler, fieldPath('handler')))] : errors
}

const table: TableDefinition<RuntimeClass> = {
  columns: [nameColumn, column('Handler', 'Name of the handler in the container runtime.'), ageColumn],
  cells: ({ metadata, handler }, now) => [metadata.name ?? '', handler, age(metadata.creationTimestamp, now)],
}

const v1: Version<RuntimeClass> = {
  group: 'node.k8s.io',
  name: 'v1',
  kind: 'RuntimeClass',
  names: { plural: 'runtimeclasses', singular: 'runtimeclass' },
  verbs: STANDARD_VERBS,
  schema: types.type('node.RuntimeClass'),
  table,
}

/** Differs from v1 only in name. Served until 1.24. */
const v1beta1: Version<RuntimeClass> = { ...v1, name: 'v1beta1', schema: types.type('nodeV1beta1.RuntimeClass') }

/**
 * Selects the container runtime of pods; admission-plugin.ts copies its overhead and scheduling into pods.
 * https://kubernetes.io/docs/concepts/containers/runtime-class/
 * Source of its rules: pkg/registry/node/runtimeclass.
 */
export const runtimeClassResource = defineResource<RuntimeClass>({
  scope: 'Cluster',
  versions: [v1, v1beta1],
  hub: v1,
  storage: { prefix: 'runtimeclasses', version: v1 },
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    metaRounds: ['change', 'whole'],
    plainFinalizers: true,
    validate: validateRuntimeClass,
    warnings: runtimeClassWarnings,
  },
})
