import { defineSubresource } from '../../../catalog/define.ts'
import type { Subresource, SubresourceView, TableDefinition } from '../../../catalog/definition.ts'
import { age } from '../../../meta/age.ts'
import { covered, type FieldError } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import type { TypedObject } from '../../../meta/object.ts'
import { validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { ageColumn, column } from '../../shared/columns.ts'
import { types } from '../../types.ts'
import type { Scale } from '../v1.types.ts'

/** Scale has columns of its own, whatever it scales. */
const scaleTable: TableDefinition<Scale> = {
  columns: [
    column('Name', 'Name of the object.'),
    column('Desired', 'Number of instances wanted.', 0, 'integer'),
    column('Available', 'Number of instances observed.', 0, 'integer'),
    ageColumn,
  ],
  cells: (object, now) => [object.metadata.name ?? '', object.spec.replicas ?? 0, object.status.replicas, age(object.metadata.creationTimestamp, now)],
}

/** Of a scale that is written. */
export const validateScale = ({ spec }: Scale): FieldError[] => covered('minimum', validateNonNegative(spec.replicas, fieldPath('spec', 'replicas')))

/** autoscaling/v1 Scale of a parent. `selector`: its text, '' for none. A zero count is left out of the spec, as its JSON has it. */
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

/** A kind of which there may be more or fewer instances. */
interface Scalable extends TypedObject {
  readonly spec: { replicas?: number }
  readonly status: { readonly replicas?: number }
}

/** Scale over a kind with spec.replicas and status.replicas. `selector`: the text of the parent's selector, '' for none. */
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

/** The subresource `scale` of a workload. @param selector the text of the parent’s label selector, by which an autoscaler finds the pods. @param declaredRules see `SubresourceView`. */
export const scaleSubresource = <T extends Scalable>(selector: (parent: T) => string, declaredRules = false): Subresource<T> =>
  scaleOver({ ...scaleView(selector), declaredRules })

/** /scale of any kind, by a view of its own, and a Table. */
export const scaleOver = <T extends TypedObject>(view: SubresourceView<T, Scale>, table: TableDefinition<Scale> = scaleTable): Subresource<T> =>
  defineSubresource<T, Scale>({
    verbs: ['get', 'patch', 'update'],
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale', schema: types.type('autoscaling.Scale'), table },
    view,
  })
