import type { Event as CoreEvent } from '../../../api/core/v1.types.ts'
import type { Event } from '../../../api/events/v1.types.ts'
import type { Version } from '../../../catalog/definition.ts'
import { types } from '../../../catalog/types.ts'
import { STANDARD_VERBS } from '../../shared/strategy-parts.ts'

function toCore({ regarding, note, reportingController, reportingInstance, series, ...event }: Event): CoreEvent {
  const { deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...rest } = event
  return {
    ...rest,
    involvedObject: regarding,
    ...(note !== undefined && { message: note }),
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    ...(deprecatedCount !== undefined && { count: deprecatedCount }),
    ...(series && { series }),
    reportingComponent: reportingController ?? '',
    reportingInstance: reportingInstance ?? '',
  }
}

function fromCore({ involvedObject, message, source, firstTimestamp, lastTimestamp, count, ...event }: CoreEvent): Event {
  const { reportingComponent, reportingInstance, series, ...rest } = event
  return {
    ...rest,
    regarding: involvedObject,
    ...(message !== undefined && { note: message }),
    deprecatedSource: source,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    ...(count !== undefined && { deprecatedCount: count }),
    ...(series && { series: { ...series, count: series.count ?? 0 } }),
    ...(reportingComponent !== '' && { reportingController: reportingComponent }),
    ...(reportingInstance !== '' && { reportingInstance }),
  }
}

const REFERENCE = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/**
 * Events under the names of events.k8s.io. The definition belongs to the core group, since both are the same objects.
 */
export const eventsV1: Version<Event, CoreEvent> = {
  group: 'events.k8s.io',
  name: 'v1',
  kind: 'Event',
  names: { plural: 'events', singular: 'event', shortNames: ['ev'] },
  verbs: STANDARD_VERBS,
  schema: types.type('events.Event'),
  toHub: toCore,
  fromHub: fromCore,
  fieldAliases: {
    reason: 'reason',
    reportingController: 'reportingComponent',
    type: 'type',
    ...Object.fromEntries(REFERENCE.map(field => [`regarding.${field}`, `involvedObject.${field}`])),
  },
}

/** Has the fields of v1 and the rules of the core group. Served until 1.24. */
export const eventsV1beta1: Version<Event, CoreEvent> = { ...eventsV1, name: 'v1beta1', schema: types.type('eventsV1beta1.Event') }
