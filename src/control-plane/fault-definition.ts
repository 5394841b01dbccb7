import { FAULTS_GROUP } from '../faults/rules.ts'
import type { JsonObject as Schema } from '../meta/object.ts'

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const number: Schema = { type: 'integer', minimum: 0 }
const texts: Schema = { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' }
const oneOf = (...values: string[]): Schema => ({ type: 'string', enum: values })
const object = (properties: Record<string, Schema>, description?: string): Schema => ({
  type: 'object',
  properties,
  ...(description !== undefined && { description }),
})

/** FaultSpec. */
const spec = object({
  match: object(
    { users: texts, agents: texts, verbs: texts, resources: texts, namespaces: texts, names: texts },
    'Which requests it is for. Absent: all for resources.',
  ),
  rate: object(
    { share: { type: 'number', minimum: 0, maximum: 1 }, seed: number, skip: number, count: number, after: text, for: text, every: text },
    'How often they have it. Absent: each.',
  ),
  delay: { ...text, description: 'The answer comes so much later: a duration, as 500ms.' },
  lease: { ...oneOf('Lost'), description: 'Another client takes the Lease that the request is about to update.' },
  status: {
    ...object({ code: { type: 'integer', minimum: 400, maximum: 599 }, reason: text, message: text, retryAfterSeconds: number }, 'What it is answered with.'),
    required: ['code'],
  },
  cut: { ...oneOf('BeforeCommit', 'AfterCommit'), description: 'The connection ends without an answer.' },
  gone: { ...flag, description: '410 where history is needed.' },
  behind: { ...text, description: 'Lists of any version, and events, are so old: a duration, two minutes at most.' },
  watch: object({ endAfter: number, withGone: flag, withholdBookmarks: flag }, 'Watches end after so many events, or get no bookmarks.'),
  webhooksDown: { ...texts, description: 'Names of admission webhooks that cannot be reached.' },
  beyondContract: { ...flag, description: "Also what no server may do by the API's contract." },
})

const status = object({
  observedGeneration: { type: 'integer', format: 'int64' },
  state: oneOf('Active', 'Invalid'),
  message: { ...text, description: 'What is wrong with an invalid one.' },
  matched: { type: 'integer', format: 'int64', description: 'Requests that it was for.' },
  hits: { type: 'integer', format: 'int64', description: 'Requests that had it.' },
})

const column = (name: string, type: string, jsonPath: string): Schema => ({ name, type, jsonPath })

export const FAULT_DEFINITION_NAME = `faults.${FAULTS_GROUP}`

/** Of the CustomResourceDefinition of faults as objects. */
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
      schema: { openAPIV3Schema: { ...object({ spec, status }, 'What is done to requests on purpose, to see how clients cope.'), required: ['spec'] } },
    },
  ],
})
