import type { Strategy } from '../../../catalog/definition.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName, nameIsDnsLabel } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { validateFinalizerDomain } from '../../../meta/object-meta-validation.ts'
import { keepMembers, STATUS_FIELDS } from '../../shared/strategy-parts.ts'

/** The finalizer of spec.finalizers that stands for the contents; the namespace controller removes it when they are gone. */
const CONTENTS = 'kubernetes'
/** Label that every namespace has, with its name: selectors of namespaces can name one. */
export const NAME_LABEL = 'kubernetes.io/metadata.name'

const finalizersPath = fieldPath('spec', 'finalizers')

function validateFinalizer(finalizer: string, path: FieldPath): FieldError[] {
  return [...isQualifiedName(finalizer).map(message => invalid(path, finalizer, message)), ...validateFinalizerDomain(finalizer, path)]
}

function canonicalize({ metadata }: KubeObject): void {
  if (metadata.name && !Object.hasOwn(metadata.labels ?? {}, NAME_LABEL)) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
}

const holdsDeletion = (namespace: KubeObject): boolean => (namespace.spec?.finalizers?.length ?? 0) > 0

export const namespaceStrategy: Strategy = {
  validateName: nameIsDnsLabel,
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (!old) {
      next.status = { phase: 'Active' }
      const finalizers: string[] = next.spec?.finalizers ?? []
      if (!finalizers.includes(CONTENTS)) next.spec = { ...next.spec, finalizers: [...finalizers, CONTENTS] }
      return
    }
    keepMembers(next, old, 'status')
    next.spec = { ...next.spec, finalizers: old.spec?.finalizers }
    if (next.spec.finalizers === undefined) delete next.spec.finalizers
  },
  validate(next) {
    const finalizers: string[] = next.spec?.finalizers ?? []
    return finalizers.flatMap(finalizer => validateFinalizer(finalizer, finalizersPath))
  },
  canonicalize,
  holdsDeletion,
  markDeleting(namespace) {
    namespace.status = { ...namespace.status, phase: 'Terminating' }
  },
}

export const statusStrategy: Strategy = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'spec')
  },
  validate(next) {
    const phase: string = next.status?.phase ?? ''
    const deleting = next.metadata.deletionTimestamp !== undefined
    const wanted = deleting ? 'Terminating' : 'Active'
    if (phase === wanted) return []
    return [invalid(fieldPath('status', 'Phase'), phase, `may only be '${wanted}' if \`deletionTimestamp\` is ${deleting ? 'not ' : ''}empty`)]
  },
  canonicalize,
  holdsDeletion,
}

export const finalizeStrategy: Strategy = {
  resetFields: STATUS_FIELDS,
  prepare(next, old) {
    if (old) keepMembers(next, old, 'status')
  },
  validate(next) {
    const finalizers: string[] = next.spec?.finalizers ?? []
    return finalizers.flatMap((finalizer, i) => validateFinalizer(finalizer, finalizersPath.index(i)))
  },
  canonicalize,
  holdsDeletion,
}
