import { isQualifiedName } from '../meta/names.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/**
 * Adds an annotation to the audit event of the request, if it has one. Drops keys that are not qualified names with a
 * prefix, as upstream does.
 */
export function annotateEvent({ ctx: { audit, why } }: AdmissionRequest, key: string, value: string): void {
  why?.note({ step: 'audit annotation', key, value })
  if (audit !== undefined && key.split('/').length === 2 && isQualifiedName(key).length === 0) audit.annotate(key, value)
}
