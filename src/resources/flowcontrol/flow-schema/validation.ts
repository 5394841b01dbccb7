import type { FlowSchema } from '../../../api/flowcontrol/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { appendErrors, invalid, notSupported, required } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { itemErrors } from '../../../meta/item-errors.ts'
import { nameIsDnsSubdomain } from '../../../meta/names.ts'
import { goValue } from '../../shared/go-values.ts'
import { MANDATORY_SCHEMAS } from '../bootstrap/mandatory.ts'
import { validateFlowRule } from './rules.ts'

const MAX_PRECEDENCE = 10_000
const METHODS = ['ByNamespace', 'ByUser']

/**
 * Validates a schema. Mandatory schemas must equal upstream's, because a change could lock out all users. Source:
 * pkg/apis/flowcontrol/validation in k8s.io/kubernetes.
 */
export function* validateFlowSchema({ metadata, spec }: FlowSchema): Steps<FieldError[]> {
  const path = fieldPath('spec')
  const errors: FieldError[] = []
  const { matchingPrecedence: precedence, rules = [] } = spec
  const at = path.child('matchingPrecedence')
  if (precedence <= 0) errors.push(invalid(at, precedence, 'must be a positive value'))
  if (precedence > MAX_PRECEDENCE) errors.push(invalid(at, precedence, `must not be greater than ${MAX_PRECEDENCE}`))
  if (precedence === 1 && metadata.name !== 'exempt')
    errors.push(invalid(at, 1, "only the schema named 'exempt' may have matchingPrecedence 1"))
  if (spec.distinguisherMethod && !METHODS.includes(spec.distinguisherMethod.type)) {
    const printed = goValue('flowcontrol.FlowDistinguisherMethod', spec.distinguisherMethod)
    errors.push(notSupported(path.child('distinguisherMethod', 'type'), printed, METHODS))
  }
  const level = path.child('priorityLevelConfiguration', 'name')
  const { name: levelName } = spec.priorityLevelConfiguration
  if (levelName === '') errors.push(required(level, 'must reference a priority level'))
  else errors.push(...nameIsDnsSubdomain(levelName, false).map(text => invalid(level, levelName, text)))
  appendErrors(errors, yield* itemErrors(rules, path.child('rules'), validateFlowRule))
  const fixed = MANDATORY_SCHEMAS.find(schema => schema.metadata.name === metadata.name)
  if (fixed && !deepEqual(spec, fixed.spec))
    errors.push(invalid(path, goValue('flowcontrol.FlowSchemaSpec', spec), `spec of '${metadata.name}' must equal the fixed value`))
  return errors
}
