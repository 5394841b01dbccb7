import type { Subresource, SubresourceView, TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column } from '../../columns.ts'
import { types } from '../../types.ts'

/** Scale has columns of its own, whatever it scales. */
export const scaleTable: TableDefinition = {
  columns: [
    column('Name', 'Name of the object.'),
    column('Desired', 'Number of instances wanted.', 0, 'integer'),
    column('Available', 'Number of instances observed.', 0, 'integer'),
    ageColumn,
  ],
  cells: (object, now) => [object.metadata.name ?? '', object.spec?.replicas ?? 0, object.status?.replicas ?? 0, age(object.metadata.creationTimestamp, now)],
}

/** Of a scale that is written. */
export const validateScale = (scale: KubeObject): FieldError[] => validateNonNegative(scale.spec?.replicas, fieldPath('spec', 'replicas'))

/** autoscaling/v1 Scale of a parent. `selector`: its text, '' for none. A zero count is left out of the spec, as its JSON has it. */
export function scaleOf({ metadata }: KubeObject, wanted: number, current: number, selector: string): KubeObject {
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

/** Scale over a kind with spec.replicas and status.replicas. `selector`: the text of the parent's selector, '' for none. */
export function scaleView(selector: (parent: KubeObject) => string): SubresourceView {
  return {
    get(parent) {
      return scaleOf(parent, parent.spec?.replicas ?? 0, parent.status?.replicas ?? 0, selector(parent))
    },
    put(parent, view) {
      const errors = validateScale(view)
      if (errors.length > 0) return errors
      parent.spec.replicas = view.spec?.replicas ?? 0
      return parent
    },
    fields: { 'spec.replicas': ['spec', 'replicas'] },
  }
}

export const scaleSubresource = (selector: (parent: KubeObject) => string): Subresource => ({
  verbs: ['get', 'patch', 'update'],
  kind: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: types.type('autoscaling.Scale'), table: scaleTable },
  view: scaleView(selector),
})
