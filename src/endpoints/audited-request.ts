import type { JsonObject, KubeObject } from '../api/meta/object.ts'
import { compactJson } from '../codec/compact-json.ts'
import { parseJsonInSteps } from '../codec/json.ts'
import { runInTurns } from '../lib/steps.ts'
import type { AuditRecord } from '../meta/audit.ts'
import type { RequestContext } from '../meta/context.ts'
import { rawJson } from '../schema/json-text.ts'
import type { StructSchema } from '../schema/schema.ts'
import { objectText } from './forms/whole/text-objects.ts'

/**
 * Adds the decoded object of a request to the audit event, with its defaults and in the request's version, as upstream
 * does. It is encoded before admission can change it.
 */
export async function noteObject(audit: AuditRecord, schema: StructSchema, object: KubeObject): Promise<void> {
  audit.refersTo(object.metadata)
  if (audit.showsRequest) audit.requestObject(await objectText(schema, object))
}

/**
 * Adds the options of a deletion to the audit event. Upstream writes its internal version, regardless of the version in
 * the request.
 */
export function noteDeleteOptions({ audit }: RequestContext, options: JsonObject): void {
  if (!audit?.showsRequest) return
  const { kind: _kind, apiVersion: _apiVersion, ...members } = options
  audit.requestObject(Buffer.from(rawJson({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...members })))
}

/**
 * Adds a patch to the audit event as it was sent. A patch that is not JSON is encoded from its parsed value. A patch
 * that cannot be parsed is omitted; upstream drops the whole event then.
 */
export async function notePatch({ audit, signal }: RequestContext, body: Buffer, read?: JsonObject): Promise<void> {
  if (await isJson(body)) audit?.requestObject(await runInTurns(compactJson(body), signal))
  else if (read !== undefined) audit?.requestObject(Buffer.from(rawJson(read)))
}

async function isJson(body: Buffer): Promise<boolean> {
  try {
    await runInTurns(parseJsonInSteps(body))
    return true
  } catch {
    return false
  }
}
