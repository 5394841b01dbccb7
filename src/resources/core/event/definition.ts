import type { Event, ObjectReference } from '../../../api/core/v1.types.ts'
import { defineResource } from '../../../catalog/define.ts'
import type { ResourceDefinition, TableDefinition, Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { age } from '../../../meta/age.ts'
import type { RequestAttributes } from '../../../meta/context.ts'
import { nameIsPathSegment } from '../../../meta/names.ts'
import { eventsV1, eventsV1beta1 } from '../../events/event/definition.ts'
import { column, nameColumn } from '../../shared/columns.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'
import { type EventRules, validateEvent } from './validation.ts'

/** Prints the object that an event is about, as in `pod/web-0`, or the kind alone if it names no object. */
const involvedObject = ({ kind = '', name = '' }: ObjectReference): string =>
  name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`

/** Prints the component and its instance. Fields of the core/v1 form take precedence over those of events.k8s.io. */
function sourceOf(event: Event): string {
  const component = event.source.component || event.reportingComponent
  const instance = event.source.host || event.reportingInstance
  return instance === '' ? component : `${component}, ${instance}`
}

const eventTable: TableDefinition<Event> = {
  columns: [
    column('Last Seen', 'Time since the last occurrence.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Short reason of the event.'),
    column('Object', 'Object of the event.'),
    column('Subobject', 'Field path of the part that the event is about.', 1),
    column('Source', 'Component that reported the event.', 1),
    column('Message', 'Description of the event.'),
    column('First Seen', 'Time since the first occurrence.', 1),
    column('Count', 'Number of occurrences.', 1),
    { ...nameColumn, priority: 1 },
  ],
  cells(event, now) {
    // An event with a series takes its count and last time from there. Otherwise the core/v1 fields are used, and a
    // count of 0 prints as 1.
    const first = age(event.firstTimestamp ?? event.eventTime, now)
    const last = event.series ? age(event.series.lastObservedTime, now) : event.lastTimestamp ? age(event.lastTimestamp, now) : first
    const count = event.series ? (event.series.count ?? 0) : event.count || 1
    return [
      last,
      event.type ?? '',
      event.reason ?? '',
      involvedObject(event.involvedObject),
      event.involvedObject.fieldPath ?? '',
      sourceOf(event),
      (event.message ?? '').trim(),
      first,
      count,
      event.metadata.name ?? '',
    ]
  },
}

/** Field selectors reach the members of `involvedObject`, which events.k8s.io calls `regarding`. */
const involved = (field: keyof ObjectReference) => (event: Event) => event.involvedObject[field] ?? ''

const v1: Version<Event> = {
  group: '',
  name: 'v1',
  kind: 'Event',
  names: { plural: 'events', singular: 'event', shortNames: ['ev'] },
  verbs: STANDARD_VERBS,
  schema: types.type('core.Event'),
  table: eventTable,
  selectableFields: {
    'involvedObject.kind': involved('kind'),
    'involvedObject.namespace': involved('namespace'),
    'involvedObject.name': involved('name'),
    'involvedObject.uid': involved('uid'),
    'involvedObject.apiVersion': involved('apiVersion'),
    'involvedObject.resourceVersion': involved('resourceVersion'),
    'involvedObject.fieldPath': involved('fieldPath'),
    reason: event => event.reason ?? '',
    reportingComponent: event => event.reportingComponent,
    source: event => event.source.component || event.reportingComponent,
    type: event => event.type ?? '',
  },
}

/**
 * Rules for the version of a request. Only events.k8s.io/v1 is strict. Since 1.25 errors of the core group call the
 * controller `reportingComponent`.
 */
const eventRules = (info: Pick<RequestAttributes, 'group' | 'version'> | undefined, release: Release): EventRules => ({
  strict: info?.group === eventsV1.group && info.version === eventsV1.name,
  controllerName: info?.group === eventsV1.group || !isSince(release, '1.25') ? 'reportingController' : 'reportingComponent',
})

/**
 * Events with a lifetime in seconds, which every write restarts. core/v1 and events.k8s.io read and write the same
 * objects, and the version of the request selects the validation rules. Source of its rules: pkg/registry/core/event.
 */
export const eventResourceWithTtl = (seconds: number): ResourceDefinition =>
  defineResource<Event>({
    scope: 'Namespaced',
    versions: [v1, eventsV1, eventsV1beta1],
    hub: v1,
    storage: { prefix: 'events', version: v1 },
    strategy: {
      allowCreateOnUpdate: true,
      defaultPropagation: 'none',
      judgesMetaLast: true,
      plainFinalizers: true,
      // The strict rules validate metadata themselves.
      metaRounds: [],
      validateName: nameIsPathSegment,
      validate: (next, old, { request, features }) => validateEvent(next, old, eventRules(request?.info, features.release)),
      ttlSeconds: () => seconds,
    },
  })
