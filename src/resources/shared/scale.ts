import type { Scale } from '../../api/autoscaling/v1.types.ts'
import type { TypedObject } from '../../api/meta/object.ts'
import type { LabelSelector } from '../../api/meta/v1.types.ts'
import { defineSubresource } from '../../catalog/define.ts'
import type { Subresource, SubresourceView, TableDefinition } from '../../catalog/definition.ts'
import { types } from '../../catalog/types.ts'
import { age } from '../../meta/age.ts'
import { covered, type FieldError } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { printLabelSelector } from '../../meta/label-selector.ts'
import { validateNonNegative } from '../../meta/object-meta-validation.ts'
import { ageColumn, column } from './columns.ts'

/** Table of scales. Scale has columns of its own, whatever it scales. */
const scaleTable: TableDefinition<Scale> = {
  columns: [
    column('Name', 'Name of the object.'),
    column('Desired', 'Desired number of instances.', 0, 'integer'),
    column('Available', 'Observed number of instances.', 0, 'integer'),
    ageColumn,
  ],
  cells: (object, now) => [
    object.metadata.name ?? '',
    object.spec.replicas ?? 0,
    object.status.replicas,
    age(object.metadata.creationTimestamp, now),
  ],
}

/** Validates a scale on write. */
export const validateScale = ({ spec }: Scale): FieldError[] =>
  covered('minimum', validateNonNegative(spec.replicas, fieldPath('spec', 'replicas')))

/**
 * Creates an autoscaling/v1 Scale for a parent. `selector` is its label selector as text, or empty. A replica count of
 * 0 is omitted from the spec, as in its JSON.
 */
export function scaleOf({ metadata }: TypedObject, wanted: number, current: number, selector: string): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      creationTimestamp: creationTimestamp ?? null,
    },
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: current, ...(selector !== '' && { selector }) },
  }
}

/** A kind with a number of replicas. */
interface Scalable extends TypedObject {
  readonly spec: { replicas?: number }
  readonly status: { readonly replicas?: number }
}

/**
 * Scale of a kind with spec.replicas and status.replicas. `selector` returns the text of the parent's selector, or an
 * empty string.
 */
function scaleView<T extends Scalable>(selector: (parent: T) => string): SubresourceView<T, Scale> {
  return {
    get: parent => scaleOf(parent, parent.spec.replicas ?? 0, parent.status.replicas ?? 0, selector(parent)),
    put(parent, view, judge = errors => errors) {
      const errors = judge(validateScale(view))
      if (errors.length > 0) return [...errors]
      parent.spec.replicas = view.spec.replicas ?? 0
      return parent
    },
    fields: { 'spec.replicas': ['spec', 'replicas'] },
  }
}

/**
 * The subresource `scale` of a workload.
 * @param selector returns the text of the parent’s label selector, with which an autoscaler finds the pods.
 * @param declaredRules see `SubresourceView`.
 */
export const scaleSubresource = <T extends Scalable>(selector: (parent: T) => string, declaredRules = false): Subresource<T> =>
  scaleOver({ ...scaleView(selector), declaredRules })

/** The subresource `scale` of any kind, with its own view and table. */
export const scaleOver = <T extends TypedObject>(
  view: SubresourceView<T, Scale>,
  table: TableDefinition<Scale> = scaleTable,
): Subresource<T> =>
  defineSubresource<T, Scale>({
    verbs: ['get', 'patch', 'update'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: types.type('autoscaling.Scale'), table },
    view,
  })

/** Prints spec.selector for the status of a Scale. Empty if there is none or it matches everything. */
export function scaleSelector({ spec }: { spec: { selector: LabelSelector | null } }): string {
  if (!spec.selector) return ''
  const text = printLabelSelector(spec.selector)
  return text === '<none>' ? '' : text
}
