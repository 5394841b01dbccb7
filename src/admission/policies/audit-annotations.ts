import { escapeHtml } from '../../codec/json.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import { annotateEvent } from '../audit-annotation.ts'

/** The longest value, in bytes. */
const MAX_BYTES = 10 * 1024
const FAILURE = 'validation.policy.admission.k8s.io/validation_failure'

/** What the bindings of one policy say in annotations of the audit event: those of the same key are joined. */
export class AuditAnnotations {
  readonly #values = new Map<string, Set<string>>()

  add(key: string, value: string): void {
    const cut = Buffer.byteLength(value) > MAX_BYTES ? Buffer.from(value).subarray(0, MAX_BYTES).toString() : value
    const known = this.#values.get(key)
    if (known) known.add(cut)
    else this.#values.set(key, new Set([cut]))
  }

  publish(request: AdmissionRequest, policy: string): void {
    for (const [key, values] of this.#values) annotateEvent(request, `${policy}/${key}`, [...values].join(', '))
  }
}

/** A validation that does not hold. Members in the order in which Go writes them. */
interface ValidationFailure {
  readonly message: string
  readonly policy: string
  readonly binding: string
  readonly expressionIndex: number
  readonly validationActions: readonly string[]
}

/** Annotates a validation that fails, where a binding has the action Audit. Of several the first is written. */
export const auditFailure = (request: AdmissionRequest, failure: ValidationFailure): void =>
  annotateEvent(request, FAILURE, escapeHtml(JSON.stringify([failure])))
