import type { TypedObject } from '../../api/meta/object.ts'
import type { HookContext, Strategy } from '../../catalog/strategy.ts'
import { runIfSteps, type Steps } from '../../lib/steps.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { duplicate, required } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { itemErrors } from '../../meta/item-errors.ts'
import { prepareCreate, prepareUpdate } from '../shared/spec-generation.ts'
import { statusAloneStrategy } from '../shared/status-metadata.ts'
import { STATUS_FIELDS } from '../shared/strategy-parts.ts'

/** A FlowSchema or a PriorityLevelConfiguration. */
interface FlowControlObject extends TypedObject {
  spec: unknown
  status: { conditions?: { type?: string }[] }
}

/** Checks that the types of conditions are unique. */
export function validateStatus({ status: { conditions = [] } }: FlowControlObject): Steps<FieldError[]> {
  const seen = new Set<string>()
  return itemErrors(conditions, fieldPath('status', 'conditions'), ({ type = '' }, at) => {
    const path = at.child('type')
    const isRepeated = seen.has(type)
    seen.add(type)
    return [...(isRepeated ? [duplicate(path, type)] : []), ...(type === '' ? [required(path, 'must not be empty')] : [])]
  })
}

/** Strategy of both kinds. `validateSpec` validates everything but the status. */
export const flowControlStrategy = <T extends FlowControlObject>(
  validateSpec: (next: T, old: T | undefined, ctx: HookContext) => FieldError[] | Steps<FieldError[]>,
): Strategy<T> => ({
  metaRounds: ['whole'],
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    return old ? prepareUpdate(next, old) : prepareCreate(next, {})
  },
  *validate(next, old, ctx) {
    return [...(yield* runIfSteps(validateSpec(next, old, ctx))), ...(yield* validateStatus(next))]
  },
})

/** Strategy of `status`, which keeps the spec. */
export const flowControlStatusStrategy = statusAloneStrategy<FlowControlObject>({ validate: validateStatus })
