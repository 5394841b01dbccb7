import type { JsonObject as Schema } from '../api/meta/object.ts'
import { FAULTS_GROUP } from '../faults/rules.ts'

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const number: Schema = { type: 'integer', minimum: 0 }
const texts: Schema = { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' }
const enumSchema = (...values: string[]): Schema => ({ type: 'string', enum: values })
const object = (properties: Record<string, Schema>, description?: string): Schema => ({
  type: 'object',
  properties,
  ...(description !== undefined && { description }),
})

const event = (description: string): Schema =>
  object({ type: enumSchema('ADDED', 'MODIFIED', 'DELETED'), namespace: text, name: text, skip: number }, description)

/** FaultSpec. */
const spec = object({
  match: object(
    { users: texts, agents: texts, verbs: texts, resources: texts, namespaces: texts, names: texts },
    'Requests that the fault applies to. In each list a pattern may end in *, and one that begins with ! excludes. Default: all resource requests.',
  ),
  rate: object(
    { share: { type: 'number', minimum: 0, maximum: 1 }, seed: number, skip: number, count: number, after: text, for: text, every: text },
    'How many of the matching requests have the fault, and when. Durations are such as 500ms or 1m30s. Default: every matching request.',
  ),
  delay: { ...text, description: 'Delay of the response, such as 500ms.' },
  hold: { ...enumSchema('Quiet'), description: 'Quiet: the request waits until nothing else happens.' },
  writer: {
    ...enumSchema('Changes', 'Deletes', 'DeletesAtRest'),
    description:
      'Another client changes the object right before the request updates it, or deletes it before or, when nothing else happens, after. With watch.endBefore or watch.holdAt, the object of the event is deleted.',
  },
  restart: {
    ...enumSchema('BeforeCommit', 'AfterCommit', 'AtRest'),
    description: 'Restarts the program of the client. Only binnacle explore can do this.',
  },
  lease: { ...enumSchema('Lost'), description: 'Lost: another client acquires the Lease just before the request updates it.' },
  status: {
    ...object(
      { code: { type: 'integer', minimum: 400, maximum: 599 }, reason: text, message: text, retryAfterSeconds: number },
      'Error that is returned instead of a result.',
    ),
    required: ['code'],
  },
  cut: {
    ...enumSchema('BeforeCommit', 'AfterCommit'),
    description: 'Closes the connection without a response, before or after the write is committed.',
  },
  gone: { ...flag, description: 'Returns 410 to lists that continue or request an exact version, and to watches that start at a version.' },
  behind: { ...text, description: 'Staleness of lists with resourceVersion=0 and of watch events, such as 10s. At most 2m.' },
  behindChanges: {
    ...number,
    description:
      'Number of changes that lists with resourceVersion=0 are behind. A watch that continues from one waits until nothing else happens.',
  },
  watch: object(
    {
      endAfter: number,
      endBefore: event('Event before which the watch ends.'),
      withGone: flag,
      reopen: {
        ...enumSchema('Quiet'),
        description: 'After endBefore, the next list or watch of the resource waits until nothing else happens.',
      },
      holdAt: event('Event from which on the watch delivers nothing until nothing else happens.'),
      until: {
        ...enumSchema('Quiet', 'OtherEvent'),
        description: 'End of holdAt: OtherEvent ends it when another watch has delivered its next event.',
      },
      withholdBookmarks: flag,
    },
    'Ends watches after a number of events or before one event, optionally with a 410, holds events back, or withholds bookmarks.',
  ),
  webhooksDown: { ...texts, description: 'Names of admission webhooks that are unreachable. * matches all.' },
  beyondContract: { ...flag, description: "Allows effects that the API's contract rules out." },
})

const status = object({
  observedGeneration: { type: 'integer', format: 'int64' },
  state: enumSchema('Active', 'Invalid'),
  message: { ...text, description: 'Reason why the spec is invalid.' },
  matched: { type: 'integer', format: 'int64', description: 'Number of requests that matched.' },
  hits: { type: 'integer', format: 'int64', description: 'Number of requests that had the fault.' },
})

const column = (name: string, type: string, jsonPath: string): Schema => ({ name, type, jsonPath })

export const FAULT_DEFINITION_NAME = `faults.${FAULTS_GROUP}`

/** Spec of the CustomResourceDefinition that serves faults as objects. */
export const faultDefinition = (): Schema => ({
  group: FAULTS_GROUP,
  scope: 'Cluster',
  names: { plural: 'faults', singular: 'fault', kind: 'Fault', listKind: 'FaultList' },
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      subresources: { status: {} },
      additionalPrinterColumns: [
        column('State', 'string', '.status.state'),
        column('Matched', 'integer', '.status.matched'),
        column('Hits', 'integer', '.status.hits'),
        column('Age', 'date', '.metadata.creationTimestamp'),
      ],
      schema: {
        openAPIV3Schema: {
          ...object({ spec, status }, 'A fault that is injected into requests, to test how clients cope with it.'),
          required: ['spec'],
        },
      },
    },
  ],
})
