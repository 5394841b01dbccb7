import type { CustomResourceDefinition } from '../../src/api/apiextensions/v1.types.ts'
import type { JsonObject } from '../../src/api/meta/object.ts'
import type { ResourceDefinition, Version } from '../../src/catalog/definition.ts'
import { ConversionMetrics } from '../../src/extensions/conversion/metrics.ts'
import { customResource } from '../../src/extensions/custom-resource.ts'
import { isStatusError } from '../../src/meta/status.ts'
import type { AnyObject } from './any-object.ts'
import type { WebhookServer } from './webhooks/webhook-server.ts'

const text = { type: 'string' }
const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.replicas' }
const version = (name: string, storage: boolean, properties: object, field: string) => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { replicas: { type: 'integer' } } } },
    },
  },
  subresources: { status: {}, scale },
  selectableFields: [{ jsonPath: `.spec.${field}` }],
  additionalPrinterColumns: [{ name: field, type: 'string', jsonPath: `.spec.${field}` }],
})

/**
 * A definition of links in two versions: v1 has `hostPort`, v2 `host` and `port`; both have `n`, with a default in v1,
 * and v2 has a field with a default of its own.
 */
export const linkDefinition = (conversion: object, stored: 'v1' | 'v2' = 'v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'links.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'links', singular: 'link', kind: 'Link', listKind: 'LinkList' },
    conversion,
    versions: [
      version('v1', stored === 'v1', { hostPort: text, n: { type: 'integer', default: 7 } }, 'hostPort'),
      version(
        'v2',
        stored === 'v2',
        {
          host: {
            ...text,
            'x-kubernetes-validations': [
              { rule: "self != 'forbidden'", message: 'not that one' },
              { rule: "self == oldSelf || oldSelf != 'fixed'", message: 'it stays' },
            ],
          },
          port: text,
          n: { type: 'integer' },
          extra: { ...text, default: 'of v2' },
        },
        'host',
      ),
    ],
  },
})

export const webhookConversion = (clientConfig: object, conversionReviewVersions: string[] = ['v1']) => ({
  strategy: 'Webhook',
  webhook: { conversionReviewVersions, clientConfig },
})

export const link = (at: 'v1' | 'v2', name: string, spec: JsonObject, metadata: JsonObject = {}): AnyObject =>
  ({
    apiVersion: `example.com/${at}`,
    kind: 'Link',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, ...metadata },
    spec,
  }) as unknown as AnyObject

/** Converts a link as the author of a webhook would. */
export function convertLink(object: AnyObject, desired: string): AnyObject {
  const { host, port, hostPort, extra: _, ...spec } = (object.spec ?? {}) as Record<string, string>
  if (desired === object.apiVersion) return object
  const [first = '', second] = (hostPort ?? '').split(':')
  const own = desired.endsWith('/v2')
    ? { ...(hostPort !== undefined && { host: first }), ...(second !== undefined && { port: second }) }
    : { hostPort: port === undefined ? (host ?? '') : `${host ?? ''}:${port}` }
  return { ...object, apiVersion: desired, ...(object.spec !== undefined && { spec: { ...spec, ...own } }) }
}

type Review = {
  readonly apiVersion: string
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: AnyObject[] }
}

/** Returns the response of a webhook that converts correctly, except for `change`. */
export function reviewed(review: object, change: (object: AnyObject) => unknown = object => object): Record<string, unknown> {
  const { apiVersion, request } = review as Review
  const { uid, desiredAPIVersion, objects } = request
  const convertedObjects = objects.map(object => change(convertLink(object, desiredAPIVersion)))
  return { apiVersion, kind: 'ConversionReview', response: { uid, convertedObjects, result: { status: 'Success' } } }
}

/** Lets the webhook convert links at /convert. */
export function serveLinks(webhook: WebhookServer): object {
  webhook.acts.set('/convert', review => reviewed(review))
  return webhook.clientConfig('/convert')
}

/**
 * The definition's resource, established, with the webhook in this process: `answer` gets each review that is posted.
 */
export function linkResource(answer: (review: AnyObject) => unknown, stored: 'v1' | 'v2' = 'v1'): ResourceDefinition {
  const definition = linkDefinition(webhookConversion({ url: 'https://converter.test/' }), stored)
  const status = { acceptedNames: definition.spec.names, conditions: [{ type: 'Established', status: 'True' }] }
  const post = async (_: object, body: string): Promise<Buffer> => Buffer.from(JSON.stringify(await answer(JSON.parse(body))))
  const resource = customResource({ ...definition, status } as unknown as CustomResourceDefinition, {
    post,
    metrics: new ConversionMetrics(),
  })
  if (!resource) throw new Error('links are not served')
  return resource
}

export const linkVersion = ({ versions }: ResourceDefinition, name: 'v1' | 'v2'): Version =>
  versions.find(each => each.name === name) as Version

/** The text that it fails with. */
export const failureText = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing failed',
    error => (isStatusError(error) ? `${error.code} ${error.reason}: ${error.message}` : (error as Error).message),
  )
