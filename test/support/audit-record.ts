import type { AuditRecord } from '../../src/meta/audit.ts'

/** An audit event that takes everything, and its annotations. */
export function annotationsOf(): { readonly record: AuditRecord; readonly annotations: Record<string, string> } {
  const annotations: Record<string, string> = {}
  const record: AuditRecord = {
    showsRequest: true,
    showsResponse: true,
    annotate: (key, value) => {
      annotations[key] ??= value
    },
    refersTo: () => {},
    requestObject: () => {},
    answersStatus: () => {},
    responseObject: () => {},
  }
  return { record, annotations }
}
