import { compactJson } from '../codec/compact-json.ts'
import { parseJsonInSteps } from '../codec/json.ts'
import { rawJson } from '../codec/json-writer.ts'
import { runInTurns } from '../lib/steps.ts'
import type { AuditRecord } from '../meta/audit.ts'
import type { RequestContext } from '../meta/context.ts'
import type { JsonObject, KubeObject } from '../meta/object.ts'
import type { StructSchema } from '../schema/schema.ts'
import { objectText } from './forms/whole/text-objects.ts'

/** Gives the audit event the object of a request as it has been decoded: with its defaults, in the request's version, as upstream has it. It is encoded before anybody changes it. */
export async function noteObject(audit: AuditRecord, schema: StructSchema, object: KubeObject): Promise<void> {
  audit.refersTo(object.metadata)
  if (audit.showsRequest) audit.requestObject(await objectText(schema, object))
}

/** The same of options of a deletion. Upstream writes its own version of them, whatever the request has. */
export function noteDeleteOptions({ audit }: RequestContext, options: JsonObject): void {
  if (!audit?.showsRequest) return
  const { kind: _kind, apiVersion: _apiVersion, ...members } = options
  audit.requestObject(Buffer.from(rawJson({ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', ...members })))
}

/** Gives the audit event a patch as it came. Of one that is not in JSON, the event has what was read of it; one that can't be read is left out, where upstream loses the whole event. */
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
