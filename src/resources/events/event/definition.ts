import type { Version } from '../../../catalog/definition.ts'
import type { KubeObject } from '../../../meta/object.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { types } from '../../types.ts'

/** What the core group calls otherwise: the name here → the name there. */
const CORE_NAMES: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
}
const NAMES_HERE = Object.fromEntries(Object.entries(CORE_NAMES).map(([here, core]) => [core, here]))

const renamed = (names: Readonly<Record<string, string>>, event: KubeObject): KubeObject =>
  Object.fromEntries(Object.entries(event).map(([name, value]) => [Object.hasOwn(names, name) ? (names[name] as string) : name, value])) as KubeObject

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** Events by their newer names. The definition is the core group's: both are the same objects. */
export const eventsV1: Version = {
  group: 'events.k8s.io',
  name: 'v1',
  kind: 'Event',
  names: { plural: 'events', singular: 'event', shortNames: ['ev'] },
  verbs: STANDARD_VERBS,
  schema: types.type('events.Event'),
  toHome: event => renamed(CORE_NAMES, event),
  fromHome: event => renamed(NAMES_HERE, event),
  fieldAliases: {
    reason: 'reason',
    reportingController: 'reportingComponent',
    type: 'type',
    ...Object.fromEntries(REFERENCE.map(field => [`regarding.${field}`, `involvedObject.${field}`])),
  },
}
