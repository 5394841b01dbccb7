import type { Strategy } from '../../catalog/definition.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { duplicate, required } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import type { KubeObject } from '../../meta/object.ts'
import { statusAloneStrategy } from '../shared/status-metadata.ts'
import { STATUS_FIELDS } from '../shared/strategy-parts.ts'
import { prepareCreate, prepareUpdate } from '../shared/workload/generation.ts'

/** Each condition has a type of its own. */
export function validateStatus({ status }: KubeObject): FieldError[] {
  const seen = new Set<string>()
  const conditions: { type?: string }[] = status?.conditions ?? []
  return conditions.flatMap(({ type = '' }, i) => {
    const path = fieldPath('status', 'conditions').index(i).child('type')
    const errors = seen.has(type) ? [duplicate(path, type)] : []
    seen.add(type)
    return type === '' ? [...errors, required(path, 'must not be empty')] : errors
  })
}

/** Of both kinds; `validateSpec` is for what is before the status. */
export const flowControlStrategy = (validateSpec: (next: KubeObject) => FieldError[]): Strategy => ({
  revalidatesMeta: true,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) prepareUpdate(next, old)
    else prepareCreate(next, {})
  },
  validate: next => [...validateSpec(next), ...validateStatus(next)],
})

export const flowControlStatusStrategy = statusAloneStrategy({ validate: validateStatus })
