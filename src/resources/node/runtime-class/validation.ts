import { quote } from '../../../lib/go-quote.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { duplicate, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { nameIsDnsLabel } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateImmutableField, validateLabels } from '../../../meta/object-meta-validation.ts'
import type { ApiStruct, Errors } from '../../core/checks.ts'
import { report } from '../../core/checks.ts'
import { checkResources } from '../../core/pod-spec/resources.ts'
import { checkTolerations } from '../../core/pod-spec/scheduling.ts'
import { deprecatedLabel } from '../../core/pod-spec/warnings.ts'
import { goPointer } from '../../shared/go-syntax.ts'

const MEMBERS = ['key', 'operator', 'value', 'effect'] as const

const printToleration = (toleration: ApiStruct): string => {
  const members = MEMBERS.map(member => `${member.charAt(0).toUpperCase()}${member.slice(1)}:${quote(toleration[member] ?? '')}`)
  return `core.Toleration{${members.join(', ')}, TolerationSeconds:${goPointer('int64', toleration.tolerationSeconds)}}`
}

function checkEachOnce(tolerations: readonly ApiStruct[], path: FieldPath, errors: Errors): void {
  const seen = new Set<string>()
  for (const [i, toleration] of tolerations.entries()) {
    const identity = JSON.stringify(MEMBERS.map(member => toleration[member] ?? ''))
    if (seen.has(identity)) errors.push(duplicate(path.index(i), verbatim(printToleration(toleration))))
    seen.add(identity)
  }
}

/** Labels of nodes by their old names. */
export const runtimeClassWarnings = ({ scheduling }: KubeObject): string[] =>
  Object.keys(scheduling?.nodeSelector ?? {}).flatMap(key => {
    const text = deprecatedLabel(key)
    return text === undefined ? [] : [`scheduling.nodeSelector: ${text}`]
  })

export function validateRuntimeClass(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const errors: Errors = []
  const { handler = '', overhead, scheduling } = next
  report(nameIsDnsLabel(handler, false), fieldPath('handler'), handler, errors)
  if (overhead) checkResources({ limits: overhead.podFixed }, new Set(), fieldPath('overhead'), { allowIndivisibleHugePages: false }, errors)
  if (scheduling) {
    const path = fieldPath('scheduling')
    const tolerations: ApiStruct[] = scheduling.tolerations ?? []
    errors.push(...validateLabels(scheduling.nodeSelector, path.child('nodeSelector')))
    checkTolerations(tolerations, path.child('tolerations'), errors)
    checkEachOnce(tolerations, path.child('tolerations'), errors)
  }
  return old ? [...errors, ...validateImmutableField(handler, old.handler ?? '', fieldPath('handler'))] : errors
}
