import { type JsonObject, objectIn } from '../../../src/api/meta/object.ts'
import type { WebhookServer } from '../webhooks/webhook-server.ts'

/** Serves the webhooks of a history: two that convert, and three that label, one of which works. */
export function serveChanges(webhook: WebhookServer): void {
  webhook.acts.set('/convert', review => {
    const { uid, desiredAPIVersion, objects } = objectIn((review as JsonObject).request)
    const convertedObjects = (Array.isArray(objects) ? objects : []).map(object => converted(objectIn(object), String(desiredAPIVersion)))
    return { ...review, response: { uid, convertedObjects, result: { status: 'Success' } } }
  })
  webhook.acts.set('/convert-failing', review => ({
    ...review,
    response: { uid: objectIn((review as JsonObject).request).uid, result: { status: 'Failure', message: 'it does not convert' } },
  }))
  webhook.acts.set('/label', review => {
    const { uid } = objectIn((review as JsonObject).request)
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/metadata/labels/hook', value: 'labelled' }])).toString('base64')
    return { ...review, response: { uid, allowed: true, patchType: 'JSONPatch', patch } }
  })
  webhook.acts.set('/failing', (_, response) => {
    response.statusCode = 500
    return {}
  })
}

/** v2 has a field that v1 has not. An object may come without metadata: what an apply has left of it, for one. */
function converted(object: JsonObject, apiVersion: string): JsonObject {
  const { via: _, ...spec } = objectIn(object.spec)
  return {
    ...object,
    apiVersion,
    metadata: objectIn(object.metadata),
    spec: apiVersion.endsWith('/v2') ? { ...spec, via: 'the webhook' } : spec,
  }
}
