import { isJsonObject, type JsonObject, objectIn } from '../../src/api/meta/object.ts'
import type { CheckedObject } from '../../src/check/types.ts'
import type { ControlPlane } from '../../src/testing/types.ts'

/** Response of a server to an object. */
export interface Verdict {
  readonly kind: string
  readonly name: string
  readonly refused: boolean
  readonly message: string
}

/** Applies an object as kubectl does: creates it, or applies it if it exists. */
export async function appliedVerdict(
  plane: ControlPlane,
  { apiVersion, kind, value }: { apiVersion: string; kind: string; value: JsonObject },
): Promise<Verdict> {
  const { name = '', namespace } = objectIn(value.metadata)
  const verdict = (refused: boolean, message: unknown): Verdict => ({ kind, name: String(name), refused, message: String(message) })
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const { body: discovered } = await plane.request('GET', root)
  const resources: unknown = isJsonObject(discovered as JsonObject) ? (discovered as JsonObject).resources : undefined
  const found = (Array.isArray(resources) ? resources : []).find(each => each.kind === kind && !each.name.includes('/'))
  if (found === undefined) return verdict(true, `no matches for kind "${kind}" in version "${apiVersion}"`)
  const path = `${root}${found.namespaced ? `/namespaces/${String(namespace)}` : ''}/${found.name}`
  const exists = (await plane.request('GET', `${path}/${String(name)}`)).status === 200
  const response = exists
    ? await plane.request('PATCH', `${path}/${String(name)}?fieldManager=kubectl&force=true&fieldValidation=Strict`, {
        body: value,
        contentType: 'application/apply-patch+yaml',
      })
    : await plane.request('POST', `${path}?fieldManager=kubectl&fieldValidation=Strict`, { body: value })
  await plane.settled()
  const isRefused = response.status >= 400
  return verdict(isRefused, isRefused ? objectIn(response.body as JsonObject).message : '')
}

/** Response of a check to an object. */
export const checkedVerdict = ({ kind, name, verdict, message = '' }: CheckedObject): Verdict => ({
  kind,
  name,
  refused: verdict === 'refused' || verdict === 'unknown',
  message,
})
