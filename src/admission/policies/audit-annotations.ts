import { escapeHtml } from '../../codec/json.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { annotateEvent } from '../audit-annotation.ts'

/** Maximum length of a value, in bytes. Longer values are truncated. */
const MAX_BYTES = 10 * 1024
/** Key of the annotation that lists failures of bindings with the action Audit. */
const FAILURE = 'validation.policy.admission.k8s.io/validation_failure'

/** Audit annotations of one policy. Values of the same key from different bindings are joined. */
export class AuditAnnotations {
  readonly #values = new Map<string, Set<string>>()

  /** Adds a value. Equal values of several bindings are kept once. */
  add(key: string, value: string): void {
    const cut = Buffer.byteLength(value) > MAX_BYTES ? Buffer.from(value).subarray(0, MAX_BYTES).toString() : value
    const known = this.#values.get(key)
    if (known) known.add(cut)
    else this.#values.set(key, new Set([cut]))
  }

  /** Writes the annotations to the audit event, with the policy's name as prefix of their keys. */
  publish(request: AdmissionRequest, policy: string): void {
    for (const [key, values] of this.#values) annotateEvent(request, `${policy}/${key}`, [...values].join(', '))
  }
}

/** Value of the failure annotation. The order of members is that of Go's JSON. */
export interface ValidationFailure {
  readonly message: string
  readonly policy: string
  readonly binding: string
  /** Index of the validation in the policy. */
  readonly expressionIndex: number
  /** Actions of the binding, not only Audit. */
  readonly validationActions: readonly string[]
}

/** Adds the annotation with the failures of bindings with the action Audit. */
export function auditFailures(request: AdmissionRequest, failures: readonly ValidationFailure[]): void {
  if (failures.length > 0) annotateEvent(request, FAILURE, escapeHtml(JSON.stringify(failures)))
}
